/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* torch's type promotion, and the casts that make the inputs of an operator agree. */
#include "plan/builder.h"

typedef enum { BOOLEAN, INTEGRAL, FLOATING, COMPLEX } Category;
enum { NONE = NATIVERT_N_DTYPES };      /* no type yet */

static Category
category (uint8_t dtype)
{
  switch (dtype) {
    case NATIVERT_BOOL: return BOOLEAN;
    case NATIVERT_I64:
    case NATIVERT_I32:
    case NATIVERT_I16:
    case NATIVERT_I8:
    case NATIVERT_U8:
    case NATIVERT_U16:
    case NATIVERT_U32:
    case NATIVERT_U64: return INTEGRAL;
    case NATIVERT_C32: case NATIVERT_C64: case NATIVERT_C128: return COMPLEX;
    default: return FLOATING;
  }
}

static bool
is_unsigned (uint8_t dtype)
{
  return dtype == NATIVERT_U8 || dtype == NATIVERT_U16 || dtype == NATIVERT_U32 || dtype == NATIVERT_U64;
}

static uint8_t
promote_integers (uint8_t a, uint8_t b)
{
  static const uint8_t is_signed[] = { [1] = NATIVERT_I8, [2] = NATIVERT_I16, [4] = NATIVERT_I32, [8] = NATIVERT_I64 };
  size_t x = nativert_dtype_size (a), y = nativert_dtype_size (b);
  if (is_unsigned (a) == is_unsigned (b))
    return x > y ? a : b;
  size_t unsigned_size = is_unsigned (a) ? x : y, signed_size = is_unsigned (a) ? y : x;
  size_t size = unsigned_size < signed_size ? signed_size : unsigned_size < 8 ? unsigned_size * 2 : 8;
  return is_signed[size];
}

/* half + bfloat16 and anything with float8 meet in float32. */
static uint8_t
promote_floats (uint8_t a, uint8_t b)
{
  if (a == NATIVERT_F64 || b == NATIVERT_F64)
    return NATIVERT_F64;
  if (a == NATIVERT_F32 || b == NATIVERT_F32 || a != b)
    return NATIVERT_F32;
  return a;
}

static uint8_t
real_of (uint8_t dtype)
{
  return dtype == NATIVERT_C128 ? NATIVERT_F64
      : dtype == NATIVERT_C64   ? NATIVERT_F32
      : dtype == NATIVERT_C32   ? NATIVERT_F16
                                : dtype;
}

static uint8_t
complex_of (uint8_t dtype)
{
  return dtype == NATIVERT_F64 ? NATIVERT_C128 : dtype == NATIVERT_F16 ? NATIVERT_C32 : NATIVERT_C64;
}

uint8_t
nativert_promote_dtypes (uint8_t a, uint8_t b)
{
  if (a == b)
    return a;
  Category x = category (a), y = category (b);
  if (x == COMPLEX || y == COMPLEX) {
    if (category (real_of (a)) != FLOATING)
      return b;
    if (category (real_of (b)) != FLOATING)
      return a;
    return complex_of (promote_floats (real_of (a), real_of (b)));
  }
  if (x != y)
    return x > y ? a : b;
  return x == INTEGRAL ? promote_integers (a, b) : promote_floats (a, b);
}

static uint8_t
promote_some (uint8_t a, uint8_t b)
{
  return a == NONE ? b : b == NONE ? a : nativert_promote_dtypes (a, b);
}

/* Tensors with dimensions rule over 0-d tensors, those over Python numbers: the lower kind only raises the category. */
static uint8_t
combine (uint8_t higher, uint8_t lower)
{
  if (higher == NONE || lower == NONE)
    return higher == NONE ? lower : higher;
  Category x = category (higher), y = category (lower);
  if (x == COMPLEX)
    return higher;
  if (x == FLOATING)
    return y == COMPLEX ? complex_of (higher) : higher;
  if (x == BOOLEAN || y >= FLOATING)
    return nativert_promote_dtypes (higher, lower);
  return higher;
}

static uint8_t
number_dtype (uint8_t dtype)
{
  Category c = category (dtype);
  return c == FLOATING ? NATIVERT_F32 : c == COMPLEX ? NATIVERT_C64 : dtype;
}

