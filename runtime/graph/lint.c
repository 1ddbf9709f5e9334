/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lint: what every graph must be between two passes.  A failure is a bug of a pass or a file that lies. */
#include "graph/private.h"

typedef struct { const NativertGraph *graph; GHashTable *defined; GHashTable *counts; GError **error; } Lint;

static void
lint_clear (Lint *l)
{
  g_clear_pointer (&l->defined, g_hash_table_unref);
  g_clear_pointer (&l->counts, g_hash_table_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Lint, lint_clear)

static bool G_GNUC_PRINTF (2, 3)
fail (Lint *l, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (l->error, NATIVERT_ERROR, NATIVERT_ERROR_FORMAT, "graph %s: %s",
      *l->graph->name ? l->graph->name : "(top)", text);
  return false;
}

static bool
define (Lint *l, const NativertGraphValue *value, const NativertNode *producer)
{
  if (value->producer != producer || value->graph != l->graph)
    return fail (l, "value %s does not know its producer", value->name);
  if (!g_hash_table_add (l->defined, (gpointer) value))
    return fail (l, "value %s is made twice", value->name);
  if (g_hash_table_lookup (l->graph->names, value->name) != value)
    return fail (l, "value %s is not the one of that name", value->name);
  return true;
}

static bool
check_arg (Lint *l, const NativertGraphArg *arg, const NativertNode *node, uint32_t index)
{
  const char *who = node ? node->name : "the graph's output";
  for (uint32_t k = 0, n = nativert_arg_n_slots (arg); k < n; k++) {
    const NativertGraphValue *value = *nativert_arg_slot (arg, k);
    if (!value && arg->kind == NATIVERT_GA_VALUE)
      return fail (l, "%s: argument %u is an empty value", who, index);
    if (!value)
      continue;
    if (!g_hash_table_contains (l->defined, value))
      return fail (l, "%s: argument %u uses %s before it is made", who, index, value->name);
    gsize seen = GPOINTER_TO_SIZE (g_hash_table_lookup (l->counts, value));
    g_hash_table_insert (l->counts, (gpointer) value, GSIZE_TO_POINTER (seen + 1));
    bool listed = false;
    for (uint32_t i = 0; i < value->n_uses && !listed; i++)
      listed = value->uses[i].node == node && value->uses[i].arg == index;
    if (!listed)
      return fail (l, "%s: %s does not list its use as argument %u", who, value->name, index);
  }
  return arg->kind != NATIVERT_GA_GRAPH || nativert_graph_lint (arg->u.graph, l->error);
}

static bool
check_returns (Lint *l, const NativertNode *node)
{
  uint32_t n = 0;
  for (uint32_t i = 0; i < node->n_returns; i++) {
    const NativertReturn *run = &node->returns[i];
    if (run->first != n || (!run->is_list && run->n != !run->is_none))
      return fail (l, "node %s: return %u does not cover its results", node->name, i);
    n += run->n;
  }
  return n == node->n_outputs || fail (l, "node %s: returns cover %u of %u results", node->name, n, node->n_outputs);
}

static bool
check_node (Lint *l, const NativertNode *node)
{
  if (node->graph != l->graph || (node->next ? node->next->prev : l->graph->last) != node)
    return fail (l, "node %s is not linked right", node->name);
  if (node->schema && node->schema->n_args != node->n_args)
    return fail (
        l, "node %s has %u arguments, %s takes %u", node->name, node->n_args, node->schema->name, node->schema->n_args);
  for (uint32_t i = 0; i < node->n_args; i++)
    if (!check_arg (l, &node->args[i], node, i))
      return false;
  for (uint32_t i = 0; i < node->n_outputs; i++)
    if (!define (l, node->outputs[i], node))
      return false;
  return check_returns (l, node);
}

static bool
check_counts (Lint *l)
{
  GHashTableIter iter;
  gpointer key;
  g_hash_table_iter_init (&iter, l->defined);
  while (g_hash_table_iter_next (&iter, &key, NULL)) {
    const NativertGraphValue *value = key;
    gsize seen = GPOINTER_TO_SIZE (g_hash_table_lookup (l->counts, value));
    if (seen != value->n_uses)
      return fail (l, "value %s lists %u uses, the graph has %zu", value->name, value->n_uses, seen);
  }
  return true;
}

bool
nativert_graph_lint (const NativertGraph *graph, GError **error)
{
  g_auto (Lint) l = { .graph = graph, .error = error };
  l.defined = g_hash_table_new (NULL, NULL);
  l.counts = g_hash_table_new (NULL, NULL);
  uint32_t n = 0;
  for (uint32_t i = 0; i < graph->n_inputs; i++)
    if (graph->inputs[i].value && !define (&l, graph->inputs[i].value, NULL))
      return false;
  for (const NativertNode *node = graph->first; node; node = node->next, n++)
    if (!check_node (&l, node))
      return false;
  if (n != graph->n_nodes)
    return fail (&l, "%u nodes are linked, %u are counted", n, graph->n_nodes);
  for (uint32_t i = 0; i < graph->n_outputs; i++)
    if (!check_arg (&l, &graph->outputs[i].arg, NULL, i))
      return false;
  return check_counts (&l) && (!graph->fold || nativert_graph_lint (graph->fold, error));
}
