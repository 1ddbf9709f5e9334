/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pass over pixels: every row of the tensor is two picture rows resized along x (kept while the next row needs
 * them), mixed, converted, normalised and stored.  Bytes are collected by a scalar loop of small loads, since the
 * columns of a shrunk picture lie far apart; all arithmetic is in loops that the compiler turns into vectors.  Compiled
 * once per instruction set. */
#include <string.h>
#include "kernels/isa.h"
#include "kernels/preprocess.h"

#ifdef __clang__
#define INDEPENDENT _Pragma ("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma ("GCC ivdep")
#endif
#define INLINE static inline __attribute__ ((always_inline))

INLINE uint32_t
load2 (const uint8_t *p)
{
  return (uint32_t) p[0] | (uint32_t) p[1] << 8;
}

INLINE uint32_t
load4 (const uint8_t *p)
{
  return load2 (p) | load2 (p + 2) << 16;
}

/* Words of column i: lo[i] and, for packed pixels, hi[i] hold the bytes of two neighbours.  With one tap both are the
 * same. */
static void
collect1 (uint32_t *restrict lo, const uint8_t *row, const int32_t *restrict offset, int32_t n, bool one_tap)
{
  if (one_tap)
    for (int32_t i = 0; i < n; i++)
      lo[i] = row[offset[i]] * 0x101u;
  else
    for (int32_t i = 0; i < n; i++)
      lo[i] = load2 (row + offset[i]);
}

static void
collect2 (uint32_t *restrict lo, const uint8_t *row, const int32_t *restrict offset, int32_t n, bool one_tap)
{
  if (one_tap)
    for (int32_t i = 0; i < n; i++)
      lo[i] = load2 (row + offset[i]) * 0x10001u;
  else
    for (int32_t i = 0; i < n; i++)
      lo[i] = load4 (row + offset[i]);
}

/* Six bytes as two overlapping words, so that nothing is read past the last pixel: c0 c1 c2 c0' and c2 c0' c1' c2'. */
static void
collect3 (uint32_t *restrict lo, uint32_t *restrict hi, const uint8_t *row, const int32_t *restrict offset, int32_t n,
    bool one_tap)
{
  for (int32_t i = 0; i < n; i++) {
    const uint8_t *a = row + offset[i];
    if (one_tap) {
      lo[i] = load2 (a) | (uint32_t) a[2] << 16 | (uint32_t) a[0] << 24;
      hi[i] = (uint32_t) a[1] << 16 | (uint32_t) a[2] << 24;
    } else {
      lo[i] = load4 (a);
      hi[i] = load4 (a + 2);
    }
  }
}

static void
collect4 (uint32_t *restrict lo, uint32_t *restrict hi, const uint8_t *row, const int32_t *restrict offset, int32_t n,
    bool one_tap)
{
  const int next = one_tap ? 0 : 4;
  for (int32_t i = 0; i < n; i++) {
    lo[i] = load4 (row + offset[i]);
    hi[i] = load4 (row + offset[i] + next);
  }
}

INLINE float
byte_of (uint32_t word, int k)
{
  return (float) (int32_t) (word >> (8 * k) & 0xff);
}

INLINE float
mix (float a, float b, float w)
{
  return a + (b - a) * w;
}

/* One component along x: byte ka of a[] towards byte kb of b[]. */
INLINE void
blend (float *restrict out, const uint32_t *restrict a, int ka, const uint32_t *restrict b, int kb,
    const float *restrict weight, int32_t n)
{
  for (int32_t i = 0; i < n; i++)
    out[i] = mix (byte_of (a[i], ka), byte_of (b[i], kb), weight[i]);
}

/* A source of rows: one plane with its tables, the components it gives, and the two rows resized last. */
typedef struct {
  const uint8_t *plane;
  ptrdiff_t stride;
  const NativertColumns *x;
  const NativertRows *y;
  int bytes;
  bool one_tap;
  float *line[2][3];
  int32_t row[2];
} Source;