static uint8_t
result_type (const NativertBuilder *b, const NativertRef *refs, uint32_t n)
{
  uint8_t dims = NONE, zero = NONE, wrapped = NONE;
  for (uint32_t i = 0; i < n; i++) {
    const NativertPlanValue *v = NATIVERT_VALUE (b, refs[i]);
    if (v->wrapped)
      wrapped = promote_some (wrapped, number_dtype (v->view.dtype));
    else if (v->view.ndim == 0)
      zero = promote_some (zero, v->view.dtype);
    else
      dims = promote_some (dims, v->view.dtype);
  }
  return combine (dims, combine (zero, wrapped));
}

static NativertRef
cast_number (NativertBuilder *b, NativertNum number, uint8_t dtype)
{
  double f = number.kind == NATIVERT_NUM_FLOAT ? number.u.f
      : number.kind == NATIVERT_NUM_INT        ? (double) number.u.i
                                               : number.u.b;
  int64_t i = number.kind == NATIVERT_NUM_INT ? number.u.i : number.kind == NATIVERT_NUM_BOOL ? number.u.b
      : f >= -9.2e18 && f <= 9.2e18 ? (int64_t) f : INT64_MIN;
  if (dtype == NATIVERT_BOOL)
    i = number.kind == NATIVERT_NUM_FLOAT ? f != 0 : i != 0;
  return category (dtype) >= FLOATING ? nativert_emit_float (&b->emit, dtype, f)
                                      : nativert_emit_int (&b->emit, dtype, i);
}

static NativertRef
copy (NativertBuilder *b, NativertRef ref, uint8_t dtype)
{
  NativertRef out = NATIVERT_NO_REF;
  NativertArg args[] = { NATIVERT_T (ref), NATIVERT_D (dtype) };
  NativertLowering l
      = { .op = b->copy_op, .args = args, .n_args = 2, .n_out = 1, .dest = NATIVERT_NO_REF, .out = &out };
  return nativert_builder_lower (b, &l) ? out : NATIVERT_NO_REF;
}

NativertRef
nativert_builder_cast (NativertBuilder *b, NativertRef ref, uint8_t dtype)
{
  const NativertPlanValue *v = NATIVERT_VALUE (b, ref);
  if (v->view.dtype == dtype)
    return ref;
  if (v->is_number && category (dtype) != COMPLEX)
    return cast_number (b, v->number, dtype);
  uint32_t version = NATIVERT_BLOCK (b, v->block)->version;
  if (v->cast >= 0 && v->cast_version == version && NATIVERT_VALUE (b, v->cast)->view.dtype == dtype)
    return v->cast;
  NativertRef out = copy (b, ref, dtype);
  NATIVERT_VALUE (b, ref)->cast = out;
  NATIVERT_VALUE (b, ref)->cast_version = version;
  return out;
}

NativertRef
nativert_builder_contiguous (NativertBuilder *b, NativertRef ref)
{
  const NativertPlanValue *v = NATIVERT_VALUE (b, ref);
  if (nativert_view_is_contiguous (&v->view))
    return ref;
  uint32_t version = NATIVERT_BLOCK (b, v->block)->version;
  if (v->contiguous >= 0 && v->contiguous_version == version)
    return v->contiguous;
  NativertRef out = copy (b, ref, v->view.dtype);
  NATIVERT_VALUE (b, ref)->contiguous = out;
  NATIVERT_VALUE (b, ref)->contiguous_version = version;
  return out;
}

bool
nativert_builder_promote (NativertBuilder *b, const NativertOp *op, NativertRef *refs, uint32_t n)
{
  uint32_t first = op->dispatch == NATIVERT_DISPATCH_OUT ? 0 : op->dispatch;
  if (first >= n)
    return true;
  uint8_t dtype = result_type (b, refs + first, n - first);
  if ((op->flags & NATIVERT_FLAG_FLOAT) && category (dtype) < FLOATING)
    dtype = NATIVERT_F32;
  for (uint32_t i = first; i < n; i++)
    if ((refs[i] = nativert_builder_cast (b, refs[i], dtype)) < 0)
      return false;
  return true;
}
