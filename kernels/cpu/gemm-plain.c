/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Matrix products in plain C: any strides, any dtype, floating types summed in double. */
#include "kernels/act.h"
#include "kernels/args.h"
#include "kernels/convert.h"
#include "kernels/gemm.h"
#include "kernels/ops.h"

/* Columns whose sums are kept at a time. */
enum { COLUMNS = 64 };

static bool
prepare (NativertPrep *p)
{
  NativertGemm *g = p->params;
  if (!nativert_gemm_describe (p, g))
    return false;
  p->params_size = sizeof *g;
  int64_t work = g->k * g->n + 1, rows = g->n_batch * g->m;
  g->tile[0] = (int32_t) nativert_min_i64 (nativert_max_i64 (1, (1 << 18) / work), nativert_max_i64 (rows, 1));
  p->n_parts = (uint32_t) nativert_min_i64 (nativert_max_i64 (1, nativert_ceil_div (rows, g->tile[0])), 64);
  p->cost = (uint64_t) rows * (uint64_t) work;
  return true;
}

#define SIDE(T, name) \
  const T *name = g->name.in < 0 ? NULL : (const T *) c->in[g->name.in].data + nativert_gemm_offset (g, &g->name, batch)

/* S storage, A the type sums are made in. */
#define GEMM(ID, S, A)                                                                                                 \
  static void row_##ID (const NativertCall *c, const NativertGemm *g, int64_t batch, int64_t m)                        \
  {                                                                                                                    \
    SIDE (S, a);                                                                                                       \
    SIDE (S, b);                                                                                                       \
    SIDE (S, add);                                                                                                     \
    SIDE (S, residual);                                                                                                \
    S *to = (S *) c->out[0].data + nativert_gemm_offset (g, &g->c, batch) + m * g->c.row;                              \
    for (int64_t n0 = 0; n0 < g->n; n0 += COLUMNS) {                                                                   \
      A sum[COLUMNS] = { 0 };                                                                                          \
      int64_t n1 = g->n - n0 < COLUMNS ? g->n - n0 : COLUMNS;                                                          \
      for (int64_t k = 0; k < g->k; k++) {                                                                             \
        A x = (A) NATIVERT_LOAD (a[m * g->a.row + k * g->a.col]);                                                      \
        const S *from = b + k * g->b.row + n0 * g->b.col;                                                              \
        for (int64_t n = 0; n < n1; n++)                                                                               \
          sum[n] += x * (A) NATIVERT_LOAD (from[n * g->b.col]);                                                        \
      }                                                                                                                \
      for (int64_t n = 0; n < n1; n++) {                                                                               \
        A y = g->alpha == 1 ? sum[n] : (A) g->alpha * sum[n];                                                          \
        if (add && g->beta != 0)                                                                                       \
          y += (A) g->beta * (A) NATIVERT_LOAD (add[m * g->add.row + (n0 + n) * g->add.col]);                          \
        if (residual)                                                                                                  \
          y += (A) NATIVERT_LOAD (residual[m * g->residual.row + (n0 + n) * g->residual.col]);                         \
        if (g->act)                                                                                                    \
          y = (A) nativert_act_plain (g->act, (double) y, g->act_a, g->act_b);                                         \
        to[(n0 + n) * g->c.col] = NATIVERT_STORE_##ID (y);                                                             \
      }                                                                                                                \
    }                                                                                                                  \
  }                                                                                                                    \
  static void gemm_##ID (const NativertCall *c, uint32_t part)                                                         \
  {                                                                                                                    \
    const NativertGemm *g = c->params;                                                                                 \
    int64_t rows = g->n_batch * g->m,                                                                                  \
            n_parts = nativert_min_i64 (nativert_max_i64 (1, nativert_ceil_div (rows, g->tile[0])), 64);               \
    for (int64_t r = rows * part / n_parts; r < rows * (part + 1) / n_parts; r++)                                      \
      row_##ID (c, g, r / g->m, r % g->m);                                                                             \
  }

GEMM (F32, float, double)
GEMM (F64, double, double)
GEMM (F16, nativert_f16, double)
GEMM (BF16, nativert_bf16, double)
GEMM (I64, int64_t, int64_t)
GEMM (I32, int32_t, int64_t)
GEMM (I16, int16_t, int64_t)
GEMM (I8, int8_t, int64_t)
GEMM (U8, uint8_t, int64_t)

#define ROW(id, storage, compute, name)                                                                                \
  { NATIVERT_OP_##name, NATIVERT_##id, NATIVERT_DEVICE_CPU, 0, "gemm-plain", prepare, gemm_##id },
static const NativertKernel rows[] = {
  NATIVERT_FLOAT (ROW, nativert_linear)
  NATIVERT_REAL (ROW, matmul_default)
  NATIVERT_REAL (ROW, mm_default)
  NATIVERT_REAL (ROW, bmm_default)
  NATIVERT_REAL (ROW, mv_default)
  NATIVERT_REAL (ROW, dot_default)
  NATIVERT_REAL (ROW, vdot_default)
  NATIVERT_REAL (ROW, addmm_default)
  NATIVERT_REAL (ROW, addmv_default)
  NATIVERT_REAL (ROW, baddbmm_default)
};
extern const NativertKernelSet nativert_set_gemm_plain;
const NativertKernelSet nativert_set_gemm_plain = { rows, sizeof rows / sizeof rows[0], "gemm-plain" };
