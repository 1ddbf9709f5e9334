/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Caps: any video in, since it is resized here; the same video out with metadata, or tensors. */
#include "errors.h"
#include "filter.h"
#include "tensor-caps.h"

#define GST_CAT_DEFAULT gst_nativert_debug
#define VIDEO_CAPS GST_VIDEO_CAPS_MAKE (GST_NATIVERT_VIDEO_FORMATS)
#define TENSOR_CAPS GST_NATIVERT_TENSORS_NAME \
    ", format = (string) static, num_tensors = (int) [ 1, 16 ], framerate = (fraction) [ 0/1, max ]"

static GstStaticPadTemplate sink_template
    = GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS (VIDEO_CAPS));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (VIDEO_CAPS "; " TENSOR_CAPS));

GstStaticPadTemplate *
gst_nativert_filter_sink_template (void)
{
  return &sink_template;
}

GstStaticPadTemplate *
gst_nativert_filter_src_template (void)
{
  return &src_template;
}

static void
restrict_size (GstCaps *caps, const char *field, const NativertDim *dim)
{
  const gint min = (gint) CLAMP (dim->min, 1, NATIVERT_MAX_PICTURE);
  const gint max = dim->max < 0 ? NATIVERT_MAX_PICTURE : (gint) CLAMP (dim->max, min, NATIVERT_MAX_PICTURE);
  if (min == max)
    gst_caps_set_simple (caps, field, G_TYPE_INT, min, NULL);
  else
    gst_caps_set_simple (caps, field, GST_TYPE_INT_RANGE, min, max, NULL);
}

GstCaps *
gst_nativert_filter_make_sink_caps (GstNativertFilter *self)
{
  static const char *const formats[] = { "{ RGB, BGR, RGBA, BGRA, RGBx, BGRx, NV12, I420 }", "GRAY8" };
  GstCaps *caps = gst_static_pad_template_get_caps (&sink_template);
  if (self->settings.resize != GST_NATIVERT_RESIZE_NONE) {
    caps = gst_caps_make_writable (caps);
    gst_caps_set_simple (caps, "width", GST_TYPE_INT_RANGE, 1, NATIVERT_MAX_PICTURE, "height", GST_TYPE_INT_RANGE, 1,
        NATIVERT_MAX_PICTURE, NULL);
    return caps;
  }
  g_autofree char *text = g_strdup_printf ("video/x-raw, format = %s", formats[self->port.n_channels == 1]);
  g_autoptr (GstCaps) format = gst_caps_from_string (text);
  GstCaps *exact = gst_caps_make_writable (gst_caps_intersect (caps, format));
  gst_caps_unref (caps);
  restrict_size (exact, "width", &self->port.width);
  restrict_size (exact, "height", &self->port.height);
  return exact;
}

static GstCaps *
dup_sink_caps (GstNativertFilter *self)
{
  GST_OBJECT_LOCK (self);
  GstCaps *caps = self->sink_caps ? gst_caps_ref (self->sink_caps) : NULL;
  GST_OBJECT_UNLOCK (self);
  return caps ? caps : gst_static_pad_template_get_caps (&sink_template);
}

/* Tensors that the model gives, as far as that is known. */
static GstCaps *
dup_tensor_caps (GstNativertFilter *self)
{
  GST_OBJECT_LOCK (self);
  g_autoptr (NativertModel) model = self->model ? g_object_ref (self->model) : NULL;
  GST_OBJECT_UNLOCK (self);
  g_autoptr (GError) reason = NULL;
  GstCaps *caps = model ? gst_nativert_tensor_caps_new (model, NULL, &reason) : gst_caps_from_string (TENSOR_CAPS);
  if (reason)
    GST_DEBUG_OBJECT (self, "no tensor buffers: %s", reason->message);
  return caps ? caps : gst_caps_new_empty ();
}

static GstCaps *
video_to_src (GstNativertFilter *self, GstCaps *video, GstNativertOutputMode mode)
{
  GstCaps *result = gst_caps_new_empty ();
  if (mode != GST_NATIVERT_OUTPUT_TENSORS)
    gst_caps_append (result, gst_caps_copy (video));
  for (guint i = 0; mode != GST_NATIVERT_OUTPUT_META && i < gst_caps_get_size (video); i++) {
    GstCaps *tensors = gst_caps_make_writable (dup_tensor_caps (self));
    const GValue *framerate = gst_structure_get_value (gst_caps_get_structure (video, i), "framerate");
    if (framerate && !gst_caps_is_empty (tensors))
      gst_caps_set_value (tensors, "framerate", framerate);
    result = gst_caps_merge (result, tensors);
  }
  return result;
}

static GstCaps *
src_to_video (GstNativertFilter *self, GstCaps *caps, GstNativertOutputMode mode)
{
  GstCaps *result = gst_caps_new_empty ();
  g_autoptr (GstCaps) tensors = dup_tensor_caps (self);
  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    GstStructure *s = gst_caps_get_structure (caps, i);
    g_autoptr (GstCaps) one = gst_caps_new_full (gst_structure_copy (s), NULL);
    const gboolean is_tensors = gst_structure_has_name (s, GST_NATIVERT_TENSORS_NAME);
    if (!is_tensors && mode != GST_NATIVERT_OUTPUT_TENSORS) {
      result = gst_caps_merge (result, g_steal_pointer (&one));
    } else if (is_tensors && mode != GST_NATIVERT_OUTPUT_META && gst_caps_can_intersect (one, tensors)) {
      GstCaps *video = gst_caps_new_empty_simple ("video/x-raw");
      if (gst_structure_has_field (s, "framerate"))
        gst_caps_set_value (video, "framerate", gst_structure_get_value (s, "framerate"));
      result = gst_caps_merge (result, video);
    }
  }
  return result;
}

