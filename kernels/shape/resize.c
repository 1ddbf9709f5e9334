/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What resizes and grid samplings need to be true, and the sizes of their results. */
#include <math.h>
#include "kernels/args.h"
#include "kernels/ops.h"
#include "kernels/resize.h"

/* Argument numbers of `input` are always 0, of the result size 1. */
typedef struct { uint8_t nd, mode; bool antialias, vec, aligns; } Kind;

static bool
kind_of (NativertPrep *p, Kind *k)
{
  switch (p->op) {
#define RESIZE(name, dims, how, aa, align)                                                              \
  case NATIVERT_OP_##name##_default: *k = (Kind) { dims, NATIVERT_RESIZE_##how, aa, false, align }; return true;   \
  case NATIVERT_OP_##name##_vec: *k = (Kind) { dims, NATIVERT_RESIZE_##how, aa, true, align }; return true;
#include "kernels/defs/resize-kinds.def"
#undef RESIZE
  default: return nativert_no (p, "%s is no resize", nativert_ops[p->op].name);
  }
}

/* .vec: size or factors; default: size, then factors one by one. */
static bool
read_sizes (NativertPrep *p, NativertResize *g, const Kind *k)
{
  int at = 3 - k->nd;
  unsigned factors = k->aligns ? 3 : 2;
  if (!nativert_arg_is_none (p, 1) && !nativert_arg_list (p, 1, k->nd, g->out + at, "output_size"))
    return false;
  if (k->vec && nativert_arg_is_none (p, 1)) {
    if (factors >= p->n_arg || p->arg[factors].kind != NATIVERT_ARG_FLOATS || p->arg[factors].n != k->nd)
      return nativert_no (p, "neither output_size nor %u scale_factors", k->nd);
    for (int d = 0; d < k->nd; d++) {
      double f = p->arg[factors].u.floats[d], size = f * (double) g->in[at + d];
      if (!(f > 0) || !(size < (double) NATIVERT_SIZE_LIMIT))
        return nativert_no (p, "scale factor %g on size %lld is impossible", f, (long long) g->in[at + d]);
      g->factor[at + d] = f;
      g->out[at + d] = (int64_t) size;
    }
  } else if (!k->vec)
    for (int d = 0; d < k->nd; d++) {
      double f = nativert_arg_float (p, factors + (unsigned) d, 0);
      g->factor[at + d] = f > 0 ? f : 0;
    }
  return true;
}

bool
nativert_resize_describe (NativertPrep *p, NativertResize *g)
{
  Kind k = { 0 };
  *g = (NativertResize) { .planes = 1, .in = { 1, 1, 1 }, .out = { 1, 1, 1 } };
  const NativertView *x = nativert_arg_view (p, 0);
  if (!kind_of (p, &k))
    return false;
  if (!x || x->ndim != k.nd + 2)
    return nativert_no (p, "resize input has %d dimensions, want %d", x ? x->ndim : -1, k.nd + 2);
  g->nd = k.nd;
  g->mode = k.mode;
  g->antialias = k.antialias;
  g->align_corners = k.aligns && nativert_arg_int (p, 2, 0);
  g->planes = x->size[0] * x->size[1];
  for (int d = 0; d < k.nd; d++)
    g->in[3 - k.nd + d] = x->size[2 + d];
  if (!read_sizes (p, g, &k))
    return false;
  for (int d = 0; d < 3; d++)
    if (g->in[d] < 1 || g->out[d] < 1 || g->in[d] > INT32_MAX || g->out[d] > INT32_MAX)
      return nativert_no (p, "resize of size %lld to %lld", (long long) g->in[d], (long long) g->out[d]);
  return nativert_sizes_ok (p, 4, (int64_t[]) { g->planes, g->out[0], g->out[1], g->out[2] });
}

NATIVERT_SHAPE (resize)
{
  NativertResize g;
  if (!nativert_resize_describe (p, &g))
    return false;
  int64_t size[5] = { p->in[0].size[0], p->in[0].size[1] };
  for (int d = 0; d < g.nd; d++)
    size[2 + d] = g.out[3 - g.nd + d];
  nativert_view_init (&p->out[0], p->in[0].dtype, 2u + g.nd, size);
  return true;
}

/* grid_sampler (input, grid, interpolation_mode, padding_mode, align_corners) */
NATIVERT_SHAPE (grid_sampler)
{
  const NativertView *x = nativert_arg_view (p, 0), *grid = nativert_arg_view (p, 1);
  if (!x || !grid || (x->ndim != 4 && x->ndim != 5) || grid->ndim != x->ndim)
    return nativert_no (p, "grid_sampler of %d and %d dimensions", x ? x->ndim : -1, grid ? grid->ndim : -1);
  int nd = x->ndim - 2;
  if (grid->size[nd + 1] != nd || grid->size[0] != x->size[0] || grid->dtype != x->dtype)
    return nativert_no (p, "grid of %lld x ... x %lld %s for %lld inputs of %s", (long long) grid->size[0],
        (long long) grid->size[nd + 1], nativert_dtype_name (grid->dtype), (long long) x->size[0],
        nativert_dtype_name (x->dtype));
  int64_t size[5] = { x->size[0], x->size[1] };
  for (int d = 0; d < nd; d++) {
    size[2 + d] = grid->size[1 + d];
    if (x->size[2 + d] < 1)
      return nativert_no (p, "grid_sampler of an empty input");
  }
  if (!nativert_sizes_ok (p, 2u + (unsigned) nd, size))
    return false;
  nativert_view_init (&p->out[0], x->dtype, x->ndim, size);
  return true;
}
