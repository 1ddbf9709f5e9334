/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* nativert check: loads every model of every archive with all its weights, and runs those that carry inputs. */
#include "command.h"
#include "package/package.h"

#include <stdio.h>

typedef struct { bool as_json; bool any_failed; JsonBuilder *json; } Report;

static void
report (Report *to, const char *path, const char *model, const char *what, const GError *error)
{
  to->any_failed = to->any_failed || error != NULL;
  if (error != NULL)
    command_failed (path, error);
  if (!to->as_json) {
    if (error == NULL)
      printf ("%s: ok: %s%s%s\n", path, model != NULL ? model : "", model != NULL ? ": " : "", what);
    return;
  }
  json_builder_begin_object (to->json);
  json_builder_set_member_name (to->json, "file");
  json_builder_add_string_value (to->json, path);
  json_builder_set_member_name (to->json, "model");
  if (model != NULL)
    json_builder_add_string_value (to->json, model);
  else
    json_builder_add_null_value (to->json);
  json_builder_set_member_name (to->json, "ok");
  json_builder_add_boolean_value (to->json, error == NULL);
  json_builder_set_member_name (to->json, error == NULL ? "what" : "error");
  json_builder_add_string_value (to->json, error == NULL ? what : error->message);
  json_builder_end_object (to->json);
}

static char *
check_model (const char *path, const char *name, GError **error)
{
  g_auto (Options) options = { .model = g_strdup (name), .threads = 1 };
  g_auto (Loaded) loaded = {0};
  g_auto (Inputs) inputs = {0};
  g_autoptr (NativertValue) sample = NULL;
  g_autoptr (NativertValue) results = NULL;
  g_autoptr (GError) problem = NULL;
  uint32_t n_nodes;

  if (!loaded_open (&loaded, path, &options, NATIVERT_LOAD_DEFAULT, error))
    return NULL;
  n_nodes = loaded.core->graph->n_nodes;
  sample = nativert_model_dup_sample_inputs (loaded.model, &problem);
  if (problem != NULL) {
    g_propagate_error (error, g_steal_pointer (&problem));
    return NULL;
  }
  if (sample == NULL && loaded.core->n_inputs > 0)
    return g_strdup_printf ("%u nodes, not run (no sample inputs)", n_nodes);
  if (!inputs_gather (&inputs, &loaded, &options, error))
    return NULL;
  results = nativert_runner_run (loaded.runner, inputs.args, inputs.kwargs, error);
  return results != NULL ? g_strdup_printf ("%u nodes, ran", n_nodes) : NULL;
}

/* An archive without models may still hold weights or extra files. */
static char *
check_records (NativertPackage *package, GError **error)
{
  for (uint32_t i = 0; i < nativert_package_n_records (package); i++) {
    g_autoptr (GBytes) bytes = nativert_package_read_record (package, nativert_package_record_name (package, i), error);
    if (bytes == NULL)
      return NULL;
  }
  return g_strdup_printf ("%u records, no model", nativert_package_n_records (package));
}

static void
check_file (Report *to, const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NativertPackage) package = nativert_package_open (path, NULL, &error);

  if (package == NULL) {
    report (to, path, NULL, NULL, error);
    return;
  }
  if (nativert_package_n_models (package) == 0) {
    g_autofree char *what = check_records (package, &error);
    report (to, path, NULL, what, error);
    return;
  }
  for (uint32_t i = 0; i < nativert_package_n_models (package); i++) {
    const char *name = nativert_package_model_name (package, i);
    g_autoptr (GError) why = NULL;
    g_autofree char *what = check_model (path, name, &why);
    report (to, path, name, what, why);
  }
}

int
command_check (int argc, char **argv)
{
  g_auto (Options) options = { .parallel_ops = 1 };
  g_autoptr (JsonBuilder) json = json_builder_new ();
  Report to = { .json = json };
  char **files;
  int status = options_parse (&options, argc, argv, "FILE...",
      "Validates archives: format, schema, signature, weights, every operator; runs those with sample inputs.",
      WANT_JSON, NULL, -1, &files);

  if (status != EXIT_DONE)
    return status;
  to.as_json = options.json;
  json_builder_begin_array (json);
  for (char **file = files; *file != NULL; file++)
    check_file (&to, *file);
  json_builder_end_array (json);
  if (options.json)
    json_print (json);
  return to.any_failed ? EXIT_FAILED : EXIT_DONE;
}
