/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tensors from sizes and numbers: the value and the dtype are settled here, the memory is written by a copy or a nativert:: row. */
#include <math.h>
#include "kernels/rules.h"

enum { LIKE = -1, NO_SIZE = -2 };               /* size is in[0]'s; 0-d */
enum { FROM_VALUE = -1, FROM_SELF = -2 };       /* where a dtype that is not given comes from */

/* Which arguments say what.  value -1: the number in `number`. */
typedef struct { uint16_t op; int8_t size, value, dtype, otherwise; double number; } Fill;
static const Fill fills[] = {
  { NATIVERT_OP_full_default, 0, 1, 2, FROM_VALUE, 0 },
  { NATIVERT_OP_zeros_default, 0, -1, 1, NATIVERT_F32, 0 },
  { NATIVERT_OP_ones_default, 0, -1, 1, NATIVERT_F32, 1 },
  { NATIVERT_OP_empty_memory_format, 0, -1, 1, NATIVERT_F32, 0 },
  { NATIVERT_OP_full_like_default, LIKE, 1, 2, FROM_SELF, 0 },
  { NATIVERT_OP_zeros_like_default, LIKE, -1, 1, FROM_SELF, 0 },
  { NATIVERT_OP_ones_like_default, LIKE, -1, 1, FROM_SELF, 1 },
  { NATIVERT_OP_empty_like_default, LIKE, -1, 1, FROM_SELF, 0 },
  { NATIVERT_OP_new_full_default, 1, 2, 3, FROM_SELF, 0 },
  { NATIVERT_OP_new_zeros_default, 1, -1, 2, FROM_SELF, 0 },
  { NATIVERT_OP_new_ones_default, 1, -1, 2, FROM_SELF, 1 },
  { NATIVERT_OP_new_empty_default, 1, -1, 2, FROM_SELF, 0 },
  { NATIVERT_OP_scalar_tensor_default, NO_SIZE, 0, 1, NATIVERT_F32, 0 },
  { NATIVERT_OP_fill_Scalar, LIKE, 1, -1, FROM_SELF, 0 },
  { NATIVERT_OP_fill_Tensor, LIKE, 1, -1, FROM_SELF, 0 },
  { NATIVERT_OP_zero_default, LIKE, -1, -1, FROM_SELF, 0 },
};

static const Fill *
find_fill (uint16_t op)
{
  for (unsigned i = 0; i < sizeof fills / sizeof *fills; i++)
    if (fills[i].op == op)
      return &fills[i];
  return NULL;
}

/* The dtype that torch gives a number: bool, int64, or the default float. */
static uint8_t
number_dtype (const NativertPrep *p, unsigned k)
{
  switch (p->arg[k].kind) {
  case NATIVERT_ARG_BOOL: return NATIVERT_BOOL;
  case NATIVERT_ARG_INT: return NATIVERT_I64;
  case NATIVERT_ARG_COMPLEX: return NATIVERT_C64;
  default: return NATIVERT_F32;
  }
}

static uint8_t
fill_dtype (const NativertPrep *p, const Fill *f)
{
  if (f->dtype >= 0 && !nativert_arg_is_none (p, (unsigned) f->dtype))
    return (uint8_t) nativert_arg_int (p, (unsigned) f->dtype, NATIVERT_F32);
  if (f->otherwise == FROM_VALUE)
    return number_dtype (p, (unsigned) f->value);
  return f->otherwise == FROM_SELF ? p->in[0].dtype : (uint8_t) f->otherwise;
}

NATIVERT_EXPAND (fill)
{
  const Fill *f = find_fill (p->op);
  const int64_t *size = NULL;
  uint32_t ndim = 0;

  if (f->size == LIKE) {
    size = p->in[0].size;
    ndim = p->in[0].ndim;
  } else if (f->size != NO_SIZE) {
    const NativertArg *a = &p->arg[f->size];
    if (a->kind != NATIVERT_ARG_INTS || a->n > NATIVERT_MAX_DIMS)
      return nativert_no (p, "size is no list of at most %d integers", NATIVERT_MAX_DIMS);
    size = a->u.ints;
    ndim = a->n;
  }
  int64_t numel;
  if (!nativert_checked_numel (p, ndim, size, &numel))
    return false;
  uint8_t dtype = fill_dtype (p, f);
  if (f->op == NATIVERT_OP_fill_Tensor && nativert_arg_view (p, 1) && nativert_arg_view (p, 1)->ndim)
    return nativert_no (p, "fill takes a 0-d value, this one has %d dims", nativert_arg_view (p, 1)->ndim);
  NativertRef value = f->value < 0 ? nativert_emit_float (e, dtype, f->number) : nativert_scalar_ref (e, p, (uint32_t) f->value, dtype);
  out[0] = nativert_emit_copy (e, nativert_emit_expand (e, value, ndim, size));
  return true;
}

