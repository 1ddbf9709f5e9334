/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "graph/alias.h"

enum { HAS_INPUT = 1, HAS_USER_INPUT = 2, WRITTEN = 4 };

struct NativertAliases {
  uint32_t n;
  uint32_t *parent;                     /* union-find over value ids */
  uint8_t *flags;                       /* of representatives */
};

void
nativert_aliases_free (NativertAliases *aliases)
{
  if (!aliases)
    return;
  g_free (aliases->parent);
  g_free (aliases->flags);
  g_free (aliases);
}

static uint32_t
find (const NativertAliases *a, uint32_t id)
{
  while (a->parent[id] != id) {
    a->parent[id] = a->parent[a->parent[id]];
    id = a->parent[id];
  }
  return id;
}

static void
join (NativertAliases *a, const NativertGraphValue *x, const NativertGraphValue *y)
{
  uint32_t i = find (a, x->id), k = find (a, y->id);
  if (i == k)
    return;
  a->parent[MAX (i, k)] = MIN (i, k);
  a->flags[MIN (i, k)] |= a->flags[MAX (i, k)];
}

/* ---- what one node does ---- */

/* Operators that may return their first argument, or views of it, with no annotation in the schema. */
static bool
returns_input_silently (const char *target)
{
  static const char *const names[] = { "aten.type_as", "aten.dropout", "aten.feature_dropout", "aten.alpha_dropout",
    "aten.feature_alpha_dropout", "aten.native_dropout", "aten.meshgrid", "aten.broadcast_tensors",
    "aten.conj_physical", "aten.lift", "aten.einsum", "aten._unsafe_view", "aten.cartesian_prod", "aten.sum_to_size",
    "aten.atleast_1d", "aten.atleast_2d", "aten.atleast_3d", "aten.unsafe_split", "aten.unsafe_split_with_sizes",
    "aten.unsafe_chunk", "aten.pixel_shuffle", "aten.pixel_unshuffle", "aten.channel_shuffle", "aten.fft_fftshift",
    "aten.fft_ifftshift" };
  for (size_t i = 0; i < G_N_ELEMENTS (names); i++)
    if (nativert_target_is (target, names[i]))
      return true;
  return false;
}

bool
nativert_node_aliases (const NativertNode *node, uint32_t output, uint32_t arg)
{
  if (!node->schema)                    /* a higher-order operator may hand through anything; symbols have no memory */
    return nativert_target_kind (node->target) != NATIVERT_TARGET_SYMBOLIC;
  uint32_t ret = 0;
  while (ret < node->n_returns && output >= node->returns[ret].first + node->returns[ret].n)
    ret++;
  if (ret >= node->schema->n_returns)
    return false;
  char alias = node->schema->returns[ret].alias;
  if (alias)
    return node->schema->args[arg].alias == alias || node->schema->args[arg].alias == '*';
  return node->schema->args[arg].type == NATIVERT_ST_TENSOR && returns_input_silently (node->target);
}

static bool
is_true (const NativertGraphArg *arg)
{
  return arg && (arg->kind == NATIVERT_GA_BOOL || arg->kind == NATIVERT_GA_INT) && arg->u.i != 0;
}

/* Normalisation in training mode updates its running statistics, whatever its schema says. */
static bool
writes_statistics (const NativertNode *node, uint32_t arg)
{
  const char *name = node->schema->args[arg].name;
  if (!g_str_equal (name, "running_mean") && !g_str_equal (name, "running_var"))
    return false;
  return is_true (nativert_node_arg (node, "training")) || is_true (nativert_node_arg (node, "use_input_stats"));
}

bool
nativert_node_writes_arg (const NativertNode *node, uint32_t arg)
{
  return node->schema && (node->schema->args[arg].write || writes_statistics (node, arg));
}

bool
nativert_node_writes (const NativertNode *node)
{
  for (uint32_t i = 0; i < node->n_args; i++)
    if (nativert_arg_n_slots (&node->args[i]) > 0 && nativert_node_writes_arg (node, i))
      return true;
  return false;
}

bool
nativert_node_is_view (const NativertNode *node)
{
  if (!node->schema || node->schema->writes || node->schema->n_returns == 0)
    return false;
  for (uint32_t i = 0; i < node->schema->n_returns; i++)
    if (!node->schema->returns[i].alias)
      return false;
  return true;
}

/* ---- the classes ---- */

static void
join_node (NativertAliases *a, const NativertNode *node)
{
  for (uint32_t i = 0; i < node->n_args; i++) {
    bool writes = nativert_node_writes_arg (node, i);
    for (uint32_t k = 0, n = nativert_arg_n_slots (&node->args[i]); k < n; k++) {
      const NativertGraphValue *value = *nativert_arg_slot (&node->args[i], k);
      if (!value || value->type != NATIVERT_GV_TENSOR)
        continue;
      if (writes)
        a->flags[find (a, value->id)] |= WRITTEN;
      for (uint32_t o = 0; o < node->n_outputs; o++)
        if (node->outputs[o]->type == NATIVERT_GV_TENSOR && nativert_node_aliases (node, o, i))
          join (a, node->outputs[o], value);
    }
  }
}

NativertAliases *
nativert_aliases_new (NativertGraph *graph)
{
  nativert_graph_renumber (graph);
  NativertAliases *a = g_new0 (NativertAliases, 1);
  a->n = graph->values->len;
  a->parent = g_new (uint32_t, a->n + 1);
  a->flags = g_new0 (uint8_t, a->n + 1);
  for (uint32_t i = 0; i < a->n; i++)
    a->parent[i] = i;
  for (uint32_t i = 0; i < graph->n_inputs; i++)
    if (graph->inputs[i].value)
      a->flags[graph->inputs[i].value->id]
          = graph->inputs[i].kind == NATIVERT_IN_USER ? HAS_INPUT | HAS_USER_INPUT : HAS_INPUT;
  for (const NativertNode *node = graph->first; node; node = node->next)
    join_node (a, node);
  return a;
}

uint32_t
nativert_aliases_class (const NativertAliases *aliases, const NativertGraphValue *value)
{
  g_return_val_if_fail (value->id < aliases->n, 0);
  return find (aliases, value->id);
}

bool
nativert_aliases_has_input (const NativertAliases *aliases, const NativertGraphValue *value)
{
  return (aliases->flags[nativert_aliases_class (aliases, value)] & HAS_INPUT) != 0;
}

bool
nativert_aliases_has_user_input (const NativertAliases *aliases, const NativertGraphValue *value)
{
  return (aliases->flags[nativert_aliases_class (aliases, value)] & HAS_USER_INPUT) != 0;
}

bool
nativert_aliases_is_written (const NativertAliases *aliases, const NativertGraphValue *value)
{
  return (aliases->flags[nativert_aliases_class (aliases, value)] & WRITTEN) != 0;
}
