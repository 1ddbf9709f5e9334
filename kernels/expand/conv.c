/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every convolution of ATen becomes nativert::conv or nativert::conv_transpose. */
#include <string.h>
#include "kernels/args.h"
#include "kernels/ops.h"

static NativertArg
tensor_or_none (const NativertPrep *p, unsigned i)
{
  int index = nativert_arg_index (p, i);
  return index < 0 ? NATIVERT_NONE : NATIVERT_T (p->ref[index]);
}

static bool
finish (NativertRef result, NativertRef *out)
{
  out[0] = result;
  return result != NATIVERT_NO_REF;
}

static NativertRef
forward (
    NativertEmit *e, NativertPrep *p, NativertArg stride, NativertArg padding, NativertArg dilation, NativertArg groups)
{
  return nativert_emit (e, NATIVERT_OP_nativert_conv, tensor_or_none (p, 0), tensor_or_none (p, 1),
      tensor_or_none (p, 2), stride, padding, dilation, groups, NATIVERT_NONE, NATIVERT_I (NATIVERT_ACT_NONE),
      NATIVERT_F (0), NATIVERT_F (0));
}

static NativertRef
transposed (NativertEmit *e, NativertPrep *p, NativertArg stride, NativertArg padding, NativertArg extra,
    NativertArg groups, NativertArg dilation)
{
  return nativert_emit (e, NATIVERT_OP_nativert_conv_transpose, tensor_or_none (p, 0), tensor_or_none (p, 1),
      tensor_or_none (p, 2), stride, padding, extra, groups, dilation);
}

/* conv*d.default (input, weight, bias, stride, padding, dilation, groups) */
NATIVERT_EXPAND (conv)
{
  return finish (forward (e, p, p->arg[3], p->arg[4], p->arg[5], p->arg[6]), out);
}

/* conv*d.padding: "valid" or "same", the odd element of an uneven border at the end. */
NATIVERT_EXPAND (conv_padding)
{
  const NativertView *w = nativert_arg_view (p, 1);
  const char *mode = p->arg[4].kind == NATIVERT_ARG_STRING ? p->arg[4].u.s : "";
  bool same = !strcmp (mode, "same");
  int64_t border[6] = { 0 }, dilation[3], stride[3];
  if (!same && strcmp (mode, "valid"))
    return nativert_no (p, "padding \"%s\" is neither \"same\" nor \"valid\"", mode);
  if (!w || w->ndim < 3 || w->ndim > 5)
    return nativert_no (p, "convolution weight has %d dimensions, want 3 to 5", w ? w->ndim : 0);
  unsigned nd = w->ndim - 2u;
  if (!nativert_arg_list (p, 5, nd, dilation, "dilation") || !nativert_arg_list (p, 3, nd, stride, "stride"))
    return false;
  for (unsigned d = 0; same && d < nd; d++) {
    int64_t total;
    if (stride[d] != 1 || __builtin_mul_overflow (dilation[d], w->size[2 + d] - 1, &total))
      return nativert_no (
          p, "padding \"same\" with stride %lld, dilation %lld", (long long) stride[d], (long long) dilation[d]);
    border[d] = total / 2;
    border[nd + d] = total - total / 2;
  }
  return finish (forward (e, p, p->arg[3], NATIVERT_IS (border, 2 * nd), p->arg[5], p->arg[6]), out);
}

/* conv_transpose*d (input, weight, bias, stride, padding, output_padding, groups, dilation) */
NATIVERT_EXPAND (conv_transpose)
{
  return finish (transposed (e, p, p->arg[3], p->arg[4], p->arg[5], p->arg[6], p->arg[7]), out);
}

/* convolution, _convolution (input, weight, bias, stride, padding, dilation, transposed, output_padding, groups, ...)
 */
NATIVERT_EXPAND (convolution)
{
  if (nativert_arg_int (p, 6, 0))
    return finish (transposed (e, p, p->arg[3], p->arg[4], p->arg[7], p->arg[8], p->arg[5]), out);
  return finish (forward (e, p, p->arg[3], p->arg[4], p->arg[5], p->arg[8]), out);
}
