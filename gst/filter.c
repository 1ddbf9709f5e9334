/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-nativertfilter
 * @title: nativertfilter
 * @short_description: runs a PyTorch model on every frame
 *
 * Runs a model that torch.export.save wrote (.pt2) on video.  A frame of any size in one of the usual formats is
 * resized, converted and normalised into the model's input in one pass; the frame itself flows on untouched, with the
 * results as tensor metadata, or is replaced by a buffer of tensors when downstream asks for other/tensors.
 *
 * A model may carry its own pre-processing in an extra file nativert.json: {"scale": 0.00392, "mean": [..], "std":
 * [..], "channel-order": "rgb", "resize": "letterbox", "pad-value": 114}.  Properties that are set win.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 videotestsrc ! nativertfilter model=net.pt2 ! fakesink
 * ]|
 * |[
 * gst-launch-1.0 filesrc location=clip.mp4 ! decodebin !
 *     nativertfilter model=net.pt2 resize=letterbox mean="<0.485,0.456,0.406>" std="<0.229,0.224,0.225>" !
 *     videoconvert ! autovideosink
 * ]|
 *
 * Since: 0.1
 */
#include "filter.h"

GST_DEBUG_CATEGORY (gst_nativert_debug);
#define GST_CAT_DEFAULT gst_nativert_debug

guint gst_nativert_filter_signals[GST_NATIVERT_N_SIGNALS];

G_DEFINE_TYPE (GstNativertFilter, gst_nativert_filter, GST_TYPE_BASE_TRANSFORM)
GST_ELEMENT_REGISTER_DECLARE (nativertfilter)
GST_ELEMENT_REGISTER_DEFINE (nativertfilter, "nativertfilter", GST_RANK_NONE, GST_TYPE_NATIVERT_FILTER)

/* Live streams wait for us: what a frame takes is their latency. */
static gboolean
answer_latency (GstNativertFilter *self, GstQuery *query)
{
  gboolean live;
  GstClockTime min, max;
  if (!gst_pad_peer_query (GST_BASE_TRANSFORM_SINK_PAD (self), query))
    return FALSE;
  gst_query_parse_latency (query, &live, &min, &max);
  GST_OBJECT_LOCK (self);
  const GstClockTime own = gst_nativert_stats_latency (&self->stats);
  GST_OBJECT_UNLOCK (self);
  if (live) {
    min += own;
    if (GST_CLOCK_TIME_IS_VALID (max))
      max += own;
  }
  GST_DEBUG_OBJECT (self, "live %d, own latency %" GST_TIME_FORMAT, live, GST_TIME_ARGS (own));
  gst_query_set_latency (query, live, min, max);
  return TRUE;
}

/* Upstream asks what fits and will find nothing: it then fails in its own name, without a word about us.  Only a linked
 * peer's question counts; others are looking around. */
static void
explain_empty_caps (GstNativertFilter *self, GstQuery *query)
{
  GstCaps *filter, *result;
  gst_query_parse_caps (query, &filter);
  gst_query_parse_caps_result (query, &result);
  if (!filter || !result || !gst_caps_is_empty (result) || gst_caps_is_empty (filter))
    return;
  g_autoptr (GstCaps) all = gst_pad_get_pad_template_caps (GST_BASE_TRANSFORM_SINK_PAD (self));
  if (gst_pad_is_linked (GST_BASE_TRANSFORM_SINK_PAD (self)) && gst_caps_can_intersect (filter, all))
    gst_nativert_filter_explain_mismatch (self, filter);
}

static gboolean
query (GstBaseTransform *trans, GstPadDirection direction, GstQuery *query_)
{
  GstNativertFilter *self = GST_NATIVERT_FILTER (trans);
  if (direction == GST_PAD_SRC && GST_QUERY_TYPE (query_) == GST_QUERY_LATENCY)
    return answer_latency (self, query_);
  const gboolean answered
      = GST_BASE_TRANSFORM_CLASS (gst_nativert_filter_parent_class)->query (trans, direction, query_);
  if (answered && direction == GST_PAD_SINK && GST_QUERY_TYPE (query_) == GST_QUERY_CAPS)
    explain_empty_caps (self, query_);
  return answered;
}

/* Before the pad itself refuses caps in silence. */
static GstPadProbeReturn
look_at_caps (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    GstCaps *caps;
    gst_event_parse_caps (event, &caps);
    if (!gst_pad_query_accept_caps (pad, caps))
      gst_nativert_filter_explain_mismatch (user_data, caps);
  }
  return GST_PAD_PROBE_OK;
}

static gboolean
sink_event (GstBaseTransform *trans, GstEvent *event)
{
  GstNativertFilter *self = GST_NATIVERT_FILTER (trans);
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP || GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START) {
    GST_OBJECT_LOCK (self);
    self->earliest = GST_CLOCK_TIME_NONE;
    GST_OBJECT_UNLOCK (self);
    self->until_run = 0;
    g_autoptr (NativertRunner) runner = gst_nativert_filter_ref_runner (self);
    if (runner)
      nativert_runner_reset_state (runner);
  }
  return GST_BASE_TRANSFORM_CLASS (gst_nativert_filter_parent_class)->sink_event (trans, event);
}

