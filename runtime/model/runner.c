/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NativertRunner: finds the plan for the inputs at hand, takes a session, binds it to the weights of the hour and runs
 * it. Any number of threads may call; each run has a session of its own, and those of a model with state go one at a
 * time. */
#include "model/runner.h"
#include "base/tensor.h"
#include "model/budget.h"
#include "model/lock.h"
#include "model/plan-cache.h"
#include "model/runner-private.h"
#include "model/state.h"

enum { MAX_RUNS = 8 };

struct _NativertRunner {
  GObject parent;
  NativertModel *model;
  NativertCore *core;
  unsigned helpers;
  NativertState *state;
  NativertLock plan_lock;               /* one plan is made at a time */
  NativertLock lock;                    /* all below */
  pthread_cond_t room;
  NativertPlanCache cache;
  NativertWeights *weights;
  NativertRunInputs *spare_inputs;
  NativertRunProfile *profile;
  NativertWatchFn watch;
  void *watch_data;
  unsigned n_running;
  bool one_at_a_time;
};

G_DEFINE_TYPE (NativertRunner, nativert_runner, G_TYPE_OBJECT)

static void
nativert_runner_finalize (GObject *object)
{
  NativertRunner *runner = NATIVERT_RUNNER (object);
  NativertRunInputs *next;

  nativert_plan_cache_clear (&runner->cache);
  for (NativertRunInputs *ri = runner->spare_inputs; ri != NULL; ri = next) {
    next = ri->next;
    nativert_run_inputs_free (ri);
  }
  g_clear_pointer (&runner->weights, nativert_weights_unref);
  g_clear_pointer (&runner->state, nativert_state_free);
  g_clear_pointer (&runner->core, nativert_core_unref);
  g_clear_object (&runner->model);
  pthread_cond_destroy (&runner->room);
  pthread_mutex_destroy (&runner->lock);
  pthread_mutex_destroy (&runner->plan_lock);
  G_OBJECT_CLASS (nativert_runner_parent_class)->finalize (object);
}

static void
nativert_runner_class_init (NativertRunnerClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = nativert_runner_finalize;
}

static void
nativert_runner_init (NativertRunner *runner)
{
  pthread_mutex_init (&runner->lock, NULL);
  pthread_mutex_init (&runner->plan_lock, NULL);
  pthread_cond_init (&runner->room, NULL);
}

NativertRunner *
nativert_runner_new (NativertModel *model, guint threads)
{
  NativertRunner *runner;

  g_return_val_if_fail (NATIVERT_IS_MODEL (model), NULL);
  runner = g_object_new (NATIVERT_TYPE_RUNNER, NULL);
  runner->model = g_object_ref (model);
  runner->core = nativert_core_ref (nativert_model_get_core (model));
  runner->state = nativert_state_new (runner->core);
  runner->helpers = (threads == 0 ? nativert_cpu_budget () : threads) - 1;
  if (nativert_model_get_weights (model) != NULL)
    runner->weights = nativert_weights_ref (nativert_model_get_weights (model));
  return runner;
}

NativertModel *
nativert_runner_get_model (NativertRunner *runner)
{
  g_return_val_if_fail (NATIVERT_IS_RUNNER (runner), NULL);
  return runner->model;
}

NativertCore *
nativert_runner_get_core (NativertRunner *runner)
{
  return runner->core;
}

void
nativert_runner_set_profile (NativertRunner *runner, NativertRunProfile *profile)
{
  NATIVERT_LOCKED (&runner->lock);

  runner->profile = profile;
}

void
nativert_runner_set_watch (NativertRunner *runner, NativertWatchFn watch, void *user_data)
{
  NATIVERT_LOCKED (&runner->lock);

  runner->watch = watch;
  runner->watch_data = user_data;
}

NativertRunInputs *
nativert_runner_take_inputs (NativertRunner *runner)
{
  NATIVERT_LOCKED (&runner->lock);
  NativertRunInputs *ri = runner->spare_inputs;

  if (ri == NULL)
    return nativert_run_inputs_new (runner->core->n_inputs);
  runner->spare_inputs = ri->next;
  return ri;
}

void
nativert_runner_give_inputs (NativertRunner *runner, NativertRunInputs *ri)
{
  NATIVERT_LOCKED (&runner->lock);

  ri->next = runner->spare_inputs;
  runner->spare_inputs = ri;
}

static NativertPlanEntry *
find_entry (NativertRunner *runner, const NativertRunInputs *ri)
{
  NATIVERT_LOCKED (&runner->lock);
  NativertPlanEntry *entry = nativert_plan_cache_find (&runner->cache, ri);

  return entry != NULL ? nativert_plan_entry_ref (entry) : NULL;
}

NativertPlanEntry *
nativert_runner_find_plan (NativertRunner *runner, const NativertRunInputs *ri, GError **error)
{
  g_autoptr (NativertPlanEntry) old = NULL;
  NativertPlanEntry *entry = find_entry (runner, ri);

  if (entry != NULL)
    return entry;
  NATIVERT_LOCKED (&runner->plan_lock);
  entry = find_entry (runner, ri);      /* somebody else may have made it meanwhile */
  if (entry != NULL)
    return entry;
  entry = nativert_plan_entry_new (runner->core, ri, error);
  if (entry == NULL)
    return NULL;
  pthread_mutex_lock (&runner->lock);
  runner->one_at_a_time = runner->one_at_a_time || nativert_state_is_used_by (runner->core, entry->plan);
  old = nativert_plan_cache_add (&runner->cache, entry);
  pthread_mutex_unlock (&runner->lock);
  return entry;
}

