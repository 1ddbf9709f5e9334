/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tensor metadata where GStreamer has none: a custom meta whose structure any language binding reads.
 *   names  strv         of the model's outputs
 *   types  strv         torch's: "float32"
 *   dims   strv         outermost first: "1,84,8400"; empty for a scalar
 *   data   GstBufferList  one buffer per tensor: its elements, row-major */
#include "tensor-meta.h"
#include "tensor-meta-private.h"

#define TENSOR_META "NativertTensors"

void
gst_nativert_metas_register (void)
{
  gst_nativert_register_custom_meta (TENSOR_META);
  gst_nativert_register_custom_meta ("NativertInference");
}

const char *
gst_nativert_tensor_meta_name (void)
{
  return TENSOR_META;
}

static char *
dims_text (const NativertTensor *tensor)
{
  char text[NATIVERT_MAX_RANK_TEXT] = "";
  gsize used = 0;
  const guint n = nativert_tensor_get_n_dims (tensor);
  for (guint i = 0; i < n; i++)
    used += (gsize) g_snprintf (text + used, (gulong) (sizeof text - used), "%s%" G_GINT64_FORMAT, i ? "," : "",
        nativert_tensor_get_size (tensor, (gint) i));
  return g_strdup (text);
}

static GstBuffer *
tensor_to_buffer (NativertTensor *tensor)
{
  GstBuffer *buffer = gst_buffer_new ();
  gst_buffer_append_memory (buffer, gst_nativert_tensor_to_memory (tensor));
  return buffer;
}

static void
take_field (GstStructure *s, const char *name, GType type, gpointer boxed)
{
  GValue value = G_VALUE_INIT;
  g_value_init (&value, type);
  g_value_take_boxed (&value, boxed);
  gst_structure_take_value (s, name, &value);
}

gboolean
gst_nativert_buffer_add_results (GstBuffer *buffer, const GstNativertResults *results)
{
  /* Metadata of one name is one per buffer: an earlier filter's gives way. */
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, TENSOR_META);
  if (!meta)
    meta = gst_buffer_add_custom_meta (buffer, TENSOR_META);
  if (!meta)
    return FALSE;
  char **names = g_new0 (char *, results->n + 1), **types = g_new0 (char *, results->n + 1),
       **dims = g_new0 (char *, results->n + 1);
  GstBufferList *data = gst_buffer_list_new_sized (results->n);
  for (guint i = 0; i < results->n; i++) {
    names[i] = g_strdup (g_quark_to_string (results->name[i]));
    types[i] = g_strdup (nativert_dtype_get_name (nativert_tensor_get_dtype (results->tensor[i])));
    dims[i] = dims_text (results->tensor[i]);
    gst_buffer_list_add (data, tensor_to_buffer (results->tensor[i]));
  }
  GstStructure *s = gst_custom_meta_get_structure (meta);
  take_field (s, "names", G_TYPE_STRV, names);
  take_field (s, "types", G_TYPE_STRV, types);
  take_field (s, "dims", G_TYPE_STRV, dims);
  take_field (s, "data", GST_TYPE_BUFFER_LIST, data);
  return TRUE;
}
