/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tensors as buffers: NNStreamer's static other/tensors caps and one memory per tensor. */
#pragma once
#include <gst/gst.h>
#include "nativert.h"

G_BEGIN_DECLS

#define GST_NATIVERT_TENSORS_NAME "other/tensors"
#define GST_NATIVERT_MAX_TENSORS 16             /* memories that a buffer takes before it merges them */

/* Caps of a model's outputs: without dimensions where tensors (run results, or NULL) are not known yet.
 * NULL: they have no name in this format; error says which. */
GstCaps *gst_nativert_tensor_caps_new (NativertModel *model, NativertTensor *const *tensors, GError **error);

G_END_DECLS
