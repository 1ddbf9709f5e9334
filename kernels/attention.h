/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scaled dot product attention as its kernels see it: for every item of the batch (heads are batch too)
 *   out[l][e] = sum_s softmax_s (scale * q[l] . k[s] + mask[l][s]) * v[s][e] */
#pragma once
#include "kernel.h"

enum { NATIVERT_ATTENTION_DIMS = 5 };
enum { NATIVERT_MASK_NONE, NATIVERT_MASK_BOOL, NATIVERT_MASK_FLOAT };

typedef struct { int64_t batch[NATIVERT_ATTENTION_DIMS], row, col; } NativertAttentionSide;       /* element strides */

typedef struct {
  int64_t n_batch, size[NATIVERT_ATTENTION_DIMS], l, s, e, ev, group;    /* group: query heads that share a key head */
  NativertAttentionSide q, k, v, mask, out;
  double scale;
  int8_t mask_in;
  uint8_t mask_kind;
  bool causal;
  int32_t tile[4];                              /* written by the kernel's prepare */
} NativertAttention;

bool nativert_attention_describe (NativertPrep *p, NativertAttention *g);

/* group: g->group for keys and values, 1 for all else. */
static inline int64_t
nativert_attention_offset (const NativertAttention *g, const NativertAttentionSide *side, int64_t index, int64_t group)
{
  int64_t offset = 0;
  for (int d = NATIVERT_ATTENTION_DIMS; d-- > 0;) {
    offset += index % g->size[d] / (d == NATIVERT_ATTENTION_DIMS - 1 ? group : 1) * side->batch[d];
    index /= g->size[d];
  }
  return offset;
}
