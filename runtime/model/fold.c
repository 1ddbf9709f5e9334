/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Constant folding: the part of a graph that depends on weights alone runs once per version, through a plan and a frame
 * like everything else; only what the rest of the graph reads is kept. */
#include "base/checked.h"
#include "exec/frame.h"
#include "base/strided.h"
#include "model/weights.h"

#include <string.h>

typedef struct {
  uint32_t n_inputs, n_outputs;
  NativertWeightValue *inputs, *results;
  void **weights, **outputs;
  const void **packs;
  NativertPackCache *cache;
} Fold;

static void
fold_clear (Fold *fold)
{
  nativert_weight_values_free (fold->inputs, fold->n_inputs);
  nativert_weight_values_free (fold->results, fold->n_outputs);
  g_clear_pointer (&fold->cache, nativert_pack_cache_free);
  g_free (fold->weights);
  g_free (fold->outputs);
  g_free (fold->packs);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Fold, fold_clear)

static bool
bind_inputs (Fold *fold, const NativertPlan *plan, const NativertWeightSet *set, const char *path, GError **error)
{
  if (!nativert_weight_values_resolve (plan->graph, set, path, fold->inputs, error))
    return false;
  for (uint32_t i = 0; i < fold->n_inputs; i++)
    fold->weights[i] = fold->inputs[i].data;
  for (uint32_t i = 0; i < plan->n_packs; i++) {
    fold->packs[i] = nativert_pack_cache_find (fold->cache, plan, i);
    if (fold->packs[i] == NULL)
      fold->packs[i] = nativert_pack_cache_make (fold->cache, plan, i, fold->weights[plan->packs[i].weight], error);
    if (fold->packs[i] == NULL)
      return false;
  }
  return true;
}

static bool
allocate_outputs (Fold *fold, const NativertPlan *plan, GError **error)
{
  for (uint32_t i = 0; i < fold->n_outputs; i++) {
    const NativertSlot *slot = &plan->slots[plan->outputs[i].slot];
    const NativertBlock *block = &plan->blocks[slot->block];
    if (plan->outputs[i].kind != NATIVERT_VALUE_TENSOR || block->mem != NATIVERT_MEM_OUTPUT)
      continue;
    fold->results[i].storage = nativert_storage_new (block->n_bytes, error);
    if (fold->results[i].storage == NULL)
      return false;
    fold->outputs[i] = nativert_storage_data (fold->results[i].storage);
    fold->results[i].data = (char *) fold->outputs[i] + slot->offset;
  }
  return true;
}

/* Result number index as the graph's FOLDED input wants it: a copy when its strides or its memory are other ones. */
static bool
take_result (Fold *fold, NativertFrame *frame, const NativertPlan *plan, uint32_t index,
    const NativertTensorMetaDesc *meta, NativertWeightValue *value, GError **error)
{
  const NativertView *view = nativert_frame_slot (frame, plan->outputs[index].slot);
  size_t item = nativert_dtype_size (view->dtype), n_bytes;
  int64_t stride[NATIVERT_MAX_DIMS];
  bool agrees = meta == NULL || (meta->dtype == view->dtype && meta->n_dims == view->ndim);

  for (uint32_t i = 0; i < view->ndim && agrees; i++) {
    stride[i] = meta != NULL ? meta->strides[i].value : view->stride[i];
    agrees = meta == NULL
        || (meta->sizes[i].expr == NULL && meta->strides[i].expr == NULL && meta->sizes[i].value == view->size[i]);
  }
  if (!agrees || !nativert_extent (view->size, stride, view->ndim, 0, item, &n_bytes)) {
    g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_MISMATCH,
        "constant part: result %u is not what its metadata says", index);
    return false;
  }
  if (fold->results[index].storage != NULL && nativert_strided_equal (view->size, view->stride, stride, view->ndim)) {
    value->data = fold->results[index].data;
    value->storage = g_steal_pointer (&fold->results[index].storage);
    return true;
  }
  value->storage = nativert_storage_new (n_bytes, error);
  if (value->storage == NULL)
    return false;
  value->data = nativert_storage_data (value->storage);
  nativert_strided_copy (value->data, stride, view->data, view->stride, view->size, view->ndim, item);
  return true;
}

/* A Python float that steps computed, or that the plan knew: a 0-d float64. */
static bool
take_number (NativertFrame *frame, const NativertPlanOutput *output, NativertWeightValue *value, GError **error)
{
  const NativertNum *number = &output->number;
  double x = number->kind == NATIVERT_NUM_FLOAT ? number->u.f
      : number->kind == NATIVERT_NUM_INT        ? (double) number->u.i
                                                : number->u.b;

  if (output->slot != NATIVERT_NO_SLOT)
    memcpy (&x, nativert_frame_slot (frame, output->slot)->data, sizeof x);
  value->storage = nativert_storage_new (sizeof x, error);
  if (value->storage == NULL)
    return false;
  value->data = memcpy (nativert_storage_data (value->storage), &x, sizeof x);
  return true;
}

static bool
take_results (Fold *fold, NativertFrame *frame, NativertCore *core, NativertWeightValue *values, GError **error)
{
  uint32_t next = 0;

  for (uint32_t i = 0; i < core->graph->n_inputs; i++) {
    const NativertGraphInput *input = &core->graph->inputs[i];
    const NativertPlanOutput *output;
    bool ok;
    if (input->kind != NATIVERT_IN_FOLDED)
      continue;
    g_return_val_if_fail (next < fold->n_outputs, false);
    output = &core->fold_plan->outputs[next];
    if (output->kind == NATIVERT_VALUE_TENSOR)
      ok = take_result (fold, frame, core->fold_plan, next, input->value->meta, &values[i], error);
    else
      ok = take_number (frame, output, &values[i], error);
    if (!ok)
      return false;
    next++;
  }
  return true;
}

bool
nativert_fold (
    NativertCore *core, const NativertWeightSet *set, const char *path, NativertWeightValue *values, GError **error)
{
  const NativertPlan *plan = core->fold_plan;
  g_autoptr (NativertFrame) frame = NULL;
  g_auto (Fold) fold = {0};

  if (plan == NULL)
    return true;
  fold.n_inputs = plan->graph->n_inputs;
  fold.n_outputs = plan->n_outputs;
  fold.inputs = g_new0 (NativertWeightValue, fold.n_inputs + 1);
  fold.results = g_new0 (NativertWeightValue, fold.n_outputs + 1);
  fold.weights = g_new0 (void *, fold.n_inputs + 1);
  fold.outputs = g_new0 (void *, fold.n_outputs + 1);
  fold.packs = g_new0 (const void *, plan->n_packs + 1);
  fold.cache = nativert_pack_cache_new ();
  if (!bind_inputs (&fold, plan, set, path, error) || !allocate_outputs (&fold, plan, error))
    return false;
  frame = nativert_frame_new (core->fold_plan, error);
  if (frame == NULL)
    return false;
  nativert_frame_bind (
      frame, &(NativertBinding){ .weights = fold.weights, .packs = fold.packs, .state = fold.weights });
  if (!nativert_frame_run (frame, NULL, fold.outputs, 0, error)) {
    g_prefix_error (error, "constant part: ");
    return false;
  }
  return take_results (&fold, frame, core, values, error);
}
