/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* numpy's .npy: magic, version, a Python dict as text, elements. */
#include "package/tensor-files-private.h"
#include "base/checked.h"
#include "base/tensor.h"

#include <string.h>

enum { ALIGNMENT = 64 };
#define MAGIC "\x93NUMPY"

static const struct { const char *name; NativertDtype dtype;
} dtypes[] = {
  { "f4", NATIVERT_DTYPE_FLOAT32 },
  { "f8", NATIVERT_DTYPE_FLOAT64 },
  { "f2", NATIVERT_DTYPE_FLOAT16 },
  { "i8", NATIVERT_DTYPE_INT64 },
  { "i4", NATIVERT_DTYPE_INT32 },
  { "i2", NATIVERT_DTYPE_INT16 },
  { "i1", NATIVERT_DTYPE_INT8 },
  { "u1", NATIVERT_DTYPE_UINT8 },
  { "b1", NATIVERT_DTYPE_BOOL },
  { "u2", NATIVERT_DTYPE_UINT16 },
  { "u4", NATIVERT_DTYPE_UINT32 },
  { "u8", NATIVERT_DTYPE_UINT64 },
  { "c8", NATIVERT_DTYPE_COMPLEX64 },
  { "c16", NATIVERT_DTYPE_COMPLEX128 },
};

typedef struct {
  int dtype;
  bool fortran;
  bool has_descr, has_order, has_shape;
  int64_t sizes[NATIVERT_TENSOR_MAX_DIMS];
  uint32_t n_dims;
} Header;

static void
skip_space (const char **at)
{
  while (g_ascii_isspace (**at))
    (*at)++;
}

static bool
take (const char **at, const char *token)
{
  skip_space (at);
  if (!g_str_has_prefix (*at, token))
    return false;
  *at += strlen (token);
  return true;
}

/* A short text between quotes. */
static bool
take_quoted (const char **at, char *text, size_t size)
{
  char quote;
  size_t n = 0;

  skip_space (at);
  quote = **at;
  if (quote != '\'' && quote != '"')
    return false;
  for ((*at)++; **at != quote; (*at)++) {
    if (**at == '\0' || n + 1 >= size)
      return false;
    text[n++] = **at;
  }
  text[n] = '\0';
  (*at)++;
  return true;
}

static bool
take_descr (const char **at, Header *header)
{
  char text[16];

  if (!take_quoted (at, text, sizeof text) || strchr ("<|=", text[0]) == NULL)
    return false;
  header->has_descr = true;
  for (size_t i = 0; i < G_N_ELEMENTS (dtypes); i++)
    if (strcmp (dtypes[i].name, text + 1) == 0) {
      header->dtype = (int) dtypes[i].dtype;
      return true;
    }
  return false;
}

static bool
take_shape (const char **at, Header *header)
{
  if (!take (at, "("))
    return false;
  header->has_shape = true;
  for (;;) {
    char *end;
    if (take (at, ")"))
      return true;
    skip_space (at);
    if (!g_ascii_isdigit (**at) || header->n_dims == NATIVERT_TENSOR_MAX_DIMS)
      return false;
    header->sizes[header->n_dims] = g_ascii_strtoll (*at, &end, 10);
    if (header->sizes[header->n_dims++] == G_MAXINT64)
      return false;
    *at = end;
    if (!take (at, ",") && !g_str_has_prefix (*at, ")"))
      return false;
  }
}

static bool
parse_header (const char *text, Header *header)
{
  char key[32];

  if (!take (&text, "{"))
    return false;
  while (!take (&text, "}")) {
    if (!take_quoted (&text, key, sizeof key) || !take (&text, ":"))
      return false;
    if (strcmp (key, "descr") == 0 && !header->has_descr) {
      if (!take_descr (&text, header))
        return false;
    } else if (strcmp (key, "fortran_order") == 0 && !header->has_order) {
      header->has_order = true;
      header->fortran = take (&text, "True");
      if (!header->fortran && !take (&text, "False"))
        return false;
    } else if (strcmp (key, "shape") != 0 || header->has_shape || !take_shape (&text, header)) {
      return false;
    }
    if (!take (&text, ",") && !g_str_has_prefix (text, "}"))
      return false;
  }
  skip_space (&text);
  return *text == '\0' && header->has_descr && header->has_order && header->has_shape;
}

