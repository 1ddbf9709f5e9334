/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies of strided elements, and questions about strides.  Cold paths: the hot ones are kernels. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Strides in elements; item: bytes of one. */
void nativert_strided_copy (char *dst, const int64_t *dst_stride, const char *src, const int64_t *src_stride,
    const int64_t *size, uint32_t n_dims, size_t item);
/* Strides of a contiguous tensor. */
void nativert_strided_dense (const int64_t *size, uint32_t n_dims, int64_t *stride);
/* Equal where it matters: dims of size 1 have no stride, empty tensors none at all. */
bool nativert_strided_equal (const int64_t *size, const int64_t *a, const int64_t *b, uint32_t n_dims);
