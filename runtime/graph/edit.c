/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The functions that change a graph.  Use lists are kept exact by every one of them; lint proves it. */
#include <string.h>
#include "graph/private.h"

void
nativert_value_add_use (NativertGraph *graph, NativertGraphValue *value, NativertNode *node, uint32_t arg)
{
  if (value->n_uses == value->max_uses) {
    /* The old array stays in the region: doubling bounds the waste. */
    uint32_t max = value->max_uses ? value->max_uses * 2 : 2;
    NativertUse *uses = nativert_region_new_n (graph->region, NativertUse, max);
    if (value->n_uses)
      memcpy (uses, value->uses, value->n_uses * sizeof *uses);
    value->uses = uses;
    value->max_uses = max;
  }
  value->uses[value->n_uses++] = (NativertUse) { node, arg };
}

static void
remove_use (NativertGraphValue *value, const NativertNode *node, uint32_t arg)
{
  for (uint32_t i = 0; i < value->n_uses; i++) {
    if (value->uses[i].node != node || value->uses[i].arg != arg)
      continue;
    memmove (&value->uses[i], &value->uses[i + 1], (value->n_uses - i - 1) * sizeof *value->uses);
    value->n_uses--;
    return;
  }
  g_return_if_reached ();
}

static void
enter_uses (NativertNode *node, uint32_t index)
{
  const NativertGraphArg *arg = &node->args[index];
  for (uint32_t k = 0, n = nativert_arg_n_slots (arg); k < n; k++) {
    NativertGraphValue *value = *nativert_arg_slot (arg, k);
    if (value)
      nativert_value_add_use (node->graph, value, node, index);
  }
}

static void
leave_uses (NativertNode *node, uint32_t index)
{
  const NativertGraphArg *arg = &node->args[index];
  for (uint32_t k = 0, n = nativert_arg_n_slots (arg); k < n; k++) {
    NativertGraphValue *value = *nativert_arg_slot (arg, k);
    if (value)
      remove_use (value, node, index);
  }
}

static size_t
element_size (const NativertGraphArg *arg)
{
  switch (arg->kind) {
  case NATIVERT_GA_VALUES:
    return sizeof (NativertGraphValue *);
  case NATIVERT_GA_INTS:
    return sizeof (int64_t);
  case NATIVERT_GA_FLOATS:
    return sizeof (double);
  case NATIVERT_GA_BOOLS:
    return 1;
  default:
    return 0;
  }
}

NativertGraphArg
nativert_arg_copy (NativertRegion *region, const NativertGraphArg *arg)
{
  NativertGraphArg copy = *arg;
  size_t size = element_size (arg);
  if (size)                             /* all lists are pointers at the same place of the union */
    copy.u.ints = nativert_region_memdup (region, arg->u.ints, arg->n * size);
  if (arg->sym)
    copy.sym = nativert_region_memdup (region, arg->sym, arg->n * sizeof *arg->sym);
  if (arg->kind == NATIVERT_GA_STRING || arg->kind == NATIVERT_GA_OPERATOR)
    copy.u.s = nativert_region_strdup (region, arg->u.s);
  if (arg->kind == NATIVERT_GA_STRINGS) {
    const char **strings = nativert_region_new_n (region, const char *, arg->n);
    for (uint32_t i = 0; i < arg->n; i++)
      strings[i] = nativert_region_strdup (region, arg->u.strings[i]);
    copy.u.strings = strings;
  }
  if (arg->kind == NATIVERT_GA_NESTED || arg->kind == NATIVERT_GA_INT_LISTS || arg->kind == NATIVERT_GA_FLOAT_LISTS) {
    NativertGraphArg *items = nativert_region_new_n (region, NativertGraphArg, arg->n);
    for (uint32_t i = 0; i < arg->n; i++)
      items[i] = nativert_arg_copy (region, &arg->u.items[i]);
    copy.u.items = items;
  }
  return copy;
}

void
nativert_node_take_args (NativertNode *node, const char *const *names, NativertGraphArg *args, uint32_t n_args)
{
  for (uint32_t i = 0; i < node->n_args; i++)
    leave_uses (node, i);
  node->arg_names = names;
  node->args = args;
  node->n_args = n_args;
  for (uint32_t i = 0; i < n_args; i++)
    enter_uses (node, i);
}

