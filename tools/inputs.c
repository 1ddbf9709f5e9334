/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the inputs of `run` and `bench` come from: files and scalars by name, the archive's sample inputs, or chance.
 */
#include "command.h"
#include "package/tensor-files.h"

#include <errno.h>
#include <string.h>

static void
leaf_free (gpointer leaf)
{
  if (leaf != NULL)
    nativert_value_unref (leaf);
}

void
inputs_clear (Inputs *inputs)
{
  g_clear_pointer (&inputs->leaves, g_ptr_array_unref);
  g_clear_pointer (&inputs->args, nativert_value_unref);
  g_clear_pointer (&inputs->kwargs, nativert_value_unref);
}

static bool
fail (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);

static bool
fail (GError **error, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error_literal (error, NATIVERT_ERROR, NATIVERT_ERROR_INVALID_INPUT, text);
  return false;
}

static void
start (Inputs *inputs, const NativertCore *core)
{
  inputs->leaves = g_ptr_array_new_with_free_func (leaf_free);
  g_ptr_array_set_size (inputs->leaves, (int) core->n_inputs);
}

/* By name, or by number. */
static int
find_port (const NativertCore *core, const char *name)
{
  guint64 number;
  char *end;

  for (uint32_t i = 0; i < core->n_inputs; i++)
    if (strcmp (core->inputs[i].name, name) == 0)
      return (int) i;
  number = g_ascii_strtoull (name, &end, 10);
  if (g_ascii_isdigit (name[0]) && *end == '\0' && number < core->n_inputs)
    return (int) number;
  return -1;
}

/* Takes value. */
static bool
set_leaf (Inputs *inputs, const NativertCore *core, int port, NativertValue *value, GError **error)
{
  if (inputs->leaves->pdata[port] != NULL) {
    nativert_value_unref (value);
    return fail (error, "input %s is given twice", core->inputs[port].name);
  }
  inputs->leaves->pdata[port] = value;
  return true;
}

static NativertValue *
parse_scalar (const NativertPort *port, const char *text, GError **error)
{
  char *end = NULL;
  gint64 integer;
  double number;

  switch (port->kind) {
    case NATIVERT_VALUE_INT:
      errno = 0;
      integer = g_ascii_strtoll (text, &end, 10);
      if (*text != '\0' && *end == '\0' && errno == 0)
        return nativert_value_new_int (integer);
      break;
    case NATIVERT_VALUE_FLOAT:
      number = g_ascii_strtod (text, &end);
      if (*text != '\0' && *end == '\0')
        return nativert_value_new_float (number);
      break;
    case NATIVERT_VALUE_BOOL:
      if (g_ascii_strcasecmp (text, "true") == 0 || g_ascii_strcasecmp (text, "false") == 0)
        return nativert_value_new_bool (g_ascii_strcasecmp (text, "true") == 0);
      break;
    case NATIVERT_VALUE_STRING:
      return nativert_value_new_string (text);
    default:
      return nativert_value_new_none ();
  }
  fail (error, "input %s: \"%s\" is not %s", port->name, text,
      port->kind == NATIVERT_VALUE_INT ? "an int" : port->kind == NATIVERT_VALUE_FLOAT ? "a float" : "true or false");
  return NULL;
}

/* The next tensor port that has nothing yet. */
static int
next_port (const Inputs *inputs, const NativertCore *core)
{
  for (uint32_t i = 0; i < core->n_inputs; i++)
    if (inputs->leaves->pdata[i] == NULL && core->inputs[i].kind == NATIVERT_VALUE_TENSOR)
      return (int) i;
  return -1;
}

static bool
set_children (Inputs *inputs, const NativertCore *core, NativertValue *value, const char *path, GError **error)
{
  for (guint i = 0; i < nativert_value_get_length (value); i++) {
    NativertValue *child = nativert_value_get_child (value, i);
    const char *key = nativert_value_get_key (value, i);
    int port;
    if (nativert_value_get_length (child) > 0) {         /* (args, kwargs) of torch.save, and nested lists */
      if (!set_children (inputs, core, child, path, error))
        return false;
      continue;
    }
    if (key == NULL && nativert_value_get_kind (child) != NATIVERT_VALUE_TENSOR)
      continue;
    port = key == NULL ? next_port (inputs, core) : find_port (core, g_str_has_prefix (key, "arr_") ? key + 4 : key);
    if (port < 0)
      return fail (error, "%s: the model has no input %s", path, key != NULL ? key : "for all of its tensors");
    if (!set_leaf (inputs, core, port, nativert_value_ref (child), error))
      return false;
  }
  return true;
}

static bool
read_file (Inputs *inputs, const NativertCore *core, int port, const char *path, GError **error)
{
  g_autoptr (NativertValue) value = nativert_tensor_file_load (path, error);
  NativertValue *only;

  if (value == NULL)
    return false;
  only = nativert_value_get_length (value) == 1 ? nativert_value_get_child (value, 0) : value;
  if (port < 0 && nativert_value_get_kind (value) != NATIVERT_VALUE_TENSOR)
    return set_children (inputs, core, value, path, error);
  if (nativert_value_get_kind (only) != NATIVERT_VALUE_TENSOR)
    return fail (error, "%s: holds %u values, input %s takes one tensor", path, nativert_value_get_length (value),
        core->inputs[port].name);
  if (port < 0)
    port = next_port (inputs, core);
  if (port < 0)
    return fail (error, "%s: all inputs are given already", path);
  return set_leaf (inputs, core, port, nativert_value_ref (only), error);
}

