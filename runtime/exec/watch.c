/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A run with somebody looking on: results of a step are still there when the watcher sees them. */
#include "exec/frame-private.h"

bool
nativert_frame_run_watched (
    NativertFrame *frame, void *const *inputs, void *const *outputs, NativertWatchFn watch, void *user_data)
{
  uint32_t saved = nativert_float_state_enter ();

  nativert_frame_patch (frame, inputs, outputs);
  for (uint32_t i = 0; i < frame->plan->n_steps; i++) {
    const NativertBoundStep *s = &frame->steps[i];
    for (uint32_t part = 0; part < s->n_parts; part++)
      s->fn (&s->call, part);
    watch (&frame->plan->steps[i], &s->call, user_data);
  }
  nativert_float_state_leave (saved);
  return true;
}
