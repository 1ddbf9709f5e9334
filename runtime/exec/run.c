/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The run loop.  The unit of scheduling is (step, part): here the caller takes them one after the other in program
 * order; an executor with helpers claims the same units in any order that the steps' dependencies allow. */
#include <time.h>
#ifdef __SSE__
#include <xmmintrin.h>
#endif
#include "exec/frame-private.h"

uint32_t
nativert_float_state_enter (void)
{
#ifdef __SSE__
  uint32_t saved = _mm_getcsr ();
  _mm_setcsr (0x1f80);                  /* all exceptions masked, nearest, FTZ and DAZ off */
  return saved;
#else
  return 0;
#endif
}

void
nativert_float_state_leave (uint32_t saved)
{
#ifdef __SSE__
  _mm_setcsr (saved);
#endif
}

void
nativert_frame_patch (NativertFrame *frame, void *const *inputs, void *const *outputs)
{
  for (size_t i = 0; i < frame->n_run_patches; i++) {
    const NativertPatch *p = &frame->run_patches[i];
    char *base = p->mem == NATIVERT_MEM_INPUT ? inputs[p->index] : outputs[p->index];
    *p->where = base + p->offset;
  }
}

bool
nativert_frame_report (const NativertFrame *frame, uint32_t step, GError **error)
{
  const NativertStep *s = &frame->plan->steps[step];
  g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_INVALID_INPUT, "node `%s` (%s): %s", s->node,
      nativert_ops[s->kernel->op].name, frame->steps[step].error);
  return false;
}

static uint64_t
now_ns (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return (uint64_t) t.tv_sec * 1000000000u + (uint64_t) t.tv_nsec;
}

/* Both return the number of steps that are done: all, or up to the one that failed. */
static uint32_t
run_profiled (NativertFrame *frame)
{
  uint32_t i = frame->plan->n_once;
  uint64_t before = now_ns ();
  for (bool ok = true; ok && i < frame->plan->n_steps; i += ok) {
    ok = nativert_bound_step_run (&frame->steps[i]);
    uint64_t after = now_ns ();
    frame->profile[i] = after - before;
    before = after;
  }
  return i;
}

static uint32_t
run_serial (NativertFrame *frame)
{
  uint32_t i = frame->plan->n_once;
  while (i < frame->plan->n_steps && nativert_bound_step_run (&frame->steps[i]))
    i++;
  return i;
}

bool
nativert_frame_run (NativertFrame *frame, void *const *inputs, void *const *outputs, unsigned helpers, GError **error)
{
  (void) helpers;
  if (frame->once_failed < frame->plan->n_once)
    return nativert_frame_report (frame, frame->once_failed, error);
  uint32_t saved = nativert_float_state_enter ();
  nativert_frame_patch (frame, inputs, outputs);
  uint32_t done = frame->profile ? run_profiled (frame) : run_serial (frame);
  nativert_float_state_leave (saved);
  return done == frame->plan->n_steps || nativert_frame_report (frame, done, error);
}