static bool
read_one (Inputs *inputs, const NativertCore *core, const char *text, GError **error)
{
  const char *equals = strchr (text, '=');
  g_autofree char *name = equals != NULL ? g_strndup (text, (gsize) (equals - text)) : NULL;
  NativertValue *value;
  int port = name != NULL ? find_port (core, name) : -1;

  if (port < 0 && name != NULL && !g_file_test (text, G_FILE_TEST_EXISTS))
    return fail (error, "the model has no input %s", name);
  if (port < 0)
    return read_file (inputs, core, -1, text, error);
  if (core->inputs[port].kind == NATIVERT_VALUE_TENSOR)
    return read_file (inputs, core, port, equals + 1, error);
  value = parse_scalar (&core->inputs[port], equals + 1, error);
  return value != NULL && set_leaf (inputs, core, port, value, error);
}

bool
inputs_read (Inputs *inputs, const NativertCore *core, char **texts, GError **error)
{
  start (inputs, core);
  for (char **text = texts; text != NULL && *text != NULL; text++)
    if (!read_one (inputs, core, *text, error))
      return false;
  return true;
}

/* What the exporter froze needs not be given. */
static NativertValue *
frozen_value (const NativertCore *core, uint32_t port)
{
  const NativertGraphInput *input = &core->graph->inputs[core->input_numbers[port]];

  if (input->value != NULL)
    return NULL;
  switch (core->inputs[port].kind) {
    case NATIVERT_VALUE_INT: return nativert_value_new_int (input->constant.u.i);
    case NATIVERT_VALUE_FLOAT: return nativert_value_new_float (input->constant.u.f);
    case NATIVERT_VALUE_BOOL: return nativert_value_new_bool (input->constant.u.i != 0);
    case NATIVERT_VALUE_STRING: return nativert_value_new_string (input->constant.u.s);
    default: return nativert_value_new_none ();
  }
}

bool
inputs_build_call (Inputs *inputs, const NativertCore *core, GError **error)
{
  g_autofree NativertValue **leaves = g_new0 (NativertValue *, core->n_inputs + 1);
  g_autoptr (NativertValue) call = NULL;

  for (uint32_t i = 0; i < core->n_inputs; i++) {
    if (inputs->leaves->pdata[i] == NULL)
      inputs->leaves->pdata[i] = frozen_value (core, i);
    if (inputs->leaves->pdata[i] == NULL)
      return fail (error, "input %s is not given", core->inputs[i].name);
  }
  for (uint32_t i = 0; i < core->n_inputs; i++)
    leaves[i] = nativert_value_ref (inputs->leaves->pdata[i]);
  if (core->in_spec == NULL) {
    inputs->args = nativert_value_new_tuple ();
    for (uint32_t i = 0; i < core->n_inputs; i++)
      nativert_value_append (inputs->args, leaves[i]);
    return true;
  }
  call = nativert_tree_spec_unflatten (core->in_spec, leaves, core->n_inputs, error);
  if (call == NULL)
    return false;
  if (nativert_value_get_length (call) != 2)
    return fail (error, "in_spec is no pair of args and kwargs");
  inputs->args = nativert_value_ref (nativert_value_get_child (call, 0));
  inputs->kwargs = nativert_value_ref (nativert_value_get_child (call, 1));
  return true;
}

static bool
use_sample (Inputs *inputs, const Loaded *loaded, NativertValue *sample, GError **error)
{
  g_autoptr (GPtrArray) leaves = NULL;

  if (nativert_value_get_length (sample) != 2)
    return fail (error, "the sample inputs are no pair of args and kwargs");
  inputs->args = nativert_value_ref (nativert_value_get_child (sample, 0));
  inputs->kwargs = nativert_value_ref (nativert_value_get_child (sample, 1));
  leaves = nativert_core_flatten (loaded->core, inputs->args, inputs->kwargs, error);
  if (leaves == NULL)
    return false;
  inputs->leaves = g_ptr_array_new_with_free_func (leaf_free);
  for (guint i = 0; i < leaves->len; i++)
    g_ptr_array_add (
        inputs->leaves, leaves->pdata[i] != NULL ? nativert_value_ref (leaves->pdata[i]) : nativert_value_new_none ());
  return true;
}

static bool
gather (Inputs *inputs, const Loaded *loaded, const Options *options, bool random_if_none, GError **error)
{
  g_autoptr (NativertValue) sample = NULL;
  g_autoptr (GError) problem = NULL;

  if (options->inputs != NULL)
    return inputs_read (inputs, loaded->core, options->inputs, error)
        && inputs_build_call (inputs, loaded->core, error);
  if (!options->random) {
    sample = nativert_model_dup_sample_inputs (loaded->model, &problem);
    if (sample != NULL)
      return use_sample (inputs, loaded, sample, error);
    if (problem != NULL && !random_if_none) {
      g_propagate_error (error, g_steal_pointer (&problem));
      return false;
    }
    if (!random_if_none && loaded->core->n_inputs > 0)
      return fail (error, "the archive has no sample inputs: give --input or --random");
  }
  return inputs_make_random (inputs, loaded->core, options->seed, options->sizes, error)
      && inputs_build_call (inputs, loaded->core, error);
}

bool
inputs_gather (Inputs *inputs, const Loaded *loaded, const Options *options, GError **error)
{
  return gather (inputs, loaded, options, false, error);
}

bool
inputs_gather_any (Inputs *inputs, const Loaded *loaded, const Options *options, GError **error)
{
  return gather (inputs, loaded, options, true, error);
}
