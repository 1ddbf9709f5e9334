/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What operators that move elements by index decide at plan time; the loops are in cpu/index.c and cpu/scatter.c.
 * Index values are data: they are checked when they are used, and an index out of range fails the run. */
#pragma once
#include "copy.h"

enum { NATIVERT_MAX_INDICES = 6 };

/* A table [before..., indexed..., after...] and indices of one shape, contiguous: rows (before, place among the
 * indices) of `after` elements.  Strides of the table in elements. */
typedef struct {
  int64_t n_before, n_places, n_after;
  int64_t dim_size[NATIVERT_MAX_DIMS], dim_stride[NATIVERT_MAX_DIMS];   /* those before, then those after; collapsed */
  int64_t size[NATIVERT_MAX_INDICES], stride[NATIVERT_MAX_INDICES];
  uint8_t n_before_dims, n_after_dims, n_indices, first_index;
  bool accumulate;
  uint32_t n_parts;
} NativertIndex;
_Static_assert (sizeof (NativertIndex) <= NATIVERT_MAX_PARAMS, "params");

/* The table is described as `table`; indices are in[first_index] and on. */
bool nativert_index_plan (NativertPrep *p, NativertIndex *x, const NativertView *table, uint32_t before,
    uint32_t n_indices, uint32_t first_index);
/* Start of row `row` in the table, -1 when an index is out of range. */
int64_t nativert_index_row (const NativertIndex *x, const NativertView *in, int64_t row);

/* gather and scatter: for each element of index, a place in the indexed tensor. */
typedef struct {
  int64_t n, last;                              /* elements of index; size of its last dimension */
  uint8_t ndim, dim, mode;
  int64_t indexed;                              /* size of the indexed tensor along dim */
  uint32_t n_parts;
} NativertGather;
enum {
  NATIVERT_SCATTER_SET,
  NATIVERT_SCATTER_ADD,
  NATIVERT_SCATTER_MULTIPLY,
  NATIVERT_SCATTER_MAX,
  NATIVERT_SCATTER_MIN
};
