/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Results that are mostly copies of windows: padding with a value, writing into a slice, flipping.
 * Parts are slabs of the result along its longest dimension. */
#include <string.h>
#include "kernels/copy.h"

#define NAME(p) nativert_ops[(p)->op].name

typedef struct {
  int64_t start[NATIVERT_MAX_DIMS], step[NATIVERT_MAX_DIMS];    /* of the window in the result, by dimension */
  uint32_t n_parts;
  uint8_t slab;                                 /* the dimension that parts divide */
  uint32_t mask;                                /* flip: dimensions */
} Window;

static void
choose_slab (NativertPrep *p, Window *w)
{
  const NativertView *out = &p->out[0];
  int64_t most = 0, n = nativert_view_numel (out), bytes = (int64_t) nativert_dtype_size (out->dtype);
  for (uint8_t d = 0; d < out->ndim; d++)
    if (out->size[d] > most) {
      most = out->size[d];
      w->slab = d;
    }
  p->n_parts = w->n_parts = nativert_parts (most, most > 0 ? n / most * bytes * 2 : 1);
  p->params_size = sizeof *w;
  p->cost = (uint64_t) (n * bytes) * 2;
}

/* Elements lo to hi of v along d. */
static NativertView
narrow (const NativertView *v, uint32_t d, int64_t lo, int64_t hi)
{
  NativertView part = *v;
  part.size[d] = hi > lo ? hi - lo : 0;
  part.data = (char *) v->data + lo * v->stride[d] * (int64_t) nativert_dtype_size (v->dtype);
  return part;
}

/* Checks that in[k] fits the result from start on with steps. */
static bool
window_fits (NativertPrep *p, const Window *w, uint32_t k)
{
  const NativertView *out = &p->out[0], *in = &p->in[k];
  if (in->ndim != out->ndim || in->dtype != out->dtype)
    return nativert_no (p, "%s: the window has %u dimensions of %s, the result %u of %s", NAME (p), in->ndim, nativert_dtype_name (in->dtype),
        out->ndim, nativert_dtype_name (out->dtype));
  for (int d = 0; d < out->ndim; d++) {
    int64_t last;
    if (w->start[d] < 0 || w->step[d] < 1 || w->start[d] > out->size[d]
        || __builtin_mul_overflow (in->size[d] > 0 ? in->size[d] - 1 : 0, w->step[d], &last)
        || (in->size[d] > 0 && last >= out->size[d] - w->start[d]))
      return nativert_no (p, "%s: %lld elements from %lld by %lld in dimension %d of %lld", NAME (p), (long long) in->size[d],
          (long long) w->start[d], (long long) w->step[d], d, (long long) out->size[d]);
  }
  return true;
}

/* The part of in[k]'s window that lies in lo to hi of the slab dimension. */
static void
copy_window (const NativertCall *c, const Window *w, uint32_t k, int64_t lo, int64_t hi)
{
  NativertView to = c->out[0], from = c->in[k];
  int64_t bytes = (int64_t) nativert_dtype_size (to.dtype), start = w->start[w->slab], step = w->step[w->slab];
  int64_t first = lo > start ? (lo - start + step - 1) / step : 0, last = hi > start ? (hi - start + step - 1) / step : 0;
  if (to.ndim == 0) {
    memcpy (to.data, from.data, (size_t) bytes);
    return;
  }
  last = last > from.size[w->slab] ? from.size[w->slab] : last;
  if (first >= last)
    return;
  for (int d = 0; d < to.ndim; d++) {
    to.data = (char *) to.data + w->start[d] * to.stride[d] * bytes;
    to.stride[d] *= w->step[d];
    to.size[d] = from.size[d];
  }
  to = narrow (&to, w->slab, first, last);
  from = narrow (&from, w->slab, first, last);
  nativert_copy_views (&to, &from, 0, 1);
}

/* pad: self, value, before, after */
static bool
prepare_pad (NativertPrep *p)
{
  Window *w = p->params;
  memset (w, 0, sizeof *w);
  if (p->n_in != 2 || nativert_view_numel (&p->in[1]) != 1 || p->in[1].dtype != p->out[0].dtype)
    return nativert_no (p, "pad: the value is not one %s", nativert_dtype_name (p->out[0].dtype));
  for (int d = 0; d < p->out[0].ndim; d++) {
    w->start[d] = p->arg[2].u.ints[d];
    w->step[d] = 1;
  }
  if (!window_fits (p, w, 0))
    return false;
  choose_slab (p, w);
  return true;
}

