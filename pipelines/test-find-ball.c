/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Holds the accuracy of the demo: runs the pipeline with gst-launch-1.0 on several formats and sizes and compares the
 * centres that nativertfilter's tensors give with the true ones, the centroids of the bright pixels. */
#include <glib.h>
#include <glib/gstdio.h>
#include <math.h>

#define N_FRAMES 90
/* In pixels of a frame 320 wide; other sizes in proportion. */
#define MEAN_ERROR 1.5
#define WORST_ERROR 4.0

typedef struct {
  const char *format;
  int width, height;
} Case;

static const Case cases[] = {
  { "RGB", 320, 240 },
  { "BGRx", 320, 240 },
  { "NV12", 320, 240 },
  { "I420", 640, 480 },
  { "GRAY8", 400, 300 },
  { "RGBA", 240, 240 },
};

static void
centroid (const guint8 *pixels, int width, int height, double *x, double *y)
{
  double sum = 0, sum_x = 0, sum_y = 0;
  for (int j = 0; j < height; j++) {
    for (int i = 0; i < width; i++) {
      double value = pixels[(gsize) j * width + i] < 24 ? 0 : pixels[(gsize) j * width + i];
      sum += value;
      sum_x += value * i;
      sum_y += value * j;
    }
  }
  g_assert_cmpfloat (sum, >, 0);
  *x = sum_x / sum;
  *y = sum_y / sum;
}

static void
run_pipeline (const Case *c, const char *frames, const char *tensors)
{
  g_autofree char *model = g_test_build_filename (G_TEST_DIST, "models", "ball.pt2", NULL);
  g_autofree char *line = g_strdup_printf ("gst-launch-1.0 -q videotestsrc pattern=ball num-buffers=%d ! "
      "video/x-raw,format=%s,width=%d,height=%d,framerate=30/1 ! tee name=t "
      "t. ! queue ! nativertfilter model=%s output-mode=tensors ! filesink location=%s "
      "t. ! queue ! videoconvert ! video/x-raw,format=GRAY8 ! filesink location=%s",
      N_FRAMES, c->format, c->width, c->height, model, tensors, frames);
  g_autofree char *err = NULL;
  g_autoptr (GError) error = NULL;
  int status = 0;
  g_spawn_command_line_sync (line, NULL, &err, &status, &error);
  g_assert_no_error (error);
  if (!g_spawn_check_wait_status (status, &error))
    g_error ("%s: %s: %s", line, error->message, err);
}

static void
test_accuracy (gconstpointer data)
{
  const Case *c = data;
  g_autofree char *dir = g_dir_make_tmp ("find-ball-XXXXXX", NULL);
  g_assert_nonnull (dir);
  g_autofree char *frames = g_build_filename (dir, "frames", NULL), *tensors = g_build_filename (dir, "tensors", NULL);
  run_pipeline (c, frames, tensors);

  g_autofree char *pixels = NULL, *values = NULL;
  gsize n_pixels = 0, n_values = 0, frame_bytes = (gsize) c->width * c->height;
  g_assert_true (g_file_get_contents (frames, &pixels, &n_pixels, NULL));
  g_assert_true (g_file_get_contents (tensors, &values, &n_values, NULL));
  g_assert_cmpuint (n_pixels, ==, N_FRAMES * frame_bytes);
  g_assert_cmpuint (n_values, ==, N_FRAMES * 3 * sizeof (float));

  double total = 0, worst = 0, unit = c->width / 320.0;
  const float *found = (const float *) values;
  for (int i = 0; i < N_FRAMES; i++, found += 3) {
    double x = 0, y = 0;
    centroid ((const guint8 *) pixels + i * frame_bytes, c->width, c->height, &x, &y);
    double error = hypot (found[0] * c->width - 0.5 - x, found[1] * c->height - 0.5 - y) / unit;
    total += error;
    worst = MAX (worst, error);
    g_assert_cmpfloat (found[2], >, 0.9);
  }
  g_test_message ("%s %dx%d: centre off by %.2f pixels on average, %.2f at most", c->format, c->width, c->height,
      total / N_FRAMES * unit, worst * unit);
  g_assert_cmpfloat (total / N_FRAMES, <, MEAN_ERROR);
  g_assert_cmpfloat (worst, <, WORST_ERROR);
  g_unlink (frames);
  g_unlink (tensors);
  g_rmdir (dir);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *name
        = g_strdup_printf ("/pipelines/find-ball/%s-%dx%d", cases[i].format, cases[i].width, cases[i].height);
    g_test_add_data_func (name, &cases[i], test_accuracy);
  }
  return g_test_run ();
}
