/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Weights and constants of a model in a PT2 archive: the two configs, their views checked against the records, each
 * record read once however many names it has. */
#include "package/package-private.h"
#include "base/checked.h"
#include "base/tensor.h"
#include "package/pickle.h"

#include <string.h>

typedef struct {
  NativertArchive *archive;
  NativertWeightSet *set;
  GHashTable *storages;                 /* record's index + 1 -> storage */
  bool map;
  NativertWantedFn wanted;
  gpointer user_data;
  GCancellable *cancellable;
  GError **error;
  const NativertJsonDoc *doc;           /* the config being read */
  const char *folder;                   /* its records' */
  bool is_constant;
} Loader;

/* In configs every size is a number. */
static bool
read_int (Loader *l, const NativertJson *object, int64_t *result)
{
  const NativertJson *value = nativert_json_want (l->doc, object, "as_int", NATIVERT_JSON_INT, l->error);

  if (value == NULL)
    return false;
  *result = value->u.i;
  return value->u.i >= 0 || nativert_json_fail (l->doc, object, l->error, NATIVERT_ERROR_FORMAT, "is negative");
}

static bool
read_ints (Loader *l, const NativertJson *object, const char *key, const int64_t **result, uint32_t *n)
{
  const NativertJson *array = nativert_json_want (l->doc, object, key, NATIVERT_JSON_ARRAY, l->error);
  int64_t *list;

  if (array == NULL)
    return false;
  if (array->n > NATIVERT_TENSOR_MAX_DIMS)
    return nativert_json_fail (
        l->doc, array, l->error, NATIVERT_ERROR_LIMIT, "%u dimensions, at most %d", array->n, NATIVERT_TENSOR_MAX_DIMS);
  list = nativert_region_new_n (nativert_weight_set_region (l->set), int64_t, array->n);
  for (uint32_t i = 0; i < array->n; i++)
    if (!read_int (l, &array->u.items[i], &list[i]))
      return false;
  *result = list;
  *n = array->n;
  return true;
}

static bool
read_meta (Loader *l, const NativertJson *meta, NativertWeightDesc *desc)
{
  const NativertJson *dtype, *layout, *offset;
  uint32_t n_strides;

  if ((dtype = nativert_json_want (l->doc, meta, "dtype", NATIVERT_JSON_INT, l->error)) == NULL
      || (layout = nativert_json_want (l->doc, meta, "layout", NATIVERT_JSON_INT, l->error)) == NULL
      || (offset = nativert_json_want (l->doc, meta, "storage_offset", NATIVERT_JSON_OBJECT, l->error)) == NULL
      || !read_ints (l, meta, "sizes", &desc->sizes, &desc->n_dims)
      || !read_ints (l, meta, "strides", &desc->strides, &n_strides) || !read_int (l, offset, &desc->offset))
    return false;
  desc->dtype = (int16_t) nativert_dtype_from_scalar_type (dtype->u.i);
  if (desc->dtype < 0)
    return nativert_json_fail (
        l->doc, dtype, l->error, NATIVERT_ERROR_FORMAT, "unknown scalar type %" G_GINT64_FORMAT, dtype->u.i);
  if (layout->u.i != 7)
    return nativert_json_fail (l->doc, layout, l->error, NATIVERT_ERROR_UNSUPPORTED,
        "layout %" G_GINT64_FORMAT ", only strided (7) is known", layout->u.i);
  return n_strides == desc->n_dims
         || nativert_json_fail (
             l->doc, meta, l->error, NATIVERT_ERROR_FORMAT, "%u sizes but %u strides", desc->n_dims, n_strides);
}

/* The view must lie within the record.  An empty record stands for a tensor without data. */
static bool
check_view (Loader *l, const NativertJson *payload, uint32_t index, NativertWeightDesc *desc)
{
  const NativertRecord *record = nativert_archive_get (l->archive, index);
  size_t item = nativert_dtype_get_size ((NativertDtype) desc->dtype), n_bytes;
  int64_t numel;

  if (!nativert_numel (desc->sizes, desc->n_dims, &numel)
      || !nativert_extent (desc->sizes, desc->strides, desc->n_dims, desc->offset, item, &n_bytes))
    return nativert_json_fail (l->doc, payload, l->error, NATIVERT_ERROR_FORMAT, "sizes and strides overflow");
  /* where nothing is read, an offset says nothing */
  if (numel == 0 || record->size == 0)
    desc->offset = 0;
  if (record->size == 0) {
    desc->is_meta = numel > 0;
    return true;
  }
  if (record->size % item != 0)
    return nativert_json_fail (l->doc, payload, l->error, NATIVERT_ERROR_MISMATCH, "record '%s' has %" G_GUINT64_FORMAT
        " bytes, not a multiple of %zu", record->name, record->size, item);
  if (n_bytes <= record->size)
    return true;
  return nativert_json_fail (l->doc, payload, l->error, NATIVERT_ERROR_MISMATCH,
      "needs %zu bytes of record '%s', which has %" G_GUINT64_FORMAT, n_bytes, record->name, record->size);
}

