/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_sampler in two and three dimensions, in plain C: nearest, linear and (2-D) cubic, every kind of border. */
#include <math.h>
#include "kernels/args.h"
#include "kernels/convert.h"
#include "kernels/ops.h"

enum { LINEAR, NEAREST, CUBIC };
enum { ZEROS, BORDER, REFLECTION };

typedef struct { int64_t n, c, in[3], out[3]; uint8_t nd, mode, border; bool align; int64_t parts; } Params;

static bool
prepare (NativertPrep *p)
{
  Params *g = p->params;
  const NativertView *x = &p->in[0];
  if (!nativert_view_is_contiguous (x) || !nativert_view_is_contiguous (&p->in[1])
      || !nativert_view_is_contiguous (&p->out[0]))
    return nativert_no (p, "grid_sampler reads and writes contiguous tensors only");
  NativertView asked = p->out[0];
  NativertPrep q = *p;
  q.out = &asked;
  if (!nativert_shape_grid_sampler (&q))
    return nativert_no (p, "%s", q.reason);
  int64_t mode = nativert_arg_int (p, 2, 0), border = nativert_arg_int (p, 3, 0);
  *g = (Params){ .n = x->size[0],
    .c = x->size[1],
    .in = { 1, 1, 1 },
    .out = { 1, 1, 1 },
    .nd = (uint8_t) (x->ndim - 2),
    .mode = (uint8_t) mode,
    .border = (uint8_t) border,
    .align = nativert_arg_int (p, 4, 0) != 0 };
  if (mode < LINEAR || mode > (g->nd == 2 ? CUBIC : NEAREST) || border < ZEROS || border > REFLECTION)
    return nativert_no (
        p, "interpolation %lld with border %lld in %u dimensions", (long long) mode, (long long) border, g->nd);
  for (int d = 0; d < g->nd; d++) {
    g->in[3 - g->nd + d] = x->size[2 + d];
    g->out[3 - g->nd + d] = p->out[0].size[2 + d];
    if (x->size[2 + d] > INT32_MAX)
      return nativert_no (p, "input size %lld", (long long) x->size[2 + d]);
  }
  int64_t pixels = g->n * g->out[0] * g->out[1] * g->out[2];
  g->parts = nativert_max_i64 (1, nativert_min_i64 (64, pixels / 256));
  p->params_size = sizeof *g;
  p->n_parts = (uint32_t) g->parts;
  p->cost = (uint64_t) (pixels * (g->c * 8 + 16));
  return true;
}

static double
reflect (double x, double low, double high)     /* twice the borders are given, as halves */
{
  double span = (high - low) / 2, from = low / 2;
  if (low == high)
    return 0;
  x = fabs (x - from);
  double times = floor (x / span), rest = x - times * span;
  return fmod (times, 2) == 0 ? rest + from : span - rest + from;
}

/* A position in pixels brought inside, as the border says. */
static double
inside (const Params *g, int d, double x)
{
  double last = (double) g->in[d] - 1;
  if (g->border == ZEROS)
    return x;
  if (g->border == REFLECTION)
    x = g->align ? reflect (x, 0, 2 * last) : reflect (x, -1, 2 * (double) g->in[d] - 1);
  return x != x || x < 0 ? 0 : x > last ? last : x;
}

static double
position (const Params *g, int d, double x)
{
  double size = (double) g->in[d];
  return g->align ? (x + 1) / 2 * (size - 1) : ((x + 1) * size - 1) / 2;
}

typedef struct { int64_t at[4]; double weight[4]; int n; } Taps;       /* at -1: outside, counts as zero */

static int64_t
index_of (const Params *g, int d, double x)
{
  return x >= 0 && x < (double) g->in[d] ? (int64_t) x : -1;    /* NaN: outside */
}

