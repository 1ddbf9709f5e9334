/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks a plan by definition: full reachability, every pair of steps, every pair of blocks. */
#include "check-plan.h"
#include "base/checked.h"

typedef struct {
  const NativertPlan *plan;
  bool *reach;                          /* [from * n + to] */
  uint8_t *touch;                       /* [step * n_blocks + block]: 1 reads, 2 writes */
} Check;

static bool
before (const Check *c, uint32_t a, uint32_t b)
{
  return c->reach[a * c->plan->n_steps + b];
}

static uint8_t
touches (const Check *c, uint32_t step, uint32_t block)
{
  return c->touch[step * c->plan->n_blocks + block];
}

static void
fill (Check *c)
{
  const NativertPlan *p = c->plan;
  for (uint32_t s = p->n_steps; s-- > p->n_once;) {
    const NativertStep *x = &p->steps[s];
    for (uint32_t k = 0; k < x->n_succ; k++) {
      uint32_t to = p->succ[x->first_succ + k];
      c->reach[s * p->n_steps + to] = true;
      for (uint32_t t = 0; t < p->n_steps; t++)
        c->reach[s * p->n_steps + t] |= c->reach[to * p->n_steps + t];
    }
    for (uint32_t k = 0; k < x->n_in; k++)
      c->touch[s * p->n_blocks + p->slots[p->slot_refs[x->in + k]].block] |= 1;
    for (uint32_t k = 0; k < x->n_out; k++)
      c->touch[s * p->n_blocks + p->slots[p->slot_refs[x->out + k]].block] |= 2;
    if (x->scratch >= 0)
      c->touch[s * p->n_blocks + (uint32_t) x->scratch] |= 2;
  }
}

static char *
check_edges (const Check *c)
{
  const NativertPlan *p = c->plan;
  g_autofree uint32_t *deps = g_new0 (uint32_t, p->n_steps + 1);
  for (uint32_t s = 0; s < p->n_steps; s++)
    for (uint32_t k = 0; k < p->steps[s].n_succ; k++) {
      uint32_t to = p->succ[p->steps[s].first_succ + k];
      if (to <= s || to >= p->n_steps)
        return g_strdup_printf ("step %u is before %u", s, to);
      deps[to]++;
    }
  for (uint32_t s = 0; s < p->n_steps; s++)
    if (deps[s] != p->steps[s].n_deps)
      return g_strdup_printf ("step %u waits for %u steps, says %u", s, deps[s], p->steps[s].n_deps);
  for (uint32_t a = p->n_once; a < p->n_steps; a++)
    for (uint32_t b = a + 1; b < p->n_steps; b++)
      for (uint32_t k = 0; k < p->n_blocks; k++)
        if (touches (c, a, k) && touches (c, b, k) && ((touches (c, a, k) | touches (c, b, k)) & 2)
            && !before (c, a, b))
          return g_strdup_printf ("steps %u and %u both touch block %u and are not ordered", a, b, k);
  return NULL;
}

/* a's bytes may be b's: every step of a is before every step of b, but for one step that takes a's place in place. */
static bool
may_follow (const Check *c, uint32_t a, uint32_t b)
{
  const NativertPlan *p = c->plan;
  if (p->blocks[a].keep)
    return false;
  for (uint32_t s = 0; s < p->n_steps; s++)
    for (uint32_t t = 0; t < p->n_steps; t++) {
      if (!touches (c, s, a) || !touches (c, t, b) || before (c, s, t))
        continue;
      if (s != t || p->steps[s].in_place < 0)
        return false;
      const NativertSlot *in = &p->slots[p->slot_refs[p->steps[s].in + p->steps[s].in_place]];
      const NativertSlot *out = &p->slots[p->slot_refs[p->steps[s].out]];
      if (in->block != a || out->block != b || p->blocks[a].offset + in->offset != p->blocks[b].offset + out->offset)
        return false;
    }
  return true;
}

