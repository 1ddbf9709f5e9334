/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Convolutions with one input channel a group, f32, one and two spatial dimensions.  A band of a channel is copied with
 * its zero borders; columns are dealt out by stride, so that every tap reads neighbouring numbers; then a few result
 * rows at a time are summed in registers.  Compiled once per instruction set. */
#include "kernels/args.h"
#include "kernels/conv.h"
#include "kernels/cpu/act-simd.h"
#include "kernels/isa.h"
#include "kernels/ops.h"

enum {
  T_BAND,
  T_ROWS,
  T_DEAL,
  T_PARTS
}; /* NativertConv.tile: result rows a band, its input rows, columns of one deal */
enum { BAND_FLOATS = 6 * 1024, ROWS = 4 };

static int64_t row_floats (const NativertConv *g) { return g->stride[2] * g->tile[T_DEAL]; }
static int64_t reach (const NativertConv *g, int d) { return (g->k[d] - 1) * g->dil[d] + 1; }

static bool
choose_bands (NativertPrep *p, NativertConv *g)
{
  int64_t width = (g->out[2] - 1) * g->stride[2] + reach (g, 2),
          deal = nativert_ceil_div (width, g->stride[2]) + 2 * VL;
  if (width > (1 << 24) || g->stride[2] > 64 || g->stride[1] > (1 << 24) || reach (g, 1) > 4096)
    return nativert_no (
        p, "row of %lld or %lld rows of a window are too large to copy", (long long) width, (long long) reach (g, 1));
  g->tile[T_DEAL] = (int32_t) deal;
  int64_t fit = nativert_max_i64 (0, BAND_FLOATS / row_floats (g) - reach (g, 1)) / g->stride[1] + 1;
  int64_t band = nativert_min_i64 (g->out[1], nativert_max_i64 (ROWS, fit / ROWS * ROWS));
  g->tile[T_BAND] = (int32_t) band;
  g->tile[T_ROWS] = (int32_t) ((band - 1) * g->stride[1] + reach (g, 1));
  return true;
}

static bool
prepare (NativertPrep *p)
{
  NativertConv *g = p->params;
  if (!nativert_conv_describe (p, g) || !nativert_conv_out_ok (p))
    return false;
  if (g->groups != g->cin || g->cin < 2 || g->k[0] != 1 || g->in[0] != 1 || g->pad[0] != 0 || g->out[0] != 1)
    return nativert_no (
        p, "%lld input channels in %lld groups, or three dimensions", (long long) g->cin, (long long) g->groups);
  if (!nativert_view_is_contiguous (&p->in[1]) || g->in_s[2] != 1
      || (g->residual >= 0 && !nativert_view_is_contiguous (&p->in[g->residual])))
    return nativert_no (p, "weight, residual or rows of the input are not contiguous");
  if (g->n == 0 || g->out[1] == 0 || g->out[2] == 0 || g->cout == 0)
    return nativert_no (p, "nothing to compute");
  if (!choose_bands (p, g))
    return false;
  double macs = (double) g->n * (double) g->cout * (double) (g->out[1] * g->out[2]) * (double) (g->k[1] * g->k[2]);
  int64_t planes = g->n * g->cin, parts = macs > 64e6 ? 64 : 1 + (int64_t) (macs / 1e6);
  p->n_parts = (uint32_t) (g->tile[T_PARTS] = (int32_t) nativert_min_i64 (planes, parts));
  p->params_size = sizeof *g;
  p->scratch_part = ((size_t) g->tile[T_ROWS] * (size_t) row_floats (g) + 2 * VL) * sizeof (float);
  p->cost = (uint64_t) (macs / 4);
  return true;
}

