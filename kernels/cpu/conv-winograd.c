/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* 3x3 convolutions with stride 1 by Winograd's F(2x2, 3x3), f32: 16 products instead of 36 multiplications per 2x2 results.
 * A part transforms a block of 4x4 input tiles, multiplies the 16 planes by the transformed weights (packed once), transforms
 * back.  Its error is no larger than the direct form's.  Compiled once per instruction set. */
#include "kernels/args.h"
#include "kernels/conv.h"
#include "kernels/cpu/gemm-tile.h"
#include "kernels/isa.h"
#include "kernels/ops.h"

enum { T_TILES, T_BLOCKS, T_ROW_BLOCKS, T_DEAL, T_PARTS };      /* NativertConv.tile */
enum { PLANES = 16, TILES_LEAST = 3, BLOCK_FLOATS = 100 * 1024 };

static int64_t tiles_x (const NativertConv *g) { return (g->out[2] + 1) / 2; }
static int64_t tiles_y (const NativertConv *g) { return (g->out[1] + 1) / 2; }
static int64_t whole (int64_t n) { return nativert_ceil_div (n, NR) * NR; }
/* Rows of a block of output channels, at most. */
static int64_t block_rows (const NativertConv *g) { return nativert_ceil_div (panel_count (g->cout), g->tile[T_ROW_BLOCKS]) * MR; }
static int64_t line_floats (const NativertConv *g) { return whole (g->tile[T_TILES]) + 2 * NR; }

/* Two heaps (even and odd columns) of four padded rows. */
static int64_t dealt_floats (const NativertConv *g) { return 4 * 2 * (int64_t) g->tile[T_DEAL]; }

static int64_t
scratch_floats (const NativertConv *g)
{
  int64_t tiles = whole (g->tile[T_TILES]);
  return PLANES * tiles * (g->cin + block_rows (g)) + PLANES * line_floats (g) + dealt_floats (g) + 4 * NR;
}

/* u[plane][panel][channel in][row] = G w G', G = (1 0 0, 1/2 1/2 1/2, 1/2 -1/2 1/2, 0 0 1) */
static void
pack (void *dst, const NativertView *src, const void *params)
{
  const NativertConv *g = params;
  int64_t n_panels = panel_count (g->cout);
  for (int64_t p = 0; p < n_panels; p++) {
    int64_t row = panel_row (g->cout, n_panels, p), h = panel_row (g->cout, n_panels, p + 1) - row;
    for (int64_t c = 0; c < g->cin; c++)
      for (int64_t r = 0; r < h; r++) {
        const float *w = (const float *) src->data + ((row + r) * g->cin + c) * 9;
        double half[4][3];
        for (int x = 0; x < 3; x++) {
          half[0][x] = w[x];
          half[1][x] = 0.5 * ((double) w[x] + w[3 + x] + w[6 + x]);
          half[2][x] = 0.5 * ((double) w[x] - w[3 + x] + w[6 + x]);
          half[3][x] = w[6 + x];
        }
        for (int y = 0; y < 4; y++) {
          const double *m = half[y];
          double u[4] = { m[0], 0.5 * (m[0] + m[1] + m[2]), 0.5 * (m[0] - m[1] + m[2]), m[2] };
          for (int x = 0; x < 4; x++)
            ((float *) dst)[(y * 4 + x) * g->cout * g->cin + row * g->cin + c * h + r] = (float) u[x];
        }
      }
  }
}

