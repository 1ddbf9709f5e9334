/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Describes the properties of nativertfilter. */
#include "filter-properties.h"

static GType
output_mode_get_type (void)
{
  static GType type;
  static const GEnumValue values[]
      = { { GST_NATIVERT_OUTPUT_AUTO, "What downstream takes; metadata when it takes both", "auto" },
          { GST_NATIVERT_OUTPUT_META, "The frame, with tensor metadata", "meta" },
          { GST_NATIVERT_OUTPUT_TENSORS, "Tensors instead of the frame", "tensors" }, { 0, NULL, NULL } };
  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstNativertOutputMode", values));
  return type;
}

static GType
on_late_get_type (void)
{
  static GType type;
  static const GEnumValue values[]
      = { { GST_NATIVERT_LATE_SKIP, "The frame flows on without inference", "skip-inference" },
          { GST_NATIVERT_LATE_DROP, "The frame is dropped", "drop" },
          { GST_NATIVERT_LATE_WAIT, "Every frame is run, however late", "wait" }, { 0, NULL, NULL } };
  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstNativertOnLate", values));
  return type;
}

#define READY (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY)
#define PLAYING (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING)
#define READ_ONLY (G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)

static void
install_model_properties (GObjectClass *klass)
{
  /**
   * GstNativertFilter:model:
   *
   * The .pt2 file, as torch.export.save writes it.  Taken when the element goes to PAUSED.
   */
  g_object_class_install_property (
      klass, PROP_MODEL, g_param_spec_string ("model", "Model", "The .pt2 file to run", NULL, READY));
  g_object_class_install_property (klass, PROP_MODEL_NAME,
      g_param_spec_string (
          "model-name", "Model name", "Which model of the archive, when it holds several", NULL, READY));
  /**
   * GstNativertFilter:weights:
   *
   * Weights for the model: a .pt2 (full or weights-only) or a .safetensors file.  Set while playing, they are read and
   * checked in the background and exchanged between frames; the newest of several requests wins; setting the same path
   * again reads it again.  When they do not fit, the old ones stay, and a warning and the message
   * "nativert-reload-failed" say why.
   */
  g_object_class_install_property (klass, PROP_WEIGHTS,
      g_param_spec_string ("weights", "Weights",
          "Other weights for the model: .pt2 or .safetensors; exchanged between frames when set while playing", NULL,
          PLAYING));
  g_object_class_install_property (klass, PROP_ACTIVE_WEIGHTS,
      g_param_spec_string ("active-weights", "Active weights", "The file whose weights are in use", NULL, READ_ONLY));
  g_object_class_install_property (klass, PROP_WEIGHTS_VERSION,
      g_param_spec_uint64 ("weights-version", "Weights version",
          "A number that grows with every exchange of weights; 0 when stopped", 0, G_MAXUINT64, 0, READ_ONLY));
  g_object_class_install_property (
      klass, PROP_DEVICE, g_param_spec_string ("device", "Device", "Where the model runs", "cpu", READY));
  g_object_class_install_property (klass, PROP_THREADS,
      g_param_spec_uint (
          "threads", "Threads", "Threads that one run may use; 0 = all that the process may", 0, 4096, 0, READY));
  g_object_class_install_property (klass, PROP_PARALLEL_OPS,
      g_param_spec_uint (
          "parallel-ops", "Parallel operators", "Nodes of the graph that may run at the same time", 1, 4096, 1, READY));
  g_object_class_install_property (klass, PROP_MODEL_INFO,
      g_param_spec_boxed ("model-info", "Model info", "The model's inputs and outputs with their ranges",
          GST_TYPE_STRUCTURE, READ_ONLY));
}

