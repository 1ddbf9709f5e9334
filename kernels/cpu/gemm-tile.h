/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The one inner loop of products and convolutions: a tile of up to MR rows and NR columns of c is kept in registers while
 * k runs.  For files compiled once per instruction set.
 *
 * Rows of c come from single numbers of a (broadcast), columns from vectors of b.  Rows are cut in panels of nearly equal height
 * so that no tile is too low to hide the latency of the multiply-add. */
#pragma once
#include "kernels/cpu/act-simd.h"

#if defined(NATIVERT_ISA_V4)
enum { MR = 14, NR = 2 * VL };
#elif defined(NATIVERT_ISA_V3)
enum { MR = 6, NR = 2 * VL };
#else
enum { MR = 4, NR = 2 * VL };
#endif

/* Where a tile goes.  Addends and the activation count only on the last piece of k. */
typedef struct {
  float *c;
  int64_t ldc;                                  /* row stride; columns are neighbours */
  int n;                                        /* columns that exist: 1..NR */
  bool add_to_c, last;                          /* continue a sum; no more pieces of k follow */
  const float *row_bias, *col_bias;             /* one number a row; one a column */
  float alpha;
  const float *residual;
  int64_t res_row;
  uint8_t act;
  float act_a, act_b;
} TileOut;

typedef void (*TileFn) (const float *a, int64_t a_row, int64_t a_k, const float *b, int64_t ldb, int64_t k, const TileOut *o);

NATIVERT_INLINE void
tile_finish (const int rows, V (*acc)[2], const TileOut *o)
{
  bool whole = o->n == NR;
  int n0 = o->n < VL ? o->n : VL, n1 = o->n - n0;
  if (o->alpha != 1) {
    NATIVERT_UNROLL for (int i = 0; i < rows; i++) {
      acc[i][0] = acc[i][0] * v_set (o->alpha);
      acc[i][1] = acc[i][1] * v_set (o->alpha);
    }
  }
  if (o->add_to_c) {
    NATIVERT_UNROLL for (int i = 0; i < rows; i++) {
      const float *c = o->c + i * o->ldc;
      acc[i][0] = acc[i][0] + (whole ? v_load (c) : v_load_part (c, n0));
      acc[i][1] = acc[i][1] + (whole ? v_load (c + VL) : v_load_part (c + n0, n1));
    }
  }
  if (o->last && o->row_bias) {
    NATIVERT_UNROLL for (int i = 0; i < rows; i++) {
      V bias = v_set (o->row_bias[i]);
      acc[i][0] = acc[i][0] + bias;
      acc[i][1] = acc[i][1] + bias;
    }
  }
  if (o->last && o->col_bias) {
    V b0 = whole ? v_load (o->col_bias) : v_load_part (o->col_bias, n0);
    V b1 = whole ? v_load (o->col_bias + VL) : v_load_part (o->col_bias + n0, n1);
    NATIVERT_UNROLL for (int i = 0; i < rows; i++) {
      acc[i][0] = acc[i][0] + b0;
      acc[i][1] = acc[i][1] + b1;
    }
  }
  if (o->last && o->residual) {
    NATIVERT_UNROLL for (int i = 0; i < rows; i++) {
      const float *r = o->residual + i * o->res_row;
      acc[i][0] = acc[i][0] + (whole ? v_load (r) : v_load_part (r, n0));
      acc[i][1] = acc[i][1] + (whole ? v_load (r + VL) : v_load_part (r + n0, n1));
    }
  }
  if (o->last && (o->act == NATIVERT_ACT_RELU || o->act == NATIVERT_ACT_CLAMP)) {
    V low = v_set (o->act == NATIVERT_ACT_RELU ? 0 : o->act_a), high = v_set (o->act == NATIVERT_ACT_RELU ? INFINITY : o->act_b);
    NATIVERT_UNROLL for (int i = 0; i < rows; i++) {
      acc[i][0] = v_min (high, v_max (low, acc[i][0]));
      acc[i][1] = v_min (high, v_max (low, acc[i][1]));
    }
  }
  NATIVERT_UNROLL for (int i = 0; i < rows; i++) {
    float *c = o->c + i * o->ldc;
    if (whole) {
      v_store (c, acc[i][0]);
      v_store (c + VL, acc[i][1]);
    } else {
      v_store_part (c, acc[i][0], n0);
      if (n1)
        v_store_part (c + n0, acc[i][1], n1);
    }
  }
  if (o->last && o->act > NATIVERT_ACT_CLAMP)
    for (int i = 0; i < rows; i++)
      act_run (o->act, o->act_a, o->act_b, o->c + i * o->ldc, o->n);
}

