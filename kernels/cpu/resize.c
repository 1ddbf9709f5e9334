/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Resizes of every kind: for each dimension a table says which inputs make a result and with which weights; rows are
 * first mixed vertically, in order, then picked horizontally.  Compiled once per instruction set. */
#include <math.h>
#include <string.h>
#include "kernels/args.h"
#include "kernels/convert.h"
#include "kernels/isa.h"
#include "kernels/ops.h"
#include "kernels/resize.h"

static double
support_of (const NativertResize *g, double scale)
{
  double half = g->mode == NATIVERT_RESIZE_CUBIC ? 2 : 1;
  return scale >= 1 ? half * scale : half;
}

/* Input steps per result step. */
static double
scale_of (const NativertResize *g, int d)
{
  if (g->align_corners)
    return g->out[d] > 1 ? (double) (g->in[d] - 1) / (double) (g->out[d] - 1) : 0;
  return g->factor[d] > 0 ? 1 / g->factor[d] : (double) g->in[d] / (double) g->out[d];
}

static int64_t
taps_of (const NativertResize *g, int d)
{
  if (d < 3 - g->nd || g->mode <= NATIVERT_RESIZE_NEAREST_EXACT)
    return 1;
  if (g->antialias)
    return nativert_min_i64 (g->in[d], 2 * (int64_t) ceil (support_of (g, scale_of (g, d))) + 1);
  return g->mode == NATIVERT_RESIZE_LINEAR ? 2 : 4;
}

/* Scratch of a part: per dimension indices and weights, then one mixed row. */
static size_t
table_bytes (const NativertResize *g)
{
  size_t n = 0;
  for (int d = 0; d < 3; d++)
    n += (size_t) g->out[d] * (size_t) g->taps[d] * (sizeof (int64_t) + sizeof (double));
  return n;
}

static bool
prepare (NativertPrep *p)
{
  NativertResize *g = p->params;
  if (!nativert_resize_describe (p, g))
    return false;
  if (!nativert_view_is_contiguous (&p->in[0]) || !nativert_view_is_contiguous (&p->out[0]))
    return nativert_no (p, "resizing reads and writes contiguous tensors only");
  for (int d = 0; d < 3; d++) {
    g->taps[d] = taps_of (g, d);
    if (!nativert_mul_ok (g->taps[d], g->out[d], &(int64_t) { 0 }) || g->taps[d] * g->out[d] > INT32_MAX)
      return nativert_no (
          p, "resize of size %lld to %lld needs too many weights", (long long) g->in[d], (long long) g->out[d]);
  }
  int64_t rows = g->planes * g->out[0] * g->out[1], work = rows * (g->out[2] * g->taps[2] + g->in[2] * g->taps[1]);
  g->parts = nativert_max_i64 (1, nativert_min_i64 (nativert_min_i64 (64, rows), work / 60000));
  p->params_size = sizeof *g;
  p->n_parts = (uint32_t) g->parts;
  p->scratch_part = table_bytes (g) + (size_t) g->in[2] * sizeof (double);
  p->cost = (uint64_t) work * 2;
  return true;
}

