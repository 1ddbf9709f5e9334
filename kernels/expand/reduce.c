/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ATen's forms of reductions: the dtype is settled, then one nativert:: row computes. */
#include <math.h>
#include "kernels/rules.h"

static NativertRef
reduce (NativertEmit *e, uint16_t op, NativertRef x, NativertArg dims, bool keep)
{
  return nativert_emit (e, op, NATIVERT_T (x), dims, NATIVERT_B (keep));
}

/* The dtype that an argument asks for; integers add up in int64. */
static uint8_t
sum_dtype (const NativertPrep *p, uint32_t arg)
{
  uint8_t dtype = p->in[0].dtype;
  if (!nativert_arg_is_none (p, arg))
    return (uint8_t) nativert_arg_int (p, arg, dtype);
  return nativert_is_integral (dtype) ? NATIVERT_I64 : dtype;
}

NATIVERT_EXPAND (sum)
{
  bool whole = p->op == NATIVERT_OP_sum_default || p->op == NATIVERT_OP_mean_default || p->op == NATIVERT_OP_prod_default;
  bool mean = p->op == NATIVERT_OP_mean_default || p->op == NATIVERT_OP_mean_dim;
  bool prod = p->op == NATIVERT_OP_prod_default || p->op == NATIVERT_OP_prod_dim_int;
  uint8_t dtype = sum_dtype (p, whole ? 1 : 3);
  if (mean && nativert_is_integral (dtype))
    return nativert_no (p, "mean of %s", nativert_dtype_name (p->in[0].dtype));
  uint8_t work = nativert_is_integral (dtype) ? NATIVERT_I64 : dtype;
  NativertRef x = nativert_emit_cast (e, nativert_emit_cast (e, p->ref[0], dtype), work);
  x = reduce (e, mean ? NATIVERT_OP_nativert_mean : prod ? NATIVERT_OP_nativert_prod : NATIVERT_OP_nativert_sum, x,
      whole ? NATIVERT_NONE : p->arg[1], !whole && nativert_arg_int (p, 2, 0));
  out[0] = nativert_emit_cast (e, x, dtype);
  return true;
}

NATIVERT_EXPAND (extreme)
{
  bool whole = p->op == NATIVERT_OP_max_default || p->op == NATIVERT_OP_min_default;
  bool max = p->op == NATIVERT_OP_max_default || p->op == NATIVERT_OP_amax_default;
  out[0] = reduce (e, max ? NATIVERT_OP_nativert_amax : NATIVERT_OP_nativert_amin, p->ref[0], whole ? NATIVERT_NONE : p->arg[1],
      !whole && nativert_arg_int (p, 2, 0));
  return true;
}

NATIVERT_EXPAND (any)
{
  bool all = p->op == NATIVERT_OP_all_default || p->op == NATIVERT_OP_all_dim || p->op == NATIVERT_OP_all_dims || p->op == NATIVERT_OP__is_all_true_default;
  bool whole = p->n_arg < 2, as_bytes = p->in[0].dtype == NATIVERT_U8;  /* uint8 stays uint8, an old rule of torch */
  NativertRef x = nativert_emit_cast (e, p->ref[0], NATIVERT_BOOL);
  x = reduce (e, all ? NATIVERT_OP_nativert_all : NATIVERT_OP_nativert_any, x, whole ? NATIVERT_NONE : p->arg[1], !whole && nativert_arg_int (p, 2, 0));
  out[0] = as_bytes ? nativert_emit_cast (e, x, NATIVERT_U8) : x;
  return true;
}

