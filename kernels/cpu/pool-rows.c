/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Poolings of f32 pictures by rows: the rows of a window become one row (vectors along it), then its columns are
 * joined, every second one by vectors too.  And means of whole planes.  Compiled once per instruction set. */
#include "kernels/args.h"
#include "kernels/isa.h"
#include "kernels/ops.h"
#include "kernels/pool.h"
#include "kernels/simd.h"

static int64_t parts_of (const NativertPool *g) { return nativert_max_i64 (1, nativert_min_i64 (64, g->planes)); }
/* Columns that windows reach, borders included, and room for whole vectors. */
static int64_t reach (const NativertPool *g) { return (g->out[2] - 1) * g->stride[2] + (g->k[2] - 1) * g->dil[2] + 1; }
static int64_t
line_floats (const NativertPool *g)
{
  return nativert_max_i64 (reach (g), g->pad[2] + g->in[2]) + 4 * VL;
}

static bool
prepare (NativertPrep *p)
{
  NativertPool *g = p->params;
  if (!nativert_pool_describe (p, g))
    return false;
  if (!nativert_view_is_contiguous (&p->in[0]) || !nativert_view_is_contiguous (&p->out[0]))
    return nativert_no (p, "pooling reads and writes contiguous tensors only");
  bool whole = g->adaptive && g->out[0] == 1 && g->out[1] == 1 && g->out[2] == 1;
  if (g->adaptive && !whole)
    return nativert_no (p, "adaptive windows that differ");
  if (g->planes < 1
      || (!whole && (g->in[0] != 1 || g->k[0] != 1 || g->pad[0] || g->out[2] < 2 || reach (g) > (1 << 24))))
    return nativert_no (p, "three dimensions, or rows of %lld", (long long) g->out[2]);
  p->params_size = sizeof *g;
  p->n_parts = (uint32_t) parts_of (g);
  p->scratch_part = whole ? 0 : (size_t) (line_floats (g) + g->out[2]) * sizeof (float);
  p->cost = (uint64_t) (g->planes * (g->in[1] * g->in[2] + g->out[1] * g->out[2]) * 4);
  return true;
}

NATIVERT_INLINE V
join (bool average, V a, V b)
{
  if (average)
    return a + b;
  return v_max_nan (a, b);
}

NATIVERT_INLINE float
join_one (bool average, float a, float b)
{
  return average ? a + b : a >= b || a != a ? a : b;
}

/* line[pad + x] = rows first, first + step, ... (n of them) joined; the borders hold what changes nothing. */
NATIVERT_INLINE void
join_rows (const bool average, const NativertPool *g, float *line, const float *in, int64_t n)
{
  int64_t width = g->in[2], step = g->in[2] * g->dil[1], x = 0;
  for (line += g->pad[2]; x < width; x += VL) {
    int part = (int) nativert_min_i64 (VL, width - x);
    V v = part == VL ? v_load (in + x) : v_load_part (in + x, part);
    for (int64_t r = 1; r < n; r++)
      v = join (average, v, part == VL ? v_load (in + r * step + x) : v_load_part (in + r * step + x, part));
    if (part == VL)
      v_store (line + x, v);
    else
      v_store_part (line + x, v, part);
  }
}

NATIVERT_INLINE void
join_columns (const bool average, const NativertPool *g, float *to, const float *line)
{
  int64_t width = g->out[2], s = g->stride[2], x = 0;
  for (; s <= 2 && x < width; x += VL) {
    int part = (int) nativert_min_i64 (VL, width - x);
    const float *from = line + x * s;
    V v = v_zero ();
    for (int64_t k = 0; k < g->k[2]; k++, from += g->dil[2]) {
      V w = s == 1 ? v_load (from) : v_even (v_load (from), v_load (from + VL));
      v = k ? join (average, v, w) : w;
    }
    if (part == VL)
      v_store (to + x, v);
    else
      v_store_part (to + x, v, part);
  }
  for (; x < width; x++) {
    float v = line[x * s];
    for (int64_t k = 1; k < g->k[2]; k++)
      v = join_one (average, v, line[x * s + k * g->dil[2]]);
    to[x] = v;
  }
}

