/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Storages by persistent id, and the tensors over them. */
#include "package/pickle-private.h"
#include "base/checked.h"
#include "base/tensor.h"

#include <string.h>

/* "torch FloatStorage" and its kin; -1: bytes. */
static bool
storage_dtype (const char *name, int16_t *dtype)
{
  static const struct { const char *name; NativertDtype dtype;
  } types[] = { { "Float", NATIVERT_DTYPE_FLOAT32 }, { "Double", NATIVERT_DTYPE_FLOAT64 },
    { "Half", NATIVERT_DTYPE_FLOAT16 }, { "BFloat16", NATIVERT_DTYPE_BFLOAT16 }, { "Long", NATIVERT_DTYPE_INT64 },
    { "Int", NATIVERT_DTYPE_INT32 }, { "Short", NATIVERT_DTYPE_INT16 }, { "Char", NATIVERT_DTYPE_INT8 },
    { "Byte", NATIVERT_DTYPE_UINT8 }, { "Bool", NATIVERT_DTYPE_BOOL }, { "ComplexFloat", NATIVERT_DTYPE_COMPLEX64 },
    { "ComplexDouble", NATIVERT_DTYPE_COMPLEX128 } };

  *dtype = -1;
  if (strcmp (name, "torch.storage UntypedStorage") == 0)
    return true;
  if (!g_str_has_prefix (name, "torch ") || !g_str_has_suffix (name, "Storage"))
    return false;
  for (size_t i = 0; i < G_N_ELEMENTS (types); i++) {
    size_t length = strlen (types[i].name);
    if (strlen (name) == 6 + length + 7 && memcmp (name + 6, types[i].name, length) == 0) {
      *dtype = (int16_t) types[i].dtype;
      return true;
    }
  }
  return false;
}

static NativertStorage *
load_storage (Pickle *p, const char *key)
{
  g_autofree char *name = g_strconcat ("data/", key, NULL);
  int64_t index = nativert_archive_find_below_root (p->archive, name);
  NativertStorage *storage;

  if (index < 0) {
    nativert_pickle_fail (p, NATIVERT_ERROR_MISSING, "storage '%.200s' is missing", name);
    return NULL;
  }
  storage = g_hash_table_lookup (p->storages, GSIZE_TO_POINTER (index + 1));
  if (storage != NULL)
    return nativert_storage_ref (storage);
  storage = nativert_storage_load (p->archive, (uint32_t) index, false, NULL, p->error);
  /* borrowed by the table: the object that is made for it lives as long */
  if (storage != NULL)
    g_hash_table_insert (p->storages, GSIZE_TO_POINTER (index + 1), storage);
  return storage;
}

/* ("storage", type, key, location, count) */
PickleObject *
nativert_pickle_persistent (Pickle *p, const PickleObject *id)
{
  static const uint8_t kinds[] = {PICKLE_STRING, PICKLE_GLOBAL, PICKLE_STRING, PICKLE_STRING, PICKLE_INT};
  NativertStorage *storage;
  PickleObject *object;
  int16_t dtype;
  size_t n_bytes;
  bool fits = id->kind == PICKLE_TUPLE && nativert_pickle_length (id) == G_N_ELEMENTS (kinds);

  for (uint32_t i = 0; fits && i < G_N_ELEMENTS (kinds); i++)
    fits = nativert_pickle_item (id, i)->kind == kinds[i];
  if (!fits || strcmp (nativert_pickle_item (id, 0)->u.text.s, "storage") != 0) {
    nativert_pickle_fail (p, NATIVERT_ERROR_FORMAT, "persistent id is no storage");
    return NULL;
  }
  if (!storage_dtype (nativert_pickle_item (id, 1)->u.text.s, &dtype)) {
    nativert_pickle_fail (
        p, NATIVERT_ERROR_UNSUPPORTED, "storage of type '%s'", nativert_pickle_item (id, 1)->u.text.s);
    return NULL;
  }
  storage = load_storage (p, nativert_pickle_item (id, 2)->u.text.s);
  object = storage != NULL ? nativert_pickle_new (p, PICKLE_STORAGE) : NULL;
  if (object == NULL) {
    g_clear_pointer (&storage, nativert_storage_unref);
    return NULL;
  }
  object->dtype = dtype;
  object->u.storage.storage = storage;
  if (nativert_pickle_item (id, 4)->u.i < 0
      || !nativert_mul_size ((size_t) nativert_pickle_item (id, 4)->u.i,
          dtype >= 0 ? nativert_dtype_get_size ((NativertDtype) dtype) : 1, &n_bytes)
      || n_bytes > nativert_storage_n_bytes (storage)) {
    nativert_pickle_fail (p, NATIVERT_ERROR_MISMATCH,
        "storage '%s' has %zu bytes, fewer than its %" G_GINT64_FORMAT " elements",
        nativert_pickle_item (id, 2)->u.text.s, nativert_storage_n_bytes (storage), nativert_pickle_item (id, 4)->u.i);
    return NULL;
  }
  object->u.storage.n_bytes = n_bytes;
  return object;
}

