/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A float vector as wide as the instruction set that the including file is compiled for: VL lanes, 16 for v4, 8 for v3,
 * else 4 by the compiler's own vectors.  Only what the hand-written kernels need; everything static. */
#pragma once
#include <math.h>
#include <stdint.h>
#include <string.h>

#define NATIVERT_INLINE static inline __attribute__ ((always_inline, unused))
#define NATIVERT_UNROLL _Pragma ("GCC unroll 32")

#if defined(NATIVERT_ISA_V4)
#include <immintrin.h>
enum { VL = 16 };
typedef __m512 V;
NATIVERT_INLINE V v_load (const float *p) { return _mm512_loadu_ps (p); }
NATIVERT_INLINE void v_store (float *p, V v) { _mm512_storeu_ps (p, v); }
NATIVERT_INLINE V v_set (float x) { return _mm512_set1_ps (x); }
NATIVERT_INLINE V v_fma (V a, V b, V c) { return _mm512_fmadd_ps (a, b, c); }
/* When either is NaN the second comes back. */
NATIVERT_INLINE V v_max (V a, V b) { return _mm512_max_ps (a, b); }
NATIVERT_INLINE V v_min (V a, V b) { return _mm512_min_ps (a, b); }
/* a0 b0 a1 b1 ...: the first and the second vector of it. */
NATIVERT_INLINE V
v_zip_low (V a, V b)
{
  return _mm512_permutex2var_ps (a, _mm512_setr_epi32 (0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23), b);
}
NATIVERT_INLINE V
v_zip_high (V a, V b)
{
  return _mm512_permutex2var_ps (
      a, _mm512_setr_epi32 (8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31), b);
}
NATIVERT_INLINE __mmask16 v_mask (int n) { return (__mmask16) ((1u << n) - 1); }
NATIVERT_INLINE V v_load_part (const float *p, int n) { return _mm512_maskz_loadu_ps (v_mask (n), p); }
NATIVERT_INLINE void v_store_part (float *p, V v, int n) { _mm512_mask_storeu_ps (p, v_mask (n), v); }
/* The larger; NaN if either is. */
NATIVERT_INLINE V
v_max_nan (V a, V b)
{
  return _mm512_mask_mov_ps (_mm512_max_ps (a, b), _mm512_cmp_ps_mask (a, a, _CMP_UNORD_Q), a);
}
NATIVERT_INLINE float v_sum (V a) { return _mm512_reduce_add_ps (a); }
/* The elements of a then b with even and with odd numbers. */
NATIVERT_INLINE V
v_even (V a, V b)
{
  return _mm512_permutex2var_ps (a, _mm512_setr_epi32 (0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30), b);
}
NATIVERT_INLINE V
v_odd (V a, V b)
{
  return _mm512_permutex2var_ps (a, _mm512_setr_epi32 (1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31), b);
}
NATIVERT_INLINE float v_highest (V a) { return _mm512_reduce_max_ps (a); }

