/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Walks several strided windows of one shape together.  Dimensions are sorted by the result's strides and collapsed at
 * plan time; at run time a loop function gets runs along the innermost one.  Operators never see dimensions. */
#pragma once
#include "rules.h"

enum { NATIVERT_MAX_OPERANDS = 5, NATIVERT_ITER_WORDS = 60 };

/* POD, lives in a step's params.  word[]: ndim sizes, then for every operand ndim strides in bytes; innermost first. */
typedef struct {
  int64_t n, per_part;
  uint8_t ndim, n_operands;
  int64_t word[NATIVERT_ITER_WORDS - 3];
} NativertIter;

/* view[0] is the result: all others are broadcast to its sizes.  False with a reason: sizes do not fit, too many dimensions. */
bool nativert_iter_init (NativertPrep *p, NativertIter *it, uint32_t n_operands, const NativertView *const *view);
/* Splits into parts of about `grain` elements; writes p->n_parts. */
void nativert_iter_split (NativertPrep *p, NativertIter *it, int64_t grain);
/* Elements lo to hi, in the iterator's order; base[i] is the start of operand i. */
void nativert_iter_run (const NativertIter *it, char *const *base, int64_t lo, int64_t hi, NativertLoopFn loop);
/* The same for one part. */
void nativert_iter_run_part (const NativertIter *it, char *const *base, uint32_t part, NativertLoopFn loop);

/* What every row of defs/pointwise.def uses. */
bool nativert_pointwise_prepare (NativertPrep *p);
void nativert_pointwise_fn (const NativertCall *c, uint32_t part);

/* Number of parts for n units of `cost` bytes or so each: from sizes only, at most n and 64. */
uint32_t nativert_parts (int64_t n, int64_t cost);
/* Units of a part: lo to hi of n. */
void nativert_part_range (int64_t n, uint32_t n_parts, uint32_t part, int64_t *lo, int64_t *hi);