static bool
prepare (NativertPrep *p)
{
  NativertConv *g = p->params;
  if (!nativert_conv_describe (p, g) || !nativert_conv_out_ok (p))
    return false;
  if (g->k[0] != 1 || g->in[0] != 1 || g->out[0] != 1 || g->pad[0] || g->k[1] != 3 || g->k[2] != 3 || g->groups != 1
      || g->stride[1] != 1 || g->stride[2] != 1 || g->dil[1] != 1 || g->dil[2] != 1)
    return nativert_no (p, "kernel %lldx%lld, stride %lld, %lld groups: only 3x3 without steps", (long long) g->k[1], (long long) g->k[2],
      (long long) g->stride[2], (long long) g->groups);
  if (!p->in_const || !p->in_const[1] || !nativert_view_is_contiguous (&p->in[1]) || g->in_s[2] != 1)
    return nativert_no (p, "weight is no constant, or rows of the input are not contiguous");
  if ((g->bias >= 0 && p->in[g->bias].stride[0] != 1 && g->cout > 1)
      || (g->residual >= 0 && !nativert_view_is_contiguous (&p->in[g->residual])))
    return nativert_no (p, "bias or residual is not contiguous");
  int64_t tiles = tiles_x (g) * tiles_y (g);
  if (g->n < 1 || g->cin < 16 || g->cout < 16 || tiles < 8 || tiles_x (g) < TILES_LEAST || tiles > INT32_MAX || g->in[2] > (1 << 24))
    return nativert_no (p, "%lld tiles of %lld to %lld channels do not pay", (long long) tiles, (long long) g->cin, (long long) g->cout);
  if (g->cin * g->cout > (1 << 24))
    return nativert_no (p, "%lld x %lld channels make transformed weights too large", (long long) g->cin, (long long) g->cout);
  int64_t fit = nativert_max_i64 (TILES_LEAST, BLOCK_FLOATS / (PLANES * (g->cin + g->cout)) / NR) * NR;
  int64_t columns = nativert_ceil_div (tiles, NR), blocks = nativert_ceil_div (columns * NR, fit);
  g->tile[T_TILES] = (int32_t) (nativert_ceil_div (columns, blocks) * NR);
  g->tile[T_BLOCKS] = (int32_t) nativert_ceil_div (tiles, g->tile[T_TILES]);
  g->tile[T_DEAL] = (int32_t) (tiles_x (g) + 1 + 2 * VL);
  int64_t split = 1, parts = g->n * g->tile[T_BLOCKS];
  while (parts * split < 4 && g->cout / (split * 2) >= 96)
    split *= 2;
  g->tile[T_ROW_BLOCKS] = (int32_t) split;
  g->tile[T_PARTS] = (int32_t) nativert_min_i64 (64, parts * split);
  p->params_size = sizeof *g;
  p->n_parts = (uint32_t) g->tile[T_PARTS];
  p->scratch_part = (size_t) scratch_floats (g) * sizeof (float);
  p->n_packs = 1;
  p->pack[0] = (NativertPack) { .in = 1, .key = 3000 + MR, .n_bytes = (size_t) (PLANES * g->cin * g->cout) * sizeof (float), .fn = pack };
  p->cost = (uint64_t) ((double) (g->n * tiles) * (double) (g->cin * g->cout) * 2);
  return true;
}

typedef struct {
  const NativertConv *g;
  const float *x, *bias, *residual;             /* of one image */
  float *to;
  float *in, *out, *lines, *dealt[4];           /* scratch: [plane][panel][channel][NR], [plane][row][tile], ...; padded rows */
  int64_t first, n, tiles;                      /* tiles of the block; tiles: in whole panels */
} Job;

/* Padded row y of a channel, even and odd columns apart.  Borders are zero already: a row never writes but zeros there. */
static void
deal_row (const NativertConv *g, float *heap, const float *x, int64_t y)
{
  int64_t deal = g->tile[T_DEAL], pad = g->pad[2], n = nativert_min_i64 (g->in[2], 2 * tiles_x (g) + 2 - pad), iy = y - g->pad[1];
  if (iy < 0 || iy >= g->in[1]) {
    memset (heap, 0, (size_t) (2 * deal) * sizeof (float));
    return;
  }
  const float *row = x + iy * g->in_s[1];
  float *even = heap + pad % 2 * deal + pad / 2, *odd = heap + (pad + 1) % 2 * deal + (pad + 1) / 2;
  for (int64_t i = 0; i < n; i += 2 * VL) {
    int rest = (int) nativert_min_i64 (n - i, 2 * VL), low = rest < VL ? rest : VL;
    V a = rest == 2 * VL ? v_load (row + i) : v_load_part (row + i, low);
    V b = rest == 2 * VL ? v_load (row + i + VL) : v_load_part (row + i + low, rest - low);
    v_store (even + i / 2, v_even (a, b));
    v_store (odd + i / 2, v_odd (a, b));
  }
}

/* Rows 2 ty .. 2 ty + 3; two of them are there after row of tiles ty - 1 of the same channel. */
static void
deal_rows (Job *job, const float *x, int64_t ty, bool next)
{
  int r = 0;
  if (next) {
    float *first = job->dealt[0], *second = job->dealt[1];
    job->dealt[0] = job->dealt[2];
    job->dealt[1] = job->dealt[3];
    job->dealt[2] = first;
    job->dealt[3] = second;
    r = 2;
  }
  for (; r < 4; r++)
    deal_row (job->g, job->dealt[r], x, 2 * ty + r);
}

