/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A runner's weights: the change from one version to the next while runs go on. */
#include "model/runner-private.h"

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
