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
/* Floats that packed rows are fetched ahead of their use. */
#define NATIVERT_AHEAD 256

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

/* wide: vectors in a row, 2 or (for the last columns) 1. */
NATIVERT_INLINE void
tile_finish (const int rows, const int wide, V (*acc)[2], const TileOut *o)
{
  bool whole = o->n == wide * VL;
  int n[2] = { o->n < VL ? o->n : VL, o->n < VL ? 0 : o->n - VL };
#define NATIVERT_EACH NATIVERT_UNROLL for (int i = 0; i < rows; i++) NATIVERT_UNROLL for (int j = 0; j < wide; j++)
  if (o->alpha != 1) {
    NATIVERT_EACH
      acc[i][j] = acc[i][j] * v_set (o->alpha);
  }
  if (o->add_to_c) {
    NATIVERT_EACH
      acc[i][j] = acc[i][j] + (whole ? v_load (o->c + i * o->ldc + j * VL) : v_load_part (o->c + i * o->ldc + j * VL, n[j]));
  }
  if (o->last && o->row_bias) {
    NATIVERT_EACH
      acc[i][j] = acc[i][j] + v_set (o->row_bias[i]);
  }
  if (o->last && o->col_bias) {
    V bias[2] = { v_load_part (o->col_bias, n[0]), wide > 1 ? v_load_part (o->col_bias + VL, n[1]) : v_zero () };
    NATIVERT_EACH
      acc[i][j] = acc[i][j] + bias[j];
  }
  if (o->last && o->residual) {
    NATIVERT_EACH {
      const float *r = o->residual + i * o->res_row + j * VL;
      acc[i][j] = acc[i][j] + (whole ? v_load (r) : v_load_part (r, n[j]));
    }
  }
  if (o->last && (o->act == NATIVERT_ACT_RELU || o->act == NATIVERT_ACT_CLAMP)) {
    V low = v_set (o->act == NATIVERT_ACT_RELU ? 0 : o->act_a), high = v_set (o->act == NATIVERT_ACT_RELU ? INFINITY : o->act_b);
    NATIVERT_EACH
      acc[i][j] = v_min (high, v_max (low, acc[i][j]));
  }
  if (whole) {
    NATIVERT_EACH
      v_store (o->c + i * o->ldc + j * VL, acc[i][j]);
  } else {
    NATIVERT_EACH
      if (n[j])
        v_store_part (o->c + i * o->ldc + j * VL, acc[i][j], n[j]);
  }
  if (o->last && o->act > NATIVERT_ACT_CLAMP)
    for (int i = 0; i < rows; i++)
      act_run (o->act, o->act_a, o->act_b, o->c + i * o->ldc, o->n);
#undef NATIVERT_EACH
}

/* Row i of the tile is a[i * a_row] for i < turn; the rest come from the next panel, `next` further. */
NATIVERT_INLINE void
tile_sum (const int rows, const int wide, const int turn, const float *a, int64_t next, int64_t a_row, int64_t a_k, const float *b,
  int64_t ldb, int64_t k, const TileOut *o)
{
  V acc[2 * MR][2];                             /* as many as the tallest tile needs */
  NATIVERT_UNROLL for (int i = 0; i < rows; i++)
    NATIVERT_UNROLL for (int j = 0; j < wide; j++)
      acc[i][j] = v_zero ();
  for (; k > 0; k--) {
    V b0 = v_load (b), b1 = wide > 1 ? v_load (b + VL) : b0;
    __builtin_prefetch (a + NATIVERT_AHEAD);
    NATIVERT_UNROLL for (int i = 0; i < rows; i++) {
      V x = v_set (i < turn ? a[i * a_row] : a[next + (i - turn) * a_row]);
      acc[i][0] = v_fma (x, b0, acc[i][0]);
      if (wide > 1)
        acc[i][1] = v_fma (x, b1, acc[i][1]);
    }
    a += a_k;
    b += ldb;
  }
  tile_finish (rows, wide, acc, o);
}

/* packed: a is [k][rows] and b [k][NR]; strided: numbers of a are a_row and a_k apart; tall: two packed panels of the same
 * height, one after the other, times at most VL columns. */
#define NATIVERT_TILE(rows)                                                                                              \
  static __attribute__ ((noinline, unused)) void                                                                        \
  tile_packed_##rows (const float *a, int64_t a_row, int64_t a_k, const float *b, int64_t ldb, int64_t k, const TileOut *o) \
  {                                                                                                                     \
    (void) a_row;                                                                                                       \
    (void) a_k;                                                                                                         \
    tile_sum (rows, 2, rows, a, 0, 1, rows, b, ldb, k, o);                                                              \
  }                                                                                                                     \
  static __attribute__ ((noinline, unused)) void                                                                        \
  tile_strided_##rows (const float *a, int64_t a_row, int64_t a_k, const float *b, int64_t ldb, int64_t k, const TileOut *o) \
  {                                                                                                                     \
    tile_sum (rows, 2, rows, a, 0, a_row, a_k, b, ldb, k, o);                                                           \
  }                                                                                                                     \
  static __attribute__ ((noinline, unused)) void                                                                        \
  tile_tall_##rows (const float *a, int64_t a_row, int64_t a_k, const float *b, int64_t ldb, int64_t k, const TileOut *o) \
  {                                                                                                                     \
    (void) a_row;                                                                                                       \
    (void) a_k;                                                                                                         \
    tile_sum (2 * rows, 1, rows, a, rows * k, 1, rows, b, ldb, k, o);                                                   \
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
#define NATIVERT_TALL(rows) [rows] = tile_tall_##rows,
static const TileFn tile_packed[MR + 1] __attribute__ ((unused)) = { NATIVERT_TILES (NATIVERT_PACKED) };
static const TileFn tile_strided[MR + 1] __attribute__ ((unused)) = { NATIVERT_TILES (NATIVERT_STRIDED) };
static const TileFn tile_tall[MR + 1] __attribute__ ((unused)) = { NATIVERT_TILES (NATIVERT_TALL) };

/* Panels of m rows: how many, the first row of one. */
NATIVERT_INLINE int64_t panel_count (int64_t m) { return (m + MR - 1) / MR; }
NATIVERT_INLINE int64_t
panel_row (int64_t m, int64_t n_panels, int64_t i)
{
  int64_t low = m / n_panels, rest = m % n_panels;
  return i * low + (i < rest ? i : rest);
}

/* One panel of NR columns b times the packed row panels p0..p1 of m rows: a is panel p0's, panels follow each other.  o is for
 * row 0, columns of the panel; the addends that are there move with the rows. */
static __attribute__ ((unused)) void
tile_column (const float *a, int64_t m, int64_t p0, int64_t p1, const float *b, int64_t ldb, int64_t k, const TileOut *o)
{
  int64_t n_panels = panel_count (m);
  for (int64_t p = p0; p < p1;) {
    int64_t row = panel_row (m, n_panels, p), h = panel_row (m, n_panels, p + 1) - row;
    bool tall = o->n <= VL && p + 1 < p1 && panel_row (m, n_panels, p + 2) - row == 2 * h;
    TileOut to = *o;
    to.c += row * o->ldc;
    to.row_bias = o->row_bias ? o->row_bias + row : NULL;
    to.residual = o->residual ? o->residual + row * o->res_row : NULL;
    (tall ? tile_tall : tile_packed)[h] (a, 1, h, b, ldb, k, &to);
    a += (tall ? 2 : 1) * h * k;
    p += tall ? 2 : 1;
  }
}
