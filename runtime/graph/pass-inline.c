/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Wrappers disappear: set_grad_enabled, autocast, invoke_subgraph, run_const_graph, and cond with a constant predicate.
 * Autocast bodies are written without the casts that autocast makes at run time; they are read off the metadata. */
#include <string.h>
#include "graph/dtypes.h"
#include "graph/meta.h"
#include "graph/passes.h"

/* ---- autocast ---- */

static bool
is_cast (const NativertNode *node)
{
  return nativert_target_is (node->target, "aten.to") || nativert_target_is (node->target, "aten._to_copy")
      || nativert_target_is (node->target, "aten.type_as") || nativert_target_is (node->target, "aten.copy_");
}

static NativertGraphValue *
cast_before (NativertNode *node, NativertGraphValue *value, int dtype)
{
  NativertNode *cast = nativert_graph_insert (node->graph, node, "torch.ops.aten._to_copy.default");
  static const char *const names[] = { "self", "dtype" };
  NativertGraphArg args[] = { NATIVERT_GRAPH_VALUE (value), { .kind = NATIVERT_GA_DTYPE, .u.i = dtype } };
  nativert_node_set_args (cast, names, args, 2);
  return nativert_node_add_output (
      cast, NULL, NATIVERT_GV_TENSOR, nativert_meta_with_dtype (node->graph->region, value->meta, dtype));
}

/* A floating result of another width than a floating argument: autocast cast the argument. */
static void
cast_arguments (NativertNode *node)
{
  const NativertGraphValue *result = node->n_outputs > 0 ? node->outputs[0] : NULL;
  if (!result || !result->meta || nativert_dtype_category (result->meta->dtype) != NATIVERT_CATEGORY_FLOAT
      || is_cast (node))
    return;
  int dtype = result->meta->dtype;
  for (uint32_t i = 0; i < node->n_args; i++)
    for (uint32_t k = 0, n = nativert_arg_n_slots (&node->args[i]); k < n; k++) {
      NativertGraphValue *value = *nativert_arg_slot (&node->args[i], k);
      if (!value || value->type != NATIVERT_GV_TENSOR || !value->meta || value->meta->dtype == dtype
          || nativert_dtype_category (value->meta->dtype) != NATIVERT_CATEGORY_FLOAT)
        continue;
      NativertGraphArg arg = node->args[i];
      NativertGraphValue *cast = cast_before (node, value, dtype);
      if (arg.kind == NATIVERT_GA_VALUES) {
        arg.u.values = nativert_region_memdup (node->graph->region, arg.u.values, arg.n * sizeof *arg.u.values);
        arg.u.values[k] = cast;
      } else {
        arg.u.value = cast;
      }
      nativert_node_set_arg (node, i, arg);
    }
}

static void
apply_autocast (const NativertNode *wrapper, NativertGraph *body)
{
  for (uint32_t i = 0; i < wrapper->n_args; i++)
    if (wrapper->args[i].kind == NATIVERT_GA_BOOL) {            /* the first bool is "enabled" */
      if (!wrapper->args[i].u.i)
        return;
      break;
    }
  for (NativertNode *node = body->first; node; node = node->next)
    cast_arguments (node);
}

/* ---- inlining ---- */

/* What the wrapper hands to its body, one by one. */
static GArray *
operands_of (const NativertNode *wrapper, uint32_t first)
{
  GArray *operands = g_array_new (FALSE, TRUE, sizeof (NativertGraphArg));
  for (uint32_t i = first; i < wrapper->n_args; i++) {
    const NativertGraphArg *arg = &wrapper->args[i];
    if (arg->kind == NATIVERT_GA_STRING)                        /* invoke_subgraph's name of the body */
      continue;
    if (arg->kind != NATIVERT_GA_VALUES) {
      g_array_append_val (operands, *arg);
      continue;
    }
    for (uint32_t k = 0; k < arg->n; k++) {
      NativertGraphArg one = NATIVERT_GRAPH_VALUE (arg->u.values[k]);
      g_array_append_val (operands, one);
    }
  }
  return operands;
}

static bool
replace_with_arg (NativertGraphValue *value, const NativertGraphArg *arg)
{
  if (arg->kind != NATIVERT_GA_VALUE)
    return nativert_value_replace_with_constant (value, arg);
  nativert_value_replace_uses (value, arg->u.value);
  return true;
}

