/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NativertAct on rows of floats that are in the cache, by vectors.  For files compiled once per instruction set. */
#pragma once
#include "kernels/kernel.h"
#include "kernels/simd.h"

NATIVERT_INLINE V
v_act (uint8_t act, V x, V a, V b)
{
  V six = v_set (6), three = v_set (3);
  switch (act) {
  case NATIVERT_ACT_RELU: return v_max (v_zero (), x);
  case NATIVERT_ACT_CLAMP: return v_min (b, v_max (a, x));
  case NATIVERT_ACT_LEAKY_RELU: return v_max (v_zero (), x) + a * v_min (v_zero (), x);
  case NATIVERT_ACT_SILU: return x * v_sigmoid (x);
  case NATIVERT_ACT_HARDSWISH: return x * v_min (six, v_max (v_zero (), x + three)) / six;
  case NATIVERT_ACT_HARDSIGMOID: return v_min (six, v_max (v_zero (), x + three)) / six;
  case NATIVERT_ACT_SIGMOID: return v_sigmoid (x);
  case NATIVERT_ACT_TANH: return v_tanh (x);
  case NATIVERT_ACT_GELU: return v_set (0.5f) * x * (v_set (1) + v_erf (x * v_set (0.70710678f)));
  case NATIVERT_ACT_GELU_TANH:
    return v_set (0.5f) * x * (v_set (1) + v_tanh (v_set (0.79788456f) * v_fma (x * x * x, v_set (0.044715f), x)));
  default: return x;
  }
}

#define NATIVERT_ACT_CASE(which)                                          \
  case which:                                                             \
    for (; n >= VL; n -= VL, p += VL)                                     \
      v_store (p, v_act (which, v_load (p), va, vb));                     \
    if (n)                                                                \
      v_store_part (p, v_act (which, v_load_part (p, (int) n), va, vb), (int) n); \
    return;

static __attribute__ ((noinline, unused)) void
act_run (uint8_t act, float a, float b, float *p, int64_t n)
{
  V va = v_set (a), vb = v_set (b);
  switch (act) {
    NATIVERT_ACT_CASE (NATIVERT_ACT_RELU)
    NATIVERT_ACT_CASE (NATIVERT_ACT_CLAMP)
    NATIVERT_ACT_CASE (NATIVERT_ACT_LEAKY_RELU)
    NATIVERT_ACT_CASE (NATIVERT_ACT_SILU)
    NATIVERT_ACT_CASE (NATIVERT_ACT_HARDSWISH)
    NATIVERT_ACT_CASE (NATIVERT_ACT_HARDSIGMOID)
    NATIVERT_ACT_CASE (NATIVERT_ACT_SIGMOID)
    NATIVERT_ACT_CASE (NATIVERT_ACT_TANH)
    NATIVERT_ACT_CASE (NATIVERT_ACT_GELU)
    NATIVERT_ACT_CASE (NATIVERT_ACT_GELU_TANH)
  default: return;
  }
}
