/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes a plan: symbols, inputs, every node in order, outputs; then edges and the arena.  Nothing is looked up by name
 * and nothing depends on the values of weights. */
#include <string.h>
#include <unistd.h>
#include "plan/builder.h"

/* The first failure counts; what follows from it is not news. */
bool
nativert_builder_fail (NativertBuilder *b, NativertError code, const char *format, ...)
{
  if (*b->error)
    return false;
  va_list args;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  if (!b->node) {
    g_set_error_literal (b->error, NATIVERT_ERROR, code, text);
    return false;
  }
  const char *name = b->node->name && *b->node->name ? b->node->name
      : b->node->n_outputs                           ? b->node->outputs[0]->name
                                                     : "?";
  const char *target = b->node->target;
  if (g_str_has_prefix (target, "torch.ops."))
    target += strlen ("torch.ops.");
  g_set_error (b->error, NATIVERT_ERROR, code, "node `%s` (%s): %s", name, target, text);
  return false;
}

static size_t
memory_limit (void)
{
  long pages = sysconf (_SC_PHYS_PAGES), page = sysconf (_SC_PAGESIZE);
  return pages > 0 && page > 0 ? (size_t) pages * (size_t) page : (size_t) 1 << 32;
}

static void
init (NativertBuilder *b, const NativertGraph *graph, GError **error)
{
  NativertRegion *region = nativert_region_new ();
  memset (b, 0, sizeof *b);
  b->plan = nativert_region_new_n (region, NativertPlan, 1);
  b->plan->region = region;
  b->plan->graph = graph;
  nativert_refs_init (&b->plan->refs);
  b->graph = graph;
  b->temp = nativert_region_new ();
  b->values = g_array_sized_new (FALSE, FALSE, sizeof (NativertPlanValue), graph->values->len + 16);
  b->blocks = g_array_sized_new (FALSE, FALSE, sizeof (NativertPlanBlock), graph->values->len + 16);
  b->steps = g_array_sized_new (FALSE, FALSE, sizeof (NativertStep), graph->n_nodes + 16);
  b->refs = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  b->params = g_byte_array_new ();
  b->packs = g_array_new (FALSE, FALSE, sizeof (NativertPlanPack));
  b->mutated = g_array_new (FALSE, FALSE, sizeof (NativertPlanMutated));
  b->gv = nativert_region_new_n (b->temp, NativertPlanGraphValue, graph->values->len + 1);
  b->limit = memory_limit ();
  b->error = error;
  nativert_builder_init_emit (b);
}

static void
clear (NativertBuilder *b)
{
  g_clear_pointer (&b->plan, nativert_plan_unref);
  nativert_region_free (b->temp);
  g_array_unref (b->values);
  g_array_unref (b->blocks);
  g_array_unref (b->steps);
  g_array_unref (b->refs);
  g_byte_array_unref (b->params);
  g_array_unref (b->packs);
  g_array_unref (b->mutated);
}

static void *
keep (NativertPlan *plan, const GArray *array, size_t size)
{
  return nativert_region_memdup (plan->region, array->len ? array->data : "", array->len * size);
}

static void
store_constants (NativertBuilder *b)
{
  NativertPlan *plan = b->plan;
  plan->constants_bytes = b->constants_bytes;
  char *memory = nativert_region_alloc (plan->region, b->constants_bytes + NATIVERT_ALIGN);
  plan->constants = memory + (NATIVERT_ALIGN - (uintptr_t) memory % NATIVERT_ALIGN) % NATIVERT_ALIGN;
  for (uint32_t i = 0; i < b->blocks->len; i++) {
    const NativertPlanBlock *block = NATIVERT_BLOCK (b, i);
    if (block->b.mem == NATIVERT_MEM_CONSTANT)
      memcpy (plan->constants + block->b.offset, block->data, block->b.n_bytes);
  }
}

static bool
finish (NativertBuilder *b)
{
  NativertPlan *plan = b->plan;
  plan->n_blocks = b->blocks->len;
  plan->blocks = nativert_region_new_n (plan->region, NativertBlock, plan->n_blocks + 1);
  for (uint32_t i = 0; i < plan->n_blocks; i++)
    plan->blocks[i] = NATIVERT_BLOCK (b, i)->b;
  plan->n_slots = b->values->len;
  plan->slots = nativert_region_new_n (plan->region, NativertSlot, plan->n_slots + 1);
  for (uint32_t i = 0; i < plan->n_slots; i++) {
    const NativertPlanValue *v = NATIVERT_VALUE (b, i);
    plan->slots[i] = (NativertSlot) { v->block, v->offset, v->view };
    plan->slots[i].view.data = NULL;
  }
  plan->n_steps = b->steps->len;
  plan->steps = keep (plan, b->steps, sizeof (NativertStep));
  plan->slot_refs = keep (plan, b->refs, sizeof (uint32_t));
  plan->n_packs = b->packs->len;
  plan->packs = keep (plan, b->packs, sizeof (NativertPlanPack));
  plan->n_mutated = b->mutated->len;
  plan->mutated = keep (plan, b->mutated, sizeof (NativertPlanMutated));
  plan->params
      = nativert_region_memdup (plan->region, b->params->len ? (const void *) b->params->data : "", b->params->len);
  store_constants (b);
  nativert_plan_find_once (plan, b->temp);
  plan->n_segments = 2;
  plan->segments = nativert_region_new_n (plan->region, NativertSegment, 2);
  plan->segments[0] = (NativertSegment) { NATIVERT_SEGMENT_ONCE, 0, plan->n_once };
  plan->segments[1] = (NativertSegment) { NATIVERT_SEGMENT_STEPS, plan->n_once, plan->n_steps - plan->n_once };
  nativert_plan_make_dag (plan);
  if (nativert_plan_make_arena (plan, b, &plan->arena_bytes))
    return true;
  return nativert_builder_fail (b, NATIVERT_ERROR_LIMIT, "a run needs %zu MiB of memory, the limit is %zu MiB",
      plan->arena_bytes >> 20, b->limit >> 20);
}

static bool
make (NativertBuilder *b, const NativertPlanInput *inputs, uint32_t n_inputs)
{
  int32_t copy = nativert_plan_find_op ("nativert_copy");
  b->copy_op = copy < 0 ? NATIVERT_N_OPS : (uint16_t) copy;
  nativert_builder_find_classes (b);
  if (!nativert_builder_solve (b, inputs, n_inputs) || !nativert_builder_bind_inputs (b, inputs))
    return false;
  for (const NativertNode *node = b->graph->first; node; node = node->next)
    if (!nativert_builder_lower_node (b, node))
      return false;
  return nativert_builder_lower_outputs (b) && finish (b);
}

NativertPlan *
nativert_plan_new (const NativertGraph *graph, const NativertPlanInput *inputs, uint32_t n_inputs, GError **error)
{
  NativertBuilder b;
  GError *failure = NULL;
  init (&b, graph, &failure);
  NativertPlan *plan = make (&b, inputs, n_inputs) ? g_steal_pointer (&b.plan) : NULL;
  clear (&b);
  if (failure) {
    g_clear_pointer (&plan, nativert_plan_unref);
    g_propagate_error (error, failure);
  }
  return plan;
}

NativertPlan *
nativert_plan_ref (NativertPlan *plan)
{
  nativert_refs_inc (&plan->refs);
  return plan;
}

void
nativert_plan_unref (NativertPlan *plan)
{
  if (plan && nativert_refs_dec (&plan->refs))
    nativert_region_free (plan->region);
}
