/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pre-processing: the tables that a spec becomes.  The passes over pixels are in cpu/preprocess.c. */
#include <math.h>
#include <string.h>
#include "kernels/kernel.h"
#include "kernels/ops.h"
#include "kernels/preprocess.h"

#define EVERY_ISA(M) M (generic)
#ifdef NATIVERT_X86
#undef EVERY_ISA
#define EVERY_ISA(M) M (generic) M (v3) M (v4)
#endif
#define DECLARE(isa)                                                                                                   \
  void nativert_preprocess_run_##isa (const NativertPreprocess *, const NativertPicture *, void *, void *);
EVERY_ISA (DECLARE)
#undef DECLARE

static bool
is_planar (const NativertPreprocessSpec *spec)
{
  return spec->pixels == NATIVERT_PIXELS_NV12 || spec->pixels == NATIVERT_PIXELS_I420;
}

static bool
is_rect (const NativertRect *r, int32_t max)
{
  return r->x >= 0 && r->y >= 0 && r->width > 0 && r->height > 0 && r->width <= max && r->height <= max
      && r->x <= max - r->width && r->y <= max - r->height;
}

size_t
nativert_preprocess_table_size (const NativertPreprocessSpec *s)
{
  if (!is_rect (&s->from, NATIVERT_MAX_PICTURE) || !is_rect (&s->to, NATIVERT_MAX_PICTURE)
      || s->out_width > NATIVERT_MAX_PICTURE || s->out_height > NATIVERT_MAX_PICTURE
      || s->to.x + s->to.width > s->out_width || s->to.y + s->to.height > s->out_height
      || (s->n_channels != 1 && s->n_channels != 3))
    return 0;
  return 2 * (2 * (size_t) s->to.width + 3 * (size_t) s->to.height) * sizeof (float);
}

/* Where sample i of n falls between samples low and high of a plane.  Luma samples lie at pixel centres (centre 0.5,
 * step 1); chroma samples `step` pixels apart from `centre`.  In float, as torch does it. */
typedef struct { int32_t from, in, n, low, high; float centre, step; bool bilinear; } Axis;

static int32_t
locate (const Axis *a, int32_t i, float *weight)
{
  const float scale = (float) a->in / (float) a->n;
  if (!a->bilinear) {
    int32_t k = (int32_t) floorf ((float) i * scale);
    k = (a->from + (k < a->in ? k : a->in - 1)) / (int32_t) a->step;
    *weight = 0;
    return k < a->low ? a->low : k > a->high ? a->high : k;
  }
  float at = scale * ((float) i + 0.5f);
  at = a->step == 1 ? at - a->centre : (at + (float) a->from - a->centre) / a->step - (float) a->low;
  if (at < 0)
    at = 0;
  int32_t k = (int32_t) at;
  if (k > a->high - a->low)
    k = a->high - a->low;
  const float w = at - (float) k;
  *weight = w < 1 ? w : 1;
  return a->low + k;
}

/* Two neighbours are read at once, so the last column is the second of a pair. */
static void
make_columns (NativertColumns *t, const Axis *a, int32_t bytes, bool one_tap)
{
  for (int32_t i = 0; i < a->n; i++) {
    int32_t k = locate (a, i, &t->weight[i]);
    if (!one_tap && k == a->high) {
      k--;
      t->weight[i] = 1;
    }
    t->offset[i] = k * bytes;
  }
}

static void
make_rows (NativertRows *t, const Axis *a)
{
  for (int32_t i = 0; i < a->n; i++) {
    t->first[i] = locate (a, i, &t->weight[i]);
    t->second[i] = t->first[i] < a->high && t->weight[i] > 0 ? t->first[i] + 1 : t->first[i];
  }
}

static Axis
luma_axis (int32_t from, int32_t in, int32_t n, bool bilinear)
{
  return (Axis) { from, in, n, from, from + in - 1, 0.5f, 1, bilinear };
}

static Axis
chroma_axis (int32_t from, int32_t in, int32_t n, float centre, bool bilinear)
{
  return (Axis) { from, in, n, from / 2, (from + in - 1) / 2, centre, 2, bilinear };
}

