/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the model sees and says: every format, padded strides, ways of resizing and numbers per channel, compared with a
 * plain computation of the same and with the runtime run directly. */
#include <math.h>
#include <string.h>
#include "common.h"

static double
clamp_index (double v, gint n)
{
  return v < 0 ? 0 : v > n - 1 ? n - 1 : v;
}

/* Where a tensor position falls in the frame, and the four pixels around it mixed. */
static void
bilinear (GstVideoFrame *frame, double x, double y, double rgb[3])
{
  const gint w = GST_VIDEO_FRAME_WIDTH (frame), h = GST_VIDEO_FRAME_HEIGHT (frame);
  const double fx = clamp_index (x, w), fy = clamp_index (y, h);
  const gint x0 = (gint) fx, y0 = (gint) fy, x1 = MIN (x0 + 1, w - 1), y1 = MIN (y0 + 1, h - 1);
  double p[4][3];
  test_pixel (frame, x0, y0, p[0]);
  test_pixel (frame, x1, y0, p[1]);
  test_pixel (frame, x0, y1, p[2]);
  test_pixel (frame, x1, y1, p[3]);
  for (int k = 0; k < 3; k++) {
    const double top = p[0][k] + (p[1][k] - p[0][k]) * (fx - x0), bottom = p[2][k] + (p[3][k] - p[2][k]) * (fx - x0);
    rgb[k] = top + (bottom - top) * (fy - y0);
  }
}

/* The input tensor of identity.pt2 for a frame stretched over it. */
static void
expected_input (const char *caps_text, GstBuffer *buffer, float *tensor)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (caps_text);
  GstVideoInfo info;
  GstVideoFrame frame;
  gst_video_info_from_caps (&info, caps);
  g_assert_true (gst_video_frame_map (&frame, &info, buffer, GST_MAP_READ));
  for (int y = 0; y < 8; y++)
    for (int x = 0; x < 8; x++) {
      double rgb[3];
      bilinear (&frame, (x + 0.5) * info.width / 8 - 0.5, (y + 0.5) * info.height / 8 - 0.5, rgb);
      for (int k = 0; k < 3; k++)
        tensor[(k * 8 + y) * 8 + x] = (float) (rgb[k] / 255);
    }
  gst_video_frame_unmap (&frame);
}

static void
assert_close (const float *got, const float *want, gsize n, float tolerance)
{
  for (gsize i = 0; i < n; i++)
    if (!(fabsf (got[i] - want[i]) <= tolerance))
      g_error ("value %" G_GSIZE_FORMAT ": expected %g, got %g", i, want[i], got[i]);
}

/* The same tensor through the runtime alone: bit for bit the same results. */
static void
assert_as_direct (const float *input, const float *means)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = test_model ("identity.pt2");
  g_autoptr (NativertModel) model = nativert_model_load (path, NULL, NATIVERT_LOAD_DEFAULT, NULL, &error);
  g_assert_no_error (error);
  g_autoptr (NativertRunner) runner = nativert_runner_new (model, 1);
  const gint64 sizes[] = { 1, 3, 8, 8 };
  g_autoptr (NativertTensor) tensor = nativert_tensor_new (NATIVERT_DTYPE_FLOAT32, sizes, 4);
  memcpy (nativert_tensor_get_data (tensor), input, 192 * sizeof (float));
  NativertTensor **outputs;
  guint n;
  g_assert_true (nativert_runner_run_tensors (runner, &tensor, 1, &outputs, &n, &error));
  g_assert_cmpuint (n, ==, 2);
  g_assert_cmpmem (nativert_tensor_get_data (outputs[1]), 12, means, 12);
  for (guint i = 0; i < n; i++)
    nativert_tensor_unref (outputs[i]);
  g_free (outputs);
}

