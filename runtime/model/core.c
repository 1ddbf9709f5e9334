/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loading: archive -> program -> graph -> bound and optimised graph -> plan of its constant part -> ports. */
#include "model/core.h"

static void
core_free (NativertCore *core)
{
  g_clear_pointer (&core->fold_plan, nativert_plan_unref);
  g_clear_pointer (&core->graph, nativert_graph_free);
  g_clear_pointer (&core->in_spec, nativert_tree_spec_free);
  g_clear_pointer (&core->out_spec, nativert_tree_spec_free);
  g_clear_pointer (&core->region, nativert_region_free);
  g_clear_pointer (&core->wanted, g_hash_table_unref);
  g_clear_pointer (&core->package, nativert_package_unref);
  g_free (core->path);
  g_free (core->name);
  g_free (core);
}

NativertCore *
nativert_core_ref (NativertCore *core)
{
  nativert_refs_inc (&core->refs);
  return core;
}

void
nativert_core_unref (NativertCore *core)
{
  if (nativert_refs_dec (&core->refs))
    core_free (core);
}

bool
nativert_input_is_weight (const NativertGraphInput *input)
{
  return input->kind == NATIVERT_IN_PARAMETER || input->kind == NATIVERT_IN_BUFFER
      || input->kind == NATIVERT_IN_TENSOR_CONSTANT;
}

int32_t
nativert_core_mutated_input (const NativertCore *core, uint32_t output)
{
  const NativertGraph *graph = core->graph;
  const NativertGraphOutput *out = &graph->outputs[output];
  bool of_user = out->kind == NATIVERT_OUT_USER_INPUT_MUTATION;

  if (!of_user && out->kind != NATIVERT_OUT_BUFFER_MUTATION && out->kind != NATIVERT_OUT_PARAMETER_MUTATION)
    return -1;
  for (uint32_t i = 0; i < graph->n_inputs; i++) {
    const NativertGraphInput *in = &graph->inputs[i];
    const char *name = of_user ? (in->kind == NATIVERT_IN_USER && in->value != NULL ? in->value->name : NULL)
        : (nativert_input_is_weight (in) ? in->target : NULL);
    if (name != NULL && g_strcmp0 (name, out->target) == 0)
      return (int32_t) i;
  }
  return -1;
}

static void
want_used (NativertCore *core, const NativertGraph *graph)
{
  for (uint32_t i = 0; i < graph->n_inputs; i++) {
    const NativertGraphInput *in = &graph->inputs[i];
    if (nativert_input_is_weight (in) && in->value != NULL && in->value->n_uses > 0)
      g_hash_table_add (core->wanted, (gpointer) in->target);
  }
}

/* Buffers that the program only writes are wanted too: a stream's state starts from them. */
static void
collect_wanted (NativertCore *core)
{
  core->wanted = g_hash_table_new (g_str_hash, g_str_equal);
  want_used (core, core->graph);
  if (core->graph->fold != NULL)
    want_used (core, core->graph->fold);
  for (uint32_t i = 0; i < core->graph->n_outputs; i++) {
    int32_t input = nativert_core_mutated_input (core, i);
    if (input >= 0 && nativert_input_is_weight (&core->graph->inputs[input]))
      g_hash_table_add (core->wanted, (gpointer) core->graph->inputs[input].target);
  }
}

static bool
parse_specs (NativertCore *core, const NativertProgram *program, GError **error)
{
  if (program->in_spec != NULL) {
    core->in_spec = nativert_tree_spec_parse (program->in_spec, program, error);
    if (core->in_spec == NULL)
      return false;
  }
  if (program->out_spec != NULL) {
    core->out_spec = nativert_tree_spec_parse (program->out_spec, program, error);
    if (core->out_spec == NULL)
      return false;
  }
  return true;
}

static bool
build_graph (NativertCore *core, GError **error)
{
  g_autoptr (NativertProgram) program = nativert_package_load_program (core->package, core->name, error);

  if (program == NULL || !parse_specs (core, program, error))
    return false;
  core->graph = nativert_graph_new (g_steal_pointer (&program), error);
  if (core->graph != NULL && (core->flags & NATIVERT_LOAD_RAW) == NATIVERT_LOAD_RAW)
    return true;
  if (core->graph == NULL || !nativert_graph_optimize (core->graph, nativert_plan_schemas (), error))
    return false;
  if (core->graph->fold != NULL) {
    core->fold_plan = nativert_plan_new (core->graph->fold, NULL, 0, error);
    if (core->fold_plan == NULL) {
      g_prefix_error (error, "constant part: ");
      return false;
    }
  }
  return true;
}

NativertCore *
nativert_core_load (
    const char *path, const char *name, NativertLoadFlags flags, GCancellable *cancellable, GError **error)
{
  g_autoptr (NativertCore) core = g_new0 (NativertCore, 1);
  const char *model;

  nativert_refs_init (&core->refs);
  core->path = g_strdup (path);
  core->flags = flags;
  core->region = nativert_region_new ();
  core->package = nativert_package_open (path, cancellable, error);
  if (core->package == NULL)
    return NULL;
  model = nativert_package_find_model (core->package, name, error);
  if (model == NULL)
    return NULL;
  core->name = g_strdup (model);
  if (!build_graph (core, error) || !nativert_core_describe (core, error))
    return NULL;
  collect_wanted (core);
  return g_steal_pointer (&core);
}
