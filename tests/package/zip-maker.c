/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "zip-maker.h"
#include "package/archive.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void
free_entry (gpointer data)
{
  ZipEntry *entry = data;

  g_free (entry->name);
  g_bytes_unref (entry->data);
  g_free (entry);
}

GPtrArray *
zip_new (void)
{
  return g_ptr_array_new_with_free_func (free_entry);
}

ZipEntry *
zip_add (GPtrArray *zip, const char *name, gconstpointer data, gsize size)
{
  ZipEntry *entry = g_new0 (ZipEntry, 1);

  entry->name = g_strdup (name);
  entry->data = g_bytes_new (data, size);
  g_ptr_array_add (zip, entry);
  return entry;
}

ZipEntry *
zip_find (GPtrArray *zip, const char *name)
{
  for (guint i = 0; i < zip->len; i++) {
    ZipEntry *entry = g_ptr_array_index (zip, i);
    const char *slash = strchr (entry->name, '/');
    if (strcmp (slash != NULL ? slash + 1 : entry->name, name) == 0)
      return entry;
  }
  g_error ("no record %s", name);
}

void
zip_set (ZipEntry *entry, gconstpointer data, gsize size)
{
  g_bytes_unref (entry->data);
  entry->data = g_bytes_new (data, size);
}

GPtrArray *
zip_read (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NativertArchive) archive = nativert_archive_open (path, &error);
  GPtrArray *zip = zip_new ();

  g_assert_no_error (error);
  for (guint i = 0; i < nativert_archive_n_records (archive); i++) {
    g_autoptr (GBytes) bytes = nativert_archive_read (archive, i, &error);
    g_assert_no_error (error);
    zip_add (zip, nativert_archive_get (archive, i)->name, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  }
  return zip;
}

static void
put (GByteArray *out, guint64 value, guint n_bytes)
{
  for (guint i = 0; i < n_bytes; i++) {
    guint8 byte = i < 8 ? (guint8) (value >> (8 * i)) : 0;
    g_byte_array_append (out, &byte, 1);
  }
}

static void
put_text (GByteArray *out, const char *text)
{
  g_byte_array_append (out, (const guint8 *) text, (guint) strlen (text));
}

static void
put_local (GByteArray *out, const ZipEntry *entry)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (entry->data, &size);
  guint header = 30 + (guint) strlen (entry->name) + 4, padding = (64 - (out->len + header) % 64) % 64;

  put (out, 0x04034b50, 4);
  put (out, 0, 2);
  put (out, 0x0808 ^ entry->flags, 2);
  put (out, entry->method, 2);
  put (out, 0, 16);
  put (out, strlen (entry->name), 2);
  put (out, padding + 4, 2);
  put_text (out, entry->name);
  put_text (out, "FB");
  put (out, padding, 2);
  for (guint i = 0; i < padding; i++)
    put_text (out, "Z");
  if (size > 0)
    g_byte_array_append (out, data, (guint) size);
}

static void
put_central (GByteArray *out, const ZipEntry *entry, guint64 offset)
{
  gsize size = g_bytes_get_size (entry->data);

  put (out, 0x02014b50, 4);
  put (out, 0, 4);
  put (out, 0x0808 ^ entry->flags, 2);
  put (out, entry->method, 2);
  put (out, 0, 8);
  put (out, size + (guint64) entry->stored_size_add, 4);
  put (out, size + (guint64) entry->size_add, 4);
  put (out, strlen (entry->name), 2);
  put (out, 0, 12);
  put (out, offset + (guint64) entry->offset_add, 4);
  put_text (out, entry->name);
}

static void
put_end (GByteArray *out, const ZipEnd *end, guint64 n, guint64 size, guint64 offset)
{
  guint64 count = n + (guint64) end->count_add, end64 = out->len;

  size += (guint64) end->size_add;
  offset += (guint64) end->offset_add;
  if (!end->no_end64) {
    put (out, 0x06064b50, 4);
    put (out, 44, 8);
    put (out, 0x2d002d, 4);
    put (out, 0, 8);
    put (out, count, 8);
    put (out, count, 8);
    put (out, size, 8);
    put (out, offset, 8);
    put (out, 0x07064b50, 4);
    put (out, 0, 4);
    put (out, end64 + (guint64) end->locator_add, 8);
    put (out, 1, 4);
  }
  put (out, 0x06054b50, 4);
  put (out, 0, 4);
  put (out, end->claim64 ? 0xffff : count, 2);
  put (out, end->claim64 ? 0xffff : count, 2);
  put (out, end->claim64 ? 0xffffffff : size, 4);
  put (out, end->claim64 ? 0xffffffff : offset, 4);
  put (out, 0, 2);
}

GBytes *
zip_write (GPtrArray *zip, const ZipEnd *end)
{
  static const ZipEnd right;
  GByteArray *out = g_byte_array_new (), *central = g_byte_array_new ();
  guint64 before = 0;
  GBytes *bytes;

  for (guint i = 0; i < zip->len; i++) {
    const ZipEntry *entry = g_ptr_array_index (zip, i);
    guint64 offset = out->len;
    put_local (out, entry);
    put_central (central, entry, entry->same_place ? before : offset);
    before = offset;
  }
  guint64 at = out->len;
  g_byte_array_append (out, central->data, central->len);
  put_end (out, end != NULL ? end : &right, zip->len, central->len, at);
  g_byte_array_unref (central);
  bytes = g_byte_array_free_to_bytes (out);
  return bytes;
}

const char *
zip_publish (gconstpointer data, gsize size)
{
  static char path[64];
  static int fd = -1;

  if (fd < 0)
    fd = memfd_create ("archive", MFD_CLOEXEC);
  g_assert_cmpint (fd, >=, 0);
  g_assert_cmpint (ftruncate (fd, 0), ==, 0);
  g_assert_cmpint (pwrite (fd, data, size, 0), ==, (gssize) size);
  g_snprintf (path, sizeof path, "/proc/self/fd/%d", fd);
  return path;
}
