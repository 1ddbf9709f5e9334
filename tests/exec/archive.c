/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* See archive.h. */
#include <stdlib.h>
#include <string.h>
#include "archive.h"
#include "base/checked.h"

static void *
new_memory (GPtrArray *owner, size_t n_bytes)
{
  void *memory = NULL;
  g_assert_cmpint (posix_memalign (&memory, 64, n_bytes + 64), ==, 0);
  memset (memory, 0xee, n_bytes + 64);
  g_ptr_array_add (owner, memory);
  return memory;
}

static bool
is_weight (uint8_t kind)
{
  return kind == NATIVERT_IN_PARAMETER || kind == NATIVERT_IN_BUFFER || kind == NATIVERT_IN_TENSOR_CONSTANT;
}

static bool
find_weights (const Archive *archive, const NativertGraph *graph, void **data, GError **error)
{
  for (uint32_t i = 0; i < graph->n_inputs; i++) {
    if (!is_weight (graph->inputs[i].kind))
      continue;
    const NativertWeightDesc *w = nativert_weight_set_find (archive->weights, graph->inputs[i].target);
    if (!w || !w->storage) {
      g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_MISSING, "no weight %s", graph->inputs[i].target);
      return false;
    }
    data[i]
        = (char *) nativert_storage_data (w->storage) + w->offset * (int64_t) nativert_dtype_size ((uint8_t) w->dtype);
  }
  return true;
}

static bool
fold (Archive *archive, GError **error)
{
  NativertGraph *graph = archive->graph->fold;
  g_autofree void **data = g_new0 (void *, graph->n_inputs + 1), **state = g_new0 (void *, graph->n_inputs + 1);
  Archive part = { graph, archive->weights, data, archive->memory };
  if (!find_weights (archive, graph, data, error))
    return false;
  g_autoptr (Bound) bound = bound_new (&part, NULL, 0, state, error);
  if (!bound || !nativert_frame_run (bound->frame, NULL, bound->outputs, 0, error))
    return false;
  uint32_t n = 0;
  for (uint32_t i = 0; i < archive->graph->n_inputs; i++) {
    if (archive->graph->inputs[i].kind != NATIVERT_IN_FOLDED)
      continue;
    const NativertPlanOutput *out = &bound->plan->outputs[n++];
    g_assert_cmpuint (out->slot, !=, NATIVERT_NO_SLOT);
    const NativertView *view = nativert_frame_slot (bound->frame, out->slot);
    size_t n_bytes;
    g_assert_true (
        nativert_extent (view->size, view->stride, view->ndim, 0, nativert_dtype_size (view->dtype), &n_bytes));
    archive->data[i] = memcpy (new_memory (archive->memory, n_bytes), view->data, n_bytes);
  }
  return true;
}

Archive *
archive_open (const char *path, GError **error)
{
  g_autoptr (Archive) archive = g_new0 (Archive, 1);
  archive->memory = g_ptr_array_new_with_free_func (free);
  g_autoptr (NativertPackage) package = nativert_package_open (path, NULL, error);
  const char *model = package ? nativert_package_find_model (package, NULL, error) : NULL;
  NativertProgram *program = model ? nativert_package_load_program (package, model, error) : NULL;
  archive->graph = program ? nativert_graph_new (program, error) : NULL;
  if (!archive->graph || !nativert_graph_optimize (archive->graph, nativert_plan_schemas (), error))
    return NULL;
  archive->weights = nativert_package_load_weights (package, model, false, NULL, NULL, NULL, error);
  archive->data = g_new0 (void *, archive->graph->n_inputs + 1);
  if (!archive->weights || !find_weights (archive, archive->graph, archive->data, error))
    return NULL;
  if (archive->graph->fold && !fold (archive, error))
    return NULL;
  return g_steal_pointer (&archive);
}

void
archive_free (Archive *archive)
{
  if (!archive)
    return;
  nativert_graph_free (archive->graph);
  nativert_weight_set_free (archive->weights);
  g_free (archive->data);
  g_ptr_array_unref (archive->memory);
  g_free (archive);
}

static void
make_packs (const Archive *archive, Bound *bound)
{
  const NativertPlan *plan = bound->plan;
  bound->packs = g_new0 (const void *, plan->n_packs + 1);
  for (uint32_t i = 0; i < plan->n_packs; i++) {
    const NativertPlanPack *p = &plan->packs[i];
    NativertView view = p->view;
    void *pack = new_memory (bound->memory, p->pack.n_bytes);
    view.data = (char *) archive->data[p->weight] + p->offset;
    p->pack.fn (pack, &view, plan->params + p->params);
    bound->packs[i] = pack;
  }
}

Bound *
bound_new (const Archive *archive, const NativertPlanInput *inputs, uint32_t n_inputs, void **state, GError **error)
{
  g_autoptr (Bound) bound = g_new0 (Bound, 1);
  bound->memory = g_ptr_array_new_with_free_func (free);
  bound->plan = nativert_plan_new (archive->graph, inputs, n_inputs, error);
  bound->frame = bound->plan ? nativert_frame_new (bound->plan, error) : NULL;
  if (!bound->frame)
    return NULL;
  make_packs (archive, bound);
  bound->outputs = g_new0 (void *, bound->plan->n_outputs + 1);
  for (uint32_t i = 0; i < bound->plan->n_blocks; i++) {
    const NativertBlock *b = &bound->plan->blocks[i];
    if (b->mem == NATIVERT_MEM_OUTPUT)
      bound->outputs[b->index] = new_memory (bound->memory, b->n_bytes);
    if (b->mem == NATIVERT_MEM_STATE && !state[b->index])
      state[b->index] = memcpy (new_memory (archive->memory, b->n_bytes), archive->data[b->index], b->n_bytes);
  }
  nativert_frame_bind (bound->frame, &(NativertBinding) { archive->data, bound->packs, state });
  return g_steal_pointer (&bound);
}

void
bound_free (Bound *bound)
{
  if (!bound)
    return;
  nativert_frame_free (bound->frame);
  nativert_plan_unref (bound->plan);
  g_free (bound->packs);
  g_free (bound->outputs);
  g_ptr_array_unref (bound->memory);
  g_free (bound);
}
