/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes an argument what its schema says, or refuses: operators and kernels may rely on kinds, and on the indices of
 * tensors, whatever a file or an expansion wrote. */
#include "graph/schema.h"
#include "plan/builder.h"

static bool
refuse (NativertBuilder *b, const NativertSchemaArg *schema, const NativertArg *arg)
{
  static const char *const kind[] = { "None", "a bool", "an int", "a float", "a complex number", "a string", "ints",
    "bools", "floats", "a dtype", "a layout", "a memory format", "a device", "a tensor", "tensors" };
  static const char *const type[] = { "Tensor", "int", "float", "bool", "Scalar", "str", "ScalarType", "Layout",
    "Device", "MemoryFormat", "Generator", "another type" };
  if (arg->kind == NATIVERT_ARG_TENSOR)
    return nativert_builder_fail (b, NATIVERT_ERROR_UNSUPPORTED,
        "argument `%s` (%s) is a number that is known only when the model runs", schema->name, type[schema->type]);
  return nativert_builder_fail (b, NATIVERT_ERROR_MISMATCH, "argument `%s` is %s, its schema says %s%s%s", schema->name,
      kind[arg->kind], type[schema->type], schema->list ? "[]" : "", schema->optional ? "?" : "");
}

static bool
is_ref (const NativertBuilder *b, int64_t ref)
{
  return ref >= 0 && ref < (int64_t) b->values->len;
}

static bool
fit_tensor (NativertBuilder *b, const NativertSchemaArg *schema, NativertArg *arg)
{
  NativertNum n = { .kind = arg->kind == NATIVERT_ARG_FLOAT ? NATIVERT_NUM_FLOAT
        : arg->kind == NATIVERT_ARG_BOOL                    ? NATIVERT_NUM_BOOL
                                                            : NATIVERT_NUM_INT };
  if (arg->kind == NATIVERT_ARG_TENSOR)
    return is_ref (b, arg->u.i)
        || nativert_builder_fail (b, NATIVERT_ERROR_UNSUPPORTED, "`%s` could not be computed", schema->name);
  if (arg->kind != NATIVERT_ARG_FLOAT && arg->kind != NATIVERT_ARG_INT && arg->kind != NATIVERT_ARG_BOOL)
    return refuse (b, schema, arg);
  if (n.kind == NATIVERT_NUM_FLOAT)
    n.u.f = arg->u.f;
  else if (n.kind == NATIVERT_NUM_INT)
    n.u.i = arg->u.i;
  else
    n.u.b = arg->u.i != 0;
  *arg = NATIVERT_T (nativert_builder_number (b, n));
  return arg->u.i >= 0;
}

static bool
fit_tensors (NativertBuilder *b, const NativertSchemaArg *schema, NativertArg *arg)
{
  if (arg->kind == NATIVERT_ARG_INTS && arg->n == 0)
    arg->kind = NATIVERT_ARG_TENSORS;
  if (arg->kind != NATIVERT_ARG_TENSORS)
    return refuse (b, schema, arg);
  for (uint32_t i = 0; i < arg->n; i++)
    if (!is_ref (b, arg->u.ints[i]) && !(schema->list_optional && arg->u.ints[i] == NATIVERT_NO_REF))
      return nativert_builder_fail (
          b, NATIVERT_ERROR_MISMATCH, "element %u of `%s` is None, its schema says Tensor[]", i, schema->name);
  return true;
}

static bool
fit_number (NativertBuilder *b, const NativertSchemaArg *schema, NativertArg *arg)
{
  bool number = arg->kind == NATIVERT_ARG_INT || arg->kind == NATIVERT_ARG_BOOL;
  switch (schema->type) {
    case NATIVERT_ST_FLOAT:
      if (number)
        *arg = NATIVERT_F ((double) arg->u.i);
      return arg->kind == NATIVERT_ARG_FLOAT || refuse (b, schema, arg);
    case NATIVERT_ST_INT:
      if (arg->kind == NATIVERT_ARG_BOOL)
        arg->kind = NATIVERT_ARG_INT;
      return arg->kind == NATIVERT_ARG_INT || refuse (b, schema, arg);
    case NATIVERT_ST_BOOL:
      if (arg->kind == NATIVERT_ARG_INT)
        *arg = NATIVERT_B (arg->u.i != 0);
      return arg->kind == NATIVERT_ARG_BOOL || refuse (b, schema, arg);
    default:                            /* a Scalar may be computed: then it is a 0-d float64 */
      return number || arg->kind == NATIVERT_ARG_FLOAT || (arg->kind == NATIVERT_ARG_TENSOR && is_ref (b, arg->u.i))
          || arg->kind == NATIVERT_ARG_COMPLEX || refuse (b, schema, arg);
  }
}

static bool
fit_list (NativertBuilder *b, const NativertSchemaArg *schema, NativertArg *arg)
{
  if (arg->kind == NATIVERT_ARG_INTS && arg->n == 0)
    arg->kind = schema->type == NATIVERT_ST_FLOAT ? NATIVERT_ARG_FLOATS
        : schema->type == NATIVERT_ST_BOOL        ? NATIVERT_ARG_BOOLS
                                                  : arg->kind;
  if (arg->kind == NATIVERT_ARG_INT && schema->type == NATIVERT_ST_INT) {
    int64_t *one = nativert_region_new_n (b->temp, int64_t, 1);
    *one = arg->u.i;
    *arg = NATIVERT_IS (one, 1);
  }
  uint8_t want = schema->type == NATIVERT_ST_FLOAT ? NATIVERT_ARG_FLOATS
      : schema->type == NATIVERT_ST_BOOL           ? NATIVERT_ARG_BOOLS
                                                   : NATIVERT_ARG_INTS;
  if (schema->type == NATIVERT_ST_SCALAR)
    return arg->kind == NATIVERT_ARG_INTS || arg->kind == NATIVERT_ARG_FLOATS || arg->kind == NATIVERT_ARG_BOOLS
        || refuse (b, schema, arg);
  return arg->kind == want || refuse (b, schema, arg);
}

bool
nativert_builder_fit_arg (NativertBuilder *b, const NativertSchemaArg *schema, NativertArg *arg)
{
  static const uint8_t plain[] = { [NATIVERT_ST_STRING] = NATIVERT_ARG_STRING, [NATIVERT_ST_DTYPE] = NATIVERT_ARG_DTYPE,
    [NATIVERT_ST_LAYOUT] = NATIVERT_ARG_LAYOUT, [NATIVERT_ST_DEVICE] = NATIVERT_ARG_DEVICE,
    [NATIVERT_ST_MEMORY_FORMAT] = NATIVERT_ARG_MEMORY_FORMAT, [NATIVERT_ST_OTHER] = NATIVERT_ARG_NONE };
  if (arg->kind == NATIVERT_ARG_NONE)
    return schema->optional || schema->type == NATIVERT_ST_GENERATOR || schema->type == NATIVERT_ST_OTHER
        || refuse (b, schema, arg);
  switch (schema->type) {
    case NATIVERT_ST_TENSOR: return schema->list ? fit_tensors (b, schema, arg) : fit_tensor (b, schema, arg);
    case NATIVERT_ST_INT: case NATIVERT_ST_FLOAT: case NATIVERT_ST_BOOL: case NATIVERT_ST_SCALAR:
      return schema->list ? fit_list (b, schema, arg) : fit_number (b, schema, arg);
    default: return arg->kind == plain[schema->type] || refuse (b, schema, arg);
  }
}
