/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prototypes of the view, expand and shape functions that rows of ops.def name, and what they are written with. */
#pragma once
#include "emit.h"

#define NATIVERT_SHAPE(name) bool nativert_shape_##name (NativertPrep *p)
#define NATIVERT_VIEW(name) bool nativert_view_##name (NativertPrep *p)
#define NATIVERT_EXPAND(name) bool nativert_expand_##name (NativertEmit *e, NativertPrep *p, NativertRef *out)

#define SHAPE(name) NATIVERT_SHAPE (name);
#define VIEW(name) NATIVERT_VIEW (name);
#define EXPAND(name) NATIVERT_EXPAND (name);
#include "rules.def"
#undef SHAPE
#undef VIEW
#undef EXPAND

/* Writes the reason for a no; returns false. */
bool nativert_no (NativertPrep *p, const char *format, ...) __attribute__ ((format (printf, 2, 3)));
/* Makes v contiguous with these sizes. */
void nativert_view_init (NativertView *v, uint8_t dtype, uint32_t ndim, const int64_t *size);
int64_t nativert_view_numel (const NativertView *v);
bool nativert_view_is_contiguous (const NativertView *v);
/* "[2, 3]" for messages; buf is returned. */
const char *nativert_sizes_text (char *buf, size_t n, uint32_t ndim, const int64_t *size);

#include "kernels/rules-nn.h"

static inline bool
nativert_is_float (uint8_t dtype)
{
  return dtype == NATIVERT_F32 || dtype == NATIVERT_F64 || dtype == NATIVERT_F16 || dtype == NATIVERT_BF16;
}

static inline bool
nativert_is_complex (uint8_t dtype)
{
  return dtype == NATIVERT_C32 || dtype == NATIVERT_C64 || dtype == NATIVERT_C128;
}

/* bool and integers */
static inline bool
nativert_is_integral (uint8_t dtype)
{
  return dtype >= NATIVERT_I64 && dtype <= NATIVERT_U64;
}

/* Negative dimensions count from the end; a 0-d tensor has dimensions 0 and -1. */
bool nativert_wrap_dim (NativertPrep *p, int64_t dim, uint32_t ndim, uint32_t *wrapped);
/* As above for a list: a set of bits; all when the list is absent or empty.  Twice the same dimension is a no. */
bool nativert_wrap_dims (NativertPrep *p, uint32_t arg, uint32_t ndim, uint32_t *mask);
/* Sizes with at most one -1, which numel decides. */
bool nativert_infer_sizes (NativertPrep *p, int64_t numel, uint32_t n, const int64_t *want, int64_t *size);
/* Product of non-negative sizes, with overflow as a no. */
bool nativert_checked_numel (NativertPrep *p, uint32_t n, const int64_t *size, int64_t *numel);
/* Result k: contiguous with these sizes, which must be sane. */
bool nativert_result (NativertPrep *p, uint32_t k, uint8_t dtype, uint32_t ndim, const int64_t *size);
/* Broadcasts size (ndim of them) with v's sizes. */
bool nativert_broadcast (NativertPrep *p, const NativertView *v, uint32_t *ndim, int64_t *size);

/* Scalar arguments in expand functions: number, or a 0-d tensor where the number is computed.  The dtype that torch
 * gives (tensor of `dtype`, number); the number as a 0-d value of `dtype`. */
uint8_t nativert_scalar_dtype (const NativertPrep *p, uint32_t k, uint8_t dtype);
NativertRef nativert_scalar_ref (NativertEmit *e, const NativertPrep *p, uint32_t k, uint8_t dtype);
/* Shortcuts for expand functions. */
NativertRef nativert_emit_cast (NativertEmit *e, NativertRef ref, uint8_t dtype); /* ref itself when it is of dtype */
NativertRef nativert_emit_copy (NativertEmit *e, NativertRef ref);                        /* contiguous */
NativertRef nativert_emit_view (NativertEmit *e, NativertRef ref, uint32_t ndim, const int64_t *size); /* reshape */
NativertRef nativert_emit_expand (NativertEmit *e, NativertRef ref, uint32_t ndim, const int64_t *size);
NativertRef nativert_emit_permute (NativertEmit *e, NativertRef ref, uint32_t ndim, const int64_t *dims);
NativertRef nativert_emit_slice (
    NativertEmit *e, NativertRef ref, int64_t dim, int64_t start, int64_t end, int64_t step);
NativertRef nativert_emit_add (NativertEmit *e, NativertRef a, NativertRef b);

#include "kernels/args.h"
