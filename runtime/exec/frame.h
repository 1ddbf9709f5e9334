/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A frame: the memory of one run at a time.  Owns the arena and the bound calls.  One thread at a time. */
#pragma once
#include "plan/plan.h"

typedef struct NativertFrame NativertFrame;

/* Pointers that a frame is bound to; borrowed until the next bind. */
typedef struct {
  void *const *weights;                 /* by graph input number: the value's first element; NULL where none */
  const void *const *packs;             /* by pack number of the plan */
  void *const *state;                   /* by graph input number: the stream's own copy of a written buffer */
} NativertBinding;

NativertFrame *nativert_frame_new (NativertPlan *plan, GError **error);
void nativert_frame_free (NativertFrame *frame);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NativertFrame, nativert_frame_free)
/* Also computes what depends on the weights alone, so the weights must be readable; a failure there is every run's. */
void nativert_frame_bind (NativertFrame *frame, const NativertBinding *binding);
/* inputs: by user input number; outputs: memory for every output whose slot's block is OUTPUT, by output number.
 * helpers: how many threads beside the caller; the steps run on the caller alone in this version.  Allocates nothing,
 * locks nothing. */
bool nativert_frame_run (
    NativertFrame *frame, void *const *inputs, void *const *outputs, unsigned helpers, GError **error);
/* Where a slot is now (valid after a run, until the next). */
const NativertView *nativert_frame_slot (const NativertFrame *frame, uint32_t slot);
/* Nanoseconds of every step of the next runs are written to ns[n_steps]; NULL turns it off. */
void nativert_frame_set_profile (NativertFrame *frame, uint64_t *ns);
/* Runs the steps in a random legal order with freed arena bytes poisoned: for tests. */
bool nativert_frame_run_shuffled (
    NativertFrame *frame, void *const *inputs, void *const *outputs, uint64_t seed, GError **error);
/* Runs the steps one by one and shows each call after it ran: for finding where NaN comes from. */
typedef void (*NativertWatchFn) (const NativertStep *step, const NativertCall *call, void *user_data);
bool nativert_frame_run_watched (NativertFrame *frame, void *const *inputs, void *const *outputs, NativertWatchFn watch,
    void *user_data, GError **error);
