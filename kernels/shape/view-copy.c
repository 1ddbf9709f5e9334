/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Operators that are windows when nothing changes and copies or casts otherwise; and windows on other dtypes. */
#include "kernels/rules.h"

#define NAME(p) nativert_ops[(p)->op].name

static bool
same (NativertPrep *p)
{
  if (p->n_in < 1)
    return nativert_no (p, "%s: no tensor", NAME (p));
  p->out[0] = p->in[0];
  p->offset[0] = 0;
  return true;
}

NATIVERT_VIEW (same)
{
  return same (p);
}

NATIVERT_VIEW (dropout)
{
  if (nativert_arg_int (p, 2, 0))
    return nativert_no (p, "%s in training mode", NAME (p));
  return same (p);
}

/* Are the strides those of torch's channels_last (2-D: NHWC, 3-D: NDHWC)? */
static bool
is_channels_last (const NativertView *v)
{
  int64_t stride = 1;
  for (int i = 0; i < v->ndim; i++) {
    int d = i == 0 ? 1 : i == v->ndim - 1 ? 0 : v->ndim - i;
    if (v->size[d] != 1 && v->stride[d] != stride)
      return false;
    stride *= v->size[d];
  }
  return true;
}

NATIVERT_VIEW (contiguous)
{
  int64_t format = nativert_arg_int (p, 1, NATIVERT_FORMAT_CONTIGUOUS);
  const NativertView *v = &p->in[0];
  bool last = (format == NATIVERT_FORMAT_CHANNELS_LAST && v->ndim == 4) || (format == NATIVERT_FORMAT_CHANNELS_LAST_3D && v->ndim == 5);
  if (format == NATIVERT_FORMAT_PRESERVE)
    return nativert_no (p, "contiguous: preserve_format is not a format");
  return (last ? is_channels_last (v) : nativert_view_is_contiguous (v)) && same (p);
}

static bool
to (NativertPrep *p, uint8_t dtype, bool copy, int64_t format)
{
  const NativertView *v = &p->in[0];
  if (dtype != v->dtype || copy)
    return false;
  if (format == NATIVERT_FORMAT_CONTIGUOUS && !nativert_view_is_contiguous (v))
    return false;
  if ((format == NATIVERT_FORMAT_CHANNELS_LAST || format == NATIVERT_FORMAT_CHANNELS_LAST_3D) && !is_channels_last (v))
    return false;
  return same (p);
}

static uint8_t
dtype_arg (const NativertPrep *p, uint32_t k)
{
  return (uint8_t) nativert_arg_int (p, k, p->in[0].dtype);
}

NATIVERT_VIEW (to_dtype)
{
  return to (p, dtype_arg (p, 1), nativert_arg_int (p, 3, 0), nativert_arg_int (p, 4, NATIVERT_FORMAT_PRESERVE));
}

NATIVERT_VIEW (to_device)
{
  return to (p, dtype_arg (p, 2), nativert_arg_int (p, 4, 0), nativert_arg_int (p, 5, NATIVERT_FORMAT_PRESERVE));
}

NATIVERT_VIEW (to_dtype_layout)
{
  return to (p, dtype_arg (p, 1), nativert_arg_int (p, 6, 0), nativert_arg_int (p, 7, NATIVERT_FORMAT_PRESERVE));
}

NATIVERT_VIEW (to_other)
{
  int other = nativert_arg_index (p, 1);
  if (other < 0)
    return nativert_no (p, "%s: no tensor to take the dtype of", NAME (p));
  return to (p, p->in[other].dtype, nativert_arg_int (p, 3, 0), nativert_arg_int (p, 4, NATIVERT_FORMAT_PRESERVE));
}

