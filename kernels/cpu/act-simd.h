/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NativertAct on a run of floats that are in the cache: loops that the compiler turns into vectors.  For files compiled
 * once per instruction set. */
#pragma once
#include "kernels/kernel.h"
#include "kernels/simd.h"
#include "kernels/vmath.h"

#define NATIVERT_ACT_CASE(which, expr)                                    \
  case which:                                                             \
    for (int64_t i = 0; i < n; i++) {                                     \
      float x = p[i];                                                     \
      p[i] = (expr);                                                      \
    }                                                                     \
    return;

static __attribute__ ((noinline, unused)) void
act_run (uint8_t act, float a, float b, float *p, int64_t n)
{
  switch (act) {
    NATIVERT_ACT_CASE (NATIVERT_ACT_RELU, x <= 0 ? 0 : x)
    NATIVERT_ACT_CASE (NATIVERT_ACT_CLAMP, x < a ? a : x > b ? b : x)
    NATIVERT_ACT_CASE (NATIVERT_ACT_LEAKY_RELU, x > 0 ? x : x * a)
    NATIVERT_ACT_CASE (NATIVERT_ACT_SILU, nativert_siluf (x))
    NATIVERT_ACT_CASE (NATIVERT_ACT_HARDSWISH, nativert_hardswishf (x))
    NATIVERT_ACT_CASE (NATIVERT_ACT_HARDSIGMOID, nativert_hardsigmoidf (x))
    NATIVERT_ACT_CASE (NATIVERT_ACT_SIGMOID, nativert_sigmoidf (x))
    NATIVERT_ACT_CASE (NATIVERT_ACT_TANH, nativert_tanhf (x))
    NATIVERT_ACT_CASE (NATIVERT_ACT_GELU, nativert_geluf (x))
    NATIVERT_ACT_CASE (NATIVERT_ACT_GELU_TANH, nativert_gelu_tanhf (x))
  default: return;
  }
}
