/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the element costs beside pre-processing and the model's run: frames pushed through a harness with a tiny model,
 * the element's own times of both taken off, and what the harness costs with `identity` in its place. */
#include <stdlib.h>
#include <string.h>
#include "common.h"

enum { WINDOW = 512 };
#define CAPS "video/x-raw,format=NV12,width=640,height=480,framerate=30/1"

static double
stat (GstHarness *h, const char *name)
{
  GstStructure *stats = NULL;
  double value = 0;
  g_object_get (h->element, "stats", &stats, NULL);
  gst_structure_get_double (stats, name, &value);
  gst_structure_free (stats);
  return value;
}

/* Microseconds from push to pull, per frame. */
static double
time_frames (GstHarness *h, GstBuffer *frame, int n)
{
  const gint64 start = g_get_monotonic_time ();
  for (int i = 0; i < n; i++)
    gst_buffer_unref (gst_harness_push_and_pull (h, gst_buffer_copy (frame)));
  return (double) (g_get_monotonic_time () - start) / n;
}

/* A round is as many frames as the element's statistics look back on, so that both means are of the same frames; the
 * quietest of some rounds counts. */
static void
bench (const char *properties, GstBuffer *frame, int rounds)
{
  GstHarness *h = test_harness ("identity.pt2", properties, CAPS);
  GstHarness *plain = gst_harness_new ("identity");
  gst_harness_set_src_caps_str (plain, CAPS);
  double best[5] = { G_MAXDOUBLE };
  for (int i = 0; i < rounds; i++) {
    const double all = time_frames (h, frame, WINDOW), prepare = stat (h, "preprocess-mean-us"),
                 run = stat (h, "run-mean-us");
    const double harness = time_frames (plain, frame, WINDOW), element = all - prepare - run - harness;
    if (element < best[0])
      memcpy (best, (double[]) { element, all, prepare, run, harness }, sizeof best);
  }
  g_print ("%-20s a frame %.1f us = pre-processing %.1f + run %.1f + harness %.1f + element %.1f\n", properties,
      best[1], best[2], best[3], best[4], best[0]);
  test_teardown (h);
  gst_harness_teardown (plain);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  const int rounds = argc > 1 ? atoi (argv[1]) : 10;
  g_autoptr (GstBuffer) frame = test_frame (CAPS, 1, 0);
  bench ("output-mode=meta", frame, rounds);
  bench ("output-mode=tensors", frame, rounds);
  return 0;
}
