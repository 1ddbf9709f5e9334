/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The safetensors format: a length, a JSON header, elements.  Every tensor is read into aligned memory of its own. */
#include "package/tensor-files-private.h"
#include "base/checked.h"
#include "base/tensor.h"

#include <errno.h>
#include <string.h>

enum { LENGTH = 8, ALIGNMENT = 64 };
#define MAX_HEADER ((uint64_t) 100 << 20)

static const struct { const char *name; NativertDtype dtype;
} dtypes[] = {
  { "F32", NATIVERT_DTYPE_FLOAT32 },
  { "F64", NATIVERT_DTYPE_FLOAT64 },
  { "F16", NATIVERT_DTYPE_FLOAT16 },
  { "BF16", NATIVERT_DTYPE_BFLOAT16 },
  { "I64", NATIVERT_DTYPE_INT64 },
  { "I32", NATIVERT_DTYPE_INT32 },
  { "I16", NATIVERT_DTYPE_INT16 },
  { "I8", NATIVERT_DTYPE_INT8 },
  { "U8", NATIVERT_DTYPE_UINT8 },
  { "BOOL", NATIVERT_DTYPE_BOOL },
  { "U16", NATIVERT_DTYPE_UINT16 },
  { "U32", NATIVERT_DTYPE_UINT32 },
  { "U64", NATIVERT_DTYPE_UINT64 },
  { "C64", NATIVERT_DTYPE_COMPLEX64 },
  { "F8_E4M3", NATIVERT_DTYPE_FLOAT8_E4M3FN },
  { "F8_E5M2", NATIVERT_DTYPE_FLOAT8_E5M2 },
  { "F8_E4M3FNUZ", NATIVERT_DTYPE_FLOAT8_E4M3FNUZ },
  { "F8_E5M2FNUZ", NATIVERT_DTYPE_FLOAT8_E5M2FNUZ },
  { "F8_E8M0", NATIVERT_DTYPE_FLOAT8_E8M0FNU },
};

typedef struct {
  const char *path;
  NativertBacking *backing;
  uint64_t data, n_data, n_taken;       /* where the elements begin, how many bytes, how many were asked for */
  NativertJsonDoc *doc;
  NativertWeightSet *set;
  GCancellable *cancellable;
  GError **error;
} Reader;

static bool
fail (Reader *r, int code, const char *why)
{
  g_set_error (r->error, NATIVERT_ERROR, code, "%s: %s", r->path, why);
  return false;
}

static bool
read_shape (Reader *r, const NativertJson *entry, NativertWeightDesc *desc)
{
  const NativertJson *shape = nativert_json_want (r->doc, entry, "shape", NATIVERT_JSON_ARRAY, r->error);
  NativertRegion *region = nativert_weight_set_region (r->set);
  int64_t *sizes, *strides, step = 1;

  if (shape == NULL)
    return false;
  if (shape->n > NATIVERT_TENSOR_MAX_DIMS)
    return nativert_json_fail (
        r->doc, shape, r->error, NATIVERT_ERROR_LIMIT, "%u dimensions, at most %d", shape->n, NATIVERT_TENSOR_MAX_DIMS);
  desc->n_dims = shape->n;
  desc->sizes = sizes = nativert_region_new_n (region, int64_t, shape->n);
  desc->strides = strides = nativert_region_new_n (region, int64_t, shape->n);
  for (uint32_t i = shape->n; i-- > 0;) {
    if (!nativert_json_is (r->doc, &shape->u.items[i], NATIVERT_JSON_INT, r->error))
      return false;
    sizes[i] = shape->u.items[i].u.i;
    strides[i] = step;
    if (sizes[i] < 0 || !nativert_mul_i64 (step, MAX (sizes[i], 1), &step))
      return nativert_json_fail (r->doc, shape, r->error, NATIVERT_ERROR_FORMAT, "sizes are negative or overflow");
  }
  return true;
}

