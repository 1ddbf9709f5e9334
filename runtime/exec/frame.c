/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes and binds frames: the arena, and for every step a call whose views are all its own, so that a run only has to
 * put in the pointers of inputs and outputs. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "base/checked.h"
#include "exec/frame-private.h"

enum { ALIGN = 64 };
static const size_t huge_page = (size_t) 2 << 20;

static char *
new_arena (NativertFrame *frame, size_t n_bytes, GError **error)
{
  size_t rounded
      = n_bytes < huge_page ? (n_bytes + ALIGN) / ALIGN * ALIGN : (n_bytes + huge_page - 1) / huge_page * huge_page;
  void *memory = NULL;
  if (rounded < n_bytes || posix_memalign (&memory, n_bytes < huge_page ? ALIGN : huge_page, rounded)) {
    g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_LIMIT, "no memory for an arena of %zu MiB", n_bytes >> 20);
    return NULL;
  }
  if (n_bytes >= huge_page)
    madvise (memory, rounded, MADV_HUGEPAGE);
  else
    memset (memory, 0, rounded);
  frame->arena = memory;
  return memory;
}

static bool
changes_per_run (uint8_t mem)
{
  return mem == NATIVERT_MEM_INPUT || mem == NATIVERT_MEM_OUTPUT;
}

static bool
changes_per_bind (uint8_t mem)
{
  return mem == NATIVERT_MEM_WEIGHT || mem == NATIVERT_MEM_STATE;
}

/* view: where the pointer goes; fixed memory is entered at once, the rest is noted. */
static void
place_view (NativertFrame *frame, NativertView *view, uint32_t slot)
{
  const NativertPlan *plan = frame->plan;
  const NativertSlot *s = &plan->slots[slot];
  const NativertBlock *block = &plan->blocks[s->block];
  NativertPatch patch = { &view->data, s->offset, block->index, block->mem };
  *view = s->view;
  if (block->mem == NATIVERT_MEM_ARENA)
    view->data = frame->arena + block->offset + s->offset;
  else if (block->mem == NATIVERT_MEM_CONSTANT)
    view->data = plan->constants + block->offset + s->offset;
  else if (changes_per_run (block->mem))
    frame->run_patches[frame->n_run_patches++] = patch;
  else if (changes_per_bind (block->mem))
    frame->bind_patches[frame->n_bind_patches++] = patch;
}

static void
count_patches (const NativertPlan *plan, size_t *run, size_t *bind)
{
  *run = *bind = 0;
  for (uint32_t i = 0; i < plan->n_steps; i++)
    for (uint32_t k = 0; k < plan->steps[i].n_in + plan->steps[i].n_out; k++) {
      uint32_t at = k < plan->steps[i].n_in ? plan->steps[i].in + k : plan->steps[i].out + k - plan->steps[i].n_in;
      uint8_t mem = plan->blocks[plan->slots[plan->slot_refs[at]].block].mem;
      *run += changes_per_run (mem);
      *bind += changes_per_bind (mem);
    }
  for (uint32_t i = 0; i < plan->n_slots; i++) {
    uint8_t mem = plan->blocks[plan->slots[i].block].mem;
    *run += changes_per_run (mem);
    *bind += changes_per_bind (mem);
  }
}

static void
make_calls (NativertFrame *frame)
{
  const NativertPlan *plan = frame->plan;
  NativertView *views = frame->step_views;
  for (uint32_t i = 0; i < plan->n_steps; i++) {
    const NativertStep *s = &plan->steps[i];
    NativertBoundStep *bound = &frame->steps[i];
    bound->fn = s->kernel->fn;
    bound->n_parts = s->n_parts;
    bound->call = (NativertCall) { .in = views, .out = views + s->n_in, .params = plan->params + s->params,
      .scratch_shared = s->scratch_shared, .scratch_part = s->scratch_part, .error = &bound->error };
    if (s->scratch >= 0)
      bound->call.scratch = frame->arena + plan->blocks[s->scratch].offset;
    for (uint32_t k = 0; k < s->n_in; k++)
      place_view (frame, views++, plan->slot_refs[s->in + k]);
    for (uint32_t k = 0; k < s->n_out; k++)
      place_view (frame, views++, plan->slot_refs[s->out + k]);
  }
  for (uint32_t i = 0; i < plan->n_slots; i++)
    place_view (frame, &frame->slots[i], i);
}

NativertFrame *
nativert_frame_new (NativertPlan *plan, GError **error)
{
  g_autoptr (NativertFrame) frame = g_new0 (NativertFrame, 1);
  size_t n_views = 0, n_run, n_bind;
  frame->plan = nativert_plan_ref (plan);
  if (!new_arena (frame, plan->arena_bytes, error))
    return NULL;
  for (uint32_t i = 0; i < plan->n_steps; i++)
    n_views += plan->steps[i].n_in + plan->steps[i].n_out;
  count_patches (plan, &n_run, &n_bind);
  frame->step_views = g_new0 (NativertView, n_views + 1);
  frame->slots = g_new0 (NativertView, plan->n_slots + 1);
  frame->steps = g_new0 (NativertBoundStep, plan->n_steps + 1);
  frame->run_patches = g_new (NativertPatch, n_run + 1);
  frame->bind_patches = g_new (NativertPatch, n_bind + 1);
  make_calls (frame);
  return g_steal_pointer (&frame);
}

void
nativert_frame_free (NativertFrame *frame)
{
  if (!frame)
    return;
  free (frame->arena);
  g_free (frame->step_views);
  g_free (frame->slots);
  g_free (frame->steps);
  g_free (frame->run_patches);
  g_free (frame->bind_patches);
  nativert_plan_unref (frame->plan);
  g_free (frame);
}

void
nativert_frame_bind (NativertFrame *frame, const NativertBinding *binding)
{
  const NativertPlan *plan = frame->plan;
  for (size_t i = 0; i < frame->n_bind_patches; i++) {
    const NativertPatch *p = &frame->bind_patches[i];
    char *base = p->mem == NATIVERT_MEM_STATE ? (binding->state ? binding->state[p->index] : NULL)
        : binding->weights ? binding->weights[p->index] : NULL;
    *p->where = base ? base + p->offset : NULL;
  }
  for (uint32_t i = 0; i < plan->n_steps; i++)
    for (int k = 0; k < NATIVERT_MAX_PACKS; k++)
      frame->steps[i].call.pack[k]
          = plan->steps[i].pack[k] >= 0 && binding->packs ? binding->packs[plan->steps[i].pack[k]] : NULL;
  uint32_t saved = nativert_float_state_enter ();
  frame->once_failed = 0;
  while (frame->once_failed < plan->n_once && nativert_bound_step_run (&frame->steps[frame->once_failed]))
    frame->once_failed++;
  nativert_float_state_leave (saved);
}

const NativertView *
nativert_frame_slot (const NativertFrame *frame, uint32_t slot)
{
  return &frame->slots[slot];
}

void
nativert_frame_set_profile (NativertFrame *frame, uint64_t *ns)
{
  frame->profile = ns;
}
