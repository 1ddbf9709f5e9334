/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sizes of operators that move elements about. */
#include "kernels/rules.h"

#define NAME(p) nativert_ops[(p)->op].name

/* Torch's old rule stays: 1-d tensors without elements are left out whatever the others' ranks. */
NATIVERT_SHAPE (cat)
{
  const NativertArg *list = &p->arg[0];
  const NativertView *first = NULL;
  int64_t size[NATIVERT_MAX_DIMS], total = 0;
  uint32_t dim = 0;
  if (list->kind != NATIVERT_ARG_TENSORS || list->n == 0 || p->n_in != list->n)
    return nativert_no (p, "%s: no list of tensors", NAME (p));
  for (uint32_t i = 0; i < p->n_in; i++) {
    const NativertView *v = &p->in[i];
    if (v->ndim == 1 && v->size[0] == 0)
      continue;
    if (!first) {
      first = v;
      if (v->ndim == 0)
        return nativert_no (p, "%s: tensor %u has no dimensions", NAME (p), i);
      if (!nativert_wrap_dim (p, nativert_arg_int (p, 1, 0), v->ndim, &dim))
        return false;
    }
    if (v->ndim != first->ndim)
      return nativert_no (p, "%s: tensor %u has %u dimensions, the first %u", NAME (p), i, v->ndim, first->ndim);
    for (uint32_t d = 0; d < v->ndim; d++)
      if (d != dim && v->size[d] != first->size[d])
        return nativert_no (p, "%s: tensor %u has size %lld in dimension %u, the first %lld", NAME (p), i, (long long) v->size[d], d,
            (long long) first->size[d]);
    if (__builtin_add_overflow (total, v->size[dim], &total))
      return nativert_no (p, "%s: too many elements", NAME (p));
  }
  if (!first)
    return nativert_result (p, 0, p->in[0].dtype, 1, &total);
  for (uint32_t d = 0; d < first->ndim; d++)
    size[d] = d == dim ? total : first->size[d];
  return nativert_result (p, 0, p->in[0].dtype, first->ndim, size);
}

NATIVERT_SHAPE (same)
{
  return p->n_in >= 1 && nativert_result (p, 0, p->in[0].dtype, p->in[0].ndim, p->in[0].size);
}

/* self, dims_before, indices */
NATIVERT_SHAPE (index)
{
  const NativertView *x = &p->in[0];
  int64_t size[NATIVERT_MAX_DIMS], before = nativert_arg_int (p, 1, 0);
  uint32_t n = 0, k = p->arg[2].kind == NATIVERT_ARG_TENSORS ? p->arg[2].n : 0;
  if (k == 0 || p->n_in != k + 1 || before < 0 || before + k > x->ndim || x->ndim - k + p->in[1].ndim > NATIVERT_MAX_DIMS)
    return nativert_no (p, "%s: %u indices after %lld of %u dimensions", NAME (p), k, (long long) before, x->ndim);
  for (int64_t d = 0; d < before; d++)
    size[n++] = x->size[d];
  for (uint32_t d = 0; d < p->in[1].ndim; d++)
    size[n++] = p->in[1].size[d];
  for (uint32_t d = (uint32_t) before + k; d < x->ndim; d++)
    size[n++] = x->size[d];
  return nativert_result (p, 0, x->dtype, n, size);
}

NATIVERT_SHAPE (gather)
{
  return p->n_in == 2 ? nativert_result (p, 0, p->in[0].dtype, p->in[1].ndim, p->in[1].size) : nativert_no (p, "gather: %u tensors", p->n_in);
}

