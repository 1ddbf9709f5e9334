/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Geometry of a convolution, as all its kernels see it: always three spatial dimensions (absent ones have size, kernel
 * and stride 1 and come first), every relation checked, so that kernels only index. */
#pragma once
#include "kernel.h"

typedef struct {
  int64_t n, cin, cout, groups;                 /* cin, cout: of all groups */
  int64_t in[3], out[3], k[3], stride[3], pad[3], dil[3];       /* pad: before the first element */
  int64_t in_n, in_c, in_s[3];                  /* element strides of the input */
  int64_t res_n, res_c, res_s[3];               /* of the residual */
  int8_t bias, residual;                        /* index in in[], -1 = none */
  uint8_t nd, batched, act;
  float act_a, act_b;
  /* written by the kernel's prepare */
  int32_t tile[8];
} NativertConv;

/* Reads nativert::conv's arguments; result sizes included.  Output strides are not looked at. */
bool nativert_conv_describe (NativertPrep *p, NativertConv *g);
/* The same for nativert::conv_transpose: stride, pad and dil are those of the convolution it is the gradient of. */
bool nativert_conv_transpose_describe (NativertPrep *p, NativertConv *g);
/* True when out[0] is contiguous; else says so. */
bool nativert_conv_out_ok (NativertPrep *p);
