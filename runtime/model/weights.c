/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NativertWeights: a version.  Values are read and folded when it is made; plans then ask for packs.  A value that
 * plans read only through packs is let go once it is packed: a ResNet would otherwise live in memory three times (file,
 * folded, packed). What a plan has read directly once stays, since frames that are bound to it keep the pointer. */
#include "model/lock.h"
#include "model/weights.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

struct _NativertWeights {
  NativertRefs refs;
  guint64 version;
  NativertCore *core;
  NativertWeightSource *source;
  NativertLock lock;                    /* all below */
  NativertWeightValue *values;          /* by graph input number */
  bool *direct;                         /* some plan reads it as it is */
  NativertPackCache *packs;
};

G_DEFINE_BOXED_TYPE (NativertWeights, nativert_weights, nativert_weights_ref, nativert_weights_unref)

static guint64
next_version (void)
{
  static _Atomic guint64 counter;

  return ++counter;
}

NativertWeights *
nativert_weights_ref (NativertWeights *weights)
{
  g_return_val_if_fail (weights != NULL, NULL);
  nativert_refs_inc (&weights->refs);
  return weights;
}

void
nativert_weights_unref (NativertWeights *weights)
{
  g_return_if_fail (weights != NULL);
  if (!nativert_refs_dec (&weights->refs))
    return;
  nativert_weight_values_free (weights->values, weights->core->graph->n_inputs);
  nativert_pack_cache_free (weights->packs);
  nativert_weight_source_free (weights->source);
  pthread_mutex_destroy (&weights->lock);
  g_free (weights->direct);
  nativert_core_unref (weights->core);
  g_free (weights);
}

guint64
nativert_weights_get_version (const NativertWeights *weights)
{
  g_return_val_if_fail (weights != NULL, 0);
  return weights->version;
}

NativertCore *
nativert_weights_get_core (const NativertWeights *weights)
{
  return weights->core;
}

/* All values afresh, from the file. */
static NativertWeightValue *
load_values (NativertWeights *weights, GCancellable *cancellable, GError **error)
{
  NativertCore *core = weights->core;
  const char *path = nativert_weight_source_get_path (weights->source);
  g_autoptr (NativertWeightSet) set = nativert_weight_source_read (weights->source, cancellable, error);
  NativertWeightValue *values;

  if (set == NULL)
    return NULL;
  values = g_new0 (NativertWeightValue, core->graph->n_inputs + 1);
  if (nativert_weight_values_resolve (core->graph, set, path, values, error)
      && nativert_fold (core, set, path, values, error))
    return values;
  nativert_weight_values_free (values, core->graph->n_inputs);
  return NULL;
}

/* Takes source. */
static NativertWeights *
weights_new (NativertCore *core, NativertWeightSource *source, GCancellable *cancellable, GError **error)
{
  g_autoptr (NativertWeights) weights = g_new0 (NativertWeights, 1);

  nativert_refs_init (&weights->refs);
  pthread_mutex_init (&weights->lock, NULL);
  weights->version = next_version ();
  weights->core = nativert_core_ref (core);
  weights->source = source;
  weights->direct = g_new0 (bool, core->graph->n_inputs + 1);
  weights->packs = nativert_pack_cache_new ();
  weights->values = load_values (weights, cancellable, error);
  return weights->values != NULL ? g_steal_pointer (&weights) : NULL;
}

NativertWeights *
nativert_weights_load_own (NativertCore *core, GCancellable *cancellable, GError **error)
{
  return weights_new (core, nativert_weight_source_new_own (core), cancellable, error);
}

NativertWeights *
nativert_weights_load (NativertModel *model, const char *path, GCancellable *cancellable, GError **error)
{
  NativertWeightSource *source;
  NativertCore *core;

  g_return_val_if_fail (NATIVERT_IS_MODEL (model) && path != NULL, NULL);
  core = nativert_model_get_core (model);
  source = nativert_weight_source_new (core, path, cancellable, error);
  if (source == NULL)
    return NULL;
  return weights_new (core, source, cancellable, error);
}

static bool
is_packed (const NativertPlan *plan, const NativertStep *step, uint32_t in)
{
  for (uint32_t i = 0; i < NATIVERT_MAX_PACKS; i++)
    if (step->pack[i] >= 0 && plan->packs[step->pack[i]].pack.in == in)
      return true;
  return false;
}

static void
mark_slot (const NativertPlan *plan, uint32_t slot, bool *reads)
{
  const NativertBlock *block = &plan->blocks[plan->slots[slot].block];

  if (block->mem == NATIVERT_MEM_WEIGHT || block->mem == NATIVERT_MEM_STATE)
    reads[block->index] = true;
}