/* Takes weights. */
static bool
bind (NativertRunner *runner, NativertSession *session, NativertWeights *weights, GError **error)
{
  nativert_session_unbind (session);
  session->weights = weights;
  if (nativert_weights_bind (weights, session->entry->plan, session->data, session->packs, error) &&
      nativert_state_attach (runner->state, session, error)) {
    nativert_frame_bind (session->frame,
        &(NativertBinding){ .weights = session->data, .packs = session->packs, .state = session->state });
    return true;
  }
  nativert_session_unbind (session);
  return false;
}

/* Waits for room; the session's old weights are kept by whoever holds it. */
static NativertSession *
pop_session (NativertRunner *runner, NativertPlanEntry *entry, NativertWeights **weights)
{
  NATIVERT_LOCKED (&runner->lock);
  NativertSession *session;

  while (runner->n_running >= (runner->one_at_a_time ? 1 : MAX_RUNS))
    pthread_cond_wait (&runner->room, &runner->lock);
  runner->n_running++;
  session = entry->idle;
  if (session != NULL)
    entry->idle = session->next;
  if (runner->weights != NULL && (session == NULL || session->weights != runner->weights))
    *weights = nativert_weights_ref (runner->weights);
  return session;
}

static void
leave (NativertRunner *runner)
{
  NATIVERT_LOCKED (&runner->lock);

  runner->n_running--;
  pthread_cond_signal (&runner->room);
}

NativertSession *
nativert_runner_take_session (NativertRunner *runner, NativertPlanEntry *entry, GError **error)
{
  g_autoptr (NativertWeights) weights = NULL;
  NativertSession *session = pop_session (runner, entry, &weights);
  bool ok = true;

  if (session == NULL) {
    session = nativert_session_new (entry, error);
    if (session == NULL) {
      leave (runner);
      return NULL;
    }
  }
  if (weights != NULL) {
    ok = bind (runner, session, g_steal_pointer (&weights), error);
  } else if (session->weights == NULL) {
    g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_MISSING,
        "%s: loaded without weights: it can be looked at, not run", runner->core->path);
    ok = false;
  }
  if (ok)
    return session;
  nativert_session_free (session);
  leave (runner);
  return NULL;
}

void
nativert_runner_give_session (NativertRunner *runner, NativertSession *session)
{
  g_autoptr (NativertWeights) old = NULL;
  NATIVERT_LOCKED (&runner->lock);

  if (session->weights != runner->weights)
    old = g_steal_pointer (&session->weights);
  session->next = session->entry->idle;
  session->entry->idle = session;
  runner->n_running--;
  pthread_cond_signal (&runner->room);
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
        session->frame, session->inputs, session->outputs, runner->watch, runner->watch_data);
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

gboolean
nativert_runner_set_weights (NativertRunner *runner, NativertWeights *weights, GError **error)
{
  g_autoptr (GPtrArray) entries = g_ptr_array_new_with_free_func ((GDestroyNotify) nativert_plan_entry_unref);
  g_autoptr (GPtrArray) old = g_ptr_array_new_with_free_func ((GDestroyNotify) nativert_weights_unref);

  g_return_val_if_fail (NATIVERT_IS_RUNNER (runner) && weights != NULL, FALSE);
  if (nativert_weights_get_core (weights) != runner->core) {
    g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_MISMATCH, "these weights were loaded for another model than %s",
        runner->core->path);
    return FALSE;
  }
  pthread_mutex_lock (&runner->lock);
  for (uint32_t i = 0; i < NATIVERT_PLAN_CACHE_SIZE; i++)
    if (runner->cache.entries[i] != NULL)
      g_ptr_array_add (entries, nativert_plan_entry_ref (runner->cache.entries[i]));
  pthread_mutex_unlock (&runner->lock);
  for (guint i = 0; i < entries->len; i++)
    if (!nativert_weights_prepare (weights, ((NativertPlanEntry *) entries->pdata[i])->plan, error))
      return FALSE;
  NATIVERT_LOCKED (&runner->lock);
  g_ptr_array_add (old, runner->weights != NULL ? g_steal_pointer (&runner->weights) : nativert_weights_ref (weights));
  runner->weights = nativert_weights_ref (weights);
  for (guint i = 0; i < entries->len; i++)
    for (NativertSession *session = ((NativertPlanEntry *) entries->pdata[i])->idle; session != NULL;
         session = session->next)
      if (session->weights != NULL && session->weights != weights)
        g_ptr_array_add (old, g_steal_pointer (&session->weights));
  return TRUE;
}

NativertWeights *
nativert_runner_dup_weights (NativertRunner *runner)
{
  NATIVERT_LOCKED (&runner->lock);

  return runner->weights != NULL ? nativert_weights_ref (runner->weights) : NULL;
}

guint64
nativert_runner_get_weights_version (NativertRunner *runner)
{
  g_autoptr (NativertWeights) weights = NULL;

  g_return_val_if_fail (NATIVERT_IS_RUNNER (runner), 0);
  weights = nativert_runner_dup_weights (runner);
  return weights != NULL ? nativert_weights_get_version (weights) : 0;
}

void
nativert_runner_reset_state (NativertRunner *runner)
{
  g_return_if_fail (NATIVERT_IS_RUNNER (runner));
  nativert_state_reset (runner->state);
}

void
nativert_runner_collect_changes (NativertRunner *runner, NativertSession *session, NativertValue *dict)
{
  nativert_state_collect (runner->state, session, dict);
}