NATIVERT_EXPAND (argmax)
{
  uint16_t op = p->op == NATIVERT_OP_argmax_default ? NATIVERT_OP_max_dim : NATIVERT_OP_min_dim;
  int64_t flat = -1, ones[NATIVERT_MAX_DIMS];
  bool whole = nativert_arg_is_none (p, 1), keep = nativert_arg_int (p, 2, 0);
  NativertRef x = whole ? nativert_emit_view (e, p->ref[0], 1, &flat) : p->ref[0], both[2];
  NativertArg args[] = { NATIVERT_T (x), NATIVERT_I (whole ? 0 : nativert_arg_int (p, 1, 0)), NATIVERT_B (!whole && keep) };
  out[0] = e->op (e, op, 3, args, 2, both) ? both[1] : NATIVERT_NO_REF;
  for (uint32_t d = 0; d < p->in[0].ndim; d++)
    ones[d] = 1;
  if (whole && keep)
    out[0] = nativert_emit_view (e, out[0], p->in[0].ndim, ones);
  return true;
}

typedef struct { NativertArg dims; double correction; bool keep; } Variance;

static Variance
read_variance (const NativertPrep *p)
{
  switch (p->op) {
    case NATIVERT_OP_var_default:
    case NATIVERT_OP_std_default:
      return (Variance) { NATIVERT_NONE, nativert_arg_int (p, 1, 1) ? 1 : 0, false };
    case NATIVERT_OP_var_dim:
    case NATIVERT_OP_std_dim:
    case NATIVERT_OP_var_mean_dim:
      return (Variance) { p->arg[1], nativert_arg_int (p, 2, 1) ? 1 : 0, nativert_arg_int (p, 3, 0) };
    default:
      return (Variance) { p->arg[1], nativert_arg_float (p, 2, 1), nativert_arg_int (p, 3, 0) };
  }
}

NATIVERT_EXPAND (var)
{
  Variance v = read_variance (p);
  bool root = p->op == NATIVERT_OP_std_default || p->op == NATIVERT_OP_std_dim || p->op == NATIVERT_OP_std_correction || p->op == NATIVERT_OP_std_mean_correction;
  NativertRef x = nativert_emit (e, NATIVERT_OP_nativert_var, NATIVERT_T (p->ref[0]), v.dims, NATIVERT_B (v.keep), NATIVERT_F (v.correction));
  out[0] = root ? nativert_emit (e, NATIVERT_OP_sqrt_default, NATIVERT_T (x)) : x;
  if (p->n_out > 1)
    out[1] = reduce (e, NATIVERT_OP_nativert_mean, p->ref[0], v.dims, v.keep);
  return true;
}

/* (sum |x|^ord)^(1/ord) */
static NativertRef
power_norm (NativertEmit *e, NativertRef x, double ord, uint8_t dtype, NativertArg dims, bool keep)
{
  x = nativert_emit (e, NATIVERT_OP_abs_default, NATIVERT_T (x));
  x = nativert_emit (e, NATIVERT_OP_pow_Tensor_Tensor, NATIVERT_T (x), NATIVERT_T (nativert_emit_float (e, dtype, ord)));
  x = reduce (e, NATIVERT_OP_nativert_sum, x, dims, keep);
  return nativert_emit (e, NATIVERT_OP_pow_Tensor_Tensor, NATIVERT_T (x), NATIVERT_T (nativert_emit_float (e, dtype, 1 / ord)));
}

static NativertRef
vector_norm (NativertEmit *e, NativertRef x, double ord, uint8_t dtype, NativertArg dims, bool keep)
{
  if (ord == 2 || ord == 1)
    return reduce (e, ord == 2 ? NATIVERT_OP_nativert_norm_2 : NATIVERT_OP_nativert_norm_1, x, dims, keep);
  if (ord == 0) {
    x = nativert_emit (e, NATIVERT_OP_ne_Tensor, NATIVERT_T (x), NATIVERT_T (nativert_emit_float (e, dtype, 0)));
    return reduce (e, NATIVERT_OP_nativert_sum, nativert_emit_cast (e, x, dtype), dims, keep);
  }
  if (isinf (ord)) {
    x = nativert_emit (e, NATIVERT_OP_abs_default, NATIVERT_T (x));
    return reduce (e, ord > 0 ? NATIVERT_OP_nativert_amax : NATIVERT_OP_nativert_amin, x, dims, keep);
  }
  return power_norm (e, x, ord, dtype, dims, keep);
}

