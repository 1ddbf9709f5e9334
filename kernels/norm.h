/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What norms and softmax decide at plan time; the loops are in cpu/norm.c and cpu/softmax.c. */
#pragma once
#include "iter.h"

/* Rows of n elements side by side are normalised, then scaled: element i of row r by weight[(r % groups) * (n / inner)
 * + i / inner]. Layer norm: groups 1, inner 1; group norm: inner is the size of a channel. */
typedef struct {
  int64_t rows, n, groups, inner;
  double eps;
  int8_t weight, bias;                          /* index into in[], -1 for none */
  bool centred;                                 /* false: root mean square only */
  uint8_t n_out;
  uint32_t n_parts;
} NativertNorm;

/* Per channel c of [outer, channels, inner]: (x - mean[c]) / sqrt (var[c] + eps) * weight[c] + bias[c]. */
typedef struct {
  int64_t outer, channels, inner;
  double eps;
  int8_t weight, bias, mean, var;
  uint32_t n_parts;
} NativertBatchNorm;

/* [outer, n, inner], over n. */
typedef struct { int64_t outer, n, inner; uint32_t n_parts; bool log; } NativertSoftmax;

bool nativert_norm_prepare (NativertPrep *p);
bool nativert_batch_norm_prepare (NativertPrep *p);
bool nativert_softmax_prepare (NativertPrep *p);
