/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sizes and plan-time checks of norms and softmax. */
#include <float.h>
#include "kernels/norm.h"

#define NAME(p) nativert_ops[(p)->op].name

static bool
is_group_norm (uint16_t op)
{
  return op == NATIVERT_OP_group_norm_default || op == NATIVERT_OP_native_group_norm_default;
}

static bool
is_rms_norm (uint16_t op)
{
  return op == NATIVERT_OP_rms_norm_default || op == NATIVERT_OP__fused_rms_norm_default;
}

/* Dimensions from *axis on are normalised. */
static bool
layer_axis (NativertPrep *p, uint32_t *axis)
{
  const NativertArg *shape = &p->arg[1];
  const NativertView *x = &p->in[0];
  if (shape->kind != NATIVERT_ARG_INTS || shape->n == 0 || shape->n > x->ndim)
    return nativert_no (p, "%s: normalized_shape has %u numbers, the input %u dimensions", NAME (p), shape->n, x->ndim);
  *axis = x->ndim - shape->n;
  for (uint32_t d = 0; d < shape->n; d++)
    if (shape->u.ints[d] != x->size[*axis + d])
      return nativert_no (p, "%s: normalized_shape[%u] is %lld, the input has %lld", NAME (p), d, (long long) shape->u.ints[d],
          (long long) x->size[*axis + d]);
  return true;
}

static int64_t
product (const NativertView *v, uint32_t from, uint32_t to)
{
  int64_t n = 1;
  for (uint32_t d = from; d < to; d++)
    n *= v->size[d];
  return n;
}

static bool
layer_sizes (NativertPrep *p, NativertNorm *norm)
{
  uint32_t axis;
  if (!layer_axis (p, &axis))
    return false;
  norm->rows = product (&p->in[0], 0, axis);
  norm->n = product (&p->in[0], axis, p->in[0].ndim);
  norm->groups = norm->inner = 1;
  norm->centred = !is_rms_norm (p->op);
  norm->weight = (int8_t) nativert_arg_index (p, 2);
  norm->bias = norm->centred ? (int8_t) nativert_arg_index (p, 3) : -1;
  uint8_t dtype = p->in[0].dtype;
  double tiny = dtype == NATIVERT_F64 ? DBL_EPSILON : dtype == NATIVERT_F16 ? 0x1p-10 : dtype == NATIVERT_BF16 ? 0x1p-7 : (double) FLT_EPSILON;
  norm->eps = norm->centred ? nativert_arg_float (p, 4, 1e-5) : nativert_arg_float (p, 3, tiny);
  return true;
}

static bool
group_sizes (NativertPrep *p, NativertNorm *norm)
{
  const NativertView *x = &p->in[0];
  bool native = p->op == NATIVERT_OP_native_group_norm_default;
  int64_t groups = nativert_arg_int (p, native ? 6 : 1, 1);
  if (x->ndim < 2 || groups < 1 || x->size[1] % groups)
    return nativert_no (p, "%s: %lld groups of %lld channels", NAME (p), (long long) groups, x->ndim < 2 ? 0LL : (long long) x->size[1]);
  norm->groups = groups;
  norm->inner = product (x, 2, x->ndim);
  norm->n = x->size[1] / groups * norm->inner;
  norm->rows = x->size[0] * groups;
  norm->centred = true;
  norm->weight = (int8_t) nativert_arg_index (p, native ? 1 : 2);
  norm->bias = (int8_t) nativert_arg_index (p, native ? 2 : 3);
  norm->eps = nativert_arg_float (p, native ? 7 : 4, 1e-5);
  if (native && (nativert_arg_int (p, 3, 0) != x->size[0] || nativert_arg_int (p, 4, 0) != x->size[1] || nativert_arg_int (p, 5, 0) != norm->inner))
    return nativert_no (p, "%s: N, C, HxW are not the input's", NAME (p));
  return true;
}

NATIVERT_SHAPE (norm)
{
  const NativertView *x = &p->in[0];
  int64_t size[NATIVERT_MAX_DIMS];
  if (p->n_in < 1 || !nativert_result (p, 0, x->dtype, x->ndim, x->size))
    return false;
  if (is_group_norm (p->op)) {
    size[0] = x->ndim > 0 ? x->size[0] : 0;
    size[1] = nativert_arg_int (p, 6, 1);
    if (p->n_out == 3 && (!nativert_result (p, 1, x->dtype, 2, size) || !nativert_result (p, 2, x->dtype, 2, size)))
      return false;
    return true;
  }
  uint32_t axis;
  if (!layer_axis (p, &axis))
    return false;
  for (uint32_t d = 0; d < x->ndim; d++)
    size[d] = d < axis ? x->size[d] : 1;
  for (uint32_t k = 1; k < p->n_out; k++)
    if (!nativert_result (p, k, x->dtype, x->ndim, size))
      return false;
  return true;
}

static bool
check_vector (NativertPrep *p, int index, int64_t n, const char *what)
{
  if (index < 0)
    return true;
  const NativertView *v = &p->in[index];
  if (v->dtype != p->in[0].dtype || nativert_view_numel (v) != n || !nativert_view_is_contiguous (v))
    return nativert_no (p, "%s: %s is %s with %lld elements, want %s with %lld side by side", NAME (p), what, nativert_dtype_name (v->dtype),
        (long long) nativert_view_numel (v), nativert_dtype_name (p->in[0].dtype), (long long) n);
  return true;
}

