/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From GStreamer's words for a picture (format, colorimetry, strides, pixel aspect ratio) to a pre-processing spec. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "input.h"

char *
gst_nativert_port_to_text (const NativertPort *port)
{
  if (port->kind != NATIVERT_VALUE_TENSOR)
    return g_strdup ("no tensor");
  g_autoptr (GString) text = g_string_new (nativert_dtype_get_name (port->dtype));
  g_string_append_c (text, '[');
  for (guint i = 0; i < port->n_dims; i++) {
    const NativertDim *dim = &port->dims[i];
    g_string_append (text, i ? ", " : "");
    if (dim->min == dim->max)
      g_string_append_printf (text, "%" G_GINT64_FORMAT, dim->min);
    else if (dim->max < 0)
      g_string_append_printf (text, "%s %" G_GINT64_FORMAT "..", dim->symbol ? dim->symbol : "?", dim->min);
    else
      g_string_append_printf (
          text, "%s %" G_GINT64_FORMAT "..%" G_GINT64_FORMAT, dim->symbol ? dim->symbol : "?", dim->min, dim->max);
  }
  g_string_append_c (text, ']');
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static gboolean
is_channels (const NativertDim *dim)
{
  return dim->min == dim->max && (dim->min == 1 || dim->min == 3);
}

static gboolean
may_be_one (const NativertDim *dim)
{
  return dim->min <= 1 && (dim->max >= 1 || dim->max < 0);
}

gboolean
gst_nativert_port_parse (GstNativertPort *port, const NativertPort *from, GstNativertLayout layout, GError **error)
{
  const guint first = from->n_dims == 4 ? 1 : 0;
  gboolean fits = from->kind == NATIVERT_VALUE_TENSOR && (from->n_dims == 4 || from->n_dims == 3)
      && (from->dtype == NATIVERT_DTYPE_FLOAT32 || from->dtype == NATIVERT_DTYPE_UINT8)
      && (first == 0 || may_be_one (&from->dims[0]));
  if (fits) {
    const NativertDim *d = from->dims + first;
    const gboolean before = is_channels (&d[0]) && layout != GST_NATIVERT_LAYOUT_NHWC;
    const gboolean after = is_channels (&d[2]) && layout != GST_NATIVERT_LAYOUT_NCHW;
    fits = before || after;
    const NativertDim *channels = before ? &d[0] : &d[2];
    *port = (GstNativertPort){ .name = from->name,
      .rank = from->n_dims,
      .n_channels = (guint) channels->min,
      .interleaved = !before,
      .u8 = from->dtype == NATIVERT_DTYPE_UINT8,
      .height = d[before ? 1 : 0],
      .width = d[before ? 2 : 1] };
  }
  if (fits)
    return TRUE;
  g_autofree char *got = gst_nativert_port_to_text (from);
  g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_MISMATCH,
      "input \"%s\" is %s; video needs float32 or uint8 [1, C, H, W] or "
      "[1, H, W, C] with C 1 or 3%s%s",
      from->name ? from->name : "", got, layout ? ", and input-layout is " : "",
      layout ? gst_nativert_enum_nick (gst_nativert_layout_get_type (), (gint) layout) : "");
  return FALSE;
}

/* Sizes such as "32*s0" can only be multiples. */
static gint64
multiple_of (const NativertDim *dim)
{
  gchar *end = NULL;
  const gint64 n = dim->symbol ? g_ascii_strtoll (dim->symbol, &end, 10) : 1;
  return end && *end == '*' && n > 0 ? n : 1;
}

static gint
choose (const NativertDim *dim, gint video)
{
  const gint64 max = dim->max < 0 || dim->max > NATIVERT_MAX_PICTURE ? NATIVERT_MAX_PICTURE : dim->max;
  const gint64 step = multiple_of (dim);
  gint64 size = CLAMP ((video + step / 2) / step * step, dim->min, max);
  return (gint) MAX (size, 1);
}

void
gst_nativert_port_choose_size (
    const GstNativertPort *port, gint video_width, gint video_height, gint *width, gint *height)
{
  *width = choose (&port->width, video_width);
  *height = choose (&port->height, video_height);
}

NativertTensor *
gst_nativert_port_new_tensor (const GstNativertPort *port, gint width, gint height)
{
  gint64 sizes[4] = { 1 };
  gint64 *d = sizes + (port->rank == 4 ? 1 : 0);
  d[port->interleaved ? 2 : 0] = port->n_channels;
  d[port->interleaved ? 0 : 1] = height;
  d[port->interleaved ? 1 : 2] = width;
  return nativert_tensor_new (port->u8 ? NATIVERT_DTYPE_UINT8 : NATIVERT_DTYPE_FLOAT32, sizes, port->rank);
}

