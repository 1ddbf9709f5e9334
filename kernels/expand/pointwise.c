/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pointwise operators with scalar arguments: the numbers become 0-d inputs of simpler rows. */
#include <string.h>
#include "kernels/rules.h"

static bool
is_one (const NativertArg *a)
{
  return a->kind == NATIVERT_ARG_NONE || (a->kind == NATIVERT_ARG_FLOAT ? a->u.f == 1 : a->kind != NATIVERT_ARG_TENSOR && a->u.i == 1);
}

/* alpha 1, nearly always: the plain row. */
NATIVERT_EXPAND (add)
{
  if (is_one (&p->arg[2]))
    return false;
  out[0] = nativert_emit (e, NATIVERT_OP_nativert_add_alpha, NATIVERT_T (p->ref[0]), NATIVERT_T (p->ref[1]),
      NATIVERT_T (nativert_scalar_ref (e, p, 2, p->in[0].dtype)));
  return true;
}

NATIVERT_EXPAND (sub)
{
  if (is_one (&p->arg[2]))
    return false;
  NativertRef alpha = nativert_scalar_ref (e, p, 2, p->in[0].dtype);
  alpha = nativert_emit (e, NATIVERT_OP_neg_default, NATIVERT_T (alpha));
  out[0] = nativert_emit (e, NATIVERT_OP_nativert_add_alpha, NATIVERT_T (p->ref[0]), NATIVERT_T (p->ref[1]), NATIVERT_T (alpha));
  return true;
}

/* The weight is per channel, dimension 1. */
NATIVERT_EXPAND (prelu)
{
  int64_t size[NATIVERT_MAX_DIMS] = { 1 };
  uint32_t ndim = p->in[0].ndim ? p->in[0].ndim : 1;
  for (uint32_t d = 0; d < ndim; d++)
    size[d] = d == 1 ? nativert_view_numel (&p->in[1]) : 1;
  NativertRef weight = ndim == 1 ? p->ref[1] : nativert_emit_view (e, p->ref[1], ndim, size);
  out[0] = nativert_emit (e, NATIVERT_OP__prelu_kernel_default, NATIVERT_T (p->ref[0]), NATIVERT_T (weight));
  return true;
}

/* The row that an alias, or a form with a number, stands for. */
static uint16_t
row_behind (uint16_t op)
{
  switch (op) {
#define SAME_AS(name, row) case NATIVERT_OP_##name: return NATIVERT_OP_##row;
    SAME_AS (add_Scalar, add_Tensor)
    SAME_AS (sub_Scalar, sub_Tensor)
    SAME_AS (mul_Scalar, mul_Tensor)
    SAME_AS (div_Scalar, div_Tensor)
    SAME_AS (floor_divide_Scalar, floor_divide_default)
    SAME_AS (remainder_Scalar, remainder_Tensor)
    SAME_AS (remainder_Scalar_Tensor, remainder_Tensor)
    SAME_AS (fmod_Scalar, fmod_Tensor)
    SAME_AS (pow_Scalar, pow_Tensor_Tensor)
    SAME_AS (pow_Tensor_Scalar, pow_Tensor_Tensor)
    SAME_AS (eq_Scalar, eq_Tensor)
    SAME_AS (ne_Scalar, ne_Tensor)
    SAME_AS (lt_Scalar, lt_Tensor)
    SAME_AS (le_Scalar, le_Tensor)
    SAME_AS (gt_Scalar, gt_Tensor)
    SAME_AS (ge_Scalar, ge_Tensor)
    SAME_AS (bitwise_and_Scalar, bitwise_and_Tensor)
    SAME_AS (bitwise_or_Scalar, bitwise_or_Tensor)
    SAME_AS (bitwise_xor_Scalar, bitwise_xor_Tensor)
    SAME_AS (bitwise_left_shift_Tensor_Scalar, bitwise_left_shift_Tensor)
    SAME_AS (bitwise_right_shift_Tensor_Scalar, bitwise_right_shift_Tensor)
    SAME_AS (__and___Scalar, bitwise_and_Tensor)
    SAME_AS (__or___Scalar, bitwise_or_Tensor)
    SAME_AS (__xor___Scalar, bitwise_xor_Tensor)
    SAME_AS (__lshift___Scalar, bitwise_left_shift_Tensor)
    SAME_AS (__rshift___Scalar, bitwise_right_shift_Tensor)
    SAME_AS (__and___Tensor, bitwise_and_Tensor)
    SAME_AS (__or___Tensor, bitwise_or_Tensor)
    SAME_AS (__xor___Tensor, bitwise_xor_Tensor)
    SAME_AS (__lshift___Tensor, bitwise_left_shift_Tensor)
    SAME_AS (__rshift___Tensor, bitwise_right_shift_Tensor)
    SAME_AS (multiply_Tensor, mul_Tensor)
    SAME_AS (true_divide_Tensor, div_Tensor)
    SAME_AS (divide_Tensor, div_Tensor)
    SAME_AS (max_other, maximum_default)
    SAME_AS (min_other, minimum_default)
    SAME_AS (clamp_min_Tensor, maximum_default)
    SAME_AS (clamp_max_Tensor, minimum_default)
    SAME_AS (absolute_default, abs_default)
    SAME_AS (negative_default, neg_default)
    SAME_AS (arctan2_default, atan2_default)
#undef SAME_AS
    default: return op;
  }
}