static bool
read_place (Reader *r, const NativertJson *entry, const NativertWeightDesc *desc, uint64_t *begin, size_t *n_bytes)
{
  const NativertJson *offsets = nativert_json_want (r->doc, entry, "data_offsets", NATIVERT_JSON_ARRAY, r->error);
  int64_t from, to, numel;

  if (offsets == NULL)
    return false;
  if (offsets->n != 2 || offsets->u.items[0].type != NATIVERT_JSON_INT || offsets->u.items[1].type != NATIVERT_JSON_INT)
    return nativert_json_fail (r->doc, offsets, r->error, NATIVERT_ERROR_FORMAT, "expected two integers");
  from = offsets->u.items[0].u.i;
  to = offsets->u.items[1].u.i;
  if (from < 0 || to < from || (uint64_t) to > r->n_data)
    return nativert_json_fail (r->doc, offsets, r->error, NATIVERT_ERROR_FORMAT, "lies outside of the file");
  *begin = (uint64_t) from;
  if (!nativert_numel (desc->sizes, desc->n_dims, &numel)
      || !nativert_mul_size ((size_t) numel, nativert_dtype_get_size ((NativertDtype) desc->dtype), n_bytes)
      || *n_bytes != (uint64_t) (to - from))
    return nativert_json_fail (r->doc, offsets, r->error, NATIVERT_ERROR_MISMATCH,
        "%" G_GINT64_FORMAT " bytes do not hold the shape", to - from);
  return true;
}

static bool
read_entry (Reader *r, const NativertJson *entry)
{
  const NativertJson *dtype = nativert_json_want (r->doc, entry, "dtype", NATIVERT_JSON_STRING, r->error);
  NativertWeightDesc desc = {.name = entry->key, .dtype = -1, .is_param = true, .record = ""};
  g_autoptr (NativertStorage) storage = NULL;
  uint64_t begin = 0;
  size_t n_bytes = 0;

  if (dtype == NULL)
    return false;
  for (size_t i = 0; i < G_N_ELEMENTS (dtypes); i++)
    if (strcmp (dtypes[i].name, dtype->u.s) == 0)
      desc.dtype = (int16_t) dtypes[i].dtype;
  if (desc.dtype < 0)
    return nativert_json_fail (r->doc, dtype, r->error, NATIVERT_ERROR_UNSUPPORTED, "element type '%.20s'", dtype->u.s);
  if (!read_shape (r, entry, &desc) || !read_place (r, entry, &desc, &begin, &n_bytes))
    return false;
  r->n_taken += n_bytes;
  if (r->n_taken > r->n_data)
    return nativert_json_fail (r->doc, entry, r->error, NATIVERT_ERROR_FORMAT, "tensors overlap");
  storage = nativert_storage_new (n_bytes, r->error);
  if (storage == NULL)
    return false;
  if (!nativert_backing_read (r->backing, r->data + begin, nativert_storage_data (storage), n_bytes, r->cancellable))
    return errno == ECANCELED ? fail (r, NATIVERT_ERROR_CANCELLED, "cancelled")
                              : fail (r, NATIVERT_ERROR_IO, "cannot be read");
  desc.name = nativert_region_strdup (nativert_weight_set_region (r->set), entry->key);
  desc.storage = storage;
  nativert_weight_set_add (r->set, &desc);
  return true;
}