/* Rows red, green, blue of components c0, c1, c2 and a constant; brightness in row 3. */
static void
colour_matrix (const GstVideoInfo *info, double m[4][4])
{
  static const double bt601[3] = { 0.299, 0.587, 0.114 };
  gint offset[GST_VIDEO_MAX_COMPONENTS] = { 0 }, range[GST_VIDEO_MAX_COMPONENTS] = { 255, 255, 255, 255 };
  memset (m, 0, sizeof (double) * 16);
  gst_video_color_range_offsets (info->colorimetry.range, info->finfo, offset, range);
  const double luma = 255. / range[0];
  if (GST_VIDEO_FORMAT_INFO_IS_YUV (info->finfo)) {
    double kr, kb;
    if (!gst_video_color_matrix_get_Kr_Kb (info->colorimetry.matrix, &kr, &kb))
      gst_video_color_matrix_get_Kr_Kb (GST_VIDEO_COLOR_MATRIX_BT601, &kr, &kb);
    const double kg = 1 - kr - kb, u = 2 * 255. / range[1] * (1 - kb), v = 2 * 255. / range[2] * (1 - kr);
    const double chroma[4][2] = { { 0, v }, { -u * kb / kg, -v * kr / kg }, { u, 0 }, { 0, 0 } };
    for (int k = 0; k < 4; k++) {
      m[k][0] = luma;
      m[k][1] = chroma[k][0];
      m[k][2] = chroma[k][1];
      m[k][3] = -luma * offset[0] - chroma[k][0] * offset[1] - chroma[k][1] * offset[2];
    }
  } else if (GST_VIDEO_FORMAT_INFO_IS_GRAY (info->finfo)) {
    for (int k = 0; k < 4; k++) {
      m[k][0] = luma;
      m[k][3] = -luma * offset[0];
    }
  } else {
    for (int k = 0; k < 3; k++) {
      const gint at = GST_VIDEO_INFO_COMP_POFFSET (info, k);
      m[k][at] = luma;
      m[3][at] = luma * bt601[k];
      m[k][3] = -luma * offset[0];
    }
    m[3][3] = -luma * offset[0];
  }
}

static void
set_colour (NativertPreprocessSpec *spec, const GstVideoInfo *info, GstNativertChannelOrder order)
{
  double m[4][4];
  colour_matrix (info, m);
  for (int k = 0; k < spec->n_channels; k++) {
    const int colour = order == GST_NATIVERT_ORDER_BGR ? 2 - k : k;
    const int row = spec->n_channels == 1 || order == GST_NATIVERT_ORDER_GRAY ? 3 : colour;
    for (int c = 0; c < 4; c++)
      spec->matrix[k][c] = (float) m[row][c];
  }
}

static gboolean
set_numbers (NativertPreprocessSpec *spec, const GstNativertSettings *s, GError **error)
{
  /* An integer input takes pixels as they are, unless somebody says otherwise. */
  const double scale = spec->u8 && !(s->given & GST_NATIVERT_GIVEN_SCALE) ? 1 : s->scale;
  const GstNativertPerChannel *both[] = { &s->mean, &s->std };
  static const char *const name[] = { "mean", "std" };
  double value[2][3];
  for (int i = 0; i < 2; i++) {
    if (both[i]->n > 1 && both[i]->n != spec->n_channels) {
      g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_MISMATCH, "%s has %u numbers and the model %d channels",
          name[i], both[i]->n, spec->n_channels);
      return FALSE;
    }
    for (int k = 0; k < 3; k++)
      value[i][k] = both[i]->n == 0 ? i : both[i]->value[both[i]->n == 1 ? 0 : k];
  }
  for (int k = 0; k < spec->n_channels; k++) {
    if (value[1][k] == 0) {
      g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_MISMATCH, "std of channel %d is 0", k);
      return FALSE;
    }
    spec->gain[k] = (float) (scale / value[1][k]);
    spec->bias[k] = (float) (-value[0][k] / value[1][k]);
  }
  spec->pad = (float) s->pad;
  return TRUE;
}

static NativertPixels
pixels_of (const GstVideoInfo *info)
{
  switch (GST_VIDEO_INFO_FORMAT (info)) {
    case GST_VIDEO_FORMAT_GRAY8:
      return NATIVERT_PIXELS_GRAY;
    case GST_VIDEO_FORMAT_NV12:
      return NATIVERT_PIXELS_NV12;
    case GST_VIDEO_FORMAT_I420:
      return NATIVERT_PIXELS_I420;
    case GST_VIDEO_FORMAT_RGB:
    case GST_VIDEO_FORMAT_BGR:
      return NATIVERT_PIXELS_PACKED3;
    default:
      return NATIVERT_PIXELS_PACKED4;
  }
}

static gint
rounded (double value, gint max)
{
  const double nearest = floor (value + 0.5);
  return nearest < 1 ? 1 : nearest > max ? max : (gint) nearest;
}

