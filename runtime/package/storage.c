/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Storages: the memory behind weights, and the way of a record into it. */
#include "package/package-private.h"
#include "base/refs.h"
#include "base/memory.h"


enum { ALIGNMENT = 64 };

struct NativertStorage {
  NativertRefs refs;
  void *data;
  size_t n_bytes;
  GDestroyNotify destroy;               /* NULL: our own memory */
  gpointer user_data;
};

NativertStorage *
nativert_storage_new_borrowed (void *data, size_t n_bytes, GDestroyNotify destroy, gpointer user_data)
{
  NativertStorage *storage = g_new0 (NativertStorage, 1);

  nativert_refs_init (&storage->refs);
  storage->data = data;
  storage->n_bytes = n_bytes;
  storage->destroy = destroy;
  storage->user_data = user_data;
  return storage;
}

NativertStorage *
nativert_storage_new (size_t n_bytes, GError **error)
{
  void *data = nativert_memory_alloc (n_bytes);

  if (data != NULL)
    return nativert_storage_new_borrowed (data, n_bytes, NULL, NULL);
  g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_LIMIT, "no memory for %zu bytes", n_bytes);
  return NULL;
}

NativertStorage *
nativert_storage_ref (NativertStorage *storage)
{
  nativert_refs_inc (&storage->refs);
  return storage;
}

void
nativert_storage_unref (NativertStorage *storage)
{
  if (!nativert_refs_dec (&storage->refs))
    return;
  if (storage->destroy != NULL)
    storage->destroy (storage->user_data);
  else
    nativert_memory_free (storage->data, storage->n_bytes);
  g_free (storage);
}

void *
nativert_storage_data (const NativertStorage *storage)
{
  return storage->data;
}

size_t
nativert_storage_n_bytes (const NativertStorage *storage)
{
  return storage->n_bytes;
}

NativertStorage *
nativert_storage_load (NativertArchive *archive, uint32_t index, bool map, GCancellable *cancellable, GError **error)
{
  const NativertRecord *record = nativert_archive_get (archive, index);
  g_autoptr (NativertStorage) storage = NULL;
  size_t length;
  char *file;

  if (map && record->is_stored && record->size > 0 && record->offset % ALIGNMENT == 0) {
    file = nativert_archive_map (archive, &length);
    if (file != NULL)
      return nativert_storage_new_borrowed (file + record->offset, (size_t) record->size,
          (GDestroyNotify) nativert_archive_unref, nativert_archive_ref (archive));
  }
  storage = record->size <= SIZE_MAX ? nativert_storage_new ((size_t) record->size, NULL) : NULL;
  if (storage == NULL) {
    nativert_archive_fail (
        archive, index, error, NATIVERT_ERROR_LIMIT, "no memory for %" G_GUINT64_FORMAT " bytes", record->size);
    return NULL;
  }
  if (!nativert_archive_read_into (archive, index, storage->data, cancellable, error))
    return NULL;
  return g_steal_pointer (&storage);
}