static bool
is_scratch_of_once (const NativertPlan *p, uint32_t block)
{
  for (uint32_t i = 0; i < p->n_once; i++)
    if (p->steps[i].scratch == (int32_t) block)
      return p->blocks[block].offset >= p->once_bytes;
  return false;
}

/* ONCE steps read weights and each other, and write what nobody else writes. */
static char *
check_once (const NativertPlan *p)
{
  for (uint32_t s = 0; s < p->n_steps; s++)
    for (uint32_t k = 0; k < p->steps[s].n_in + p->steps[s].n_out; k++) {
      bool reads = k < p->steps[s].n_in;
      const NativertBlock *b
          = &p->blocks[p->slots[p->slot_refs[reads ? p->steps[s].in + k : p->steps[s].out + k - p->steps[s].n_in]]
                           .block];
      if (s < p->n_once ? !b->once && (!reads || (b->mem != NATIVERT_MEM_WEIGHT && b->mem != NATIVERT_MEM_CONSTANT))
                        : b->once && !reads)
        return g_strdup_printf ("step %u touches what a step that runs once must not, or the reverse", s);
    }
  return NULL;
}

static char *
check_arena (const Check *c)
{
  const NativertPlan *p = c->plan;
  for (uint32_t a = 0; a < p->n_blocks; a++) {
    const NativertBlock *x = &p->blocks[a];
    if (x->mem != NATIVERT_MEM_ARENA || !x->n_bytes)
      continue;
    if (x->offset % 64 || x->offset + x->n_bytes > p->arena_bytes)
      return g_strdup_printf ("block %u: %zu bytes at %zu of %zu", a, x->n_bytes, x->offset, p->arena_bytes);
    for (uint32_t b = a + 1; b < p->n_blocks; b++) {
      const NativertBlock *y = &p->blocks[b];
      if (y->mem != NATIVERT_MEM_ARENA || x->offset >= y->offset + y->n_bytes || y->offset >= x->offset + x->n_bytes)
        continue;
      if (is_scratch_of_once (p, a) || is_scratch_of_once (p, b))
        continue;
      if (x->once || y->once || (!may_follow (c, a, b) && !may_follow (c, b, a)))
        return g_strdup_printf ("blocks %u and %u share bytes and may live at once", a, b);
    }
  }
  return NULL;
}

static char *
check_slots (const Check *c)
{
  const NativertPlan *p = c->plan;
  for (uint32_t i = 0; i < p->n_slots; i++) {
    const NativertSlot *s = &p->slots[i];
    size_t n_bytes;
    if (s->block >= p->n_blocks || s->offset < 0
        || !nativert_extent (
            s->view.size, s->view.stride, s->view.ndim, 0, nativert_dtype_size (s->view.dtype), &n_bytes)
        || (n_bytes && (size_t) s->offset + n_bytes > p->blocks[s->block].n_bytes))
      return g_strdup_printf ("slot %u reaches outside of block %u", i, s->block);
  }
  for (uint32_t i = 0; i < p->n_steps; i++)
    for (uint32_t k = 0; k < p->steps[i].n_out; k++) {
      uint8_t mem = p->blocks[p->slots[p->slot_refs[p->steps[i].out + k]].block].mem;
      if (mem == NATIVERT_MEM_INPUT || mem == NATIVERT_MEM_WEIGHT || mem == NATIVERT_MEM_CONSTANT)
        return g_strdup_printf ("step %u writes what it must not", i);
    }
  return NULL;
}

char *
check_plan (const NativertPlan *plan)
{
  g_autofree bool *reach = g_new0 (bool, (size_t) plan->n_steps * plan->n_steps + 1);
  g_autofree uint8_t *touch = g_new0 (uint8_t, (size_t) plan->n_steps * plan->n_blocks + 1);
  Check c = { plan, reach, touch };
  fill (&c);
  char *why = check_once (plan);
  if (!why)
    why = check_edges (&c);
  if (!why)
    why = check_arena (&c);
  return why ? why : check_slots (&c);
}
