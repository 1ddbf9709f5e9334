/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The properties of nativertfilter. */
#include "filter.h"

enum {
  PROP_0,
  PROP_MODEL,
  PROP_MODEL_NAME,
  PROP_WEIGHTS,
  PROP_ACTIVE_WEIGHTS,
  PROP_WEIGHTS_VERSION,
  PROP_DEVICE,
  PROP_THREADS,
  PROP_PARALLEL_OPS,
  PROP_RESIZE,
  PROP_SCALE_METHOD,
  PROP_CHANNEL_ORDER,
  PROP_INPUT_LAYOUT,
  PROP_SCALE,
  PROP_MEAN,
  PROP_STD,
  PROP_PAD_VALUE,
  PROP_INTERVAL,
  PROP_OUTPUT_MODE,
  PROP_ON_LATE,
  PROP_STATS,
  PROP_MODEL_INFO
};

static GType
output_mode_get_type (void)
{
  static GType type;
  static const GEnumValue values[] = {
    { GST_NATIVERT_OUTPUT_AUTO, "What downstream takes; metadata when it takes both", "auto" },
    { GST_NATIVERT_OUTPUT_META, "The frame, with tensor metadata", "meta" },
    { GST_NATIVERT_OUTPUT_TENSORS, "Tensors instead of the frame", "tensors" },
    { 0, NULL, NULL }
  };
  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstNativertOutputMode", values));
  return type;
}

static GType
on_late_get_type (void)
{
  static GType type;
  static const GEnumValue values[] = {
    { GST_NATIVERT_LATE_SKIP, "The frame flows on without inference", "skip-inference" },
    { GST_NATIVERT_LATE_DROP, "The frame is dropped", "drop" },
    { GST_NATIVERT_LATE_WAIT, "Every frame is run, however late", "wait" },
    { 0, NULL, NULL }
  };
  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstNativertOnLate", values));
  return type;
}

static void
set_path (char **path, const GValue *value)
{
  g_free (*path);
  *path = g_value_dup_string (value);
  if (*path && !**path)
    g_clear_pointer (path, g_free);
}

static void
set_numbers (GstNativertFilter *self, GstNativertPerChannel *numbers, const GValue *value, guint given)
{
  if (gst_nativert_per_channel_set (numbers, value))
    self->given.given |= given;
  else
    g_warning ("nativertfilter: mean and std take at most three numbers, such as \"<0.485,0.456,0.406>\"");
}

/* How pictures go in: TRUE when it was one of these. */
static gboolean
set_picture_property (GstNativertFilter *self, guint id, const GValue *value)
{
  GstNativertSettings *s = &self->given;
  switch (id) {
    case PROP_RESIZE:
      s->resize = g_value_get_enum (value);
      s->given |= GST_NATIVERT_GIVEN_RESIZE;
      return TRUE;
    case PROP_SCALE_METHOD:
      s->scale_method = g_value_get_enum (value);
      s->given |= GST_NATIVERT_GIVEN_SCALE_METHOD;
      return TRUE;
    case PROP_CHANNEL_ORDER:
      s->order = g_value_get_enum (value);
      s->given |= GST_NATIVERT_GIVEN_ORDER;
      return TRUE;
    case PROP_INPUT_LAYOUT:
      s->layout = g_value_get_enum (value);
      s->given |= GST_NATIVERT_GIVEN_LAYOUT;
      return TRUE;
    case PROP_SCALE:
      s->scale = g_value_get_double (value);
      s->given |= GST_NATIVERT_GIVEN_SCALE;
      return TRUE;
    case PROP_MEAN:
      set_numbers (self, &s->mean, value, GST_NATIVERT_GIVEN_MEAN);
      return TRUE;
    case PROP_STD:
      set_numbers (self, &s->std, value, GST_NATIVERT_GIVEN_STD);
      return TRUE;
    case PROP_PAD_VALUE:
      s->pad = g_value_get_uint (value);
      s->given |= GST_NATIVERT_GIVEN_PAD;
      return TRUE;
    default:
      return FALSE;
  }
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstNativertFilter *self = GST_NATIVERT_FILTER (object);
  GST_OBJECT_LOCK (self);
  gboolean known = set_picture_property (self, id, value);
  if (!known) {
    known = TRUE;
    switch (id) {
      case PROP_MODEL:
        set_path (&self->model_path, value);
        break;
      case PROP_MODEL_NAME:
        set_path (&self->model_name, value);
        break;
      case PROP_WEIGHTS:
        set_path (&self->weights_path, value);
        break;
      case PROP_DEVICE:
        set_path (&self->device, value);
        break;
      case PROP_THREADS:
        self->threads = g_value_get_uint (value);
        break;
      case PROP_PARALLEL_OPS:
        self->parallel_ops = g_value_get_uint (value);
        break;
      case PROP_INTERVAL:
        self->interval = g_value_get_uint (value);
        break;
      case PROP_OUTPUT_MODE:
        self->output_mode = g_value_get_enum (value);
        break;
      case PROP_ON_LATE:
        self->on_late = g_value_get_enum (value);
        break;
      default:
        known = FALSE;
    }
  }
  GST_OBJECT_UNLOCK (self);
  if (!known)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  if (id == PROP_WEIGHTS)
    gst_nativert_filter_request_weights (self);
  if (id == PROP_OUTPUT_MODE)
    gst_base_transform_reconfigure_src (GST_BASE_TRANSFORM (self));
}