/* Sizes: the model's own, so that chroma planes are not between their samples; and one that needs real mixing. */
static void
check_format (const char *format, gint width, gint height, guint padding)
{
  g_autofree char *caps
      = g_strdup_printf ("video/x-raw,format=%s,width=%d,height=%d,framerate=30/1", format, width, height);
  GstHarness *h = test_harness ("identity.pt2", NULL, caps);
  GstBuffer *in = test_frame (caps, 7, padding);
  float want[192];
  expected_input (caps, in, want);
  g_autoptr (GstBuffer) out = gst_harness_push_and_pull (h, in);
  g_assert_true (out == in);
  g_assert_cmpuint (test_n_results (out), ==, 2);
  g_autofree char *type = test_result_type (out, 0);
  g_assert_cmpstr (type, ==, "float32 1,3,8,8");
  g_autofree float *got = test_result (out, 0, NULL), *means = test_result (out, 1, NULL);
  assert_close (got, want, 192, 2e-5f);
  assert_as_direct (got, means);
  test_teardown (h);
}

/* Formats without chroma planes of their own size, at any size. */
static void
test_packed (void)
{
  static const char *const formats[] = { "RGB", "BGR", "RGBA", "BGRA", "RGBx", "BGRx", "GRAY8" };
  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++) {
    check_format (formats[i], 8, 8, 0);
    check_format (formats[i], 37, 23, 0);
    check_format (formats[i], 37, 23, 11);
    check_format (formats[i], 1, 1, 0);
    check_format (formats[i], 3, 200, 5);
  }
}

/* Planes are resized before they are converted: on flat chroma that is the same as after, clamping aside. */
static void
check_yuv (const char *format, const char *colorimetry, guint padding)
{
  g_autofree char *caps = g_strdup_printf (
      "video/x-raw,format=%s,width=38,height=22,framerate=30/1,colorimetry=%s,chroma-site=jpeg", format, colorimetry);
  GstHarness *h = test_harness ("identity.pt2", NULL, caps);
  GstBuffer *in = test_frame (caps, 3, padding);
  g_autoptr (GstCaps) parsed = gst_caps_from_string (caps);
  GstVideoInfo info;
  GstVideoFrame frame;
  gst_video_info_from_caps (&info, parsed);
  g_assert_true (gst_video_frame_map (&frame, &info, in, GST_MAP_READWRITE));
  for (guint c = 0; c < 3; c++)
    for (gint y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT (&frame, c); y++)
      for (gint x = 0; x < GST_VIDEO_FRAME_COMP_WIDTH (&frame, c); x++) {
        guint8 *at = (guint8 *) GST_VIDEO_FRAME_COMP_DATA (&frame, c) + GST_VIDEO_FRAME_COMP_STRIDE (&frame, c) * y
            + GST_VIDEO_FRAME_COMP_PSTRIDE (&frame, c) * x;
        *at = c == 0 ? (guint8) (100 + *at % 60) : c == 1 ? 120 : 140;
      }
  gst_video_frame_unmap (&frame);
  float want[192];
  expected_input (caps, in, want);
  g_autoptr (GstBuffer) out = gst_harness_push_and_pull (h, in);
  g_autofree float *got = test_result (out, 0, NULL);
  assert_close (got, want, 192, 2e-5f);
  test_teardown (h);
}

static void
test_yuv (void)
{
  static const char *const colorimetry[] = { "bt601", "bt709", "1:4:0:0", "1:3:0:0", "2:6:0:0" };
  for (gsize i = 0; i < G_N_ELEMENTS (colorimetry); i++)
    for (guint padding = 0; padding < 20; padding += 13) {
      check_yuv ("NV12", colorimetry[i], padding);
      check_yuv ("I420", colorimetry[i], padding);
    }
}

static float
first_pixel (const char *model, const char *properties, const char *caps, guint8 level, guint at)
{
  GstHarness *h = test_harness (model, properties, caps);
  GstBuffer *in = test_frame (caps, 1, 0);
  gst_buffer_memset (in, 0, level, gst_buffer_get_size (in));
  g_autoptr (GstBuffer) out = gst_harness_push_and_pull (h, in);
  g_autofree float *got = test_result (out, 0, NULL);
  const float value = got[at];
  test_teardown (h);
  return value;
}

#define CAPS "video/x-raw,format=RGB,width=16,height=8,framerate=30/1"