/* Which graph inputs plan reads as they are: through no pack, as a result, or as the first value of a state. */
static void
mark_direct (const NativertCore *core, const NativertPlan *plan, bool *reads)
{
  for (uint32_t i = 0; i < plan->n_steps; i++) {
    const NativertStep *step = &plan->steps[i];
    for (uint32_t k = 0; k < step->n_in; k++)
      if (!is_packed (plan, step, k))
        mark_slot (plan, plan->slot_refs[step->in + k], reads);
    for (uint32_t k = 0; k < step->n_out; k++)
      mark_slot (plan, plan->slot_refs[step->out + k], reads);
  }
  for (uint32_t i = 0; i < plan->n_outputs; i++)
    if (plan->outputs[i].kind == NATIVERT_VALUE_TENSOR)
      mark_slot (plan, plan->outputs[i].slot, reads);
  for (uint32_t i = 0; i < core->graph->n_outputs; i++) {
    int32_t input = nativert_core_mutated_input (core, i);
    if (input >= 0 && nativert_input_is_weight (&core->graph->inputs[input]))
      reads[input] = true;
  }
}

/* Brings back values that were let go, if plan needs one. */
static bool
ensure_values (NativertWeights *weights, const NativertPlan *plan, const bool *reads, GError **error)
{
  uint32_t n = weights->core->graph->n_inputs;
  bool missing = false;
  NativertWeightValue *fresh;

  for (uint32_t i = 0; i < n; i++)
    missing = missing || (reads[i] && weights->values[i].data == NULL);
  for (uint32_t i = 0; i < plan->n_packs; i++)
    missing = missing
        || (weights->values[plan->packs[i].weight].data == NULL
            && nativert_pack_cache_find (weights->packs, plan, i) == NULL);
  if (!missing)
    return true;
  fresh = load_values (weights, NULL, error);
  if (fresh == NULL)
    return false;
  for (uint32_t i = 0; i < n; i++)
    if (weights->values[i].data == NULL) {
      weights->values[i] = fresh[i];
      fresh[i] = (NativertWeightValue) {0};
    }
  nativert_weight_values_free (fresh, n);
  return true;
}

static bool
make_packs (NativertWeights *weights, const NativertPlan *plan, const void **packs, GError **error)
{
  for (uint32_t i = 0; i < plan->n_packs; i++) {
    packs[i] = nativert_pack_cache_find (weights->packs, plan, i);
    if (packs[i] != NULL)
      continue;
    packs[i] = nativert_pack_cache_make (weights->packs, plan, i, weights->values[plan->packs[i].weight].data, error);
    if (packs[i] == NULL)
      return false;
  }
  return true;
}

static void
let_go (NativertWeights *weights)
{
  uint32_t n = weights->core->graph->n_inputs;
  gsize freed = 0;

  if (weights->core->flags & NATIVERT_LOAD_KEEP_WEIGHTS)
    return;
  for (uint32_t i = 0; i < n; i++) {
    NativertWeightValue *value = &weights->values[i];
    if (weights->direct[i] || value->storage == NULL)
      continue;
    freed += nativert_storage_n_bytes (value->storage);
    value->data = NULL;
    g_clear_pointer (&value->storage, nativert_storage_unref);
  }
#ifdef __GLIBC__
  if (freed > 0)
    malloc_trim (0);                    /* many middle-sized blocks went back to the C library, which would keep them */
#endif
}

bool
nativert_weights_bind (
    NativertWeights *weights, const NativertPlan *plan, void **data, const void **packs, GError **error)
{
  uint32_t n = weights->core->graph->n_inputs;
  g_autofree bool *reads = g_new0 (bool, n + 1);
  NATIVERT_LOCKED (&weights->lock);

  mark_direct (weights->core, plan, reads);
  if (!ensure_values (weights, plan, reads, error) || !make_packs (weights, plan, packs, error))
    return false;
  for (uint32_t i = 0; i < n; i++) {
    weights->direct[i] = weights->direct[i] || reads[i];
    data[i] = reads[i] ? weights->values[i].data : NULL;
  }
  let_go (weights);
  return true;
}

bool
nativert_weights_prepare (NativertWeights *weights, const NativertPlan *plan, GError **error)
{
  g_autofree void **data = g_new0 (void *, weights->core->graph->n_inputs + 1);
  g_autofree const void **packs = g_new0 (const void *, plan->n_packs + 1);

  return nativert_weights_bind (weights, plan, data, packs, error);
}

const void *
nativert_weights_peek (NativertWeights *weights, uint32_t input)
{
  NATIVERT_LOCKED (&weights->lock);

  return weights->values[input].data;
}
