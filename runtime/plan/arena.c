/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Places in the arena, legal under every schedule: block B may use A's bytes when every step that touches A is an
 * ancestor of B's first step; a result may take its dying input's bytes when the kernel can work in place and all other
 * steps that touch the input are ancestors.  Greedy by size. */
#include <string.h>
#include "plan/builder.h"

enum { MAX_BITSET_STEPS = 16384 };      /* beyond: the plan becomes a chain, order of numbers says all */

typedef struct {
  uint32_t first_touch, n_touch;        /* in Arena.touch: steps, ascending */
  uint32_t next;                        /* next block of the group + 1 */
  uint32_t group;                       /* the block whose bytes these are */
  uint32_t tail, first, last;           /* of a group: last member; first and last step */
  size_t n_bytes;                       /* of a group, rounded up */
  bool keep, ordered;                   /* of a group; ordered: its first step is an ancestor of all the others */
} Block;

typedef struct {
  NativertPlan *plan;
  Block *blocks;
  uint32_t *touch;
  uint64_t *bits;                       /* n_words for each step: its ancestors; NULL: a chain */
  size_t n_words;
} Arena;

static bool
is_ancestor (const Arena *a, uint32_t step, uint32_t of)
{
  return step < of && (!a->bits || (a->bits[of * a->n_words + step / 64] >> (step % 64) & 1));
}

static void
make_chain (NativertPlan *plan)
{
  plan->n_succ = plan->n_steps - 1;
  plan->succ = nativert_region_new_n (plan->region, uint32_t, plan->n_steps);
  for (uint32_t i = plan->n_once; i < plan->n_steps; i++) {
    plan->succ[i] = i + 1;
    plan->steps[i].first_succ = i;
    plan->steps[i].n_succ = i + 1 < plan->n_steps;
    plan->steps[i].n_deps = i > plan->n_once;
  }
}

static void
find_ancestors (Arena *a, NativertRegion *temp)
{
  NativertPlan *plan = a->plan;
  if (plan->n_steps > MAX_BITSET_STEPS) {
    make_chain (plan);
    return;
  }
  a->n_words = (plan->n_steps + 63) / 64;
  a->bits = nativert_region_new_n (temp, uint64_t, a->n_words * plan->n_steps + 1);
  for (uint32_t s = 0; s < plan->n_steps; s++)
    for (uint32_t k = 0; k < plan->steps[s].n_succ; k++) {
      uint64_t *to = a->bits + plan->succ[plan->steps[s].first_succ + k] * a->n_words, *from = a->bits + s * a->n_words;
      for (size_t w = 0; w <= s / 64; w++)
        to[w] |= from[w];
      to[s / 64] |= UINT64_C (1) << (s % 64);
    }
}

/* ---- who touches what ---- */

static void
touch (Arena *a, uint32_t block, uint32_t step, bool count)
{
  Block *b = &a->blocks[block];
  if (b->n_touch && b->last == step)
    return;
  b->last = step;
  if (!b->n_touch)
    b->first = step;
  if (!count)
    a->touch[b->first_touch + b->n_touch] = step;
  b->n_touch++;
}

static void
walk (Arena *a, bool count)
{
  const NativertPlan *plan = a->plan;
  for (uint32_t i = plan->n_once; i < plan->n_steps; i++) {
    const NativertStep *s = &plan->steps[i];
    for (uint32_t k = 0; k < s->n_in; k++)
      touch (a, plan->slots[plan->slot_refs[s->in + k]].block, i, count);
    for (uint32_t k = 0; k < s->n_out; k++)
      touch (a, plan->slots[plan->slot_refs[s->out + k]].block, i, count);
    if (s->scratch >= 0)
      touch (a, (uint32_t) s->scratch, i, count);
  }
}

static void
find_touches (Arena *a, NativertRegion *temp)
{
  NativertPlan *plan = a->plan;
  uint32_t n = 0;
  walk (a, true);
  for (uint32_t i = 0; i < plan->n_blocks; i++) {
    Block *b = &a->blocks[i];
    b->first_touch = n;
    n += b->n_touch;
    b->n_touch = 0;
    b->group = b->tail = i;
    b->n_bytes = (plan->blocks[i].n_bytes + NATIVERT_ALIGN - 1) / NATIVERT_ALIGN * NATIVERT_ALIGN;
    b->keep = plan->blocks[i].keep || plan->blocks[i].once;
  }
  a->touch = nativert_region_new_n (temp, uint32_t, n + 1);
  walk (a, false);
}

