/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies and casts between strided windows: the kernel behind nativert::copy, and what cat, pad and scatter move data
 * with. */
#pragma once
#include "iter.h"

typedef struct {
  NativertLoopFn loop;
  uint8_t tile;                                 /* not 0: the dimension that is contiguous in the source: go by tiles */
  uint8_t source;                               /* which input */
  uint32_t n_parts;
  NativertIter it;
} NativertCopyPlan;

/* Same dtype on both sides, any strides; false: too many dimensions that do not collapse. */
bool nativert_copy_plan (NativertPrep *p, NativertCopyPlan *plan, const NativertView *to, const NativertView *from);
/* Part `part` of n_parts. */
void nativert_copy_run (const NativertCopyPlan *plan, void *to, const void *from, uint32_t part, uint32_t n_parts);
/* Both at once, for views that are known at run time only; they are of one dtype and shape. */
void nativert_copy_views (const NativertView *to, const NativertView *from, uint32_t part, uint32_t n_parts);

/* prepare and fn of every copying operator; loop: the cast, NULL for same dtypes. */
bool nativert_copy_prepare (NativertPrep *p, NativertLoopFn loop);
void nativert_copy_fn (const NativertCall *c, uint32_t part);

/* Operators that this kernel computes. */
#define NATIVERT_COPY_OPS(M, ...)       \
  M (nativert_copy, __VA_ARGS__)        \
  M (copy_default, __VA_ARGS__)         \
  M (clone_default, __VA_ARGS__)        \
  M (contiguous_default, __VA_ARGS__)   \
  M (_to_copy_default, __VA_ARGS__)     \
  M (to_dtype, __VA_ARGS__)             \
  M (to_dtype_layout, __VA_ARGS__)      \
  M (to_device, __VA_ARGS__)            \
  M (to_other, __VA_ARGS__)             \
  M (type_as_default, __VA_ARGS__)
