/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes ZIP files for tests, in torch's layout, with any field wrong on request. */
#pragma once
#include <glib.h>

typedef struct {
  char *name;
  GBytes *data;
  /* what to write instead of what is right */
  gint64 size_add, stored_size_add, offset_add;
  guint16 method, flags;                /* flags: those to turn */
  gboolean same_place;                  /* the central directory points at the record before */
} ZipEntry;

typedef struct {
  gint64 count_add, size_add, offset_add, locator_add;
  gboolean no_end64;                    /* leave the ZIP64 records out */
  gboolean claim64;                     /* the counts above go to the ZIP64 record */
} ZipEnd;

GPtrArray *zip_new (void);              /* of ZipEntry */
ZipEntry *zip_add (GPtrArray *zip, const char *name, gconstpointer data, gsize size);
ZipEntry *zip_find (GPtrArray *zip, const char *name);
void zip_set (ZipEntry *entry, gconstpointer data, gsize size);
/* All records of a good archive. */
GPtrArray *zip_read (const char *path);
GBytes *zip_write (GPtrArray *zip, const ZipEnd *end);
/* A path under which the bytes can be opened until the next call. */
const char *zip_publish (gconstpointer data, gsize size);