void
nativert_node_set_args (NativertNode *node, const char *const *names, const NativertGraphArg *args, uint32_t n_args)
{
  NativertRegion *region = node->graph->region;
  const char **own_names = nativert_region_new_n (region, const char *, n_args);
  NativertGraphArg *own = nativert_region_new_n (region, NativertGraphArg, n_args);
  for (uint32_t i = 0; i < n_args; i++) {
    own_names[i] = nativert_region_strdup (region, names ? names[i] : "");
    own[i] = nativert_arg_copy (region, &args[i]);
  }
  nativert_node_take_args (node, own_names, own, n_args);
}

void
nativert_node_set_arg (NativertNode *node, uint32_t index, NativertGraphArg arg)
{
  g_return_if_fail (index < node->n_args);
  NativertGraphArg copy = nativert_arg_copy (node->graph->region, &arg);
  leave_uses (node, index);
  node->args[index] = copy;
  enter_uses (node, index);
}

/* "torch.ops.aten.conv2d.default" -> "conv2d" */
static char *
short_name (const char *target)
{
  g_auto (GStrv) words = g_strsplit (target, ".", -1);
  guint n = g_strv_length (words);
  return g_strdup (n == 0 ? "node" : n >= 2 && g_str_has_prefix (target, "torch.ops.") ? words[n - 2] : words[n - 1]);
}

void
nativert_graph_link (NativertGraph *graph, NativertNode *node, NativertNode *before)
{
  node->graph = graph;
  node->next = before;
  node->prev = before ? before->prev : graph->last;
  *(node->prev ? &node->prev->next : &graph->first) = node;
  *(before ? &before->prev : &graph->last) = node;
  graph->n_nodes++;
}

void
nativert_graph_unlink (NativertGraph *graph, NativertNode *node)
{
  *(node->prev ? &node->prev->next : &graph->first) = node->next;
  *(node->next ? &node->next->prev : &graph->last) = node->prev;
  node->prev = node->next = NULL;
  graph->n_nodes--;
}

NativertNode *
nativert_graph_insert (NativertGraph *graph, NativertNode *before, const char *target)
{
  g_autofree char *name = short_name (target);
  NativertNode *node = nativert_region_new_n (graph->region, NativertNode, 1);
  node->target = nativert_region_strdup (graph->region, target);
  node->name = nativert_region_strdup (graph->region, name);
  nativert_graph_link (graph, node, before);
  return node;
}

NativertGraphValue *
nativert_node_add_output (
    NativertNode *node, const char *name, NativertGraphValueType type, const NativertTensorMetaDesc *meta)
{
  NativertRegion *region = node->graph->region;
  NativertGraphValue *value = nativert_graph_new_value (node->graph, name ? name : node->name, type, meta);
  value->producer = node;
  NativertGraphValue **outputs = nativert_region_new_n (region, NativertGraphValue *, node->n_outputs + 1);
  NativertReturn *returns = nativert_region_new_n (region, NativertReturn, node->n_returns + 1);
  if (node->n_outputs)
    memcpy (outputs, node->outputs, node->n_outputs * sizeof *outputs);
  if (node->n_returns)
    memcpy (returns, node->returns, node->n_returns * sizeof *returns);
  outputs[node->n_outputs] = value;
  returns[node->n_returns] = (NativertReturn) { .first = node->n_outputs, .n = 1 };
  node->outputs = outputs;
  node->returns = returns;
  node->n_outputs++;
  node->n_returns++;
  return value;
}

static void
replace_one (NativertGraph *graph, NativertUse use, NativertGraphValue *value, NativertGraphValue *with)
{
  const NativertGraphArg *arg = use.node ? &use.node->args[use.arg] : &graph->outputs[use.arg].arg;
  for (uint32_t k = 0, n = nativert_arg_n_slots (arg); k < n; k++) {
    NativertGraphValue **slot = nativert_arg_slot (arg, k);
    if (*slot == value) {
      *slot = with;
      nativert_value_add_use (graph, with, use.node, use.arg);
      return;
    }
  }
}

