/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tensors out of numbers. */
#include <math.h>
#include "kernels/rules.h"

/* Where a form has its sizes (-1: as the first input), its number (-1: 0, -2: 1) and its dtype (-1: as the first input). */
typedef struct { int size, value, dtype; bool like; } Form;

static Form
form_of (uint16_t op)
{
  switch (op) {
    case NATIVERT_OP_full_default: return (Form) { 0, 1, 2, false };
    case NATIVERT_OP_ones_default: return (Form) { 0, -2, 1, false };
    case NATIVERT_OP_zeros_default: case NATIVERT_OP_empty_memory_format: return (Form) { 0, -1, 1, false };
    case NATIVERT_OP_empty_permuted_default: case NATIVERT_OP_empty_strided_default: return (Form) { 0, -1, 2, false };
    case NATIVERT_OP_scalar_tensor_default: return (Form) { -2, 0, 1, false };
    case NATIVERT_OP_new_full_default: return (Form) { 1, 2, 3, true };
    case NATIVERT_OP_new_ones_default: return (Form) { 1, -2, 2, true };
    case NATIVERT_OP_new_zeros_default: case NATIVERT_OP_new_empty_default: return (Form) { 1, -1, 2, true };
    case NATIVERT_OP_new_empty_strided_default: return (Form) { 1, -1, 3, true };
    case NATIVERT_OP_full_like_default: return (Form) { -1, 1, 2, true };
    case NATIVERT_OP_ones_like_default: return (Form) { -1, -2, 1, true };
    case NATIVERT_OP_zeros_like_default: case NATIVERT_OP_empty_like_default: return (Form) { -1, -1, 1, true };
    case NATIVERT_OP_fill_Scalar: case NATIVERT_OP_fill_Tensor: return (Form) { -1, 1, -1, true };
    default: return (Form) { -1, -1, -1, true };
  }
}

static uint8_t
number_dtype (const NativertArg *a)
{
  return a->kind == NATIVERT_ARG_BOOL ? NATIVERT_BOOL : a->kind == NATIVERT_ARG_INT ? NATIVERT_I64 : NATIVERT_F32;
}

NATIVERT_EXPAND (full)
{
  Form f = form_of (p->op);
  uint8_t dtype = f.like ? p->in[0].dtype : f.value == 1 ? number_dtype (&p->arg[1]) : NATIVERT_F32;
  uint32_t ndim = f.size == -1 ? p->in[0].ndim : 0;
  int64_t numel, size[NATIVERT_MAX_DIMS] = { 0 };
  if (f.dtype >= 0)
    dtype = (uint8_t) nativert_arg_int (p, (uint32_t) f.dtype, dtype);
  if (f.size >= 0) {
    if (p->arg[f.size].kind != NATIVERT_ARG_INTS || p->arg[f.size].n > NATIVERT_MAX_DIMS)
      return nativert_no (p, "%s: no list of at most %d sizes", nativert_ops[p->op].name, NATIVERT_MAX_DIMS);
    ndim = p->arg[f.size].n;
  }
  for (uint32_t d = 0; d < ndim; d++)
    size[d] = f.size >= 0 ? p->arg[f.size].u.ints[d] : p->in[0].size[d];
  if (!nativert_checked_numel (p, ndim, size, &numel))
    return false;
  NativertRef value = f.value >= 0 ? nativert_scalar_ref (e, p, (uint32_t) f.value, dtype) : nativert_emit_int (e, dtype, f.value == -2);
  out[0] = ndim == 0 && p->op == NATIVERT_OP_scalar_tensor_default ? value : nativert_emit_copy (e, nativert_emit_expand (e, value, ndim, size));
  return true;
}

static double
number (const NativertArg *a)
{
  return a->kind == NATIVERT_ARG_FLOAT ? a->u.f : (double) a->u.i;
}

