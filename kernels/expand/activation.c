/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Activations and clamps with parameters. */
#include <math.h>
#include <string.h>
#include "kernels/rules.h"

static NativertRef
number (NativertEmit *e, NativertPrep *p, uint32_t k)
{
  return nativert_scalar_ref (e, p, k, p->in[0].dtype);
}

NATIVERT_EXPAND (clamp)
{
  bool only_max = p->op == NATIVERT_OP_clamp_max_default;
  uint32_t low = 1, high = only_max ? 1 : 2;
  bool has_low = !only_max && !nativert_arg_is_none (p, low), has_high = p->op != NATIVERT_OP_clamp_min_default && !nativert_arg_is_none (p, high);
  uint8_t dtype = p->in[0].dtype;
  if (!has_low && !has_high)
    return nativert_no (p, "%s: neither min nor max", nativert_ops[p->op].name);
  if (p->op != NATIVERT_OP_hardtanh_default) {
    dtype = has_low ? nativert_scalar_dtype (p, low, dtype) : dtype;
    dtype = has_high ? nativert_scalar_dtype (p, high, dtype) : dtype;
  }
  NativertRef self = nativert_emit_cast (e, p->ref[0], dtype), a = has_low ? nativert_scalar_ref (e, p, low, dtype) : 0;
  NativertRef b = has_high ? nativert_scalar_ref (e, p, high, dtype) : 0;
  if (has_low && has_high)
    out[0] = nativert_emit (e, NATIVERT_OP_nativert_clamp, NATIVERT_T (self), NATIVERT_T (a), NATIVERT_T (b));
  else
    out[0] = nativert_emit (e, has_low ? NATIVERT_OP_maximum_default : NATIVERT_OP_minimum_default, NATIVERT_T (self), NATIVERT_T (has_low ? a : b));
  return true;
}

NATIVERT_EXPAND (clamp_Tensor)
{
  NativertRef x = p->ref[0], low = nativert_arg_ref (p, 1), high = nativert_arg_ref (p, 2);
  if (low == NATIVERT_NO_REF && high == NATIVERT_NO_REF)
    return nativert_no (p, "clamp: neither min nor max");
  if (low != NATIVERT_NO_REF)
    x = nativert_emit (e, NATIVERT_OP_maximum_default, NATIVERT_T (x), NATIVERT_T (low));
  if (high != NATIVERT_NO_REF)
    x = nativert_emit (e, NATIVERT_OP_minimum_default, NATIVERT_T (x), NATIVERT_T (high));
  out[0] = x;
  return true;
}

static bool
elu (NativertEmit *e, NativertPrep *p, NativertRef *out)
{
  bool celu = p->op == NATIVERT_OP_celu_default;
  double alpha = nativert_arg_float (p, 1, 1), scale = celu ? 1 : nativert_arg_float (p, 2, 1);
  double input_scale = celu ? 1 / alpha : nativert_arg_float (p, 3, 1);
  uint8_t dtype = p->in[0].dtype;
  out[0] = nativert_emit (e, NATIVERT_OP_nativert_elu, NATIVERT_T (p->ref[0]), NATIVERT_T (nativert_emit_float (e, dtype, alpha * scale)),
      NATIVERT_T (nativert_emit_float (e, dtype, scale)), NATIVERT_T (nativert_emit_float (e, dtype, input_scale)));
  return true;
}

NATIVERT_EXPAND (activation)
{
  NativertArg x = NATIVERT_T (p->ref[0]);
  switch (p->op) {
    case NATIVERT_OP_leaky_relu_default:
      out[0] = nativert_emit (e, NATIVERT_OP_nativert_leaky_relu, x, NATIVERT_T (number (e, p, 1)));
      return true;
    case NATIVERT_OP_softplus_default:
      out[0] = nativert_emit (e, NATIVERT_OP_nativert_softplus, x, NATIVERT_T (number (e, p, 1)), NATIVERT_T (number (e, p, 2)));
      return true;
    case NATIVERT_OP_hardshrink_default:
      out[0] = nativert_emit (e, NATIVERT_OP_nativert_hardshrink, x, NATIVERT_T (number (e, p, 1)));
      return true;
    case NATIVERT_OP_softshrink_default:
      out[0] = nativert_emit (e, NATIVERT_OP_nativert_softshrink, x, NATIVERT_T (number (e, p, 1)));
      return true;
    case NATIVERT_OP_threshold_default:
      out[0] = nativert_emit (e, NATIVERT_OP_nativert_threshold, x, NATIVERT_T (number (e, p, 1)), NATIVERT_T (number (e, p, 2)));
      return true;
    default:
      return elu (e, p, out);
  }
}

