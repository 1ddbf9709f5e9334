/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Says on the bus which pad could not agree, what it expected, what it got and what would help. */
#include "filter.h"

#define GST_CAT_DEFAULT gst_nativert_debug

static const char *
sink_advice (GstNativertFilter *self)
{
  if (self->settings.resize == GST_NATIVERT_RESIZE_NONE)
    return "put \"videoconvert ! videoscale\" before it, or set resize=stretch";
  return "put \"videoconvert\" before it";
}

static char *
peer_caps_text (GstNativertFilter *self)
{
  g_autoptr (GstCaps) caps = gst_pad_peer_query_caps (GST_BASE_TRANSFORM_SRC_PAD (self), NULL);
  return gst_caps_to_string (caps);
}

void
gst_nativert_filter_explain_mismatch (GstNativertFilter *self, const GstCaps *got)
{
  GST_OBJECT_LOCK (self);
  g_autoptr (GstCaps) expected = self->sink_caps ? gst_caps_ref (self->sink_caps) : NULL;
  const gboolean again = self->mismatch_posted;
  self->mismatch_posted = TRUE;
  GST_OBJECT_UNLOCK (self);
  if (!expected || again)
    return;
  /* Of what upstream can do, what we could ever take is enough to say. */
  g_autoptr (GstCaps) all = gst_pad_get_pad_template_caps (GST_BASE_TRANSFORM_SINK_PAD (self));
  g_autoptr (GstCaps) known = gst_caps_intersect_full (all, (GstCaps *) got, GST_CAPS_INTERSECT_FIRST);
  g_autofree char *got_text = gst_caps_to_string (gst_caps_is_empty (known) ? got : known);
  char *text, *debug;
  if (!gst_caps_can_intersect (got, expected)) {
    g_autofree char *expected_text = gst_caps_to_string (expected);
    text = g_strdup_printf ("Pad sink: expected %s, got %s; %s", expected_text, got_text, sink_advice (self));
    debug = g_strdup ("the model and the resize property decide what the pad takes");
  } else {
    g_autofree char *expected_text = peer_caps_text (self);
    g_autoptr (GstCaps) given
        = gst_nativert_filter_transform_caps (GST_BASE_TRANSFORM (self), GST_PAD_SINK, known, NULL);
    g_autofree char *given_text = gst_caps_to_string (given);
    text = g_strdup_printf (
        "Pad src: downstream expects %s, got %s; put \"videoconvert ! videoscale\" behind it, or set output-mode",
        expected_text, given_text);
    debug = g_strdup ("the frame flows on as it came, or the model's tensors instead of it");
  }
  gst_element_message_full (GST_ELEMENT (self), GST_MESSAGE_ERROR, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, text,
      debug, __FILE__, G_STRFUNC, __LINE__);
}
