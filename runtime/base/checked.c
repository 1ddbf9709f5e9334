/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sizes of shapes and views, with every overflow caught. */
#include "base/checked.h"

bool
nativert_numel (const int64_t *size, uint32_t n_dims, int64_t *numel)
{
  int64_t product = 1;
  bool empty = false;

  for (uint32_t i = 0; i < n_dims; i++) {
    if (size[i] < 0)
      return false;
    /* a zero anywhere makes the product 0 however large the rest is */
    if (size[i] == 0)
      empty = true;
    else if (!nativert_mul_i64 (product, size[i], &product))
      return false;
  }
  *numel = empty ? 0 : product;
  return true;
}

bool
nativert_extent (
    const int64_t *size, const int64_t *stride, uint32_t n_dims, int64_t offset, size_t item, size_t *n_bytes)
{
  int64_t numel, last = offset, step;

  if (offset < 0 || !nativert_numel (size, n_dims, &numel))
    return false;
  for (uint32_t i = 0; i < n_dims; i++) {
    if (stride[i] < 0)
      return false;
    if (numel == 0)
      continue;
    if (!nativert_mul_i64 (size[i] - 1, stride[i], &step) || !nativert_add_i64 (last, step, &last))
      return false;
  }
  *n_bytes = 0;
  if (numel == 0)
    return true;
  return nativert_add_i64 (last, 1, &last) && nativert_mul_size ((size_t) last, item, n_bytes);
}