static bool
read_ints (Pickle *p, const PickleObject *tuple, int64_t *result, uint32_t *n)
{
  if (tuple->kind != PICKLE_TUPLE)
    return nativert_pickle_fail (p, NATIVERT_ERROR_FORMAT, "tensor: sizes or strides are no tuple");
  *n = nativert_pickle_length (tuple);
  if (*n > NATIVERT_TENSOR_MAX_DIMS)
    return nativert_pickle_fail (
        p, NATIVERT_ERROR_LIMIT, "tensor: %u dimensions, at most %d", *n, NATIVERT_TENSOR_MAX_DIMS);
  for (uint32_t i = 0; i < *n; i++) {
    const PickleObject *item = nativert_pickle_item (tuple, i);
    if (item->kind != PICKLE_INT || item->u.i < 0)
      return nativert_pickle_fail (p, NATIVERT_ERROR_FORMAT, "tensor: a size or stride is no count");
    result[i] = item->u.i;
  }
  return true;
}

/* {"conj": True}, {"neg": True}: bits of the tensor that the bytes do not show. */
static bool
has_bit (const PickleObject *metadata, const char *name)
{
  if (metadata == NULL || metadata->kind != PICKLE_DICT)
    return false;
  for (uint32_t i = 0; i + 1 < nativert_pickle_length (metadata); i += 2) {
    const PickleObject *key = nativert_pickle_item (metadata, i), *value = nativert_pickle_item (metadata, i + 1);
    if (key->kind == PICKLE_STRING && strcmp (key->u.text.s, name) == 0)
      return value->kind == PICKLE_BOOL && value->u.i != 0;
  }
  return false;
}

/* Turns the sign of every number from first on, in steps: of all of them, or of the imaginary parts. */
static bool
flip_signs (NativertTensor *tensor, size_t width, size_t first, size_t step)
{
  size_t n = (size_t) nativert_tensor_get_n_elements (tensor)
             * nativert_dtype_get_size (nativert_tensor_get_dtype (tensor)) / width;
  uint8_t *bytes = nativert_tensor_get_data (tensor);

  for (size_t i = first; i < n; i += step)
    bytes[i * width + width - 1] ^= 0x80;
  return true;
}

