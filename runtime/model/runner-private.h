/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The steps of a run, between runner.c, which knows plans, sessions and weights, and run.c, which knows callers. */
#pragma once
#include "model/lock.h"
#include "model/plan-cache.h"
#include "model/runner.h"
#include "model/state.h"

struct _NativertRunner {
  GObject parent;
  NativertModel *model;
  NativertCore *core;
  unsigned helpers;
  NativertState *state;
  NativertRunProfile *profile;          /* these three are set while no run goes on */
  NativertWatchFn watch;
  void *watch_data;
  NativertLock plan_lock;               /* one plan is made at a time */
  NativertLock lock;                    /* all below */
  pthread_cond_t room;
  NativertPlanCache cache;
  NativertWeights *weights;
  NativertRunInputs *spare_inputs;
  unsigned n_running;
  bool one_at_a_time;
};

NativertCore *nativert_runner_get_core (NativertRunner *runner);
NativertRunInputs *nativert_runner_take_inputs (NativertRunner *runner);
void nativert_runner_give_inputs (NativertRunner *runner, NativertRunInputs *ri);
/* A reference. */
NativertPlanEntry *nativert_runner_find_plan (NativertRunner *runner, const NativertRunInputs *ri, GError **error);
/* Bound to the current weights; hold entry as long. */
NativertSession *nativert_runner_take_session (NativertRunner *runner, NativertPlanEntry *entry, GError **error);
void nativert_runner_give_session (NativertRunner *runner, NativertSession *session);
bool nativert_runner_execute (
    NativertRunner *runner, NativertSession *session, const NativertRunInputs *ri, GError **error);
void nativert_runner_collect_changes (NativertRunner *runner, NativertSession *session, NativertValue *dict);
