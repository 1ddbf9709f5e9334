/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the rewriting passes share. */
#include "graph/alias.h"
#include "graph/passes.h"

void
nativert_node_become (
    NativertNode *node, const char *target, const NativertSchema *schema, const NativertGraphArg *args)
{
  nativert_node_set_args (node, schema->arg_names, args, schema->n_args);
  node->target = nativert_region_strdup (node->graph->region, target);
  node->schema = schema;
}

NativertGraphValue *
nativert_graph_emit (NativertGraph *graph, NativertNode *before, const NativertSchemas *schemas, const char *target,
    const NativertGraphArg *args, uint32_t n_args, const NativertTensorMetaDesc *meta)
{
  NativertNode *node = nativert_graph_insert (graph, before, target);
  node->desc = before ? before->desc : NULL;
  nativert_node_set_args (node, NULL, args, n_args);
  NativertGraphValue *value = nativert_node_add_output (node, NULL, NATIVERT_GV_TENSOR, meta);
  node->name = value->name;
  if (nativert_node_bind (node, schemas))
    return value;
  nativert_graph_remove (graph, node, NULL);
  return NULL;
}

bool
nativert_value_is_f32 (const NativertGraphValue *value)
{
  return value->type == NATIVERT_GV_TENSOR && value->meta && value->meta->dtype == NATIVERT_DTYPE_FLOAT32;
}

NativertNode *
nativert_value_only_user (const NativertGraphValue *value)
{
  return value->n_uses == 1 ? value->uses[0].node : NULL;
}

/* ---- constants ---- */

static bool
is_mutated (const NativertGraph *graph, const NativertGraphInput *input)
{
  for (uint32_t i = 0; i < graph->n_outputs; i++) {
    const NativertGraphOutput *output = &graph->outputs[i];
    if ((output->kind == NATIVERT_OUT_BUFFER_MUTATION || output->kind == NATIVERT_OUT_PARAMETER_MUTATION)
        && g_str_equal (output->target, input->target))
      return true;
  }
  return false;
}

static bool
is_weight (uint8_t kind)
{
  return kind == NATIVERT_IN_PARAMETER || kind == NATIVERT_IN_BUFFER || kind == NATIVERT_IN_TENSOR_CONSTANT;
}

static bool
all_arguments_constant (const NativertNode *node, const bool *constant)
{
  for (uint32_t i = 0; i < node->n_args; i++) {
    if (node->args[i].kind == NATIVERT_GA_GRAPH)
      return false;
    for (uint32_t k = 0, n = nativert_arg_n_slots (&node->args[i]); k < n; k++) {
      const NativertGraphValue *value = *nativert_arg_slot (&node->args[i], k);
      if (value && !constant[value->id])
        return false;
    }
  }
  return true;
}

static bool
may_be_constant (const NativertAliases *aliases, const NativertNode *node)
{
  bool symbolic = nativert_target_kind (node->target) == NATIVERT_TARGET_SYMBOLIC;
  if ((!node->schema && !symbolic) || (node->schema && node->schema->random) || nativert_node_writes (node))
    return false;
  for (uint32_t i = 0; i < node->n_outputs; i++)
    if (nativert_aliases_is_written (aliases, node->outputs[i]))
      return false;
  return true;
}

bool *
nativert_graph_mark_constants (NativertGraph *graph)
{
  g_autoptr (NativertAliases) aliases = nativert_aliases_new (graph);
  bool *constant = g_new0 (bool, graph->values->len + 1);
  for (uint32_t i = 0; i < graph->n_inputs; i++) {
    const NativertGraphInput *input = &graph->inputs[i];
    if (input->value)
      constant[input->value->id] = input->kind == NATIVERT_IN_FOLDED
          || (is_weight (input->kind) && !nativert_aliases_is_written (aliases, input->value)
              && !is_mutated (graph, input));
  }
  for (const NativertNode *node = graph->first; node; node = node->next)
    if (may_be_constant (aliases, node) && all_arguments_constant (node, constant))
      for (uint32_t i = 0; i < node->n_outputs; i++)
        constant[node->outputs[i]->id] = true;
  return constant;
}
