/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What cannot work is said on the bus, with the code that fits and the words that help, and the state change fails. */
#include <glib/gstdio.h>
#include <string.h>
#include "common.h"

/* Goes to PAUSED, which must fail with this error. */
static void
assert_start_fails (GstElement *element, GQuark domain, gint code, const char *text)
{
  test_watch (element);
  g_assert_cmpint (gst_element_set_state (element, GST_STATE_PAUSED), ==, GST_STATE_CHANGE_FAILURE);
  test_assert_error (element, domain, code, text);
  gst_element_set_state (element, GST_STATE_NULL);
  test_unwatch (element);
  gst_object_unref (element);
}

static void
test_no_model (void)
{
  GstElement *element = gst_object_ref_sink (gst_element_factory_make ("nativertfilter", NULL));
  assert_start_fails (element, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, "model");
}

static void
test_missing_file (void)
{
  assert_start_fails (
      test_element ("no-such-file.pt2", NULL), GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, "no-such-file.pt2");
}

static void
test_not_a_model (void)
{
  assert_start_fails (
      test_element ("preprocess.bin", NULL), GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE, "preprocess.bin");
}

static void
test_cut_off (void)
{
  g_autofree char *whole = test_model ("identity.pt2"), *bytes = NULL, *path = NULL;
  gsize n;
  g_assert_true (g_file_get_contents (whole, &bytes, &n, NULL));
  const gint fd = g_file_open_tmp ("nativert-XXXXXX.pt2", &path, NULL);
  g_close (fd, NULL);
  g_assert_true (g_file_set_contents (path, bytes, (gssize) n / 2, NULL));
  GstElement *element = gst_object_ref_sink (gst_element_factory_make ("nativertfilter", NULL));
  g_object_set (element, "model", path, NULL);
  assert_start_fails (element, GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE, NULL);
  g_unlink (path);
}

/* All of them, in one message. */
static void
test_unsupported (void)
{
  GstElement *element = test_element ("unsupported.pt2", NULL);
  test_watch (element);
  g_assert_cmpint (gst_element_set_state (element, GST_STATE_PAUSED), ==, GST_STATE_CHANGE_FAILURE);
  g_autoptr (GstMessage) message = test_message (element, GST_MESSAGE_ERROR);
  g_autoptr (GError) error = NULL;
  gst_message_parse_error (message, &error, NULL);
  g_assert_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT);
  g_assert_nonnull (strstr (error->message, "mystery"));
  g_assert_nonnull (strstr (error->message, "riddle"));
  gst_element_set_state (element, GST_STATE_NULL);
  test_unwatch (element);
  gst_object_unref (element);
}

static void
test_two_inputs (void)
{
  assert_start_fails (test_element ("two-inputs.pt2", NULL), GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "2 inputs");
}

static void
test_layout (void)
{
  assert_start_fails (
      test_element ("identity.pt2", "input-layout=nhwc"), GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "nhwc");
}

static void
test_device (void)
{
  assert_start_fails (
      test_element ("identity.pt2", "device=cuda:7"), GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS, "cuda:7");
}

static void
test_model_name (void)
{
  assert_start_fails (
      test_element ("identity.pt2", "model-name=other"), GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, "other");
}

static void
test_weights (void)
{
  assert_start_fails (test_element ("gray.pt2", "weights=/no/such/weights.pt2"), GST_RESOURCE_ERROR,
      GST_RESOURCE_ERROR_NOT_FOUND, "/no/such/weights.pt2");
  g_autofree char *bad = test_model ("gray-bad.pt2");
  g_autofree char *properties = g_strdup_printf ("weights=\"%s\"", bad);
  assert_start_fails (test_element ("gray.pt2", properties), GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "gray-bad.pt2");
}

/* Numbers that do not suit the model come out when caps are set. */
static void
test_numbers (void)
{
  GstHarness *h
      = test_harness ("identity.pt2", "mean=\"<0.1,0.2>\"", "video/x-raw,format=RGB,width=8,height=8,framerate=30/1");
  test_assert_error (h->element, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "mean has 2 numbers");
  test_teardown (h);
}

/* A frame that is smaller than its caps say. */
static void
test_short_frame (void)
{
  GstHarness *h = test_harness ("identity.pt2", NULL, "video/x-raw,format=RGB,width=100,height=100,framerate=30/1");
  g_assert_cmpint (gst_harness_push (h, gst_buffer_new_allocate (NULL, 100, NULL)), ==, GST_FLOW_ERROR);
  test_assert_error (h->element, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "100 bytes");
  test_teardown (h);
}

/* After a failure a good model works in the same element. */
static void
test_recovery (void)
{
  GstElement *element = test_element ("no-such-file.pt2", NULL);
  test_watch (element);
  g_assert_cmpint (gst_element_set_state (element, GST_STATE_PAUSED), ==, GST_STATE_CHANGE_FAILURE);
  gst_element_set_state (element, GST_STATE_NULL);
  g_autofree char *path = test_model ("identity.pt2");
  g_object_set (element, "model", path, NULL);
  g_assert_cmpint (gst_element_set_state (element, GST_STATE_PAUSED), ==, GST_STATE_CHANGE_SUCCESS);
  gst_element_set_state (element, GST_STATE_NULL);
  test_unwatch (element);
  gst_object_unref (element);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  g_test_add_func ("/gst/errors/no-model", test_no_model);
  g_test_add_func ("/gst/errors/missing-file", test_missing_file);
  g_test_add_func ("/gst/errors/not-a-model", test_not_a_model);
  g_test_add_func ("/gst/errors/cut-off", test_cut_off);
  g_test_add_func ("/gst/errors/unsupported", test_unsupported);
  g_test_add_func ("/gst/errors/two-inputs", test_two_inputs);
  g_test_add_func ("/gst/errors/layout", test_layout);
  g_test_add_func ("/gst/errors/device", test_device);
  g_test_add_func ("/gst/errors/model-name", test_model_name);
  g_test_add_func ("/gst/errors/weights", test_weights);
  g_test_add_func ("/gst/errors/numbers", test_numbers);
  g_test_add_func ("/gst/errors/short-frame", test_short_frame);
  g_test_add_func ("/gst/errors/recovery", test_recovery);
  const int failed = g_test_run ();
  gst_deinit ();
  return failed;
}