/* All steps that touch the group, but except, are ancestors of step. */
static bool
dies_before (const Arena *a, const Block *group, uint32_t step, uint32_t except)
{
  for (uint32_t m = group->group + 1; m; m = a->blocks[m - 1].next) {
    const Block *b = &a->blocks[m - 1];
    for (uint32_t i = b->n_touch; i-- > 0;) {
      uint32_t t = a->touch[b->first_touch + i];
      if (t != except && !is_ancestor (a, t, step))
        return false;
    }
  }
  return true;
}

/* ---- in place ---- */

static bool
same_layout (const NativertSlot *x, const NativertSlot *y)
{
  return nativert_dtype_size (x->view.dtype) == nativert_dtype_size (y->view.dtype)
      && nativert_view_same_shape (&x->view, &y->view) && nativert_view_same_strides (&x->view, &y->view);
}

static bool
may_share (const Arena *a, uint32_t step, const NativertSlot *in, const NativertSlot *out)
{
  const NativertPlan *plan = a->plan;
  const NativertStep *s = &plan->steps[step];
  const Block *from = &a->blocks[a->blocks[in->block].group], *to = &a->blocks[out->block];
  if (plan->blocks[in->block].mem != NATIVERT_MEM_ARENA || plan->blocks[out->block].mem != NATIVERT_MEM_ARENA
      || from->keep || to->group != out->block || to->next || in->block == out->block || in->offset || out->offset
      || to->first != step || to->n_bytes > from->n_bytes || !same_layout (in, out))
    return false;
  for (uint32_t k = 0; k < s->n_in; k++) {
    const NativertSlot *other = &plan->slots[plan->slot_refs[s->in + k]];
    if (a->blocks[other->block].group == from->group
        && !(other->block == in->block && !other->offset && same_layout (other, in)))
      return false;
  }
  for (uint32_t k = 1; k < s->n_out; k++)
    if (a->blocks[plan->slots[plan->slot_refs[s->out + k]].block].group == from->group)
      return false;
  return dies_before (a, from, step, step);
}

static void
share_in_place (Arena *a)
{
  for (uint32_t i = 0; i < a->plan->n_steps; i++) {
    NativertStep *s = &a->plan->steps[i];
    if (i < a->plan->n_once)
      s->in_place = -1;
    if (s->in_place < 0)
      continue;
    const NativertSlot *in = &a->plan->slots[a->plan->slot_refs[s->in + s->in_place]],
                       *out = &a->plan->slots[a->plan->slot_refs[s->out]];
    if (!may_share (a, i, in, out)) {
      s->in_place = -1;
      continue;
    }
    Block *group = &a->blocks[a->blocks[in->block].group], *added = &a->blocks[out->block];
    added->group = group->group;
    a->blocks[group->tail].next = out->block + 1;
    group->tail = out->block;
    group->last = MAX (group->last, added->last);
    group->keep |= added->keep;
  }
}

/* ---- placing ---- */

static bool
is_ordered (const Arena *a, const Block *group)
{
  for (uint32_t m = group->group + 1; m; m = a->blocks[m - 1].next)
    for (uint32_t i = 0; i < a->blocks[m - 1].n_touch; i++) {
      uint32_t t = a->touch[a->blocks[m - 1].first_touch + i];
      if (t != group->first && !is_ancestor (a, group->first, t))
        return false;
    }
  return true;
}

static bool
conflict (const Arena *a, const Block *x, const Block *y)
{
  const Block *before = x->last < y->first ? x : y->last < x->first ? y : NULL, *after = before == x ? y : x;
  return !before || before->keep || !after->ordered || !dies_before (a, before, after->first, UINT32_MAX);
}

static int
by_size (const void *p, const void *q, void *data)
{
  const Block *blocks = data, *x = &blocks[*(const uint32_t *) p], *y = &blocks[*(const uint32_t *) q];
  if (x->n_bytes != y->n_bytes)
    return x->n_bytes < y->n_bytes ? 1 : -1;
  return x->first != y->first ? (x->first < y->first ? -1 : 1) : x->group < y->group ? -1 : 1;
}

