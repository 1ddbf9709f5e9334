/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sizes and plan-time decisions of reductions, and the walk over reduced dimensions. */
#include <string.h>
#include "kernels/reduce.h"

#define NAME(p) nativert_ops[(p)->op].name

static bool
reduced_size (NativertPrep *p, uint32_t k, uint32_t mask, bool keep, uint8_t dtype)
{
  const NativertView *x = &p->in[0];
  int64_t size[NATIVERT_MAX_DIMS];
  uint32_t n = 0;
  for (uint32_t d = 0; d < x->ndim; d++)
    if (!(mask & 1u << d))
      size[n++] = x->size[d];
    else if (keep)
      size[n++] = 1;
  return nativert_result (p, k, dtype, n, size);
}

/* self, dimensions, keepdim; some have two results. */
NATIVERT_SHAPE (reduce)
{
  uint32_t mask;
  if (p->n_in != 1 || !nativert_wrap_dims (p, 1, p->in[0].ndim, &mask))
    return p->reason[0] ? false : nativert_no (p, "%s: %u tensors", NAME (p), p->n_in);
  bool keep = nativert_arg_int (p, 2, 0);
  uint8_t dtype = nativert_ops[p->op].flags & NATIVERT_FLAG_BOOL ? NATIVERT_BOOL : p->in[0].dtype;
  bool needs_one = p->op == NATIVERT_OP_nativert_amax || p->op == NATIVERT_OP_nativert_amin || p->op == NATIVERT_OP_max_dim || p->op == NATIVERT_OP_min_dim;
  for (uint32_t d = 0; needs_one && d < p->in[0].ndim; d++)
    if ((mask & 1u << d) && p->in[0].size[d] == 0)
      return nativert_no (p, "%s: no elements in dimension %u", NAME (p), d);
  if (!reduced_size (p, 0, mask, keep, dtype))
    return false;
  return p->n_out < 2 || reduced_size (p, 1, mask, keep, NATIVERT_I64);
}

static uint32_t
collapse (int64_t *size, int64_t *stride, uint32_t n)
{
  uint32_t m = 0;
  for (uint32_t d = 0; d < n; d++)
    if (m > 0 && stride[d] == stride[m - 1] * size[m - 1])
      size[m - 1] *= size[d];
    else {
      size[m] = size[d];
      stride[m++] = stride[d];
    }
  return m;
}

static void
reduced_dims (NativertReduce *r, const NativertView *x, uint32_t mask)
{
  int64_t size[NATIVERT_MAX_DIMS], stride[NATIVERT_MAX_DIMS];
  uint32_t n = 0;
  for (int d = x->ndim; d-- > 0;) {
    if (!(mask & 1u << d) || x->size[d] == 1)
      continue;
    uint32_t at = n++;
    while (at > 0 && stride[at - 1] > x->stride[d]) {
      size[at] = size[at - 1];
      stride[at] = stride[at - 1];
      at--;
    }
    size[at] = x->size[d];
    stride[at] = x->stride[d];
  }
  n = collapse (size, stride, n);
  r->n_reduced_dims = (uint8_t) n;
  memcpy (r->size + r->n_kept_dims, size, n * sizeof *size);
  memcpy (r->stride + r->n_kept_dims, stride, n * sizeof *stride);
}

/* Kept dimensions keep their order: the result is contiguous. */
static void
kept_dims (NativertReduce *r, const NativertView *x, uint32_t mask)
{
  uint32_t m = 0;
  for (int d = 0; d < x->ndim; d++) {
    if ((mask & 1u << d) || x->size[d] == 1)
      continue;
    if (m > 0 && r->stride[m - 1] == x->stride[d] * x->size[d])
      r->size[m - 1] *= x->size[d];
    else
      r->size[m++] = x->size[d];
    r->stride[m - 1] = x->stride[d];
  }
  r->n_kept_dims = (uint8_t) m;
}

