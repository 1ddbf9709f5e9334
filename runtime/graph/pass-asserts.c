/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks go: sizes are checked by plans, values are not.  Runs before binding, so that what only a check needed
 * (_is_all_true, comparisons of symbols) need not be a known operator. */
#include <string.h>
#include "graph/passes.h"

static bool
is_checking_effect (const NativertNode *node)
{
  if (!nativert_target_is (node->target, "higher_order.with_effects"))
    return false;
  for (uint32_t i = 0; i < node->n_args; i++)
    if (node->args[i].kind == NATIVERT_GA_OPERATOR)
      return strstr (node->args[i].u.s, "_linalg_check_errors") || strstr (node->args[i].u.s, "assert");
  return false;
}

static bool
is_check (const NativertNode *node)
{
  return nativert_target_kind (node->target) == NATIVERT_TARGET_ASSERT || is_checking_effect (node);
}

/* The token that a functional check hands on. */
static NativertGraphValue *
token_of (const NativertNode *node)
{
  for (uint32_t i = 0; i < node->n_args; i++)
    if (node->args[i].kind == NATIVERT_GA_VALUE
        && (i == 0 ? is_checking_effect (node) : g_str_equal (node->arg_names[i], "dep_token")))
      return node->args[i].u.value;
  return NULL;
}

/* By name alone: nothing is bound yet. */
static bool
is_harmless (const NativertNode *node)
{
  if (nativert_target_kind (node->target) == NATIVERT_TARGET_SYMBOLIC)
    return true;
  if (!g_str_has_prefix (node->target, "torch.ops.aten."))
    return false;
  const char *op = node->target + strlen ("torch.ops.aten."), *dot = strchr (op, '.');
  bool in_place = dot && dot > op && dot[-1] == '_';
  return !in_place && !g_str_has_prefix (op, "batch_norm") && !g_str_has_prefix (op, "_native_batch_norm")
      && !g_str_has_prefix (op, "native_batch_norm") && !g_str_has_prefix (op, "instance_norm");
}

static bool
is_read (const NativertNode *node)
{
  for (uint32_t i = 0; i < node->n_outputs; i++)
    if (node->outputs[i]->n_uses > 0)
      return true;
  return false;
}

/* Removes a node and marks who made its arguments. */
static bool
remove_and_mark (NativertNode *node, GHashTable *marked, GError **error)
{
  for (uint32_t i = 0; i < node->n_args; i++)
    for (uint32_t k = 0, n = nativert_arg_n_slots (&node->args[i]); k < n; k++) {
      NativertGraphValue *value = *nativert_arg_slot (&node->args[i], k);
      if (value && value->producer)
        g_hash_table_add (marked, value->producer);
    }
  return nativert_graph_remove (node->graph, node, error);
}

int
nativert_pass_asserts (NativertGraph *graph, const NativertSchemas *schemas, GError **error)
{
  int n = 0;
  g_autoptr (GHashTable) marked = g_hash_table_new (NULL, NULL);
  for (NativertNode *node = graph->last, *prev; node; node = prev, n++) {
    prev = node->prev;
    NativertGraphValue *token = is_check (node) ? token_of (node) : NULL;
    if (node->n_outputs > 0 && token)
      nativert_value_replace_uses (node->outputs[0], token);
    bool goes = !is_read (node) && (is_check (node) || (g_hash_table_contains (marked, node) && is_harmless (node)));
    if (!goes)
      n--;
    else if (!remove_and_mark (node, marked, error))
      return -1;
  }
  return n;
}
