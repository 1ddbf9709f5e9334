/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Integers that come from a file are combined only through these: false on overflow. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool nativert_mul_size (size_t a, size_t b, size_t *out) { return !__builtin_mul_overflow (a, b, out); }
static inline bool nativert_add_size (size_t a, size_t b, size_t *out) { return !__builtin_add_overflow (a, b, out); }
static inline bool nativert_mul_i64 (int64_t a, int64_t b, int64_t *out) { return !__builtin_mul_overflow (a, b, out); }
static inline bool nativert_add_i64 (int64_t a, int64_t b, int64_t *out) { return !__builtin_add_overflow (a, b, out); }

/* Elements of a shape; false when a size is negative or the product overflows int64. */
bool nativert_numel (const int64_t *size, uint32_t n_dims, int64_t *numel);
/* The bytes [first element, one past the last element] of a strided view that starts offset elements into its storage;
 * false on overflow, negative strides or sizes.  0 bytes for an empty view. */
bool nativert_extent (
    const int64_t *size, const int64_t *stride, uint32_t n_dims, int64_t offset, size_t item, size_t *n_bytes);
