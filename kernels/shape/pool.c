/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What poolings need to be true, and the sizes of their results. */
#include "kernels/args.h"
#include "kernels/ops.h"
#include "kernels/pool.h"

#define LIMIT ((int64_t) 1 << 31)

typedef enum { AVERAGE, MAX, ADAPTIVE_AVERAGE, ADAPTIVE_MAX } Kind;

static bool
kind_of (NativertPrep *p, Kind *kind, uint8_t *nd)
{
  switch (p->op) {
#define POOL(name, dims, what) case NATIVERT_OP_##name: *nd = dims; *kind = what; return true;
  POOL (avg_pool1d_default, 1, AVERAGE)
  POOL (avg_pool2d_default, 2, AVERAGE)
  POOL (avg_pool3d_default, 3, AVERAGE)
  POOL (max_pool1d_default, 1, MAX)
  POOL (max_pool2d_default, 2, MAX)
  POOL (max_pool3d_default, 3, MAX)
  POOL (max_pool1d_with_indices_default, 1, MAX)
  POOL (max_pool2d_with_indices_default, 2, MAX)
  POOL (max_pool3d_with_indices_default, 3, MAX)
  POOL (adaptive_avg_pool1d_default, 1, ADAPTIVE_AVERAGE)
  POOL (adaptive_avg_pool2d_default, 2, ADAPTIVE_AVERAGE)
  POOL (adaptive_avg_pool3d_default, 3, ADAPTIVE_AVERAGE)
  POOL (_adaptive_avg_pool2d_default, 2, ADAPTIVE_AVERAGE)
  POOL (_adaptive_avg_pool3d_default, 3, ADAPTIVE_AVERAGE)
  POOL (adaptive_max_pool1d_default, 1, ADAPTIVE_MAX)
  POOL (adaptive_max_pool2d_default, 2, ADAPTIVE_MAX)
  POOL (adaptive_max_pool3d_default, 3, ADAPTIVE_MAX)
#undef POOL
  default: return nativert_no (p, "%s is no pooling", nativert_ops[p->op].name);
  }
}

/* torch's rule: with ceil_mode the last window must start inside the input or its leading border. */
static bool
window_result (NativertPrep *p, NativertPool *g, int d, bool ceil_mode)
{
  int64_t in = g->in[d], k = g->k[d], s = g->stride[d], pad = g->pad[d], dil = g->dil[d];
  if (k < 1 || k > LIMIT || s < 1 || s > LIMIT || dil < 1 || dil > LIMIT || in > LIMIT)
    return nativert_no (
        p, "kernel %lld, stride %lld, dilation %lld are impossible", (long long) k, (long long) s, (long long) dil);
  if (pad < 0 || pad > ((k - 1) * dil + 1) / 2)
    return nativert_no (p, "padding %lld is more than half of kernel size %lld", (long long) pad, (long long) k);
  int64_t room = in + 2 * pad - dil * (k - 1) - 1 + (ceil_mode ? s - 1 : 0);
  int64_t out = nativert_floor_div (room, s) + 1;
  if (ceil_mode && (out - 1) * s >= in + pad)
    out--;
  if (out < 1)
    return nativert_no (
        p, "kernel %lld is larger than the padded input size %lld", (long long) k, (long long) (in + 2 * pad));
  g->out[d] = out;
  return true;
}

static bool
read_windows (NativertPrep *p, NativertPool *g, Kind kind)
{
  int at = 3 - g->nd;
  bool empty = nativert_arg_is_none (p, 2) || (p->arg[2].kind == NATIVERT_ARG_INTS && p->arg[2].n == 0);
  if (!nativert_arg_list (p, 1, g->nd, g->k + at, "kernel_size")
      || !nativert_arg_list (p, empty ? 1 : 2, g->nd, g->stride + at, "stride")
      || !nativert_arg_list (p, 3, g->nd, g->pad + at, "padding"))
    return false;
  unsigned ceil_arg = 4;
  if (kind == MAX) {
    if (!nativert_arg_list (p, 4, g->nd, g->dil + at, "dilation"))
      return false;
    ceil_arg = 5;
  } else {
    g->count_pad = nativert_arg_int (p, 5, 1) != 0;
    g->divisor = nativert_arg_int (p, 6, 0);
    if (!nativert_arg_is_none (p, 6) && g->divisor == 0)
      return nativert_no (p, "divisor_override is 0");
  }
  bool ceil_mode = nativert_arg_int (p, ceil_arg, 0) != 0;
  for (int d = at; d < 3; d++)
    if (!window_result (p, g, d, ceil_mode))
      return false;
  return true;
}

static bool
read_adaptive (NativertPrep *p, NativertPool *g)
{
  int at = 3 - g->nd;
  int64_t out[3];
  g->adaptive = true;
  const NativertArg *a = p->n_arg > 1 ? &p->arg[1] : NULL;
  if (!a || a->kind != NATIVERT_ARG_INTS || (a->n != g->nd && a->n != 1)) {
    if (!nativert_arg_list (p, 1, g->nd, out, "output_size"))
      return false;
  } else
    for (unsigned d = 0; d < g->nd; d++)
      out[d] = a->u.ints[a->n == 1 ? 0 : d];
  for (int d = 0; d < g->nd; d++) {
    g->out[at + d] = out[d];
    if (out[d] < 0 || out[d] > LIMIT || g->in[at + d] > LIMIT || (g->in[at + d] < 1 && out[d] > 0))
      return nativert_no (p, "adaptive pooling of size %lld to %lld", (long long) g->in[at + d], (long long) out[d]);
  }
  return true;
}

bool
nativert_pool_describe (NativertPrep *p, NativertPool *g)
{
  Kind kind = AVERAGE;
  *g = (NativertPool) { .planes = 1 };
  for (int d = 0; d < 3; d++)
    g->in[d] = g->out[d] = g->k[d] = g->stride[d] = g->dil[d] = 1;
  const NativertView *x = nativert_arg_view (p, 0);
  if (!kind_of (p, &kind, &g->nd))
    return false;
  if (!x || x->ndim < g->nd + 1 || x->ndim > g->nd + 2)
    return nativert_no (p, "pooling input has %d dimensions, want %d or %d", x ? x->ndim : -1, g->nd + 1, g->nd + 2);
  int lead = x->ndim - g->nd;
  for (int d = 0; d < lead; d++)
    g->planes *= x->size[d];
  for (int d = 0; d < g->nd; d++)
    g->in[3 - g->nd + d] = x->size[lead + d];
  g->average = kind == AVERAGE || kind == ADAPTIVE_AVERAGE;
  if (!(kind == ADAPTIVE_AVERAGE || kind == ADAPTIVE_MAX ? read_adaptive (p, g) : read_windows (p, g, kind)))
    return false;
  return nativert_sizes_ok (p, 4, (int64_t[]) { g->planes, g->out[0], g->out[1], g->out[2] });
}

NATIVERT_SHAPE (pool)
{
  NativertPool g;
  int64_t size[NATIVERT_MAX_DIMS];
  if (!nativert_pool_describe (p, &g))
    return false;
  const NativertView *x = &p->in[0];
  int lead = x->ndim - g.nd;
  for (int d = 0; d < x->ndim; d++)
    size[d] = d < lead ? x->size[d] : g.out[3 - x->ndim + d];
  nativert_view_init (&p->out[0], x->dtype, x->ndim, size);
  if (p->n_out > 1)
    nativert_view_init (&p->out[1], NATIVERT_I64, x->ndim, size);
  return true;
}
