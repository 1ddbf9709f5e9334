/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Short forms over the plan's emit functions, for expand functions. */
#include <math.h>
#include "kernels/convert.h"
#include "kernels/rules.h"

NativertRef
nativert_emit_v (NativertEmit *e, uint16_t op, uint32_t n_args, const NativertArg *args)
{
  NativertRef out = NATIVERT_NO_REF;
  if (!e->op (e, op, n_args, args, 1, &out))
    return NATIVERT_NO_REF;
  return out;
}

/* One element of any dtype, at v: the float for floating types, the integer for the others. */
static NativertRef
emit_element (NativertEmit *e, uint8_t dtype, double f, int64_t i)
{
  union { char bytes[16]; int64_t words[2]; } data = { { 0 } };
  NativertView v = { 0 };
  nativert_view_init (&v, dtype, 0, NULL);
  nativert_store_number (data.bytes, dtype, f, i);
  v.data = data.bytes;
  return e->constant (e, &v);
}

NativertRef
nativert_emit_float (NativertEmit *e, uint8_t dtype, double value)
{
  bool fits = value >= -9223372036854775808.0 && value < 9223372036854775808.0;
  return emit_element (e, dtype, value, fits ? (int64_t) value : INT64_MIN);
}

NativertRef
nativert_emit_int (NativertEmit *e, uint8_t dtype, int64_t value)
{
  return emit_element (e, dtype, (double) value, value);
}

uint8_t
nativert_scalar_dtype (const NativertPrep *p, uint32_t k, uint8_t dtype)
{
  uint8_t kind = k < p->n_arg ? p->arg[k].kind : NATIVERT_ARG_NONE;
  bool floating = kind == NATIVERT_ARG_FLOAT || kind == NATIVERT_ARG_TENSOR;    /* computed numbers are Python floats */
  if (kind == NATIVERT_ARG_COMPLEX)
    return nativert_is_complex (dtype) ? dtype : dtype == NATIVERT_F64 ? NATIVERT_C128 : NATIVERT_C64;
  if (floating && nativert_is_integral (dtype))
    return NATIVERT_F32;
  if (kind == NATIVERT_ARG_INT && dtype == NATIVERT_BOOL)
    return NATIVERT_I64;
  return dtype;
}

NativertRef
nativert_scalar_ref (NativertEmit *e, const NativertPrep *p, uint32_t k, uint8_t dtype)
{
  const NativertArg *a = &p->arg[k];
  if (a->kind == NATIVERT_ARG_TENSOR)
    return nativert_emit_cast (e, nativert_arg_ref (p, k), dtype);
  if (a->kind == NATIVERT_ARG_FLOAT)
    return nativert_emit_float (e, dtype, a->u.f);
  return nativert_emit_int (e, dtype, a->u.i);
}

NativertRef
nativert_emit_cast (NativertEmit *e, NativertRef ref, uint8_t dtype)
{
  if (ref == NATIVERT_NO_REF || e->view (e, ref)->dtype == dtype)
    return ref;
  return nativert_emit (e, NATIVERT_OP_nativert_copy, NATIVERT_T (ref), NATIVERT_D (dtype));
}

NativertRef
nativert_emit_copy (NativertEmit *e, NativertRef ref)
{
  return nativert_emit (e, NATIVERT_OP_nativert_copy, NATIVERT_T (ref), NATIVERT_NONE);
}

NativertRef
nativert_emit_view (NativertEmit *e, NativertRef ref, uint32_t ndim, const int64_t *size)
{
  return nativert_emit (e, NATIVERT_OP_reshape_default, NATIVERT_T (ref), NATIVERT_IS (size, ndim));
}

NativertRef
nativert_emit_expand (NativertEmit *e, NativertRef ref, uint32_t ndim, const int64_t *size)
{
  return nativert_emit (e, NATIVERT_OP_expand_default, NATIVERT_T (ref), NATIVERT_IS (size, ndim), NATIVERT_B (false));
}

NativertRef
nativert_emit_permute (NativertEmit *e, NativertRef ref, uint32_t ndim, const int64_t *dims)
{
  return nativert_emit (e, NATIVERT_OP_permute_default, NATIVERT_T (ref), NATIVERT_IS (dims, ndim));
}

NativertRef
nativert_emit_slice (NativertEmit *e, NativertRef ref, int64_t dim, int64_t start, int64_t stop, int64_t step)
{
  return nativert_emit (e, NATIVERT_OP_slice_Tensor, NATIVERT_T (ref), NATIVERT_I (dim), NATIVERT_I (start), NATIVERT_I (stop),
      NATIVERT_I (step));
}

NativertRef
nativert_emit_add (NativertEmit *e, NativertRef a, NativertRef b)
{
  return nativert_emit (e, NATIVERT_OP_add_Tensor, NATIVERT_T (a), NATIVERT_T (b), NATIVERT_I (1));
}
