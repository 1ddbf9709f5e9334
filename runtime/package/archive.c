/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of records: made and checked once when the archive is opened, trusted after. */
#include "package/archive.h"
#include "base/refs.h"
#include "package/zip-source.h"
#include "base/refs.h"
#include "nativert.h"

#include <errno.h>
#include <string.h>

/* deflate cannot do better than 1032 to 1 */
enum { MAX_RATIO = 1032, MAX_NAME = 4096 };

struct NativertArchive {
  NativertRefs refs;
  char *path, *what, *root;
  NativertBacking *backing;
  NativertZipSource source;
  GMutex lock;                          /* libzip's handle: one thread at a time */
  zip_t *zip;
  GArray *records;                      /* NativertRecord; index = libzip's, folders left out */
  GArray *zip_index;                    /* record -> libzip's entry */
  GHashTable *index;                    /* name -> index + 1 */
};

bool
nativert_archive_fail (const NativertArchive *archive, int64_t index, GError **error, int code, const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  if (index >= 0)
    g_set_error (error, NATIVERT_ERROR, code, "%s: record '%s': %s", archive->what,
        nativert_archive_get (archive, index)->name, message);
  else
    g_set_error (error, NATIVERT_ERROR, code, "%s: %s", archive->what, message);
  return false;
}

static bool
fail (NativertArchive *archive, const char *name, GError **error, const char *why)
{
  return nativert_archive_fail (archive, -1, error, NATIVERT_ERROR_FORMAT, "record '%.200s': %s", name, why);
}

/* Where the bytes of a stored record begin: opening it makes libzip read the local header and then the first byte. */
static bool
locate (NativertArchive *archive, zip_uint64_t entry, NativertRecord *record, GError **error)
{
  zip_file_t *file = zip_fopen_index (archive->zip, entry, 0);
  uint8_t byte;
  bool readable;

  if (file == NULL)
    return fail (archive, record->name, error, zip_strerror (archive->zip));
  readable = zip_fread (file, &byte, 1) == 1;
  zip_fclose (file);
  record->offset = archive->source.last_read;
  if (!readable || record->offset > nativert_backing_size (archive->backing)
      || record->size > nativert_backing_size (archive->backing) - record->offset)
    return fail (archive, record->name, error, "lies outside of the file");
  return true;
}