static void
append_port (GValue *array, const NativertPort *port)
{
  GValue value = G_VALUE_INIT;
  g_autofree char *text = gst_nativert_port_to_text (port);
  g_value_init (&value, GST_TYPE_STRUCTURE);
  g_value_take_boxed (&value, gst_structure_new ("tensor", "name", G_TYPE_STRING, port->name, "tensor", G_TYPE_STRING, text,
      "dtype", G_TYPE_STRING, nativert_dtype_get_name (port->dtype), "rank", G_TYPE_UINT, port->n_dims, NULL));
  gst_value_array_append_and_take_value (array, &value);
}

static GstStructure *
model_info (NativertModel *model)
{
  GstStructure *info = gst_structure_new ("nativertfilter-model-info", "file", G_TYPE_STRING, nativert_model_get_path (model),
      "name", G_TYPE_STRING, nativert_model_get_name (model), NULL);
  GValue inputs = G_VALUE_INIT, outputs = G_VALUE_INIT;
  g_value_init (&inputs, GST_TYPE_ARRAY);
  g_value_init (&outputs, GST_TYPE_ARRAY);
  for (guint i = 0; i < nativert_model_get_n_inputs (model); i++)
    append_port (&inputs, nativert_model_get_input (model, i));
  for (guint i = 0; i < nativert_model_get_n_outputs (model); i++)
    append_port (&outputs, nativert_model_get_output (model, i));
  gst_structure_take_value (info, "inputs", &inputs);
  gst_structure_take_value (info, "outputs", &outputs);
  return info;
}

/* What start made and stop ends: a reference is taken, so that no lock is held while it is asked. */
static void
get_running_property (GstNativertFilter *self, guint id, GValue *value)
{
  GST_OBJECT_LOCK (self);
  g_autoptr (NativertRunner) runner = self->runner ? g_object_ref (self->runner) : NULL;
  GST_OBJECT_UNLOCK (self);
  const guint64 version = runner ? nativert_runner_get_weights_version (runner) : 0;
  if (id == PROP_WEIGHTS_VERSION) {
    g_value_set_uint64 (value, version);
  } else if (id == PROP_MODEL_INFO) {
    g_value_take_boxed (value, runner ? model_info (nativert_runner_get_model (runner)) : NULL);
  } else {
    GST_OBJECT_LOCK (self);
    const GstNativertStats stats = self->stats;
    GST_OBJECT_UNLOCK (self);
    g_value_take_boxed (value, gst_nativert_stats_to_structure (&stats, version));
  }
}