static bool
read_header (Reader *r)
{
  uint64_t size = nativert_backing_size (r->backing), length = 0;
  g_autofree char *text = NULL, *what = g_strdup_printf ("%s: header", r->path);
  uint8_t word[LENGTH];

  if (size < LENGTH || !nativert_backing_read (r->backing, 0, word, LENGTH, NULL))
    return fail (r, NATIVERT_ERROR_FORMAT, "too short for a safetensors file");
  for (int i = LENGTH; i-- > 0;)
    length = length << 8 | word[i];
  if (length > size - LENGTH || length > MAX_HEADER)
    return fail (r, NATIVERT_ERROR_FORMAT, "not a safetensors file: its header would be larger than the file");
  text = g_try_malloc (length + 1);
  if (text == NULL || !nativert_backing_read (r->backing, LENGTH, text, length, NULL))
    return fail (r, NATIVERT_ERROR_IO, "the header cannot be read");
  r->data = LENGTH + length;
  r->n_data = size - r->data;
  r->doc = nativert_json_parse (what, text, length, r->error);
  return r->doc != NULL && nativert_json_is (r->doc, nativert_json_root (r->doc), NATIVERT_JSON_OBJECT, r->error);
}

NativertWeightSet *
nativert_safetensors_load (const char *path, GCancellable *cancellable, GError **error)
{
  g_autoptr (NativertBacking) backing = nativert_backing_open (path, error);
  g_autoptr (NativertWeightSet) set = NULL;
  Reader r = {path, backing, .cancellable = cancellable, .error = error};
  const NativertJson *root;
  bool fine;

  if (backing == NULL)
    return NULL;
  r.set = set = nativert_weight_set_new ();
  fine = read_header (&r);
  root = fine ? nativert_json_root (r.doc) : NULL;
  for (uint32_t i = 0; fine && i < root->n; i++)
    if (strcmp (root->u.items[i].key, "__metadata__") != 0)
      fine = read_entry (&r, &root->u.items[i]);
  g_clear_pointer (&r.doc, nativert_json_doc_free);
  return fine ? g_steal_pointer (&set) : NULL;
}

static void
append_quoted (GString *out, const char *text)
{
  g_string_append_c (out, '"');
  for (const char *c = text; *c != '\0'; c++) {
    if (*c == '"' || *c == '\\')
      g_string_append_printf (out, "\\%c", *c);
    else if ((unsigned char) *c < 0x20)
      g_string_append_printf (out, "\\u%04x", *c);
    else
      g_string_append_c (out, *c);
  }
  g_string_append_c (out, '"');
}

static const char *
dtype_name (NativertDtype dtype)
{
  for (size_t i = 0; i < G_N_ELEMENTS (dtypes); i++)
    if (dtypes[i].dtype == dtype)
      return dtypes[i].name;
  return NULL;
}

char *
nativert_safetensors_header (
    const char *const *names, NativertTensor *const *tensors, unsigned n, size_t *length, GError **error)
{
  GString *out = g_string_new ("12345678{");
  uint64_t at = 0, n_json;

  for (unsigned i = 0; i < n; i++) {
    NativertDtype dtype = nativert_tensor_get_dtype (tensors[i]);
    uint64_t end = at + (uint64_t) nativert_tensor_get_n_elements (tensors[i]) * nativert_dtype_get_size (dtype);
    if (dtype_name (dtype) == NULL) {
      g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_UNSUPPORTED, "safetensors has no %s ('%s')",
          nativert_dtype_get_name (dtype), names[i]);
      g_string_free (out, TRUE);
      return NULL;
    }
    g_string_append (out, i > 0 ? "," : "");
    append_quoted (out, names[i]);
    g_string_append_printf (out, ":{\"dtype\":\"%s\",\"shape\":[", dtype_name (dtype));
    for (guint k = 0; k < nativert_tensor_get_n_dims (tensors[i]); k++)
      g_string_append_printf (
          out, "%s%" G_GINT64_FORMAT, k > 0 ? "," : "", nativert_tensor_get_size (tensors[i], (int) k));
    g_string_append_printf (out, "],\"data_offsets\":[%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT "]}", at, end);
    at = end;
  }
  g_string_append_c (out, '}');
  while (out->len % ALIGNMENT != 0)
    g_string_append_c (out, ' ');
  n_json = GUINT64_TO_LE (out->len - LENGTH);
  memcpy (out->str, &n_json, LENGTH);
  *length = out->len;
  return g_string_free (out, FALSE);
}
