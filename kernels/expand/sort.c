/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ATen's forms of sorting: all of a dimension, its places only, or its first k. */
#include "kernels/rules.h"

static bool
emit_sort (NativertEmit *e, NativertRef self, int64_t k, int64_t dim, bool descending, NativertRef result[2])
{
  const NativertArg args[] = { NATIVERT_T (self), NATIVERT_I (k), NATIVERT_I (dim), NATIVERT_B (descending) };
  return e->op (e, NATIVERT_OP_nativert_sort, 4, args, 2, result);
}

NATIVERT_EXPAND (sort)
{
  bool stable = p->op == NATIVERT_OP_sort_stable || p->op == NATIVERT_OP_argsort_stable;
  bool rows = p->op == NATIVERT_OP_msort_default;
  int64_t dim = rows ? 0 : nativert_arg_int (p, 1 + stable, -1);
  bool descending = !rows && nativert_arg_int (p, 2 + stable, 0);
  NativertRef result[2] = { NATIVERT_NO_REF, NATIVERT_NO_REF };
  uint32_t d;

  if (!nativert_wrap_dim (p, dim, p->in[0].ndim, &d))
    return false;
  emit_sort (e, p->ref[0], p->in[0].ndim ? p->in[0].size[d] : 1, dim, descending, result);
  if (p->n_out == 2) {
    out[0] = result[0];
    out[1] = result[1];
  } else {
    out[0] = result[rows ? 0 : 1];
  }
  return true;
}

NATIVERT_EXPAND (topk)
{
  return emit_sort (e, p->ref[0], nativert_arg_int (p, 1, 0), nativert_arg_int (p, 2, -1), nativert_arg_int (p, 3, 1), out);
}