void
nativert_value_replace_uses_after (NativertGraphValue *value, NativertGraphValue *with, const NativertNode *node)
{
  g_return_if_fail (value != with);
  uint32_t n = value->n_uses, kept = 0;
  for (uint32_t i = 0; i < n; i++) {
    NativertUse use = value->uses[i];
    if (node && use.node && use.node->order <= node->order)
      value->uses[kept++] = use;
    else
      replace_one (value->graph, use, value, with);
  }
  value->n_uses = kept;
}

void
nativert_value_replace_uses (NativertGraphValue *value, NativertGraphValue *with)
{
  nativert_value_replace_uses_after (value, with, NULL);
}

static bool
constant_fits (NativertUse use, const NativertGraphValue *value, const NativertGraphArg *constant)
{
  const NativertGraphArg *arg = use.node ? &use.node->args[use.arg] : &value->graph->outputs[use.arg].arg;
  return arg->kind == NATIVERT_GA_VALUE || (arg->kind == NATIVERT_GA_INTS && constant->kind == NATIVERT_GA_INT);
}

bool
nativert_value_replace_with_constant (NativertGraphValue *value, const NativertGraphArg *constant)
{
  for (uint32_t i = 0; i < value->n_uses; i++)
    if (!constant_fits (value->uses[i], value, constant))
      return false;
  for (uint32_t i = 0; i < value->n_uses; i++) {
    NativertUse use = value->uses[i];
    NativertGraphArg *arg = use.node ? &use.node->args[use.arg] : &value->graph->outputs[use.arg].arg;
    if (arg->kind == NATIVERT_GA_VALUE) {
      *arg = *constant;
      continue;
    }
    int64_t *ints = nativert_region_memdup (value->graph->region, arg->u.ints, arg->n * sizeof *ints);
    for (uint32_t k = 0; k < arg->n; k++)
      if (arg->sym && arg->sym[k] == value) {
        arg->sym[k] = NULL;
        ints[k] = constant->u.i;
      }
    arg->u.ints = ints;
  }
  value->n_uses = 0;
  return true;
}

bool
nativert_graph_remove (NativertGraph *graph, NativertNode *node, GError **error)
{
  for (uint32_t i = 0; i < node->n_outputs; i++)
    if (node->outputs[i]->n_uses > 0) {
      g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_FORMAT, "node %s cannot be removed: its result %s has %u uses",
          node->name, node->outputs[i]->name, node->outputs[i]->n_uses);
      return false;
    }
  for (uint32_t i = 0; i < node->n_args; i++)
    leave_uses (node, i);
  for (uint32_t i = 0; i < node->n_outputs; i++) {
    node->outputs[i]->producer = NULL;
    if (g_hash_table_lookup (graph->names, node->outputs[i]->name) == node->outputs[i])
      g_hash_table_remove (graph->names, node->outputs[i]->name);
  }
  nativert_graph_unlink (graph, node);
  return true;
}

bool
nativert_node_is_before (const NativertNode *a, const NativertNode *b)
{
  return a->order < b->order;
}

NativertGraphInput *
nativert_graph_add_input (NativertGraph *graph, uint8_t kind, const char *target, NativertGraphValue *value)
{
  NativertGraphInput *inputs = nativert_region_new_n (graph->region, NativertGraphInput, graph->n_inputs + 1);
  if (graph->n_inputs)
    memcpy (inputs, graph->inputs, graph->n_inputs * sizeof *inputs);
  graph->inputs = inputs;
  NativertGraphInput *input = &inputs[graph->n_inputs++];
  *input = (NativertGraphInput) { .kind = kind, .value = value };
  input->target = nativert_region_strdup (graph->region, target);
  return input;
}

static void
number_value (NativertGraph *graph, NativertGraphValue *value)
{
  value->id = graph->values->len;
  g_ptr_array_add (graph->values, value);
}

void
nativert_graph_renumber (NativertGraph *graph)
{
  g_ptr_array_set_size (graph->values, 0);
  for (uint32_t i = 0; i < graph->n_inputs; i++)
    if (graph->inputs[i].value)
      number_value (graph, graph->inputs[i].value);
  uint32_t order = 0;
  for (NativertNode *node = graph->first; node; node = node->next) {
    node->order = order++;
    for (uint32_t i = 0; i < node->n_outputs; i++)
      number_value (graph, node->outputs[i]);
  }
}