/* Sizes of the (first) input; the dtype is the operator's own business. */
NATIVERT_SHAPE (copy)
{
  uint8_t dtype = p->in[0].dtype;
  if (p->n_in < 1)
    return nativert_no (p, "%s: no tensor", NAME (p));
  switch (p->op) {
    case NATIVERT_OP_to_dtype:
    case NATIVERT_OP_to_dtype_layout:
    case NATIVERT_OP__to_copy_default:
    case NATIVERT_OP_nativert_copy:
      dtype = dtype_arg (p, 1);
      break;
    case NATIVERT_OP_to_device:
      dtype = dtype_arg (p, 2);
      break;
    case NATIVERT_OP_to_other:
    case NATIVERT_OP_type_as_default: {
      int other = nativert_arg_index (p, 1);
      if (other < 0)
        return nativert_no (p, "%s: no tensor to take the dtype of", NAME (p));
      dtype = p->in[other].dtype;
      break;
    }
    default:
      break;
  }
  if (dtype >= NATIVERT_N_DTYPES)
    return nativert_no (p, "%s: dtype %u", NAME (p), dtype);
  return nativert_result (p, 0, dtype, p->in[0].ndim, p->in[0].size);
}

NATIVERT_VIEW (view_dtype)
{
  uint8_t dtype = dtype_arg (p, 1);
  size_t from = nativert_dtype_size (p->in[0].dtype), into = nativert_dtype_size (dtype);
  if (dtype >= NATIVERT_N_DTYPES || from != into)
    return nativert_no (p, "view: %s as %s: only types of one size", nativert_dtype_name (p->in[0].dtype), nativert_dtype_name (dtype));
  if (!same (p))
    return false;
  p->out[0].dtype = dtype;
  return true;
}

static uint8_t
part_dtype (uint8_t complex_dtype)
{
  return complex_dtype == NATIVERT_C128 ? NATIVERT_F64 : complex_dtype == NATIVERT_C64 ? NATIVERT_F32 : NATIVERT_F16;
}

static bool
parts (NativertPrep *p, bool keep_pair, int64_t offset)
{
  if (!same (p))
    return false;
  NativertView *v = &p->out[0];
  if (!nativert_is_complex (v->dtype))
    return nativert_no (p, "%s of %s", NAME (p), nativert_dtype_name (v->dtype));
  if (keep_pair && v->ndim == NATIVERT_MAX_DIMS)
    return nativert_no (p, "%s: %u dimensions", NAME (p), v->ndim);
  v->dtype = part_dtype (v->dtype);
  for (int d = 0; d < v->ndim; d++)
    v->stride[d] *= 2;
  if (keep_pair) {
    v->size[v->ndim] = 2;
    v->stride[v->ndim++] = 1;
  }
  p->offset[0] = offset;                        /* in elements of the result */
  return true;
}

NATIVERT_VIEW (view_as_real)
{
  return parts (p, true, 0);
}

NATIVERT_VIEW (real)
{
  return p->n_in && !nativert_is_complex (p->in[0].dtype) ? same (p) : parts (p, false, 0);
}

NATIVERT_VIEW (imag)
{
  return parts (p, false, 1);
}

NATIVERT_VIEW (view_as_complex)
{
  if (!same (p))
    return false;
  NativertView *v = &p->out[0];
  uint8_t dtype = v->dtype == NATIVERT_F64 ? NATIVERT_C128 : v->dtype == NATIVERT_F32 ? NATIVERT_C64 : NATIVERT_C32;
  if (v->ndim == 0 || v->size[v->ndim - 1] != 2 || v->stride[v->ndim - 1] != 1 || !nativert_is_float (v->dtype) || v->dtype == NATIVERT_BF16)
    return nativert_no (p, "view_as_complex: needs a last dimension of 2 floats side by side");
  v->ndim--;
  v->dtype = dtype;
  for (int d = 0; d < v->ndim; d++) {
    if (v->stride[d] % 2)
      return nativert_no (p, "view_as_complex: stride %lld of dimension %d is odd", (long long) v->stride[d], d);
    v->stride[d] /= 2;
  }
  return true;
}