static Taps
taps_of (const Params *g, int d, double x)
{
  Taps t = { .n = 1, .weight = { 1 } };
  x = position (g, d, x);
  if (g->mode == NEAREST) {
    t.at[0] = index_of (g, d, nearbyint (inside (g, d, x)));
    return t;
  }
  if (g->mode == LINEAR) {
    x = inside (g, d, x);
    double low = floor (x);
    t = (Taps) { { index_of (g, d, low), index_of (g, d, low + 1) }, { low + 1 - x, x - low }, 2 };
    return t;
  }
  double low = floor (x), f = x - low, a = -0.75, u = 1 - f;
  t = (Taps){ .n = 4,
    .weight = { ((a * (f + 1) - 5 * a) * (f + 1) + 8 * a) * (f + 1) - 4 * a, ((a + 2) * f - (a + 3)) * f * f + 1,
        ((a + 2) * u - (a + 3)) * u * u + 1, ((a * (u + 1) - 5 * a) * (u + 1) + 8 * a) * (u + 1) - 4 * a } };
  for (int i = 0; i < 4; i++)
    t.at[i] = index_of (g, d, inside (g, d, low - 1 + i));
  return t;
}

#define SAMPLE(ID, S, A, ...)                                                                                          \
  static void sample_##ID (const NativertCall *call, uint32_t part)                                                    \
  {                                                                                                                    \
    const Params *g = call->params;                                                                                    \
    int64_t per_image = g->out[0] * g->out[1] * g->out[2], in_plane = g->in[0] * g->in[1] * g->in[2],                  \
            n = g->n * per_image;                                                                                      \
    for (int64_t i = n * part / g->parts; i < n * (part + 1) / g->parts; i++) {                                        \
      const S *grid = (const S *) call->in[1].data + i * g->nd;                                                        \
      Taps tx = taps_of (g, 2, NATIVERT_LOAD (grid[0])), ty = taps_of (g, 1, NATIVERT_LOAD (grid[1]));                 \
      Taps tz = { { 0 }, { 1 }, 1 };                                                                                   \
      if (g->nd == 3)                                                                                                  \
        tz = taps_of (g, 0, NATIVERT_LOAD (grid[2]));                                                                  \
      const S *x = (const S *) call->in[0].data + i / per_image * g->c * in_plane;                                     \
      S *to = (S *) call->out[0].data + i / per_image * g->c * per_image + i % per_image;                              \
      for (int64_t c = 0; c < g->c; c++, x += in_plane, to += per_image) {                                             \
        double sum = 0;                                                                                                \
        for (int a = 0; a < tz.n; a++)                                                                                 \
          for (int b = 0; b < ty.n; b++)                                                                               \
            for (int k = 0; k < tx.n; k++)                                                                             \
              if (tz.at[a] >= 0 && ty.at[b] >= 0 && tx.at[k] >= 0)                                                     \
                sum += tz.weight[a] * ty.weight[b] * tx.weight[k]                                                      \
                    * (double) NATIVERT_LOAD (x[(tz.at[a] * g->in[1] + ty.at[b]) * g->in[2] + tx.at[k]]);              \
        *to = NATIVERT_STORE_##ID (sum);                                                                               \
      }                                                                                                                \
    }                                                                                                                  \
  }
NATIVERT_FLOAT (SAMPLE, )

#define ROW(id, storage, compute, op)                                                                                  \
  { NATIVERT_OP_##op, NATIVERT_##id, NATIVERT_DEVICE_CPU, 0, "grid-sampler-plain", prepare, sample_##id },
static const NativertKernel rows[] = {
  NATIVERT_FLOAT (ROW, grid_sampler_default)
  NATIVERT_FLOAT (ROW, grid_sampler_2d_default)
  NATIVERT_FLOAT (ROW, grid_sampler_3d_default)
};
extern const NativertKernelSet nativert_set_grid_sampler;
const NativertKernelSet nativert_set_grid_sampler = { rows, sizeof rows / sizeof rows[0], "grid-sampler" };
