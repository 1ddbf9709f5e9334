/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* View rules with several results: pieces of the first input along one dimension. */
#include "kernels/rules.h"

#define NAME(p) nativert_ops[(p)->op].name

static bool
begin (NativertPrep *p, uint32_t dim_arg, uint32_t *dim)
{
  if (p->n_in < 1)
    return nativert_no (p, "%s: no tensor", NAME (p));
  if (p->in[0].ndim == 0)
    return nativert_no (p, "%s: a tensor without dimensions", NAME (p));
  return nativert_wrap_dim (p, nativert_arg_int (p, dim_arg, 0), p->in[0].ndim, dim);
}

static bool
piece (NativertPrep *p, uint32_t k, uint32_t dim, int64_t start, int64_t length)
{
  int64_t n = p->in[0].size[dim];
  if (k >= p->n_out || start < 0 || length < 0 || start > n || length > n - start)
    return nativert_no (p, "%s: piece %u of %u: %lld from %lld of %lld", NAME (p), k, p->n_out, (long long) length, (long long) start,
        (long long) n);
  p->out[k] = p->in[0];
  p->out[k].size[dim] = length;
  p->offset[k] = start * p->in[0].stride[dim];
  return true;
}

static bool
count (NativertPrep *p, int64_t n)
{
  return n == p->n_out || nativert_no (p, "%s: %lld pieces, the node has %u results", NAME (p), (long long) n, p->n_out);
}

static bool
equal_pieces (NativertPrep *p, uint32_t dim, int64_t length)
{
  int64_t n = p->in[0].size[dim];
  if (length < 0 || (length == 0 && n != 0))
    return nativert_no (p, "%s: pieces of %lld", NAME (p), (long long) length);
  int64_t pieces = length == 0 ? 1 : n / length + (n % length != 0);
  if (!count (p, pieces > 0 ? pieces : 1))
    return false;
  for (uint32_t k = 0; k < p->n_out; k++)
    if (!piece (p, k, dim, k * length, n - k * length < length ? n - k * length : length))
      return false;
  return true;
}

NATIVERT_VIEW (split)
{
  uint32_t dim;
  return begin (p, 2, &dim) && equal_pieces (p, dim, nativert_arg_int (p, 1, 0));
}

/* Fewer pieces than asked where rounding up leaves nothing for the last ones. */
NATIVERT_VIEW (chunk)
{
  uint32_t dim;
  int64_t chunks = nativert_arg_int (p, 1, 1);
  if (!begin (p, 2, &dim))
    return false;
  int64_t n = p->in[0].size[dim];
  if (chunks < 1)
    return nativert_no (p, "chunk: %lld chunks", (long long) chunks);
  if (n > 0)
    return equal_pieces (p, dim, n / chunks + (n % chunks != 0));
  if (!count (p, chunks))
    return false;
  for (uint32_t k = 0; k < p->n_out; k++)
    if (!piece (p, k, dim, 0, 0))
      return false;
  return true;
}

NATIVERT_VIEW (split_with_sizes)
{
  uint32_t dim;
  int64_t start = 0;
  if (!begin (p, 2, &dim))
    return false;
  if (p->arg[1].kind != NATIVERT_ARG_INTS || !count (p, p->arg[1].n))
    return nativert_no (p, "%s: %u sizes, the node has %u results", NAME (p), p->arg[1].n, p->n_out);
  for (uint32_t k = 0; k < p->n_out; k++) {
    if (!piece (p, k, dim, start, p->arg[1].u.ints[k]))
      return false;
    start += p->arg[1].u.ints[k];
  }
  return start == p->in[0].size[dim]
      || nativert_no (p, "%s: sizes add up to %lld of %lld", NAME (p), (long long) start, (long long) p->in[0].size[dim]);
}

NATIVERT_VIEW (tensor_split)
{
  uint32_t dim;
  int64_t sections = nativert_arg_int (p, 1, 1), start = 0;
  if (!begin (p, 2, &dim))
    return false;
  if (sections < 1 || !count (p, sections))
    return nativert_no (p, "tensor_split: %lld sections, the node has %u results", (long long) sections, p->n_out);
  int64_t n = p->in[0].size[dim];
  for (uint32_t k = 0; k < p->n_out; k++) {
    int64_t length = n / sections + (k < n % sections);
    if (!piece (p, k, dim, start, length))
      return false;
    start += length;
  }
  return true;
}

NATIVERT_VIEW (tensor_split_indices)
{
  uint32_t dim;
  if (!begin (p, 2, &dim))
    return false;
  if (p->arg[1].kind != NATIVERT_ARG_INTS || !count (p, (int64_t) p->arg[1].n + 1))
    return nativert_no (p, "tensor_split: %u indices, the node has %u results", p->arg[1].n, p->n_out);
  int64_t n = p->in[0].size[dim], start = 0;
  for (uint32_t k = 0; k < p->n_out; k++) {
    int64_t stop = k < p->arg[1].n ? p->arg[1].u.ints[k] : n, from = start;
    stop = stop < 0 ? stop + n : stop;
    stop = stop < 0 ? 0 : stop > n ? n : stop;
    start = stop;
    if (!piece (p, k, dim, from, stop > from ? stop - from : 0))
      return false;
  }
  return true;
}

NATIVERT_VIEW (unbind)
{
  uint32_t dim;
  if (!begin (p, 1, &dim) || !count (p, p->in[0].size[dim]))
    return false;
  for (uint32_t k = 0; k < p->n_out; k++) {
    NativertView *v = &p->out[k];
    *v = p->in[0];
    p->offset[k] = k * v->stride[dim];
    v->ndim--;
    for (uint32_t d = dim; d < v->ndim; d++) {
      v->size[d] = v->size[d + 1];
      v->stride[d] = v->stride[d + 1];
    }
  }
  return true;
}
