/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The graph as a data structure: values with their uses, the list of nodes, and the functions that edit both. */
#include <string.h>
#include "graph/private.h"

NativertGraph *
nativert_graph_top (NativertGraph *graph)
{
  while (graph->parent)
    graph = graph->parent;
  return graph;
}

NativertGraph *
nativert_graph_new_empty (NativertGraph *parent, NativertProgram *program, const char *name)
{
  NativertGraph *top = parent ? nativert_graph_top (parent) : NULL;
  NativertGraph *graph = top ? nativert_region_new_n (top->region, NativertGraph, 1) : g_new0 (NativertGraph, 1);
  graph->program = program;
  graph->parent = parent;
  graph->region = top ? top->region : nativert_region_new ();
  graph->name = nativert_region_strdup (graph->region, name);
  graph->values = g_ptr_array_new ();
  graph->names = g_hash_table_new (g_str_hash, g_str_equal);
  if (top)
    g_ptr_array_add (top->owned, graph);
  else
    graph->owned = g_ptr_array_new ();
  return graph;
}

static void
free_containers (NativertGraph *graph)
{
  g_ptr_array_unref (graph->values);
  g_hash_table_unref (graph->names);
}

void
nativert_graph_free (NativertGraph *graph)
{
  if (!graph)
    return;
  g_return_if_fail (!graph->parent);
  for (guint i = 0; i < graph->owned->len; i++)
    free_containers (g_ptr_array_index (graph->owned, i));
  g_ptr_array_unref (graph->owned);
  free_containers (graph);
  nativert_region_free (graph->region);
  if (graph->program)
    nativert_program_free (graph->program);
  g_free (graph);
}

static const char *
unique_name (NativertGraph *graph, const char *wish)
{
  if (wish && *wish && !g_hash_table_contains (graph->names, wish))
    return nativert_region_strdup (graph->region, wish);
  for (guint i = wish && *wish ? 1 : 0;; i++) {
    g_autofree char *name = wish && *wish ? g_strdup_printf ("%s_%u", wish, i) : g_strdup_printf ("v%u", i);
    if (!g_hash_table_contains (graph->names, name))
      return nativert_region_strdup (graph->region, name);
  }
}

NativertGraphValue *
nativert_graph_new_value (NativertGraph *graph, const char *name, uint8_t type, const NativertTensorMetaDesc *meta)
{
  NativertGraphValue *value = nativert_region_new_n (graph->region, NativertGraphValue, 1);
  value->name = unique_name (graph, name);
  value->graph = graph;
  value->type = type;
  value->meta = meta;
  value->id = graph->values->len;
  g_ptr_array_add (graph->values, value);
  g_hash_table_insert (graph->names, (gpointer) value->name, value);
  return value;
}

void
nativert_graph_adopt_value (NativertGraph *graph, NativertGraphValue *value)
{
  value->name = unique_name (graph, value->name);
  value->graph = graph;
  value->id = graph->values->len;
  g_ptr_array_add (graph->values, value);
  g_hash_table_insert (graph->names, (gpointer) value->name, value);
}

/* ---- arguments ---- */

uint32_t
nativert_arg_n_slots (const NativertGraphArg *arg)
{
  switch (arg->kind) {
  case NATIVERT_GA_VALUE:
    return 1;
  case NATIVERT_GA_VALUES:
    return arg->n;
  case NATIVERT_GA_INTS:
  case NATIVERT_GA_FLOATS:
  case NATIVERT_GA_BOOLS:
    return arg->sym ? arg->n : 0;
  case NATIVERT_GA_NESTED: {
    uint32_t n = 0;
    for (uint32_t i = 0; i < arg->n; i++)
      n += arg->u.items[i].n;
    return n;
  }
  default:
    return 0;
  }
}

NativertGraphValue **
nativert_arg_slot (const NativertGraphArg *arg, uint32_t k)
{
  if (arg->kind == NATIVERT_GA_VALUE)
    return (NativertGraphValue **) &arg->u.value;
  if (arg->kind == NATIVERT_GA_VALUES)
    return &arg->u.values[k];
  if (arg->kind != NATIVERT_GA_NESTED)
    return &arg->sym[k];
  uint32_t i = 0;
  while (k >= arg->u.items[i].n)
    k -= arg->u.items[i++].n;
  return &arg->u.items[i].u.values[k];
}

