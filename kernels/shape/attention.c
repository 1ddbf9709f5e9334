/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What attention needs to be true, and the sizes of its results. */
#include <math.h>
#include <string.h>
#include "kernels/args.h"
#include "kernels/attention.h"
#include "kernels/ops.h"

typedef struct { int mask, causal, scale, gqa; } Arguments;     /* argument numbers, -1 = none */

static bool
read_operator (NativertPrep *p, Arguments *a)
{
  switch (p->op) {
  case NATIVERT_OP_scaled_dot_product_attention_default: *a = (Arguments) { 3, 5, 6, 7 }; break;
  case NATIVERT_OP__scaled_dot_product_flash_attention_for_cpu_default: *a = (Arguments) { 5, 4, 6, -1 }; break;
  default: return nativert_no (p, "%s is no attention", nativert_ops[p->op].name);
  }
  if (nativert_arg_float (p, p->op == NATIVERT_OP_scaled_dot_product_attention_default ? 4 : 3, 0) != 0)
    return nativert_no (p, "attention with dropout");
  return true;
}

/* Strides of v's leading dimensions, aligned at the end; 0 where it is broadcast.  Heads of keys and values may be
 * fewer by a whole factor. */
static bool
follow_batch (
    NativertPrep *p, const NativertAttention *g, const NativertView *v, NativertAttentionSide *to, const char *what)
{
  for (int at = v->ndim - 3, d = NATIVERT_ATTENTION_DIMS - 1; at >= 0; at--, d--) {
    bool grouped = g->group > 1 && (to == &g->k || to == &g->v) && at == v->ndim - 3;
    to->batch[d] = v->size[at] == 1 ? 0 : v->stride[at];
    if (v->size[at] != 1 && v->size[at] * (grouped ? g->group : 1) != g->size[d])
      return nativert_no (
          p, "%s has batch size %lld, attention %lld", what, (long long) v->size[at], (long long) g->size[d]);
  }
  return true;
}

static bool
read_batch (NativertPrep *p, NativertAttention *g, const NativertView *side[3], bool gqa)
{
  const NativertView *q = side[0], *k = side[1], *v = side[2];
  g->group = 1;
  if (gqa && q->ndim > 2 && k->ndim > 2 && v->ndim > 2) {
    int64_t heads = q->size[q->ndim - 3], kv_heads = k->size[k->ndim - 3];
    if (kv_heads < 1 || heads % kv_heads || v->size[v->ndim - 3] != kv_heads)
      return nativert_no (p, "%lld query heads over %lld key heads", (long long) heads, (long long) kv_heads);
    g->group = heads / kv_heads;
  }
  g->n_batch = 1;
  for (int d = 0; d < NATIVERT_ATTENTION_DIMS; d++)
    g->size[d] = 1;
  for (int i = 0; i < 3; i++) {
    if (side[i]->ndim - 2 > NATIVERT_ATTENTION_DIMS)
      return nativert_no (
          p, "attention over %d batch dimensions, at most %d", side[i]->ndim - 2, NATIVERT_ATTENTION_DIMS);
    for (int at = side[i]->ndim - 3, d = NATIVERT_ATTENTION_DIMS - 1; at >= 0; at--, d--)
      if (g->size[d] == 1)
        g->size[d] = side[i]->size[at];
  }
  for (int d = 0; d < NATIVERT_ATTENTION_DIMS; d++)
    g->n_batch *= g->size[d];
  return follow_batch (p, g, q, &g->q, "query") && follow_batch (p, g, k, &g->k, "key")
      && follow_batch (p, g, v, &g->v, "value");
}

