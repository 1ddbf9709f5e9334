/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The numbers and names by which files call element types. */
#include "package/package-private.h"

#include <string.h>

int
nativert_dtype_from_scalar_type (int64_t scalar_type)
{
  /* torch._export.serde.schema.ScalarType */
  static const int8_t dtypes[] = {
    [1] = NATIVERT_DTYPE_UINT8 + 1,
    [2] = NATIVERT_DTYPE_INT8 + 1,
    [3] = NATIVERT_DTYPE_INT16 + 1,
    [4] = NATIVERT_DTYPE_INT32 + 1,
    [5] = NATIVERT_DTYPE_INT64 + 1,
    [6] = NATIVERT_DTYPE_FLOAT16 + 1,
    [7] = NATIVERT_DTYPE_FLOAT32 + 1,
    [8] = NATIVERT_DTYPE_FLOAT64 + 1,
    [9] = NATIVERT_DTYPE_COMPLEX32 + 1,
    [10] = NATIVERT_DTYPE_COMPLEX64 + 1,
    [11] = NATIVERT_DTYPE_COMPLEX128 + 1,
    [12] = NATIVERT_DTYPE_BOOL + 1,
    [13] = NATIVERT_DTYPE_BFLOAT16 + 1,
    [28] = NATIVERT_DTYPE_UINT16 + 1,
    [29] = NATIVERT_DTYPE_FLOAT8_E4M3FN + 1,
    [30] = NATIVERT_DTYPE_FLOAT8_E5M2 + 1,
    [31] = NATIVERT_DTYPE_FLOAT8_E4M3FNUZ + 1,
    [32] = NATIVERT_DTYPE_FLOAT8_E5M2FNUZ + 1,
    [33] = NATIVERT_DTYPE_FLOAT8_E8M0FNU + 1,
    [34] = NATIVERT_DTYPE_UINT32 + 1,
    [35] = NATIVERT_DTYPE_UINT64 + 1,
  };

  return scalar_type >= 0 && scalar_type < (int64_t) G_N_ELEMENTS (dtypes) ? dtypes[scalar_type] - 1 : -1;
}

int
nativert_dtype_from_name (const char *name)
{
  for (int dtype = NATIVERT_DTYPE_FLOAT32; dtype <= NATIVERT_DTYPE_FLOAT8_E8M0FNU; dtype++)
    if (strcmp (nativert_dtype_get_name ((NativertDtype) dtype), name) == 0)
      return dtype;
  return -1;
}
