/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NativertRunner: finds the plan for the inputs at hand, takes a session, binds it to the weights of the hour and runs
 * it. Any number of threads may call; each run has a session of its own, and those of a model with state go one at a
 * time. */
#include "model/runner.h"
#include "model/budget.h"
#include "model/runner-private.h"

enum { MAX_RUNS = 8 };

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