/* Column ix of the input is column ix + pad of the padded row, dealt to heap (ix + pad) % stride. */
static void
deal_row (const NativertConv *g, float *to, const float *row)
{
  int64_t deal = g->tile[T_DEAL], s = g->stride[2], pad = g->pad[2];
  int64_t n = nativert_min_i64 (g->in[2], (g->out[2] - 1) * s + reach (g, 2) - pad), i = 0;
  if (s == 1) {
    for (to += pad; i + VL <= n; i += VL)
      v_store (to + i, v_load (row + i));
    if (i < n)
      v_store (to + i, v_load_part (row + i, (int) (n - i)));   /* the rest is border: zeros */
  } else if (s == 2) {
    float *even = to + pad % 2 * deal + pad / 2, *odd = to + (pad + 1) % 2 * deal + (pad + 1) / 2;
    for (; i < n; i += 2 * VL) {
      int rest = (int) nativert_min_i64 (n - i, 2 * VL), low = rest < VL ? rest : VL;
      V a = rest == 2 * VL ? v_load (row + i) : v_load_part (row + i, low);
      V b = rest == 2 * VL ? v_load (row + i + VL) : v_load_part (row + i + low, rest - low);
      v_store (even + i / 2, v_even (a, b));
      v_store (odd + i / 2, v_odd (a, b));
    }
  } else
    for (; i < n; i++)
      to[(i + pad) % s * deal + (i + pad) / s] = row[i];
}

/* Input rows for result rows first.. of the band; rows outside the input are zero.  clean: they are already. */
static void
fill_band (const NativertConv *g, float *band, const float *x, int64_t first, bool clean)
{
  int64_t floats = row_floats (g), iy = first * g->stride[1] - g->pad[1];
  for (int64_t r = 0; r < g->tile[T_ROWS]; r++, iy++, band += floats) {
    if (iy >= 0 && iy < g->in[1])
      deal_row (g, band, x + iy * g->in_s[1]);
    else if (!clean)
      memset (band, 0, (size_t) floats * sizeof (float));
  }
}

typedef struct {
  const float *band, *w, *residual;
  float *to, bias, low, high;
  int64_t row, deal, stride_x, step_y, dil_x, kh, kw, width; /* row: floats of a band row; step_y: between taps */
  int64_t stride_row;                           /* floats between the band rows of neighbouring result rows */
} Rows;

/* n result rows.  kh, kw, stride and dilation constants where the caller knows them. */
NATIVERT_INLINE void
sum_rows (const int n, const Rows *q, const int64_t kh, const int64_t kw, const int64_t sx, const int64_t dx)
{
  int64_t width = q->width;
  V low = v_set (q->low), high = v_set (q->high);
  for (int64_t x = 0; x < width; x += VL) {
    int part = VL;
    if (x + VL > width) {                       /* the last vector overlaps the one before it */
      if (width >= VL)
        x = width - VL;
      else
        part = (int) width;
    }
    V acc[ROWS];
    NATIVERT_UNROLL for (int r = 0; r < n; r++)
      acc[r] = v_set (q->bias);
    for (int64_t ky = 0; ky < kh; ky++) {
      NATIVERT_UNROLL for (int64_t kx = 0; kx < kw; kx++) {
        V w = v_set (q->w[ky * kw + kx]);
        const float *src = q->band + ky * q->step_y + kx * dx % sx * q->deal + kx * dx / sx + x;
        NATIVERT_UNROLL for (int r = 0; r < n; r++)
          acc[r] = v_fma (w, v_load (src + r * q->stride_row), acc[r]);
      }
    }
    NATIVERT_UNROLL for (int r = 0; r < n; r++) {
      float *to = q->to + r * width + x;
      if (q->residual)
        acc[r] = acc[r] + v_load_part (q->residual + r * width + x, part);
      acc[r] = v_min (high, v_max (low, acc[r]));
      if (part == VL)
        v_store (to, acc[r]);
      else
        v_store_part (to, acc[r], part);
    }
  }
}

#define ROWS_OF(name, kh, kw, sx, dx)                                                                                  \
  static __attribute__ ((noinline)) void name (const Rows *q, int n)                                                   \
  {                                                                                                                    \
    switch (n) {                                                                                                       \
    case 1:                                                                                                            \
      sum_rows (1, q, kh, kw, sx, dx);                                                                                 \
      break;                                                                                                           \
    case 2:                                                                                                            \
      sum_rows (2, q, kh, kw, sx, dx);                                                                                 \
      break;                                                                                                           \
    case 3:                                                                                                            \
      sum_rows (3, q, kh, kw, sx, dx);                                                                                 \
      break;                                                                                                           \
    default:                                                                                                           \
      sum_rows (4, q, kh, kw, sx, dx);                                                                                 \
      break;                                                                                                           \
    }                                                                                                                  \
  }