static bool
take_storage (Loader *l, uint32_t index, NativertWeightDesc *desc)
{
  NativertStorage *storage = g_hash_table_lookup (l->storages, GUINT_TO_POINTER (index + 1));

  if (storage == NULL) {
    storage = nativert_storage_load (l->archive, index, l->map, l->cancellable, l->error);
    if (storage == NULL)
      return false;
    g_hash_table_insert (l->storages, GUINT_TO_POINTER (index + 1), storage);
  }
  desc->storage = storage;
  return true;
}

/* A tensor that is parameter and constant is written in both configs; the first wins.  Within one, keys are unique. */
static void
add (Loader *l, const NativertWeightDesc *desc)
{
  nativert_weight_set_add (l->set, desc);
}

/* A tensor that torch.save wrote: the storage is what the tensor views, from its first element on. */
static bool
add_tensor (Loader *l, int64_t index, NativertTensor *tensor, NativertWeightDesc *desc)
{
  NativertRegion *region = nativert_weight_set_region (l->set);
  int64_t *sizes, *strides;
  size_t n_bytes;

  desc->dtype = (int16_t) nativert_tensor_get_dtype (tensor);
  desc->n_dims = nativert_tensor_get_n_dims (tensor);
  sizes = nativert_region_new_n (region, int64_t, desc->n_dims);
  strides = nativert_region_new_n (region, int64_t, desc->n_dims);
  for (uint32_t i = 0; i < desc->n_dims; i++) {
    sizes[i] = nativert_tensor_get_size (tensor, (int) i);
    strides[i] = nativert_tensor_get_stride (tensor, (int) i);
  }
  desc->sizes = sizes;
  desc->strides = strides;
  desc->offset = 0;
  if (!nativert_extent (
          sizes, strides, desc->n_dims, 0, nativert_dtype_get_size ((NativertDtype) desc->dtype), &n_bytes))
    return nativert_archive_fail (l->archive, index, l->error, NATIVERT_ERROR_FORMAT, "sizes and strides overflow");
  desc->storage = nativert_storage_new_borrowed (
      nativert_tensor_get_data (tensor), n_bytes, (GDestroyNotify) nativert_tensor_unref, nativert_tensor_ref (tensor));
  add (l, desc);
  nativert_storage_unref (desc->storage);
  return true;
}

/* The record is a file of torch.save that holds one tensor. */
static bool
read_pickled (Loader *l, uint32_t index, NativertWeightDesc *desc)
{
  g_autoptr (NativertArchive) inner = nativert_archive_open_record (l->archive, index, l->error);
  g_autoptr (NativertValue) value = inner != NULL ? nativert_pickle_load (inner, l->error) : NULL;

  if (value == NULL)
    return false;
  if (nativert_value_get_tensor (value) == NULL)
    return nativert_archive_fail (l->archive, index, l->error, NATIVERT_ERROR_FORMAT, "expected a tensor");
  return add_tensor (l, index, nativert_value_get_tensor (value), desc);
}

static bool
read_payload (Loader *l, const NativertJson *payload)
{
  NativertWeightDesc desc = {.name = payload->key, .dtype = -1, .is_constant = l->is_constant};
  const NativertJson *path, *pickled, *is_param, *meta;
  g_autofree char *record = NULL;
  int64_t index;

  if ((path = nativert_json_want (l->doc, payload, "path_name", NATIVERT_JSON_STRING, l->error)) == NULL
      || (is_param = nativert_json_want (l->doc, payload, "is_param", NATIVERT_JSON_BOOL, l->error)) == NULL
      || (pickled = nativert_json_want (l->doc, payload, "use_pickle", NATIVERT_JSON_BOOL, l->error)) == NULL)
    return false;
  record = g_strconcat (l->folder, path->u.s, NULL);
  index = nativert_archive_find_below_root (l->archive, record);
  if (index < 0)
    return nativert_json_fail (l->doc, payload, l->error, NATIVERT_ERROR_MISSING, "record '%s' is missing", record);
  desc.is_param = is_param->u.i != 0;
  desc.name = nativert_region_strdup (nativert_weight_set_region (l->set), desc.name);
  desc.record = nativert_region_strdup (nativert_weight_set_region (l->set), record);
  meta = nativert_json_get (payload, "tensor_meta");
  if (pickled->u.i != 0 && (meta == NULL || meta->type == NATIVERT_JSON_NULL)) {
    add (l, &desc);
    return true;
  }
  meta = nativert_json_want (l->doc, payload, "tensor_meta", NATIVERT_JSON_OBJECT, l->error);
  if (meta == NULL || !read_meta (l, meta, &desc))
    return false;
  if (pickled->u.i == 0 && !check_view (l, payload, (uint32_t) index, &desc))
    return false;
  if (l->wanted != NULL && !l->wanted (desc.name, l->user_data)) {
    add (l, &desc);
    return true;
  }
  if (pickled->u.i != 0)
    return read_pickled (l, (uint32_t) index, &desc);
  if (!take_storage (l, (uint32_t) index, &desc))
    return false;
  add (l, &desc);
  return true;
}

