/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Small helpers on views. */
#include <string.h>
#include "kernels/rules.h"

void
nativert_view_init (NativertView *v, uint8_t dtype, uint32_t ndim, const int64_t *size)
{
  int64_t stride = 1;
  v->dtype = dtype;
  v->device = NATIVERT_DEVICE_CPU;
  v->ndim = (uint8_t) ndim;
  for (uint32_t d = ndim; d-- > 0;) {
    v->size[d] = size[d];
    v->stride[d] = stride;
    stride *= size[d] > 1 ? size[d] : 1;
  }
}

int64_t
nativert_view_numel (const NativertView *v)
{
  int64_t n = 1;
  for (int d = 0; d < v->ndim; d++)
    n *= v->size[d];
  return n;
}

/* As torch: strides of dimensions of size 1 do not matter, an empty tensor is contiguous. */
bool
nativert_view_is_contiguous (const NativertView *v)
{
  int64_t stride = 1;
  if (nativert_view_numel (v) == 0)
    return true;
  for (int d = v->ndim; d-- > 0;) {
    if (v->size[d] == 1)
      continue;
    if (v->stride[d] != stride)
      return false;
    stride *= v->size[d];
  }
  return true;
}

bool
nativert_shape_pointwise (NativertPrep *p)
{
  return nativert_no (p, "being written");
}
