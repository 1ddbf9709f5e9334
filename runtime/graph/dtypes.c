/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names, categories and promotion of element types, one table. */
#include "graph/dtypes.h"

static const struct { const char *name, *word; uint8_t category; } dtypes[] = {
  [NATIVERT_DTYPE_FLOAT32] = { "FLOAT", "float", NATIVERT_CATEGORY_FLOAT },
  [NATIVERT_DTYPE_FLOAT64] = { "DOUBLE", "double", NATIVERT_CATEGORY_FLOAT },
  [NATIVERT_DTYPE_FLOAT16] = { "HALF", "half", NATIVERT_CATEGORY_FLOAT },
  [NATIVERT_DTYPE_BFLOAT16] = { "BFLOAT16", "bfloat16", NATIVERT_CATEGORY_FLOAT },
  [NATIVERT_DTYPE_INT64] = { "LONG", "long", NATIVERT_CATEGORY_INT },
  [NATIVERT_DTYPE_INT32] = { "INT", "int", NATIVERT_CATEGORY_INT },
  [NATIVERT_DTYPE_INT16] = { "SHORT", "short", NATIVERT_CATEGORY_INT },
  [NATIVERT_DTYPE_INT8] = { "CHAR", "char", NATIVERT_CATEGORY_INT },
  [NATIVERT_DTYPE_UINT8] = { "BYTE", "byte", NATIVERT_CATEGORY_INT },
  [NATIVERT_DTYPE_BOOL] = { "BOOL", "bool", NATIVERT_CATEGORY_BOOL },
  [NATIVERT_DTYPE_UINT16] = { "UINT16", "uint16", NATIVERT_CATEGORY_INT },
  [NATIVERT_DTYPE_UINT32] = { "UINT32", "uint32", NATIVERT_CATEGORY_INT },
  [NATIVERT_DTYPE_UINT64] = { "UINT64", "uint64", NATIVERT_CATEGORY_INT },
  [NATIVERT_DTYPE_COMPLEX32] = { "COMPLEXHALF", "complex32", NATIVERT_CATEGORY_COMPLEX },
  [NATIVERT_DTYPE_COMPLEX64] = { "COMPLEXFLOAT", "complex64", NATIVERT_CATEGORY_COMPLEX },
  [NATIVERT_DTYPE_COMPLEX128] = { "COMPLEXDOUBLE", "complex128", NATIVERT_CATEGORY_COMPLEX },
  [NATIVERT_DTYPE_FLOAT8_E4M3FN] = { "FLOAT8E4M3FN", "float8_e4m3fn", NATIVERT_CATEGORY_FLOAT },
  [NATIVERT_DTYPE_FLOAT8_E5M2] = { "FLOAT8E5M2", "float8_e5m2", NATIVERT_CATEGORY_FLOAT },
  [NATIVERT_DTYPE_FLOAT8_E4M3FNUZ] = { "FLOAT8E4M3FNUZ", "float8_e4m3fnuz", NATIVERT_CATEGORY_FLOAT },
  [NATIVERT_DTYPE_FLOAT8_E5M2FNUZ] = { "FLOAT8E5M2FNUZ", "float8_e5m2fnuz", NATIVERT_CATEGORY_FLOAT },
  [NATIVERT_DTYPE_FLOAT8_E8M0FNU] = { "FLOAT8E8M0FNU", "float8_e8m0fnu", NATIVERT_CATEGORY_FLOAT },
};

static bool
is_known (int64_t dtype)
{
  return dtype >= 0 && dtype < (int64_t) G_N_ELEMENTS (dtypes);
}

const char *
nativert_scalar_type_name (int64_t dtype)
{
  return is_known (dtype) ? dtypes[dtype].name : NULL;
}

int
nativert_scalar_type_from_name (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (dtypes); i++)
    if (g_str_equal (dtypes[i].name, name) || g_str_equal (dtypes[i].word, name))
      return (int) i;
  return -1;
}

NativertCategory
nativert_dtype_category (int64_t dtype)
{
  return is_known (dtype) ? dtypes[dtype].category : NATIVERT_CATEGORY_FLOAT;
}

/* Two of one category: the wider; equal widths that differ meet in the next that holds both. */
static int
promote_same_category (int a, int b)
{
  gsize size_a = nativert_dtype_get_size (a), size_b = nativert_dtype_get_size (b);
  if (size_a != size_b)
    return size_a > size_b ? a : b;
  if (dtypes[a].category == NATIVERT_CATEGORY_INT && size_a == 1)
    return NATIVERT_DTYPE_INT16;        /* uint8 and int8 */
  return size_a == 2 ? NATIVERT_DTYPE_FLOAT32 : a;      /* half and bfloat16 */
}

int
nativert_dtype_promote (int a, int b)
{
  if (a == b || !is_known (b))
    return a;
  if (!is_known (a))
    return b;
  if (dtypes[a].category != dtypes[b].category)
    return dtypes[a].category > dtypes[b].category ? a : b;
  return promote_same_category (a, b);
}
