/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What reductions decide at plan time; the loops are in cpu/reduce.c, cpu/reduce-arg.c and cpu/cumulative.c. */
#pragma once
#include "iter.h"

enum { NATIVERT_COLUMNS = 64 };

/* Kept dimensions (innermost last, as the contiguous result has them), then reduced ones (innermost first); collapsed;
 * strides in elements.  by_columns: the innermost kept dimension is contiguous in the input, so up to NATIVERT_COLUMNS
 * results are made at once. */
typedef struct {
  int64_t n_results, n_reduced, bands;
  int64_t size[NATIVERT_MAX_DIMS], stride[NATIVERT_MAX_DIMS];
  double correction;                            /* var and std */
  uint8_t n_kept_dims, n_reduced_dims;
  bool by_columns;
  uint32_t n_parts;
} NativertReduce;

/* Args: self, dimensions, keepdim.  Results must be contiguous. */
bool nativert_reduce_prepare (NativertPrep *p);

/* Calls fn for runs along the innermost reduced dimension (by columns: for each reduced place, n columns, stride 1). */
typedef void (*NativertReduceRun) (const char *x, int64_t n, int64_t stride, void *state);
void nativert_reduce_walk (
    const NativertReduce *r, const char *x, size_t element, int64_t columns, NativertReduceRun fn, void *state);
/* Input of unit u (a result, or a band of columns), its first result, and how many. */
const char *nativert_reduce_unit (
    const NativertReduce *r, const char *in, size_t element, int64_t u, int64_t *first, int64_t *n);

/* [outer, n, inner], contiguous; along n. */
typedef struct { int64_t outer, n, inner; uint32_t n_parts; } NativertAlong;
/* arg: where the dimension is. */
bool nativert_along_prepare (NativertPrep *p, NativertAlong *a, uint32_t arg);
