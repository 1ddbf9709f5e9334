/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names and sizes of the element types. */
#include "nativert.h"

static const struct { const char *name; gsize size; } dtypes[] = {
  [NATIVERT_DTYPE_FLOAT32] = {"float32", 4},
  [NATIVERT_DTYPE_FLOAT64] = {"float64", 8},
  [NATIVERT_DTYPE_FLOAT16] = {"float16", 2},
  [NATIVERT_DTYPE_BFLOAT16] = {"bfloat16", 2},
  [NATIVERT_DTYPE_INT64] = {"int64", 8},
  [NATIVERT_DTYPE_INT32] = {"int32", 4},
  [NATIVERT_DTYPE_INT16] = {"int16", 2},
  [NATIVERT_DTYPE_INT8] = {"int8", 1},
  [NATIVERT_DTYPE_UINT8] = {"uint8", 1},
  [NATIVERT_DTYPE_BOOL] = {"bool", 1},
  [NATIVERT_DTYPE_UINT16] = {"uint16", 2},
  [NATIVERT_DTYPE_UINT32] = {"uint32", 4},
  [NATIVERT_DTYPE_UINT64] = {"uint64", 8},
  [NATIVERT_DTYPE_COMPLEX32] = {"complex32", 4},
  [NATIVERT_DTYPE_COMPLEX64] = {"complex64", 8},
  [NATIVERT_DTYPE_COMPLEX128] = {"complex128", 16},
  [NATIVERT_DTYPE_FLOAT8_E4M3FN] = {"float8_e4m3fn", 1},
  [NATIVERT_DTYPE_FLOAT8_E5M2] = {"float8_e5m2", 1},
  [NATIVERT_DTYPE_FLOAT8_E4M3FNUZ] = {"float8_e4m3fnuz", 1},
  [NATIVERT_DTYPE_FLOAT8_E5M2FNUZ] = {"float8_e5m2fnuz", 1},
  [NATIVERT_DTYPE_FLOAT8_E8M0FNU] = {"float8_e8m0fnu", 1},
};

const char *
nativert_dtype_get_name (NativertDtype dtype)
{
  g_return_val_if_fail ((guint) dtype < G_N_ELEMENTS (dtypes), "?");
  return dtypes[dtype].name;
}

gsize
nativert_dtype_get_size (NativertDtype dtype)
{
  g_return_val_if_fail ((guint) dtype < G_N_ELEMENTS (dtypes), 0);
  return dtypes[dtype].size;
}
