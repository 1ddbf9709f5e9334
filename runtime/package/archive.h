/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A ZIP file as a table of records with known places.  Records that are stored (all that torch writes) are read with
 * pread or mapped; compressed ones go through libzip.  Knows nothing of PT2: .pt, .npz and the sample inputs inside of
 * a .pt2 are such files too. */
#pragma once
#include <gio/gio.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct NativertArchive NativertArchive;         /* immutable after open; ref-counted, any thread */

typedef struct {
  const char *name;                     /* as in the file, with the root folder; UTF-8 */
  uint64_t size, stored_size;           /* bytes of the record; bytes it takes in the file */
  uint64_t offset;                      /* of a stored record's bytes, in the file that is open */
  bool is_stored;
} NativertRecord;

NativertArchive *nativert_archive_open (const char *path, GError **error);
/* The archive that is the whole of one record; what names it in messages. */
NativertArchive *nativert_archive_open_record (NativertArchive *outer, uint32_t index, GError **error);
NativertArchive *nativert_archive_ref (NativertArchive *archive);
void nativert_archive_unref (NativertArchive *archive);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NativertArchive, nativert_archive_unref)

const char *nativert_archive_get_path (const NativertArchive *archive);
/* For messages: the path, and the record for an archive inside of another. */
const char *nativert_archive_get_what (const NativertArchive *archive);
/* The first path component that all records have, or "". */
const char *nativert_archive_get_root (const NativertArchive *archive);
uint32_t nativert_archive_n_records (const NativertArchive *archive);
const NativertRecord *nativert_archive_get (const NativertArchive *archive, uint32_t index);
/* By full name; -1: none. */
int64_t nativert_archive_find (const NativertArchive *archive, const char *name);
/* By name below the root; -1: none. */
int64_t nativert_archive_find_below_root (const NativertArchive *archive, const char *name);

/* Reads the whole record; data has room for its size. */
bool nativert_archive_read_into (
    NativertArchive *archive, uint32_t index, void *data, GCancellable *cancellable, GError **error);
GBytes *nativert_archive_read (NativertArchive *archive, uint32_t index, GError **error);
/* Fails when somebody wrote to the file since it was opened: what is read now may not belong to what came before. */
bool nativert_archive_check_unchanged (NativertArchive *archive, GError **error);
/* The file, mapped privately on the first call; NULL when that fails or the archive is not a file.  Lives as long as
 * the archive. */
void *nativert_archive_map (NativertArchive *archive, size_t *length);

/* Sets "<what>: record '<name>': <message>" (index -1: no record); returns false. */
bool nativert_archive_fail (const NativertArchive *archive, int64_t index, GError **error, int code, const char *format,
    ...) G_GNUC_PRINTF (5, 6);