/* Where the header's text lies; false when the file is too short for it. */
static bool
find_header (const uint8_t *data, size_t size, size_t *from, size_t *length)
{
  size_t length_bytes;

  if (size < 12 || memcmp (data, MAGIC, 6) != 0 || data[6] < 1 || data[6] > 3)
    return false;
  length_bytes = data[6] == 1 ? 2 : 4;
  *length = data[8] | (size_t) data[9] << 8;
  if (length_bytes == 4)
    *length |= (size_t) data[10] << 16 | (size_t) data[11] << 24;
  *from = 8 + length_bytes;
  return *length <= size - *from && *length < 1 << 20;
}

static NativertTensor *
make_tensor (const Header *header, GBytes *bytes, size_t from)
{
  int64_t strides[NATIVERT_TENSOR_MAX_DIMS], step = 1;
  char *data = (char *) g_bytes_get_data (bytes, NULL) + from;

  for (uint32_t i = 0; i < header->n_dims; i++) {
    uint32_t dim = header->fortran ? i : header->n_dims - 1 - i;
    strides[dim] = step;
    if (!nativert_mul_i64 (step, MAX (header->sizes[dim], 1), &step))
      return NULL;
  }
  return nativert_tensor_new_borrowed ((NativertDtype) header->dtype, header->sizes, strides, header->n_dims, data,
      (GDestroyNotify) g_bytes_unref, g_bytes_ref (bytes));
}

NativertTensor *
nativert_npy_parse (const char *what, GBytes *bytes, GError **error)
{
  size_t size, from, length, n_bytes;
  const uint8_t *data = g_bytes_get_data (bytes, &size);
  Header header = {.dtype = -1};
  g_autofree char *text = NULL;
  NativertTensor *tensor = NULL;
  int64_t numel;

  if (!find_header (data, size, &from, &length)) {
    g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_FORMAT, "%s: not a .npy file, or cut off", what);
    return NULL;
  }
  text = g_strndup ((const char *) data + from, length);
  if (!parse_header (text, &header)) {
    g_autofree char *printable = g_strescape (text, NULL);
    g_set_error (
        error, NATIVERT_ERROR, NATIVERT_ERROR_UNSUPPORTED, "%s: header is not understood: %.120s", what, printable);
    return NULL;
  }
  from += length;
  if (nativert_numel (header.sizes, header.n_dims, &numel)
      && nativert_mul_size ((size_t) numel, nativert_dtype_get_size ((NativertDtype) header.dtype), &n_bytes)
      && n_bytes <= size - from)
    tensor = make_tensor (&header, bytes, from);
  if (tensor == NULL)
    g_set_error (
        error, NATIVERT_ERROR, NATIVERT_ERROR_MISMATCH, "%s: %zu bytes do not hold the shape", what, size - from);
  return tensor;
}

char *
nativert_npy_header (NativertDtype dtype, const NativertTensor *tensor, size_t *length)
{
  GString *out;
  size_t i = 0;

  while (i < G_N_ELEMENTS (dtypes) && dtypes[i].dtype != dtype)
    i++;
  if (i == G_N_ELEMENTS (dtypes))
    return NULL;
  out = g_string_new_len (MAGIC "\1\0..", 10);
  g_string_append_printf (out, "{'descr': '%c%s', 'fortran_order': False, 'shape': (",
      nativert_dtype_get_size (dtype) == 1 ? '|' : '<', dtypes[i].name);
  for (guint k = 0; k < nativert_tensor_get_n_dims (tensor); k++)
    g_string_append_printf (out, "%" G_GINT64_FORMAT ", ", nativert_tensor_get_size (tensor, (int) k));
  if (nativert_tensor_get_n_dims (tensor) > 1)
    g_string_truncate (out, out->len - 2);
  g_string_append (out, "), }");
  while ((out->len + 1) % ALIGNMENT != 0)
    g_string_append_c (out, ' ');
  g_string_append_c (out, '\n');
  out->str[8] = (char) ((out->len - 10) & 0xff);
  out->str[9] = (char) ((out->len - 10) >> 8);
  *length = out->len;
  return g_string_free (out, FALSE);
}
