/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Geometry of a resize: always three spatial dimensions, absent ones first with size 1. */
#pragma once
#include "kernel.h"

typedef enum {
  NATIVERT_RESIZE_NEAREST,
  NATIVERT_RESIZE_NEAREST_EXACT,
  NATIVERT_RESIZE_LINEAR,
  NATIVERT_RESIZE_CUBIC
} NativertResizeMode;

typedef struct {
  int64_t planes, in[3], out[3];
  double factor[3];                             /* result size by input size as the caller gave it, 0 = by the sizes */
  uint8_t mode, nd;
  bool align_corners, antialias;
  int64_t taps[3], parts;                       /* written by the kernel's prepare */
} NativertResize;

bool nativert_resize_describe (NativertPrep *p, NativertResize *g);
