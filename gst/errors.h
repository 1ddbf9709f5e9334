/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One way from a GError to the bus. */
#pragma once
#include <gst/gst.h>

G_BEGIN_DECLS

/* Posts an error whose domain and code tell applications what to do, and whose text tells people.  prefix: what was
 * tried. */
void gst_nativert_post_error (GstElement *element, const GError *error, const char *prefix, const char *path);
void gst_nativert_post_warning (GstElement *element, const GError *error, const char *prefix, const char *path);

G_END_DECLS