/* self, value, before, after */
NATIVERT_SHAPE (pad)
{
  int64_t size[NATIVERT_MAX_DIMS];
  const NativertView *x = &p->in[0];
  if (p->n_in != 2 || p->arg[2].kind != NATIVERT_ARG_INTS || p->arg[3].kind != NATIVERT_ARG_INTS || p->arg[2].n != x->ndim || p->arg[3].n != x->ndim)
    return nativert_no (p, "pad: %u and %u numbers for %u dimensions", p->arg[2].n, p->arg[3].n, x->ndim);
  for (uint32_t d = 0; d < x->ndim; d++) {
    int64_t before = p->arg[2].u.ints[d], after = p->arg[3].u.ints[d];
    if (before < 0 || after < 0 || __builtin_add_overflow (x->size[d], before, &size[d]) || __builtin_add_overflow (size[d], after, &size[d]))
      return nativert_no (p, "pad: %lld and %lld around %lld", (long long) before, (long long) after, (long long) x->size[d]);
  }
  return nativert_result (p, 0, x->dtype, x->ndim, size);
}

/* self, src, start, step: lists with one number a dimension */
NATIVERT_SHAPE (put)
{
  uint32_t n = p->in[0].ndim;
  if (p->n_in != 2 || p->arg[2].kind != NATIVERT_ARG_INTS || p->arg[3].kind != NATIVERT_ARG_INTS || p->arg[2].n != n || p->arg[3].n != n)
    return nativert_no (p, "put: %u starts, %u steps for %u dimensions", p->arg[2].n, p->arg[3].n, n);
  return nativert_result (p, 0, p->in[0].dtype, n, p->in[0].size);
}

NATIVERT_SHAPE (arange)
{
  bool arange = p->op == NATIVERT_OP_nativert_arange;
  int64_t n = nativert_arg_int (p, arange ? 4 : 2, 0);
  return nativert_result (p, 0, (uint8_t) nativert_arg_int (p, arange ? 5 : 3, NATIVERT_F32), 1, &n);
}

/* self, dim, descending, k: k of the dimension's elements stay */
NATIVERT_SHAPE (sort)
{
  const NativertView *x = &p->in[0];
  int64_t size[NATIVERT_MAX_DIMS], k = nativert_arg_int (p, 3, 0);
  uint32_t dim;
  if (p->n_in != 1 || p->n_out != 2 || !nativert_wrap_dim (p, nativert_arg_int (p, 1, -1), x->ndim, &dim))
    return p->reason[0] ? false : nativert_no (p, "%s: %u tensors, %u results", NAME (p), p->n_in, p->n_out);
  for (uint32_t d = 0; d < x->ndim; d++)
    size[d] = d == dim ? k : x->size[d];
  if (k < 0 || k > (x->ndim ? x->size[dim] : 1))
    return nativert_no (p, "%s: %lld of %lld", NAME (p), (long long) k, x->ndim ? (long long) x->size[dim] : 1LL);
  return nativert_result (p, 0, x->dtype, x->ndim, size) && nativert_result (p, 1, NATIVERT_I64, x->ndim, size);
}

/* sorted, self: the last dimension of sorted, the others in common (or sorted has one) */
NATIVERT_SHAPE (searchsorted)
{
  return p->n_in == 2 && nativert_result (p, 0, NATIVERT_I64, p->in[1].ndim, p->in[1].size);
}

/* geometry: kernel, dilation, padding, stride, output, each two numbers */
NATIVERT_SHAPE (col2im)
{
  const NativertArg *g = &p->arg[1];
  const NativertView *x = &p->in[0];
  if (g->kind != NATIVERT_ARG_INTS || g->n != 10 || x->ndim != 3 || g->u.ints[0] < 1 || g->u.ints[1] < 1 || g->u.ints[0] > x->size[1] || g->u.ints[1] > x->size[1]
      || x->size[1] % (g->u.ints[0] * g->u.ints[1]))
    return nativert_no (p, "col2im: the input is not [N, C * kernel, places]");
  int64_t size[] = { x->size[0], x->size[1] / (g->u.ints[0] * g->u.ints[1]), g->u.ints[8], g->u.ints[9] };
  return nativert_result (p, 0, x->dtype, 4, size);
}
