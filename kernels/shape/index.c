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
