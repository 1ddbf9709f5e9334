/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sets and gets the properties of nativertfilter. */
#include "filter-properties.h"

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

void
gst_nativert_filter_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
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
  g_value_take_boxed (&value,
      gst_structure_new ("tensor", "name", G_TYPE_STRING, port->name, "tensor", G_TYPE_STRING, text, "dtype",
          G_TYPE_STRING, nativert_dtype_get_name (port->dtype), "rank", G_TYPE_UINT, port->n_dims, NULL));
  gst_value_array_append_and_take_value (array, &value);
}

static GstStructure *
model_info (NativertModel *model)
{
  GstStructure *info = gst_structure_new ("nativertfilter-model-info", "file", G_TYPE_STRING,
      nativert_model_get_path (model), "name", G_TYPE_STRING, nativert_model_get_name (model), NULL);
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
  g_autoptr (NativertRunner) runner = gst_nativert_filter_ref_runner (self);
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

void
gst_nativert_filter_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
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