static gboolean
get_picture_property (GstNativertFilter *self, guint id, GValue *value)
{
  const GstNativertSettings *s = &self->given;
  switch (id) {
    case PROP_RESIZE:
      g_value_set_enum (value, (gint) s->resize);
      return TRUE;
    case PROP_SCALE_METHOD:
      g_value_set_enum (value, (gint) s->scale_method);
      return TRUE;
    case PROP_CHANNEL_ORDER:
      g_value_set_enum (value, (gint) s->order);
      return TRUE;
    case PROP_INPUT_LAYOUT:
      g_value_set_enum (value, (gint) s->layout);
      return TRUE;
    case PROP_SCALE:
      g_value_set_double (value, s->scale);
      return TRUE;
    case PROP_MEAN:
      gst_nativert_per_channel_get (&s->mean, value);
      return TRUE;
    case PROP_STD:
      gst_nativert_per_channel_get (&s->std, value);
      return TRUE;
    case PROP_PAD_VALUE:
      g_value_set_uint (value, s->pad);
      return TRUE;
    default:
      return FALSE;
  }
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstNativertFilter *self = GST_NATIVERT_FILTER (object);
  if (id == PROP_STATS || id == PROP_WEIGHTS_VERSION || id == PROP_MODEL_INFO) {
    get_running_property (self, id, value);
    return;
  }
  GST_OBJECT_LOCK (self);
  gboolean known = get_picture_property (self, id, value);
  if (!known) {
    known = TRUE;
    switch (id) {
      case PROP_MODEL:
        g_value_set_string (value, self->model_path);
        break;
      case PROP_MODEL_NAME:
        g_value_set_string (value, self->model_name);
        break;
      case PROP_WEIGHTS:
        g_value_set_string (value, self->weights_path);
        break;
      case PROP_ACTIVE_WEIGHTS:
        g_value_set_string (value, self->active_weights);
        break;
      case PROP_DEVICE:
        g_value_set_string (value, self->device);
        break;
      case PROP_THREADS:
        g_value_set_uint (value, self->threads);
        break;
      case PROP_PARALLEL_OPS:
        g_value_set_uint (value, self->parallel_ops);
        break;
      case PROP_INTERVAL:
        g_value_set_uint (value, self->interval);
        break;
      case PROP_OUTPUT_MODE:
        g_value_set_enum (value, (gint) self->output_mode);
        break;
      case PROP_ON_LATE:
        g_value_set_enum (value, (gint) self->on_late);
        break;
      default:
        known = FALSE;
    }
  }
  GST_OBJECT_UNLOCK (self);
  if (!known)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
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
  g_object_class_install_property (klass, PROP_MODEL, g_param_spec_string ("model", "Model",
      "The .pt2 file to run", NULL, READY));
  g_object_class_install_property (klass, PROP_MODEL_NAME, g_param_spec_string ("model-name", "Model name",
      "Which model of the archive, when it holds several", NULL, READY));
  /**
   * GstNativertFilter:weights:
   *
   * Weights for the model: a .pt2 (full or weights-only) or a .safetensors file.  Set while playing, they are read and checked in the
   * background and exchanged between frames; the newest of several requests wins; setting the same path again reads it again.
   * When they do not fit, the old ones stay, and a warning and the message "nativert-reload-failed" say why.
   */
  g_object_class_install_property (klass, PROP_WEIGHTS, g_param_spec_string ("weights", "Weights",
      "Other weights for the model: .pt2 or .safetensors; exchanged between frames when set while playing", NULL, PLAYING));
  g_object_class_install_property (klass, PROP_ACTIVE_WEIGHTS, g_param_spec_string ("active-weights", "Active weights",
      "The file whose weights are in use", NULL, READ_ONLY));
  g_object_class_install_property (klass, PROP_WEIGHTS_VERSION, g_param_spec_uint64 ("weights-version", "Weights version",
      "A number that grows with every exchange of weights; 0 when stopped", 0, G_MAXUINT64, 0, READ_ONLY));
  g_object_class_install_property (klass, PROP_DEVICE, g_param_spec_string ("device", "Device",
      "Where the model runs", "cpu", READY));
  g_object_class_install_property (klass, PROP_THREADS, g_param_spec_uint ("threads", "Threads",
      "Threads that one run may use; 0 = all that the process may", 0, 4096, 0, READY));
  g_object_class_install_property (klass, PROP_PARALLEL_OPS, g_param_spec_uint ("parallel-ops", "Parallel operators",
      "Nodes of the graph that may run at the same time", 1, 4096, 1, READY));
  g_object_class_install_property (klass, PROP_MODEL_INFO, g_param_spec_boxed ("model-info", "Model info",
      "The model's inputs and outputs with their ranges", GST_TYPE_STRUCTURE, READ_ONLY));
}

