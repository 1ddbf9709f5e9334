/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What shape, view and expand functions are written with: checked sizes, dimensions, broadcasting. */
#include <stdio.h>
#include "kernels/rules.h"

void
nativert_view_init (NativertView *v, uint8_t dtype, uint32_t ndim, const int64_t *size)
{
  int64_t stride = 1;
  v->dtype = dtype;
  v->device = NATIVERT_DEVICE_CPU;
  v->ndim = (uint8_t) ndim;
  for (uint32_t d = ndim; d-- > 0;) {
    v->size[d] = size[d];
    v->stride[d] = stride;
    stride *= size[d] > 1 ? size[d] : 1;
  }
}

int64_t
nativert_view_numel (const NativertView *v)
{
  int64_t n = 1;
  for (int d = 0; d < v->ndim; d++)
    n *= v->size[d];
  return n;
}

/* As torch: strides of dimensions of size 1 do not matter, an empty tensor is contiguous. */
bool
nativert_view_is_contiguous (const NativertView *v)
{
  int64_t stride = 1;
  if (nativert_view_numel (v) == 0)
    return true;
  for (int d = v->ndim; d-- > 0;) {
    if (v->size[d] == 1)
      continue;
    if (v->stride[d] != stride)
      return false;
    stride *= v->size[d];
  }
  return true;
}

const char *
nativert_sizes_text (char *buf, size_t n, uint32_t ndim, const int64_t *size)
{
  size_t at = 0;
  buf[0] = 0;
  for (uint32_t d = 0; d < ndim && at < n; d++)
    at += (size_t) snprintf (buf + at, n - at, "%s%lld", d ? ", " : "[", (long long) size[d]);
  if (at < n)
    snprintf (buf + at, n - at, "%s", ndim ? "]" : "[]");
  return buf;
}

bool
nativert_wrap_dim (NativertPrep *p, int64_t dim, uint32_t ndim, uint32_t *wrapped)
{
  int64_t n = ndim ? ndim : 1;
  if (dim < -n || dim >= n)
    return nativert_no (p, "%s: dimension %lld of %u", nativert_ops[p->op].name, (long long) dim, ndim);
  *wrapped = (uint32_t) (dim < 0 ? dim + n : dim);
  return true;
}

bool
nativert_wrap_dims (NativertPrep *p, uint32_t arg, uint32_t ndim, uint32_t *mask)
{
  const NativertArg *a = &p->arg[arg];
  int64_t one = a->u.i;
  bool single = arg < p->n_arg && a->kind == NATIVERT_ARG_INT, list = arg < p->n_arg && a->kind == NATIVERT_ARG_INTS;
  uint32_t n = single ? 1 : list ? a->n : 0;
  const int64_t *dims = single ? &one : list ? a->u.ints : NULL;
  *mask = n ? 0 : (1u << (ndim ? ndim : 1)) - 1;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t d = 0;
    if (!nativert_wrap_dim (p, dims[i], ndim, &d))
      return false;
    if (*mask & 1u << d)
      return nativert_no (p, "%s: dimension %u twice", nativert_ops[p->op].name, d);
    *mask |= 1u << d;
  }
  return true;
}

bool
nativert_checked_numel (NativertPrep *p, uint32_t n, const int64_t *size, int64_t *numel)
{
  int64_t product = 1;
  bool empty = false;
  for (uint32_t d = 0; d < n; d++) {
    if (size[d] < 0)
      return nativert_no (p, "%s: size %lld in dimension %u", nativert_ops[p->op].name, (long long) size[d], d);
    empty |= size[d] == 0;
    if (size[d] && __builtin_mul_overflow (product, size[d], &product))
      return nativert_no (p, "%s: more elements than a 64-bit integer counts", nativert_ops[p->op].name);
  }
  *numel = empty ? 0 : product;
  /* 16 bytes is the largest element */
  if (product > INT64_MAX / 16)
    return nativert_no (p, "%s: %lld elements", nativert_ops[p->op].name, (long long) product);
  return true;
}

bool
nativert_infer_sizes (NativertPrep *p, int64_t numel, uint32_t n, const int64_t *want, int64_t *size)
{
  int64_t known = 1, total;
  int hole = -1;
  if (n > NATIVERT_MAX_DIMS)
    return nativert_no (p, "%s: %u dimensions, at most %d are supported", nativert_ops[p->op].name, n, NATIVERT_MAX_DIMS);
  for (uint32_t d = 0; d < n; d++) {
    size[d] = want[d];
    if (want[d] != -1)
      continue;
    if (hole >= 0)
      return nativert_no (p, "%s: two sizes of -1", nativert_ops[p->op].name);
    hole = (int) d;
    size[d] = 1;
  }
  if (!nativert_checked_numel (p, n, size, &known))
    return false;
  if (hole >= 0) {
    if (known == 0 || numel % known)
      return nativert_no (p, "%s: -1 cannot be inferred, %lld elements over %lld", nativert_ops[p->op].name, (long long) numel,
          (long long) known);
    size[hole] = numel / known;
  }
  char text[160];
  if (!nativert_checked_numel (p, n, size, &total) || total != numel)
    return nativert_no (p, "%s: %lld elements do not make %s", nativert_ops[p->op].name, (long long) numel,
        nativert_sizes_text (text, sizeof text, n, size));
  return true;
}

bool
nativert_result (NativertPrep *p, uint32_t k, uint8_t dtype, uint32_t ndim, const int64_t *size)
{
  int64_t numel;
  if (k >= p->n_out)
    return nativert_no (p, "%s: %u results, needs at least %u", nativert_ops[p->op].name, p->n_out, k + 1);
  if (ndim > NATIVERT_MAX_DIMS)
    return nativert_no (p, "%s: %u dimensions, at most %d are supported", nativert_ops[p->op].name, ndim, NATIVERT_MAX_DIMS);
  if (!nativert_checked_numel (p, ndim, size, &numel))
    return false;
  nativert_view_init (&p->out[k], dtype, ndim, size);
  return true;
}

bool
nativert_broadcast (NativertPrep *p, const NativertView *v, uint32_t *ndim, int64_t *size)
{
  if (v->ndim > *ndim) {
    uint32_t lead = v->ndim - *ndim;
    for (uint32_t d = *ndim; d-- > 0;)
      size[d + lead] = size[d];
    for (uint32_t d = 0; d < lead; d++)
      size[d] = 1;
    *ndim = v->ndim;
  }
  uint32_t lead = *ndim - v->ndim;
  for (uint32_t d = 0; d < v->ndim; d++) {
    int64_t *to = &size[d + lead], from = v->size[d];
    if (*to == 1)
      *to = from;
    else if (from != 1 && from != *to)
      return nativert_no (p, "%s: sizes %lld and %lld of dimension %u do not broadcast", nativert_ops[p->op].name, (long long) *to,
          (long long) from, d + lead);
  }
  return true;
}

bool
nativert_shape_pointwise (NativertPrep *p)
{
  const NativertOp *op = &nativert_ops[p->op];
  uint32_t ndim = 0;
  int64_t size[NATIVERT_MAX_DIMS];
  if (op->dispatch >= p->n_in)
    return nativert_no (p, "%s: %u tensors", op->name, p->n_in);
  for (uint32_t i = 0; i < p->n_in; i++)
    if (!nativert_broadcast (p, &p->in[i], &ndim, size))
      return false;
  return nativert_result (p, 0, op->flags & NATIVERT_FLAG_BOOL ? NATIVERT_BOOL : p->in[op->dispatch].dtype, ndim, size);
}