/* The body's results, taken out of its use lists: from here on they are only known to this array. */
static NativertGraphArg *
detach_outputs (NativertGraph *body)
{
  NativertGraphArg *results = g_new0 (NativertGraphArg, body->n_outputs + 1);
  for (uint32_t i = 0; i < body->n_outputs; i++) {
    results[i] = body->outputs[i].arg;
    if (results[i].kind != NATIVERT_GA_VALUE)
      continue;
    NativertGraphValue *value = results[i].u.value;
    for (uint32_t k = 0; k < value->n_uses; k++)
      if (!value->uses[k].node && value->uses[k].arg == i) {
        memmove (&value->uses[k], &value->uses[k + 1], (value->n_uses - k - 1) * sizeof *value->uses);
        value->n_uses--;
        break;
      }
  }
  body->n_outputs = 0;
  return results;
}

static bool
bind_inputs (NativertGraph *body, GArray *operands, NativertGraphArg *results, uint32_t n_results)
{
  for (uint32_t i = 0; i < body->n_inputs; i++) {
    NativertGraphValue *value = body->inputs[i].value;
    const NativertGraphArg *operand = &g_array_index (operands, NativertGraphArg, i);
    for (uint32_t k = 0; value && k < n_results; k++)
      if (results[k].kind == NATIVERT_GA_VALUE && results[k].u.value == value)
        results[k] = *operand;
    if (value && !replace_with_arg (value, operand))
      return false;
  }
  return true;
}

static void
move_nodes (NativertGraph *graph, NativertGraph *body, NativertNode *before)
{
  for (NativertNode *node = body->first, *next; node; node = next) {
    next = node->next;
    nativert_graph_unlink (body, node);
    nativert_graph_link (graph, node, before);
    for (uint32_t i = 0; i < node->n_outputs; i++)
      nativert_graph_adopt_value (graph, node->outputs[i]);
  }
}

static bool
inline_body (NativertNode *wrapper, NativertGraph *body, uint32_t first_operand, GError **error)
{
  g_autoptr (GArray) operands = operands_of (wrapper, first_operand);
  uint32_t n_results = body->n_outputs;
  if (operands->len != body->n_inputs || (wrapper->n_returns != n_results && wrapper->n_outputs > 0)) {
    g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_FORMAT,
        "node %s: its subgraph %s takes %u values and gives %u, the node hands %u and takes %u", wrapper->name,
        body->name, body->n_inputs, n_results, operands->len, wrapper->n_returns);
    return false;
  }
  g_autofree NativertGraphArg *results = detach_outputs (body);
  bool ok = bind_inputs (body, operands, results, n_results);
  move_nodes (wrapper->graph, body, wrapper);
  for (uint32_t i = 0; ok && i < wrapper->n_returns && i < n_results; i++)
    if (!wrapper->returns[i].is_none && !wrapper->returns[i].is_list)
      ok = replace_with_arg (wrapper->outputs[wrapper->returns[i].first], &results[i]);
  if (!ok) {
    g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_UNSUPPORTED,
        "node %s: a constant is handed to a list of its subgraph %s", wrapper->name, body->name);
    return false;
  }
  return nativert_graph_remove (wrapper->graph, wrapper, error);
}

/* The position of the graph to inline, -1: none. */
static int
graph_arg (const NativertNode *node)
{
  NativertTargetKind kind = nativert_target_kind (node->target);
  if (g_str_equal (node->target, "torch.ops.higher_order.cond") && node->n_args >= 3
      && node->args[0].kind == NATIVERT_GA_BOOL)
    return node->args[0].u.i ? 1 : 2;
  for (uint32_t i = 0; kind == NATIVERT_TARGET_WRAPPER && i < node->n_args; i++)
    if (node->args[i].kind == NATIVERT_GA_GRAPH)
      return (int) i;
  return -1;
}

int
nativert_pass_inline (NativertGraph *graph, const NativertSchemas *schemas, GError **error)
{
  int n = 0;
  for (NativertNode *node = graph->first, *next; node; node = next) {
    int at = graph_arg (node);
    next = node->next;
    if (at < 0 || node->args[at].kind != NATIVERT_GA_GRAPH)
      continue;
    NativertGraph *body = node->args[at].u.graph;
    NativertNode *before = node->prev;
    if (nativert_target_is (node->target, "higher_order.wrap_with_autocast"))
      apply_autocast (node, body);
    uint32_t first = g_str_equal (node->target, "torch.ops.higher_order.cond") ? 3 : (uint32_t) at + 1;
    if (!inline_body (node, body, first, error))
      return -1;
    next = before ? before->next : graph->first;                /* bodies may hold wrappers */
    n++;
  }
  return n;
}
