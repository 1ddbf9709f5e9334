/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A matrix product as all its kernels see it:
 *   c[batch][m][n] = act (alpha * sum_k a[batch][m][k] * b[batch][k][n] + beta * add + residual)
 * with any strides (in elements) on every operand; vectors are matrices with one row or column, broadcasting is stride
 * 0. */
#pragma once
#include "kernel.h"

enum { NATIVERT_GEMM_BATCH_DIMS = 4 };

typedef struct {
  int8_t in;                                    /* index in in[], -1 = there is none */
  int64_t batch[NATIVERT_GEMM_BATCH_DIMS], row, col;
} NativertGemmSide;

typedef struct {
  int64_t m, n, k, n_batch, size[NATIVERT_GEMM_BATCH_DIMS];     /* absent batch dimensions have size 1 */
  NativertGemmSide a, b, c, add, residual;
  double alpha, beta;
  float act_a, act_b;
  uint8_t act;
  /* written by the kernel's prepare */
  int32_t tile[6];
} NativertGemm;

/* For linear, mm, bmm, addmm, baddbmm, mv, dot, matmul...: reads the arguments, checks every size, takes the strides of
 * c from out[0]. */
bool nativert_gemm_describe (NativertPrep *p, NativertGemm *g);

/* Elements from the start of a side's matrix number `index`. */
static inline int64_t
nativert_gemm_offset (const NativertGemm *g, const NativertGemmSide *side, int64_t index)
{
  int64_t offset = 0;
  for (int d = NATIVERT_GEMM_BATCH_DIMS; d-- > 0;) {
    offset += index % g->size[d] * side->batch[d];
    index /= g->size[d];
  }
  return offset;
}
