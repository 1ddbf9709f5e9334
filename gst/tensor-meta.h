/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Results on buffers, with one face for two kinds of metadata: GstTensorMeta where GStreamer has it (1.26 and later),
 * else a custom meta "NativertTensors" of our own.  docs/elements.md says how programs read both. */
#pragma once
#include <gst/gst.h>
#include "nativert.h"

G_BEGIN_DECLS

/* The results of one run: names belong to the model, tensors are contiguous. */
typedef struct {
  guint n;
  NativertTensor **tensor;
  const GQuark *name;
} GstNativertResults;

/* What is said about every frame, inferred or not, in a custom meta "NativertInference". */
typedef struct {
  const char *skipped;                          /* NULL when the model ran; else "late" or "interval" */
  guint64 weights_version;
  gdouble scale_x, scale_y, offset_x, offset_y;
} GstNativertInference;

/* Registers what needs registering; any number of times. */
void gst_nativert_metas_register (void);
/* The tensor's bytes as a memory that keeps the tensor; nothing is copied. */
GstMemory *gst_nativert_tensor_to_memory (NativertTensor *tensor);
/* Both want writable metadata; pixels are not touched. */
gboolean gst_nativert_buffer_add_results (GstBuffer *buffer, const GstNativertResults *results);
gboolean gst_nativert_buffer_add_inference (GstBuffer *buffer, const GstNativertInference *inference);
/* What kind it is: the name to look for on buffers. */
const char *gst_nativert_tensor_meta_name (void);

G_END_DECLS