NATIVERT_INLINE void
tile_sum (const int rows, const float *a, int64_t a_row, int64_t a_k, const float *b, int64_t ldb, int64_t k, const TileOut *o)
{
  V acc[MR][2];
  NATIVERT_UNROLL for (int i = 0; i < rows; i++)
    acc[i][0] = acc[i][1] = v_zero ();
  for (; k > 0; k--) {
    V b0 = v_load (b), b1 = v_load (b + VL);
    NATIVERT_UNROLL for (int i = 0; i < rows; i++) {
      V x = v_set (a[i * a_row]);
      acc[i][0] = v_fma (x, b0, acc[i][0]);
      acc[i][1] = v_fma (x, b1, acc[i][1]);
    }
    a += a_k;
    b += ldb;
  }
  tile_finish (rows, acc, o);
}

/* packed: a is [k][rows] and b [k][NR]; rowwise: a's rows are a_row apart, each contiguous; columnwise: its columns are. */
#define NATIVERT_TILE(rows)                                                                                              \
  static __attribute__ ((noinline, unused)) void                                                                        \
  tile_packed_##rows (const float *a, int64_t a_row, int64_t a_k, const float *b, int64_t ldb, int64_t k, const TileOut *o) \
  {                                                                                                                     \
    (void) a_row;                                                                                                       \
    (void) a_k;                                                                                                         \
    tile_sum (rows, a, 1, rows, b, ldb, k, o);                                                                          \
  }                                                                                                                     \
  static __attribute__ ((noinline, unused)) void                                                                        \
  tile_strided_##rows (const float *a, int64_t a_row, int64_t a_k, const float *b, int64_t ldb, int64_t k, const TileOut *o) \
  {                                                                                                                     \
    tile_sum (rows, a, a_row, a_k, b, ldb, k, o);                                                                       \
  }
#if defined(NATIVERT_ISA_V4)
#define NATIVERT_TILES(M) M (1) M (2) M (3) M (4) M (5) M (6) M (7) M (8) M (9) M (10) M (11) M (12) M (13) M (14)
#elif defined(NATIVERT_ISA_V3)
#define NATIVERT_TILES(M) M (1) M (2) M (3) M (4) M (5) M (6)
#else
#define NATIVERT_TILES(M) M (1) M (2) M (3) M (4)
#endif
NATIVERT_TILES (NATIVERT_TILE)
#define NATIVERT_PACKED(rows) [rows] = tile_packed_##rows,
#define NATIVERT_STRIDED(rows) [rows] = tile_strided_##rows,
static const TileFn tile_packed[MR + 1] __attribute__ ((unused)) = { NATIVERT_TILES (NATIVERT_PACKED) };
static const TileFn tile_strided[MR + 1] __attribute__ ((unused)) = { NATIVERT_TILES (NATIVERT_STRIDED) };

/* Panels of m rows: how many, the first row of one. */
NATIVERT_INLINE int64_t panel_count (int64_t m) { return (m + MR - 1) / MR; }
NATIVERT_INLINE int64_t
panel_row (int64_t m, int64_t n_panels, int64_t i)
{
  int64_t low = m / n_panels, rest = m % n_panels;
  return i * low + (i < rest ? i : rest);
}