GstCaps *
gst_nativert_filter_transform_caps (GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps, GstCaps *filter)
{
  GstNativertFilter *self = GST_NATIVERT_FILTER (trans);
  GST_OBJECT_LOCK (self);
  const GstNativertOutputMode mode = self->output_mode;
  GST_OBJECT_UNLOCK (self);
  g_autoptr (GstCaps) sink_caps = dup_sink_caps (self);
  GstCaps *result;
  if (direction == GST_PAD_SINK) {
    g_autoptr (GstCaps) video = gst_caps_intersect_full (caps, sink_caps, GST_CAPS_INTERSECT_FIRST);
    result = video_to_src (self, video, mode);
  } else {
    g_autoptr (GstCaps) video = src_to_video (self, caps, mode);
    result = gst_caps_intersect_full (video, sink_caps, GST_CAPS_INTERSECT_FIRST);
  }
  if (filter) {
    GstCaps *filtered = gst_caps_intersect_full (filter, result, GST_CAPS_INTERSECT_FIRST);
    gst_caps_unref (result);
    result = filtered;
  }
  GST_LOG_OBJECT (self, "%s %" GST_PTR_FORMAT " becomes %" GST_PTR_FORMAT, direction == GST_PAD_SINK ? "sink" : "src",
      caps, result);
  return result;
}

/* Once per negotiation, however often it is tried. */
static gboolean
first_mismatch (GstNativertFilter *self)
{
  GST_OBJECT_LOCK (self);
  const gboolean first = !self->mismatch_posted;
  self->mismatch_posted = TRUE;
  GST_OBJECT_UNLOCK (self);
  return first;
}

/* Tensors' sizes are known only after a run.  Empty caps, and an error on the bus, when they are not what downstream
 * wants. */
static GstCaps *
fixate_tensors (GstNativertFilter *self, GstCaps *in, GstCaps *out)
{
  g_autoptr (GError) error = NULL;
  GstVideoInfo info;
  gint width, height;
  if (!self->runner || !gst_video_info_from_caps (&info, in))
    return out;
  gst_nativert_port_choose_size (
      &self->port, GST_VIDEO_INFO_WIDTH (&info), GST_VIDEO_INFO_HEIGHT (&info), &width, &height);
  g_autoptr (GstCaps) known = NULL;
  if (gst_nativert_filter_plan (self, width, height, &error))
    known = gst_nativert_tensor_caps_new (self->model, self->planned, &error);
  if (!known) {
    if (first_mismatch (self))
      gst_nativert_post_error (GST_ELEMENT (self), error, "Cannot say what tensors will come", NULL);
    gst_caps_unref (out);
    return gst_caps_new_empty ();
  }
  GstCaps *exact = gst_caps_intersect_full (out, known, GST_CAPS_INTERSECT_FIRST);
  if (gst_caps_is_empty (exact) && first_mismatch (self)) {
    g_autofree char *expected = gst_caps_to_string (out), *got = gst_caps_to_string (known);
    GST_ELEMENT_ERROR (self, CORE, NEGOTIATION,
        ("Pad src: downstream expects %s, and the model gives %s", expected, got),
        ("another element downstream, or output-mode=meta, would fit"));
  }
  gst_caps_unref (out);
  return exact;
}

GstCaps *
gst_nativert_filter_fixate_caps (GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps, GstCaps *other)
{
  GstNativertFilter *self = GST_NATIVERT_FILTER (trans);
  other = gst_caps_truncate (gst_caps_make_writable (other));
  if (direction == GST_PAD_SINK && gst_caps_get_size (other) > 0
      && gst_structure_has_name (gst_caps_get_structure (other, 0), GST_NATIVERT_TENSORS_NAME))
    other = fixate_tensors (self, caps, other);
  return gst_caps_is_empty (other) ? other : gst_caps_fixate (other);
}

gboolean
gst_nativert_filter_set_caps (GstBaseTransform *trans, GstCaps *in, GstCaps *out)
{
  GstNativertFilter *self = GST_NATIVERT_FILTER (trans);
  g_autoptr (GError) error = NULL;
  g_clear_pointer (&self->input, gst_nativert_input_free);
  if (!gst_video_info_from_caps (&self->info, in)) {
    g_autofree char *got = gst_caps_to_string (in);
    GST_ELEMENT_ERROR (self, CORE, NEGOTIATION, ("Pad sink: expected raw video, got %s", got), (NULL));
    return FALSE;
  }
  self->gives_tensors = gst_structure_has_name (gst_caps_get_structure (out, 0), GST_NATIVERT_TENSORS_NAME);
  g_autoptr (GstNativertInput) input = gst_nativert_input_new (&self->port, &self->settings, &self->info, &error);
  if (input && self->settings.resize == GST_NATIVERT_RESIZE_NONE
      && (input->width != GST_VIDEO_INFO_WIDTH (&self->info) || input->height != GST_VIDEO_INFO_HEIGHT (&self->info))) {
    GST_ELEMENT_ERROR (self, CORE, NEGOTIATION,
        ("Pad sink: expected %d x %d pixels, got %d x %d; put videoscale before, or set resize", input->width,
            input->height, GST_VIDEO_INFO_WIDTH (&self->info), GST_VIDEO_INFO_HEIGHT (&self->info)),
        (NULL));
    return FALSE;
  }
  if (!input || !gst_nativert_filter_plan (self, input->width, input->height, &error)) {
    gst_nativert_post_error (GST_ELEMENT (self), error, "The model does not take this video", NULL);
    return FALSE;
  }
  self->input = g_steal_pointer (&input);
  GST_OBJECT_LOCK (self);
  self->mismatch_posted = FALSE;
  GST_OBJECT_UNLOCK (self);
  return TRUE;
}
