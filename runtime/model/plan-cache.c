/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A few plans by input sizes; the one that was not used for longest goes first. */
#include "model/plan-cache.h"
#include "base/checked.h"
#include "base/strided.h"

/* A result that the plan computes in place lives in its block; one that it leaves in the arena, an input or a weight is
 * copied out densely. */
static bool
make_pool (NativertPlanEntry *entry, uint32_t output, GError **error)
{
  const NativertPlan *plan = entry->plan;
  const NativertSlot *slot = &plan->slots[plan->outputs[output].slot];
  const NativertBlock *block = &plan->blocks[slot->block];
  NativertView view = slot->view;
  size_t n_bytes;

  if (block->mem == NATIVERT_MEM_STATE && entry->core->graph->outputs[output].kind != NATIVERT_OUT_USER)
    return true;                        /* the plan has written the buffer already */
  entry->in_pool[output] = block->mem == NATIVERT_MEM_OUTPUT && block->index == output;
  if (entry->in_pool[output]) {
    entry->pools[output] = nativert_output_pool_new (&view, slot->offset, block->n_bytes);
    return true;
  }
  nativert_strided_dense (view.size, view.ndim, view.stride);
  if (!nativert_extent (view.size, view.stride, view.ndim, 0, nativert_dtype_size (view.dtype), &n_bytes)) {
    g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_LIMIT, "output %u is too large", output);
    return false;
  }
  entry->pools[output] = nativert_output_pool_new (&view, 0, n_bytes);
  return true;
}

NativertPlanEntry *
nativert_plan_entry_new (NativertCore *core, const NativertRunInputs *ri, GError **error)
{
  g_autoptr (NativertPlanEntry) entry = g_new0 (NativertPlanEntry, 1);
  uint32_t n_outputs = core->graph->n_outputs;

  nativert_refs_init (&entry->refs);
  entry->core = nativert_core_ref (core);
  entry->inputs = nativert_plan_inputs_dup (ri->inputs, ri->n);
  entry->hash = ri->hash;
  entry->pools = g_new0 (NativertOutputPool *, n_outputs + 1);
  entry->in_pool = g_new0 (bool, n_outputs + 1);
  if (!nativert_run_inputs_check (ri, core, error))
    return NULL;
  entry->plan = nativert_plan_new (core->graph, ri->inputs, ri->n, error);
  if (entry->plan == NULL)
    return NULL;
  for (uint32_t i = 0; i < n_outputs; i++)
    if (entry->plan->outputs[i].kind == NATIVERT_VALUE_TENSOR && !make_pool (entry, i, error))
      return NULL;
  return g_steal_pointer (&entry);
}

NativertPlanEntry *
nativert_plan_entry_ref (NativertPlanEntry *entry)
{
  nativert_refs_inc (&entry->refs);
  return entry;
}

void
nativert_plan_entry_unref (NativertPlanEntry *entry)
{
  NativertSession *next;

  if (!nativert_refs_dec (&entry->refs))
    return;
  for (NativertSession *session = entry->idle; session != NULL; session = next) {
    next = session->next;
    nativert_session_free (session);
  }
  for (uint32_t i = 0; i < entry->core->graph->n_outputs; i++)
    nativert_output_pool_free (entry->pools[i]);
  nativert_plan_inputs_free (entry->inputs, entry->core->n_inputs);
  g_clear_pointer (&entry->plan, nativert_plan_unref);
  g_free (entry->pools);
  g_free (entry->in_pool);
  nativert_core_unref (entry->core);
  g_free (entry);
}

NativertPlanEntry *
nativert_plan_cache_find (NativertPlanCache *cache, const NativertRunInputs *ri)
{
  for (uint32_t i = 0; i < NATIVERT_PLAN_CACHE_SIZE; i++) {
    NativertPlanEntry *entry = cache->entries[i];
    if (entry != NULL && entry->hash == ri->hash && nativert_plan_inputs_equal (entry->inputs, ri->inputs, ri->n)) {
      entry->last_use = ++cache->clock;
      return entry;
    }
  }
  return NULL;
}

NativertPlanEntry *
nativert_plan_cache_add (NativertPlanCache *cache, NativertPlanEntry *entry)
{
  NativertPlanEntry *old;
  uint32_t place = 0;

  for (uint32_t i = 0; i < NATIVERT_PLAN_CACHE_SIZE && cache->entries[place] != NULL; i++)
    if (cache->entries[i] == NULL || cache->entries[i]->last_use < cache->entries[place]->last_use)
      place = i;
  old = cache->entries[place];
  cache->entries[place] = nativert_plan_entry_ref (entry);
  entry->last_use = ++cache->clock;
  return old;
}

void
nativert_plan_cache_clear (NativertPlanCache *cache)
{
  for (uint32_t i = 0; i < NATIVERT_PLAN_CACHE_SIZE; i++)
    g_clear_pointer (&cache->entries[i], nativert_plan_entry_unref);
}
