/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory of one output of one plan.  A result is a NativertTensor whose handle and elements live in a pooled buffer;
 * the last unref, from whatever thread, puts it back.  Results outlive the pool, the plan and the runner. */
#pragma once
#include "kernels/kernel.h"
#include "package/package.h"

typedef struct NativertOutputPool NativertOutputPool;
typedef struct NativertOutputBuffer NativertOutputBuffer;

/* view: what a result looks like; offset: bytes from the start of the memory to its first element. */
NativertOutputPool *nativert_output_pool_new (const NativertView *view, int64_t offset, size_t n_bytes);
/* Results that are out keep their memory. */
void nativert_output_pool_free (NativertOutputPool *pool);
NativertOutputBuffer *nativert_output_pool_take (NativertOutputPool *pool, GError **error);
void *nativert_output_buffer_data (NativertOutputBuffer *buffer);
/* The result; buffer belongs to it from here on. */
NativertTensor *nativert_output_buffer_to_tensor (NativertOutputBuffer *buffer);
/* Back to the pool, unused. */
void nativert_output_buffer_return (NativertOutputBuffer *buffer);
