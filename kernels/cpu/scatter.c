/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* scatter and its reductions: values written, added, ... where an index says.  One part: equal places in order. */
#include <string.h>
#include "kernels/convert.h"
#include "kernels/index.h"

/* self, dim, index, src, mode */
static bool
prepare (NativertPrep *p)
{
  NativertGather *g = p->params;
  const NativertView *self = &p->in[0], *index = &p->in[1], *src = &p->in[2], *out = &p->out[0];
  uint32_t dim;
  if (p->n_in != 3 || index->dtype != NATIVERT_I64 || !nativert_view_is_contiguous (index)
      || !nativert_view_is_contiguous (out) || !nativert_view_is_contiguous (self) || src->dtype != self->dtype
      || out->dtype != self->dtype)
    return nativert_no (p, "scatter: index is not contiguous int64, self is not contiguous, or dtypes differ");
  if (index->ndim != self->ndim || src->ndim != self->ndim || out->ndim != self->ndim
      || !nativert_wrap_dim (p, nativert_arg_int (p, 1, 0), self->ndim, &dim))
    return nativert_no (p, "scatter: index has %u dimensions, src %u, self %u", index->ndim, src->ndim, self->ndim);
  for (uint32_t d = 0; d < self->ndim; d++)
    if (out->size[d] != self->size[d] || index->size[d] > src->size[d] || (d != dim && index->size[d] > self->size[d]))
      return nativert_no (p, "scatter: index has size %lld in dimension %u, src %lld, self %lld",
          (long long) index->size[d], d, (long long) src->size[d], (long long) self->size[d]);
  g->n = nativert_view_numel (index);
  g->ndim = self->ndim;
  g->dim = (uint8_t) dim;
  g->last = index->ndim ? index->size[index->ndim - 1] : 1;
  g->indexed = self->ndim ? self->size[dim] : 1;
  g->mode = (uint8_t) nativert_arg_int (p, 4, NATIVERT_SCATTER_SET);
  p->params_size = sizeof *g;
  p->in_place = 0;
  p->cost = (uint64_t) (g->n + nativert_view_numel (self)) * 16;
  return true;
}

#define SCATTER(id, S, C, ...)                                                                  \
  static void scatter_##id (const NativertCall *c, uint32_t part)                               \
  {                                                                                             \
    const NativertGather *g = c->params;                                                        \
    const NativertView *src = &c->in[2], *out = &c->out[0];                                     \
    const int64_t *index = c->in[1].data;                                                       \
    if (out->data != c->in[0].data)                                                             \
      memcpy (out->data, c->in[0].data, (size_t) nativert_view_numel (out) * sizeof (S));       \
    for (int64_t i = 0; i < g->n; i++) {                                                        \
      int64_t rest = i, from = 0, to = 0, k = index[i];                                         \
      for (int d = g->ndim; d-- > 0;) {                                                         \
        int64_t at = rest % c->in[1].size[d];                                                   \
        rest /= c->in[1].size[d];                                                               \
        from += at * src->stride[d];                                                            \
        to += (d == g->dim ? k : at) * out->stride[d];                                          \
      }                                                                                         \
      if (k < 0 || k >= g->indexed) {                                                           \
        nativert_call_fail (c, "index out of range");                                           \
        continue;                                                                               \
      }                                                                                         \
      S *y = (S *) out->data + to;                                                              \
      const C a = NATIVERT_LOAD (*y), b = NATIVERT_LOAD (((const S *) src->data)[from]);        \
      switch (g->mode) {                                                                        \
        case NATIVERT_SCATTER_ADD: *y = NATIVERT_STORE_##id (a + b); break;                     \
        case NATIVERT_SCATTER_MULTIPLY: *y = NATIVERT_STORE_##id (a * b); break;                \
        case NATIVERT_SCATTER_MAX: *y = NATIVERT_STORE_##id (b > a || b != b ? b : a); break;   \
        case NATIVERT_SCATTER_MIN: *y = NATIVERT_STORE_##id (b < a || b != b ? b : a); break;   \
        default: *y = ((const S *) src->data)[from]; break;                                     \
      }                                                                                         \
    }                                                                                           \
  }
NATIVERT_ALL (SCATTER, )

extern const NativertKernelSet nativert_set_scatter;
static const NativertKernel rows[] = {
#define ROW(id, S, C, ...)                                                                                             \
  { NATIVERT_OP_nativert_scatter, NATIVERT_##id, NATIVERT_DEVICE_CPU, 0, "scatter", prepare, scatter_##id },
  NATIVERT_ALL (ROW, )
};
const NativertKernelSet nativert_set_scatter = { rows, sizeof rows / sizeof *rows, "scatter" };
