/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The custom meta "NativertInference", and tensors as memories: what both kinds of tensor metadata share. */
#include "tensor-meta.h"
#include "tensor-meta-private.h"

#define INFERENCE_META "NativertInference"

GstMemory *
gst_nativert_tensor_to_memory (NativertTensor *tensor)
{
  const gsize size
      = (gsize) nativert_tensor_get_n_elements (tensor) * nativert_dtype_get_size (nativert_tensor_get_dtype (tensor));
  return gst_memory_new_wrapped (GST_MEMORY_FLAG_READONLY, nativert_tensor_get_data (tensor), size, 0, size,
      nativert_tensor_ref (tensor), (GDestroyNotify) nativert_tensor_unref);
}

void
gst_nativert_register_custom_meta (const char *name)
{
  static const gchar *tags[] = { NULL };
  if (!gst_meta_get_info (name))
    gst_meta_register_custom (name, tags, NULL, NULL, NULL);
}

gboolean
gst_nativert_buffer_add_inference (GstBuffer *buffer, const GstNativertInference *inference)
{
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, INFERENCE_META);
  if (!meta)
    meta = gst_buffer_add_custom_meta (buffer, INFERENCE_META);
  if (!meta)
    return FALSE;
  GstStructure *s = gst_custom_meta_get_structure (meta);
  gst_structure_set (s, "inferred", G_TYPE_BOOLEAN, inference->skipped == NULL,
      "weights-version", G_TYPE_UINT64, inference->weights_version,
      "scale-x", G_TYPE_DOUBLE, inference->scale_x, "scale-y", G_TYPE_DOUBLE, inference->scale_y,
      "offset-x", G_TYPE_DOUBLE, inference->offset_x, "offset-y", G_TYPE_DOUBLE, inference->offset_y, NULL);
  if (inference->skipped)
    gst_structure_set (s, "skipped", G_TYPE_STRING, inference->skipped, NULL);
  return TRUE;
}
