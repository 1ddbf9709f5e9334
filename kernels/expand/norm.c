/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The many forms of batch and instance norm, and softmax with a dtype. */
#include <math.h>
#include "kernels/rules.h"

/* Batch norm's arguments, wherever a form has them. */
typedef struct { NativertRef weight, bias, mean, var; bool training; double momentum, eps; } Batch;

static Batch
read_batch (const NativertPrep *p)
{
  bool no_stats = p->op == NATIVERT_OP__native_batch_norm_legit_no_stats, eval = p->op == NATIVERT_OP__native_batch_norm_legit_no_training_default;
  Batch b = { .weight = nativert_arg_ref (p, 1), .bias = nativert_arg_ref (p, 2), .mean = NATIVERT_NO_REF, .var = NATIVERT_NO_REF };
  uint32_t next = 3;
  if (!no_stats) {
    b.mean = nativert_arg_ref (p, 3);
    b.var = nativert_arg_ref (p, 4);
    next = 5;
  }
  if (!eval)
    b.training = nativert_arg_int (p, next++, 0);
  b.momentum = nativert_arg_float (p, next, 0.1);
  b.eps = nativert_arg_float (p, next + 1, 1e-5);
  return b;
}

/* Mean and variance over all dimensions but the second. */
static void
batch_statistics (NativertEmit *e, NativertPrep *p, int64_t correction, NativertRef *mean, NativertRef *var)
{
  int64_t dims[NATIVERT_MAX_DIMS];
  uint32_t n = 0;
  for (uint32_t d = 0; d < p->in[0].ndim; d++)
    if (d != 1)
      dims[n++] = d;
  *mean = nativert_emit (e, NATIVERT_OP_mean_dim, NATIVERT_T (p->ref[0]), NATIVERT_IS (dims, n), NATIVERT_B (false), NATIVERT_NONE);
  *var = nativert_emit (e, NATIVERT_OP_var_correction, NATIVERT_T (p->ref[0]), NATIVERT_IS (dims, n), NATIVERT_I (correction), NATIVERT_B (false));
}

static NativertRef
inverse_std (NativertEmit *e, NativertRef var, uint8_t dtype, double eps)
{
  NativertRef sum = nativert_emit_add (e, var, nativert_emit_float (e, dtype, eps));
  return nativert_emit (e, NATIVERT_OP_rsqrt_default, NATIVERT_T (sum));
}

static NativertRef
running (NativertEmit *e, NativertRef old, NativertRef now, double momentum, uint8_t dtype)
{
  return nativert_emit (e, NATIVERT_OP_nativert_lerp, NATIVERT_T (old), NATIVERT_T (now), NATIVERT_T (nativert_emit_float (e, dtype, momentum)));
}

static NativertRef
empty (NativertEmit *e, uint8_t dtype)
{
  NativertView v = { 0 };
  int64_t zero = 0;
  double nothing = 0;
  nativert_view_init (&v, dtype, 1, &zero);
  v.data = &nothing;
  return e->constant (e, &v);
}

/* Weights of another floating type than the input's (half nets with float norms): everything in float. */
static NativertRef
like (NativertEmit *e, NativertRef ref, uint8_t dtype)
{
  return ref == NATIVERT_NO_REF ? ref : nativert_emit_cast (e, ref, dtype);
}

