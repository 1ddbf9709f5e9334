/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Start and stop: opens the model, settles how pictures go in, and exchanges weights while playing. */
#include "errors.h"
#include "filter.h"

#define GST_CAT_DEFAULT gst_nativert_debug
#define SETTINGS_FILE "nativert.json"

void
gst_nativert_tensors_free (NativertTensor **tensors, guint n)
{
  for (guint i = 0; i < n; i++)
    nativert_tensor_unref (tensors[i]);
  g_free (tensors);
}

NativertRunner *
gst_nativert_filter_ref_runner (GstNativertFilter *self)
{
  GST_OBJECT_LOCK (self);
  NativertRunner *runner = self->runner ? g_object_ref (self->runner) : NULL;
  GST_OBJECT_UNLOCK (self);
  return runner;
}

static void
forget_plan (GstNativertFilter *self)
{
  gst_nativert_tensors_free (g_steal_pointer (&self->planned), self->n_planned);
  self->n_planned = 0;
  self->planned_width = self->planned_height = 0;
}

gboolean
gst_nativert_filter_plan (GstNativertFilter *self, gint width, gint height, GError **error)
{
  if (self->planned && self->planned_width == width && self->planned_height == height)
    return TRUE;
  forget_plan (self);
  g_autoptr (NativertTensor) tensor = gst_nativert_port_new_tensor (&self->port, width, height);
  if (!tensor) {
    g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_LIMIT, "no memory for a %d x %d picture", width, height);
    return FALSE;
  }
  if (!nativert_runner_prepare (self->runner, &tensor, 1, error))
    return FALSE;
  const gint64 start = g_get_monotonic_time ();
  if (!nativert_runner_run_tensors (self->runner, &tensor, 1, &self->planned, &self->n_planned, error))
    return FALSE;
  const gint64 took = g_get_monotonic_time () - start;
  nativert_runner_reset_state (self->runner);
  self->planned_width = width;
  self->planned_height = height;
  GST_OBJECT_LOCK (self);
  self->stats.smooth_us = self->stats.announced_us = (gdouble) took;
  GST_OBJECT_UNLOCK (self);
  GST_DEBUG_OBJECT (self, "planned for %d x %d; the first run took %" G_GINT64_FORMAT " us", width, height, took);
  return TRUE;
}

static void
weights_done (gpointer user_data, const char *path, NativertWeights *weights, const GError *error)
{
  GstNativertFilter *self = user_data;
  const guint64 version = nativert_runner_get_weights_version (self->runner);
  GST_OBJECT_LOCK (self);
  if (weights) {
    self->stats.reloads++;
    g_free (self->active_weights);
    self->active_weights = g_strdup (path);
  } else {
    self->stats.reload_failures++;
  }
  GST_OBJECT_UNLOCK (self);
  GstStructure *s = gst_structure_new (weights ? "nativert-reloaded" : "nativert-reload-failed", "file", G_TYPE_STRING,
      path, "version", G_TYPE_UINT64, version, NULL);
  if (error)
    gst_structure_set (s, "error", G_TYPE_STRING, error->message, NULL);
  if (error)
    gst_nativert_post_warning (GST_ELEMENT (self), error, "The old weights stay", path);
  gst_element_post_message (GST_ELEMENT (self), gst_message_new_element (GST_OBJECT (self), s));
  if (weights)
    g_signal_emit (self, gst_nativert_filter_signals[GST_NATIVERT_SIGNAL_RELOADED], 0, path, version);
  else
    g_signal_emit (self, gst_nativert_filter_signals[GST_NATIVERT_SIGNAL_RELOAD_FAILED], 0, path, error);
}

void
gst_nativert_filter_request_weights (GstNativertFilter *self)
{
  GST_OBJECT_LOCK (self);
  if (self->reload)
    gst_nativert_reload_request (self->reload, self->weights_path ? self->weights_path : self->model_path);
  GST_OBJECT_UNLOCK (self);
}

static gboolean
check_ports (GstNativertFilter *self, GError **error)
{
  const guint n_inputs = nativert_model_get_n_inputs (self->model),
              n_outputs = nativert_model_get_n_outputs (self->model);
  if (n_inputs != 1) {
    g_set_error (
        error, NATIVERT_ERROR, NATIVERT_ERROR_MISMATCH, "the model has %u inputs, expected 1: a picture", n_inputs);
    return FALSE;
  }
  self->names = g_new (GQuark, n_outputs);
  for (guint i = 0; i < n_outputs; i++) {
    const NativertPort *port = nativert_model_get_output (self->model, i);
    if (port->kind != NATIVERT_VALUE_TENSOR) {
      g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_MISMATCH, "output %u (\"%s\") of the model is no tensor", i,
          port->name);
      return FALSE;
    }
    self->names[i] = g_quark_from_string (port->name ? port->name : "");
  }
  return gst_nativert_port_parse (&self->port, nativert_model_get_input (self->model, 0), self->settings.layout, error);
}

