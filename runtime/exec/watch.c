/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A run with somebody looking on: results of a step are still there when the watcher sees them. */
#include "exec/frame-private.h"

bool
nativert_frame_run_watched (NativertFrame *frame, void *const *inputs, void *const *outputs, NativertWatchFn watch,
    void *user_data, GError **error)
{
  const uint32_t n = frame->plan->n_steps;
  uint32_t done = 0, saved = nativert_float_state_enter ();

  nativert_frame_patch (frame, inputs, outputs);
  for (bool ok = true; ok && done < n; done += ok) {
    ok = nativert_bound_step_run (&frame->steps[done]);
    watch (&frame->plan->steps[done], &frame->steps[done].call, user_data);
  }
  nativert_float_state_leave (saved);
  return done == n || nativert_frame_report (frame, done, error);
}