static void
resize_row (const Source *s, int32_t row, float *const *out, uint32_t *lo, uint32_t *hi, int32_t n)
{
  const uint8_t *from = s->plane + s->stride * row;
  const float *w = s->x->weight;
  switch (s->bytes) {
    case 1:
      collect1 (lo, from, s->x->offset, n, s->one_tap);
      blend (out[0], lo, 0, lo, 1, w, n);
      break;
    case 2:
      collect2 (lo, from, s->x->offset, n, s->one_tap);
      blend (out[0], lo, 0, lo, 2, w, n);
      blend (out[1], lo, 1, lo, 3, w, n);
      break;
    case 3:
      collect3 (lo, hi, from, s->x->offset, n, s->one_tap);
      blend (out[0], lo, 0, lo, 3, w, n);
      blend (out[1], lo, 1, hi, 2, w, n);
      blend (out[2], lo, 2, hi, 3, w, n);
      break;
    default:
      collect4 (lo, hi, from, s->x->offset, n, s->one_tap);
      blend (out[0], lo, 0, hi, 0, w, n);
      blend (out[1], lo, 1, hi, 1, w, n);
      blend (out[2], lo, 2, hi, 2, w, n);
  }
}

/* Makes line[0] and line[1] the rows that output row i mixes; rows that are there already are kept. */
static void
want_rows (Source *s, int32_t i, uint32_t *lo, uint32_t *hi, int32_t n)
{
  const int32_t want[2] = { s->y->first[i], s->y->second[i] };
  if (s->row[0] != want[0] && s->row[1] == want[0]) {
    for (int k = 0; k < 3; k++) {
      float *swap = s->line[0][k];
      s->line[0][k] = s->line[1][k];
      s->line[1][k] = swap;
    }
    s->row[1] = s->row[0];
    s->row[0] = want[0];
  }
  for (int r = 0; r < 2; r++)
    if (s->row[r] != want[r] && (r == 0 || want[1] != want[0])) {
      resize_row (s, want[r], s->line[r], lo, hi, n);
      s->row[r] = want[r];
    }
}

/* What finishing a row needs: per component the two lines and how they mix. */
typedef struct { const float *top[3], *bottom[3]; float weight[3]; } Mix;

INLINE float
channel (const NativertPreprocessSpec *s, int k, int n_in, const float *c)
{
  float v = s->matrix[k][0] * c[0];
  if (n_in == 3)
    v += s->matrix[k][1] * c[1] + s->matrix[k][2] * c[2];
  v += s->matrix[k][3];
  v = v > 0 ? v : 0;
  v = v < 255 ? v : 255;
  return v * s->gain[k] + s->bias[k];
}

INLINE uint8_t
to_u8 (float v)
{
  v = v > 0 ? v : 0;
  v = v < 255 ? v : 255;
  return (uint8_t) (int32_t) (v + 0.5f);
}

INLINE void
finish (const NativertPreprocessSpec *spec, const Mix *m, void *const *out, int32_t n, int n_in, int n_out, int step,
    bool u8)
{
  const NativertPreprocessSpec s = *spec;
  const float *restrict t0 = m->top[0], *restrict t1 = m->top[1], *restrict t2 = m->top[2];
  const float *restrict b0 = m->bottom[0], *restrict b1 = m->bottom[1], *restrict b2 = m->bottom[2];
  const float w0 = m->weight[0], w1 = m->weight[1], w2 = m->weight[2];
  void *const o0 = out[0], *const o1 = out[1], *const o2 = out[2];
  float *restrict f0 = o0, *restrict f1 = o1, *restrict f2 = o2;
  uint8_t *restrict u0 = o0, *restrict u1 = o1, *restrict u2 = o2;
  INDEPENDENT
  for (int32_t i = 0; i < n; i++) {
    float c[3] = { mix (t0[i], b0[i], w0), 0, 0 };
    if (n_in == 3) {
      c[1] = mix (t1[i], b1[i], w1);
      c[2] = mix (t2[i], b2[i], w2);
    }
    const float v0 = channel (&s, 0, n_in, c);
    const float v1 = n_out == 3 ? channel (&s, 1, n_in, c) : 0, v2 = n_out == 3 ? channel (&s, 2, n_in, c) : 0;
    if (u8) {
      u0[i * step] = to_u8 (v0);
      if (n_out == 3) {
        u1[i * step] = to_u8 (v1);
        u2[i * step] = to_u8 (v2);
      }
    } else {
      f0[i * step] = v0;
      if (n_out == 3) {
        f1[i * step] = v1;
        f2[i * step] = v2;
      }
    }
  }
}

/* Each combination is code of its own, with its constants folded in. */
#define CASE(in, out, step, u8) static __attribute__ ((noinline)) void \
  finish_##in##_##out##_##step##_##u8 (const NativertPreprocessSpec *s, const Mix *m, void *const *o, int32_t n) \
  { finish (s, m, o, n, in, out, step, u8); }