NATIVERT_INLINE void
transform_in (float *const *dealt, int64_t at, int64_t deal, float *to, int64_t step)
{
  V t[4][4];
  NATIVERT_UNROLL for (int r = 0; r < 4; r++) {
    const float *even = dealt[r] + at, *odd = even + deal;
    V d0 = v_load (even), d1 = v_load (odd), d2 = v_load (even + 1), d3 = v_load (odd + 1);
    t[r][0] = d0 - d2;
    t[r][1] = d1 + d2;
    t[r][2] = d2 - d1;
    t[r][3] = d1 - d3;
  }
  NATIVERT_UNROLL for (int c = 0; c < 4; c++) {
    v_store (to + (0 + c) * step, t[0][c] - t[2][c]);
    v_store (to + (4 + c) * step, t[1][c] + t[2][c]);
    v_store (to + (8 + c) * step, t[2][c] - t[1][c]);
    v_store (to + (12 + c) * step, t[1][c] - t[3][c]);
  }
}

/* All tiles of the block, one channel: to lines by plane, then to the panels. */
static void
take_in (Job *job, int64_t channel)
{
  const NativertConv *g = job->g;
  int64_t across = tiles_x (g), step = line_floats (g), at = 0;
  for (int64_t t = job->first; at < job->n;) {
    int64_t ty = t / across, tx = t % across, n = nativert_min_i64 (across - tx, job->n - at);
    deal_rows (job, job->x + channel * g->in_c, ty, at > 0);
    for (int64_t i = 0; i < n; i += VL)
      transform_in (job->dealt, tx + i, g->tile[T_DEAL], job->lines + at + i, step);
    at += n;
    t += n;
  }
  for (int64_t p = 0; p < PLANES; p++) {
    float *line = job->lines + p * step, *to = job->in + p * job->tiles * g->cin + channel * NR;
    memset (line + job->n, 0, (size_t) (job->tiles - job->n) * sizeof (float));
    for (int64_t j = 0; j < job->tiles; j += NR, to += g->cin * NR) {
      v_store (to, v_load (line + j));
      v_store (to + VL, v_load (line + j + VL));
    }
  }
}

/* Output channels of panels p0..p1. */
static void
multiply (const Job *job, const float *u, int64_t p0, int64_t p1)
{
  const NativertConv *g = job->g;
  int64_t row0 = panel_row (g->cout, panel_count (g->cout), p0), rows = block_rows (g);
  TileOut o = { .ldc = job->tiles, .alpha = 1 };
  for (int64_t plane = 0; plane < PLANES; plane++) {
    const float *w = u + plane * g->cout * g->cin + row0 * g->cin, *b = job->in + plane * job->tiles * g->cin;
    for (int64_t j = 0; j < job->n; j += NR, b += g->cin * NR) {
      o.n = job->n - j <= VL ? VL : NR;
      o.c = job->out + (plane * rows - row0) * job->tiles + j;
      tile_column (w, g->cout, p0, p1, b, NR, g->cin, &o);
    }
  }
}

typedef struct { V bias, low, high; } Finish;

/* n (at most 2 VL) results of one row. */
NATIVERT_INLINE void
put_row (const Finish *f, float *to, const float *residual, V a, V b, int n)
{
  V low = v_zip_low (a, b) + f->bias, high = v_zip_high (a, b) + f->bias;
  int n0 = n < VL ? n : VL, n1 = n - n0;
  if (residual) {
    low = low + v_load_part (residual, n0);
    high = high + v_load_part (residual + n0, n1);
  }
  low = v_min (f->high, v_max (f->low, low));
  high = v_min (f->high, v_max (f->low, high));
  if (n == 2 * VL) {
    v_store (to, low);
    v_store (to + VL, high);
  } else {
    v_store_part (to, low, n0);
    if (n1)
      v_store_part (to + n0, high, n1);
  }
}

/* Tiles of one row of tiles, VL at a time. */
static void
transform_out (const Job *job, const float *m, int64_t step, const Finish *f, int64_t plane, int64_t ty, int64_t tx, int64_t n)
{
  const NativertConv *g = job->g;
  int64_t width = g->out[2];
  bool second = 2 * ty + 1 < g->out[1];
  float *to = job->to + plane + 2 * ty * width + 2 * tx;
  const float *residual = job->residual ? job->residual + plane + 2 * ty * width + 2 * tx : NULL;
  for (int64_t i = 0; i < n; i += VL) {
    V s[4], d[4];
    NATIVERT_UNROLL for (int c = 0; c < 4; c++) {
      V m0 = v_load (m + c * step + i), m1 = v_load (m + (4 + c) * step + i);
      V m2 = v_load (m + (8 + c) * step + i), m3 = v_load (m + (12 + c) * step + i);
      s[c] = m0 + m1 + m2;
      d[c] = m1 - m2 - m3;
    }
    int many = (int) nativert_min_i64 (2 * nativert_min_i64 (VL, n - i), width - 2 * (tx + i));
    put_row (f, to + 2 * i, residual ? residual + 2 * i : NULL, s[0] + s[1] + s[2], s[1] - s[2] - s[3], many);
    if (second)
      put_row (f, to + 2 * i + width, residual ? residual + 2 * i + width : NULL, d[0] + d[1] + d[2], d[1] - d[2] - d[3], many);
  }
}

