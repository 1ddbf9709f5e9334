/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The inside of a frame, for the files of exec/. */
#pragma once
#include "exec/frame.h"

/* A pointer in some view that changes: *where = base of (mem, index) + offset. */
typedef struct { void **where; int64_t offset; uint32_t index; uint8_t mem; } NativertPatch;

/* Everything that the run loop reads of a step. */
typedef struct {
  NativertKernelFn fn;
  uint32_t n_parts;
  const char *error;                    /* what a part of this run said */
  NativertCall call;
} NativertBoundStep;

struct NativertFrame {
  NativertPlan *plan;
  char *arena;
  NativertBoundStep *steps;
  NativertView *step_views, *slots;     /* slots: one for each slot of the plan, for nativert_frame_slot */
  NativertPatch *run_patches, *bind_patches;
  size_t n_run_patches, n_bind_patches;
  uint64_t *profile;
  uint32_t once_failed;                 /* the ONCE step that failed when the frame was bound; n_once: none */
};

/* False when a part met data that it cannot work with. */
static inline bool
nativert_bound_step_run (NativertBoundStep *s)
{
  s->error = NULL;
  for (uint32_t part = 0; part < s->n_parts; part++)
    s->fn (&s->call, part);
  return s->error == NULL;
}

void nativert_frame_patch (NativertFrame *frame, void *const *inputs, void *const *outputs);
/* Sets error from what step said; false. */
bool nativert_frame_report (const NativertFrame *frame, uint32_t step, GError **error);
/* Rounding to nearest, no flushing of denormals, whatever the thread came with; returns what to put back. */
uint32_t nativert_float_state_enter (void);
void nativert_float_state_leave (uint32_t saved);