static gboolean
settle (GstNativertFilter *self, GError **error)
{
  g_autoptr (GBytes) json = nativert_model_dup_extra_file (self->model, SETTINGS_FILE);
  GST_OBJECT_LOCK (self);
  self->settings = self->given;
  GST_OBJECT_UNLOCK (self);
  if (json && !gst_nativert_settings_apply_json (&self->settings, json, error))
    return FALSE;
  return check_ports (self, error);
}

static gboolean
open_model (GstNativertFilter *self, const char *path, const char *name, guint threads)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *prefix = g_strdup_printf ("Cannot use the model %s", path);
  g_autoptr (NativertModel) model = nativert_model_load (path, name, NATIVERT_LOAD_DEFAULT, NULL, &error);
  if (model) {
    NativertRunner *runner = nativert_runner_new (model, threads);
    GST_OBJECT_LOCK (self);
    self->model = g_steal_pointer (&model);
    self->runner = runner;
    GST_OBJECT_UNLOCK (self);
    if (settle (self, &error))
      return TRUE;
  }
  gst_nativert_post_error (GST_ELEMENT (self), error, prefix, path);
  return FALSE;
}

static gboolean
use_weights (GstNativertFilter *self, const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NativertWeights) weights = nativert_weights_load (self->model, path, NULL, &error);
  if (weights && nativert_runner_set_weights (self->runner, weights, &error))
    return TRUE;
  g_autofree char *prefix = g_strdup_printf ("Cannot use the weights %s", path);
  gst_nativert_post_error (GST_ELEMENT (self), error, prefix, path);
  return FALSE;
}

static gboolean
check_properties (GstNativertFilter *self, const char *path, const char *device)
{
  if (!path || !*path) {
    GST_ELEMENT_ERROR (self, RESOURCE, NOT_FOUND, ("No model: set the property \"model\" to a .pt2 file"), (NULL));
    return FALSE;
  }
  if (g_strcmp0 (device, "cpu") != 0) {
    GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS, ("There is no device \"%s\"; there is \"cpu\"", device), (NULL));
    return FALSE;
  }
  return TRUE;
}

gboolean
gst_nativert_filter_start (GstBaseTransform *trans)
{
  GstNativertFilter *self = GST_NATIVERT_FILTER (trans);
  GST_OBJECT_LOCK (self);
  g_autofree char *path = g_strdup (self->model_path), *name = g_strdup (self->model_name),
                  *weights = g_strdup (self->weights_path);
  g_autofree char *device = g_strdup (self->device);
  const guint threads = self->threads, parallel_ops = self->parallel_ops;
  self->stats = (GstNativertStats) { 0 };
  self->earliest = GST_CLOCK_TIME_NONE;
  self->mismatch_posted = FALSE;
  GST_OBJECT_UNLOCK (self);
  self->until_run = 0;
  gst_nativert_metas_register ();
  if (!check_properties (self, path, device) || !open_model (self, path, name, threads)
      || (weights && !use_weights (self, weights))) {
    gst_nativert_filter_stop (trans);
    return FALSE;
  }
  if (parallel_ops > 1)
    GST_WARNING_OBJECT (self, "parallel-ops: nodes run one after another in this version");
  GstCaps *sink_caps = gst_nativert_filter_make_sink_caps (self);
  GstNativertReload *reload = gst_nativert_reload_new (self->runner, weights_done, self);
  GST_OBJECT_LOCK (self);
  self->sink_caps = sink_caps;
  self->reload = reload;
  self->active_weights = g_strdup (weights ? weights : path);
  const gboolean others = g_strcmp0 (self->weights_path, weights) != 0; /* set while these were being read */
  GST_OBJECT_UNLOCK (self);
  if (others)
    gst_nativert_filter_request_weights (self);
  return TRUE;
}

gboolean
gst_nativert_filter_stop (GstBaseTransform *trans)
{
  GstNativertFilter *self = GST_NATIVERT_FILTER (trans);
  GST_OBJECT_LOCK (self);
  GstNativertReload *reload = g_steal_pointer (&self->reload);
  GST_OBJECT_UNLOCK (self);
  g_clear_pointer (&reload, gst_nativert_reload_free);
  forget_plan (self);
  g_clear_pointer (&self->input, gst_nativert_input_free);
  g_clear_pointer (&self->names, g_free);
  GST_OBJECT_LOCK (self);
  GstCaps *sink_caps = g_steal_pointer (&self->sink_caps);
  NativertRunner *runner = g_steal_pointer (&self->runner);
  NativertModel *model = g_steal_pointer (&self->model);
  g_clear_pointer (&self->active_weights, g_free);
  GST_OBJECT_UNLOCK (self);
  gst_clear_caps (&sink_caps);
  g_clear_object (&runner);
  g_clear_object (&model);
  return TRUE;
}
