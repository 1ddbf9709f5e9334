/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The unpickler from the outside in: the files of the archive, the loop over opcodes, the objects they make. */
#include "package/pickle-private.h"

#include <string.h>

bool
nativert_pickle_fail (Pickle *p, int code, const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list args;

  if (p->error != NULL && *p->error != NULL)
    return false;
  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  return nativert_archive_fail (
      p->archive, p->record, p->error, code, "pickle: %s at byte %zu", message, (size_t)(p->at - p->start));
}

bool
nativert_pickle_malformed (Pickle *p, const char *why)
{
  return nativert_pickle_fail (p, NATIVERT_ERROR_FORMAT, "%s", why);
}

PickleObject *
nativert_pickle_new (Pickle *p, PickleKind kind)
{
  PickleObject *object;

  if (++p->n_objects > PICKLE_MAX_OBJECTS) {
    nativert_pickle_fail (p, NATIVERT_ERROR_LIMIT, "more than %d objects", PICKLE_MAX_OBJECTS);
    return NULL;
  }
  object = nativert_region_new_n (p->region, PickleObject, 1);
  object->kind = (uint8_t) kind;
  if (kind == PICKLE_STORAGE || kind == PICKLE_TENSOR)
    g_ptr_array_add (p->owned, object);
  return object;
}

void
nativert_pickle_append (Pickle *p, PickleObject *container, PickleObject *item)
{
  if (container->u.items == NULL) {
    container->u.items = g_ptr_array_new ();
    g_ptr_array_add (p->owned, container);
  }
  g_ptr_array_add (container->u.items, item);
}

uint32_t
nativert_pickle_length (const PickleObject *container)
{
  return container->u.items != NULL ? container->u.items->len : 0;
}

PickleObject *
nativert_pickle_item (const PickleObject *container, uint32_t index)
{
  return g_ptr_array_index (container->u.items, index);
}

/* Runs to STOP; the result is what is left on the stack. */
static PickleObject *
run (Pickle *p)
{
  for (;;) {
    const uint8_t *opcode = p->at;
    if (opcode == p->end) {
      nativert_pickle_malformed (p, "ends too early");
      return NULL;
    }
    p->at++;
    if (*opcode == '.')
      break;
    if (nativert_pickle_handlers[*opcode] == NULL) {
      nativert_pickle_fail (p, NATIVERT_ERROR_FORMAT, "opcode 0x%02x is not known", *opcode);
      return NULL;
    }
    if (!nativert_pickle_handlers[*opcode](p))
      return NULL;
  }
  if (p->stack->len == 1 && p->marks->len == 0)
    return g_ptr_array_index (p->stack, 0);
  nativert_pickle_malformed (p, "does not end with one object");
  return NULL;
}

static void
free_owned (gpointer data)
{
  PickleObject *object = data;

  if (object->kind == PICKLE_STORAGE)
    g_clear_pointer (&object->u.storage.storage, nativert_storage_unref);
  else if (object->kind == PICKLE_TENSOR)
    g_clear_pointer (&object->u.tensor, nativert_tensor_unref);
  else
    g_clear_pointer (&object->u.items, g_ptr_array_unref);
}

static bool
check_byte_order (NativertArchive *archive, GError **error)
{
  int64_t index = nativert_archive_find_below_root (archive, "byteorder");
  g_autoptr (GBytes) bytes = NULL;

  if (index < 0)
    return true;
  if (nativert_archive_get (archive, (uint32_t) index)->size > 16)
    return nativert_archive_fail (archive, index, error, NATIVERT_ERROR_FORMAT, "expected one short word");
  bytes = nativert_archive_read (archive, (uint32_t) index, error);
  if (bytes == NULL)
    return false;
  return (g_bytes_get_size (bytes) == 6 && memcmp (g_bytes_get_data (bytes, NULL), "little", 6) == 0)
         || nativert_archive_fail (
             archive, index, error, NATIVERT_ERROR_UNSUPPORTED, "only little-endian files are known");
}

NativertValue *
nativert_pickle_load (NativertArchive *archive, GError **error)
{
  g_autoptr (GError) own_error = NULL;
  Pickle p = {archive, nativert_archive_find_below_root (archive, "data.pkl"), &own_error};
  g_autoptr (GBytes) bytes = NULL;
  PickleObject *result;
  NativertValue *value;
  gsize size;

  if (p.record < 0) {
    nativert_archive_fail (
        archive, -1, error, NATIVERT_ERROR_FORMAT, "record 'data.pkl' is missing: not written by torch.save");
    return NULL;
  }
  if (!check_byte_order (archive, error)
      || (bytes = nativert_archive_read (archive, (uint32_t) p.record, error)) == NULL)
    return NULL;
  p.start = p.at = g_bytes_get_data (bytes, &size);
  p.end = p.start + size;
  p.region = nativert_region_new ();
  p.owned = g_ptr_array_new_with_free_func (free_owned);
  p.stack = g_ptr_array_new ();
  p.marks = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  p.memo = g_hash_table_new (NULL, NULL);
  p.storages = g_hash_table_new (NULL, NULL);
  p.values = g_ptr_array_new_with_free_func ((GDestroyNotify) nativert_value_unref);
  result = run (&p);
  value = result != NULL ? nativert_pickle_to_value (&p, result) : NULL;
  if (value == NULL)
    g_propagate_error (error, g_steal_pointer (&own_error));
  g_ptr_array_unref (p.values);
  g_hash_table_unref (p.storages);
  g_hash_table_unref (p.memo);
  g_array_unref (p.marks);
  g_ptr_array_unref (p.stack);
  g_ptr_array_unref (p.owned);
  nativert_region_free (p.region);
  return value;
}
