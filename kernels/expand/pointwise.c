/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pointwise operators with scalar arguments: the numbers become 0-d inputs of simpler rows. */
#include "kernels/rules.h"

static bool
is_one (const NativertArg *a)
{
  return a->kind == NATIVERT_ARG_NONE || (a->kind == NATIVERT_ARG_FLOAT ? a->u.f == 1 : a->kind != NATIVERT_ARG_TENSOR && a->u.i == 1);
}

/* alpha 1, nearly always: the plain row. */
NATIVERT_EXPAND (add)
{
  if (is_one (&p->arg[2]))
    return false;
  out[0] = nativert_emit (e, NATIVERT_OP_nativert_add_alpha, NATIVERT_T (p->ref[0]), NATIVERT_T (p->ref[1]),
      NATIVERT_T (nativert_scalar_ref (e, p, 2, p->in[0].dtype)));
  return true;
}

NATIVERT_EXPAND (sub)
{
  if (is_one (&p->arg[2]))
    return false;
  NativertRef alpha = nativert_scalar_ref (e, p, 2, p->in[0].dtype);
  alpha = nativert_emit (e, NATIVERT_OP_neg_default, NATIVERT_T (alpha));
  out[0] = nativert_emit (e, NATIVERT_OP_nativert_add_alpha, NATIVERT_T (p->ref[0]), NATIVERT_T (p->ref[1]), NATIVERT_T (alpha));
  return true;
}

/* The weight is per channel, dimension 1. */
NATIVERT_EXPAND (prelu)
{
  int64_t size[NATIVERT_MAX_DIMS] = { 1 };
  uint32_t ndim = p->in[0].ndim ? p->in[0].ndim : 1;
  for (uint32_t d = 0; d < ndim; d++)
    size[d] = d == 1 ? nativert_view_numel (&p->in[1]) : 1;
  NativertRef weight = ndim == 1 ? p->ref[1] : nativert_emit_view (e, p->ref[1], ndim, size);
  out[0] = nativert_emit (e, NATIVERT_OP__prelu_kernel_default, NATIVERT_T (p->ref[0]), NATIVERT_T (weight));
  return true;
}
