/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Matrix products, f32: blocks of columns of b in panels of NR (packed once when b is a weight, else by each part in
 * its scratch), rows of a read where they are.  Compiled once per instruction set. */
#include "kernels/cpu/gemm-pack.h"
#include "kernels/gemm.h"
#include "kernels/isa.h"
#include "kernels/ops.h"

enum { T_ROWS, T_COLUMNS, T_K, T_PARTS, T_PACKED };     /* NativertGemm.tile: rows, columns, k of a block */
enum { B_FLOATS = 48 * 1024, A_FLOATS = 40 * 1024, K_MOST = 320, COLUMNS_MOST = 1024 };

static int64_t row_blocks (const NativertGemm *g) { return nativert_ceil_div (g->m, g->tile[T_ROWS]); }
static int64_t column_blocks (const NativertGemm *g) { return nativert_ceil_div (g->n, g->tile[T_COLUMNS]); }
static int64_t tiles_of (const NativertGemm *g) { return g->n_batch * row_blocks (g) * column_blocks (g); }

static void
pack (void *dst, const NativertView *src, const void *params)
{
  const NativertGemm *g = params;
  for (int64_t k0 = 0; k0 < g->k; k0 += g->tile[T_K]) {         /* [k block][panel][k][NR] */
    int64_t k = nativert_min_i64 (g->tile[T_K], g->k - k0);
    pack_columns ((float *) dst + k0 * nativert_ceil_div (g->n, NR) * NR, (const float *) src->data + k0 * g->b.row,
        g->b.row, g->b.col, k, g->n);
  }
}

static bool
shared_by_batch (const NativertGemmSide *side)
{
  for (int d = 0; d < NATIVERT_GEMM_BATCH_DIMS; d++)
    if (side->batch[d])
      return false;
  return true;
}

static void
choose_blocks (NativertGemm *g)
{
  int64_t k = nativert_ceil_div (g->k, nativert_ceil_div (g->k, K_MOST));
  int64_t panels = nativert_ceil_div (g->n, NR),
          most = nativert_max_i64 (1, nativert_min_i64 (B_FLOATS / k, COLUMNS_MOST) / NR);
  int64_t columns = nativert_ceil_div (panels, nativert_ceil_div (panels, most)) * NR;
  int64_t rows = g->m, least = g->tile[T_PACKED] ? 8 * MR : 64 * MR;
  /* Row blocks are parts: as many as give every part some work, but not so low that b is read (or packed) too often. */
  while (g->n_batch * nativert_ceil_div (panels * NR, columns) * nativert_ceil_div (g->m, rows) < 16
      && rows >= 2 * least && (double) rows * (double) columns * (double) g->k > 8e6)
    rows = nativert_ceil_div (nativert_ceil_div (rows, 2), MR) * MR;
  g->tile[T_ROWS] = (int32_t) rows;
  g->tile[T_COLUMNS] = (int32_t) columns;
  g->tile[T_K] = (int32_t) k;
  g->tile[T_PARTS] = (int32_t) nativert_min_i64 (64, tiles_of (g));
}

/* An addend is a bias per column, or a matrix with neighbouring columns in the place of the residual. */
static bool
addends_ok (NativertPrep *p, NativertGemm *g)
{
  if (g->n == 1)
    g->add.col = g->residual.col = g->c.col = 1;
  if (g->beta == 0)
    g->add.in = -1;
  if (g->add.in >= 0 && (g->beta != 1 || g->add.col != 1 || (g->add.row != 0 && g->residual.in >= 0)))
    return nativert_no (p, "addend with column stride %lld and factor %g", (long long) g->add.col, g->beta);
  if (g->residual.in >= 0 && g->residual.col != 1)
    return nativert_no (p, "residual with column stride %lld", (long long) g->residual.col);
  if (g->c.col != 1)
    return nativert_no (p, "result with column stride %lld", (long long) g->c.col);
  return true;
}

static bool
prepare (NativertPrep *p)
{
  NativertGemm *g = p->params;
  if (!nativert_gemm_describe (p, g) || !addends_ok (p, g))
    return false;
  if (g->m < 1 || g->n < 1 || g->k < 1 || g->n_batch < 1)
    return nativert_no (p, "nothing to multiply");
  if (g->m > INT32_MAX || g->n > INT32_MAX - NR || g->k > INT32_MAX)
    return nativert_no (
        p, "product of %lld x %lld x %lld is too large", (long long) g->m, (long long) g->k, (long long) g->n);
  g->tile[T_PACKED] = p->in_const && p->in_const[g->b.in] && shared_by_batch (&g->b);
  choose_blocks (g);
  p->params_size = sizeof *g;
  p->n_parts = (uint32_t) g->tile[T_PARTS];
  if (g->tile[T_PACKED]) {
    p->n_packs = 1;
    p->pack[0] = (NativertPack) { .in = (uint8_t) g->b.in, .key = 2000u + (uint32_t) g->tile[T_K], .fn = pack,
      .n_bytes = (size_t) (nativert_ceil_div (g->n, NR) * NR * g->k) * sizeof (float) };
  } else
    p->scratch_part = (size_t) g->tile[T_COLUMNS] * (size_t) g->tile[T_K] * sizeof (float);
  p->cost = (uint64_t) ((double) g->n_batch * (double) g->m * (double) g->n * (double) g->k / 8);
  return true;
}