/* Rows of any input dtype but float and double are unpacked here. */
static void
row_scratch (NativertPrep *p, int64_t n)
{
  bool half = nativert_dtype_size (p->in[0].dtype) == 2;
  p->scratch_part = half ? (size_t) n * sizeof (float) : 0;
}

static bool
check_memory (NativertPrep *p)
{
  if (!nativert_view_is_contiguous (&p->in[0]))
    return nativert_no (p, "%s: the input is not contiguous", NAME (p));
  for (uint32_t k = 0; k < p->n_out; k++)
    if (!nativert_view_is_contiguous (&p->out[k]) || p->out[k].dtype != p->in[0].dtype)
      return nativert_no (p, "%s: result %u is not contiguous, or of another dtype", NAME (p), k);
  return nativert_view_numel (&p->out[0]) == nativert_view_numel (&p->in[0]) || nativert_no (p, "%s: the result has other sizes", NAME (p));
}

bool
nativert_norm_prepare (NativertPrep *p)
{
  NativertNorm *norm = p->params;
  if (!check_memory (p) || !(is_group_norm (p->op) ? group_sizes (p, norm) : layer_sizes (p, norm)))
    return false;
  int64_t n_scale = norm->groups * (norm->inner > 0 ? norm->n / norm->inner : 0);
  if (!check_vector (p, norm->weight, n_scale, "weight") || !check_vector (p, norm->bias, n_scale, "bias"))
    return false;
  for (uint32_t k = 1; k < p->n_out; k++)
    if (nativert_view_numel (&p->out[k]) != norm->rows)
      return nativert_no (p, "%s: result %u has %lld elements, want %lld", NAME (p), k, (long long) nativert_view_numel (&p->out[k]),
          (long long) norm->rows);
  norm->n_out = (uint8_t) p->n_out;
  p->n_parts = norm->n_parts = nativert_parts (norm->rows, norm->n * 16);
  p->params_size = sizeof *norm;
  p->in_place = 0;
  p->cost = (uint64_t) (norm->rows * norm->n) * 10;
  row_scratch (p, norm->n);
  return true;
}

NATIVERT_SHAPE (batch_norm)
{
  return p->n_in >= 1 && nativert_result (p, 0, p->in[0].dtype, p->in[0].ndim, p->in[0].size);
}

bool
nativert_batch_norm_prepare (NativertPrep *p)
{
  NativertBatchNorm *norm = p->params;
  const NativertView *x = &p->in[0];
  if (x->ndim < 2 || !check_memory (p))
    return p->reason[0] ? false : nativert_no (p, "%s: %u dimensions", NAME (p), x->ndim);
  norm->outer = x->size[0];
  norm->channels = x->size[1];
  norm->inner = product (x, 2, x->ndim);
  norm->weight = (int8_t) nativert_arg_index (p, 1);
  norm->bias = (int8_t) nativert_arg_index (p, 2);
  norm->mean = (int8_t) nativert_arg_index (p, 3);
  norm->var = (int8_t) nativert_arg_index (p, 4);
  norm->eps = nativert_arg_float (p, 5, 1e-5);
  if (norm->mean < 0 || norm->var < 0)
    return nativert_no (p, "%s: no mean or variance", NAME (p));
  if (!check_vector (p, norm->weight, norm->channels, "weight") || !check_vector (p, norm->bias, norm->channels, "bias")
      || !check_vector (p, norm->mean, norm->channels, "mean") || !check_vector (p, norm->var, norm->channels, "variance"))
    return false;
  p->scratch_shared = 0;
  p->scratch_part = (size_t) norm->channels * 2 * sizeof (double);
  p->n_parts = norm->n_parts = nativert_parts (norm->outer * norm->channels, norm->inner * 8);
  p->params_size = sizeof *norm;
  p->in_place = 0;
  p->cost = (uint64_t) nativert_view_numel (x) * 2 * nativert_dtype_size (x->dtype);
  return true;
}

NATIVERT_SHAPE (softmax)
{
  uint32_t dim;
  return p->n_in == 1 && nativert_wrap_dim (p, nativert_arg_int (p, 1, -1), p->in[0].ndim, &dim)
      && nativert_result (p, 0, p->in[0].dtype, p->in[0].ndim, p->in[0].size);
}

bool
nativert_softmax_prepare (NativertPrep *p)
{
  NativertSoftmax *s = p->params;
  const NativertView *x = &p->in[0];
  uint32_t dim;
  if (!check_memory (p) || !nativert_wrap_dim (p, nativert_arg_int (p, 1, -1), x->ndim, &dim))
    return false;
  s->outer = product (x, 0, x->ndim ? dim : 0);
  s->n = x->ndim ? x->size[dim] : 1;
  s->inner = product (x, dim + 1, x->ndim);
  s->log = p->op == NATIVERT_OP__log_softmax_default;
  p->n_parts = s->n_parts = nativert_parts (s->outer * (s->inner == 1 ? 1 : (s->inner + 63) / 64), s->n * (s->inner == 1 ? 1 : 64) * 16);
  p->params_size = sizeof *s;
  p->in_place = 0;
  p->cost = (uint64_t) nativert_view_numel (x) * 16;
  row_scratch (p, s->n);
  return true;
}
