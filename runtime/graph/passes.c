/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The order of the passes, and the driver. */
#define G_LOG_DOMAIN "nativert"
#include "graph/passes.h"

/* "bind" cannot be skipped: what follows reads schemas. */
const NativertPass nativert_passes[] = {
  { "inline", nativert_pass_inline },
  { "asserts", nativert_pass_asserts },
  { "bind", nativert_graph_bind },
  { "no-ops", nativert_pass_noops },
  { "in-place", nativert_pass_in_place },
  { "copies", nativert_pass_copies },
  { "dead", nativert_pass_dead },
  { "products", nativert_pass_products },
  { "batch-norm", nativert_pass_batch_norm },
  { "epilogue", nativert_pass_epilogue },
  { "constants", nativert_pass_constants },
  { "dead-again", nativert_pass_dead },
  { NULL, NULL }
};

static bool
is_skipped (const char *name)
{
  const char *skip = g_getenv ("NATIVERT_SKIP_PASSES");
  if (!skip || g_str_equal (name, "bind"))
    return false;
  g_auto (GStrv) names = g_strsplit_set (skip, ", ", -1);
  return g_strv_contains ((const char *const *) names, name);
}

bool
nativert_graph_optimize (NativertGraph *graph, const NativertSchemas *schemas, GError **error)
{
  if (!nativert_graph_lint (graph, error))
    return false;
  for (const NativertPass *pass = nativert_passes; pass->name; pass++) {
    if (is_skipped (pass->name)) {
      g_debug ("pass %s: skipped", pass->name);
      continue;
    }
    int n = pass->run (graph, schemas, error);
    if (n < 0)
      return false;
    g_debug ("pass %s: %d changes, %u nodes", pass->name, n, graph->n_nodes);
  }
  nativert_graph_renumber (graph);
  if (graph->fold)
    nativert_graph_renumber (graph->fold);
  return nativert_graph_lint (graph, error);
}
