/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ports: the flattened inputs and outputs as a person and an element read them: names, element types, ranges of sizes.
 */
#include "model/core.h"

#include <string.h>

static const NativertRange *
find_range (const NativertProgram *program, const NativertExpr *expr)
{
  g_autofree char *infix = nativert_expr_to_infix (expr);

  for (uint32_t i = 0; i < program->n_ranges; i++) {
    g_autofree char *key = NULL;
    if (program->ranges[i].expr == expr || strcmp (program->ranges[i].name, infix) == 0)
      return &program->ranges[i];
    if (program->ranges[i].expr == NULL)
      continue;
    key = nativert_expr_to_infix (program->ranges[i].expr);
    if (strcmp (key, infix) == 0)
      return &program->ranges[i];
  }
  return NULL;
}

/* The exporter specialises 0 and 1 and writes 2 as the smallest size of whatever is left; 1 runs as well. */
static int64_t
lower_bound (const NativertRange *range)
{
  if (!range->has_min || range->min < 0)
    return 0;
  return range->min == 2 ? 1 : range->min;
}

/* Value of expr with every symbol at its lower (or upper) bound; -1 when a bound is missing or it cannot be said. */
static int64_t
at_bounds (const NativertProgram *program, const NativertExpr *expr, bool upper)
{
  uint32_t n = nativert_expr_table_n_symbols (program->exprs);
  g_autofree int64_t *values = g_new0 (int64_t, n + 1);
  g_autofree bool *known = g_new0 (bool, n + 1);
  NativertNum result;

  for (uint32_t i = 0; i < program->n_ranges; i++) {
    const NativertRange *range = &program->ranges[i];
    int32_t symbol = nativert_expr_table_find_symbol (program->exprs, range->name);
    if (symbol < 0 || (upper && !range->has_max))
      continue;
    values[symbol] = upper ? range->max : lower_bound (range);
    known[symbol] = true;
  }
  if (!nativert_expr_eval (expr, values, known, &result) || result.kind != NATIVERT_NUM_INT)
    return -1;
  return result.u.i;
}

static NativertDim
describe_dim (NativertCore *core, const NativertSymInt *size)
{
  const NativertProgram *program = core->graph->program;
  g_autofree char *text = NULL;
  const NativertRange *range;
  NativertDim dim = { size->value, size->value, NULL };

  if (size->expr == NULL)
    return dim;
  range = find_range (program, size->expr);
  if (range != NULL) {
    dim.min = lower_bound (range);
    dim.max = range->has_max ? range->max : -1;
  } else {
    dim.min = MAX (at_bounds (program, size->expr, false), 0);
    dim.max = at_bounds (program, size->expr, true);
  }
  text = nativert_expr_to_infix (size->expr);
  dim.symbol = nativert_region_strdup (core->region, text);
  return dim;
}

static void
describe_tensor (NativertCore *core, const NativertTensorMetaDesc *meta, NativertPort *port)
{
  NativertDim *dims;

  port->kind = NATIVERT_VALUE_TENSOR;
  if (meta == NULL)
    return;
  dims = nativert_region_new_n (core->region, NativertDim, meta->n_dims);
  port->dtype = meta->dtype < 0 ? NATIVERT_DTYPE_FLOAT32 : (NativertDtype) meta->dtype;
  port->n_dims = meta->n_dims;
  port->dims = dims;
  for (uint32_t i = 0; i < meta->n_dims; i++)
    dims[i] = describe_dim (core, &meta->sizes[i]);
}

static void
describe_value (NativertCore *core, const NativertGraphValue *value, NativertPort *port)
{
  switch (value->type) {
    case NATIVERT_GV_TENSOR: describe_tensor (core, value->meta, port); break;
    case NATIVERT_GV_SYM_INT: port->kind = NATIVERT_VALUE_INT; break;
    case NATIVERT_GV_SYM_FLOAT: port->kind = NATIVERT_VALUE_FLOAT; break;
    case NATIVERT_GV_SYM_BOOL: port->kind = NATIVERT_VALUE_BOOL; break;
    default: port->kind = NATIVERT_VALUE_NONE;
  }
}

static void
describe_arg (NativertCore *core, const NativertGraphArg *arg, NativertPort *port)
{
  switch (arg->kind) {
    case NATIVERT_GA_VALUE: describe_value (core, arg->u.value, port); break;
    case NATIVERT_GA_INT: port->kind = NATIVERT_VALUE_INT; break;
    case NATIVERT_GA_FLOAT: port->kind = NATIVERT_VALUE_FLOAT; break;
    case NATIVERT_GA_BOOL: port->kind = NATIVERT_VALUE_BOOL; break;
    case NATIVERT_GA_STRING: port->kind = NATIVERT_VALUE_STRING; break;
    default: port->kind = NATIVERT_VALUE_NONE;
  }
}