bool
nativert_reduce_prepare (NativertPrep *p)
{
  NativertReduce *r = p->params;
  const NativertView *x = &p->in[0];
  uint32_t mask;
  if (!nativert_wrap_dims (p, 1, x->ndim, &mask))
    return false;
  memset (r, 0, sizeof *r);
  r->n_results = nativert_view_numel (&p->out[0]);
  r->n_reduced = 1;
  int64_t kept = 1;
  for (int d = 0; d < x->ndim; d++)
    if (mask & 1u << d)
      r->n_reduced *= x->size[d];
    else
      kept *= x->size[d];
  if (kept != r->n_results || !nativert_view_is_contiguous (&p->out[0]))
    return nativert_no (p, "%s: the result is not contiguous, or of another size", NAME (p));
  kept_dims (r, x, mask);
  reduced_dims (r, x, mask);
  uint32_t k = r->n_kept_dims;
  r->by_columns = k > 0 && r->stride[k - 1] == 1 && r->size[k - 1] >= 4 && r->n_reduced_dims > 0 && r->stride[k] != 1;
  r->bands = r->by_columns ? (r->size[k - 1] + NATIVERT_COLUMNS - 1) / NATIVERT_COLUMNS : 1;
  int64_t units = r->by_columns ? r->n_results / r->size[k - 1] * r->bands : r->n_results;
  p->n_parts = r->n_parts = nativert_parts (units, r->n_reduced * (r->by_columns ? NATIVERT_COLUMNS : 1) * (int64_t) nativert_dtype_size (x->dtype));
  p->params_size = sizeof *r;
  p->cost = (uint64_t) (r->n_results * r->n_reduced) * nativert_dtype_size (x->dtype);
  return true;
}

const char *
nativert_reduce_unit (const NativertReduce *r, const char *in, size_t element, int64_t u, int64_t *first, int64_t *n)
{
  int64_t rest = u, offset = 0;
  int d = r->n_kept_dims;
  *n = 1;
  *first = u;
  if (r->by_columns) {
    int64_t width = r->size[--d], at = u % r->bands * NATIVERT_COLUMNS;
    rest = u / r->bands;
    *n = width - at < NATIVERT_COLUMNS ? width - at : NATIVERT_COLUMNS;
    *first = rest * width + at;
    offset = at;
  }
  while (d-- > 0) {
    offset += rest % r->size[d] * r->stride[d];
    rest /= r->size[d];
  }
  return in + offset * (int64_t) element;
}

void
nativert_reduce_walk (const NativertReduce *r, const char *x, size_t element, int64_t columns, NativertReduceRun fn, void *state)
{
  const int64_t *size = r->size + r->n_kept_dims, *stride = r->stride + r->n_kept_dims;
  int64_t at[NATIVERT_MAX_DIMS] = { 0 }, bytes = (int64_t) element;
  uint32_t first = r->by_columns ? 0 : 1, n = r->n_reduced_dims;
  if (r->n_reduced == 0)
    return;
  for (;;) {
    if (r->by_columns)
      fn (x, columns, 1, state);
    else
      fn (x, n ? size[0] : 1, n ? stride[0] : 1, state);
    uint32_t d = first;
    for (; d < n; d++) {
      x += stride[d] * bytes;
      if (++at[d] < size[d])
        break;
      x -= stride[d] * size[d] * bytes;
      at[d] = 0;
    }
    if (d >= n)
      return;
  }
}

bool
nativert_along_prepare (NativertPrep *p, NativertAlong *a, uint32_t arg)
{
  const NativertView *x = &p->in[0];
  uint32_t dim;
  if (!nativert_wrap_dim (p, nativert_arg_int (p, arg, -1), x->ndim, &dim))
    return false;
  if (!nativert_view_is_contiguous (x))
    return nativert_no (p, "%s: the input is not contiguous", NAME (p));
  for (uint32_t k = 0; k < p->n_out; k++)
    if (!nativert_view_is_contiguous (&p->out[k]))
      return nativert_no (p, "%s: result %u is not contiguous", NAME (p), k);
  a->outer = a->inner = 1;
  a->n = x->ndim ? x->size[dim] : 1;
  for (uint32_t d = 0; d < x->ndim; d++)
    if (d != dim)
      *(d < dim ? &a->outer : &a->inner) *= x->size[d];
  p->cost = (uint64_t) nativert_view_numel (x) * nativert_dtype_size (x->dtype) * 2;
  p->n_parts = a->n_parts = nativert_parts (a->outer, a->n * a->inner * (int64_t) nativert_dtype_size (x->dtype) * 2);
  return true;
}

/* cumsum and cumprod: the dtype is settled before. */
NATIVERT_SHAPE (along)
{
  uint32_t dim;
  return p->n_in == 1 && nativert_wrap_dim (p, nativert_arg_int (p, 1, -1), p->in[0].ndim, &dim)
      && nativert_result (p, 0, p->in[0].dtype, p->in[0].ndim, p->in[0].size);
}
