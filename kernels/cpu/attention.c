/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Attention, f32, without ever holding all scores: a block of queries meets one block of keys after the other; the
 * running maximum and sum of each query rescale what was summed before.  Compiled once per instruction set. */
#include "kernels/attention.h"
#include "kernels/cpu/gemm-pack.h"
#include "kernels/isa.h"
#include "kernels/ops.h"

enum { T_QUERIES, T_KEYS, T_PARTS };            /* NativertAttention.tile */
enum { QUERIES_MOST = 192, KEYS_MOST = 256 };

static int64_t query_blocks (const NativertAttention *g) { return nativert_ceil_div (g->l, g->tile[T_QUERIES]); }
static int64_t whole (int64_t n) { return nativert_ceil_div (n, NR) * NR; }

/* Floats of scratch: scores, sums of values, packed keys and values, maximum and sum per query. */
static int64_t
scratch_floats (const NativertAttention *g)
{
  int64_t q = g->tile[T_QUERIES], s = g->tile[T_KEYS];
  return q * s + q * whole (g->ev) + s * g->e + s * whole (g->ev) + 2 * q;
}

static bool
prepare (NativertPrep *p)
{
  NativertAttention *g = p->params;
  if (!nativert_attention_describe (p, g))
    return false;
  if (p->n_out > 1)
    return nativert_no (p, "no logsumexp");
  if (g->n_batch < 1 || g->l < 1 || g->s < 1 || g->e < 1 || g->ev < 1)
    return nativert_no (p, "nothing to attend to");
  if (g->out.col != 1 && g->ev > 1)
    return nativert_no (p, "result with column stride %lld", (long long) g->out.col);
  if (g->e > 8192 || g->ev > 8192)
    return nativert_no (p, "heads of %lld and %lld are larger than a block", (long long) g->e, (long long) g->ev);
  g->tile[T_QUERIES] = (int32_t) nativert_ceil_div (g->l, nativert_ceil_div (g->l, QUERIES_MOST));
  g->tile[T_KEYS] = (int32_t) whole (nativert_ceil_div (g->s, nativert_ceil_div (g->s, KEYS_MOST)));
  double macs = (double) g->n_batch * (double) g->l * (double) g->s * (double) (g->e + g->ev);
  int64_t parts = macs > 64 * 2e6 ? 64 : 1 + (int64_t) (macs / 2e6);
  g->tile[T_PARTS] = (int32_t) nativert_min_i64 (parts, g->n_batch * query_blocks (g));
  p->params_size = sizeof *g;
  p->n_parts = (uint32_t) g->tile[T_PARTS];
  p->scratch_part = (size_t) scratch_floats (g) * sizeof (float);
  p->cost = (uint64_t) (macs / 8);
  return true;
}

typedef struct {
  const NativertAttention *g;
  const float *q, *k, *v;
  const char *mask;                             /* of query 0 */
  float *scores, *sums, *keys, *values, *best, *total, *to;
  int64_t l0, l_n;                              /* this block's queries */
} Job;

/* c[rows][n] (+)= a x panels */
static void
product (const float *a, int64_t a_row, int64_t a_col, const float *panels, int64_t rows, int64_t k, int64_t n,
    float *c, int64_t ldc, float alpha, bool add)
{
  TileOut o = { .ldc = ldc, .alpha = alpha, .add_to_c = add, .n = NR };
  int64_t n_panels = panel_count (rows);
  for (int64_t j = 0; j < n; j += NR, panels += k * NR)
    for (int64_t p = 0; p < n_panels; p++) {
      int64_t row = panel_row (rows, n_panels, p), h = panel_row (rows, n_panels, p + 1) - row;
      o.c = c + row * ldc + j;
      tile_strided[h] (a + row * a_row, a_row, a_col, panels, NR, k, &o);
    }
}

static void
apply_mask (const Job *job, float *row, int64_t l, int64_t s0, int64_t n)
{
  const NativertAttention *g = job->g;
  if (g->mask_kind == NATIVERT_MASK_BOOL) {
    const uint8_t *mask = (const uint8_t *) job->mask + l * g->mask.row + s0 * g->mask.col;
    for (int64_t s = 0; s < n; s++)
      row[s] = mask[s * g->mask.col] ? row[s] : -INFINITY;
  } else if (g->mask_kind == NATIVERT_MASK_FLOAT) {
    const float *mask = (const float *) job->mask + l * g->mask.row + s0 * g->mask.col;
    for (int64_t s = 0; s < n; s++)
      row[s] += mask[s * g->mask.col];
  }
  if (g->causal)
    for (int64_t s = nativert_max_i64 (0, l + 1 - s0); s < n; s++)
      row[s] = -INFINITY;
}

