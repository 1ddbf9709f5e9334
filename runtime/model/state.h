/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* State: a runner's own copies of the buffers (and parameters) that the program writes.  They start as the weights say,
 * live from run to run, and stay over a change of weights.  Used by one run at a time. */
#pragma once
#include "model/plan-cache.h"

typedef struct NativertState NativertState;

NativertState *nativert_state_new (NativertCore *core);
void nativert_state_free (NativertState *state);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NativertState, nativert_state_free)
/* True when plan writes buffers: its runs go one at a time. */
bool nativert_state_is_used_by (const NativertCore *core, const NativertPlan *plan);
/* Points a bound session at the copies, making and filling those that are not there yet. */
bool nativert_state_attach (NativertState *state, NativertSession *session, GError **error);
/* The next run starts from the weights again; any thread. */
void nativert_state_reset (NativertState *state);
/* Before a run: fills the copies from the session's weights if somebody asked for a reset. */
void nativert_state_refresh (NativertState *state, NativertSession *session);
/* After a run: takes over the values of the program's mutation outputs. */
void nativert_state_apply (NativertState *state, NativertSession *session);
/* Copies of what the run changed, into a dict: "buffer:NAME", "input:INDEX". */
void nativert_state_collect (NativertState *state, NativertSession *session, NativertValue *dict);
