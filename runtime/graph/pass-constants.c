/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Constant folding, the part that the graph decides: nodes that depend on weights alone move to graph->fold, which
 * runs once per weights version; its results come back as inputs of kind FOLDED.  Views of weights stay, plans
 * dissolve them; so does what would blow up memory. */
#include <string.h>
#include "graph/alias.h"
#include "graph/meta.h"
#include "graph/passes.h"

enum { MAX_GROWTH = 4, SMALL_BYTES = 1 << 20 };

typedef struct {
  NativertGraph *graph, *fold;
  const bool *constant;                 /* by value id */
  bool *keep, *in_fold;                 /* by node order */
  GPtrArray *results;                   /* values of graph that fold computes */
  GHashTable *map;                      /* value of graph -> value of fold */
} State;

static bool
is_constant (const State *s, const NativertNode *node)
{
  return node->n_outputs > 0 && s->constant[node->outputs[0]->id];
}

/* ---- what is worth it ---- */

static bool
is_free_view (const NativertNode *node)
{
  static const char *const casts[] = { "aten.to", "aten.type_as", "aten.contiguous" };
  static const char *const reshapes[]
      = { "aten.reshape", "aten.flatten", "aten.reshape_as", "aten.ravel", "aten.unflatten" };
  if (!nativert_node_is_view (node))
    return false;
  for (size_t i = 0; i < G_N_ELEMENTS (casts); i++)
    if (nativert_target_is (node->target, casts[i]))
      return false;
  for (size_t i = 0; i < G_N_ELEMENTS (reshapes); i++)
    if (nativert_target_is (node->target, reshapes[i]))
      return node->args[0].kind == NATIVERT_GA_VALUE
          && nativert_meta_is_contiguous (node->graph->program, node->args[0].u.value->meta);
  return true;
}

static int64_t
bytes_of_inputs (const NativertNode *node)
{
  int64_t sum = 0;
  for (uint32_t i = 0; i < node->n_args; i++)
    for (uint32_t k = 0, n = nativert_arg_n_slots (&node->args[i]); k < n; k++) {
      const NativertGraphValue *value = *nativert_arg_slot (&node->args[i], k);
      int64_t n_bytes = value && value->meta ? nativert_meta_n_bytes (value->meta) : 0;
      sum += MAX (n_bytes, 0);
    }
  return sum;
}

static bool
is_worth_folding (const NativertNode *node)
{
  int64_t sum = 0;
  if (is_free_view (node))
    return false;
  for (uint32_t i = 0; i < node->n_outputs; i++) {
    const NativertGraphValue *value = node->outputs[i];
    int64_t n_bytes = value->meta ? nativert_meta_n_bytes (value->meta) : -1;
    if (value->type != NATIVERT_GV_SYM_FLOAT && (value->type != NATIVERT_GV_TENSOR || n_bytes < 0))
      return false;
    sum += MAX (n_bytes, 0);
  }
  return sum <= SMALL_BYTES || sum / MAX_GROWTH <= bytes_of_inputs (node);
}

/* ---- choosing ---- */

static bool
is_needed_outside (const State *s, const NativertGraphValue *value)
{
  for (uint32_t i = 0; i < value->n_uses; i++) {
    const NativertNode *user = value->uses[i].node;
    if (!user || !is_constant (s, user) || s->keep[user->order])
      return true;
  }
  return false;
}

/* From the end: a node that stays makes its arguments needed. */
static void
choose_results (State *s)
{
  for (const NativertNode *node = s->graph->last; node; node = node->prev) {
    if (!is_constant (s, node))
      continue;
    bool worth = is_worth_folding (node);
    for (uint32_t i = 0; i < node->n_outputs; i++) {
      if (!is_needed_outside (s, node->outputs[i]))
        continue;
      if (worth)
        g_ptr_array_add (s->results, node->outputs[i]);
      else
        s->keep[node->order] = true;
    }
  }
}

static void
choose_nodes (State *s)
{
  for (guint i = 0; i < s->results->len; i++)
    s->in_fold[((NativertGraphValue *) g_ptr_array_index (s->results, i))->producer->order] = true;
  for (const NativertNode *node = s->graph->last; node; node = node->prev)
    for (uint32_t i = 0; is_constant (s, node) && i < node->n_outputs; i++)
      for (uint32_t k = 0; k < node->outputs[i]->n_uses; k++) {
        const NativertNode *user = node->outputs[i]->uses[k].node;
        s->in_fold[node->order] |= user && s->in_fold[user->order];
      }
}

/* ---- building ---- */

static void
copy_input (State *s, const NativertGraphValue *value)
{
  if (g_hash_table_contains (s->map, value))
    return;
  for (uint32_t i = 0; i < s->graph->n_inputs; i++) {
    const NativertGraphInput *input = &s->graph->inputs[i];
    if (input->value != value)
      continue;
    NativertGraphValue *copy = nativert_graph_new_value (s->fold, value->name, value->type, value->meta);
    nativert_graph_add_input (s->fold, input->kind, input->target, copy)->persistent = input->persistent;
    g_hash_table_insert (s->map, (gpointer) value, copy);
    return;
  }
}

