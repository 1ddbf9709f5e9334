/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Activations that convolutions and products apply to their results: the plain form, in double. */
#pragma once
#include <math.h>
#include "kernel.h"

static inline double
nativert_act_plain (uint8_t act, double x, double a, double b)
{
  switch (act) {
  case NATIVERT_ACT_RELU: return x <= 0 ? 0 : x;
  case NATIVERT_ACT_CLAMP: return x < a ? a : x > b ? b : x;
  case NATIVERT_ACT_LEAKY_RELU: return x > 0 ? x : x * a;
  case NATIVERT_ACT_SILU: return x / (1 + exp (-x));
  case NATIVERT_ACT_HARDSWISH: return x * (x < -3 ? 0 : x > 3 ? 6 : x + 3) / 6;
  case NATIVERT_ACT_HARDSIGMOID: return (x < -3 ? 0 : x > 3 ? 6 : x + 3) / 6;
  case NATIVERT_ACT_SIGMOID: return 1 / (1 + exp (-x));
  case NATIVERT_ACT_TANH: return tanh (x);
  case NATIVERT_ACT_GELU: return x * 0.5 * (1 + erf (x * M_SQRT1_2));
  case NATIVERT_ACT_GELU_TANH: return 0.5 * x * (1 + tanh (0.7978845608028654 * (x + 0.044715 * x * x * x)));
  default: return x;
  }
}
