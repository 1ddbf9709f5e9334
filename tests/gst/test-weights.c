/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Weights exchanged while frames flow: every frame is wholly of one version, failures change nothing, the newest wins.
 */
#include <math.h>
#include "common.h"

#define CAPS "video/x-raw,format=GRAY8,width=12,height=8,framerate=30/1"

static GstMessage *
next_reload (GstHarness *h, const char *name)
{
  GstMessage *message = test_message (h->element, GST_MESSAGE_ELEMENT);
  g_assert_nonnull (message);
  g_assert_true (gst_message_has_name (message, name));
  return message;
}

static void
set_weights (GstHarness *h, const char *name)
{
  g_autofree char *path = test_model (name);
  g_object_set (h->element, "weights", path, NULL);
}

/* All pixels at 100, so that a version's results are one number: 100 with gray.pt2, 203 with gray-b.pt2. */
static float
run_frame (GstHarness *h)
{
  GstBuffer *in = test_frame (CAPS, 1, 0);
  gst_buffer_memset (in, 0, 100, gst_buffer_get_size (in));
  g_autoptr (GstBuffer) out = gst_harness_push_and_pull (h, in);
  gsize n;
  g_autofree float *values = test_result (out, 0, &n);
  g_assert_cmpuint (n, ==, 96);
  for (gsize i = 1; i < n; i++)
    g_assert_cmpfloat (values[i], ==, values[0]);
  return values[0];
}

static guint64
version (GstHarness *h)
{
  guint64 value;
  g_object_get (h->element, "weights-version", &value, NULL);
  return value;
}

static void
count (GstElement *element, const char *file, gpointer unused, gint *counter)
{
  g_assert_nonnull (file);
  g_atomic_int_inc (counter);
}

static void
count_reloaded (GstElement *element, const char *file, guint64 number, gint *counter)
{
  g_assert_cmpuint (number, >, 0);
  g_atomic_int_inc (counter);
}

static void
test_exchange (void)
{
  GstHarness *h = test_harness ("gray.pt2", "scale=1", CAPS);
  gint reloaded = 0;
  g_signal_connect (h->element, "reloaded", G_CALLBACK (count_reloaded), &reloaded);
  const guint64 first = version (h);
  g_assert_cmpfloat (run_frame (h), ==, 100);
  set_weights (h, "gray-b.pt2");
  g_autoptr (GstMessage) message = next_reload (h, "nativert-reloaded");
  g_assert_cmpfloat (run_frame (h), ==, 203);
  g_assert_cmpuint (version (h), >, first);
  g_autofree char *active = NULL, *want = test_model ("gray-b.pt2");
  g_object_get (h->element, "active-weights", &active, NULL);
  g_assert_cmpstr (active, ==, want);
  g_assert_cmpstr (gst_structure_get_string (gst_message_get_structure (message), "file"), ==, want);
  g_object_set (h->element, "weights", NULL, NULL);
  gst_message_unref (next_reload (h, "nativert-reloaded"));
  g_assert_cmpfloat (run_frame (h), ==, 100);
  test_teardown (h);
  g_assert_cmpint (reloaded, ==, 2);
}

/* From a property given at the start. */
static void
test_initial (void)
{
  g_autofree char *path = test_model ("gray-b.pt2");
  g_autofree char *properties = g_strdup_printf ("scale=1 weights=\"%s\"", path);
  GstHarness *h = test_harness ("gray.pt2", properties, CAPS);
  g_assert_cmpfloat (run_frame (h), ==, 203);
  test_teardown (h);
}

static void
test_failure (void)
{
  GstHarness *h = test_harness ("gray.pt2", "scale=1", CAPS);
  gint failed = 0;
  g_signal_connect (h->element, "reload-failed", G_CALLBACK (count), &failed);
  static const char *const bad[] = { "gray-bad.pt2", "no-such-file.pt2", "preprocess.bin" };
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++) {
    const guint64 before = version (h);
    set_weights (h, bad[i]);
    g_autoptr (GstMessage) warning = test_message (h->element, GST_MESSAGE_WARNING);
    g_assert_nonnull (warning);
    g_autoptr (GstMessage) message = next_reload (h, "nativert-reload-failed");
    g_assert_nonnull (gst_structure_get_string (gst_message_get_structure (message), "error"));
    g_assert_cmpfloat (run_frame (h), ==, 100);
    g_assert_cmpuint (version (h), ==, before);
  }
  g_autofree char *active = NULL, *own = test_model ("gray.pt2");
  g_object_get (h->element, "active-weights", &active, NULL);
  g_assert_cmpstr (active, ==, own);
  test_teardown (h);
  g_assert_cmpint (failed, ==, 3);
}

/* The same path again, and the action signal, read the file again. */
static void
test_again (void)
{
  GstHarness *h = test_harness ("gray.pt2", "scale=1", CAPS);
  guint64 last = version (h);
  for (int i = 0; i < 4; i++) {
    if (i % 2)
      g_signal_emit_by_name (h->element, "reload");
    else
      set_weights (h, "gray-b.pt2");
    gst_message_unref (next_reload (h, "nativert-reloaded"));
    g_assert_cmpuint (version (h), >, last);
    last = version (h);
    g_assert_cmpfloat (run_frame (h), ==, 203);
  }
  test_teardown (h);
}

/* A burst of requests while frames flow: no frame mixes versions, and the last request is what remains. */
static void
test_under_load (void)
{
  GstHarness *h = test_harness ("gray.pt2", "scale=1", CAPS);
  guint n_frames = 0, n_new = 0;
  for (int round = 0; round < 30; round++) {
    set_weights (h, round % 3 == 2 ? "gray-bad.pt2" : round % 2 ? "gray.pt2" : "gray-b.pt2");
    for (int i = 0; i < 20; i++, n_frames++) {
      const float value = run_frame (h);
      g_assert_true (value == 100 || value == 203);
      n_new += value == 203;
    }
    if (round % 4 == 0)
      g_usleep (5000);
  }
  set_weights (h, "gray-b.pt2");
  const gint64 deadline = g_get_monotonic_time () + 5 * G_USEC_PER_SEC;
  while (run_frame (h) != 203 && g_get_monotonic_time () < deadline)
    g_usleep (1000);
  g_assert_cmpfloat (run_frame (h), ==, 203);
  g_test_message ("%u of %u frames with the other weights", n_new, n_frames);
  test_teardown (h);
}

/* Stopping in the middle of a load neither hangs nor reports. */
static void
test_stop_while_loading (void)
{
  for (int i = 0; i < 20; i++) {
    GstHarness *h = test_harness ("gray.pt2", "scale=1", CAPS);
    set_weights (h, "gray-b.pt2");
    g_usleep ((gulong) i * 100);
    test_teardown (h);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  g_test_add_func ("/gst/weights/exchange", test_exchange);
  g_test_add_func ("/gst/weights/initial", test_initial);
  g_test_add_func ("/gst/weights/failure", test_failure);
  g_test_add_func ("/gst/weights/again", test_again);
  g_test_add_func ("/gst/weights/under-load", test_under_load);
  g_test_add_func ("/gst/weights/stop-while-loading", test_stop_while_loading);
  const int failed = g_test_run ();
  gst_deinit ();
  return failed;
}
