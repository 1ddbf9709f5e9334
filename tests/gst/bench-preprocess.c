/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How long pre-processing takes: 1080p frames of each layout to a 320x320 float32 tensor, one thread. */
#include <stdlib.h>
#include <glib.h>
#include "kernels/preprocess.h"

static double
time_one (const NativertPreprocessSpec *spec, const NativertPicture *picture, int runs)
{
  NativertPreprocess p;
  g_autofree void *tables = g_malloc (nativert_preprocess_table_size (spec));
  nativert_preprocess_init (&p, spec, tables);
  g_autofree void *scratch = g_malloc (nativert_preprocess_scratch_size (&p));
  g_autofree void *out = g_malloc (sizeof (float) * 3 * spec->out_width * spec->out_height);
  gint64 best = G_MAXINT64;
  for (int i = 0; i < runs; i++) {
    const gint64 start = g_get_monotonic_time ();
    for (int k = 0; k < 4; k++)
      nativert_preprocess_run (&p, picture, out, scratch);
    best = MIN (best, g_get_monotonic_time () - start);
  }
  return (double) best / 4;
}

int
main (int argc, char **argv)
{
  static const char *const name[] = { "GRAY8", "NV12", "I420", "RGB", "RGBA" };
  enum { WIDTH = 1920, HEIGHT = 1080 };
  const int runs = argc > 1 ? atoi (argv[1]) : 50;
  g_autofree guint8 *pixels = g_malloc (WIDTH * HEIGHT * 4);
  for (gsize i = 0; i < WIDTH * HEIGHT * 4; i++)
    pixels[i] = (guint8) (i * 2654435761u >> 13);
  for (int kind = 0; kind < 5; kind++) {
    static const int bytes[] = { 1, 1, 1, 3, 4 };
    NativertPicture picture = { { pixels, pixels + WIDTH * HEIGHT, pixels + WIDTH * HEIGHT / 4 * 5 },
      { WIDTH * bytes[kind], kind == 1 ? WIDTH : WIDTH / 2, WIDTH / 2 } };
    NativertPreprocessSpec s = { .pixels = (NativertPixels) kind,
      .from = { 0, 0, WIDTH, HEIGHT },
      .to = { 0, 0, 320, 320 },
      .out_width = 320,
      .out_height = 320,
      .bilinear = true,
      .chroma_x = 0.5f,
      .chroma_y = 1,
      .n_channels = 3,
      .matrix = { { 1.164f, 0, 1.793f, -248 }, { 1.164f, -0.213f, -0.533f, 77 }, { 1.164f, 2.112f, 0, -289 } },
      .gain = { 1 / 255.f, 1 / 255.f, 1 / 255.f } };
    const double planes = time_one (&s, &picture, runs);
    s.interleaved = true;
    const double interleaved = time_one (&s, &picture, runs);
    g_print ("1080p %-5s -> 320x320 float32: NCHW %.0f us, NHWC %.0f us\n", name[kind], planes, interleaved);
  }
  return 0;
}
