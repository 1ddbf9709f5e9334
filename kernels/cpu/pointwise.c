/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pointwise operators.  Compiled once per instruction set. */
#include "kernels/isa.h"

extern const NativertKernelSet NATIVERT_SET (pointwise);
static const NativertKernel rows[] = { { 0 } };
const NativertKernelSet NATIVERT_SET (pointwise) = { rows, 0, NATIVERT_STR (NATIVERT_ISA) };