static void
test_numbers (void)
{
  const char *const per_channel = "scale=1 mean=\"<1.0,2.0,3.0>\" std=\"<2.0,4.0,8.0>\"";
  g_assert_cmpfloat_with_epsilon (first_pixel ("identity.pt2", NULL, CAPS, 255, 0), 1, 1e-6);
  g_assert_cmpfloat_with_epsilon (
      first_pixel ("identity.pt2", "mean=\"<0.5>\" std=\"<0.25>\"", CAPS, 255, 191), 2, 1e-6);
  g_assert_cmpfloat_with_epsilon (first_pixel ("identity.pt2", per_channel, CAPS, 11, 0), 5, 1e-5);
  g_assert_cmpfloat_with_epsilon (first_pixel ("identity.pt2", per_channel, CAPS, 10, 64), 2, 1e-5);
  g_assert_cmpfloat_with_epsilon (first_pixel ("identity.pt2", per_channel, CAPS, 11, 128), 1, 1e-5);
  g_assert_cmpfloat (first_pixel ("nhwc-u8.pt2", NULL, CAPS, 77, 5), ==, 77);
}

/* Bars around, or a part of, the frame. */
static void
test_shapes (void)
{
  const char *const boxed = "resize=letterbox scale=1 pad-value=50", *const cropped = "resize=crop scale=1";
  g_assert_cmpfloat (first_pixel ("identity.pt2", boxed, CAPS, 200, 0), ==, 50);
  g_assert_cmpfloat (first_pixel ("identity.pt2", boxed, CAPS, 200, 2 * 8), ==, 200);
  g_assert_cmpfloat (first_pixel ("identity.pt2", boxed, CAPS, 200, 6 * 8 - 1), ==, 200);
  g_assert_cmpfloat (first_pixel ("identity.pt2", boxed, CAPS, 200, 6 * 8), ==, 50);
  g_assert_cmpfloat (first_pixel ("identity.pt2", cropped, CAPS, 200, 0), ==, 200);
  g_assert_cmpfloat (first_pixel ("identity.pt2", "resize=letterbox scale=1", CAPS, 200, 0), ==, 114);
}

/* nativert.json in the archive: scale 0.5, mean 1 2 3, std 2 4 8, bgr, letterbox, pad 10; properties win. */
static void
test_settings (void)
{
  g_assert_cmpfloat_with_epsilon (first_pixel ("settings.pt2", NULL, CAPS, 202, 0), (10 * 0.5 - 1) / 2, 1e-5);
  g_assert_cmpfloat_with_epsilon (first_pixel ("settings.pt2", NULL, CAPS, 202, 3 * 8), (202 * 0.5 - 1) / 2, 1e-5);
  g_assert_cmpfloat_with_epsilon (
      first_pixel ("settings.pt2", "resize=stretch", CAPS, 202, 0), (202 * 0.5 - 1) / 2, 1e-5);
  g_assert_cmpfloat_with_epsilon (
      first_pixel ("settings.pt2", "resize=stretch mean=\"<0>\"", CAPS, 202, 0), 202 * 0.5 / 2, 1e-5);
}

/* Scalars, bool and integers come out as what they are. */
static void
test_types (void)
{
  GstHarness *h = test_harness ("scalar.pt2", NULL, CAPS);
  GstBuffer *in = test_frame (CAPS, 1, 0);
  gst_buffer_memset (in, 0, 255, gst_buffer_get_size (in));
  g_autoptr (GstBuffer) out = gst_harness_push_and_pull (h, in);
  g_assert_cmpuint (test_n_results (out), ==, 3);
  gsize n;
  g_autofree float *sum = test_result (out, 0, &n);
  g_assert_cmpuint (n, ==, 1);
  g_assert_cmpfloat_with_epsilon (sum[0], 192, 1e-3);
  g_autofree float *flags = test_result (out, 1, &n);
  g_assert_cmpmem (flags, 3, "\1\1\1", 3);
  g_autofree char *type = test_result_type (out, 2);
  g_assert_cmpstr (type, ==, "int64 1,3,8,8");
  test_teardown (h);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  g_test_add_func ("/gst/values/packed", test_packed);
  g_test_add_func ("/gst/values/yuv", test_yuv);
  g_test_add_func ("/gst/values/numbers", test_numbers);
  g_test_add_func ("/gst/values/shapes", test_shapes);
  g_test_add_func ("/gst/values/settings", test_settings);
  g_test_add_func ("/gst/values/types", test_types);
  const int failed = g_test_run ();
  gst_deinit ();
  return failed;
}
