/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scalar functions that compilers can turn into vectors (no branches, no tables, no libm) for float32, and the names,
 * generic over compute types, that rows use.  float: within 2 ulp; double: libm.  Coefficients are minimax fits of our own.
 * Where the instruction set has fused multiply-add the polynomials use it, so last bits may differ between sets. */
#pragma once
#include "convert.h"

#ifdef __FMA__
#define NATIVERT_MA(a, b, c) __builtin_fmaf (a, b, c)
#else
#define NATIVERT_MA(a, b, c) ((a) * (b) + (c))
#endif

static inline float
nativert_expf (float x)
{
  const float magic = 12582912.f;               /* 1.5 * 2^23: adding it rounds to an integer in the low bits */
  x = x > 89.f ? 89.f : x;
  x = x < -104.f ? -104.f : x;
  float t = NATIVERT_MA (x, 1.44269504f, magic), n = t - magic;
  int32_t k = (int32_t) (nativert_bits_of (t) - nativert_bits_of (magic)), half = k >> 1;
  float r = NATIVERT_MA (n, -0.693359375f, x);
  r = NATIVERT_MA (n, 2.12194440e-4f, r);
  float q = NATIVERT_MA (1.394215905e-3f, r, 8.363776145e-3f);
  q = NATIVERT_MA (q, r, 4.166636348e-2f);
  q = NATIVERT_MA (q, r, 1.666657336e-1f);
  q = NATIVERT_MA (q, r, 5.000000029e-1f);
  q = NATIVERT_MA (q, r * r, r) + 1.f;
  /* Two factors, so that subnormal and infinite results come out right. */
  float a = nativert_from_bits ((uint32_t) (half + 127) << 23), b = nativert_from_bits ((uint32_t) (k - half + 127) << 23);
  return q * a * b;
}

static inline float
nativert_logf (float x)
{
  bool tiny = x < 1.17549435e-38f;
  float y = tiny ? x * 0x1p23f : x;
  int32_t u = (int32_t) nativert_bits_of (y), k = (int32_t) ((uint32_t) u - 0x3f3504f3u) >> 23;       /* mantissa in sqrt(1/2) .. sqrt(2) */
  float r = nativert_from_bits ((uint32_t) u - ((uint32_t) k << 23)) - 1.f, s = r * r;
  float e = (float) k - (tiny ? 23.f : 0.f);
  float q = NATIVERT_MA (6.915337576e-2f, r, -1.178979271e-1f);
  q = NATIVERT_MA (q, r, 1.187298206e-1f);
  q = NATIVERT_MA (q, r, -1.238435141e-1f);
  q = NATIVERT_MA (q, r, 1.421865768e-1f);
  q = NATIVERT_MA (q, r, -1.666925063e-1f);
  q = NATIVERT_MA (q, r, 2.000222663e-1f);
  q = NATIVERT_MA (q, r, -2.499998660e-1f);
  q = NATIVERT_MA (q, r, 3.333331044e-1f);
  q = q * r * s;
  q = NATIVERT_MA (e, -2.12194440e-4f, q);
  q = NATIVERT_MA (-0.5f, s, q);
  q = NATIVERT_MA (e, 0.693359375f, r + q);
  q = x == INFINITY ? x : q;
  q = x == 0 ? -INFINITY : q;
  return x < 0 || x != x ? NAN : q;
}

static inline float
nativert_tanhf (float x)
{
  float a = fabsf (x), s = x * x;
  float q = NATIVERT_MA (2.147535231e-3f, s, -8.182671934e-3f);
  q = NATIVERT_MA (q, s, 2.170296625e-2f);
  q = NATIVERT_MA (q, s, -5.394720410e-2f);
  q = NATIVERT_MA (q, s, 1.333320976e-1f);
  q = NATIVERT_MA (q, s, -3.333333091e-1f);
  float small = NATIVERT_MA (q * s, x, x);
  float large = 1.f - 2.f / (nativert_expf (a + a) + 1.f);
  return a < 0.625f ? small : copysignf (large, x);
}