static void
install_picture_properties (GObjectClass *klass)
{
  g_object_class_install_property (klass, PROP_RESIZE, g_param_spec_enum ("resize", "Resize",
      "How a frame of another size becomes the model's input", gst_nativert_resize_get_type (), GST_NATIVERT_RESIZE_STRETCH, READY));
  g_object_class_install_property (klass, PROP_SCALE_METHOD, g_param_spec_enum ("scale-method", "Scale method",
      "How pixels between pixels are made", gst_nativert_scale_method_get_type (), GST_NATIVERT_SCALE_BILINEAR, READY));
  g_object_class_install_property (klass, PROP_CHANNEL_ORDER, g_param_spec_enum ("channel-order", "Channel order",
      "Order of colours in the model's input; one channel is brightness", gst_nativert_channel_order_get_type (),
      GST_NATIVERT_ORDER_RGB, READY));
  g_object_class_install_property (klass, PROP_INPUT_LAYOUT, g_param_spec_enum ("input-layout", "Input layout",
      "Where channels are among the input's dimensions", gst_nativert_layout_get_type (), GST_NATIVERT_LAYOUT_AUTO, READY));
  /**
   * GstNativertFilter:scale:
   *
   * value = (pixel * scale - mean) / std, pixels being 0 to 255.  For a uint8 input the default is 1.
   */
  g_object_class_install_property (klass, PROP_SCALE, g_param_spec_double ("scale", "Scale",
      "value = (pixel * scale - mean) / std; default 1/255, or 1 for a uint8 input", -G_MAXFLOAT, G_MAXFLOAT, 1 / 255., READY));
  g_object_class_install_property (klass, PROP_MEAN, gst_param_spec_array ("mean", "Mean",
      "Taken off every scaled pixel: one number or one per channel, such as \"<0.485,0.456,0.406>\"",
      g_param_spec_double ("mean-of-channel", "Mean", "Of one channel", -G_MAXDOUBLE, G_MAXDOUBLE, 0, READY), READY));
  g_object_class_install_property (klass, PROP_STD, gst_param_spec_array ("std", "Standard deviation",
      "Divides after mean is taken off: one number or one per channel",
      g_param_spec_double ("std-of-channel", "Standard deviation", "Of one channel", -G_MAXDOUBLE, G_MAXDOUBLE, 1, READY), READY));
  g_object_class_install_property (klass, PROP_PAD_VALUE, g_param_spec_uint ("pad-value", "Pad value",
      "Pixel value of the bars around a letterboxed frame", 0, 255, 114, READY));
}

void
gst_nativert_filter_install_properties (GObjectClass *klass)
{
  klass->set_property = set_property;
  klass->get_property = get_property;
  install_model_properties (klass);
  install_picture_properties (klass);
  g_object_class_install_property (klass, PROP_INTERVAL, g_param_spec_uint ("interval", "Interval",
      "Frames let through without inference between two runs", 0, G_MAXUINT, 0, PLAYING));
  g_object_class_install_property (klass, PROP_OUTPUT_MODE, g_param_spec_enum ("output-mode", "Output mode",
      "Frames with tensor metadata, or tensors", output_mode_get_type (), GST_NATIVERT_OUTPUT_AUTO, READY));
  /**
   * GstNativertFilter:on-late:
   *
   * What becomes of a frame that is too late already, as downstream tells; only with qos=true.
   */
  g_object_class_install_property (klass, PROP_ON_LATE, g_param_spec_enum ("on-late", "On late",
      "What becomes of a frame that is late (with qos=true)", on_late_get_type (), GST_NATIVERT_LATE_SKIP, PLAYING));
  g_object_class_install_property (klass, PROP_STATS, g_param_spec_boxed ("stats", "Statistics",
      "frames, inferred, skipped, dropped, mean-us, p50-us, p99-us, preprocess-mean-us, run-mean-us, reloads, reload-failures, "
      "weights-version", GST_TYPE_STRUCTURE, READ_ONLY));
  gst_type_mark_as_plugin_api (gst_nativert_resize_get_type (), 0);
  gst_type_mark_as_plugin_api (gst_nativert_scale_method_get_type (), 0);
  gst_type_mark_as_plugin_api (gst_nativert_channel_order_get_type (), 0);
  gst_type_mark_as_plugin_api (gst_nativert_layout_get_type (), 0);
  gst_type_mark_as_plugin_api (output_mode_get_type (), 0);
  gst_type_mark_as_plugin_api (on_late_get_type (), 0);
}
