/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the element's tests share. */
#include <string.h>
#include "common.h"
#ifdef TEST_ANALYTICS
#define GST_USE_UNSTABLE_API
#include <gst/analytics/analytics.h>
#endif

char *
test_model (const char *name)
{
  return g_test_build_filename (G_TEST_DIST, "..", "data", "gst", name, NULL);
}

GstElement *
test_element (const char *model, const char *properties)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = test_model (model);
  g_autofree char *text = g_strdup_printf ("nativertfilter model=\"%s\" %s", path, properties ? properties : "");
  GstElement *element = gst_parse_launch (text, &error);
  g_assert_no_error (error);
  if (g_object_is_floating (element))
    gst_object_ref_sink (element);
  return element;
}

GstHarness *
test_harness (const char *model, const char *properties, const char *caps)
{
  GstElement *element = test_element (model, properties);
  test_watch (element);
  GstHarness *h = gst_harness_new_with_element (element, "sink", "src");
  gst_object_unref (element);
  if (caps)
    gst_harness_set_src_caps_str (h, caps);
  return h;
}

void
test_watch (GstElement *element)
{
  g_autoptr (GstBus) bus = gst_bus_new ();
  gst_element_set_bus (element, bus);
}

void
test_unwatch (GstElement *element)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (element);
  if (bus)
    gst_bus_set_flushing (bus, TRUE);
  gst_element_set_bus (element, NULL);
}

void
test_teardown (GstHarness *h)
{
  test_unwatch (h->element);
  gst_harness_teardown (h);
}

GstMessage *
test_message (GstElement *element, GstMessageType type)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (element);
  return gst_bus_timed_pop_filtered (bus, 5 * GST_SECOND, type);
}

void
test_assert_error (GstElement *element, GQuark domain, gint code, const char *text)
{
  g_autoptr (GstMessage) message = test_message (element, GST_MESSAGE_ERROR);
  g_autoptr (GError) error = NULL;
  g_assert_nonnull (message);
  gst_message_parse_error (message, &error, NULL);
  g_test_message ("%s", error->message);
  g_assert_error (error, domain, code);
  if (text && !strstr (error->message, text))
    g_error ("expected \"%s\" in the message, got \"%s\"", text, error->message);
}

static void
fill_plane (guint8 *data, gint stride, gint bytes, gint rows, guint *seed)
{
  for (gint y = 0; y < rows; y++)
    for (gint x = 0; x < bytes; x++) {
      *seed = *seed * 1664525u + 1013904223u;
      data[y * stride + x] = (guint8) (*seed >> 24);
    }
}

GstBuffer *
test_frame (const char *caps_text, guint seed, guint padding)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (caps_text);
  GstVideoInfo info;
  g_assert_true (gst_video_info_from_caps (&info, caps));
  gsize offset[GST_VIDEO_MAX_PLANES] = { 0 }, size = 0;
  gint stride[GST_VIDEO_MAX_PLANES] = { 0 }, rows[GST_VIDEO_MAX_PLANES] = { 0 }, bytes[GST_VIDEO_MAX_PLANES] = { 0 };
  for (guint i = 0; i < GST_VIDEO_INFO_N_PLANES (&info); i++) {
    gint component[GST_VIDEO_MAX_COMPONENTS];
    gst_video_format_info_component (info.finfo, i, component);
    rows[i] = GST_VIDEO_INFO_COMP_HEIGHT (&info, component[0]);
    bytes[i] = GST_VIDEO_INFO_COMP_WIDTH (&info, component[0]) * GST_VIDEO_INFO_COMP_PSTRIDE (&info, component[0]);
    stride[i] = padding ? bytes[i] + (gint) padding : GST_VIDEO_INFO_PLANE_STRIDE (&info, i);
    offset[i] = padding ? size + 3 : GST_VIDEO_INFO_PLANE_OFFSET (&info, i);
    size = offset[i] + (gsize) stride[i] * rows[i];
  }
  if (!padding)
    size = GST_VIDEO_INFO_SIZE (&info);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);
  gst_buffer_memset (buffer, 0, 0xee, size);
  GstMapInfo map;
  g_assert_true (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  for (guint i = 0; i < GST_VIDEO_INFO_N_PLANES (&info); i++)
    fill_plane (map.data + offset[i], stride[i], bytes[i], rows[i], &seed);
  gst_buffer_unmap (buffer, &map);
  if (padding)
    gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_INFO_FORMAT (&info),
        GST_VIDEO_INFO_WIDTH (&info), GST_VIDEO_INFO_HEIGHT (&info), GST_VIDEO_INFO_N_PLANES (&info), offset, stride);
  GST_BUFFER_PTS (buffer) = 0;
  GST_BUFFER_DURATION (buffer) = GST_SECOND / 30;
  return buffer;
}