static inline float
nativert_erff (float x)
{
  float a = fabsf (x), s = x * x, t = a > 4.f ? 4.f : a;
  float q = NATIVERT_MA (-9.680134870e-6f, s, 1.127054396e-4f);
  q = NATIVERT_MA (q, s, -8.484711377e-4f);
  q = NATIVERT_MA (q, s, 5.221074873e-3f);
  q = NATIVERT_MA (q, s, -2.686544582e-2f);
  q = NATIVERT_MA (q, s, 1.128378275e-1f);
  q = NATIVERT_MA (q, s, -3.761263848e-1f);
  /* x + x * rest: how the rest rounds counts little */
  float small = NATIVERT_MA (NATIVERT_MA (q, s, 0.128379167f), x, x);
  q = NATIVERT_MA (-2.320739570e-6f, t, 3.696672044e-5f);
  q = NATIVERT_MA (q, t, -2.344451764e-4f);
  q = NATIVERT_MA (q, t, 5.720856221e-4f);
  q = NATIVERT_MA (q, t, 1.680307164e-3f);
  q = NATIVERT_MA (q, t, -2.110176226e-2f);
  q = NATIVERT_MA (q, t, 1.040531506e-1f);
  q = NATIVERT_MA (q, t, 6.361458098e-1f);
  q = NATIVERT_MA (q, t, 1.128455718f);
  float large = copysignf (1.f - nativert_expf (-t * q), x);
  return a < 1.f ? small : a == a ? large : a;
}

static inline float
nativert_sigmoidf (float x)
{
  return 1.f / (1.f + nativert_expf (-x));
}

static inline float
nativert_siluf (float x)
{
  return x / (1.f + nativert_expf (-x));
}

static inline float
nativert_geluf (float x)
{
  return x * 0.5f * (1.f + nativert_erff (x * 0.70710678118654752f));
}

static inline float
nativert_gelu_tanhf (float x)
{
  return 0.5f * x * (1.f + nativert_tanhf (0.79788456080286536f * (x + 0.044715f * x * x * x)));
}

static inline float
nativert_hardsigmoidf (float x)
{
  float t = x + 3.f;
  t = t < 0.f ? 0.f : t;
  return (t > 6.f ? 6.f : t) / 6.f;
}

static inline float
nativert_hardswishf (float x)
{
  float t = x + 3.f;
  t = t < 0.f ? 0.f : t;
  return x * (t > 6.f ? 6.f : t) / 6.f;
}

static inline double nativert_sigmoid (double x) { return 1 / (1 + exp (-x)); }
static inline double nativert_silu (double x) { return x / (1 + exp (-x)); }
static inline double nativert_gelu (double x) { return x * 0.5 * (1 + erf (x * 0.70710678118654752440)); }
static inline double
nativert_gelu_tanh (double x)
{
  return 0.5 * x * (1 + tanh (0.79788456080286535588 * (x + 0.044715 * x * x * x)));
}

static inline double
nativert_hardsigmoid (double x)
{
  double t = x + 3;
  t = t < 0 ? 0 : t;
  return (t > 6 ? 6 : t) / 6;
}

static inline double
nativert_hardswish (double x)
{
  double t = x + 3;
  t = t < 0 ? 0 : t;
  return x * (t > 6 ? 6 : t) / 6;
}

/* Division and its rests, as torch defines them; T is float or double. */
#define NATIVERT_FLOAT_DIVISION(T, s)                                \
  static inline T                                                    \
  nativert_remainder##s (T a, T b)                                   \
  {                                                                  \
    T m = fmod##s (a, b);                                            \
    return m != 0 && (b < 0) != (m < 0) ? m + b : m;                 \
  }                                                                  \
  static inline T                                                    \
  nativert_div_floor##s (T a, T b)                                   \
  {                                                                  \
    if (b == 0)                                                      \
      return a / b;                                                  \
    T m = fmod##s (a, b), d = (a - m) / b;                           \
    if (m != 0 && (b < 0) != (m < 0))                                \
      d -= 1;                                                        \
    if (d == 0)                                                      \
      return copysign##s (0, a / b);                                 \
    T f = floor##s (d);                                              \
    return d - f > (T) 0.5 ? f + 1 : f;                              \
  }                                                                  \
  static inline T nativert_div_trunc##s (T a, T b) { return trunc##s (a / b); }