/* a op b, with the extra alpha that add and sub have. */
static NativertRef
binary (NativertEmit *e, uint16_t op, NativertRef a, NativertRef b, NativertArg alpha)
{
  if (op == NATIVERT_OP_add_Tensor || op == NATIVERT_OP_sub_Tensor)
    return nativert_emit (e, op, NATIVERT_T (a), NATIVERT_T (b), alpha);
  return nativert_emit (e, op, NATIVERT_T (a), NATIVERT_T (b));
}

NATIVERT_EXPAND (rename)
{
  uint16_t row = row_behind (p->op);
  out[0] = p->n_in == 1 ? nativert_emit (e, row, NATIVERT_T (p->ref[0])) : binary (e, row, p->ref[0], p->ref[1], NATIVERT_I (1));
  return true;
}

/* Division and the like want floats. */
static uint8_t
common_dtype (const NativertPrep *p, uint32_t k, uint8_t dtype, uint16_t row)
{
  uint8_t common = nativert_scalar_dtype (p, k, dtype);
  return (nativert_ops[row].flags & NATIVERT_FLAG_FLOAT) && nativert_is_integral (common) ? NATIVERT_F32 : common;
}

NATIVERT_EXPAND (scalar)
{
  uint16_t row = row_behind (p->op);
  uint8_t dtype = common_dtype (p, 1, p->in[0].dtype, row);
  NativertRef number = nativert_scalar_ref (e, p, 1, dtype), self = nativert_emit_cast (e, p->ref[0], dtype);
  NativertArg alpha = p->n_arg > 2 ? p->arg[2] : NATIVERT_I (1);
  if (alpha.kind == NATIVERT_ARG_TENSOR)
    return nativert_no (p, "%s: alpha is computed", nativert_ops[p->op].name);
  out[0] = binary (e, row, self, number, alpha);
  return true;
}

NATIVERT_EXPAND (scalar_first)
{
  uint16_t row = row_behind (p->op);
  int k = nativert_arg_index (p, 1);
  if (k < 0)
    return nativert_no (p, "%s: no tensor", nativert_ops[p->op].name);
  uint8_t dtype = common_dtype (p, 0, p->in[k].dtype, row);
  out[0] = binary (e, row, nativert_scalar_ref (e, p, 0, dtype), nativert_emit_cast (e, p->ref[k], dtype), NATIVERT_I (1));
  return true;
}

NATIVERT_EXPAND (div_mode)
{
  const NativertArg *mode = &p->arg[2];
  bool none = mode->kind != NATIVERT_ARG_STRING, scalar = p->op == NATIVERT_OP_div_Scalar_mode;
  uint16_t row = none ? NATIVERT_OP_div_Tensor : !strcmp (mode->u.s, "floor") ? NATIVERT_OP_floor_divide_default : NATIVERT_OP_nativert_div_trunc;
  if (!none && strcmp (mode->u.s, "floor") && strcmp (mode->u.s, "trunc"))
    return nativert_no (p, "div: rounding mode %s", mode->u.s);
  uint8_t dtype = scalar ? common_dtype (p, 1, p->in[0].dtype, row) : p->in[0].dtype;
  if (none && nativert_is_integral (dtype))
    dtype = NATIVERT_F32;
  NativertRef b = scalar ? nativert_scalar_ref (e, p, 1, dtype) : nativert_emit_cast (e, p->ref[1], dtype);
  NativertRef a = nativert_emit_cast (e, p->ref[0], dtype);
  bool half = dtype == NATIVERT_F16 || dtype == NATIVERT_BF16;
  if (row == NATIVERT_OP_nativert_div_trunc && half) {   /* torch rounds the quotient to half before it truncates */
    a = nativert_emit (e, NATIVERT_OP_div_Tensor, NATIVERT_T (a), NATIVERT_T (b));
    out[0] = nativert_emit (e, NATIVERT_OP_trunc_default, NATIVERT_T (a));
  } else
    out[0] = binary (e, row, a, b, NATIVERT_I (1));
  return true;
}

