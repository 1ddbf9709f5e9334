/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* aten::linear is nativert::linear without residual and activation. */
#include "kernels/args.h"
#include "kernels/ops.h"

NATIVERT_EXPAND (linear)
{
  int x = nativert_arg_index (p, 0), w = nativert_arg_index (p, 1), b = nativert_arg_index (p, 2);
  if (x < 0 || w < 0)
    return nativert_no (p, "linear without input or weight");
  out[0] = nativert_emit (e, NATIVERT_OP_nativert_linear, NATIVERT_T (p->ref[x]), NATIVERT_T (p->ref[w]),
    b < 0 ? NATIVERT_NONE : NATIVERT_T (p->ref[b]), NATIVERT_NONE, NATIVERT_I (NATIVERT_ACT_NONE), NATIVERT_F (0), NATIVERT_F (0));
  return out[0] != NATIVERT_NO_REF;
}