NATIVERT_FLOAT_DIVISION (float, f)
NATIVERT_FLOAT_DIVISION (double, )

/* Integers: -1 apart, because INT64_MIN / -1 traps; 0 gives 0, after nativert_pointwise_fn said that it is an error. */
static inline int64_t
nativert_div_trunc_i (int64_t a, int64_t b)
{
  return b == 0 ? 0 : b == -1 ? (int64_t) (0 - (uint64_t) a) : a / b;
}

static inline int64_t
nativert_fmod_i (int64_t a, int64_t b)
{
  return b == 0 || b == -1 ? 0 : a % b;
}

static inline int64_t
nativert_remainder_i (int64_t a, int64_t b)
{
  int64_t m = nativert_fmod_i (a, b);
  return m != 0 && (b < 0) != (m < 0) ? m + b : m;
}

static inline int64_t
nativert_div_floor_i (int64_t a, int64_t b)
{
  int64_t m = nativert_fmod_i (a, b);
  return nativert_div_trunc_i (a, b) - (m != 0 && (b < 0) != (m < 0));
}

static inline int64_t
nativert_pow_i (int64_t x, int64_t n)
{
  uint64_t r = 1, b = (uint64_t) x;
  if (n < 0)
    return x == 1 ? 1 : x == -1 ? (n & 1 ? -1 : 1) : 0;
  for (; n; n >>= 1, b *= b)
    if (n & 1)
      r *= b;
  return (int64_t) r;
}

static inline int64_t
nativert_lshift_i (int64_t x, int64_t n, int bits)
{
  return n < 0 || n >= bits ? 0 : (int64_t) ((uint64_t) x << n);
}

static inline int64_t
nativert_rshift_i (int64_t x, int64_t n, int bits)
{
  return n < 0 || n >= bits ? (x < 0 ? -1 : 0) : x >> n;
}

static inline int64_t nativert_same_i (int64_t x) { return x; }
static inline int64_t nativert_abs_i (int64_t x) { return x < 0 ? -x : x; }
static inline int64_t nativert_fma_i (int64_t a, int64_t b, int64_t c) { return a * b + c; }
static inline int64_t nativert_no_i (int64_t x) { return 0; }
static inline int64_t nativert_yes_i (int64_t x) { return 1; }
static inline int64_t nativert_negative_i (int64_t x) { return x < 0; }
static inline int nativert_isinff (float x) { return __builtin_isinf (x) != 0; }
static inline int nativert_isinf (double x) { return __builtin_isinf (x) != 0; }
static inline int nativert_isfinitef (float x) { return __builtin_isfinite (x); }
static inline int nativert_isfinite (double x) { return __builtin_isfinite (x); }
static inline int nativert_signbitf (float x) { return __builtin_signbitf (x) != 0; }
static inline int nativert_signbit (double x) { return __builtin_signbit (x) != 0; }

