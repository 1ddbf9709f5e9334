/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* nativert info: what an archive holds, what its model takes and gives, what it weighs, and which kernels would run.
 * Works for models that cannot run, and says why. */
#include "info.h"

#include <string.h>

static void
info_clear (Info *info)
{
  g_clear_pointer (&info->package, nativert_package_unref);
  g_clear_pointer (&info->raw, nativert_core_unref);
  g_clear_pointer (&info->plan, nativert_plan_unref);
  g_clear_pointer (&info->ops, g_array_unref);
  g_free (info->problem);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Info, info_clear)

static bool
want_nothing (const char *fqn, gpointer user_data)
{
  return false;
}

static bool
sum_weights (Info *info, GError **error)
{
  g_autoptr (NativertWeightSet) set
      = nativert_package_load_weights (info->package, info->raw->name, false, want_nothing, NULL, NULL, error);

  if (set == NULL)
    return false;
  for (uint32_t i = 0; i < nativert_weight_set_n (set); i++) {
    const NativertWeightDesc *desc = nativert_weight_set_get (set, i);
    uint64_t numel = 1;
    if (desc->dtype < 0)
      continue;
    for (uint32_t k = 0; k < desc->n_dims; k++)
      numel *= (uint64_t) desc->sizes[k];
    info->weights.n++;
    info->weights.n_bytes += numel * nativert_dtype_get_size ((NativertDtype) desc->dtype);
  }
  return true;
}

static void
row_clear (gpointer data)
{
  OpRow *row = data;

  if (row->kernels != NULL)
    g_string_free (row->kernels, TRUE);
}

static void
count_ops (Info *info)
{
  info->ops = g_array_new (FALSE, TRUE, sizeof (OpRow));
  g_array_set_clear_func (info->ops, row_clear);
  for (const NativertNode *node = info->raw->graph->first; node != NULL; node = node->next)
    info_find_row (info->ops, node->target)->count++;
  g_array_sort (info->ops, info_by_count);
}

static void
plan_it (Info *info, const char *path, Options *options)
{
  g_auto (Loaded) loaded = {0};
  g_auto (Inputs) inputs = {0};
  g_autoptr (NativertValue) sample = NULL;
  g_autoptr (GError) error = NULL;

  if (loaded_open (&loaded, path, options, NATIVERT_LOAD_GRAPH_ONLY, &error)) {
    sample = nativert_model_dup_sample_inputs (loaded.model, NULL);
    info->has_sample = sample != NULL;
    if (inputs_gather_any (&inputs, &loaded, options, &error))
      info->plan = nativert_runner_dup_plan (loaded.runner, inputs.args, inputs.kwargs, &error);
  }
  if (error != NULL)
    info->problem = g_strdup (error->message);
}

static bool
collect (Info *info, const char *path, Options *options, GError **error)
{
  info->package = nativert_package_open (path, NULL, error);
  if (info->package == NULL)
    return false;
  info->raw = nativert_core_load (path, options->model, NATIVERT_LOAD_RAW, NULL, error);
  if (info->raw == NULL || !sum_weights (info, error))
    return false;
  count_ops (info);
  plan_it (info, path, options);
  return true;
}

int
command_info (int argc, char **argv)
{
  g_auto (Options) options = { .parallel_ops = 1 };
  g_auto (Info) info = {0};
  g_autoptr (GError) error = NULL;
  char **files;
  int status = options_parse (&options, argc, argv, "MODEL",
      "Describes MODEL: inputs, outputs, weights, operators, kernels.", WANT_JSON | WANT_MODEL, NULL, 1, &files);

  if (status != EXIT_DONE)
    return status;
  if (!collect (&info, files[0], &options, &error))
    return command_failed (files[0], error);
  if (options.json)
    info_print_json (&info);
  else
    info_print_text (&info);
  return EXIT_DONE;
}