/* placed: groups by ascending offset.  The smallest gap that fits, else the end. */
static size_t
find_place (const Arena *a, const uint32_t *placed, uint32_t n, const Block *group)
{
  size_t end = 0, best = SIZE_MAX, best_gap = SIZE_MAX;
  for (uint32_t i = 0; i < n; i++) {
    const Block *other = &a->blocks[placed[i]];
    size_t offset = a->plan->blocks[placed[i]].offset;
    if (offset + other->n_bytes <= end || !conflict (a, other, group))
      continue;
    if (offset >= end && offset - end >= group->n_bytes && offset - end < best_gap) {
      best = end;
      best_gap = offset - end;
    }
    end = MAX (end, offset + other->n_bytes);
  }
  return best != SIZE_MAX ? best : end;
}

static size_t
place (Arena *a, uint32_t *order, uint32_t n, NativertRegion *temp)
{
  uint32_t *placed = nativert_region_new_n (temp, uint32_t, n + 1);
  size_t total = 0;
  for (uint32_t i = 0; i < n; i++) {
    const Block *group = &a->blocks[order[i]];
    size_t at = find_place (a, placed, i, group);
    a->plan->blocks[order[i]].offset = at;
    total = MAX (total, at + group->n_bytes);
    uint32_t k = i;
    for (; k > 0 && a->plan->blocks[placed[k - 1]].offset > at; k--)
      placed[k] = placed[k - 1];
    placed[k] = order[i];
  }
  return total;
}

/* The most bytes alive at once in program order. */
static size_t
lower_bound (const Arena *a, const uint32_t *order, uint32_t n, NativertRegion *temp)
{
  int64_t *change = nativert_region_new_n (temp, int64_t, a->plan->n_steps + 2), now = 0, most = 0;
  for (uint32_t i = 0; i < n; i++) {
    const Block *group = &a->blocks[order[i]];
    change[group->first] += (int64_t) group->n_bytes;
    if (!group->keep)
      change[group->last + 1] -= (int64_t) group->n_bytes;
  }
  for (uint32_t i = 0; i <= a->plan->n_steps; i++) {
    now += change[i];
    most = MAX (most, now);
  }
  return (size_t) most;
}

/* Results of ONCE steps lie at the front; their scratch memory may be where runs will have theirs. */
static size_t
place_once (NativertPlan *plan)
{
  size_t scratch = 0;
  plan->once_bytes = 0;
  for (uint32_t i = 0; i < plan->n_blocks; i++) {
    if (!plan->blocks[i].once)
      continue;
    plan->blocks[i].offset = plan->once_bytes;
    plan->once_bytes += (plan->blocks[i].n_bytes + NATIVERT_ALIGN - 1) / NATIVERT_ALIGN * NATIVERT_ALIGN;
  }
  for (uint32_t i = 0; i < plan->n_once; i++)
    if (plan->steps[i].scratch >= 0) {
      plan->blocks[plan->steps[i].scratch].offset = plan->once_bytes;
      scratch = MAX (scratch, plan->blocks[plan->steps[i].scratch].n_bytes);
    }
  return scratch;
}

bool
nativert_plan_make_arena (NativertPlan *plan, const NativertBuilder *b, size_t *arena_bytes)
{
  Arena a = { .plan = plan };
  uint32_t n = 0, *order = nativert_region_new_n (b->temp, uint32_t, plan->n_blocks + 1);
  a.blocks = nativert_region_new_n (b->temp, Block, plan->n_blocks + 1);
  find_ancestors (&a, b->temp);
  find_touches (&a, b->temp);
  share_in_place (&a);
  for (uint32_t i = 0; i < plan->n_blocks; i++)
    if (plan->blocks[i].mem == NATIVERT_MEM_ARENA && !plan->blocks[i].once && a.blocks[i].group == i
        && a.blocks[i].n_touch) {
      a.blocks[i].ordered = is_ordered (&a, &a.blocks[i]);
      order[n++] = i;
    }
  g_qsort_with_data (order, (gint) n, sizeof *order, by_size, a.blocks);
  size_t once_scratch = place_once (plan), total = place (&a, order, n, b->temp);
  *arena_bytes = plan->once_bytes + MAX (total, once_scratch);
  plan->arena_lower_bound = plan->once_bytes + lower_bound (&a, order, n, b->temp);
  for (uint32_t i = 0; i < n; i++)
    plan->blocks[order[i]].offset += plan->once_bytes;
  for (uint32_t i = 0; i < plan->n_blocks; i++)
    if (a.blocks[i].group != i)
      plan->blocks[i].offset = plan->blocks[a.blocks[i].group].offset;
  return *arena_bytes <= b->limit;
}
