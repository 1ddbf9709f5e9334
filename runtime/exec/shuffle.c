/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For tests: runs the steps of a frame in a random order that their dependencies allow, parts in random order too, and
 * overwrites bytes of the arena as soon as the last step that touches them is done.  A plan whose edges or arena are
 * wrong gives other results than the plain loop. */
#include <string.h>
#include "exec/frame-private.h"

enum { POISON = 0xfb };                 /* as float32 about -2.6e36, as int64 very negative */

typedef struct {
  NativertFrame *frame;
  uint32_t *left;                       /* by block: touches to come */
  bool *started;                        /* by block */
  uint32_t *need, *ready, n_ready;
  uint64_t random;
} Shuffle;

static uint32_t
next_random (Shuffle *s, uint32_t n)
{
  s->random ^= s->random << 13;
  s->random ^= s->random >> 7;
  s->random ^= s->random << 17;
  return (uint32_t) (s->random % n);
}

typedef void (*TouchFn) (Shuffle *s, uint32_t block);

static void
for_blocks (Shuffle *s, uint32_t step, TouchFn fn)
{
  const NativertPlan *plan = s->frame->plan;
  const NativertStep *x = &plan->steps[step];
  for (uint32_t k = 0; k < x->n_in; k++)
    fn (s, plan->slots[plan->slot_refs[x->in + k]].block);
  for (uint32_t k = 0; k < x->n_out; k++)
    fn (s, plan->slots[plan->slot_refs[x->out + k]].block);
  if (x->scratch >= 0)
    fn (s, (uint32_t) x->scratch);
}

static void
count_touch (Shuffle *s, uint32_t block)
{
  s->left[block]++;
}

static void
start_touch (Shuffle *s, uint32_t block)
{
  s->started[block] = true;
}

/* Not the bytes that a block in use has now: a result may have taken them over. */
static void
end_touch (Shuffle *s, uint32_t block)
{
  const NativertPlan *plan = s->frame->plan;
  const NativertBlock *b = &plan->blocks[block];
  if (--s->left[block] || b->mem != NATIVERT_MEM_ARENA || b->keep || b->once)
    return;
  for (uint32_t i = 0; i < plan->n_blocks; i++) {
    const NativertBlock *other = &plan->blocks[i];
    if (other->mem == NATIVERT_MEM_ARENA && s->started[i] && (s->left[i] || other->keep)
        && other->offset < b->offset + b->n_bytes && b->offset < other->offset + other->n_bytes)
      return;
  }
  memset (s->frame->arena + b->offset, POISON, b->n_bytes);
}

static bool
run_shuffled_step (Shuffle *s, uint32_t step)
{
  const NativertPlan *plan = s->frame->plan;
  NativertBoundStep *bound = &s->frame->steps[step];
  uint32_t first = next_random (s, bound->n_parts);
  for_blocks (s, step, start_touch);
  if (plan->steps[step].scratch >= 0)
    memset (bound->call.scratch, POISON, plan->blocks[plan->steps[step].scratch].n_bytes);
  bound->error = NULL;
  for (uint32_t k = 0; k < bound->n_parts; k++)
    bound->fn (&bound->call, (first + k) % bound->n_parts);
  for_blocks (s, step, end_touch);
  for (uint32_t k = 0; k < plan->steps[step].n_succ; k++) {
    uint32_t to = plan->succ[plan->steps[step].first_succ + k];
    if (--s->need[to] == 0)
      s->ready[s->n_ready++] = to;
  }
  return bound->error == NULL;
}

bool
nativert_frame_run_shuffled (
    NativertFrame *frame, void *const *inputs, void *const *outputs, uint64_t seed, GError **error)
{
  const NativertPlan *plan = frame->plan;
  g_autofree uint32_t *left = g_new0 (uint32_t, plan->n_blocks + 1), *need = g_new0 (uint32_t, plan->n_steps + 1);
  g_autofree uint32_t *ready = g_new0 (uint32_t, plan->n_steps + 1);
  g_autofree bool *started = g_new0 (bool, plan->n_blocks + 1);
  Shuffle s = { .frame = frame,
    .left = left,
    .started = started,
    .need = need,
    .ready = ready,
    .random = seed * 2654435761u + 88172645463325252u };
  uint32_t done = plan->n_once, saved = nativert_float_state_enter ();
  nativert_frame_patch (frame, inputs, outputs);
  memset (frame->arena + plan->once_bytes, POISON, plan->arena_bytes - plan->once_bytes);
  for (uint32_t i = plan->n_once; i < plan->n_steps; i++) {
    for_blocks (&s, i, count_touch);
    if (!(need[i] = plan->steps[i].n_deps))
      ready[s.n_ready++] = i;
  }
  bool ok = true;
  for (; ok && s.n_ready; done++) {
    uint32_t pick = next_random (&s, s.n_ready), step = ready[pick];
    ready[pick] = ready[--s.n_ready];
    if (!(ok = run_shuffled_step (&s, step)))
      nativert_frame_report (frame, step, error);
  }
  nativert_float_state_leave (saved);
  if (!ok)
    return false;
  if (done == plan->n_steps)
    return true;
  g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_MISMATCH,
      "only %u of %u steps could run: their edges form a circle", done, plan->n_steps);
  return false;
}
