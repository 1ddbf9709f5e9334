/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libzip's source callback, and the look at the end of the file before libzip sees it: libzip allocates as many entries
 * as an end record claims, and tries every place near the end that looks like one. */
#include "package/zip-source.h"
#include "nativert.h"

#include <errno.h>
#include <string.h>

enum { END_SIZE = 22, LOCATOR_SIZE = 20, END64_SIZE = 56, ENTRY_SIZE = 46, MAX_COMMENT = 65535 };

typedef struct { uint64_t n_entries, size, offset, at; } Directory;      /* at: where its end record begins */

static uint16_t
u16 (const uint8_t *p)
{
  return (uint16_t) (p[0] | p[1] << 8);
}

static uint32_t
u32 (const uint8_t *p)
{
  return u16 (p) | (uint32_t) u16 (p + 2) << 16;
}

static uint64_t
u64 (const uint8_t *p)
{
  return u32 (p) | (uint64_t) u32 (p + 4) << 32;
}

static bool
fail (const char *what, GError **error, int code, const char *why)
{
  g_set_error (error, NATIVERT_ERROR, code, "%s: not a usable archive: %s", what, why);
  return false;
}

/* The ZIP64 end record takes the place of the short one when a locator stands before that. */
static bool
read_end64 (NativertZipSource *source, const char *what, Directory *dir, GError **error)
{
  uint8_t locator[LOCATOR_SIZE], end[END64_SIZE];
  uint64_t end_at = dir->at;

  if (end_at < LOCATOR_SIZE
      || !nativert_backing_read (source->backing, end_at - LOCATOR_SIZE, locator, sizeof locator, NULL)
      || memcmp (locator, "PK\6\7", 4) != 0)
    return true;
  dir->at = u64 (locator + 8);
  if (dir->at > end_at - LOCATOR_SIZE || end_at - LOCATOR_SIZE - dir->at < END64_SIZE
      || !nativert_backing_read (source->backing, dir->at, end, sizeof end, NULL) || memcmp (end, "PK\6\6", 4) != 0)
    return fail (what, error, NATIVERT_ERROR_FORMAT, "the ZIP64 end record is not where its locator says");
  dir->n_entries = u64 (end + 32);
  dir->size = u64 (end + 40);
  dir->offset = u64 (end + 48);
  return true;
}

static bool
check_directory (NativertZipSource *source, const char *what, const uint8_t *end, uint64_t end_at, GError **error)
{
  Directory dir = {u16 (end + 10), u32 (end + 12), u32 (end + 16), end_at};

  if (!read_end64 (source, what, &dir, error))
    return false;
  if (dir.offset > dir.at || dir.size > dir.at - dir.offset)
    return fail (what, error, NATIVERT_ERROR_FORMAT, "the central directory lies outside of the file");
  if (dir.n_entries > dir.size / ENTRY_SIZE)
    return fail (what, error, NATIVERT_ERROR_FORMAT,
        "the end record claims more records than the central directory has room for");
  return true;
}

/* Finds the end record and hides everything else in the tail that looks like one. */
static bool
prepare_tail (NativertZipSource *source, const char *what, GError **error)
{
  uint64_t size = nativert_backing_size (source->backing);
  size_t length = (size_t) MIN (size, END_SIZE + MAX_COMMENT);
  g_autofree uint8_t *tail = g_malloc (length + 1);
  int64_t end = -1;

  if (!nativert_backing_read (source->backing, size - length, tail, length, NULL))
    return fail (what, error, NATIVERT_ERROR_IO, "the file cannot be read");
  for (int64_t i = (int64_t) length - 4; i >= 0; i--) {
    if (memcmp (tail + i, "PK\5\6", 4) != 0)
      continue;
    if (end < 0 && (size_t) i + END_SIZE <= length && u16 (tail + i + 20) == length - i - END_SIZE)
      end = i;
    else
      tail[i] = 0;
  }
  if (end < 0)
    return fail (what, error, NATIVERT_ERROR_FORMAT, "no end record: not a ZIP file, or cut off");
  source->tail_offset = size - length;
  if (!check_directory (source, what, tail + end, source->tail_offset + (uint64_t) end, error))
    return false;
  source->tail = g_bytes_new_take (g_steal_pointer (&tail), length);
  return true;
}

