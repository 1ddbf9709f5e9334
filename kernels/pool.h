/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Geometry of pooling windows: always three spatial dimensions, absent ones first with size 1. */
#pragma once
#include "kernel.h"

typedef struct {
  int64_t planes, in[3], out[3], k[3], stride[3], pad[3], dil[3];
  int64_t divisor;                              /* average: 0 = number of elements of the window */
  bool adaptive, average, count_pad;
  uint8_t nd;
} NativertPool;

/* For every pooling operator: reads the arguments of p->op, checks them, computes result sizes. */
bool nativert_pool_describe (NativertPrep *p, NativertPool *g);

/* First and one-past-last input position of adaptive window i. */
static inline int64_t nativert_pool_first (int64_t i, int64_t in, int64_t out) { return i * in / out; }
static inline int64_t nativert_pool_end (int64_t i, int64_t in, int64_t out) { return ((i + 1) * in + out - 1) / out; }
