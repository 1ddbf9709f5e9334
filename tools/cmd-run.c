/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* nativert run: one run, its outputs described, and written to a file if asked. */
#include "command.h"
#include "package/tensor-files.h"

#include <stdio.h>

static const char *const kind_names[] = {"none", "tensor", "int", "float", "bool", "str", "list", "tuple", "dict"};

/* The tensors among the leaves under their numbers, and what the run changed. */
static bool
write_file (const char *path, GPtrArray *leaves, NativertValue *changed, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) tensors = g_ptr_array_new ();

  for (guint i = 0; i < leaves->len; i++) {
    if (nativert_value_get_kind (leaves->pdata[i]) != NATIVERT_VALUE_TENSOR)
      continue;
    g_ptr_array_add (names, g_strdup_printf ("%u", i));
    g_ptr_array_add (tensors, nativert_value_get_tensor (leaves->pdata[i]));
  }
  for (guint i = 0; i < nativert_value_get_length (changed); i++) {
    g_ptr_array_add (names, g_strdup (nativert_value_get_key (changed, i)));
    g_ptr_array_add (tensors, nativert_value_get_tensor (nativert_value_get_child (changed, i)));
  }
  return nativert_tensor_file_save (
      path, (const char *const *) names->pdata, (NativertTensor *const *) tensors->pdata, names->len, error);
}

static void
flatten_results (NativertValue *value, GPtrArray *leaves)
{
  NativertValueKind kind = nativert_value_get_kind (value);

  if (kind != NATIVERT_VALUE_LIST && kind != NATIVERT_VALUE_TUPLE && kind != NATIVERT_VALUE_DICT) {
    g_ptr_array_add (leaves, value);
    return;
  }
  for (guint i = 0; i < nativert_value_get_length (value); i++)
    flatten_results (nativert_value_get_child (value, i), leaves);
}

static void
add_tensor (JsonBuilder *b, NativertTensor *tensor, const char *key)
{
  double min, mean, max;

  json_builder_set_member_name (b, "dtype");
  json_builder_add_string_value (b, nativert_dtype_get_name (nativert_tensor_get_dtype (tensor)));
  json_builder_set_member_name (b, "shape");
  json_builder_begin_array (b);
  for (guint i = 0; i < nativert_tensor_get_n_dims (tensor); i++)
    json_builder_add_int_value (b, nativert_tensor_get_size (tensor, (gint) i));
  json_builder_end_array (b);
  json_builder_set_member_name (b, "key");
  json_builder_add_string_value (b, key);
  if (!tensor_stats (tensor, &min, &mean, &max))
    return;
  json_builder_set_member_name (b, "min");
  json_add_number (b, min);
  json_builder_set_member_name (b, "mean");
  json_add_number (b, mean);
  json_builder_set_member_name (b, "max");
  json_add_number (b, max);
}

static void
add_scalar (JsonBuilder *b, NativertValue *value)
{
  NativertValueKind kind = nativert_value_get_kind (value);

  json_builder_set_member_name (b, "value");
  if (kind == NATIVERT_VALUE_INT)
    json_builder_add_int_value (b, nativert_value_get_int (value));
  else if (kind == NATIVERT_VALUE_FLOAT)
    json_add_number (b, nativert_value_get_float (value));
  else if (kind == NATIVERT_VALUE_BOOL)
    json_builder_add_boolean_value (b, nativert_value_get_bool (value));
  else if (kind == NATIVERT_VALUE_STRING)
    json_builder_add_string_value (b, nativert_value_get_string (value));
  else
    json_builder_add_null_value (b);
  json_builder_set_member_name (b, "type");
  json_builder_add_string_value (b, kind_names[kind]);
}

static void
print_json (GPtrArray *leaves)
{
  g_autoptr (JsonBuilder) b = json_builder_new ();

  json_builder_begin_array (b);
  for (guint i = 0; i < leaves->len; i++) {
    g_autofree char *key = g_strdup_printf ("%u", i);
    json_builder_begin_object (b);
    if (nativert_value_get_kind (leaves->pdata[i]) == NATIVERT_VALUE_TENSOR)
      add_tensor (b, nativert_value_get_tensor (leaves->pdata[i]), key);
    else
      add_scalar (b, leaves->pdata[i]);
    json_builder_end_object (b);
  }
  json_builder_end_array (b);
  json_print (b);
}

