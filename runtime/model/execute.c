/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One run of a session, with or without somebody looking on. */
#include "model/runner-private.h"

void
nativert_runner_set_profile (NativertRunner *runner, NativertRunProfile *profile)
{
  runner->profile = profile;
}

void
nativert_runner_set_watch (NativertRunner *runner, NativertWatchFn watch, void *user_data)
{
  runner->watch = watch;
  runner->watch_data = user_data;
}

static void
start_profile (NativertRunProfile *profile, NativertSession *session)
{
  if (profile->plan != session->entry->plan) {
    nativert_run_profile_clear (profile);
    profile->plan = nativert_plan_ref (session->entry->plan);
    profile->ns = g_new0 (guint64, profile->plan->n_steps + 1);
    profile->sum_ns = g_new0 (guint64, profile->plan->n_steps + 1);
  }
  nativert_frame_set_profile (session->frame, profile->ns);
}

static void
end_profile (NativertRunProfile *profile, NativertSession *session)
{
  nativert_frame_set_profile (session->frame, NULL);
  for (uint32_t i = 0; i < profile->plan->n_steps; i++)
    profile->sum_ns[i] += profile->ns[i];
  profile->n_runs++;
}

void
nativert_run_profile_clear (NativertRunProfile *profile)
{
  g_clear_pointer (&profile->plan, nativert_plan_unref);
  g_clear_pointer (&profile->ns, g_free);
  g_clear_pointer (&profile->sum_ns, g_free);
  profile->n_runs = 0;
}

bool
nativert_runner_execute (NativertRunner *runner, NativertSession *session, const NativertRunInputs *ri, GError **error)
{
  NativertRunProfile *profile = runner->profile;
  bool ok;

  if (!nativert_session_set_inputs (session, ri, error) || !nativert_session_take_outputs (session, error))
    return false;
  nativert_state_refresh (runner->state, session);
  if (profile != NULL)
    start_profile (profile, session);
  if (runner->watch != NULL)
    ok = nativert_frame_run_watched (
        session->frame, session->inputs, session->outputs, runner->watch, runner->watch_data, error);
  else
    ok = nativert_frame_run (session->frame, session->inputs, session->outputs, runner->helpers, error);
  if (profile != NULL)
    end_profile (profile, session);
  if (!ok)
    return false;
  nativert_session_collect_outputs (session);
  nativert_state_apply (runner->state, session);
  return true;
}
