/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Steps that depend on weights alone: what expansions make of parameters, casts and copies of them.  They go to the
 * front and run when a frame is bound; what they write stays in the frame. */
#include <string.h>
#include "plan/builder.h"

typedef struct { NativertPlan *plan; uint32_t *n_writers; } Once;

static const NativertBlock *
block_of (const NativertPlan *plan, uint32_t ref)
{
  return &plan->blocks[plan->slots[plan->slot_refs[ref]].block];
}

static bool
is_once (const Once *o, const NativertStep *s)
{
  if (nativert_ops[s->kernel->op].flags & NATIVERT_FLAG_RANDOM)
    return false;
  for (uint32_t k = 0; k < s->n_in; k++) {
    const NativertBlock *b = block_of (o->plan, s->in + k);
    if (b->mem != NATIVERT_MEM_WEIGHT && b->mem != NATIVERT_MEM_CONSTANT && !b->once)
      return false;
  }
  for (uint32_t k = 0; k < s->n_out; k++) {
    uint32_t block = o->plan->slots[o->plan->slot_refs[s->out + k]].block;
    if (o->plan->blocks[block].mem != NATIVERT_MEM_ARENA || o->plan->blocks[block].keep || o->n_writers[block] != 1)
      return false;
  }
  return true;
}

/* A graph without inputs runs once anyhow. */
void
nativert_plan_find_once (NativertPlan *plan, NativertRegion *temp)
{
  Once o = { plan, nativert_region_new_n (temp, uint32_t, plan->n_blocks + 1) };
  NativertStep *later = nativert_region_new_n (temp, NativertStep, plan->n_steps + 1);
  uint32_t n_later = 0;
  if (!plan->n_inputs)
    return;
  for (uint32_t i = 0; i < plan->n_steps; i++)
    for (uint32_t k = 0; k < plan->steps[i].n_out; k++)
      o.n_writers[plan->slots[plan->slot_refs[plan->steps[i].out + k]].block]++;
  for (uint32_t i = 0; i < plan->n_steps; i++) {
    if (!is_once (&o, &plan->steps[i])) {
      later[n_later++] = plan->steps[i];
      continue;
    }
    for (uint32_t k = 0; k < plan->steps[i].n_out; k++)
      plan->blocks[plan->slots[plan->slot_refs[plan->steps[i].out + k]].block].once = true;
    plan->cost -= plan->steps[i].cost;
    plan->steps[plan->n_once++] = plan->steps[i];
  }
  memcpy (plan->steps + plan->n_once, later, n_later * sizeof *later);
}
