/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts and times of a filter.  Not locked: the owner does that. */
#pragma once
#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_NATIVERT_STATS_WINDOW 512

typedef struct {
  guint64 frames, inferred, skipped, dropped, reloads, reload_failures;
  guint64 n_times;                              /* ever added; the last GST_NATIVERT_STATS_WINDOW are kept */
  guint32 prepare_us[GST_NATIVERT_STATS_WINDOW], run_us[GST_NATIVERT_STATS_WINDOW];
  gdouble smooth_us;                            /* recent mean of both together */
  gdouble announced_us;                         /* what LATENCY was answered with */
} GstNativertStats;

/* A run's times.  TRUE when the latency has moved so far that it should be announced anew. */
gboolean gst_nativert_stats_add (GstNativertStats *stats, gint64 prepare_us, gint64 run_us);
GstClockTime gst_nativert_stats_latency (const GstNativertStats *stats);
GstStructure *gst_nativert_stats_to_structure (const GstNativertStats *stats, guint64 weights_version);

G_END_DECLS