#define NATIVERT_FD(f, d, x) _Generic ((x), float: f, default: d)
#define NATIVERT_FDI(f, d, i, x) _Generic ((x), float: f, double: d, default: i)
#define M_EXP(x) NATIVERT_FD (nativert_expf, exp, x) (x)
#define M_EXP2(x) NATIVERT_FD (exp2f, exp2, x) (x)
#define M_EXPM1(x) NATIVERT_FD (expm1f, expm1, x) (x)
#define M_LOG(x) NATIVERT_FD (nativert_logf, log, x) (x)
#define M_LOG2(x) NATIVERT_FD (log2f, log2, x) (x)
#define M_LOG10(x) NATIVERT_FD (log10f, log10, x) (x)
#define M_LOG1P(x) NATIVERT_FD (log1pf, log1p, x) (x)
#define M_SIN(x) NATIVERT_FD (sinf, sin, x) (x)
#define M_COS(x) NATIVERT_FD (cosf, cos, x) (x)
#define M_TAN(x) NATIVERT_FD (tanf, tan, x) (x)
#define M_ASIN(x) NATIVERT_FD (asinf, asin, x) (x)
#define M_ACOS(x) NATIVERT_FD (acosf, acos, x) (x)
#define M_ATAN(x) NATIVERT_FD (atanf, atan, x) (x)
#define M_SINH(x) NATIVERT_FD (sinhf, sinh, x) (x)
#define M_COSH(x) NATIVERT_FD (coshf, cosh, x) (x)
#define M_ASINH(x) NATIVERT_FD (asinhf, asinh, x) (x)
#define M_ACOSH(x) NATIVERT_FD (acoshf, acosh, x) (x)
#define M_ATANH(x) NATIVERT_FD (atanhf, atanh, x) (x)
#define M_TANH(x) NATIVERT_FD (nativert_tanhf, tanh, x) (x)
#define M_ERF(x) NATIVERT_FD (nativert_erff, erf, x) (x)
#define M_ERFC(x) NATIVERT_FD (erfcf, erfc, x) (x)
#define M_SQRT(x) NATIVERT_FD (sqrtf, sqrt, x) (x)
#define M_SIGMOID(x) NATIVERT_FD (nativert_sigmoidf, nativert_sigmoid, x) (x)
#define M_SILU(x) NATIVERT_FD (nativert_siluf, nativert_silu, x) (x)
#define M_GELU(x) NATIVERT_FD (nativert_geluf, nativert_gelu, x) (x)
#define M_GELU_TANH(x) NATIVERT_FD (nativert_gelu_tanhf, nativert_gelu_tanh, x) (x)
#define M_HARDSIGMOID(x) NATIVERT_FD (nativert_hardsigmoidf, nativert_hardsigmoid, x) (x)
#define M_HARDSWISH(x) NATIVERT_FD (nativert_hardswishf, nativert_hardswish, x) (x)
#define M_ABS(x) NATIVERT_FDI (fabsf, fabs, nativert_abs_i, x) (x)
#define M_CEIL(x) NATIVERT_FDI (ceilf, ceil, nativert_same_i, x) (x)
#define M_FLOOR(x) NATIVERT_FDI (floorf, floor, nativert_same_i, x) (x)
#define M_RINT(x) NATIVERT_FDI (rintf, rint, nativert_same_i, x) (x)
#define M_TRUNC(x) NATIVERT_FDI (truncf, trunc, nativert_same_i, x) (x)
#define M_ISINF(x) NATIVERT_FDI (nativert_isinff, nativert_isinf, nativert_no_i, x) (x)
#define M_ISFINITE(x) NATIVERT_FDI (nativert_isfinitef, nativert_isfinite, nativert_yes_i, x) (x)
#define M_SIGNBIT(x) NATIVERT_FDI (nativert_signbitf, nativert_signbit, nativert_negative_i, x) (x)
#define M_ATAN2(x, y) NATIVERT_FD (atan2f, atan2, x) (x, y)
#define M_HYPOT(x, y) NATIVERT_FD (hypotf, hypot, x) (x, y)
#define M_COPYSIGN(x, y) NATIVERT_FD (copysignf, copysign, x) (x, y)
#define M_POW(x, y) NATIVERT_FDI (powf, pow, nativert_pow_i, x) (x, y)
#define M_FMOD(x, y) NATIVERT_FDI (fmodf, fmod, nativert_fmod_i, x) (x, y)
#define M_REMAINDER(x, y) NATIVERT_FDI (nativert_remainderf, nativert_remainder, nativert_remainder_i, x) (x, y)
#define M_DIV_FLOOR(x, y) NATIVERT_FDI (nativert_div_floorf, nativert_div_floor, nativert_div_floor_i, x) (x, y)
#define M_DIV_TRUNC(x, y) NATIVERT_FDI (nativert_div_truncf, nativert_div_trunc, nativert_div_trunc_i, x) (x, y)
#define M_FMA(a, b, c) NATIVERT_FDI (fmaf, fma, nativert_fma_i, a) (a, b, c)
#define M_LSHIFT(x, n) nativert_lshift_i (x, n, 8 * (int) sizeof (x))
#define M_RSHIFT(x, n) nativert_rshift_i (x, n, 8 * (int) sizeof (x))
/* torch: min(max(x, low), high), NaN stays. */
#define M_CLAMP(x, low, high) ((x) < (low) ? ((low) > (high) ? (high) : (low)) : (x) > (high) ? (high) : (x))
