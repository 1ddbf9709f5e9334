/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Concatenation: every input is copied to its window of the result.  Every part does its share of every input. */
#include "kernels/copy.h"

typedef struct { uint32_t dim, n_in, n_parts; } Params;

static bool
is_left_out (const NativertView *v)
{
  return v->ndim == 1 && v->size[0] == 0;
}

static bool
prepare (NativertPrep *p)
{
  Params *params = p->params;
  NativertCopyPlan probe;
  int64_t total = 0, n = nativert_view_numel (&p->out[0]);
  if (!nativert_wrap_dim (p, nativert_arg_int (p, 1, 0), p->out[0].ndim, &params->dim))
    return false;
  for (uint32_t i = 0; i < p->n_in; i++) {
    NativertView window = p->out[0];
    if (p->in[i].dtype != window.dtype)
      return nativert_no (p, "cat: tensor %u is %s, the result %s", i, nativert_dtype_name (p->in[i].dtype), nativert_dtype_name (window.dtype));
    if (is_left_out (&p->in[i]))
      continue;
    if (p->in[i].ndim != window.ndim)
      return nativert_no (p, "cat: tensor %u has %u dimensions, the result %u", i, p->in[i].ndim, window.ndim);
    window.size[params->dim] = p->in[i].size[params->dim];
    for (int d = 0; d < window.ndim; d++)
      if (p->in[i].size[d] != window.size[d])
        return nativert_no (p, "cat: tensor %u does not fit the result", i);
    total += window.size[params->dim];
    if (!nativert_copy_plan (p, &probe, &window, &p->in[i]))
      return false;
  }
  if (p->out[0].ndim > 0 && total != p->out[0].size[params->dim])
    return nativert_no (p, "cat: %lld along the dimension, the result has %lld", (long long) total, (long long) p->out[0].size[params->dim]);
  params->n_in = p->n_in;
  params->n_parts = p->n_parts = nativert_parts (n, (int64_t) nativert_dtype_size (p->out[0].dtype));
  p->params_size = sizeof *params;
  p->cost = 2 * (uint64_t) n * nativert_dtype_size (p->out[0].dtype);
  return true;
}

static void
cat (const NativertCall *c, uint32_t part)
{
  const Params *params = c->params;
  NativertView window = c->out[0];
  int64_t step = window.stride[params->dim] * (int64_t) nativert_dtype_size (window.dtype);
  for (uint32_t i = 0; i < params->n_in; i++) {
    if (is_left_out (&c->in[i]))
      continue;
    window.size[params->dim] = c->in[i].size[params->dim];
    nativert_copy_views (&window, &c->in[i], part, params->n_parts);
    window.data = (char *) window.data + window.size[params->dim] * step;
  }
}

extern const NativertKernelSet nativert_set_cat;
static const NativertKernel rows[] = {
#define ROWS(id, storage, compute, ...)                                                         \
  { NATIVERT_OP_cat_default, NATIVERT_##id, NATIVERT_DEVICE_CPU, 0, "cat", prepare, cat },      \
  { NATIVERT_OP_concat_default, NATIVERT_##id, NATIVERT_DEVICE_CPU, 0, "cat", prepare, cat },
  NATIVERT_EVERY (ROWS, )
};
const NativertKernelSet nativert_set_cat = { rows, sizeof rows / sizeof *rows, "cat" };