static void *
take (char **at, int32_t n)
{
  void *here = *at;
  *at += (size_t) n * sizeof (float);
  return here;
}

static void
make_tables (NativertPreprocess *p, char *at)
{
  static const int32_t bytes[] = { [NATIVERT_PIXELS_GRAY] = 1, [NATIVERT_PIXELS_NV12] = 1, [NATIVERT_PIXELS_I420] = 1,
    [NATIVERT_PIXELS_PACKED3] = 3, [NATIVERT_PIXELS_PACKED4] = 4 };
  const NativertPreprocessSpec *s = &p->spec;
  const int32_t w = s->to.width, h = s->to.height;
  p->x = (NativertColumns) { take (&at, w), take (&at, w) };
  p->chroma_x = (NativertColumns) { take (&at, w), take (&at, w) };
  p->y = (NativertRows) { take (&at, h), take (&at, h), take (&at, h) };
  p->chroma_y = (NativertRows) { take (&at, h), take (&at, h), take (&at, h) };

  const Axis x = luma_axis (s->from.x, s->from.width, w, s->bilinear),
             y = luma_axis (s->from.y, s->from.height, h, s->bilinear);
  p->one_tap = !s->bilinear || x.low == x.high;
  make_columns (&p->x, &x, bytes[s->pixels], p->one_tap);
  make_rows (&p->y, &y);
  if (!is_planar (s))
    return;
  const Axis cx = chroma_axis (s->from.x, s->from.width, w, s->chroma_x, s->bilinear);
  const Axis cy = chroma_axis (s->from.y, s->from.height, h, s->chroma_y, s->bilinear);
  p->chroma_one_tap = !s->bilinear || cx.low == cx.high;
  make_columns (&p->chroma_x, &cx, s->pixels == NATIVERT_PIXELS_NV12 ? 2 : 1, p->chroma_one_tap);
  make_rows (&p->chroma_y, &cy);
}

static NativertPreprocessFn
pick (void)
{
  const uint32_t have = nativert_cpu_features ();
  (void) have;
#ifdef NATIVERT_X86
  if (have & NATIVERT_CPU_V4)
    return nativert_preprocess_run_v4;
  if (have & NATIVERT_CPU_V3)
    return nativert_preprocess_run_v3;
#endif
  return nativert_preprocess_run_generic;
}

void
nativert_preprocess_init (NativertPreprocess *p, const NativertPreprocessSpec *spec, void *tables)
{
  memset (p, 0, sizeof *p);
  p->spec = *spec;
  p->run = pick ();
  p->line = ((size_t) spec->to.width + 15) & ~(size_t) 15;
  p->n_in = spec->pixels == NATIVERT_PIXELS_GRAY ? 1 : 3;
  if (is_planar (spec)) {
    bool colour = false;
    for (int k = 0; k < spec->n_channels; k++)
      colour |= spec->matrix[k][1] != 0 || spec->matrix[k][2] != 0;
    p->n_in = colour ? 3 : 1;
  }
  make_tables (p, tables);
}

size_t
nativert_preprocess_scratch_size (const NativertPreprocess *p)
{
  return (2 + 2 * 3) * p->line * sizeof (float);      /* two lines of words, two of floats per component */
}

void
nativert_preprocess_fill (const NativertPreprocess *p, void *out)
{
  const NativertPreprocessSpec *s = &p->spec;
  const size_t area = (size_t) s->out_width * s->out_height, n = s->n_channels;
  for (size_t k = 0; k < n; k++) {
    const float value = s->pad * s->gain[k] + s->bias[k];
    const float level = value > 0 ? (value < 255 ? value : 255) : 0;
    const uint8_t byte = (uint8_t) (level + 0.5f);
    const size_t first = s->interleaved ? k : k * area, step = s->interleaved ? n : 1;
    for (size_t i = 0; i < area; i++)
      if (s->u8)
        ((uint8_t *) out)[first + i * step] = byte;
      else
        ((float *) out)[first + i * step] = value;
  }
}
