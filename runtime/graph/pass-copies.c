/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies that nobody can tell from their source: same dtype and strides, and neither storage is ever written. */
#include "graph/alias.h"
#include "graph/meta.h"
#include "graph/passes.h"

static bool
is_copy (const NativertNode *node)
{
  static const char *const names[] = { "aten.clone", "aten._to_copy", "aten.lift_fresh_copy", "aten.to",
    "aten.contiguous", "aten.alias_copy", "aten.detach_copy" };
  if (!node->schema || node->n_outputs != 1 || node->n_args == 0 || node->args[0].kind != NATIVERT_GA_VALUE
      || node->args[0].u.value->type != NATIVERT_GV_TENSOR)
    return false;
  for (size_t i = 0; i < G_N_ELEMENTS (names); i++)
    if (nativert_target_is (node->target, names[i]))
      return true;
  return false;
}

static bool
is_idle (const NativertAliases *aliases, const NativertNode *node)
{
  const NativertGraphValue *source = node->args[0].u.value, *copy = node->outputs[0];
  /* A caller's tensor comes with strides of its own: what the file says of them is the example's. */
  return !nativert_aliases_is_written (aliases, source) && !nativert_aliases_is_written (aliases, copy)
      && !nativert_aliases_has_user_input (aliases, source)
      && nativert_meta_same_layout (node->graph->program, source->meta, copy->meta);
}

int
nativert_pass_copies (NativertGraph *graph, const NativertSchemas *schemas, GError **error)
{
  int n = 0;
  g_autoptr (NativertAliases) aliases = nativert_aliases_new (graph);
  for (NativertNode *node = graph->first, *next; node; node = next) {
    next = node->next;
    if (!is_copy (node) || !is_idle (aliases, node))
      continue;
    nativert_value_replace_uses (node->outputs[0], node->args[0].u.value);
    if (!nativert_graph_remove (graph, node, error))
      return -1;
    n++;
  }
  return n;
}
