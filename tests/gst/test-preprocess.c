/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pre-processing against what PyTorch computed (tests/data/gst/preprocess.bin, made by
 * tools/make-preprocess-goldens.py), for every layout and element type of the tensor, with padded rows that must not be
 * read past. */
#include <math.h>
#include <string.h>
#include <glib.h>
#include "kernels/preprocess.h"

enum { GRAY, NV12, I420, RGB, RGBX };

typedef struct {
  gint32 kind, width, height, x, y, w, h, out_width, out_height, bilinear;
} Head;

typedef struct {
  Head head;
  const guint8 *planes;
  const float *want;
  guint n_channels;
} Record;

static gsize
plane_size (const Head *h, int plane, gsize *row)
{
  const gsize half = h->width / 2, half_rows = h->height / 2;
  static const int bytes[] = { 1, 1, 1, 3, 4 };
  if (plane == 0)
    return (*row = (gsize) h->width * bytes[h->kind]) * h->height;
  if (h->kind == NV12 && plane == 1)
    return (*row = 2 * half) * half_rows;
  if (h->kind == I420)
    return (*row = half) * half_rows;
  return *row = 0;
}

static const guint8 *
next_record (const guint8 *at, Record *r)
{
  gsize row;
  memcpy (&r->head, at, sizeof r->head);
  r->planes = at + sizeof r->head;
  at = r->planes;
  for (int plane = 0; plane < 3; plane++)
    at += plane_size (&r->head, plane, &row);
  r->n_channels = r->head.kind == GRAY ? 1 : 3;
  r->want = (const float *) at;
  return at + sizeof (float) * r->n_channels * r->head.out_width * r->head.out_height;
}

/* Copies the planes into blocks of exact size with padded rows (the last row is not padded), so that valgrind and
 * AddressSanitizer see any read too far. */
static void
copy_planes (const Record *r, NativertPicture *picture, guint8 *owned[3])
{
  const guint8 *from = r->planes;
  for (int plane = 0; plane < 3; plane++) {
    gsize row, size = plane_size (&r->head, plane, &row);
    owned[plane] = NULL;
    if (size == 0)
      continue;
    const gsize rows = size / row, stride = row + 5;
    owned[plane] = g_malloc (stride * (rows - 1) + row);
    for (gsize i = 0; i < rows; i++)
      memcpy (owned[plane] + i * stride, from + i * row, row);
    from += size;
    picture->plane[plane] = owned[plane];
    picture->stride[plane] = (ptrdiff_t) stride;
  }
}

static NativertPreprocessSpec
make_spec (const Record *r, gboolean interleaved, gboolean u8)
{
  static const float yuv[3][3] = { { 1, 0, 1.402f }, { 1, -0.344136f, -0.714136f }, { 1, 1.772f, 0 } };
  static const NativertPixels pixels[] = { NATIVERT_PIXELS_GRAY, NATIVERT_PIXELS_NV12, NATIVERT_PIXELS_I420,
    NATIVERT_PIXELS_PACKED3, NATIVERT_PIXELS_PACKED4 };
  const Head *h = &r->head;
  NativertPreprocessSpec s = { .pixels = pixels[h->kind],
    .from = { h->x, h->y, h->w, h->h },
    .to = { 2, 1, h->out_width, h->out_height },
    .out_width = h->out_width + 5,
    .out_height = h->out_height + 3,
    .bilinear = h->bilinear != 0,
    .chroma_x = 1,
    .chroma_y = 1,
    .n_channels = (uint8_t) r->n_channels,
    .interleaved = interleaved != 0,
    .u8 = u8 != 0,
    .pad = 7 };
  const gboolean planar = h->kind == NV12 || h->kind == I420;
  for (int k = 0; k < 3; k++) {
    for (int c = 0; c < 3; c++)
      s.matrix[k][c] = planar ? yuv[k][c] : k == c;
    s.matrix[k][3] = planar ? -128 * (yuv[k][1] + yuv[k][2]) : 0;
    s.gain[k] = u8 ? 1 : 0.5f + (float) k;
    s.bias[k] = u8 ? 0 : (float) k - 3;
  }
  return s;
}

