/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tensor metadata as GstTensorMeta.  Structures are filled by hand: gst_tensor_new_simple takes neither scalars nor
 * bool. */
#define GST_USE_UNSTABLE_API
#include <gst/analytics/analytics.h>
#include "tensor-meta.h"
#include "tensor-meta-private.h"

void
gst_nativert_metas_register (void)
{
  gst_tensor_meta_get_info ();
  gst_nativert_register_custom_meta ("NativertInference");
}

const char *
gst_nativert_tensor_meta_name (void)
{
  return "GstTensorMeta";
}

/* Element types that GStreamer cannot say become the bytes, or the pairs of floats, that they are. */
static GstTensorDataType
data_type (NativertDtype dtype, gboolean *pairs)
{
  *pairs = FALSE;
  switch (dtype) {
    case NATIVERT_DTYPE_FLOAT32:
      return GST_TENSOR_DATA_TYPE_FLOAT32;
    case NATIVERT_DTYPE_FLOAT64:
      return GST_TENSOR_DATA_TYPE_FLOAT64;
    case NATIVERT_DTYPE_FLOAT16:
      return GST_TENSOR_DATA_TYPE_FLOAT16;
    case NATIVERT_DTYPE_BFLOAT16:
      return GST_TENSOR_DATA_TYPE_BFLOAT16;
    case NATIVERT_DTYPE_INT64:
      return GST_TENSOR_DATA_TYPE_INT64;
    case NATIVERT_DTYPE_INT32:
      return GST_TENSOR_DATA_TYPE_INT32;
    case NATIVERT_DTYPE_INT16:
      return GST_TENSOR_DATA_TYPE_INT16;
    case NATIVERT_DTYPE_INT8:
      return GST_TENSOR_DATA_TYPE_INT8;
    case NATIVERT_DTYPE_UINT16:
      return GST_TENSOR_DATA_TYPE_UINT16;
    case NATIVERT_DTYPE_UINT32:
      return GST_TENSOR_DATA_TYPE_UINT32;
    case NATIVERT_DTYPE_UINT64:
      return GST_TENSOR_DATA_TYPE_UINT64;
    case NATIVERT_DTYPE_COMPLEX32:
      *pairs = TRUE;
      return GST_TENSOR_DATA_TYPE_FLOAT16;
    case NATIVERT_DTYPE_COMPLEX64:
      *pairs = TRUE;
      return GST_TENSOR_DATA_TYPE_FLOAT32;
    case NATIVERT_DTYPE_COMPLEX128:
      *pairs = TRUE;
      return GST_TENSOR_DATA_TYPE_FLOAT64;
    default:
      return GST_TENSOR_DATA_TYPE_UINT8;
  }
}

/* A scalar gets one dimension of 1: readers of this meta do not expect none. */
static GstTensor *
make_tensor (NativertTensor *from, GQuark name)
{
  gboolean pairs;
  const GstTensorDataType type = data_type (nativert_tensor_get_dtype (from), &pairs);
  const guint rank = nativert_tensor_get_n_dims (from);
  const gsize n_dims = MAX (rank + (pairs ? 1 : 0), 1);
  GstTensor *tensor = gst_tensor_alloc (n_dims);
  tensor->id = name;
  tensor->layout = GST_TENSOR_LAYOUT_CONTIGUOUS;
  tensor->data_type = type;
  tensor->dims_order = GST_TENSOR_DIM_ORDER_ROW_MAJOR;
  tensor->num_dims = n_dims;
  tensor->dims[0] = 1;
  for (guint i = 0; i < rank; i++)
    tensor->dims[i] = (gsize) nativert_tensor_get_size (from, (gint) i);
  if (pairs)
    tensor->dims[rank] = 2;
  tensor->data = gst_buffer_new ();
  gst_buffer_append_memory (tensor->data, gst_nativert_tensor_to_memory (from));
  return tensor;
}

gboolean
gst_nativert_buffer_add_results (GstBuffer *buffer, const GstNativertResults *results)
{
  GstTensorMeta *meta = gst_buffer_add_tensor_meta (buffer);
  if (!meta)
    return FALSE;
  /* Before 1.26.6 an earlier filter's meta comes back: its tensors stay in front of ours. */
  const gsize n_before = meta->num_tensors;
  GstTensor **tensors = g_new (GstTensor *, n_before + results->n);
  for (gsize i = 0; i < n_before; i++)
    tensors[i] = gst_tensor_copy (meta->tensors[i]);
  for (guint i = 0; i < results->n; i++)
    tensors[n_before + i] = make_tensor (results->tensor[i], results->name[i]);
  gst_tensor_meta_set (meta, (guint) (n_before + results->n), tensors);
  return TRUE;
}