static void
install_picture_properties (GObjectClass *klass)
{
  g_object_class_install_property (klass, PROP_RESIZE,
      g_param_spec_enum ("resize", "Resize", "How a frame of another size becomes the model's input",
          gst_nativert_resize_get_type (), GST_NATIVERT_RESIZE_STRETCH, READY));
  g_object_class_install_property (klass, PROP_SCALE_METHOD,
      g_param_spec_enum ("scale-method", "Scale method", "How pixels between pixels are made",
          gst_nativert_scale_method_get_type (), GST_NATIVERT_SCALE_BILINEAR, READY));
  g_object_class_install_property (klass, PROP_CHANNEL_ORDER,
      g_param_spec_enum ("channel-order", "Channel order",
          "Order of colours in the model's input; one channel is brightness", gst_nativert_channel_order_get_type (),
          GST_NATIVERT_ORDER_RGB, READY));
  g_object_class_install_property (klass, PROP_INPUT_LAYOUT,
      g_param_spec_enum ("input-layout", "Input layout", "Where channels are among the input's dimensions",
          gst_nativert_layout_get_type (), GST_NATIVERT_LAYOUT_AUTO, READY));
  /**
   * GstNativertFilter:scale:
   *
   * value = (pixel * scale - mean) / std, pixels being 0 to 255.  For a uint8 input the default is 1.
   */
  g_object_class_install_property (klass, PROP_SCALE,
      g_param_spec_double ("scale", "Scale",
          "value = (pixel * scale - mean) / std; default 1/255, or 1 for a uint8 input", -G_MAXFLOAT, G_MAXFLOAT,
          1 / 255., READY));
  g_object_class_install_property (klass, PROP_MEAN,
      gst_param_spec_array ("mean", "Mean",
          "Taken off every scaled pixel: one number or one per channel, such as \"<0.485,0.456,0.406>\"",
          g_param_spec_double ("mean-of-channel", "Mean", "Of one channel", -G_MAXDOUBLE, G_MAXDOUBLE, 0, READY),
          READY));
  g_object_class_install_property (klass, PROP_STD,
      gst_param_spec_array ("std", "Standard deviation",
          "Divides after mean is taken off: one number or one per channel",
          g_param_spec_double (
              "std-of-channel", "Standard deviation", "Of one channel", -G_MAXDOUBLE, G_MAXDOUBLE, 1, READY),
          READY));
  g_object_class_install_property (klass, PROP_PAD_VALUE,
      g_param_spec_uint (
          "pad-value", "Pad value", "Pixel value of the bars around a letterboxed frame", 0, 255, 114, READY));
}

void
gst_nativert_filter_install_properties (GObjectClass *klass)
{
  klass->set_property = gst_nativert_filter_set_property;
  klass->get_property = gst_nativert_filter_get_property;
  install_model_properties (klass);
  install_picture_properties (klass);
  g_object_class_install_property (klass, PROP_INTERVAL,
      g_param_spec_uint (
          "interval", "Interval", "Frames let through without inference between two runs", 0, G_MAXUINT, 0, PLAYING));
  g_object_class_install_property (klass, PROP_OUTPUT_MODE,
      g_param_spec_enum ("output-mode", "Output mode", "Frames with tensor metadata, or tensors",
          output_mode_get_type (), GST_NATIVERT_OUTPUT_AUTO, READY));
  /**
   * GstNativertFilter:on-late:
   *
   * What becomes of a frame that is too late already, as downstream tells; only with qos=true.
   */
  g_object_class_install_property (klass, PROP_ON_LATE,
      g_param_spec_enum ("on-late", "On late", "What becomes of a frame that is late (with qos=true)",
          on_late_get_type (), GST_NATIVERT_LATE_SKIP, PLAYING));
  g_object_class_install_property (klass, PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics",
          "frames, inferred, skipped, dropped, mean-us, p50-us, p99-us, preprocess-mean-us, run-mean-us, reloads, "
          "reload-failures, weights-version",
          GST_TYPE_STRUCTURE, READ_ONLY));
  gst_type_mark_as_plugin_api (gst_nativert_resize_get_type (), 0);
  gst_type_mark_as_plugin_api (gst_nativert_scale_method_get_type (), 0);
  gst_type_mark_as_plugin_api (gst_nativert_channel_order_get_type (), 0);
  gst_type_mark_as_plugin_api (gst_nativert_layout_get_type (), 0);
  gst_type_mark_as_plugin_api (output_mode_get_type (), 0);
  gst_type_mark_as_plugin_api (on_late_get_type (), 0);
}