static bool
check_entry (NativertArchive *archive, const char *name, const zip_stat_t *info, GError **error)
{
  zip_uint64_t needed = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;

  if ((info->valid & needed) != needed)
    return fail (archive, name, error, "the central directory does not describe it");
  if ((info->valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && info->encryption_method != ZIP_EM_NONE)
    return fail (archive, name, error, "is encrypted");
  if (info->comp_size > nativert_backing_size (archive->backing))
    return fail (archive, name, error, "is larger than the file");
  if (info->comp_method == ZIP_CM_STORE && info->size != info->comp_size)
    return fail (archive, name, error, "is stored but has two sizes");
  if (info->comp_method != ZIP_CM_STORE && info->comp_method != ZIP_CM_DEFLATE)
    return fail (archive, name, error, "is compressed by an unknown method");
  if (info->comp_method == ZIP_CM_DEFLATE && info->size / MAX_RATIO > info->comp_size)
    return fail (archive, name, error, "claims to be larger than its compressed bytes can be");
  return true;
}

static bool
add_record (NativertArchive *archive, zip_uint64_t entry, GError **error)
{
  NativertRecord record = {0};
  const char *name = zip_get_name (archive->zip, entry, ZIP_FL_ENC_RAW);
  zip_stat_t info;

  if (name == NULL || zip_stat_index (archive->zip, entry, 0, &info) < 0)
    return nativert_archive_fail (archive, -1, error, NATIVERT_ERROR_FORMAT, "record %" G_GUINT64_FORMAT ": %s",
        (guint64) entry, zip_strerror (archive->zip));
  if (*name == '\0' || strlen (name) > MAX_NAME || !g_utf8_validate (name, -1, NULL))
    return nativert_archive_fail (
        archive, -1, error, NATIVERT_ERROR_FORMAT, "record %" G_GUINT64_FORMAT ": bad name", (guint64) entry);
  if (g_str_has_suffix (name, "/") && info.size == 0)
    return true;
  if (!check_entry (archive, name, &info, error))
    return false;
  if (g_hash_table_contains (archive->index, name))
    return fail (archive, name, error, "is there twice");
  record.name = name;
  record.size = info.size;
  record.stored_size = info.comp_size;
  record.is_stored = info.comp_method == ZIP_CM_STORE;
  if (record.is_stored && record.size > 0 && !locate (archive, entry, &record, error))
    return false;
  g_array_append_val (archive->records, record);
  g_array_append_val (archive->zip_index, entry);
  g_hash_table_insert (archive->index, (gpointer) name, GUINT_TO_POINTER (archive->records->len));
  return true;
}

static int
by_offset (gconstpointer a, gconstpointer b)
{
  const NativertRecord *x = a, *y = b;

  return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Two records over the same bytes would let a small file claim to be a large one. */
static bool
check_overlap (NativertArchive *archive, GError **error)
{
  g_autoptr (GArray) sorted = g_array_new (FALSE, FALSE, sizeof (NativertRecord));
  const NativertRecord *before = NULL;

  for (guint i = 0; i < archive->records->len; i++) {
    const NativertRecord *record = nativert_archive_get (archive, i);
    if (record->is_stored && record->size > 0)
      g_array_append_vals (sorted, record, 1);
  }
  g_array_sort (sorted, by_offset);
  for (guint i = 0; i < sorted->len; i++) {
    const NativertRecord *record = &g_array_index (sorted, NativertRecord, i);
    if (before != NULL && record->offset - before->offset < before->size)
      return nativert_archive_fail (
          archive, -1, error, NATIVERT_ERROR_FORMAT, "records '%s' and '%s' overlap", before->name, record->name);
    before = record;
  }
  return true;
}

/* The first component of the first name, when all records are below it. */
static char *
find_root (const NativertArchive *archive)
{
  const char *first, *slash;
  g_autofree char *prefix = NULL;

  if (archive->records->len == 0)
    return g_strdup ("");
  first = nativert_archive_get (archive, 0)->name;
  slash = strchr (first, '/');
  if (slash == NULL)
    return g_strdup ("");
  prefix = g_strndup (first, slash + 1 - first);
  for (guint i = 0; i < archive->records->len; i++)
    if (!g_str_has_prefix (nativert_archive_get (archive, i)->name, prefix))
      return g_strdup ("");
  return g_strndup (first, slash - first);
}

static NativertArchive *
archive_open (NativertBacking *backing, const char *path, const char *what, GError **error)
{
  g_autoptr (NativertArchive) archive = g_new0 (NativertArchive, 1);
  zip_int64_t n;

  nativert_refs_init (&archive->refs);
  g_mutex_init (&archive->lock);
  archive->backing = nativert_backing_ref (backing);
  archive->path = g_strdup (path);
  archive->what = g_strdup (what);
  archive->records = g_array_new (FALSE, FALSE, sizeof (NativertRecord));
  archive->zip_index = g_array_new (FALSE, FALSE, sizeof (zip_uint64_t));
  archive->index = g_hash_table_new (g_str_hash, g_str_equal);
  archive->zip = nativert_zip_open (&archive->source, backing, what, error);
  if (archive->zip == NULL)
    return NULL;
  n = zip_get_num_entries (archive->zip, 0);
  for (zip_int64_t i = 0; i < n; i++)
    if (!add_record (archive, (zip_uint64_t) i, error))
      return NULL;
  if (!check_overlap (archive, error))
    return NULL;
  archive->root = find_root (archive);
  return g_steal_pointer (&archive);
}

NativertArchive *
nativert_archive_open (const char *path, GError **error)
{
  g_autoptr (NativertBacking) backing = nativert_backing_open (path, error);

  return backing != NULL ? archive_open (backing, path, path, error) : NULL;
}

NativertArchive *
nativert_archive_open_record (NativertArchive *outer, uint32_t index, GError **error)
{
  const NativertRecord *record = nativert_archive_get (outer, index);
  g_autofree char *what = g_strdup_printf ("%s: record '%s'", outer->what, record->name);
  g_autoptr (NativertBacking) backing = NULL;
  g_autoptr (GBytes) bytes = NULL;

  if (record->is_stored) {
    backing = nativert_backing_new_section (outer->backing, record->offset, record->size);
  } else {
    bytes = nativert_archive_read (outer, index, error);
    backing = bytes != NULL ? nativert_backing_new_bytes (bytes) : NULL;
  }
  return backing != NULL ? archive_open (backing, outer->path, what, error) : NULL;
}

NativertArchive *
nativert_archive_ref (NativertArchive *archive)
{
  nativert_refs_inc (&archive->refs);
  return archive;
}

void
nativert_archive_unref (NativertArchive *archive)
{
  if (!nativert_refs_dec (&archive->refs))
    return;
  g_clear_pointer (&archive->zip, zip_discard);
  nativert_zip_source_clear (&archive->source);
  g_array_unref (archive->records);
  g_array_unref (archive->zip_index);
  g_hash_table_unref (archive->index);
  nativert_backing_unref (archive->backing);
  g_mutex_clear (&archive->lock);
  g_free (archive->path);
  g_free (archive->what);
  g_free (archive->root);
  g_free (archive);
}

const char *
nativert_archive_get_path (const NativertArchive *archive)
{
  return archive->path;
}

const char *
nativert_archive_get_what (const NativertArchive *archive)
{
  return archive->what;
}

const char *
nativert_archive_get_root (const NativertArchive *archive)
{
  return archive->root;
}

uint32_t
nativert_archive_n_records (const NativertArchive *archive)
{
  return archive->records->len;
}

const NativertRecord *
nativert_archive_get (const NativertArchive *archive, uint32_t index)
{
  g_assert (index < archive->records->len);
  return &g_array_index (archive->records, NativertRecord, index);
}

int64_t
nativert_archive_find (const NativertArchive *archive, const char *name)
{
  return (int64_t) GPOINTER_TO_UINT (g_hash_table_lookup (archive->index, name)) - 1;
}

int64_t
nativert_archive_find_below_root (const NativertArchive *archive, const char *name)
{
  g_autofree char *full = *archive->root != '\0' ? g_strconcat (archive->root, "/", name, NULL) : g_strdup (name);

  return nativert_archive_find (archive, full);
}

static bool
inflate_into (NativertArchive *archive, uint32_t index, void *data, GError **error)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&archive->lock);
  uint64_t size = nativert_archive_get (archive, index)->size;
  zip_file_t *file = zip_fopen_index (archive->zip, g_array_index (archive->zip_index, zip_uint64_t, index), 0);
  uint8_t beyond;
  bool fine;

  if (file == NULL)
    return nativert_archive_fail (archive, index, error, NATIVERT_ERROR_FORMAT, "%s", zip_strerror (archive->zip));
  fine = zip_fread (file, data, size) == (zip_int64_t) size && zip_fread (file, &beyond, 1) == 0;
  if (!fine)
    nativert_archive_fail (
        archive, index, error, NATIVERT_ERROR_FORMAT, "its compressed bytes are damaged or of another size");
  zip_fclose (file);
  return fine;
}

