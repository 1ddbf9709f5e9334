/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loads weights in the background.  The newest request wins: an older one that is still loading is cancelled and
 * forgotten. */
#pragma once
#include <gst/gst.h>
#include "nativert.h"

G_BEGIN_DECLS

typedef struct _GstNativertReload GstNativertReload;
/* Called from the loading thread: weights are in use, or error says why the old ones stay. */
typedef void (*GstNativertReloadFunc) (
    gpointer user_data, const char *path, NativertWeights *weights, const GError *error);

GstNativertReload *gst_nativert_reload_new (NativertRunner *runner, GstNativertReloadFunc done, gpointer user_data);
/* Returns at once. */
void gst_nativert_reload_request (GstNativertReload *reload, const char *path);
/* Cancels what is loading and waits for the thread. */
void gst_nativert_reload_free (GstNativertReload *reload);

G_END_DECLS
