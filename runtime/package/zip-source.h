/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How libzip reads one of our files.  It notes where it reads, because libzip does not tell where a record's bytes
 * begin. */
#pragma once
#include <zip.h>
#include "package/backing.h"

typedef struct {
  NativertBacking *backing;
  uint64_t at, last_read;               /* last_read: where the last read began */
  /* while the archive is being opened: the end of the file as libzip sees it, with exactly one end record */
  uint64_t tail_offset;
  GBytes *tail;
  zip_error_t error;
} NativertZipSource;

/* Finds and checks the end records (counts against sizes, places inside of the file) and opens the archive with libzip.
 * source is embedded in its owner and outlives the archive.  Messages begin with what. */
zip_t *nativert_zip_open (NativertZipSource *source, NativertBacking *backing, const char *what, GError **error);
void nativert_zip_source_clear (NativertZipSource *source);
