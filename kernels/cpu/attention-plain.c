/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Attention in plain C: one query at a time, sums in double, any strides. */
#include <math.h>
#include "kernels/args.h"
#include "kernels/attention.h"
#include "kernels/convert.h"
#include "kernels/ops.h"

static uint32_t
parts_of (const NativertAttention *g)
{
  return (uint32_t) nativert_min_i64 (64, nativert_max_i64 (1, g->n_batch * g->l));
}

static bool
prepare (NativertPrep *p)
{
  NativertAttention *g = p->params;
  if (!nativert_attention_describe (p, g))
    return false;
  if (p->n_out > 1 && !nativert_view_is_contiguous (&p->out[1]))
    return nativert_no (p, "logsumexp is written contiguous only");
  p->params_size = sizeof *g;
  p->n_parts = parts_of (g);
  p->scratch_part = (size_t) g->s * sizeof (double);
  p->cost = (uint64_t) ((double) g->n_batch * (double) g->l * (double) g->s * (double) (g->e + g->ev));
  return true;
}

#define ATTENTION(ID, S, A, ...)                                                                                       \
  static double scores_##ID (                                                                                          \
      const NativertCall *c, const NativertAttention *g, int64_t batch, int64_t l, double *score)                      \
  {                                                                                                                    \
    const S *q = (const S *) c->in[0].data + nativert_attention_offset (g, &g->q, batch, 1) + l * g->q.row;            \
    const S *k = (const S *) c->in[1].data + nativert_attention_offset (g, &g->k, batch, g->group);                    \
    const char *mask = g->mask_in < 0 ? NULL : c->in[g->mask_in].data;                                                 \
    int64_t at = nativert_attention_offset (g, &g->mask, batch, 1) + l * g->mask.row;                                  \
    double best = -INFINITY;                                                                                           \
    for (int64_t s = 0; s < g->s; s++) {                                                                               \
      double sum = 0;                                                                                                  \
      for (int64_t e = 0; e < g->e; e++)                                                                               \
        sum += (double) NATIVERT_LOAD (q[e * g->q.col]) * (double) NATIVERT_LOAD (k[s * g->k.row + e * g->k.col]);     \
      sum *= g->scale;                                                                                                 \
      if (g->mask_kind == NATIVERT_MASK_BOOL && mask && !mask[at + s * g->mask.col])                                   \
        sum = -INFINITY;                                                                                               \
      else if (g->mask_kind == NATIVERT_MASK_FLOAT && mask)                                                            \
        sum += NATIVERT_LOAD (((const S *) mask)[at + s * g->mask.col]);                                               \
      if (g->causal && s > l)                                                                                          \
        sum = -INFINITY;                                                                                               \
      score[s] = sum;                                                                                                  \
      best = sum > best || sum != sum ? sum : best;                                                                    \
    }                                                                                                                  \
    return best;                                                                                                       \
  }                                                                                                                    \
  static void attention_##ID (const NativertCall *c, uint32_t part)                                                    \
  {                                                                                                                    \
    const NativertAttention *g = c->params;                                                                            \
    int64_t n = g->n_batch * g->l, n_parts = parts_of (g);                                                             \
    double *score = (double *) nativert_call_scratch (c, part);                                                        \
    for (int64_t i = n * part / n_parts; i < n * (part + 1) / n_parts; i++) {                                          \
      int64_t batch = i / g->l, l = i % g->l;                                                                          \
      double best = scores_##ID (c, g, batch, l, score), sum = 0;                                                      \
      for (int64_t s = 0; s < g->s; s++)                                                                               \
        sum += score[s] = best == -INFINITY ? 0 : exp (score[s] - best);                                               \
      const S *v = (const S *) c->in[2].data + nativert_attention_offset (g, &g->v, batch, g->group);                  \
      S *to = (S *) c->out[0].data + nativert_attention_offset (g, &g->out, batch, 1) + l * g->out.row;                \
      for (int64_t e = 0; e < g->ev; e++) {                                                                            \
        double y = 0;                                                                                                  \
        for (int64_t s = 0; s < g->s; s++)                                                                             \
          y += score[s] * (double) NATIVERT_LOAD (v[s * g->v.row + e * g->v.col]);                                     \
        to[e * g->out.col] = NATIVERT_STORE_##ID (sum == 0 ? 0 : y / sum);                                             \
      }                                                                                                                \
      if (c->out[1].data)                                                                                              \
        ((A *) c->out[1].data)[i] = (A) (best + log (sum));                                                            \
    }                                                                                                                  \
  }
NATIVERT_FLOAT (ATTENTION, )

#define ROW(id, storage, compute, ...)                                                                                 \
  { NATIVERT_OP_scaled_dot_product_attention_default, NATIVERT_##id, NATIVERT_DEVICE_CPU, 0, "attention-plain",        \
    prepare, one_##id },                                                                                               \
      { NATIVERT_OP__scaled_dot_product_flash_attention_for_cpu_default, NATIVERT_##id, NATIVERT_DEVICE_CPU, 0,        \
        "attention-plain", prepare, attention_##id },
/* out[] of the one-result operator has no second entry to look at. */
#define ONE(ID, ...)                                                                                                   \
  static void one_##ID (const NativertCall *c, uint32_t part)                                                          \
  {                                                                                                                    \
    NativertView out[2] = { c->out[0] };                                                                               \
    NativertCall call = *c;                                                                                            \
    call.out = out;                                                                                                    \
    attention_##ID (&call, part);                                                                                      \
  }
NATIVERT_FLOAT (ONE, )
static const NativertKernel rows[] = { NATIVERT_FLOAT (ROW, ) };
extern const NativertKernelSet nativert_set_attention_plain;
const NativertKernelSet nativert_set_attention_plain = { rows, sizeof rows / sizeof rows[0], "attention-plain" };