/* Scores of one query become weights; returns by how much earlier sums shrink. */
static float
weigh (float *row, int64_t n, float *best, float *total)
{
  V high = v_set (-INFINITY), sum = v_zero ();
  int64_t s = 0;
  float most = *best, sum_rest = 0;
  for (; s + VL <= n; s += VL)
    high = v_max (high, v_load (row + s));
  float lane = v_highest (high);
  most = lane > most ? lane : most;
  for (; s < n; s++)
    most = row[s] > most ? row[s] : most;
  float by = most == -INFINITY ? 0 : most;
  for (s = 0; s < n; s++)
    row[s] = nativert_expf (row[s] - by);
  for (s = 0; s + VL <= n; s += VL)
    sum = sum + v_load (row + s);
  for (; s < n; s++)
    sum_rest += row[s];
  float shrink = *best == -INFINITY ? 0 : nativert_expf (*best - by);
  *total = *total * shrink + v_sum (sum) + sum_rest;
  *best = most;
  return shrink;
}

static void
attend (const Job *job, int64_t s0, int64_t n)
{
  const NativertAttention *g = job->g;
  int64_t lds = g->tile[T_KEYS], ldv = whole (g->ev);
  pack_columns (job->keys, job->k + s0 * g->k.row, g->k.col, g->k.row, g->e, n);
  product (job->q + job->l0 * g->q.row, g->q.row, g->q.col, job->keys, job->l_n, g->e, n, job->scores, lds,
      (float) g->scale, false);
  for (int64_t l = 0; l < job->l_n; l++) {
    float *row = job->scores + l * lds;
    apply_mask (job, row, job->l0 + l, s0, n);
    float shrink = weigh (row, n, &job->best[l], &job->total[l]);
    if (s0 > 0 && shrink != 1)
      for (int64_t e = 0; e < ldv; e++)
        job->sums[l * ldv + e] *= shrink;
  }
  pack_columns (job->values, job->v + s0 * g->v.row, g->v.row, g->v.col, n, g->ev);
  product (job->scores, lds, 1, job->values, job->l_n, n, g->ev, job->sums, ldv, 1, s0 > 0);
}

static void
run_block (Job *job)
{
  const NativertAttention *g = job->g;
  for (int64_t l = 0; l < job->l_n; l++) {
    job->best[l] = -INFINITY;
    job->total[l] = 0;
  }
  int64_t end = g->causal ? nativert_min_i64 (g->s, job->l0 + job->l_n) : g->s;
  for (int64_t s0 = 0; s0 < end; s0 += g->tile[T_KEYS])
    attend (job, s0, nativert_min_i64 (g->tile[T_KEYS], end - s0));
  for (int64_t l = 0; l < job->l_n; l++) {
    float *to = job->to + (job->l0 + l) * g->out.row, *sums = job->sums + l * whole (g->ev);
    float total = job->total[l];
    for (int64_t e = 0; e < g->ev; e++)
      to[e] = total == 0 ? 0 : sums[e] / total;
  }
}

static void
run (const NativertCall *c, uint32_t part)
{
  const NativertAttention *g = c->params;
  int64_t n = g->n_batch * query_blocks (g), n_parts = g->tile[T_PARTS], q = g->tile[T_QUERIES], s = g->tile[T_KEYS];
  Job job = { .g = g, .scores = (float *) nativert_call_scratch (c, part) };
  job.sums = job.scores + q * s;
  job.keys = job.sums + q * whole (g->ev);
  job.values = job.keys + s * g->e;
  job.best = job.values + s * whole (g->ev);
  job.total = job.best + q;
  for (int64_t i = n * part / n_parts; i < n * (part + 1) / n_parts; i++) {
    int64_t batch = i / query_blocks (g);
    job.l0 = i % query_blocks (g) * q;
    job.l_n = nativert_min_i64 (q, g->l - job.l0);
    job.q = (const float *) c->in[0].data + nativert_attention_offset (g, &g->q, batch, 1);
    job.k = (const float *) c->in[1].data + nativert_attention_offset (g, &g->k, batch, g->group);
    job.v = (const float *) c->in[2].data + nativert_attention_offset (g, &g->v, batch, g->group);
    job.to = (float *) c->out[0].data + nativert_attention_offset (g, &g->out, batch, 1);
    int64_t mask = nativert_attention_offset (g, &g->mask, batch, 1);
    if (g->mask_in >= 0)
      job.mask = (const char *) c->in[g->mask_in].data
          + mask * (g->mask_kind == NATIVERT_MASK_BOOL ? 1 : (int64_t) sizeof (float));
    run_block (&job);
  }
}

static const NativertKernel rows[] = {
  { NATIVERT_OP_scaled_dot_product_attention_default, NATIVERT_F32, NATIVERT_DEVICE_CPU, NATIVERT_NEEDS,
      NATIVERT_ROW_NAME ("attention"), prepare, run },
};
extern const NativertKernelSet NATIVERT_SET (attention);
const NativertKernelSet NATIVERT_SET (attention) = { rows, sizeof rows / sizeof rows[0], NATIVERT_STR (NATIVERT_ISA) };
