/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Products with 1 to 4 rows (or columns), f32, both factors contiguous along k: every result is a dot product, the
 * large factor is read once, in order, where it lies.  Compiled once per instruction set. */
#include "kernels/args.h"
#include "kernels/cpu/act-simd.h"
#include "kernels/gemm.h"
#include "kernels/isa.h"
#include "kernels/ops.h"

enum { T_SWAPPED, T_PARTS, FEW = 4, CHUNK = 64 };

/* The product with the few rows called x and the many called y; swapped when the few are columns of b. */
typedef struct {
  int64_t few, many, x_row, y_row, c_few, c_many, add_few, add_many, res_few, res_many;
} Sides;

static Sides
sides_of (const NativertGemm *g)
{
  if (g->tile[T_SWAPPED])
    return (Sides){ g->n, g->m, g->b.col, g->a.row, g->c.col, g->c.row, g->add.col, g->add.row, g->residual.col,
      g->residual.row };
  return (Sides){ g->m, g->n, g->a.row, g->b.col, g->c.row, g->c.col, g->add.row, g->add.col, g->residual.row,
    g->residual.col };
}

static bool
prepare (NativertPrep *p)
{
  NativertGemm *g = p->params;
  if (!nativert_gemm_describe (p, g))
    return false;
  if (g->m < 1 || g->n < 1 || g->k < 1 || g->n_batch < 1)
    return nativert_no (p, "nothing to multiply");
  if (g->m > FEW && g->n > FEW)
    return nativert_no (p, "%lld rows and %lld columns, at most %d of one", (long long) g->m, (long long) g->n, FEW);
  if (g->k > 1 && (g->a.col != 1 || g->b.row != 1))
    return nativert_no (p, "factors with strides %lld, %lld along the sum", (long long) g->a.col, (long long) g->b.row);
  if (g->beta == 0)
    g->add.in = -1;
  g->tile[T_SWAPPED] = g->m > FEW;
  double macs = (double) g->n_batch * (double) g->m * (double) g->n * (double) g->k;
  int64_t many = g->n_batch * sides_of (g).many, parts = macs > 64e5 ? 64 : 1 + (int64_t) (macs / 1e5);
  g->tile[T_PARTS] = (int32_t) nativert_min_i64 (many, parts);
  p->params_size = sizeof *g;
  p->n_parts = (uint32_t) g->tile[T_PARTS];
  p->cost = (uint64_t) (macs / 2);
  return true;
}

/* to[i * CHUNK + j] = x row i . y row j, for j < y_n. */
NATIVERT_INLINE void
dots (const int x_n, const int y_n, const float *x, int64_t x_row, const float *y, int64_t y_row, int64_t k, float *to)
{
  V acc[FEW][8];
  NATIVERT_UNROLL for (int i = 0; i < x_n; i++)
    NATIVERT_UNROLL for (int j = 0; j < y_n; j++)
      acc[i][j] = v_zero ();
  int64_t at = 0;
  for (; at + VL <= k; at += VL) {
    NATIVERT_UNROLL for (int j = 0; j < y_n; j++) {
      V w = v_load (y + j * y_row + at);
      NATIVERT_UNROLL for (int i = 0; i < x_n; i++)
        acc[i][j] = v_fma (v_load (x + i * x_row + at), w, acc[i][j]);
    }
  }
  if (at < k) {
    int rest = (int) (k - at);
    NATIVERT_UNROLL for (int j = 0; j < y_n; j++) {
      V w = v_load_part (y + j * y_row + at, rest);
      NATIVERT_UNROLL for (int i = 0; i < x_n; i++)
        acc[i][j] = v_fma (v_load_part (x + i * x_row + at, rest), w, acc[i][j]);
    }
  }
  NATIVERT_UNROLL for (int i = 0; i < x_n; i++)
    NATIVERT_UNROLL for (int j = 0; j < y_n; j++)
      to[i * CHUNK + j] = v_sum (acc[i][j]);
}