static double
cubic (double x, double a)
{
  x = fabs (x);
  if (x < 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
}

static double
linear (double x)
{
  x = fabs (x);
  return x < 1 ? 1 - x : 0;
}

/* Weights of result i from a window as wide as the input steps: taps that are not needed have weight 0. */
static void
antialias_taps (const NativertResize *g, int d, double scale, int64_t i, int64_t *index, double *weight)
{
  double support = support_of (g, scale), center = scale * ((double) i + 0.5), by = scale >= 1 ? 1 / scale : 1,
         total = 0;
  int64_t first = nativert_max_i64 ((int64_t) (center - support + 0.5), 0);
  int64_t n = nativert_min_i64 ((int64_t) (center + support + 0.5), g->in[d]) - first;
  for (int64_t t = 0; t < g->taps[d]; t++) {
    double x = ((double) (t + first) - center + 0.5) * by;
    weight[t] = t >= n ? 0 : g->mode == NATIVERT_RESIZE_CUBIC ? cubic (x, -0.5) : linear (x);
    index[t] = nativert_max_i64 (0, nativert_min_i64 (first + t, g->in[d] - 1));
    total += weight[t];
  }
  for (int64_t t = 0; t < g->taps[d] && total != 0; t++)
    weight[t] /= total;
}

/* exact: positions in double (float64 tensors); otherwise in float, as torch computes them for float32. */
static void
fill_table (const NativertResize *g, int d, bool exact, int64_t *index, double *weight)
{
  int64_t last = g->in[d] - 1;
  double scale = exact ? scale_of (g, d) : (float) scale_of (g, d);
  for (int64_t i = 0; i < g->out[d]; i++, index += g->taps[d], weight += g->taps[d]) {
    if (g->taps[d] == 1) {
      bool half = g->mode == NATIVERT_RESIZE_NEAREST_EXACT;
      float at = half ? ((float) i + 0.5f) * (float) scale_of (g, d) : (float) i * (float) scale_of (g, d);
      index[0] = d < 3 - g->nd ? 0 : nativert_max_i64 (0, nativert_min_i64 ((int64_t) floorf (at), last));
      weight[0] = 1;
      continue;
    }
    if (g->antialias) {
      antialias_taps (g, d, scale, i, index, weight);
      continue;
    }
    double at;
    if (exact)
      at = g->align_corners ? scale * (double) i : scale * ((double) i + 0.5) - 0.5;
    else
      at = g->align_corners ? (float) scale * (float) i : (float) scale * ((float) i + 0.5f) - 0.5f;
    if (g->mode == NATIVERT_RESIZE_LINEAR) {
      at = at < 0 ? 0 : at;
      int64_t low = nativert_min_i64 ((int64_t) at, last);
      double part = at - (double) low;
      part = part < 0 ? 0 : part > 1 ? 1 : part;
      index[0] = low;
      index[1] = nativert_min_i64 (low + 1, last);
      weight[0] = 1 - part;
      weight[1] = part;
    } else {
      double low = floor (at);
      for (int t = 0; t < 4; t++) {
        index[t] = nativert_max_i64 (0, nativert_min_i64 ((int64_t) low - 1 + t, last));
        weight[t] = cubic (at - low + 1 - t, -0.75);
      }
    }
  }
}

typedef struct { int64_t *index[3]; double *weight[3]; void *row; } Tables;

static Tables
make_tables (const NativertResize *g, bool exact, char *scratch)
{
  Tables t;
  for (int d = 0; d < 3; d++) {
    size_t n = (size_t) g->out[d] * (size_t) g->taps[d];
    t.index[d] = (int64_t *) scratch;
    t.weight[d] = (double *) (scratch + n * sizeof (int64_t));
    scratch += n * (sizeof (int64_t) + sizeof (double));
    fill_table (g, d, exact, t.index[d], t.weight[d]);
  }
  t.row = scratch;
  return t;
}

/* S storage, A the type that is computed in. */
#define RESIZE(ID, S, A, ...)                                                                                          \
  static void pick_##ID (const NativertResize *g, const Tables *t, const A *restrict row, S *restrict to)              \
  {                                                                                                                    \
    const int64_t *restrict index = t->index[2];                                                                       \
    const double *restrict weight = t->weight[2];                                                                      \
    int64_t taps = g->taps[2];                                                                                         \
    if (taps == 2)                                                                                                     \
      for (int64_t x = 0; x < g->out[2]; x++)                                                                          \
        to[x] = NATIVERT_STORE_##ID (                                                                                  \
            (A) weight[2 * x] * row[index[2 * x]] + (A) weight[2 * x + 1] * row[index[2 * x + 1]]);                    \
    else                                                                                                               \
      for (int64_t x = 0; x < g->out[2]; x++) {                                                                        \
        A sum = (A) weight[x * taps] * row[index[x * taps]];                                                           \
        for (int64_t k = 1; k < taps; k++)                                                                             \
          sum += (A) weight[x * taps + k] * row[index[x * taps + k]];                                                  \
        to[x] = NATIVERT_STORE_##ID (sum);                                                                             \
      }                                                                                                                \
  }                                                                                                                    \
  static void resize_##ID (const NativertCall *c, uint32_t part)                                                       \
  {                                                                                                                    \
    const NativertResize *g = c->params;                                                                               \
    Tables t = make_tables (g, sizeof (A) == sizeof (double), nativert_call_scratch (c, part));                        \
    int64_t rows = g->planes * g->out[0] * g->out[1];                                                                  \
    A *restrict row = t.row;                                                                                           \
    for (int64_t i = rows * part / g->parts; i < rows * (part + 1) / g->parts; i++) {                                  \
      int64_t y = i % g->out[1], z = i / g->out[1] % g->out[0], plane = i / g->out[1] / g->out[0];                     \
      const S *x = (const S *) c->in[0].data + plane * g->in[0] * g->in[1] * g->in[2];                                 \
      S *to = (S *) c->out[0].data + i * g->out[2];                                                                    \
      const int64_t *iz = t.index[0] + z * g->taps[0], *iy = t.index[1] + y * g->taps[1];                              \
      if (g->mode <= NATIVERT_RESIZE_NEAREST_EXACT) {                                                                  \
        const S *restrict from = x + (iz[0] * g->in[1] + iy[0]) * g->in[2];                                            \
        for (int64_t k = 0; k < g->out[2]; k++)                                                                        \
          to[k] = from[t.index[2][k]];                                                                                 \
        continue;                                                                                                      \
      }                                                                                                                \
      for (int64_t a = 0; a < g->taps[0]; a++)                                                                         \
        for (int64_t b = 0; b < g->taps[1]; b++) {                                                                     \
          const S *restrict from = x + (iz[a] * g->in[1] + iy[b]) * g->in[2];                                          \
          A w = (A) (t.weight[0][z * g->taps[0] + a] * t.weight[1][y * g->taps[1] + b]);                               \
          if (a + b == 0)                                                                                              \
            for (int64_t k = 0; k < g->in[2]; k++)                                                                     \
              row[k] = w * (A) NATIVERT_LOAD (from[k]);                                                                \
          else                                                                                                         \
            for (int64_t k = 0; k < g->in[2]; k++)                                                                     \
              row[k] += w * (A) NATIVERT_LOAD (from[k]);                                                               \
        }                                                                                                              \
      pick_##ID (g, &t, row, to);                                                                                      \
    }                                                                                                                  \
  }
