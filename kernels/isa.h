/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For files that are compiled once per instruction set: meson defines NATIVERT_ISA (generic, v3, v4).
 * NATIVERT_SET (pointwise) is this object's one exported symbol; everything else in such a file is static. */
#pragma once
#include "ops.h"

#define NATIVERT_CAT_(a, b) a##_##b
#define NATIVERT_CAT(a, b) NATIVERT_CAT_ (a, b)
#define NATIVERT_STR_(a) #a
#define NATIVERT_STR(a) NATIVERT_STR_ (a)
#define NATIVERT_SET(family) NATIVERT_CAT (nativert_set_##family, NATIVERT_ISA)
/* "conv-direct" -> "conv-direct-v3" */
#define NATIVERT_ROW_NAME(text) text "-" NATIVERT_STR (NATIVERT_ISA)

#if defined(NATIVERT_ISA_V4)
#define NATIVERT_NEEDS (NATIVERT_CPU_V3 | NATIVERT_CPU_V4)
#define NATIVERT_SPECIAL 1                      /* a set of extra rows: for the preprocessor */
#elif defined(NATIVERT_ISA_V3)
#define NATIVERT_NEEDS NATIVERT_CPU_V3
#define NATIVERT_SPECIAL 1
#else
#define NATIVERT_NEEDS 0
#define NATIVERT_SPECIAL 0
#endif
