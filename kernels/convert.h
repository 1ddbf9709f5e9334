/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Storage types to compute types and back: the one place that knows half, bfloat16 and the 8-bit floats. */
#pragma once
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include "dtypes.h"

static inline uint32_t
nativert_bits_of (float f)
{
  uint32_t u;
  memcpy (&u, &f, sizeof u);
  return u;
}

static inline float
nativert_from_bits (uint32_t u)
{
  float f;
  memcpy (&f, &u, sizeof f);
  return f;
}

static inline float
nativert_load_bf16 (nativert_bf16 v)
{
  return nativert_from_bits ((uint32_t) v.bits << 16);
}

/* Round to nearest even; every NaN becomes one quiet NaN, as torch does. */
static inline nativert_bf16
nativert_store_bf16 (float f)
{
  uint32_t u = nativert_bits_of (f), rounded = (u + 0x7fffu + ((u >> 16) & 1)) >> 16;
  return (nativert_bf16) { (uint16_t) (f != f ? 0x7fc0 : rounded) };
}

/* Exponents are moved by a multiplication, which normalises subnormals for nothing. */
static inline float
nativert_load_f16 (nativert_f16 v)
{
  uint32_t sign = (uint32_t) (v.bits & 0x8000) << 16, rest = (uint32_t) (v.bits & 0x7fff) << 13;
  float f = nativert_from_bits (rest) * 0x1p112f;
  uint32_t special = rest >= 0x7c00u << 13 ? 0x7f800000u | rest : 0;
  return nativert_from_bits (sign | (special ? special : nativert_bits_of (f)));
}

static inline nativert_f16
nativert_store_f16 (float f)
{
  uint32_t u = nativert_bits_of (f), sign = (u >> 16) & 0x8000, a = u & 0x7fffffff, bits;
  if (a > 0x7f800000)
    bits = 0x7e00;
  else if (a >= 0x477ff000)                     /* rounds to 65536 or more */
    bits = 0x7c00;
  else if (a < 0x38800000)                      /* subnormal: the addition of 0.5 rounds at the right place */
    bits = nativert_bits_of (nativert_from_bits (a) + 0.5f) - 0x3f000000;
  else
    bits = (a - 0x38000000 + 0xfff + ((a >> 13) & 1)) >> 13;
  return (nativert_f16) { (uint16_t) (sign | bits) };
}

/* 8-bit floats: e exponent bits and a bias; fn: no infinities; uz: one zero, 0x80 is NaN. */
static inline float
nativert_load_f8 (uint8_t bits, int e, int bias, bool fn, bool uz)
{
  int m = 7 - e, exponent = (bits >> m) & ((1 << e) - 1), mantissa = bits & ((1 << m) - 1), top = (1 << e) - 1;
  float sign = bits & 0x80 ? -1.f : 1.f;
  if (uz && bits == 0x80)
    return NAN;
  if (!uz && fn && (bits & 0x7f) == 0x7f)
    return NAN;
  if (!uz && !fn && exponent == top)
    return mantissa ? NAN : sign * INFINITY;
  if (exponent == 0)
    return sign * ldexpf ((float) mantissa, 1 - bias - m);
  return sign * ldexpf ((float) (mantissa + (1 << m)), exponent - bias - m);
}

static inline uint8_t
nativert_store_f8 (float f, int e, int bias, bool fn, bool uz)
{
  int m = 7 - e;
  uint8_t sign = signbit (f) ? 0x80 : 0, nan = uz ? 0x80 : 0x7f;
  uint8_t largest = uz ? 0x7f : fn ? 0x7e : (uint8_t) ((((1 << e) - 2) << m) | ((1 << m) - 1));
  uint8_t over = uz ? nan : fn ? largest : (uint8_t) (((1 << e) - 1) << m); /* fn saturates, as torch >= 2.13 does */
  float a = fabsf (f);
  int x;
  if (f != f)
    return uz ? nan : sign | nan;
  if (isinf (f))
    return uz ? nan : sign | over;
  frexpf (a, &x);
  int exponent = x - 1 + bias;                  /* of the normal number */
  if (exponent < 1)
    exponent = 1;
  float units = nearbyintf (ldexpf (a, m + bias - exponent));    /* in steps of this exponent */
  int64_t code = (int64_t) units + ((int64_t) (exponent - 1) << m);
  if (a == 0 || units == 0)
    return uz ? 0 : sign;
  if (code > largest)
    return uz ? nan : sign | over;
  return sign | (uint8_t) code;
}

static inline float nativert_load_f32 (float v) { return v; }
static inline double nativert_load_f64 (double v) { return v; }
static inline int64_t nativert_load_i64 (int64_t v) { return v; }
static inline int32_t nativert_load_i32 (int32_t v) { return v; }
static inline int16_t nativert_load_i16 (int16_t v) { return v; }
static inline int8_t nativert_load_i8 (int8_t v) { return v; }
static inline uint8_t nativert_load_u8 (uint8_t v) { return v; }

/* Storage type to compute type. */
#define NATIVERT_LOAD(v)                                                                                               \
  _Generic((v), nativert_f16                                                                                           \
           : nativert_load_f16, nativert_bf16                                                                          \
           : nativert_load_bf16, float                                                                                 \
           : nativert_load_f32, double                                                                                 \
           : nativert_load_f64, int64_t                                                                                \
           : nativert_load_i64, int32_t                                                                                \
           : nativert_load_i32, int16_t                                                                                \
           : nativert_load_i16, int8_t                                                                                 \
           : nativert_load_i8, uint8_t                                                                                 \
           : nativert_load_u8) (v)

/* Compute type to storage type, by dtype id. */
#define NATIVERT_STORE_F32(v) ((float) (v))
#define NATIVERT_STORE_F64(v) ((double) (v))
#define NATIVERT_STORE_F16(v) nativert_store_f16 (v)
#define NATIVERT_STORE_BF16(v) nativert_store_bf16 (v)
#define NATIVERT_STORE_I64(v) ((int64_t) (v))
#define NATIVERT_STORE_I32(v) ((int32_t) (v))
#define NATIVERT_STORE_I16(v) ((int16_t) (v))
#define NATIVERT_STORE_I8(v) ((int8_t) (v))
#define NATIVERT_STORE_U8(v) ((uint8_t) (v))
#define NATIVERT_STORE_BOOL(v) ((uint8_t) ((v) != 0))

/* One number of any dtype, for cold places: written from the float (floating and complex types) or the integer. */
void nativert_store_number (void *at, uint8_t dtype, double f, int64_t i);
/* Read: real part as double, imaginary part, and the integer (for floating types truncated as the CPU does). */
void nativert_load_number (const void *at, uint8_t dtype, double *re, double *im, int64_t *i);