static void
print_line (const char *name, NativertValue *value)
{
  NativertTensor *tensor = nativert_value_get_tensor (value);
  double min, mean, max;

  if (tensor != NULL) {
    g_autofree char *shape = tensor_shape_text (tensor);
    printf ("%s: %s", name, shape);
    if (tensor_stats (tensor, &min, &mean, &max))
      printf ("  min %.6g  mean %.6g  max %.6g", min, mean, max);
    printf ("\n");
    return;
  }
  switch (nativert_value_get_kind (value)) {
    case NATIVERT_VALUE_INT: printf ("%s: int %" G_GINT64_FORMAT "\n", name, nativert_value_get_int (value)); break;
    case NATIVERT_VALUE_FLOAT: printf ("%s: float %.17g\n", name, nativert_value_get_float (value)); break;
    case NATIVERT_VALUE_BOOL: printf ("%s: bool %s\n", name, nativert_value_get_bool (value) ? "true" : "false"); break;
    case NATIVERT_VALUE_STRING: printf ("%s: str \"%s\"\n", name, nativert_value_get_string (value)); break;
    default: printf ("%s: None\n", name);
  }
}

static bool
run_model (Loaded *loaded, const Options *options, const char *outputs, GError **error)
{
  g_auto (Inputs) inputs = {0};
  g_autoptr (NativertValue) changed = NULL;
  g_autoptr (NativertValue) results = NULL;
  g_autoptr (GPtrArray) leaves = g_ptr_array_new ();
  NativertRunProfile profile = {0};
  NanFound found = {0};

  if (!inputs_gather (&inputs, loaded, options, error))
    return false;
  if (options->profile != NULL)
    nativert_runner_set_profile (loaded->runner, &profile);
  if (options->debug_nan)
    nativert_runner_set_watch (loaded->runner, nan_watch, &found);
  results = nativert_runner_run_changed (loaded->runner, inputs.args, inputs.kwargs, &changed, error);
  nativert_runner_set_profile (loaded->runner, NULL);
  nan_report (&found);
  if (results != NULL && options->profile != NULL && !trace_write (&profile, options->profile, error))
    g_clear_pointer (&results, nativert_value_unref);
  nativert_run_profile_clear (&profile);
  if (results == NULL)
    return false;
  flatten_results (results, leaves);
  if (outputs != NULL && !write_file (outputs, leaves, changed, error))
    return false;
  if (options->json) {
    print_json (leaves);
    return true;
  }
  for (guint i = 0; i < leaves->len; i++)
    print_line (i < loaded->core->n_outputs ? loaded->core->outputs[i].name : "?", leaves->pdata[i]);
  for (guint i = 0; i < nativert_value_get_length (changed); i++)
    print_line (nativert_value_get_key (changed, i), nativert_value_get_child (changed, i));
  return true;
}

int
command_run (int argc, char **argv)
{
  g_auto (Options) options = { .parallel_ops = 1 };
  g_autofree char *outputs = NULL;
  g_auto (Loaded) loaded = {0};
  g_autoptr (GError) error = NULL;
  GOptionEntry own[] = { { "outputs", 0, 0, G_OPTION_ARG_FILENAME, &outputs,
                             "Write the outputs to a .safetensors or .npz file", "FILE" },
    { NULL } };
  char **files;
  int status = options_parse (&options, argc, argv, "MODEL", "Runs MODEL once and describes each output.",
      WANT_JSON | WANT_MODEL | WANT_INPUTS | WANT_EXECUTOR, own, 1, &files);

  if (status != EXIT_DONE)
    return status;
  if (!loaded_open (&loaded, files[0], &options, NATIVERT_LOAD_DEFAULT, &error)
      || !run_model (&loaded, &options, outputs, &error))
    return command_failed (files[0], error);
  return EXIT_DONE;
}
