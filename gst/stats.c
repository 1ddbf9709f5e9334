/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts and times: percentiles over a window, and a latency that follows a smoothed mean in steps of a quarter. */
#include <stdlib.h>
#include "stats.h"

/* Below this a change of latency is noise to any clock. */
#define LEAST_CHANGE_US 100.0

gboolean
gst_nativert_stats_add (GstNativertStats *s, gint64 prepare_us, gint64 run_us)
{
  const gdouble both = (gdouble) (prepare_us + run_us);
  const gsize at = s->n_times++ % GST_NATIVERT_STATS_WINDOW;
  s->prepare_us[at] = (guint32) CLAMP (prepare_us, 0, G_MAXUINT32);
  s->run_us[at] = (guint32) CLAMP (run_us, 0, G_MAXUINT32);
  s->smooth_us = s->n_times == 1 ? both : s->smooth_us + (both - s->smooth_us) / 8;
  const gdouble change = ABS (s->smooth_us - s->announced_us);
  if (change <= s->announced_us * 0.25 || change < LEAST_CHANGE_US)
    return FALSE;
  s->announced_us = s->smooth_us;
  return TRUE;
}

GstClockTime
gst_nativert_stats_latency (const GstNativertStats *s)
{
  return (GstClockTime) (s->announced_us * 1000);
}

static int
compare (const void *a, const void *b)
{
  const guint32 x = *(const guint32 *) a, y = *(const guint32 *) b;
  return (x > y) - (x < y);
}

GstStructure *
gst_nativert_stats_to_structure (const GstNativertStats *s, guint64 weights_version)
{
  const gsize n = (gsize) MIN (s->n_times, GST_NATIVERT_STATS_WINDOW);
  guint32 both[GST_NATIVERT_STATS_WINDOW];
  gdouble prepare = 0, run = 0;
  for (gsize i = 0; i < n; i++) {
    both[i] = s->prepare_us[i] + s->run_us[i];
    prepare += s->prepare_us[i];
    run += s->run_us[i];
  }
  qsort (both, n, sizeof *both, compare);
  const gdouble count = n ? (gdouble) n : 1;
  const gdouble p50 = n ? (gdouble) both[n / 2] : 0, p99 = n ? (gdouble) both[n * 99 / 100] : 0;
  return gst_structure_new ("nativertfilter-stats",
      "frames", G_TYPE_UINT64, s->frames, "inferred", G_TYPE_UINT64, s->inferred,
      "skipped", G_TYPE_UINT64, s->skipped, "dropped", G_TYPE_UINT64, s->dropped,
      "mean-us", G_TYPE_DOUBLE, (prepare + run) / count, "p50-us", G_TYPE_DOUBLE, p50, "p99-us", G_TYPE_DOUBLE, p99,
      "preprocess-mean-us", G_TYPE_DOUBLE, prepare / count, "run-mean-us", G_TYPE_DOUBLE, run / count,
      "reloads", G_TYPE_UINT64, s->reloads, "reload-failures", G_TYPE_UINT64, s->reload_failures,
      "weights-version", G_TYPE_UINT64, weights_version, NULL);
}
