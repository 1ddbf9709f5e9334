/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* nativertfilter: what its files share.
 *   filter.c             class, events, queries
 *   filter-pspecs.c      properties as they are shown
 *   filter-properties.c  properties set and got
 *   filter-model.c       start and stop: the model, its weights, their exchange while playing
 *   filter-caps.c        what pads take and give, and what is said when they cannot
 *   filter-run.c         a frame's way */
#pragma once
#include <gst/base/gstbasetransform.h>
#include <gst/video/video.h>
#include "input.h"
#include "nativert.h"
#include "reload.h"
#include "settings.h"
#include "stats.h"
#include "tensor-meta.h"

G_BEGIN_DECLS

GST_DEBUG_CATEGORY_EXTERN (gst_nativert_debug);

typedef enum { GST_NATIVERT_OUTPUT_AUTO, GST_NATIVERT_OUTPUT_META, GST_NATIVERT_OUTPUT_TENSORS } GstNativertOutputMode;
typedef enum { GST_NATIVERT_LATE_SKIP, GST_NATIVERT_LATE_DROP, GST_NATIVERT_LATE_WAIT } GstNativertOnLate;

#define GST_TYPE_NATIVERT_FILTER (gst_nativert_filter_get_type ())
G_DECLARE_FINAL_TYPE (GstNativertFilter, gst_nativert_filter, GST, NATIVERT_FILTER, GstBaseTransform)

struct _GstNativertFilter {
  GstBaseTransform parent;

  /* Under the object lock. */
  char *model_path, *model_name, *weights_path, *active_weights, *device;
  guint threads, parallel_ops, interval;
  GstNativertOutputMode output_mode;
  GstNativertOnLate on_late;
  GstNativertSettings given;                    /* by properties */
  GstNativertStats stats;
  GstClockTime earliest;                        /* running time before which downstream wants nothing; from QoS */
  gboolean mismatch_posted;                     /* since start */

  /* Made by start, gone with stop.  Other threads take the object lock and a reference. */
  NativertModel *model;
  NativertRunner *runner;
  GstNativertReload *reload;
  GstCaps *sink_caps;                           /* what the model lets the sink pad take */

  /* The streaming thread's, between start and stop. */
  GstNativertPort port;
  GstNativertSettings settings;                 /* properties over the archive's nativert.json over defaults */
  GQuark *names;                                /* of the outputs */
  GstNativertInput *input;
  GstVideoInfo info;
  gboolean gives_tensors;
  gint planned_width, planned_height;           /* of the tensor that the runner has been prepared for */
  NativertTensor **planned;                     /* the results of that warm-up */
  guint n_planned;
  guint until_run;                              /* frames that `interval` still lets through */
};

enum {
  GST_NATIVERT_SIGNAL_RELOADED,
  GST_NATIVERT_SIGNAL_RELOAD_FAILED,
  GST_NATIVERT_SIGNAL_RELOAD,
  GST_NATIVERT_N_SIGNALS
};
extern guint gst_nativert_filter_signals[GST_NATIVERT_N_SIGNALS];

/* filter-pspecs.c */
void gst_nativert_filter_install_properties (GObjectClass *klass);

/* filter-model.c */
gboolean gst_nativert_filter_start (GstBaseTransform *trans);
gboolean gst_nativert_filter_stop (GstBaseTransform *trans);
/* Asks for the weights property's file, or the model's own; nothing when stopped. */
void gst_nativert_filter_request_weights (GstNativertFilter *self);
/* Prepares the runner for a tensor of this size, runs it once and keeps the results' sizes; quick when that was the
 * last. */
gboolean gst_nativert_filter_plan (GstNativertFilter *self, gint width, gint height, GError **error);
/* For threads other than the streaming thread; NULL when stopped. */
NativertRunner *gst_nativert_filter_ref_runner (GstNativertFilter *self);
void gst_nativert_tensors_free (NativertTensor **tensors, guint n);

/* filter-caps.c */
GstStaticPadTemplate *gst_nativert_filter_sink_template (void);
GstStaticPadTemplate *gst_nativert_filter_src_template (void);
/* What the started model lets the sink pad take. */
GstCaps *gst_nativert_filter_make_sink_caps (GstNativertFilter *self);
GstCaps *gst_nativert_filter_transform_caps (
    GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps, GstCaps *filter);
GstCaps *gst_nativert_filter_fixate_caps (
    GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps, GstCaps *other);
gboolean gst_nativert_filter_set_caps (GstBaseTransform *trans, GstCaps *in, GstCaps *out);

/* filter-negotiation.c: an error on the bus that says which pad could not agree, on what, and which element helps; once
 * until caps are agreed on again. */
void gst_nativert_filter_explain_mismatch (GstNativertFilter *self, const GstCaps *got);

/* filter-run.c */
GstFlowReturn gst_nativert_filter_generate_output (GstBaseTransform *trans, GstBuffer **out);

G_END_DECLS