NATIVERT_EXPAND (gelu)
{
  bool is_tanh = p->arg[1].kind == NATIVERT_ARG_STRING && !strcmp (p->arg[1].u.s, "tanh");
  out[0] = nativert_emit (e, is_tanh ? NATIVERT_OP_nativert_gelu_tanh : NATIVERT_OP_nativert_gelu, NATIVERT_T (p->ref[0]));
  return true;
}

NATIVERT_EXPAND (glu)
{
  uint32_t dim = 0;
  if (p->in[0].ndim == 0 || !nativert_wrap_dim (p, nativert_arg_int (p, 1, -1), p->in[0].ndim, &dim))
    return nativert_no (p, "glu: dimension %lld of %u", (long long) nativert_arg_int (p, 1, -1), p->in[0].ndim);
  int64_t n = p->in[0].size[dim];
  if (n % 2)
    return nativert_no (p, "glu: %lld is odd", (long long) n);
  NativertRef a = nativert_emit_slice (e, p->ref[0], dim, 0, n / 2, 1), b = nativert_emit_slice (e, p->ref[0], dim, n / 2, n, 1);
  b = nativert_emit (e, NATIVERT_OP_sigmoid_default, NATIVERT_T (b));
  out[0] = nativert_emit (e, NATIVERT_OP_mul_Tensor, NATIVERT_T (a), NATIVERT_T (b));
  return true;
}

/* log (x / (1 - x)) */
NATIVERT_EXPAND (logit)
{
  uint8_t dtype = p->in[0].dtype;
  NativertRef x = p->ref[0], one = nativert_emit_float (e, dtype, 1);
  if (!nativert_arg_is_none (p, 1)) {
    double eps = nativert_arg_float (p, 1, 0);
    x = nativert_emit (e, NATIVERT_OP_nativert_clamp, NATIVERT_T (x), NATIVERT_T (nativert_emit_float (e, dtype, eps)),
        NATIVERT_T (nativert_emit_float (e, dtype, 1 - eps)));
  }
  NativertRef rest = nativert_emit (e, NATIVERT_OP_sub_Tensor, NATIVERT_T (one), NATIVERT_T (x), NATIVERT_I (1));
  x = nativert_emit (e, NATIVERT_OP_div_Tensor, NATIVERT_T (x), NATIVERT_T (rest));
  out[0] = nativert_emit (e, NATIVERT_OP_log_default, NATIVERT_T (x));
  return true;
}

static double
largest (uint8_t dtype)
{
  return dtype == NATIVERT_F64 ? 0x1.fffffffffffffp1023 : dtype == NATIVERT_F16 ? 65504 : dtype == NATIVERT_BF16 ? 0x1.fep127 : 0x1.fffffep127;
}

NATIVERT_EXPAND (nan_to_num)
{
  uint8_t dtype = p->in[0].dtype;
  NativertRef x = p->ref[0];
  out[0] = x;
  if (!nativert_is_float (dtype))
    return true;
  const double with[] = { nativert_arg_float (p, 1, 0), nativert_arg_float (p, 2, largest (dtype)), nativert_arg_float (p, 3, -largest (dtype)) };
  for (int k = 0; k < 3; k++) {
    NativertRef value = nativert_emit_float (e, dtype, with[k]), test;
    if (k == 0)
      test = nativert_emit (e, NATIVERT_OP_isnan_default, NATIVERT_T (p->ref[0]));
    else
      test = nativert_emit (e, NATIVERT_OP_eq_Tensor, NATIVERT_T (p->ref[0]), NATIVERT_T (nativert_emit_float (e, dtype, k == 1 ? INFINITY : -INFINITY)));
    x = nativert_emit (e, NATIVERT_OP_where_self, NATIVERT_T (test), NATIVERT_T (value), NATIVERT_T (x));
  }
  out[0] = x;
  return true;
}
