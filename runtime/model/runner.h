/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the command and the tests may ask of a runner beyond nativert.h. */
#pragma once
#include "exec/frame.h"
#include "model/core.h"

/* Time of every step, added up over runs.  One runner, one thread, one shape. */
typedef struct {
  NativertPlan *plan;                   /* of the runs; NULL before the first */
  guint64 *ns, *sum_ns;                 /* by step: the last run, all runs */
  guint n_runs;
} NativertRunProfile;

void nativert_run_profile_clear (NativertRunProfile *profile);
/* NULL: off. */
void nativert_runner_set_profile (NativertRunner *runner, NativertRunProfile *profile);

/* Runs go step by step and watch sees each; NULL: off.  One thread. */
void nativert_runner_set_watch (NativertRunner *runner, NativertWatchFn watch, void *user_data);

/* As nativert_runner_run; changed: a dict of copies of what the run changed beside its results ("buffer:NAME",
 * "input:INDEX"). */
NativertValue *nativert_runner_run_changed (NativertRunner *runner, NativertValue *args, NativertValue *kwargs,
    NativertValue **changed, GError **error);
/* The plan for such inputs; free with nativert_plan_unref. */
NativertPlan *nativert_runner_dup_plan (
    NativertRunner *runner, NativertValue *args, NativertValue *kwargs, GError **error);
/* The runner's weights now; a reference. */
NativertWeights *nativert_runner_dup_weights (NativertRunner *runner);
/* The flattened inputs of a call, borrowed from args and kwargs; each is a reference in the array. */
GPtrArray *nativert_core_flatten (const NativertCore *core, NativertValue *args, NativertValue *kwargs, GError **error);