/* Shapes are compared as they are shown, so pixels that are not square count. */
static void
set_rectangles (NativertPreprocessSpec *spec, GstNativertResize resize, const GstVideoInfo *info)
{
  const gint width = GST_VIDEO_INFO_WIDTH (info), height = GST_VIDEO_INFO_HEIGHT (info);
  const gint out_width = spec->out_width, out_height = spec->out_height;
  const double par = info->par_n > 0 && info->par_d > 0 ? (double) info->par_n / info->par_d : 1;
  const double across = out_width / (width * par), down = (double) out_height / height;
  spec->from = (NativertRect) { 0, 0, width, height };
  spec->to = (NativertRect) { 0, 0, out_width, out_height };
  if (resize == GST_NATIVERT_RESIZE_LETTERBOX) {
    const double scale = MIN (across, down);
    spec->to.width = rounded (width * par * scale, out_width);
    spec->to.height = rounded (height * scale, out_height);
    spec->to.x = (out_width - spec->to.width) / 2;
    spec->to.y = (out_height - spec->to.height) / 2;
  } else if (resize == GST_NATIVERT_RESIZE_CROP) {
    const double scale = MAX (across, down);
    spec->from.width = rounded (out_width / scale / par, width);
    spec->from.height = rounded (out_height / scale, height);
    spec->from.x = (width - spec->from.width) / 2;
    spec->from.y = (height - spec->from.height) / 2;
  }
}

static void
set_mapping (GstNativertInput *input)
{
  const NativertPreprocessSpec *s = &input->pass.spec;
  input->scale_x = (double) s->to.width / s->from.width;
  input->scale_y = (double) s->to.height / s->from.height;
  input->offset_x = s->to.x - s->from.x * input->scale_x;
  input->offset_y = s->to.y - s->from.y * input->scale_y;
}

static gpointer
alloc_aligned (gsize size)
{
  gpointer memory = NULL;
  return posix_memalign (&memory, 64, MAX (size, 64)) == 0 ? memory : NULL;
}

GstNativertInput *
gst_nativert_input_new (
    const GstNativertPort *port, const GstNativertSettings *settings, const GstVideoInfo *info, GError **error)
{
  NativertPreprocessSpec spec = { .pixels = pixels_of (info),
    .bilinear = settings->scale_method == GST_NATIVERT_SCALE_BILINEAR,
    .n_channels = (guint8) port->n_channels,
    .interleaved = port->interleaved != 0,
    .u8 = port->u8 != 0 };
  const GstVideoChromaSite site = GST_VIDEO_INFO_CHROMA_SITE (info);
  spec.chroma_x = site & GST_VIDEO_CHROMA_SITE_H_COSITED ? 0.5f : 1;
  spec.chroma_y = site & GST_VIDEO_CHROMA_SITE_V_COSITED ? 0.5f : 1;
  gst_nativert_port_choose_size (
      port, GST_VIDEO_INFO_WIDTH (info), GST_VIDEO_INFO_HEIGHT (info), &spec.out_width, &spec.out_height);
  set_colour (&spec, info, settings->order);
  if (!set_numbers (&spec, settings, error))
    return NULL;
  set_rectangles (&spec, settings->resize, info);

  const gsize table_size = nativert_preprocess_table_size (&spec);
  g_autoptr (GstNativertInput) input = g_new0 (GstNativertInput, 1);
  input->width = spec.out_width;
  input->height = spec.out_height;
  input->tensor = gst_nativert_port_new_tensor (port, spec.out_width, spec.out_height);
  input->tables = table_size ? alloc_aligned (table_size) : NULL;
  if (input->tables) {
    nativert_preprocess_init (&input->pass, &spec, input->tables);
    input->scratch = alloc_aligned (nativert_preprocess_scratch_size (&input->pass));
  }
  if (!input->tensor || !input->scratch) {
    g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_LIMIT,
        "no memory for a %d x %d picture, or one larger than %d pixels on a side", spec.out_width, spec.out_height,
        NATIVERT_MAX_PICTURE);
    return NULL;
  }
  nativert_preprocess_fill (&input->pass, nativert_tensor_get_data (input->tensor));
  set_mapping (input);
  return g_steal_pointer (&input);
}

void
gst_nativert_input_free (GstNativertInput *input)
{
  g_clear_pointer (&input->tensor, nativert_tensor_unref);
  free (input->tables);
  free (input->scratch);
  g_free (input);
}

void
gst_nativert_input_write (GstNativertInput *input, const GstVideoFrame *frame)
{
  NativertPicture picture = { { NULL } };
  const guint n_planes = GST_VIDEO_FRAME_N_PLANES (frame);
  for (guint i = 0; i < n_planes && i < G_N_ELEMENTS (picture.plane); i++) {
    picture.plane[i] = GST_VIDEO_FRAME_PLANE_DATA (frame, i);
    picture.stride[i] = GST_VIDEO_FRAME_PLANE_STRIDE (frame, i);
  }
  nativert_preprocess_run (&input->pass, &picture, nativert_tensor_get_data (input->tensor), input->scratch);
}