static bool
read_mask (NativertPrep *p, NativertAttention *g, int arg)
{
  const NativertView *m = nativert_arg_view (p, (unsigned) arg);
  g->mask_in = -1;
  if (!m)
    return true;
  g->mask_in = (int8_t) nativert_arg_index (p, (unsigned) arg);
  g->mask_kind = m->dtype == NATIVERT_BOOL ? NATIVERT_MASK_BOOL : NATIVERT_MASK_FLOAT;
  if (m->dtype != NATIVERT_BOOL && m->dtype != p->in[0].dtype)
    return nativert_no (
        p, "mask is %s, attention %s", nativert_dtype_name (m->dtype), nativert_dtype_name (p->in[0].dtype));
  int64_t s = m->ndim > 0 ? m->size[m->ndim - 1] : 1, l = m->ndim > 1 ? m->size[m->ndim - 2] : 1;
  if ((s != 1 && s != g->s) || (l != 1 && l != g->l))
    return nativert_no (p, "mask is %lld x %lld, scores are %lld x %lld", (long long) l, (long long) s,
        (long long) g->l, (long long) g->s);
  g->mask.col = s == 1 ? 0 : m->stride[m->ndim - 1];
  g->mask.row = l == 1 ? 0 : m->stride[m->ndim - 2];
  if (m->ndim - 2 > NATIVERT_ATTENTION_DIMS)
    return nativert_no (p, "mask of %d dimensions", m->ndim);
  return follow_batch (p, g, m, &g->mask, "mask");
}

static bool
describe (NativertPrep *p, NativertAttention *g, const NativertView *side[3])
{
  Arguments a = { -1, -1, -1, -1 };
  memset (g, 0, sizeof *g);
  if (!read_operator (p, &a))
    return false;
  for (unsigned i = 0; i < 3; i++) {
    side[i] = nativert_arg_view (p, i);
    if (!side[i] || side[i]->ndim < 2 || side[i]->dtype != p->in[0].dtype)
      return nativert_no (p, "attention operand %u has %d dimensions of %s", i, side[i] ? side[i]->ndim : -1,
        side[i] ? nativert_dtype_name (side[i]->dtype) : "nothing");
  }
  const NativertView *q = side[0], *k = side[1], *v = side[2];
  g->l = q->size[q->ndim - 2];
  g->e = q->size[q->ndim - 1];
  g->s = k->size[k->ndim - 2];
  g->ev = v->size[v->ndim - 1];
  if (k->size[k->ndim - 1] != g->e || v->size[v->ndim - 2] != g->s)
    return nativert_no (p, "queries of %lld with keys of %lld, %lld keys with %lld values", (long long) g->e,
      (long long) k->size[k->ndim - 1], (long long) g->s, (long long) v->size[v->ndim - 2]);
  NativertAttentionSide *to[] = { &g->q, &g->k, &g->v };
  for (int i = 0; i < 3; i++) {
    to[i]->row = side[i]->stride[side[i]->ndim - 2];
    to[i]->col = side[i]->stride[side[i]->ndim - 1];
  }
  g->causal = nativert_arg_int (p, (unsigned) a.causal, 0) != 0;
  g->scale = nativert_arg_float (p, (unsigned) a.scale, g->e > 0 ? 1 / sqrt ((double) g->e) : 1);
  return read_batch (p, g, side, a.gqa >= 0 && nativert_arg_int (p, (unsigned) a.gqa, 0)) && read_mask (p, g, a.mask);
}

bool
nativert_attention_describe (NativertPrep *p, NativertAttention *g)
{
  const NativertView *side[3], *out = &p->out[0];
  if (!describe (p, g, side))
    return false;
  if (out->ndim < 2 || out->size[out->ndim - 2] != g->l || out->size[out->ndim - 1] != g->ev
      || out->ndim - 2 > NATIVERT_ATTENTION_DIMS)
    return nativert_no (p, "attention's result has %d dimensions", out->ndim);
  g->out.row = out->stride[out->ndim - 2];
  g->out.col = out->stride[out->ndim - 1];
  return follow_batch (p, g, out, &g->out, "result");
}

NATIVERT_SHAPE (attention)
{
  const NativertView *side[3];
  NativertAttention g;
  int64_t size[NATIVERT_MAX_DIMS];
  if (!describe (p, &g, side))
    return false;
  int n = 0;
  for (int i = 0; i < 3; i++)
    n = side[i]->ndim - 2 > n ? side[i]->ndim - 2 : n;
  memcpy (size, g.size + NATIVERT_ATTENTION_DIMS - n, (size_t) n * sizeof *size);
  size[n] = g.l;
  size[n + 1] = g.ev;
  if (!nativert_sizes_ok (p, (unsigned) n + 2, size))
    return false;
  nativert_view_init (&p->out[0], p->in[0].dtype, (uint32_t) n + 2, size);
  if (p->n_out > 1)
    nativert_view_init (
        &p->out[1], p->in[0].dtype == NATIVERT_F64 ? NATIVERT_F64 : NATIVERT_F32, (uint32_t) n + 1, size);
  return true;
}