NATIVERT_EXPAND (norm)
{
  bool whole = p->op == NATIVERT_OP_norm_Scalar, matrix = p->op == NATIVERT_OP_linalg_norm_default && !nativert_arg_is_none (p, 1);
  double ord = nativert_arg_float (p, 1, 2);
  uint8_t dtype = p->in[0].dtype;
  uint32_t dims = whole || nativert_arg_is_none (p, 2) ? p->in[0].ndim : p->arg[2].kind == NATIVERT_ARG_INTS ? p->arg[2].n : 1;
  if (!whole && p->n_arg > 4)
    dtype = (uint8_t) nativert_arg_int (p, 4, dtype);
  if (matrix && dims > 1)
    return nativert_no (p, "linalg_norm: norms of matrices are not computed");
  if (!nativert_is_float (dtype))
    return nativert_no (p, "%s of %s", nativert_ops[p->op].name, nativert_dtype_name (dtype));
  if (p->arg[1].kind == NATIVERT_ARG_TENSOR)
    return nativert_no (p, "%s: a computed order", nativert_ops[p->op].name);
  out[0] = vector_norm (e, nativert_emit_cast (e, p->ref[0], dtype), ord, dtype, whole ? NATIVERT_NONE : p->arg[2], !whole && nativert_arg_int (p, 3, 0));
  return true;
}

/* log (sum (exp (x - m))) + m, m the largest where that is finite */
NATIVERT_EXPAND (logsumexp)
{
  uint8_t dtype = nativert_is_integral (p->in[0].dtype) ? NATIVERT_F32 : p->in[0].dtype;
  bool keep = nativert_arg_int (p, 2, 0);
  NativertRef x = nativert_emit_cast (e, p->ref[0], dtype), zero = nativert_emit_float (e, dtype, 0);
  NativertRef m = reduce (e, NATIVERT_OP_nativert_amax, x, p->arg[1], true);
  NativertRef is_inf = nativert_emit (e, NATIVERT_OP_isinf_default, NATIVERT_T (m));
  m = nativert_emit (e, NATIVERT_OP_where_self, NATIVERT_T (is_inf), NATIVERT_T (zero), NATIVERT_T (m));
  x = nativert_emit (e, NATIVERT_OP_sub_Tensor, NATIVERT_T (x), NATIVERT_T (m), NATIVERT_I (1));
  x = nativert_emit (e, NATIVERT_OP_exp_default, NATIVERT_T (x));
  x = reduce (e, NATIVERT_OP_nativert_sum, x, p->arg[1], keep);
  x = nativert_emit (e, NATIVERT_OP_log_default, NATIVERT_T (x));
  const NativertView *v = e->view (e, x);
  int64_t size[NATIVERT_MAX_DIMS];
  uint32_t ndim = v->ndim;
  for (uint32_t d = 0; d < ndim; d++)
    size[d] = v->size[d];
  out[0] = nativert_emit_add (e, x, keep ? m : nativert_emit_view (e, m, ndim, size));
  return true;
}

NATIVERT_EXPAND (cumulative)
{
  uint8_t dtype = sum_dtype (p, 2);
  uint8_t work = nativert_is_integral (dtype) && dtype != NATIVERT_I32 ? NATIVERT_I64 : dtype;
  NativertRef x = nativert_emit_cast (e, nativert_emit_cast (e, p->ref[0], dtype), work);
  x = nativert_emit (e, p->op == NATIVERT_OP_cumsum_default ? NATIVERT_OP_nativert_cumsum : NATIVERT_OP_nativert_cumprod, NATIVERT_T (x), p->arg[1]);
  out[0] = nativert_emit_cast (e, x, dtype);
  return true;
}