static guint8
sample (GstVideoFrame *frame, gint component, gint x, gint y)
{
  const GstVideoFormatInfo *f = frame->info.finfo;
  const guint8 *data = GST_VIDEO_FRAME_COMP_DATA (frame, component);
  return data[GST_VIDEO_FRAME_COMP_STRIDE (frame, component) * (y >> f->h_sub[component])
      + GST_VIDEO_FRAME_COMP_PSTRIDE (frame, component) * (x >> f->w_sub[component])];
}

void
test_pixel (GstVideoFrame *frame, gint x, gint y, double rgb[3])
{
  const GstVideoFormatInfo *f = frame->info.finfo;
  if (!GST_VIDEO_FORMAT_INFO_IS_YUV (f)) {
    for (int k = 0; k < 3; k++)
      rgb[k] = sample (frame, GST_VIDEO_FORMAT_INFO_IS_GRAY (f) ? 0 : k, x, y);
    return;
  }
  gint offset[4], range[4];
  double kr, kb;
  gst_video_color_range_offsets (frame->info.colorimetry.range, f, offset, range);
  g_assert_true (gst_video_color_matrix_get_Kr_Kb (frame->info.colorimetry.matrix, &kr, &kb));
  const double luma = (sample (frame, 0, x, y) - offset[0]) / (double) range[0];
  const double blue = (sample (frame, 1, x, y) - offset[1]) / (double) range[1];
  const double red = (sample (frame, 2, x, y) - offset[2]) / (double) range[2];
  rgb[0] = luma + 2 * (1 - kr) * red;
  rgb[2] = luma + 2 * (1 - kb) * blue;
  rgb[1] = (luma - kr * rgb[0] - kb * rgb[2]) / (1 - kr - kb);
  for (int k = 0; k < 3; k++)
    rgb[k] = 255 * CLAMP (rgb[k], 0, 1);
}

#ifdef TEST_ANALYTICS
static const char *
type_text (GstTensorDataType type)
{
  switch (type) {
    case GST_TENSOR_DATA_TYPE_FLOAT32:
      return "float32";
    case GST_TENSOR_DATA_TYPE_INT64:
      return "int64";
    case GST_TENSOR_DATA_TYPE_UINT8:
      return "uint8";
    default:
      return "other";
  }
}

static const GstTensor *
tensor_of (GstBuffer *buffer, guint index)
{
  GstTensorMeta *meta = gst_buffer_get_tensor_meta (buffer);
  return meta && index < meta->num_tensors ? gst_tensor_meta_get (meta, index) : NULL;
}

guint
test_n_results (GstBuffer *buffer)
{
  GstTensorMeta *meta = gst_buffer_get_tensor_meta (buffer);
  return meta ? (guint) meta->num_tensors : 0;
}

static GstBuffer *
data_of (GstBuffer *buffer, guint index)
{
  const GstTensor *tensor = tensor_of (buffer, index);
  return tensor ? tensor->data : NULL;
}

const char *
test_result_name (GstBuffer *buffer, guint index)
{
  return g_quark_to_string (tensor_of (buffer, index)->id);
}

char *
test_result_type (GstBuffer *buffer, guint index)
{
  const GstTensor *tensor = tensor_of (buffer, index);
  GString *text = g_string_new (type_text (tensor->data_type));
  for (gsize i = 0; i < tensor->num_dims; i++)
    g_string_append_printf (text, "%s%" G_GSIZE_FORMAT, i ? "," : " ", tensor->dims[i]);
  return g_string_free (text, FALSE);
}
#else
static const GstStructure *
structure_of (GstBuffer *buffer)
{
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, "NativertTensors");
  return meta ? gst_custom_meta_get_structure (meta) : NULL;
}

static const char *
string_of (GstBuffer *buffer, const char *field, guint index)
{
  return ((char **) g_value_get_boxed (gst_structure_get_value (structure_of (buffer), field)))[index];
}

guint
test_n_results (GstBuffer *buffer)
{
  const GstStructure *s = structure_of (buffer);
  return s ? g_strv_length (g_value_get_boxed (gst_structure_get_value (s, "names"))) : 0;
}

static GstBuffer *
data_of (GstBuffer *buffer, guint index)
{
  const GstStructure *s = structure_of (buffer);
  return s ? gst_buffer_list_get (g_value_get_boxed (gst_structure_get_value (s, "data")), index) : NULL;
}

const char *
test_result_name (GstBuffer *buffer, guint index)
{
  return string_of (buffer, "names", index);
}

char *
test_result_type (GstBuffer *buffer, guint index)
{
  return g_strdup_printf ("%s %s", string_of (buffer, "types", index), string_of (buffer, "dims", index));
}
#endif

float *
test_result (GstBuffer *buffer, guint index, gsize *n)
{
  GstBuffer *data = data_of (buffer, index);
  if (!data)
    return NULL;
  gsize size = gst_buffer_get_size (data);
  float *copy = g_malloc (MAX (size, 1));
  gst_buffer_extract (data, 0, copy, size);
  if (n)
    *n = size / sizeof (float);
  return copy;
}
