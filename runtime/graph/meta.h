/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Questions about sizes and strides that hold for every value of the symbols.  Symbolic answers are proven by
 * sampling: two expressions that agree at several points, small sizes and large primes among them, are taken as
 * equal. */
#pragma once
#include "graph/private.h"

bool nativert_meta_is_static (const NativertTensorMetaDesc *meta);
bool nativert_meta_same_sizes (
    const NativertProgram *program, const NativertTensorMetaDesc *a, const NativertTensorMetaDesc *b);
/* dtype, sizes and strides */
bool nativert_meta_same_layout (
    const NativertProgram *program, const NativertTensorMetaDesc *a, const NativertTensorMetaDesc *b);
bool nativert_meta_is_contiguous (const NativertProgram *program, const NativertTensorMetaDesc *meta);
/* Bytes of a static tensor's elements; -1 when symbolic or too large. */
int64_t nativert_meta_n_bytes (const NativertTensorMetaDesc *meta);
/* A static contiguous tensor. */
const NativertTensorMetaDesc *nativert_meta_new (
    NativertRegion *region, int dtype, const int64_t *sizes, uint32_t n_dims);
/* meta with another dtype */
const NativertTensorMetaDesc *nativert_meta_with_dtype (
    NativertRegion *region, const NativertTensorMetaDesc *meta, int dtype);