typedef struct {
  const NativertGemm *g;
  const float *a, *b, *bias, *extra;            /* of one batch item; b already at its block of columns when packed */
  float *c;
  int64_t extra_row;
} Job;

/* Rows m0..m1, columns n0..n0 + n, k0..k0 + k. */
static void
multiply (const Job *job, const float *panels, int64_t m0, int64_t m1, int64_t n0, int64_t n, int64_t k0, int64_t k)
{
  const NativertGemm *g = job->g;
  int64_t rows = m1 - m0, n_panels = panel_count (rows);
  TileOut o = { .ldc = g->c.row,
    .alpha = (float) g->alpha,
    .add_to_c = k0 > 0,
    .last = k0 + k == g->k,
    .res_row = job->extra_row,
    .act = g->act,
    .act_a = g->act_a,
    .act_b = g->act_b };
  for (int64_t j = 0; j < n; j += NR, panels += k * NR) {
    o.n = (int) nativert_min_i64 (NR, n - j);
    o.col_bias = job->bias ? job->bias + n0 + j : NULL;
    for (int64_t p = 0; p < n_panels; p++) {
      int64_t row = m0 + panel_row (rows, n_panels, p), h = m0 + panel_row (rows, n_panels, p + 1) - row;
      o.c = job->c + row * g->c.row + n0 + j;
      o.residual = job->extra ? job->extra + row * job->extra_row + n0 + j : NULL;
      tile_strided[h] (job->a + row * g->a.row + k0 * g->a.col, g->a.row, g->a.col, panels, NR, k, &o);
    }
  }
}

static void
run (const NativertCall *call, uint32_t part)
{
  const NativertGemm *g = call->params;
  int64_t n_tiles = tiles_of (g), n_parts = g->tile[T_PARTS], by_rows = row_blocks (g), by_columns = column_blocks (g);
  float *scratch = (float *) nativert_call_scratch (call, part);
  int64_t all_columns = nativert_ceil_div (g->n, NR) * NR;
  for (int64_t i = n_tiles * part / n_parts; i < n_tiles * (part + 1) / n_parts; i++) {
    int64_t batch = i / (by_rows * by_columns), n0 = i / by_rows % by_columns * g->tile[T_COLUMNS],
            m0 = i % by_rows * g->tile[T_ROWS];
    int64_t n = nativert_min_i64 (g->tile[T_COLUMNS], g->n - n0), m1 = nativert_min_i64 (g->m, m0 + g->tile[T_ROWS]);
    Job job = { .g = g };
    job.a = (const float *) call->in[g->a.in].data + nativert_gemm_offset (g, &g->a, batch);
    job.b = (const float *) call->in[g->b.in].data + nativert_gemm_offset (g, &g->b, batch);
    job.c = (float *) call->out[0].data + nativert_gemm_offset (g, &g->c, batch);
    if (g->add.in >= 0) {
      const float *add = (const float *) call->in[g->add.in].data + nativert_gemm_offset (g, &g->add, batch);
      if (g->add.row == 0)
        job.bias = add;
      else {
        job.extra = add;
        job.extra_row = g->add.row;
      }
    }
    if (g->residual.in >= 0) {
      job.extra = (const float *) call->in[g->residual.in].data + nativert_gemm_offset (g, &g->residual, batch);
      job.extra_row = g->residual.row;
    }
    for (int64_t k0 = 0; k0 < g->k; k0 += g->tile[T_K]) {
      int64_t k = nativert_min_i64 (g->tile[T_K], g->k - k0), rows = nativert_max_i64 (MR, A_FLOATS / k);
      const float *panels = scratch;
      if (g->tile[T_PACKED])
        panels = (const float *) call->pack[0] + k0 * all_columns + n0 * k;
      else
        pack_columns (scratch, job.b + k0 * g->b.row + n0 * g->b.col, g->b.row, g->b.col, k, n);
      for (int64_t m = m0; m < m1; m += rows)
        multiply (&job, panels, m, nativert_min_i64 (m1, m + rows), n0, n, k0, k);
    }
  }
}

#define ROW(name)                                                                                                      \
  { NATIVERT_OP_##name, NATIVERT_F32, NATIVERT_DEVICE_CPU, NATIVERT_NEEDS, NATIVERT_ROW_NAME ("gemm"), prepare, run },
static const NativertKernel rows[] = { ROW (nativert_linear) ROW (matmul_default) ROW (mm_default) ROW (bmm_default)
      ROW (addmm_default) ROW (baddbmm_default) };
extern const NativertKernelSet NATIVERT_SET (gemm_tiles);
const NativertKernelSet NATIVERT_SET (gemm_tiles) = { rows, sizeof rows / sizeof rows[0], NATIVERT_STR (NATIVERT_ISA) };
