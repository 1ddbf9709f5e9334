/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Operator ids, the operator table and the kernel tables, all derived from ops.def. */
#pragma once
#include "kernel.h"

typedef enum {
#define OP(name, ...) NATIVERT_OP_##name,
#include "ops.def"
#undef OP
  NATIVERT_N_OPS
} NativertOpId;

extern const NativertOp nativert_ops[NATIVERT_N_OPS];
extern const NativertKernelSet *const nativert_kernel_sets[];   /* plain first; ends with NULL */

/* Bytes and torch's name ("float32") of a dtype. */
size_t nativert_dtype_size (uint8_t dtype);
const char *nativert_dtype_name (uint8_t dtype);

/* NATIVERT_CPU_* of this machine, masked by the environment's NATIVERT_CPU=generic|v3|v4. */
uint32_t nativert_cpu_features (void);

/* The last row for (op, dtype, device) whose needs p->cpu has and whose prepare says yes; its answers are in p.
 * NULL: none; p->reason says what the plain row (or the table) answered. */
const NativertKernel *nativert_kernel_find (NativertPrep *p, uint8_t dtype, uint8_t device);