static bool
read_config (Loader *l, uint32_t index)
{
  const NativertRecord *record = nativert_archive_get (l->archive, index);
  g_autofree char *what = g_strdup_printf ("%s: record '%s'", nativert_archive_get_what (l->archive), record->name);
  g_autoptr (GBytes) bytes = nativert_archive_read (l->archive, index, l->error);
  g_autoptr (NativertJsonDoc) doc = NULL;
  const NativertJson *config;

  if (bytes == NULL)
    return false;
  doc = nativert_json_parse (what, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), l->error);
  if (doc == NULL)
    return false;
  l->doc = doc;
  config = nativert_json_want (doc, nativert_json_root (doc), "config", NATIVERT_JSON_OBJECT, l->error);
  for (uint32_t i = 0; config != NULL && i < config->n; i++)
    if (!read_payload (l, &config->u.items[i]))
      return false;
  return config != NULL;
}

/* torch 2.8: one file of torch.save with a dict of tensors. */
static bool
read_state_dict (Loader *l, uint32_t index)
{
  g_autoptr (NativertArchive) inner = nativert_archive_open_record (l->archive, index, l->error);
  g_autoptr (NativertValue) dict = inner != NULL ? nativert_pickle_load (inner, l->error) : NULL;
  NativertRegion *region = nativert_weight_set_region (l->set);

  if (dict == NULL)
    return false;
  if (nativert_value_get_kind (dict) != NATIVERT_VALUE_DICT)
    return nativert_archive_fail (l->archive, index, l->error, NATIVERT_ERROR_FORMAT, "expected a dict of tensors");
  for (guint i = 0; i < nativert_value_get_length (dict); i++) {
    NativertTensor *tensor = nativert_value_get_tensor (nativert_value_get_child (dict, i));
    NativertWeightDesc desc = {.name = nativert_region_strdup (region, nativert_value_get_key (dict, i)), .dtype = -1,
      .is_constant = l->is_constant};
    desc.record = nativert_region_strdup (region, nativert_archive_get (l->archive, index)->name);
    if (tensor == NULL || (l->wanted != NULL && !l->wanted (desc.name, l->user_data)))
      add (l, &desc);
    else if (!add_tensor (l, index, tensor, &desc))
      return false;
  }
  return true;
}

/* The config of one folder, or the older form; constants may be missing. */
static bool
read_folder (Loader *l, const char *kind, const char *model)
{
  g_autofree char *folder = g_strdup_printf ("data/%s/", kind);
  g_autofree char *config = g_strdup_printf ("%s%s_%s_config.json", folder, model, kind);
  g_autofree char *pickle = g_strdup_printf ("%s%s.pt", folder, model);
  int64_t index = nativert_archive_find_below_root (l->archive, config);

  l->folder = folder;
  l->is_constant = strcmp (kind, "constants") == 0;
  if (index >= 0)
    return read_config (l, (uint32_t) index);
  index = nativert_archive_find_below_root (l->archive, pickle);
  if (index >= 0)
    return nativert_archive_get (l->archive, (uint32_t) index)->size == 0 || read_state_dict (l, (uint32_t) index);
  return l->is_constant
      || nativert_archive_fail (l->archive, -1, l->error, NATIVERT_ERROR_MISSING, "record '%s' is missing", config);
}

NativertWeightSet *
nativert_package_load_weights (NativertPackage *package, const char *model, bool map, NativertWantedFn wanted,
    gpointer user_data, GCancellable *cancellable, GError **error)
{
  g_autoptr (NativertWeightSet) set = nativert_weight_set_new ();
  Loader l = { nativert_package_archive (package), set, .map = map, .wanted = wanted, .user_data = user_data,
    .cancellable = cancellable, .error = error };
  bool fine;

  l.storages = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) nativert_storage_unref);
  fine = nativert_archive_check_unchanged (l.archive, error) && read_folder (&l, "weights", model)
      && read_folder (&l, "constants", model) && nativert_archive_check_unchanged (l.archive, error);
  g_hash_table_unref (l.storages);
  return fine ? g_steal_pointer (&set) : NULL;
}
