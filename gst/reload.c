/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The loading thread: started by the first request, asleep between requests. */
#include "reload.h"

struct _GstNativertReload {
  NativertRunner *runner;
  GstNativertReloadFunc done;
  gpointer user_data;
  GMutex lock;                                  /* of what follows */
  GCond changed;
  GThread *thread;
  char *wanted;                                 /* newest request that nobody works on */
  GCancellable *loading;                        /* of the one being worked on */
  gboolean stop;
};

GstNativertReload *
gst_nativert_reload_new (NativertRunner *runner, GstNativertReloadFunc done, gpointer user_data)
{
  GstNativertReload *reload = g_new0 (GstNativertReload, 1);
  reload->runner = g_object_ref (runner);
  reload->done = done;
  reload->user_data = user_data;
  g_mutex_init (&reload->lock);
  g_cond_init (&reload->changed);
  return reload;
}

/* The lock is held; a newer request may have come while the weights were read. */
static gboolean
is_newest (GstNativertReload *reload)
{
  return !reload->wanted && !reload->stop;
}

static void
load (GstNativertReload *reload, const char *path, GCancellable *cancellable)
{
  g_autoptr (GError) error = NULL;
  NativertModel *model = nativert_runner_get_model (reload->runner);
  g_autoptr (NativertWeights) weights = nativert_weights_load (model, path, cancellable, &error);
  g_mutex_lock (&reload->lock);
  const gboolean newest = is_newest (reload);
  g_mutex_unlock (&reload->lock);
  if (!newest)
    return;
  /* Packs first, then swaps; a run that is going on ends on the old weights. */
  if (weights && !nativert_runner_set_weights (reload->runner, weights, &error))
    g_clear_pointer (&weights, nativert_weights_unref);
  reload->done (reload->user_data, path, weights, error);
}

static gpointer
work (gpointer data)
{
  GstNativertReload *reload = data;
  g_mutex_lock (&reload->lock);
  while (!reload->stop) {
    if (!reload->wanted) {
      g_cond_wait (&reload->changed, &reload->lock);
      continue;
    }
    g_autofree char *path = g_steal_pointer (&reload->wanted);
    g_autoptr (GCancellable) cancellable = g_cancellable_new ();
    reload->loading = cancellable;
    g_mutex_unlock (&reload->lock);
    load (reload, path, cancellable);
    g_mutex_lock (&reload->lock);
    reload->loading = NULL;
  }
  g_mutex_unlock (&reload->lock);
  return NULL;
}

void
gst_nativert_reload_request (GstNativertReload *reload, const char *path)
{
  g_mutex_lock (&reload->lock);
  g_free (reload->wanted);
  reload->wanted = g_strdup (path);
  if (reload->loading)
    g_cancellable_cancel (reload->loading);
  if (!reload->thread)
    reload->thread = g_thread_new ("nativert-reload", work, reload);
  g_cond_signal (&reload->changed);
  g_mutex_unlock (&reload->lock);
}

void
gst_nativert_reload_free (GstNativertReload *reload)
{
  g_mutex_lock (&reload->lock);
  reload->stop = TRUE;
  if (reload->loading)
    g_cancellable_cancel (reload->loading);
  g_cond_signal (&reload->changed);
  g_mutex_unlock (&reload->lock);
  if (reload->thread)
    g_thread_join (reload->thread);
  g_free (reload->wanted);
  g_mutex_clear (&reload->lock);
  g_cond_clear (&reload->changed);
  g_object_unref (reload->runner);
  g_free (reload);
}