/* QoS is kept from the base class, which would drop frames, while we may skip only the inference. */
static gboolean
src_event (GstBaseTransform *trans, GstEvent *event)
{
  GstNativertFilter *self = GST_NATIVERT_FILTER (trans);
  if (GST_EVENT_TYPE (event) != GST_EVENT_QOS)
    return GST_BASE_TRANSFORM_CLASS (gst_nativert_filter_parent_class)->src_event (trans, event);
  GstClockTimeDiff diff;
  GstClockTime timestamp;
  gst_event_parse_qos (event, NULL, NULL, &diff, &timestamp);
  GST_OBJECT_LOCK (self);
  if (!GST_CLOCK_TIME_IS_VALID (timestamp))
    self->earliest = GST_CLOCK_TIME_NONE;
  else if (diff < 0 && timestamp < (GstClockTime) -diff)
    self->earliest = 0;
  else
    self->earliest = timestamp + (GstClockTime) diff;
  GST_OBJECT_UNLOCK (self);
  return gst_pad_push_event (GST_BASE_TRANSFORM_SINK_PAD (trans), event);
}

/* The frame flows on, so that downstream's memory and metadata are upstream's; tensors need neither. */
static gboolean
propose_allocation (GstBaseTransform *trans, GstQuery *decide_query, GstQuery *query_)
{
  if (!GST_NATIVERT_FILTER (trans)->gives_tensors)
    return gst_pad_peer_query (GST_BASE_TRANSFORM_SRC_PAD (trans), query_);
  gst_query_add_allocation_meta (query_, GST_VIDEO_META_API_TYPE, NULL);
  return TRUE;
}

/* We allocate no buffers by pool. */
static gboolean
decide_allocation (GstBaseTransform *trans, GstQuery *query_)
{
  while (gst_query_get_n_allocation_pools (query_) > 0)
    gst_query_remove_nth_allocation_pool (query_, 0);
  return TRUE;
}

static void
finalize (GObject *object)
{
  GstNativertFilter *self = GST_NATIVERT_FILTER (object);
  g_free (self->model_path);
  g_free (self->model_name);
  g_free (self->weights_path);
  g_free (self->device);
  G_OBJECT_CLASS (gst_nativert_filter_parent_class)->finalize (object);
}

static void
install_signals (GstNativertFilterClass *klass)
{
  const GType type = G_TYPE_FROM_CLASS (klass);
  guint *id = gst_nativert_filter_signals;
  /**
   * GstNativertFilter::reloaded:
   * @filter: the element
   * @file: whose weights are in use now
   * @version: their number
   *
   * From the loading thread.
   */
  id[GST_NATIVERT_SIGNAL_RELOADED] = g_signal_new (
      "reloaded", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 2, G_TYPE_STRING, G_TYPE_UINT64);
  /**
   * GstNativertFilter::reload-failed:
   * @filter: the element
   * @file: whose weights were not taken
   * @error: why
   *
   * From the loading thread.  The old weights stay.
   */
  id[GST_NATIVERT_SIGNAL_RELOAD_FAILED] = g_signal_new (
      "reload-failed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 2, G_TYPE_STRING, G_TYPE_ERROR);
  /**
   * GstNativertFilter::reload:
   * @filter: the element
   *
   * Reads the weights again, in the background.
   */
  id[GST_NATIVERT_SIGNAL_RELOAD] = g_signal_new_class_handler ("reload", type, G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
      G_CALLBACK (gst_nativert_filter_request_weights), NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
gst_nativert_filter_class_init (GstNativertFilterClass *klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *transform_class = GST_BASE_TRANSFORM_CLASS (klass);
  GST_DEBUG_CATEGORY_INIT (gst_nativert_debug, "nativert", 0, "PyTorch models in pipelines");
  G_OBJECT_CLASS (klass)->finalize = finalize;
  gst_nativert_filter_install_properties (G_OBJECT_CLASS (klass));
  install_signals (klass);
  gst_element_class_set_static_metadata (element_class, "PyTorch model filter", "Filter/Analyzer/Video",
      "Runs PyTorch models (.pt2 files of torch.export) on video frames", "The nativert authors");
  gst_element_class_add_static_pad_template (element_class, gst_nativert_filter_sink_template ());
  gst_element_class_add_static_pad_template (element_class, gst_nativert_filter_src_template ());
  transform_class->start = GST_DEBUG_FUNCPTR (gst_nativert_filter_start);
  transform_class->stop = GST_DEBUG_FUNCPTR (gst_nativert_filter_stop);
  transform_class->transform_caps = GST_DEBUG_FUNCPTR (gst_nativert_filter_transform_caps);
  transform_class->fixate_caps = GST_DEBUG_FUNCPTR (gst_nativert_filter_fixate_caps);
  transform_class->set_caps = GST_DEBUG_FUNCPTR (gst_nativert_filter_set_caps);
  transform_class->query = GST_DEBUG_FUNCPTR (query);
  transform_class->sink_event = GST_DEBUG_FUNCPTR (sink_event);
  transform_class->src_event = GST_DEBUG_FUNCPTR (src_event);
  transform_class->propose_allocation = GST_DEBUG_FUNCPTR (propose_allocation);
  transform_class->decide_allocation = GST_DEBUG_FUNCPTR (decide_allocation);
  transform_class->generate_output = GST_DEBUG_FUNCPTR (gst_nativert_filter_generate_output);
}

static void
gst_nativert_filter_init (GstNativertFilter *self)
{
  gst_nativert_settings_init (&self->given);
  self->device = g_strdup ("cpu");
  self->parallel_ops = 1;
  self->earliest = GST_CLOCK_TIME_NONE;
  gst_base_transform_set_passthrough (GST_BASE_TRANSFORM (self), FALSE);
  gst_base_transform_set_prefer_passthrough (GST_BASE_TRANSFORM (self), FALSE);
  gst_pad_add_probe (GST_BASE_TRANSFORM_SINK_PAD (self), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, look_at_caps, self, NULL);
}
