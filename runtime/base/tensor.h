/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a NativertTensor is made of, for the runtime itself: a run reads inputs and hands out outputs without a call or
 * an allocation for each field. */
#pragma once
#include "base/refs.h"
#include "nativert.h"

enum { NATIVERT_TENSOR_MAX_DIMS = 12 };

struct _NativertTensor {
  NativertRefs refs;
  NativertDtype dtype;
  guint n_dims;
  gint64 size[NATIVERT_TENSOR_MAX_DIMS], stride[NATIVERT_TENSOR_MAX_DIMS];
  gpointer data;
  gsize n_owned;                        /* bytes of own memory when destroy is NULL */
  bool owns;
  bool pooled;                          /* the struct belongs to user_data: destroy recycles it */
  GDestroyNotify destroy;
  gpointer user_data;
};

/* Makes tensor, memory of the caller's, a tensor with one reference; recycle (user_data) runs when the last one goes.
 */
void nativert_tensor_init_pooled (NativertTensor *tensor, NativertDtype dtype, const gint64 *sizes,
    const gint64 *strides, guint n_dims, gpointer data, GDestroyNotify recycle, gpointer user_data);
