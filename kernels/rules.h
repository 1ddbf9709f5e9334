/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prototypes of the view, expand and shape functions that rows of ops.def name. */
#pragma once
#include "emit.h"

#define NATIVERT_SHAPE(name) bool nativert_shape_##name (NativertPrep *p)
#define NATIVERT_VIEW(name) bool nativert_view_##name (NativertPrep *p)
#define NATIVERT_EXPAND(name) bool nativert_expand_##name (NativertEmit *e, NativertPrep *p, NativertRef *out)

NATIVERT_SHAPE (pointwise);

/* Writes the reason for a no; returns false. */
bool nativert_no (NativertPrep *p, const char *format, ...) __attribute__ ((format (printf, 2, 3)));
/* Makes v contiguous with these sizes. */
void nativert_view_init (NativertView *v, uint8_t dtype, uint32_t ndim, const int64_t *size);
int64_t nativert_view_numel (const NativertView *v);
bool nativert_view_is_contiguous (const NativertView *v);

#include "kernels/rules-nn.h"