static void
check_values (const Record *r, const NativertPreprocessSpec *s, const void *out)
{
  const Head *h = &r->head;
  for (guint k = 0; k < r->n_channels; k++)
    for (int y = 0; y < s->out_height; y++)
      for (int x = 0; x < s->out_width; x++) {
        const gsize at = s->interleaved ? ((gsize) y * s->out_width + x) * r->n_channels + k
                                        : ((gsize) k * s->out_height + y) * s->out_width + x;
        const int wx = x - s->to.x, wy = y - s->to.y;
        const gboolean inside = wx >= 0 && wy >= 0 && wx < h->out_width && wy < h->out_height;
        const float pixel = inside ? r->want[((gsize) k * h->out_height + wy) * h->out_width + wx] : s->pad;
        const float want = pixel * s->gain[k] + s->bias[k];
        const float got = s->u8 ? ((const guint8 *) out)[at] : ((const float *) out)[at];
        if (!(fabsf (got - want) <= (s->u8 ? 0.502f : 2e-4f * (1 + s->gain[k]))))
          g_error ("kind %d %dx%d -> %dx%d bilinear %d channel %u (%d,%d): expected %g, got %g", h->kind, h->width,
              h->height, h->out_width, h->out_height, h->bilinear, k, wx, wy, want, got);
      }
}

static void
check_record (const Record *r, gboolean interleaved, gboolean u8)
{
  NativertPicture picture = { { NULL } };
  guint8 *owned[3];
  copy_planes (r, &picture, owned);
  const NativertPreprocessSpec spec = make_spec (r, interleaved, u8);
  NativertPreprocess p;
  g_autofree void *tables = g_malloc (nativert_preprocess_table_size (&spec));
  nativert_preprocess_init (&p, &spec, tables);
  g_autofree void *scratch = g_malloc (nativert_preprocess_scratch_size (&p));
  g_autofree void *out = g_malloc ((u8 ? 1 : sizeof (float)) * r->n_channels * spec.out_width * spec.out_height);
  nativert_preprocess_fill (&p, out);
  nativert_preprocess_run (&p, &picture, out, scratch);
  check_values (r, &spec, out);
  for (int plane = 0; plane < 3; plane++)
    g_free (owned[plane]);
}

/* Every record in every form of the tensor. */
static void
test_goldens (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "..", "data", "gst", "preprocess.bin", NULL);
  g_autofree char *bytes = NULL;
  gsize size;
  g_autoptr (GError) error = NULL;
  g_file_get_contents (path, &bytes, &size, &error);
  g_assert_no_error (error);
  const guint8 *at = (const guint8 *) bytes, *end = at + size;
  guint n = 0;
  while (at < end) {
    Record r;
    at = next_record (at, &r);
    g_autofree float *want = g_memdup2 (r.want, (gsize) ((const char *) at - (const char *) r.want));
    r.want = want;
    for (int form = 0; form < 4; form++)
      check_record (&r, form & 1, form >> 1);
    n++;
  }
  g_assert_true (at == end);
  g_assert_cmpuint (n, ==, 40);
}

/* Specs that make no sense are refused. */
static void
test_bad_specs (void)
{
  const NativertPreprocessSpec good
      = { .from = { 0, 0, 8, 8 }, .to = { 0, 0, 4, 4 }, .out_width = 4, .out_height = 4, .n_channels = 3 };
  g_assert_cmpuint (nativert_preprocess_table_size (&good), >, 0);
  NativertPreprocessSpec s = good;
  s.to.x = 1;
  g_assert_cmpuint (nativert_preprocess_table_size (&s), ==, 0);
  s = good;
  s.from.width = 0;
  g_assert_cmpuint (nativert_preprocess_table_size (&s), ==, 0);
  s = good;
  s.from.y = -1;
  g_assert_cmpuint (nativert_preprocess_table_size (&s), ==, 0);
  s = good;
  s.n_channels = 2;
  g_assert_cmpuint (nativert_preprocess_table_size (&s), ==, 0);
  s = good;
  s.from.width = G_MAXINT32;
  g_assert_cmpuint (nativert_preprocess_table_size (&s), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/preprocess/goldens", test_goldens);
  g_test_add_func ("/preprocess/bad-specs", test_bad_specs);
  return g_test_run ();
}