#elif defined(NATIVERT_ISA_V3)
#include <immintrin.h>
enum { VL = 8 };
typedef __m256 V;
NATIVERT_INLINE V v_load (const float *p) { return _mm256_loadu_ps (p); }
NATIVERT_INLINE void v_store (float *p, V v) { _mm256_storeu_ps (p, v); }
NATIVERT_INLINE V v_set (float x) { return _mm256_set1_ps (x); }
NATIVERT_INLINE V v_fma (V a, V b, V c) { return _mm256_fmadd_ps (a, b, c); }
NATIVERT_INLINE V v_max (V a, V b) { return _mm256_max_ps (a, b); }
NATIVERT_INLINE V v_min (V a, V b) { return _mm256_min_ps (a, b); }
NATIVERT_INLINE __m256i
v_mask (int n)
{
  return _mm256_cmpgt_epi32 (_mm256_set1_epi32 (n), _mm256_setr_epi32 (0, 1, 2, 3, 4, 5, 6, 7));
}
NATIVERT_INLINE V v_load_part (const float *p, int n) { return _mm256_maskload_ps (p, v_mask (n)); }
NATIVERT_INLINE void v_store_part (float *p, V v, int n) { _mm256_maskstore_ps (p, v_mask (n), v); }
NATIVERT_INLINE V
v_lanes_in_order (V v)                          /* 64-bit lanes 0 2 1 3 */
{
  return _mm256_castpd_ps (_mm256_permute4x64_pd (_mm256_castps_pd (v), 0xd8));
}
NATIVERT_INLINE V
v_zip_low (V a, V b)
{
  return _mm256_permute2f128_ps (_mm256_unpacklo_ps (a, b), _mm256_unpackhi_ps (a, b), 0x20);
}
NATIVERT_INLINE V
v_zip_high (V a, V b)
{
  return _mm256_permute2f128_ps (_mm256_unpacklo_ps (a, b), _mm256_unpackhi_ps (a, b), 0x31);
}
NATIVERT_INLINE V v_even (V a, V b) { return v_lanes_in_order (_mm256_shuffle_ps (a, b, 0x88)); }
NATIVERT_INLINE V v_odd (V a, V b) { return v_lanes_in_order (_mm256_shuffle_ps (a, b, 0xdd)); }
NATIVERT_INLINE V
v_max_nan (V a, V b)
{
  return _mm256_blendv_ps (_mm256_max_ps (a, b), a, _mm256_cmp_ps (a, a, _CMP_UNORD_Q));
}
NATIVERT_INLINE float
v_sum (V a)
{
  __m128 s = _mm_add_ps (_mm256_castps256_ps128 (a), _mm256_extractf128_ps (a, 1));
  s = _mm_add_ps (s, _mm_movehl_ps (s, s));
  return _mm_cvtss_f32 (_mm_add_ss (s, _mm_movehdup_ps (s)));
}
NATIVERT_INLINE float
v_highest (V a)
{
  __m128 s = _mm_max_ps (_mm256_castps256_ps128 (a), _mm256_extractf128_ps (a, 1));
  s = _mm_max_ps (s, _mm_movehl_ps (s, s));
  return _mm_cvtss_f32 (_mm_max_ss (s, _mm_movehdup_ps (s)));
}

#else
enum { VL = 4 };
typedef float V __attribute__ ((vector_size (16)));
NATIVERT_INLINE V v_load (const float *p) { V v; memcpy (&v, p, sizeof v); return v; }
NATIVERT_INLINE void v_store (float *p, V v) { memcpy (p, &v, sizeof v); }
NATIVERT_INLINE V v_set (float x) { return (V) { x, x, x, x }; }
NATIVERT_INLINE V v_fma (V a, V b, V c) { return a * b + c; }
#define NATIVERT_LANES(expr) V r; for (int i = 0; i < VL; i++) r[i] = (expr); return r
NATIVERT_INLINE V v_max_nan (V a, V b) { NATIVERT_LANES (a[i] >= b[i] || a[i] != a[i] ? a[i] : b[i]); }
NATIVERT_INLINE V v_max (V a, V b) { NATIVERT_LANES (a[i] > b[i] ? a[i] : b[i]); }
NATIVERT_INLINE V v_min (V a, V b) { NATIVERT_LANES (a[i] < b[i] ? a[i] : b[i]); }
NATIVERT_INLINE V v_load_part (const float *p, int n) { NATIVERT_LANES (i < n ? p[i] : 0); }
NATIVERT_INLINE void
v_store_part (float *p, V v, int n)
{
  for (int i = 0; i < n; i++)
    p[i] = v[i];
}
NATIVERT_INLINE V v_zip_low (V a, V b) { return (V) { a[0], b[0], a[1], b[1] }; }
NATIVERT_INLINE V v_zip_high (V a, V b) { return (V) { a[2], b[2], a[3], b[3] }; }
NATIVERT_INLINE V v_even (V a, V b) { return (V) { a[0], a[2], b[0], b[2] }; }
NATIVERT_INLINE V v_odd (V a, V b) { return (V) { a[1], a[3], b[1], b[3] }; }
NATIVERT_INLINE float v_sum (V a) { return a[0] + a[1] + a[2] + a[3]; }
NATIVERT_INLINE float
v_highest (V a)
{
  float x = a[0] > a[1] ? a[0] : a[1], y = a[2] > a[3] ? a[2] : a[3];
  return x > y ? x : y;
}
#undef NATIVERT_LANES
#endif

NATIVERT_INLINE V v_zero (void) { return v_set (0); }