NATIVERT_EXPAND (arange)
{
  static const NativertArg zero = { .kind = NATIVERT_ARG_INT, .u.i = 0 }, one = { .kind = NATIVERT_ARG_INT, .u.i = 1 };
  bool just_end = p->op == NATIVERT_OP_arange_default, has_step = p->op == NATIVERT_OP_arange_start_step;
  const NativertArg *start = just_end ? &zero : &p->arg[0], *stop = &p->arg[just_end ? 0 : 1], *step = has_step ? &p->arg[2] : &one;
  uint32_t options = just_end ? 1 : has_step ? 3 : 2;
  bool whole = start->kind != NATIVERT_ARG_FLOAT && stop->kind != NATIVERT_ARG_FLOAT && step->kind != NATIVERT_ARG_FLOAT;
  if (start->kind == NATIVERT_ARG_TENSOR || stop->kind == NATIVERT_ARG_TENSOR || step->kind == NATIVERT_ARG_TENSOR)
    return nativert_no (p, "arange: a computed number");
  uint8_t dtype = (uint8_t) nativert_arg_int (p, options, whole ? NATIVERT_I64 : NATIVERT_F32);
  double n = ceil ((number (stop) - number (start)) / number (step));
  if (whole) {
    int64_t distance;
    if (step->u.i == 0 || __builtin_sub_overflow (stop->u.i, start->u.i, &distance))
      return nativert_no (p, "arange: from %lld to %lld by %lld", (long long) start->u.i, (long long) stop->u.i, (long long) step->u.i);
    n = (double) (distance / step->u.i + (distance % step->u.i != 0 && (distance < 0) == (step->u.i < 0)));
  }
  if (!(n >= 0) || n > 1e12)
    return nativert_no (p, "arange: %g numbers", n);
  uint8_t work = nativert_is_integral (dtype) ? NATIVERT_I64 : dtype == NATIVERT_F64 ? NATIVERT_F64 : NATIVERT_F32;
  int64_t first = whole ? start->u.i : (int64_t) number (start), int_step = whole ? step->u.i : (int64_t) number (step);
  out[0] = nativert_emit (e, NATIVERT_OP_nativert_arange, NATIVERT_F (number (start)), NATIVERT_F (number (step)), NATIVERT_I (first),
      NATIVERT_I (int_step), NATIVERT_I ((int64_t) n), NATIVERT_D (work));
  out[0] = nativert_emit_cast (e, out[0], dtype);
  return true;
}

NATIVERT_EXPAND (linspace)
{
  uint8_t dtype = (uint8_t) nativert_arg_int (p, 3, NATIVERT_F32);
  uint8_t work = dtype == NATIVERT_F32 ? NATIVERT_F32 : NATIVERT_F64;
  if (p->arg[0].kind == NATIVERT_ARG_TENSOR || p->arg[1].kind == NATIVERT_ARG_TENSOR)
    return nativert_no (p, "linspace: a computed number");
  out[0] = nativert_emit (e, NATIVERT_OP_nativert_linspace, NATIVERT_F (number (&p->arg[0])), NATIVERT_F (number (&p->arg[1])), p->arg[2], NATIVERT_D (work));
  out[0] = nativert_emit_cast (e, out[0], dtype);
  return true;
}

static NativertRef
counted (NativertEmit *e, int64_t n, bool as_column)
{
  int64_t size[] = { n, 1 };
  NativertRef x = nativert_emit (e, NATIVERT_OP_nativert_arange, NATIVERT_F (0), NATIVERT_F (1), NATIVERT_I (0), NATIVERT_I (1), NATIVERT_I (n),
      NATIVERT_D (NATIVERT_I64));
  return as_column ? nativert_emit_view (e, x, 2, size) : x;
}

NATIVERT_EXPAND (eye)
{
  bool square = p->op == NATIVERT_OP_eye_default;
  int64_t n = nativert_arg_int (p, 0, 0), m = square ? n : nativert_arg_int (p, 1, 0), numel, size[] = { n, m };
  uint8_t dtype = (uint8_t) nativert_arg_int (p, square ? 1 : 2, NATIVERT_F32);
  if (!nativert_checked_numel (p, 2, size, &numel))
    return false;
  out[0] = nativert_emit (e, NATIVERT_OP_eq_Tensor, NATIVERT_T (counted (e, n, true)), NATIVERT_T (counted (e, m, false)));
  out[0] = nativert_emit_cast (e, out[0], dtype);
  return true;
}

/* self where column - row is at most (tril) or at least (triu) the diagonal, else 0. */
NATIVERT_EXPAND (tril)
{
  const NativertView *x = &p->in[0];
  if (x->ndim < 2)
    return nativert_no (p, "%s: %u dimensions", nativert_ops[p->op].name, x->ndim);
  NativertRef rows = counted (e, x->size[x->ndim - 2], true), columns = counted (e, x->size[x->ndim - 1], false), keep;
  rows = nativert_emit_add (e, rows, nativert_emit_int (e, NATIVERT_I64, nativert_arg_int (p, 1, 0)));
  keep = nativert_emit (e, p->op == NATIVERT_OP_tril_default ? NATIVERT_OP_le_Tensor : NATIVERT_OP_ge_Tensor, NATIVERT_T (columns), NATIVERT_T (rows));
  out[0] = nativert_emit (e, NATIVERT_OP_where_self, NATIVERT_T (keep), NATIVERT_T (p->ref[0]), NATIVERT_T (nativert_emit_int (e, x->dtype, 0)));
  return true;
}

NATIVERT_EXPAND (one_hot)
{
  int64_t n = nativert_arg_int (p, 1, -1);
  if (n < 1)
    return nativert_no (p, "one_hot: the number of classes depends on the data");
  NativertRef x = nativert_emit (e, NATIVERT_OP_unsqueeze_default, NATIVERT_T (p->ref[0]), NATIVERT_I (-1));
  x = nativert_emit (e, NATIVERT_OP_eq_Tensor, NATIVERT_T (nativert_emit_cast (e, x, NATIVERT_I64)), NATIVERT_T (counted (e, n, false)));
  out[0] = nativert_emit_cast (e, x, NATIVERT_I64);
  return true;
}