CASE (1, 1, 1, 0) CASE (1, 1, 1, 1) CASE (1, 3, 1, 0) CASE (1, 3, 1, 1) CASE (1, 3, 3, 0) CASE (1, 3, 3, 1)
CASE (3, 1, 1, 0) CASE (3, 1, 1, 1) CASE (3, 3, 1, 0) CASE (3, 3, 1, 1) CASE (3, 3, 3, 0) CASE (3, 3, 3, 1)
#undef CASE

typedef void (*FinishFn) (const NativertPreprocessSpec *s, const Mix *m, void *const *out, int32_t n);

static FinishFn
pick_finish (const NativertPreprocess *p)
{
  static const FinishFn fn[2][3][2] = {       /* n_in; one channel, planes, interleaved; float32 or uint8 */
    { { finish_1_1_1_0, finish_1_1_1_1 }, { finish_1_3_1_0, finish_1_3_1_1 }, { finish_1_3_3_0, finish_1_3_3_1 } },
    { { finish_3_1_1_0, finish_3_1_1_1 }, { finish_3_3_1_0, finish_3_3_1_1 }, { finish_3_3_3_0, finish_3_3_3_1 } },
  };
  const int shape = p->spec.n_channels == 1 ? 0 : p->spec.interleaved ? 2 : 1;
  return fn[p->n_in == 3][shape][p->spec.u8];
}

static int
make_sources (const NativertPreprocess *p, const NativertPicture *picture, float *lines, Source *s)
{
  static const int bytes[][3] = { [NATIVERT_PIXELS_GRAY] = { 1 },
    [NATIVERT_PIXELS_NV12] = { 1, 2 },
    [NATIVERT_PIXELS_I420] = { 1, 1, 1 },
    [NATIVERT_PIXELS_PACKED3] = { 3 },
    [NATIVERT_PIXELS_PACKED4] = { 4 } };
  int n = 0, component = 0;
  const int n_components = p->n_in;
  while (component < n_components) {
    const int gives = bytes[p->spec.pixels][n] == 4 ? 3 : bytes[p->spec.pixels][n];
    s[n] = (Source) { picture->plane[n], picture->stride[n], n ? &p->chroma_x : &p->x, n ? &p->chroma_y : &p->y,
      bytes[p->spec.pixels][n], n ? p->chroma_one_tap : p->one_tap, .row = { -1, -1 } };
    for (int r = 0; r < 2; r++)
      for (int k = 0; k < gives; k++)
        s[n].line[r][k] = lines + p->line * (size_t) (3 * r + component + k);
    component += gives;
    n++;
  }
  return n;
}

static Mix
make_mix (const Source *s, int n_sources, int32_t i)
{
  Mix m = { { NULL } };
  int component = 0;
  for (int k = 0; k < n_sources; k++) {
    const int gives = s[k].bytes == 4 ? 3 : s[k].bytes, below = s[k].y->second[i] != s[k].y->first[i];
    for (int c = 0; c < gives; c++, component++) {
      m.top[component] = s[k].line[0][c];
      m.bottom[component] = s[k].line[below][c];
      m.weight[component] = s[k].y->weight[i];
    }
  }
  return m;
}

extern void NATIVERT_CAT (nativert_preprocess_run, NATIVERT_ISA) (
    const NativertPreprocess *, const NativertPicture *, void *, void *);
void
NATIVERT_CAT (nativert_preprocess_run, NATIVERT_ISA) (
    const NativertPreprocess *p, const NativertPicture *picture, void *out, void *scratch)
{
  const NativertPreprocessSpec *spec = &p->spec;
  uint32_t *lo = scratch, *hi = lo + p->line;
  Source source[3];
  const int n_sources = make_sources (p, picture, (float *) (hi + p->line), source);
  const FinishFn finish_row = pick_finish (p);
  const size_t size = spec->u8 ? 1 : sizeof (float), area = (size_t) spec->out_width * spec->out_height;
  const size_t plane = spec->interleaved ? 1 : area, step = spec->interleaved ? spec->n_channels : 1;
  const int32_t n = spec->to.width;
  for (int32_t i = 0; i < spec->to.height; i++) {
    for (int k = 0; k < n_sources; k++)
      want_rows (&source[k], i, lo, hi, n);
    const Mix m = make_mix (source, n_sources, i);
    char *at = (char *) out + ((size_t) (spec->to.y + i) * spec->out_width + spec->to.x) * step * size;
    void *const o[3] = { at, at + plane * size, at + 2 * plane * size };
    finish_row (spec, &m, o, n);
  }
}