static void
pad_fn (const NativertCall *c, uint32_t part)
{
  const Window *w = c->params;
  NativertView value = c->in[1], slab = c->out[0];
  int64_t lo = 0, hi = 1;
  value.ndim = 0;
  if (slab.ndim) {
    nativert_part_range (slab.size[w->slab], w->n_parts, part, &lo, &hi);
    slab = narrow (&slab, w->slab, lo, hi);
  }
  nativert_copy_views (&slab, &value, 0, 1);
  copy_window (c, w, 0, lo, hi);
}

/* put: self, src, start, step */
static bool
prepare_put (NativertPrep *p)
{
  Window *w = p->params;
  memset (w, 0, sizeof *w);
  if (p->n_in != 2 || p->in[0].ndim != p->out[0].ndim || p->in[0].dtype != p->out[0].dtype || memcmp (p->in[0].size, p->out[0].size, p->in[0].ndim * sizeof *p->in[0].size))
    return nativert_no (p, "%s: self and the result differ", NAME (p));
  for (int d = 0; d < p->out[0].ndim; d++) {
    w->start[d] = p->arg[2].u.ints[d];
    w->step[d] = p->arg[3].u.ints[d];
    if (p->in[0].size[d] > 1 && p->in[0].stride[d] != p->out[0].stride[d])
      w->mask = 1;
  }
  if (!window_fits (p, w, 1))
    return false;
  if (!w->mask)
    p->in_place = 0;
  choose_slab (p, w);
  return true;
}

static void
put_fn (const NativertCall *c, uint32_t part)
{
  const Window *w = c->params;
  int64_t lo = 0, hi = 1;
  NativertView to = c->out[0], from = c->in[0];
  if (to.ndim) {
    nativert_part_range (to.size[w->slab], w->n_parts, part, &lo, &hi);
    to = narrow (&to, w->slab, lo, hi);
    from = narrow (&from, w->slab, lo, hi);
  }
  if (to.data != from.data)
    nativert_copy_views (&to, &from, 0, 1);
  copy_window (c, w, 1, lo, hi);
}

/* flip: self, dims */
static bool
prepare_flip (NativertPrep *p)
{
  Window *w = p->params;
  memset (w, 0, sizeof *w);
  if (p->n_in != 1 || p->arg[1].kind != NATIVERT_ARG_INTS || !nativert_wrap_dims (p, 1, p->in[0].ndim, &w->mask))
    return p->reason[0] ? false : nativert_no (p, "flip: no dimensions");
  if (p->arg[1].n == 0)
    w->mask = 0;
  if (p->in[0].dtype != p->out[0].dtype || p->in[0].ndim != p->out[0].ndim || memcmp (p->in[0].size, p->out[0].size, p->in[0].ndim * sizeof *p->in[0].size))
    return nativert_no (p, "flip: self and the result differ");
  choose_slab (p, w);
  return true;
}

static void
flip_fn (const NativertCall *c, uint32_t part)
{
  const Window *w = c->params;
  NativertView from = c->in[0], to = c->out[0];
  int64_t bytes = (int64_t) nativert_dtype_size (from.dtype), lo = 0, hi = 1;
  if (nativert_view_numel (&from) == 0)
    return;
  for (uint32_t d = 0; d < from.ndim; d++)
    if (w->mask & 1u << d) {
      from.data = (char *) from.data + (from.size[d] - 1) * from.stride[d] * bytes;
      from.stride[d] = -from.stride[d];
    }
  if (to.ndim) {
    nativert_part_range (to.size[w->slab], w->n_parts, part, &lo, &hi);
    to = narrow (&to, w->slab, lo, hi);
    from = narrow (&from, w->slab, lo, hi);
  }
  nativert_copy_views (&to, &from, 0, 1);
}

extern const NativertKernelSet nativert_set_window;
static const NativertKernel rows[] = {
#define ROWS(id, S, C, ...)                                                                                     \
  { NATIVERT_OP_nativert_pad, NATIVERT_##id, NATIVERT_DEVICE_CPU, 0, "pad", prepare_pad, pad_fn },              \
  { NATIVERT_OP_nativert_put, NATIVERT_##id, NATIVERT_DEVICE_CPU, 0, "put", prepare_put, put_fn },              \
  { NATIVERT_OP_flip_default, NATIVERT_##id, NATIVERT_DEVICE_CPU, 0, "flip", prepare_flip, flip_fn },
  NATIVERT_EVERY (ROWS, )
};
const NativertKernelSet nativert_set_window = { rows, sizeof rows / sizeof *rows, "window" };