static void
give_out (const Job *job, int64_t row0, int64_t rows)
{
  const NativertConv *g = job->g;
  int64_t across = tiles_x (g), step = block_rows (g) * job->tiles;
  bool relu = g->act == NATIVERT_ACT_RELU, clamp = g->act == NATIVERT_ACT_CLAMP;
  Finish f = { .low = v_set (relu ? 0 : clamp ? g->act_a : -INFINITY), .high = v_set (clamp ? g->act_b : INFINITY) };
  for (int64_t r = 0; r < rows; r++) {
    int64_t plane = (row0 + r) * g->out[1] * g->out[2];
    f.bias = v_set (job->bias ? job->bias[row0 + r] : 0);
    for (int64_t at = 0; at < job->n;) {
      int64_t t = job->first + at, ty = t / across, tx = t % across, n = nativert_min_i64 (across - tx, job->n - at);
      transform_out (job, job->out + r * job->tiles + at, step, &f, plane, ty, tx, n);
      if (g->act > NATIVERT_ACT_CLAMP)
        for (int64_t y = 2 * ty; y < 2 * ty + 2 && y < g->out[1]; y++)
          act_run (g->act, g->act_a, g->act_b, job->to + plane + y * g->out[2] + 2 * tx, nativert_min_i64 (2 * n, g->out[2] - 2 * tx));
      at += n;
    }
  }
}

static void
run (const NativertCall *c, uint32_t part)
{
  const NativertConv *g = c->params;
  int64_t per_image = (int64_t) g->tile[T_BLOCKS] * g->tile[T_ROW_BLOCKS], n_jobs = g->n * per_image, n_parts = g->tile[T_PARTS];
  int64_t result = g->cout * g->out[1] * g->out[2], n_panels = panel_count (g->cout);
  Job job = { .g = g, .tiles = whole (g->tile[T_TILES]), .in = (float *) nativert_call_scratch (c, part) };
  job.out = job.in + PLANES * job.tiles * g->cin;
  job.lines = job.out + PLANES * job.tiles * block_rows (g);
  for (int r = 0; r < 4; r++)
    job.dealt[r] = job.lines + PLANES * line_floats (g) + r * 2 * g->tile[T_DEAL];
  memset (job.dealt[0], 0, (size_t) dealt_floats (g) * sizeof (float));
  job.bias = g->bias < 0 ? NULL : c->in[g->bias].data;
  int64_t all_tiles = tiles_x (g) * tiles_y (g);
  for (int64_t i = n_jobs * part / n_parts; i < n_jobs * (part + 1) / n_parts; i++) {
    int64_t image = i / per_image, block = i % per_image / g->tile[T_ROW_BLOCKS], rows = i % g->tile[T_ROW_BLOCKS];
    int64_t p0 = n_panels * rows / g->tile[T_ROW_BLOCKS], p1 = n_panels * (rows + 1) / g->tile[T_ROW_BLOCKS];
    job.x = (const float *) c->in[0].data + image * g->in_n;
    job.to = (float *) c->out[0].data + image * result;
    job.residual = g->residual < 0 ? NULL : (const float *) c->in[g->residual].data + image * result;
    job.first = block * g->tile[T_TILES];
    job.n = nativert_min_i64 (g->tile[T_TILES], all_tiles - job.first);
    for (int64_t channel = 0; channel < g->cin; channel++)
      take_in (&job, channel);
    multiply (&job, c->pack[0], p0, p1);
    give_out (&job, panel_row (g->cout, n_panels, p0), panel_row (g->cout, n_panels, p1) - panel_row (g->cout, n_panels, p0));
  }
}

static const NativertKernel rows[] = {
  { NATIVERT_OP_nativert_conv, NATIVERT_F32, NATIVERT_DEVICE_CPU, NATIVERT_NEEDS, NATIVERT_ROW_NAME ("conv-winograd"), prepare, run },
};
extern const NativertKernelSet NATIVERT_SET (winograd);
const NativertKernelSet NATIVERT_SET (winograd) = { rows, sizeof rows / sizeof rows[0], NATIVERT_STR (NATIVERT_ISA) };