ROWS_OF (rows_3x3_1, 3, 3, 1, 1)
ROWS_OF (rows_3x3_2, 3, 3, 2, 1)
ROWS_OF (rows_5x5_1, 5, 5, 1, 1)
ROWS_OF (rows_5x5_2, 5, 5, 2, 1)
ROWS_OF (rows_7x7_1, 7, 7, 1, 1)
ROWS_OF (rows_any, q->kh, q->kw, q->stride_x, q->dil_x)

typedef void (*RowsFn) (const Rows *q, int n);

static RowsFn
rows_for (const NativertConv *g)
{
  if (g->dil[2] == 1 && g->k[1] == g->k[2] && g->stride[2] <= 2) {
    if (g->k[1] == 3)
      return g->stride[2] == 1 ? rows_3x3_1 : rows_3x3_2;
    if (g->k[1] == 5)
      return g->stride[2] == 1 ? rows_5x5_1 : rows_5x5_2;
    if (g->k[1] == 7 && g->stride[2] == 1)
      return rows_7x7_1;
  }
  return rows_any;
}

/* Result rows first..last of output channel oc, from the band. */
static void
channel (const NativertCall *c, const NativertConv *g, RowsFn rows_fn, const float *band, int64_t image, int64_t oc,
    int64_t first, int64_t last)
{
  int64_t plane = (image * g->cout + oc) * g->out[1] * g->out[2], floats = row_floats (g), width = g->out[2];
  Rows q = { .w = (const float *) c->in[1].data + oc * g->k[1] * g->k[2],
    .low = -INFINITY,
    .high = INFINITY,
    .row = floats,
    .deal = g->tile[T_DEAL],
    .stride_x = g->stride[2],
    .step_y = floats * g->dil[1],
    .dil_x = g->dil[2],
    .kh = g->k[1],
    .kw = g->k[2],
    .width = width,
    .stride_row = floats * g->stride[1] };
  q.bias = g->bias < 0 ? 0 : ((const float *) c->in[g->bias].data)[oc * c->in[g->bias].stride[0]];
  if (g->act == NATIVERT_ACT_RELU || g->act == NATIVERT_ACT_CLAMP) {
    q.low = g->act == NATIVERT_ACT_RELU ? 0 : g->act_a;
    q.high = g->act == NATIVERT_ACT_RELU ? INFINITY : g->act_b;
  }
  float *to = (float *) c->out[0].data + plane;
  for (int64_t y = first; y < last; y += ROWS) {
    q.band = band + (y - first) * q.stride_row;
    q.to = to + y * width;
    q.residual = g->residual < 0 ? NULL : (const float *) c->in[g->residual].data + plane + y * width;
    rows_fn (&q, (int) nativert_min_i64 (ROWS, last - y));
  }
  if (g->act > NATIVERT_ACT_CLAMP)
    act_run (g->act, g->act_a, g->act_b, to + first * width, (last - first) * width);
}

static void
run (const NativertCall *c, uint32_t part)
{
  const NativertConv *g = c->params;
  int64_t planes = g->n * g->cin, n_parts = g->tile[T_PARTS], times = g->cout / g->cin, height = g->tile[T_BAND];
  float *band = (float *) nativert_call_scratch (c, part);
  RowsFn rows_fn = rows_for (g);
  memset (band, 0, ((size_t) g->tile[T_ROWS] * (size_t) row_floats (g) + 2 * VL) * sizeof (float));
  for (int64_t i = planes * part / n_parts; i < planes * (part + 1) / n_parts; i++) {
    int64_t image = i / g->cin, channel_in = i % g->cin;
    const float *x = (const float *) c->in[0].data + image * g->in_n + channel_in * g->in_c;
    for (int64_t first = 0; first < g->out[1]; first += height) {
      fill_band (g, band, x, first, height >= g->out[1]);
      for (int64_t t = 0; t < times; t++)
        channel (
            c, g, rows_fn, band, image, channel_in * times + t, first, nativert_min_i64 (g->out[1], first + height));
    }
  }
}

static const NativertKernel rows[] = {
  { NATIVERT_OP_nativert_conv, NATIVERT_F32, NATIVERT_DEVICE_CPU, NATIVERT_NEEDS, NATIVERT_ROW_NAME ("conv-depthwise"),
      prepare, run },
};
extern const NativertKernelSet NATIVERT_SET (depthwise);
const NativertKernelSet NATIVERT_SET (depthwise) = { rows, sizeof rows / sizeof rows[0], NATIVERT_STR (NATIVERT_ISA) };
