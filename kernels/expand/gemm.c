/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Products that are other products: aten::linear is nativert::linear without residual and activation. */
#include "kernels/args.h"
#include "kernels/ops.h"

NATIVERT_EXPAND (linear)
{
  int x = nativert_arg_index (p, 0), w = nativert_arg_index (p, 1), b = nativert_arg_index (p, 2);
  if (x < 0 || w < 0)
    return nativert_no (p, "linear without input or weight");
  out[0] = nativert_emit (e, NATIVERT_OP_nativert_linear, NATIVERT_T (p->ref[x]), NATIVERT_T (p->ref[w]),
      b < 0 ? NATIVERT_NONE : NATIVERT_T (p->ref[b]), NATIVERT_NONE, NATIVERT_I (NATIVERT_ACT_NONE), NATIVERT_F (0),
      NATIVERT_F (0));
  return out[0] != NATIVERT_NO_REF;
}

/* addbmm (self, batch1, batch2, beta, alpha): the sum over the batch is part of the sum of one product. */
NATIVERT_EXPAND (addbmm)
{
  const NativertView *a = nativert_arg_view (p, 1), *b = nativert_arg_view (p, 2);
  if (!a || !b || a->ndim != 3 || b->ndim != 3 || a->size[0] != b->size[0] || a->size[2] != b->size[1])
    return nativert_no (p, "addbmm of %d and %d dimensions", a ? a->ndim : -1, b ? b->ndim : -1);
  int64_t rows[] = { a->size[1], a->size[0] * a->size[2] }, columns[] = { b->size[0] * b->size[1], b->size[2] };
  NativertRef x = nativert_emit (
      e, NATIVERT_OP_permute_default, NATIVERT_T (p->ref[1]), NATIVERT_IS (((int64_t[]){ 1, 0, 2 }), 3));
  x = nativert_emit (e, NATIVERT_OP_reshape_default, NATIVERT_T (x), NATIVERT_IS (rows, 2));
  NativertRef y = nativert_emit (e, NATIVERT_OP_reshape_default, NATIVERT_T (p->ref[2]), NATIVERT_IS (columns, 2));
  out[0] = nativert_emit (
      e, NATIVERT_OP_addmm_default, NATIVERT_T (p->ref[0]), NATIVERT_T (x), NATIVERT_T (y), p->arg[3], p->arg[4]);
  return out[0] != NATIVERT_NO_REF;
}