static zip_int64_t
source_read (NativertZipSource *source, void *data, zip_uint64_t length)
{
  uint64_t size = nativert_backing_size (source->backing), from;

  source->last_read = source->at;
  length = MIN (length, size - MIN (size, source->at));
  if (!nativert_backing_read (source->backing, source->at, data, length, NULL)) {
    zip_error_set (&source->error, ZIP_ER_READ, errno);
    return -1;
  }
  if (source->tail != NULL && source->at + length > source->tail_offset) {
    from = MAX (source->at, source->tail_offset);
    memcpy ((char *) data + (from - source->at),
        (const char *) g_bytes_get_data (source->tail, NULL) + (from - source->tail_offset),
        source->at + length - from);
  }
  source->at += length;
  return (zip_int64_t) length;
}

static zip_int64_t
source_stat (NativertZipSource *source, void *data, zip_uint64_t length)
{
  zip_stat_t *info = data;

  if (length < sizeof *info)
    return -1;
  zip_stat_init (info);
  info->valid = ZIP_STAT_SIZE;
  info->size = nativert_backing_size (source->backing);
  return sizeof *info;
}

static zip_int64_t
source_call (void *user_data, void *data, zip_uint64_t length, zip_source_cmd_t command)
{
  NativertZipSource *source = user_data;
  zip_int64_t position;

  switch (command) {
    case ZIP_SOURCE_OPEN:
      source->at = 0;
      return 0;
    case ZIP_SOURCE_READ:
      return source_read (source, data, length);
    case ZIP_SOURCE_CLOSE:
    case ZIP_SOURCE_FREE:
      return 0;
    case ZIP_SOURCE_STAT:
      return source_stat (source, data, length);
    case ZIP_SOURCE_ERROR:
      return zip_error_to_data (&source->error, data, length);
    case ZIP_SOURCE_SEEK:
      position = zip_source_seek_compute_offset (
          source->at, nativert_backing_size (source->backing), data, length, &source->error);
      if (position < 0)
        return -1;
      source->at = (uint64_t) position;
      return 0;
    case ZIP_SOURCE_TELL:
      return (zip_int64_t) source->at;
    case ZIP_SOURCE_SUPPORTS:
      return zip_source_make_command_bitmap (ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT,
          ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL, ZIP_SOURCE_SUPPORTS, -1);
    default:
      zip_error_set (&source->error, ZIP_ER_OPNOTSUPP, 0);
      return -1;
  }
}

zip_t *
nativert_zip_open (NativertZipSource *source, NativertBacking *backing, const char *what, GError **error)
{
  zip_source_t *zip_source;
  zip_error_t zip_error;
  zip_t *zip;

  source->backing = nativert_backing_ref (backing);
  zip_error_init (&source->error);
  if (!prepare_tail (source, what, error))
    return NULL;
  zip_error_init (&zip_error);
  zip_source = zip_source_function_create (source_call, source, &zip_error);
  zip = zip_source != NULL ? zip_open_from_source (zip_source, ZIP_RDONLY, &zip_error) : NULL;
  if (zip == NULL) {
    fail (what, error, NATIVERT_ERROR_FORMAT, zip_error_strerror (&zip_error));
    g_clear_pointer (&zip_source, zip_source_free);
  }
  zip_error_fini (&zip_error);
  g_clear_pointer (&source->tail, g_bytes_unref);
  return zip;
}

void
nativert_zip_source_clear (NativertZipSource *source)
{
  g_clear_pointer (&source->tail, g_bytes_unref);
  g_clear_pointer (&source->backing, nativert_backing_unref);
  zip_error_fini (&source->error);
}
