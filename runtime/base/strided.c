/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies of strided elements, and questions about strides. */
#include "base/strided.h"

#include <string.h>

enum { MAX_DIMS = 12 };

void
nativert_strided_dense (const int64_t *size, uint32_t n_dims, int64_t *stride)
{
  int64_t step = 1;

  for (uint32_t i = n_dims; i-- > 0;) {
    stride[i] = step;
    step *= size[i] > 1 ? size[i] : 1;
  }
}

bool
nativert_strided_equal (const int64_t *size, const int64_t *a, const int64_t *b, uint32_t n_dims)
{
  for (uint32_t i = 0; i < n_dims; i++)
    if (size[i] == 0)
      return true;
  for (uint32_t i = 0; i < n_dims; i++)
    if (size[i] != 1 && a[i] != b[i])
      return false;
  return true;
}

/* One line along the last dim that is left. */
static void
copy_line (char *dst, int64_t dst_step, const char *src, int64_t src_step, int64_t n, size_t item)
{
  switch (item) {
#define LINE(type)                                                   \
  for (int64_t i = 0; i < n; i++)                                    \
    memcpy (dst + i * dst_step, src + i * src_step, sizeof (type));  \
  return;
    case 1: LINE (uint8_t)
    case 2: LINE (uint16_t)
    case 4: LINE (uint32_t)
    case 8: LINE (uint64_t)
#undef LINE
    default:
      for (int64_t i = 0; i < n; i++)
        memcpy (dst + i * dst_step, src + i * src_step, item);
  }
}

void
nativert_strided_copy (char *dst, const int64_t *dst_stride, const char *src, const int64_t *src_stride,
    const int64_t *size, uint32_t n_dims, size_t item)
{
  int64_t index[MAX_DIMS] = {0}, run = 1, line = 1;
  int64_t dst_step = (int64_t) item, src_step = (int64_t) item;
  uint32_t outer = n_dims;

  for (uint32_t i = 0; i < n_dims; i++)
    if (size[i] == 0)
      return;
  while (outer > 0 && (size[outer - 1] == 1 || (dst_stride[outer - 1] == run && src_stride[outer - 1] == run)))
    run *= size[--outer];
  if (run == 1 && outer > 0) {          /* no dense run: walk the last dim with its strides */
    outer--;
    line = size[outer];
    dst_step *= dst_stride[outer];
    src_step *= src_stride[outer];
  }
  for (;;) {
    uint32_t dim = outer;
    if (line > 1)
      copy_line (dst, dst_step, src, src_step, line, item);
    else
      memcpy (dst, src, (size_t) run * item);
    while (dim > 0) {
      dim--;
      dst += dst_stride[dim] * (int64_t) item;
      src += src_stride[dim] * (int64_t) item;
      if (++index[dim] < size[dim])
        break;
      dst -= dst_stride[dim] * size[dim] * (int64_t) item;
      src -= src_stride[dim] * size[dim] * (int64_t) item;
      index[dim] = 0;
      if (dim == 0)
        return;
    }
    if (outer == 0)
      return;
  }
}