/* A chunk of y_n rows; GROUP rows at a time keep enough sums in flight. */
#define CHUNK_OF(few, group)                                                                                           \
  static __attribute__ ((noinline)) void chunk_##few (                                                                 \
      const float *x, int64_t x_row, const float *y, int64_t y_row, int64_t k, int y_n, float *to)                     \
  {                                                                                                                    \
    int j = 0;                                                                                                         \
    for (; j + group <= y_n; j += group)                                                                               \
      dots (few, group, x, x_row, y + j * y_row, y_row, k, to + j);                                                    \
    for (; j < y_n; j++)                                                                                               \
      dots (few, 1, x, x_row, y + j * y_row, y_row, k, to + j);                                                        \
  }
CHUNK_OF (1, 8)
CHUNK_OF (2, 4)
CHUNK_OF (3, 3)
CHUNK_OF (4, 2)

static void
run (const NativertCall *call, uint32_t part)
{
  static void (*const chunk[]) (const float *, int64_t, const float *, int64_t, int64_t, int, float *)
      = { NULL, chunk_1, chunk_2, chunk_3, chunk_4 };
  const NativertGemm *g = call->params;
  Sides s = sides_of (g);
  int64_t all = g->n_batch * s.many, n_parts = g->tile[T_PARTS], end = all * (part + 1) / n_parts;
  float sums[FEW * CHUNK];
  for (int64_t i = all * part / n_parts; i < end;) {
    int64_t batch = i / s.many, y0 = i % s.many;
    int n = (int) nativert_min_i64 (CHUNK, nativert_min_i64 (end - i, s.many - y0));
    const float *a = (const float *) call->in[g->a.in].data + nativert_gemm_offset (g, &g->a, batch);
    const float *b = (const float *) call->in[g->b.in].data + nativert_gemm_offset (g, &g->b, batch);
    const float *x = g->tile[T_SWAPPED] ? b : a, *y = (g->tile[T_SWAPPED] ? a : b) + y0 * s.y_row;
    chunk[s.few] (x, s.x_row, y, s.y_row, g->k, n, sums);
    float *to = (float *) call->out[0].data + nativert_gemm_offset (g, &g->c, batch) + y0 * s.c_many;
    for (int64_t f = 0; f < s.few; f++) {
      float *row = sums + f * CHUNK, alpha = (float) g->alpha, beta = (float) g->beta;
      if (alpha != 1)
        for (int j = 0; j < n; j++)
          row[j] *= alpha;
      if (g->add.in >= 0) {
        const float *add
            = (const float *) call->in[g->add.in].data + nativert_gemm_offset (g, &g->add, batch) + f * s.add_few;
        for (int j = 0; j < n; j++)
          row[j] += beta * add[(y0 + j) * s.add_many];
      }
      if (g->residual.in >= 0) {
        const float *res = (const float *) call->in[g->residual.in].data + nativert_gemm_offset (g, &g->residual, batch)
            + f * s.res_few;
        for (int j = 0; j < n; j++)
          row[j] += res[(y0 + j) * s.res_many];
      }
      act_run (g->act, g->act_a, g->act_b, row, n);
      for (int j = 0; j < n; j++)
        to[f * s.c_few + j * s.c_many] = row[j];
    }
    i += n;
  }
}

#define ROW(name)                                                                                                      \
  { NATIVERT_OP_##name, NATIVERT_F32, NATIVERT_DEVICE_CPU, NATIVERT_NEEDS, NATIVERT_ROW_NAME ("gemm-dot"), prepare,    \
    run },
static const NativertKernel rows[]
    = { ROW (nativert_linear) ROW (matmul_default) ROW (mm_default) ROW (bmm_default) ROW (addmm_default)
            ROW (baddbmm_default) ROW (mv_default) ROW (addmv_default) ROW (dot_default) ROW (vdot_default) };
extern const NativertKernelSet NATIVERT_SET (gemm_dot);
const NativertKernelSet NATIVERT_SET (gemm_dot) = { rows, sizeof rows / sizeof rows[0], NATIVERT_STR (NATIVERT_ISA) };