NATIVERT_FLOAT (RESIZE, )

static void
resize_U8 (const NativertCall *c, uint32_t part)
{
  const NativertResize *g = c->params;
  Tables t = make_tables (g, false, nativert_call_scratch (c, part));
  int64_t rows = g->planes * g->out[0] * g->out[1];
  for (int64_t i = rows * part / g->parts; i < rows * (part + 1) / g->parts; i++) {
    int64_t y = i % g->out[1], z = i / g->out[1] % g->out[0], plane = i / g->out[1] / g->out[0];
    const uint8_t *from
        = (const uint8_t *) c->in[0].data + ((plane * g->in[0] + t.index[0][z]) * g->in[1] + t.index[1][y]) * g->in[2];
    for (int64_t k = 0; k < g->out[2]; k++)
      ((uint8_t *) c->out[0].data)[i * g->out[2] + k] = from[t.index[2][k]];
  }
}

static bool
prepare_nearest (NativertPrep *p)
{
  NativertResize *g = p->params;
  return prepare (p) && (g->mode <= NATIVERT_RESIZE_NEAREST_EXACT || nativert_no (p, "only nearest for uint8"));
}

#define ROW(id, op)                                                                                                    \
  { NATIVERT_OP_##op, NATIVERT_##id, NATIVERT_DEVICE_CPU, NATIVERT_NEEDS, NATIVERT_ROW_NAME ("resize"), prepare,       \
    resize_##id },
#define FLOAT_ROW(id, storage, compute, op) ROW (id, op)
#define U8_ROW(op)                                                                                                     \
  { NATIVERT_OP_##op, NATIVERT_U8, NATIVERT_DEVICE_CPU, NATIVERT_NEEDS, NATIVERT_ROW_NAME ("resize"), prepare_nearest, \
    resize_U8 },
#define RESIZE_ROWS(op) NATIVERT_FLOAT (FLOAT_ROW, op) U8_ROW (op)
static const NativertKernel rows[] = {
#undef RESIZE
#define RESIZE(name, ...) RESIZE_ROWS (name##_default) RESIZE_ROWS (name##_vec)
#include "kernels/defs/resize-kinds.def"
#undef RESIZE
};
extern const NativertKernelSet NATIVERT_SET (resize);
const NativertKernelSet NATIVERT_SET (resize) = { rows, sizeof rows / sizeof rows[0], NATIVERT_STR (NATIVERT_ISA) };