/* Elements that count of window i in dimension d. */
static int64_t
counted (const NativertPool *g, int d, int64_t i)
{
  int64_t from = i * g->stride[d] - g->pad[d],
          to = nativert_min_i64 (from + g->k[d], g->in[d] + (g->count_pad ? g->pad[d] : 0));
  return to - (g->count_pad ? from : nativert_max_i64 (0, from));
}

NATIVERT_INLINE void
plane (const bool average, const NativertPool *g, float *to, const float *in, float *line, const float *columns)
{
  for (int64_t y = 0; y < g->out[1]; y++, to += g->out[2]) {
    int64_t from = y * g->stride[1] - g->pad[1];
    if (from < 0)
      from += nativert_ceil_div (-from, g->dil[1]) * g->dil[1];
    int64_t end = nativert_min_i64 (g->in[1], y * g->stride[1] - g->pad[1] + (g->k[1] - 1) * g->dil[1] + 1);
    if (end <= from) {                          /* a window in the border alone */
      for (int64_t x = 0; x < g->out[2]; x++)
        to[x]
            = average ? 0.f / (float) (g->divisor ? g->divisor : counted (g, 1, y) * (int64_t) columns[x]) : -INFINITY;
      continue;
    }
    join_rows (average, g, line, in + from * g->in[2], nativert_ceil_div (end - from, g->dil[1]));
    join_columns (average, g, to, line);
    if (average) {
      float rows = (float) counted (g, 1, y);
      for (int64_t x = 0; x < g->out[2]; x++)
        to[x] /= g->divisor ? (float) g->divisor : rows * columns[x];
    }
  }
}

NATIVERT_INLINE void
windows (const bool average, const NativertCall *c, uint32_t part)
{
  const NativertPool *g = c->params;
  int64_t n_parts = parts_of (g), in = g->in[1] * g->in[2], out = g->out[1] * g->out[2];
  float *line = (float *) nativert_call_scratch (c, part), *columns = line + line_floats (g);
  for (int64_t i = 0; i < line_floats (g); i++)
    line[i] = average ? 0 : -INFINITY;
  for (int64_t x = 0; x < g->out[2]; x++)
    columns[x] = (float) counted (g, 2, x);
  for (int64_t i = g->planes * part / n_parts; i < g->planes * (part + 1) / n_parts; i++)
    plane (average, g, (float *) c->out[0].data + i * out, (const float *) c->in[0].data + i * in, line, columns);
}

static void
run_max (const NativertCall *c, uint32_t part)
{
  windows (false, c, part);
}

static void
run_average (const NativertCall *c, uint32_t part)
{
  const NativertPool *g = c->params;
  if (!g->adaptive) {
    windows (true, c, part);
    return;
  }
  int64_t n = g->in[0] * g->in[1] * g->in[2];
  for (int64_t i = g->planes * part / parts_of (g); i < g->planes * (part + 1) / parts_of (g); i++) {
    const float *in = (const float *) c->in[0].data + i * n;
    V sum[2] = { v_zero (), v_zero () };
    int64_t k = 0;
    for (; k + 2 * VL <= n; k += 2 * VL) {
      sum[0] = sum[0] + v_load (in + k);
      sum[1] = sum[1] + v_load (in + k + VL);
    }
    for (; k < n; k += VL)
      sum[0] = sum[0] + v_load_part (in + k, (int) nativert_min_i64 (VL, n - k));
    ((float *) c->out[0].data)[i] = v_sum (sum[0] + sum[1]) / (float) n;
  }
}

#define ROW(op, how)                                                                                                   \
  { NATIVERT_OP_##op##_default, NATIVERT_F32, NATIVERT_DEVICE_CPU, NATIVERT_NEEDS, NATIVERT_ROW_NAME ("pool-rows"),    \
    prepare, run_##how },
static const NativertKernel rows[] = { ROW (max_pool1d, max) ROW (max_pool2d, max) ROW (avg_pool1d, average)
      ROW (avg_pool2d, average) ROW (adaptive_avg_pool1d, average) ROW (adaptive_avg_pool2d, average)
          ROW (_adaptive_avg_pool2d, average) ROW (adaptive_avg_pool3d, average) };
extern const NativertKernelSet NATIVERT_SET (pool_rows);
const NativertKernelSet NATIVERT_SET (pool_rows) = { rows, sizeof rows / sizeof rows[0], NATIVERT_STR (NATIVERT_ISA) };