/* "0.1.boxes" (second argument's key) -> "y.boxes"; "1.mask" -> "mask". */
static const char *
input_name (NativertCore *core, uint32_t index, const NativertGraphInput *input)
{
  const NativertProgram *program = core->graph->program;
  g_autofree char *path = NULL, *name = NULL;
  guint64 position;
  char *end;

  if (core->in_spec != NULL && index < nativert_tree_spec_n_leaves (core->in_spec))
    path = nativert_tree_spec_leaf_path (core->in_spec, index);
  if (path != NULL && g_str_has_prefix (path, "1.") && path[2] != '\0')
    return nativert_region_strdup (core->region, path + 2);
  if (path != NULL && g_str_has_prefix (path, "0.")) {
    position = g_ascii_strtoull (path + 2, &end, 10);
    if (end != path + 2 && (*end == '\0' || *end == '.') && position < program->n_forward_arg_names) {
      name = g_strconcat (program->forward_arg_names[position], end, NULL);
      return nativert_region_strdup (core->region, name);
    }
  }
  if (input->value != NULL)
    return nativert_region_strdup (core->region, input->value->name);
  return nativert_region_strdup (core->region, input->target != NULL ? input->target : "");
}

static const char *
output_name (NativertCore *core, uint32_t index)
{
  g_autofree char *path = NULL;

  if (core->out_spec != NULL && index < nativert_tree_spec_n_leaves (core->out_spec))
    path = nativert_tree_spec_leaf_path (core->out_spec, index);
  if (path == NULL || path[0] == '\0') {
    g_free (path);
    path = g_strdup_printf ("%u", index);
  }
  return nativert_region_strdup (core->region, path);
}

static void
describe_inputs (NativertCore *core)
{
  const NativertGraph *graph = core->graph;

  core->inputs = nativert_region_new_n (core->region, NativertPort, graph->n_inputs);
  core->input_numbers = nativert_region_new_n (core->region, uint32_t, graph->n_inputs);
  for (uint32_t i = 0; i < graph->n_inputs; i++) {
    const NativertGraphInput *in = &graph->inputs[i];
    NativertPort *port = &core->inputs[core->n_inputs];
    if (in->kind != NATIVERT_IN_USER && in->kind != NATIVERT_IN_CONSTANT)
      continue;
    port->name = input_name (core, core->n_inputs, in);
    if (in->value != NULL)
      describe_value (core, in->value, port);
    else
      describe_arg (core, &in->constant, port);
    core->input_numbers[core->n_inputs++] = i;
  }
}

static void
describe_outputs (NativertCore *core)
{
  const NativertGraph *graph = core->graph;

  core->outputs = nativert_region_new_n (core->region, NativertPort, graph->n_outputs);
  core->output_numbers = nativert_region_new_n (core->region, uint32_t, graph->n_outputs);
  for (uint32_t i = 0; i < graph->n_outputs; i++) {
    NativertPort *port = &core->outputs[core->n_outputs];
    if (graph->outputs[i].kind != NATIVERT_OUT_USER && graph->outputs[i].kind != NATIVERT_OUT_LOSS)
      continue;
    port->name = output_name (core, core->n_outputs);
    describe_arg (core, &graph->outputs[i].arg, port);
    core->output_numbers[core->n_outputs++] = i;
  }
}

bool
nativert_core_describe (NativertCore *core, GError **error)
{
  describe_inputs (core);
  describe_outputs (core);
  if (core->in_spec != NULL && nativert_tree_spec_n_leaves (core->in_spec) != core->n_inputs) {
    g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_MISMATCH, "%s: in_spec has %u leaves, the graph has %u inputs",
        core->path, nativert_tree_spec_n_leaves (core->in_spec), core->n_inputs);
    return false;
  }
  if (core->out_spec != NULL && nativert_tree_spec_n_leaves (core->out_spec) != core->n_outputs) {
    g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_MISMATCH, "%s: out_spec has %u leaves, the graph has %u outputs",
        core->path, nativert_tree_spec_n_leaves (core->out_spec), core->n_outputs);
    return false;
  }
  return true;
}

static void
append_dim (GString *text, const NativertDim *dim)
{
  if (dim->symbol == NULL) {
    g_string_append_printf (text, "%" G_GINT64_FORMAT, dim->min);
    return;
  }
  g_string_append_printf (text, "%s %" G_GINT64_FORMAT "..", dim->symbol, dim->min);
  if (dim->max >= 0 && dim->max < G_MAXINT64)
    g_string_append_printf (text, "%" G_GINT64_FORMAT, dim->max);
}

char *
nativert_port_to_text (const NativertPort *port)
{
  static const char *const kinds[] = {"None", "tensor", "int", "float", "bool", "str", "list", "tuple", "dict"};
  GString *text;

  if (port->kind != NATIVERT_VALUE_TENSOR)
    return g_strdup (kinds[port->kind]);
  text = g_string_new (nativert_dtype_get_name (port->dtype));
  g_string_append_c (text, '[');
  for (guint i = 0; i < port->n_dims; i++) {
    if (i > 0)
      g_string_append (text, ", ");
    append_dim (text, &port->dims[i]);
  }
  g_string_append_c (text, ']');
  return g_string_free (text, FALSE);
}