/* The small exponents that torch computes by products and roots. */
NATIVERT_EXPAND (pow)
{
  const NativertArg *a = &p->arg[1];
  uint8_t dtype = nativert_scalar_dtype (p, 1, p->in[0].dtype);
  bool known = a->kind == NATIVERT_ARG_FLOAT || a->kind == NATIVERT_ARG_INT;
  double x = known ? nativert_arg_float (p, 1, 0) : 0;
  NativertRef self = nativert_emit_cast (e, p->ref[0], dtype);
  uint16_t row = NATIVERT_N_OPS;
  if (known && nativert_is_integral (dtype) && x < 0)
    return nativert_no (p, "pow: an integer to the power of %g", x);
  if (known && (x == 2 || x == 3))
    row = x == 2 ? NATIVERT_OP_square_default : NATIVERT_OP_nativert_cube;
  else if (known && nativert_is_float (dtype))
    row = x == 0.5 ? NATIVERT_OP_sqrt_default : x == -0.5 ? NATIVERT_OP_rsqrt_default : x == -1 ? NATIVERT_OP_reciprocal_default : row;
  if (row != NATIVERT_N_OPS)
    out[0] = nativert_emit (e, row, NATIVERT_T (self));
  else
    out[0] = nativert_emit (e, NATIVERT_OP_pow_Tensor_Tensor, NATIVERT_T (self), NATIVERT_T (nativert_scalar_ref (e, p, 1, dtype)));
  return true;
}

/* other - alpha * self */
NATIVERT_EXPAND (rsub)
{
  bool scalar = p->op == NATIVERT_OP_rsub_Scalar;
  uint8_t dtype = scalar ? nativert_scalar_dtype (p, 1, p->in[0].dtype) : p->in[0].dtype;
  NativertRef other = scalar ? nativert_scalar_ref (e, p, 1, dtype) : p->ref[1];
  if (p->arg[2].kind == NATIVERT_ARG_TENSOR)
    return nativert_no (p, "rsub: alpha is computed");
  out[0] = nativert_emit (e, NATIVERT_OP_sub_Tensor, NATIVERT_T (other), NATIVERT_T (nativert_emit_cast (e, p->ref[0], dtype)), p->arg[2]);
  return true;
}

NATIVERT_EXPAND (lerp)
{
  NativertRef weight = p->op == NATIVERT_OP_lerp_Scalar ? nativert_scalar_ref (e, p, 2, p->in[0].dtype) : p->ref[2];
  out[0] = nativert_emit (e, NATIVERT_OP_nativert_lerp, NATIVERT_T (p->ref[0]), NATIVERT_T (p->ref[1]), NATIVERT_T (weight));
  return true;
}

NATIVERT_EXPAND (addc)
{
  bool mul = p->op == NATIVERT_OP_addcmul_default;
  if (!mul && nativert_is_integral (p->in[0].dtype))
    return nativert_no (p, "addcdiv of integers");
  out[0] = nativert_emit (e, mul ? NATIVERT_OP_nativert_addcmul : NATIVERT_OP_nativert_addcdiv, NATIVERT_T (p->ref[0]), NATIVERT_T (p->ref[1]),
      NATIVERT_T (p->ref[2]), NATIVERT_T (nativert_scalar_ref (e, p, 3, p->in[0].dtype)));
  return true;
}

/* Conditions are bool; uint8 is taken too, as torch does. */
static NativertRef
condition (NativertEmit *e, const NativertPrep *p, uint32_t k)
{
  return nativert_emit_cast (e, p->ref[k], NATIVERT_BOOL);
}

static uint8_t
number_dtype (const NativertArg *a)
{
  return a->kind == NATIVERT_ARG_BOOL ? NATIVERT_BOOL : a->kind == NATIVERT_ARG_INT ? NATIVERT_I64 : NATIVERT_F32;
}

NATIVERT_EXPAND (where)
{
  int x = p->op == NATIVERT_OP_where_ScalarOther ? nativert_arg_index (p, 1) : -1;
  int y = p->op == NATIVERT_OP_where_ScalarSelf ? nativert_arg_index (p, 2) : -1;
  uint8_t dtype = x >= 0 ? nativert_scalar_dtype (p, 2, p->in[x].dtype) : y >= 0 ? nativert_scalar_dtype (p, 1, p->in[y].dtype)
      : nativert_scalar_dtype (p, 2, number_dtype (&p->arg[1]));
  NativertRef a = x >= 0 ? nativert_emit_cast (e, p->ref[x], dtype) : nativert_scalar_ref (e, p, 1, dtype);
  NativertRef b = y >= 0 ? nativert_emit_cast (e, p->ref[y], dtype) : nativert_scalar_ref (e, p, 2, dtype);
  out[0] = nativert_emit (e, NATIVERT_OP_where_self, NATIVERT_T (condition (e, p, 0)), NATIVERT_T (a), NATIVERT_T (b));
  return true;
}

/* The result has self's dtype, whatever the value's. */
NATIVERT_EXPAND (masked_fill)
{
  NativertRef value = nativert_scalar_ref (e, p, 2, p->in[0].dtype);
  if (p->in[1].dtype != NATIVERT_BOOL && p->in[1].dtype != NATIVERT_U8)
    return nativert_no (p, "masked_fill: a mask of %s", nativert_dtype_name (p->in[1].dtype));
  if (p->op == NATIVERT_OP_masked_fill_Tensor && p->in[2].ndim > 0)
    return nativert_no (p, "masked_fill: a value of %u dimensions", p->in[2].ndim);
  out[0] = nativert_emit (e, NATIVERT_OP_where_self, NATIVERT_T (condition (e, p, 1)), NATIVERT_T (value), NATIVERT_T (p->ref[0]));
  return true;
}