static void
copy_node (State *s, const NativertNode *node)
{
  NativertRegion *region = s->graph->region;
  NativertNode *copy = nativert_region_memdup (region, node, sizeof *node);
  NativertGraphArg *args = nativert_region_new_n (region, NativertGraphArg, node->n_args);
  for (uint32_t i = 0; i < node->n_args; i++) {
    args[i] = nativert_arg_copy (region, &node->args[i]);
    for (uint32_t k = 0, n = nativert_arg_n_slots (&args[i]); k < n; k++) {
      NativertGraphValue **slot = nativert_arg_slot (&args[i], k);
      if (!*slot)
        continue;
      copy_input (s, *slot);
      *slot = g_hash_table_lookup (s->map, *slot);
    }
  }
  copy->n_args = 0;
  nativert_graph_link (s->fold, copy, NULL);
  nativert_node_take_args (copy, node->arg_names, args, node->n_args);
  copy->outputs = nativert_region_new_n (region, NativertGraphValue *, node->n_outputs);
  copy->returns = nativert_region_memdup (region, node->returns, node->n_returns * sizeof *node->returns);
  for (uint32_t i = 0; i < node->n_outputs; i++) {
    const NativertGraphValue *value = node->outputs[i];
    copy->outputs[i] = nativert_graph_new_value (s->fold, value->name, value->type, value->meta);
    copy->outputs[i]->producer = copy;
    copy->outputs[i]->expr = value->expr;
    copy->outputs[i]->literal = value->literal;
    g_hash_table_insert (s->map, (gpointer) value, copy->outputs[i]);
  }
}

static void
hand_over (State *s)
{
  NativertGraph *fold = s->fold;
  fold->outputs = nativert_region_new_n (fold->region, NativertGraphOutput, s->results->len);
  for (guint i = 0; i < s->results->len; i++) {
    NativertGraphValue *value = g_ptr_array_index (s->results, i), *result = g_hash_table_lookup (s->map, value);
    g_autofree char *target = g_strconcat ("folded:", value->name, NULL);
    NativertGraphValue *folded = nativert_graph_new_value (s->graph, value->name, value->type, value->meta);
    folded->expr = value->expr;
    folded->literal = value->literal;
    NativertGraphInput *input = nativert_graph_add_input (s->graph, NATIVERT_IN_FOLDED, target, folded);
    fold->outputs[fold->n_outputs++] = (NativertGraphOutput) { .kind = NATIVERT_OUT_USER, .target = input->target,
      .arg = NATIVERT_GRAPH_VALUE (result) };
    nativert_value_add_use (fold, result, NULL, i);
    nativert_value_replace_uses (value, folded);
  }
}

/* Constant nodes that do not stay: copied, or read by copied ones alone, or dead. */
static int
remove_moved (State *s, GError **error)
{
  int n = 0;
  for (NativertNode *node = s->graph->last, *prev; node; node = prev) {
    prev = node->prev;
    if (!is_constant (s, node) || s->keep[node->order])
      continue;
    if (!nativert_graph_remove (s->graph, node, error))
      return -1;
    n++;
  }
  return n;
}

static int
compare_by_id (gconstpointer a, gconstpointer b)
{
  const NativertGraphValue *x = *(const NativertGraphValue *const *) a, *y = *(const NativertGraphValue *const *) b;
  return x->id < y->id ? -1 : x->id > y->id;
}

static int
split (State *s, GError **error)
{
  choose_results (s);
  choose_nodes (s);
  if (s->results->len > 0) {
    g_ptr_array_sort (s->results, compare_by_id);
    s->fold = nativert_graph_new_empty (s->graph, s->graph->program, "fold");
    for (const NativertNode *node = s->graph->first; node; node = node->next)
      if (s->in_fold[node->order])
        copy_node (s, node);
    hand_over (s);
    nativert_graph_renumber (s->fold);
    s->graph->fold = s->fold;
  }
  return remove_moved (s, error);
}

int
nativert_pass_constants (NativertGraph *graph, const NativertSchemas *schemas, GError **error)
{
  if (graph->fold || graph->parent)
    return 0;
  g_autofree bool *constant = nativert_graph_mark_constants (graph);
  g_autofree bool *keep = g_new0 (bool, graph->n_nodes + 1), *in_fold = g_new0 (bool, graph->n_nodes + 1);
  g_autoptr (GPtrArray) results = g_ptr_array_new ();
  g_autoptr (GHashTable) map = g_hash_table_new (NULL, NULL);
  State s = { graph, NULL, constant, keep, in_fold, results, map };
  return split (&s, error);
}