NATIVERT_EXPAND (batch_norm)
{
  Batch b = read_batch (p);
  uint8_t dtype = p->in[0].dtype, work = dtype;
  NativertRef mean = b.mean, var = b.var;
  bool statistics = b.training || mean == NATIVERT_NO_REF || var == NATIVERT_NO_REF;
  if (p->in[0].ndim < 2)
    return nativert_no (p, "batch_norm: %u dimensions", p->in[0].ndim);
  for (uint32_t i = 1; i < p->n_in; i++)
    if (p->in[i].dtype != dtype)
      work = NATIVERT_F32;
  if (statistics)
    batch_statistics (e, p, 0, &mean, &var);
  NativertRef x = nativert_emit_cast (e, p->ref[0], work);
  NativertRef m = like (e, mean, work), v = like (e, var, work);
  x = nativert_emit (e, NATIVERT_OP_nativert_batch_norm, NATIVERT_T (x), nativert_opt (like (e, b.weight, work)), nativert_opt (like (e, b.bias, work)),
      NATIVERT_T (m), NATIVERT_T (v), NATIVERT_F (b.eps));
  out[0] = nativert_emit_cast (e, x, dtype);
  if (p->n_out > 1) {
    out[1] = statistics ? mean : empty (e, dtype);
    out[2] = statistics ? inverse_std (e, var, dtype, b.eps) : empty (e, dtype);
  }
  if (p->n_out == 5 && statistics) {
    NativertRef unbiased, ignored;
    batch_statistics (e, p, 1, &ignored, &unbiased);
    out[3] = running (e, b.mean, mean, b.momentum, dtype);
    out[4] = running (e, b.var, unbiased, b.momentum, dtype);
  } else if (p->n_out == 5) {
    out[3] = nativert_emit_copy (e, b.mean);
    out[4] = nativert_emit_copy (e, b.var);
  }
  return true;
}

/* With its own statistics: group norm with one channel a group. */
NATIVERT_EXPAND (instance_norm)
{
  if (p->in[0].ndim < 2)
    return nativert_no (p, "instance_norm: %u dimensions", p->in[0].ndim);
  if (nativert_arg_int (p, 5, 1))
    out[0] = nativert_emit (e, NATIVERT_OP_group_norm_default, NATIVERT_T (p->ref[0]), NATIVERT_I (p->in[0].size[1]),
        nativert_opt (nativert_arg_ref (p, 1)), nativert_opt (nativert_arg_ref (p, 2)), NATIVERT_F (nativert_arg_float (p, 7, 1e-5)), NATIVERT_B (true));
  else
    out[0] = nativert_emit (e, NATIVERT_OP_nativert_batch_norm, NATIVERT_T (p->ref[0]), nativert_opt (nativert_arg_ref (p, 1)),
        nativert_opt (nativert_arg_ref (p, 2)), nativert_opt (nativert_arg_ref (p, 3)), nativert_opt (nativert_arg_ref (p, 4)),
        NATIVERT_F (nativert_arg_float (p, 7, 1e-5)));
  return true;
}

static NativertRef
softmax (NativertEmit *e, NativertPrep *p, uint16_t op)
{
  uint8_t dtype = (uint8_t) nativert_arg_int (p, 2, p->in[0].dtype);
  if (nativert_arg_is_none (p, 2) && nativert_is_integral (dtype))
    dtype = NATIVERT_F32;
  return nativert_emit (e, op, NATIVERT_T (nativert_emit_cast (e, p->ref[0], dtype)), p->arg[1], NATIVERT_B (false));
}

NATIVERT_EXPAND (softmax)
{
  out[0] = softmax (e, p, p->op == NATIVERT_OP_softmax_int ? NATIVERT_OP__softmax_default : NATIVERT_OP__log_softmax_default);
  return true;
}

/* Rows of nothing but -infinity give 0. */
NATIVERT_EXPAND (safe_softmax)
{
  uint8_t dtype = (uint8_t) nativert_arg_int (p, 2, p->in[0].dtype);
  NativertRef y = softmax (e, p, NATIVERT_OP__softmax_default), largest, is_empty;
  int64_t dim = nativert_arg_int (p, 1, -1);
  largest = nativert_emit (e, NATIVERT_OP_amax_default, NATIVERT_T (p->ref[0]), NATIVERT_IS (&dim, 1), NATIVERT_B (true));
  is_empty = nativert_emit (e, NATIVERT_OP_eq_Tensor, NATIVERT_T (largest), NATIVERT_T (nativert_emit_float (e, p->in[0].dtype, -INFINITY)));
  out[0] = nativert_emit (e, NATIVERT_OP_where_self, NATIVERT_T (is_empty), NATIVERT_T (nativert_emit_float (e, dtype, 0)), NATIVERT_T (y));
  return true;
}