/* How many numbers arange gives: as torch, in integers when all three are integers. */
static bool
arange_count (NativertPrep *p, const NativertArg *start, const NativertArg *end, const NativertArg *step, int64_t *n)
{
  bool whole = start->kind != NATIVERT_ARG_FLOAT && end->kind != NATIVERT_ARG_FLOAT && step->kind != NATIVERT_ARG_FLOAT;
  double a = start->kind == NATIVERT_ARG_FLOAT ? start->u.f : (double) start->u.i;
  double b = end->kind == NATIVERT_ARG_FLOAT ? end->u.f : (double) end->u.i;
  double s = step->kind == NATIVERT_ARG_FLOAT ? step->u.f : (double) step->u.i;
  if (s == 0 || !isfinite (a) || !isfinite (b) || !isfinite (s) || (b - a) / s < 0)
    return nativert_no (p, "arange from %g to %g in steps of %g", a, b, s);
  double count = ceil ((b - a) / s);
  if (count > (double) NATIVERT_SIZE_LIMIT)
    return nativert_no (p, "arange from %g to %g in steps of %g has too many elements", a, b, s);
  *n = (int64_t) count;
  if (whole) {                                  /* doubles lose the last digits of large integers */
    int64_t span, sign = step->u.i > 0 ? 1 : -1;
    if (__builtin_sub_overflow (end->u.i, start->u.i, &span) || __builtin_add_overflow (span, step->u.i - sign, &span))
      return nativert_no (p, "arange overflows int64");
    *n = span / step->u.i;
  }
  return true;
}

static bool
is_number (const NativertArg *a)
{
  return a->kind == NATIVERT_ARG_INT || a->kind == NATIVERT_ARG_FLOAT || a->kind == NATIVERT_ARG_BOOL;
}

NATIVERT_EXPAND (arange)
{
  bool has_start = p->op != NATIVERT_OP_arange_default, has_step = p->op == NATIVERT_OP_arange_start_step;
  NativertArg start = has_start ? p->arg[0] : NATIVERT_I (0), end = p->arg[has_start], step = has_step ? p->arg[2] : NATIVERT_I (1);
  unsigned place = 1 + has_start + has_step;
  int64_t n = 0;

  if (!is_number (&start) || !is_number (&end) || !is_number (&step))
    return nativert_no (p, "arange with bounds that are computed from data");
  if (!arange_count (p, &start, &end, &step, &n))
    return false;
  bool floating = start.kind == NATIVERT_ARG_FLOAT || end.kind == NATIVERT_ARG_FLOAT || step.kind == NATIVERT_ARG_FLOAT;
  int64_t dtype = nativert_arg_int (p, place, floating ? NATIVERT_F32 : NATIVERT_I64);
  out[0] = nativert_emit (e, NATIVERT_OP_nativert_arange, start, step, NATIVERT_I (n), NATIVERT_D (dtype));
  return true;
}

NATIVERT_EXPAND (linspace)
{
  if (!is_number (&p->arg[0]) || !is_number (&p->arg[1]))
    return nativert_no (p, "linspace with bounds that are computed from data");
  out[0] = nativert_emit (e, NATIVERT_OP_nativert_linspace, p->arg[0], p->arg[1], NATIVERT_I (nativert_arg_int (p, 2, 0)),
      NATIVERT_D (nativert_arg_int (p, 3, NATIVERT_F32)));
  return true;
}

NATIVERT_EXPAND (eye)
{
  bool square = p->op == NATIVERT_OP_eye_default;
  out[0] = nativert_emit (e, NATIVERT_OP_nativert_eye, p->arg[0], p->arg[square ? 0 : 1],
      NATIVERT_D (nativert_arg_int (p, square ? 1 : 2, NATIVERT_F32)));
  return true;
}
