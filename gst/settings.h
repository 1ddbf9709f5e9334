/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How pictures become a model's input: what properties and the archive's nativert.json say.  Plain data. */
#pragma once
#include <gst/gst.h>

G_BEGIN_DECLS

typedef enum {
  GST_NATIVERT_RESIZE_NONE,
  GST_NATIVERT_RESIZE_STRETCH,
  GST_NATIVERT_RESIZE_LETTERBOX,
  GST_NATIVERT_RESIZE_CROP
} GstNativertResize;

typedef enum { GST_NATIVERT_SCALE_NEAREST, GST_NATIVERT_SCALE_BILINEAR } GstNativertScaleMethod;
typedef enum { GST_NATIVERT_ORDER_RGB, GST_NATIVERT_ORDER_BGR, GST_NATIVERT_ORDER_GRAY } GstNativertChannelOrder;
typedef enum { GST_NATIVERT_LAYOUT_AUTO, GST_NATIVERT_LAYOUT_NCHW, GST_NATIVERT_LAYOUT_NHWC } GstNativertLayout;

/* Which settings the user gave: the archive's own apply to the others. */
enum {
  GST_NATIVERT_GIVEN_RESIZE = 1 << 0,
  GST_NATIVERT_GIVEN_SCALE_METHOD = 1 << 1,
  GST_NATIVERT_GIVEN_ORDER = 1 << 2,
  GST_NATIVERT_GIVEN_LAYOUT = 1 << 3,
  GST_NATIVERT_GIVEN_SCALE = 1 << 4,
  GST_NATIVERT_GIVEN_MEAN = 1 << 5,
  GST_NATIVERT_GIVEN_STD = 1 << 6,
  GST_NATIVERT_GIVEN_PAD = 1 << 7
};

/* One number for all channels, or one per channel; none when n is 0. */
typedef struct { guint n; gdouble value[3]; } GstNativertPerChannel;

typedef struct {
  GstNativertResize resize;
  GstNativertScaleMethod scale_method;
  GstNativertChannelOrder order;
  GstNativertLayout layout;
  gdouble scale;
  GstNativertPerChannel mean, std;
  guint pad;                                    /* pixel value around a letterboxed picture */
  guint given;
} GstNativertSettings;

void gst_nativert_settings_init (GstNativertSettings *settings);
/* Applies a nativert.json to all that was not given.  Unknown keys are left to later versions. */
gboolean gst_nativert_settings_apply_json (GstNativertSettings *settings, GBytes *json, GError **error);

/* GstValueArray of numbers <-> per-channel numbers; FALSE when there are more than three or one is no number. */
gboolean gst_nativert_per_channel_set (GstNativertPerChannel *numbers, const GValue *array);
void gst_nativert_per_channel_get (const GstNativertPerChannel *numbers, GValue *array);

GType gst_nativert_resize_get_type (void);
GType gst_nativert_scale_method_get_type (void);
GType gst_nativert_channel_order_get_type (void);
GType gst_nativert_layout_get_type (void);
const char *gst_nativert_enum_nick (GType type, gint value);

G_END_DECLS