bool
nativert_archive_read_into (
    NativertArchive *archive, uint32_t index, void *data, GCancellable *cancellable, GError **error)
{
  const NativertRecord *record = nativert_archive_get (archive, index);

  if (!record->is_stored)
    return inflate_into (archive, index, data, error);
  if (nativert_backing_read (archive->backing, record->offset, data, record->size, cancellable))
    return true;
  if (errno == ECANCELED)
    return nativert_archive_fail (archive, index, error, NATIVERT_ERROR_CANCELLED, "cancelled");
  return nativert_archive_fail (archive, index, error, NATIVERT_ERROR_IO, "%s",
      errno == 0 ? "the file became shorter while it was read" : g_strerror (errno));
}

GBytes *
nativert_archive_read (NativertArchive *archive, uint32_t index, GError **error)
{
  uint64_t size = nativert_archive_get (archive, index)->size;
  g_autofree char *data = size < SIZE_MAX ? g_try_malloc (size + 1) : NULL;

  if (data == NULL) {
    nativert_archive_fail (
        archive, index, error, NATIVERT_ERROR_LIMIT, "no memory for %" G_GUINT64_FORMAT " bytes", size);
    return NULL;
  }
  if (!nativert_archive_read_into (archive, index, data, NULL, error))
    return NULL;
  return g_bytes_new_take (g_steal_pointer (&data), size);
}

bool
nativert_archive_check_unchanged (NativertArchive *archive, GError **error)
{
  return nativert_backing_is_unchanged (archive->backing)
         || nativert_archive_fail (archive, -1, error, NATIVERT_ERROR_IO,
             "the file was overwritten since it was opened; load it again");
}

void *
nativert_archive_map (NativertArchive *archive, size_t *length)
{
  return nativert_backing_map (archive->backing, length);
}
