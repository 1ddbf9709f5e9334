/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Dead nodes go, from the end.  A node that writes lives as long as its storage is an input's or is read behind it. */
#include "graph/alias.h"
#include "graph/passes.h"

typedef struct { NativertAliases *aliases; bool *read_later; } State;

static void
note_reads (State *s, const NativertNode *node)
{
  for (uint32_t i = 0; i < node->n_args; i++)
    for (uint32_t k = 0, n = nativert_arg_n_slots (&node->args[i]); k < n; k++) {
      const NativertGraphValue *value = *nativert_arg_slot (&node->args[i], k);
      if (value)
        s->read_later[nativert_aliases_class (s->aliases, value)] = true;
    }
}

static bool
writes_what_is_seen (const State *s, const NativertNode *node)
{
  for (uint32_t i = 0; i < node->n_args; i++) {
    if (!nativert_node_writes_arg (node, i))
      continue;
    for (uint32_t k = 0, n = nativert_arg_n_slots (&node->args[i]); k < n; k++) {
      const NativertGraphValue *value = *nativert_arg_slot (&node->args[i], k);
      if (value
          && (nativert_aliases_has_input (s->aliases, value)
              || s->read_later[nativert_aliases_class (s->aliases, value)]))
        return true;
    }
  }
  return false;
}

static bool
is_alive (const State *s, const NativertNode *node)
{
  for (uint32_t i = 0; i < node->n_outputs; i++)
    if (node->outputs[i]->n_uses > 0)
      return true;
  if (!node->schema && nativert_target_kind (node->target) != NATIVERT_TARGET_SYMBOLIC)
    return true;                        /* higher-order: it may print */
  return writes_what_is_seen (s, node);
}

int
nativert_pass_dead (NativertGraph *graph, const NativertSchemas *schemas, GError **error)
{
  int n = 0;
  g_autoptr (NativertAliases) aliases = nativert_aliases_new (graph);
  g_autofree bool *read_later = g_new0 (bool, graph->values->len + 1);
  State s = { aliases, read_later };
  for (uint32_t i = 0; i < graph->n_outputs; i++)
    for (uint32_t k = 0, count = nativert_arg_n_slots (&graph->outputs[i].arg); k < count; k++) {
      const NativertGraphValue *value = *nativert_arg_slot (&graph->outputs[i].arg, k);
      if (value)
        read_later[nativert_aliases_class (aliases, value)] = true;
    }
  for (NativertNode *node = graph->last, *prev; node; node = prev) {
    prev = node->prev;
    if (is_alive (&s, node)) {
      note_reads (&s, node);
      continue;
    }
    if (!nativert_graph_remove (graph, node, error))
      return -1;
    n++;
  }
  return n;
}