static bool
apply_bits (Pickle *p, NativertTensor **tensor, bool conj, bool neg)
{
  NativertDtype dtype = nativert_tensor_get_dtype (*tensor);
  bool is_complex = dtype >= NATIVERT_DTYPE_COMPLEX32 && dtype <= NATIVERT_DTYPE_COMPLEX128;
  size_t width = nativert_dtype_get_size (dtype) / (is_complex ? 2 : 1);
  g_autoptr (NativertTensor) dense = NULL, copy = NULL;
  int64_t sizes[NATIVERT_TENSOR_MAX_DIMS];

  if ((conj && !is_complex) || (neg && !is_complex && dtype > NATIVERT_DTYPE_BFLOAT16))
    return nativert_pickle_fail (
        p, NATIVERT_ERROR_FORMAT, "tensor: conj or neg of %s", nativert_dtype_get_name (dtype));
  for (uint32_t i = 0; i < nativert_tensor_get_n_dims (*tensor); i++)
    sizes[i] = nativert_tensor_get_size (*tensor, (int) i);
  dense = nativert_tensor_contiguous (*tensor);
  copy = nativert_tensor_new (dtype, sizes, nativert_tensor_get_n_dims (*tensor));
  if (dense == NULL || copy == NULL)
    return nativert_pickle_fail (p, NATIVERT_ERROR_LIMIT, "tensor: no memory");
  memcpy (nativert_tensor_get_data (copy), nativert_tensor_get_data (dense),
      (size_t) nativert_tensor_get_n_elements (dense) * nativert_dtype_get_size (dtype));
  if (conj)
    flip_signs (copy, width, 1, 2);
  if (neg)
    flip_signs (copy, width, 0, 1);
  nativert_tensor_unref (*tensor);
  *tensor = g_steal_pointer (&copy);
  return true;
}

/* (storage, offset, sizes, strides, requires_grad, hooks[, dtype][, metadata]) */
PickleObject *
nativert_pickle_tensor (Pickle *p, const PickleObject *args, bool has_dtype)
{
  uint32_t n_args = nativert_pickle_length (args), n_fixed = has_dtype ? 7 : 6, n_dims, n_strides;
  const PickleObject *storage, *offset, *metadata = NULL;
  int64_t sizes[NATIVERT_TENSOR_MAX_DIMS], strides[NATIVERT_TENSOR_MAX_DIMS];
  PickleObject *object;
  size_t n_bytes, item;
  int dtype;

  if (n_args < n_fixed || n_args > n_fixed + 1 || nativert_pickle_item (args, 0)->kind != PICKLE_STORAGE
      || nativert_pickle_item (args, 1)->kind != PICKLE_INT) {
    nativert_pickle_fail (p, NATIVERT_ERROR_FORMAT, "tensor: unexpected arguments");
    return NULL;
  }
  storage = nativert_pickle_item (args, 0);
  offset = nativert_pickle_item (args, 1);
  dtype = storage->dtype;
  if (has_dtype) {
    const char *name
        = nativert_pickle_item (args, 6)->kind == PICKLE_GLOBAL ? nativert_pickle_item (args, 6)->u.text.s : "";
    dtype = g_str_has_prefix (name, "torch ") ? nativert_dtype_from_name (name + 6) : -1;
  }
  if (n_args > n_fixed)
    metadata = nativert_pickle_item (args, n_fixed);
  if (dtype < 0) {
    nativert_pickle_fail (p, NATIVERT_ERROR_UNSUPPORTED, "tensor: element type is not known");
    return NULL;
  }
  if (!read_ints (p, nativert_pickle_item (args, 2), sizes, &n_dims)
      || !read_ints (p, nativert_pickle_item (args, 3), strides, &n_strides))
    return NULL;
  item = nativert_dtype_get_size ((NativertDtype) dtype);
  if (n_dims != n_strides || !nativert_extent (sizes, strides, n_dims, offset->u.i, item, &n_bytes)
      || n_bytes > storage->u.storage.n_bytes) {
    nativert_pickle_fail (p, NATIVERT_ERROR_MISMATCH, "tensor: the view does not lie within its storage of %zu bytes",
        storage->u.storage.n_bytes);
    return NULL;
  }
  object = nativert_pickle_new (p, PICKLE_TENSOR);
  if (object == NULL)
    return NULL;
  object->u.tensor = nativert_tensor_new_borrowed ((NativertDtype) dtype, sizes, strides, n_dims,
      (char *) nativert_storage_data (storage->u.storage.storage) + (n_bytes > 0 ? (size_t) offset->u.i * item : 0),
      (GDestroyNotify) nativert_storage_unref, nativert_storage_ref (storage->u.storage.storage));
  if ((has_bit (metadata, "conj") || has_bit (metadata, "neg"))
      && !apply_bits (p, &object->u.tensor, has_bit (metadata, "conj"), has_bit (metadata, "neg")))
    return NULL;
  return object;
}
