/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* other/tensors, format=static: dimensions innermost first, types, framerate. */
#include "tensor-caps.h"

/* NULL: the format has no such type.  It has none for bool, whose bytes are 0 and 1. */
static const char *
type_name (NativertDtype dtype)
{
  switch (dtype) {
    case NATIVERT_DTYPE_BOOL:
      return "uint8";
    case NATIVERT_DTYPE_FLOAT16:
    case NATIVERT_DTYPE_FLOAT32:
    case NATIVERT_DTYPE_FLOAT64:
    case NATIVERT_DTYPE_INT8:
    case NATIVERT_DTYPE_INT16:
    case NATIVERT_DTYPE_INT32:
    case NATIVERT_DTYPE_INT64:
    case NATIVERT_DTYPE_UINT8:
    case NATIVERT_DTYPE_UINT16:
    case NATIVERT_DTYPE_UINT32:
    case NATIVERT_DTYPE_UINT64:
      return nativert_dtype_get_name (dtype);
    default:
      return NULL;
  }
}

static gboolean
append_dimensions (GString *text, NativertTensor *tensor, const char *name, GError **error)
{
  const guint rank = nativert_tensor_get_n_dims (tensor);
  if (rank == 0)
    g_string_append_c (text, '1');
  for (guint i = rank; i-- > 0;) {
    const gint64 size = nativert_tensor_get_size (tensor, (gint) i);
    if (size == 0) {
      g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_MISMATCH,
          "output \"%s\" is empty, which other/tensors cannot say; "
          "output-mode=meta can",
          name);
      return FALSE;
    }
    g_string_append_printf (text, "%" G_GINT64_FORMAT "%s", size, i ? ":" : "");
  }
  return TRUE;
}

GstCaps *
gst_nativert_tensor_caps_new (NativertModel *model, NativertTensor *const *tensors, GError **error)
{
  const guint n = nativert_model_get_n_outputs (model);
  if (n == 0 || n > GST_NATIVERT_MAX_TENSORS) {
    g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_MISMATCH,
        "the model has %u outputs, and a buffer of tensors 1 to %d; "
        "output-mode=meta takes any number",
        n, GST_NATIVERT_MAX_TENSORS);
    return NULL;
  }
  g_autoptr (GString) types = g_string_new (NULL), dimensions = g_string_new (NULL);
  for (guint i = 0; i < n; i++) {
    const NativertPort *port = nativert_model_get_output (model, i);
    const char *type = type_name (port->dtype);
    if (!type) {
      g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_MISMATCH,
          "output \"%s\" is %s, which other/tensors cannot say; "
          "output-mode=meta can",
          port->name, nativert_dtype_get_name (port->dtype));
      return NULL;
    }
    g_string_append_printf (types, "%s%s", i ? "," : "", type);
    if (i > 0)
      g_string_append_c (dimensions, ',');
    if (tensors && !append_dimensions (dimensions, tensors[i], port->name, error))
      return NULL;
  }
  GstCaps *caps
      = gst_caps_new_simple (GST_NATIVERT_TENSORS_NAME, "format", G_TYPE_STRING, "static", "num_tensors", G_TYPE_INT,
          (gint) n, "types", G_TYPE_STRING, types->str, "framerate", GST_TYPE_FRACTION_RANGE, 0, 1, G_MAXINT, 1, NULL);
  if (tensors)
    gst_caps_set_simple (caps, "dimensions", G_TYPE_STRING, dimensions->str, NULL);
  return caps;
}
