/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Convolutions as products, f32: weights packed once in panels of rows, input gathered (borders included) in panels of
 * NR result pixels, a block of both in the cache at a time.  Compiled once per instruction set.
 *
 * rows of the product = output channels, columns = result pixels of one image, k = input channels x taps. */
#include "kernels/args.h"
#include "kernels/conv.h"
#include "kernels/cpu/gemm-tile.h"
#include "kernels/isa.h"
#include "kernels/ops.h"

enum { T_PIXELS, T_K, T_PANELS, T_PIXEL_BLOCKS, T_ROW_BLOCKS, T_DIRECT, T_CONST };      /* NativertConv.tile */
/* Floats: gathered block, weight block (both in a 512 KiB second-level cache), k of one panel pair (first-level). */
enum { GATHER_FLOATS = 48 * 1024, WEIGHT_FLOATS = 40 * 1024, K_MOST = 320, PIXELS_MOST = 1024 };

typedef struct {
  const NativertConv *g;
  const float *x;                               /* image and group start */
  const float *w;                               /* packed rows of the group */
  const float *bias, *residual;
  float *to;
  float *gathered, *line;
  int64_t k, pixels, rows;
} Job;

static int64_t k_of (const NativertConv *g) { return g->cin / g->groups * g->k[0] * g->k[1] * g->k[2]; }
static int64_t pixels_of (const NativertConv *g) { return g->out[0] * g->out[1] * g->out[2]; }

/* [k block][panel][k][row of the panel] */
static void
pack_rows (float *to, const float *w, int64_t rows, int64_t k, int64_t k_block)
{
  int64_t n_panels = panel_count (rows);
  for (int64_t k0 = 0; k0 < k; k0 += k_block)
    for (int64_t p = 0; p < n_panels; p++) {
      int64_t row = panel_row (rows, n_panels, p), h = panel_row (rows, n_panels, p + 1) - row;
      for (int64_t i = k0; i < k && i < k0 + k_block; i++)
        for (int64_t r = 0; r < h; r++)
          *to++ = w[(row + r) * k + i];
    }
}

static void
pack (void *dst, const NativertView *src, const void *params)
{
  const NativertConv *g = params;
  int64_t k = k_of (g), rows = g->cout / g->groups;
  for (int64_t i = 0; i < g->groups; i++)
    pack_rows ((float *) dst + i * rows * k, (const float *) src->data + i * rows * k, rows, k, g->tile[T_K]);
}

/* A 1x1 convolution without steps reads its input as it lies: pixels of a channel are neighbours. */
static bool
is_pointwise (const NativertConv *g)
{
  for (int d = 0; d < 3; d++)
    if (g->k[d] != 1 || g->stride[d] != 1 || g->pad[d] != 0)
      return false;
  return g->in_s[2] == 1 && (g->in[1] == 1 || g->in_s[1] == g->in[2])
      && (g->in[0] == 1 || g->in_s[0] == g->in[1] * g->in[2]) && g->out[1] == g->in[1] && g->out[2] == g->in[2]
      && g->out[0] == g->in[0];
}

static void
choose_blocks (NativertConv *g)
{
  int64_t k = k_of (g), rows = g->cout / g->groups, pixels = pixels_of (g), panels = panel_count (rows);
  int64_t k_block = nativert_ceil_div (k, nativert_ceil_div (k, K_MOST));
  int64_t columns = nativert_ceil_div (pixels, NR);
  int64_t most = nativert_max_i64 (1, nativert_min_i64 (GATHER_FLOATS / k_block, PIXELS_MOST) / NR);
  int64_t blocks = nativert_ceil_div (columns, most);
  g->tile[T_PIXELS] = (int32_t) (nativert_ceil_div (columns, blocks) * NR);
  g->tile[T_PIXEL_BLOCKS] = (int32_t) nativert_ceil_div (pixels, g->tile[T_PIXELS]);
  g->tile[T_K] = (int32_t) k_block;
  g->tile[T_PANELS] = (int32_t) nativert_max_i64 (1, WEIGHT_FLOATS / (k_block * MR));
  /* Few pixels and much to do (the last layers of a network): parts share pixels and gather them each for itself. */
  int64_t parts = g->n * g->groups * g->tile[T_PIXEL_BLOCKS];
  double flops = 2.0 * (double) rows * (double) k * g->tile[T_PIXELS];
  int64_t split = 1;
  while (parts * split < 4 && flops / (double) split > 1.5e7 && rows / (split * 2) >= 96)
    split *= 2;
  g->tile[T_ROW_BLOCKS] = (int32_t) nativert_min_i64 (split, panels);
  g->tile[T_DIRECT] = is_pointwise (g) && panels <= 2;
}

static int64_t
tiles_of (const NativertConv *g)
{
  return g->n * g->groups * g->tile[T_PIXEL_BLOCKS] * g->tile[T_ROW_BLOCKS];
}

static uint32_t
parts_of (const NativertConv *g)
{
  return (uint32_t) nativert_min_i64 (nativert_max_i64 (1, tiles_of (g)), 64);
}

static bool
prepare (NativertPrep *p)
{
  NativertConv *g = p->params;
  if (!nativert_conv_describe (p, g) || !nativert_conv_out_ok (p))
    return false;
  if (!nativert_view_is_contiguous (&p->in[1]))
    return nativert_no (p, "weight is not contiguous");
  if (g->bias >= 0 && g->cout > 1 && p->in[g->bias].stride[0] != 1)
    return nativert_no (p, "bias is not contiguous");
  if (g->residual >= 0 && !nativert_view_is_contiguous (&p->in[g->residual]))
    return nativert_no (p, "residual is not contiguous");
  int64_t k = k_of (g), rows = g->cout / g->groups;
  if (tiles_of (g) < 0 || g->n == 0 || g->cout == 0 || k == 0 || pixels_of (g) == 0)
    return nativert_no (p, "nothing to compute");
  if (k > INT32_MAX || rows > INT32_MAX || pixels_of (g) > INT32_MAX - NR)
    return nativert_no (p, "product of %lld x %lld is too large", (long long) rows, (long long) k);
  choose_blocks (g);
  g->tile[T_CONST] = p->in_const && p->in_const[1];
  p->params_size = sizeof *g;
  p->n_parts = parts_of (g);
  p->scratch_part = ((size_t) g->tile[T_PIXELS] * (size_t) (g->tile[T_K] + 1) + 4 * NR) * sizeof (float);
  if (g->tile[T_CONST]) {
    p->n_packs = 1;
    p->pack[0] = (NativertPack){
      .in = 1, .key = 1000u + (uint32_t) g->tile[T_K], .n_bytes = (size_t) (g->cout * k) * sizeof (float), .fn = pack
    };
  } else
    p->scratch_part += (size_t) (rows * k) * sizeof (float);
  p->cost = (uint64_t) ((double) g->n * (double) g->cout * (double) pixels_of (g) * (double) k / 8);
  return true;
}

/* n neighbouring result pixels of one row, for one tap, from the input row; ix: input column of the first. */
NATIVERT_INLINE void
gather_row (float *to, const float *row, int64_t ix, int64_t n, int64_t stride, int64_t step, int64_t width)
{
  int64_t from = ix >= 0 ? 0 : nativert_min_i64 (n, (-ix + stride - 1) / stride);
  int64_t end = ix >= width ? 0 : nativert_min_i64 (n, (width - 1 - ix) / stride + 1);
  if (end < from)
    end = from;
  for (int64_t i = 0; i < from; i++)
    to[i] = 0;
  const float *src = row + (ix + from * stride) * step;
  int64_t i = from;
  if (stride * step == 1) {
    for (; i + VL <= end; i += VL, src += VL)
      v_store (to + i, v_load (src));
    if (i < end)
      v_store (to + i, v_load_part (src, (int) (end - i)));     /* at most VL - 1 beyond, overwritten by what follows */
  } else if (stride * step == 2) {
    for (; i + VL < end; i += VL, src += 2 * VL)        /* one more column than the vector's is there */
      v_store (to + i, v_even (v_load (src), v_load (src + VL)));
    for (; i < end; i++, src += 2)
      to[i] = *src;
  } else
    for (; i < end; i++, src += stride * step)
      to[i] = *src;
  for (i = end; i < n; i++)
    to[i] = 0;
}

/* line[0..n) = the input under tap (kz, ky, kx) of channel plane x, for result pixels first..first + n. */
static void
gather_line (const NativertConv *g, float *line, const float *x, const int64_t *tap, int64_t first, int64_t n)
{
  int64_t ox = first % g->out[2], oy = first / g->out[2] % g->out[1], oz = first / g->out[2] / g->out[1];
  int64_t shift = tap[2] * g->dil[2] - g->pad[2];
  while (n > 0) {
    int64_t m = nativert_min_i64 (n, g->out[2] - ox);
    int64_t iz = oz * g->stride[0] + tap[0] * g->dil[0] - g->pad[0],
            iy = oy * g->stride[1] + tap[1] * g->dil[1] - g->pad[1];
    if (iz < 0 || iz >= g->in[0] || iy < 0 || iy >= g->in[1])
      memset (line, 0, (size_t) m * sizeof *line);
    else
      gather_row (line, x + iz * g->in_s[0] + iy * g->in_s[1], ox * g->stride[2] + shift, m, g->stride[2], g->in_s[2],
          g->in[2]);
    line += m;
    n -= m;
    ox = 0;
    if (++oy == g->out[1]) {
      oy = 0;
      oz++;
    }
  }
}

/* Spreads a line of n pixels (zeros up to a whole panel) over the panels at row i of k rows. */
NATIVERT_INLINE void
spread (float *to, const float *line, int64_t n, int64_t k)
{
  for (; n > 0; n -= NR, line += NR, to += k * NR) {
    v_store (to, v_load (line));
    v_store (to + VL, v_load (line + VL));
  }
}

/* Panels [pixel panel][k][NR] of k0..k0 + k. */
static void
gather (const Job *job, int64_t first, int64_t n, int64_t k0, int64_t k)
{
  const NativertConv *g = job->g;
  int64_t taps = g->k[0] * g->k[1] * g->k[2], whole = nativert_ceil_div (n, NR) * NR;
  for (int64_t i = 0; i < k; i++) {
    int64_t c = (k0 + i) / taps, t = (k0 + i) % taps;
    int64_t tap[3] = { t / (g->k[1] * g->k[2]), t / g->k[2] % g->k[1], t % g->k[2] };
    gather_line (g, job->line, job->x + c * g->in_c, tap, first, n);
    memset (job->line + n, 0, (size_t) (whole - n) * sizeof (float));
    spread (job->gathered + i * NR, job->line, n, k);
  }
}

/* The same for a pointwise convolution: rows of the input are lines already. */
static void
gather_pointwise (const Job *job, int64_t first, int64_t n, int64_t k0, int64_t k)
{
  int64_t in_c = job->g->in_c, whole = n / NR * NR;
  for (int64_t i = 0; i < k; i++) {
    const float *x = job->x + (k0 + i) * in_c + first;
    spread (job->gathered + i * NR, x, whole, k);
    if (whole < n) {
      float *to = job->gathered + whole * k + i * NR;
      int64_t rest = n - whole, low = nativert_min_i64 (rest, VL);
      v_store (to, v_load_part (x + whole, (int) low));
      v_store (to + VL, v_load_part (x + whole + low, (int) (rest - low)));
    }
  }
}

/* Rows of panels p0..p1, pixels first..first + n, k0..k0 + k from the gathered panels (or the input itself). */
static void
multiply (const Job *job, int64_t p0, int64_t p1, int64_t first, int64_t n, int64_t k0, int64_t k, bool direct)
{
  const NativertConv *g = job->g;
  TileOut o = { .ldc = job->pixels, .alpha = 1, .add_to_c = k0 > 0, .last = k0 + k == job->k, .row_bias = job->bias,
    .res_row = job->pixels, .act = g->act, .act_a = g->act_a, .act_b = g->act_b };
  const float *w = job->w + k0 * job->rows + panel_row (job->rows, panel_count (job->rows), p0) * k;
  for (int64_t j = 0; j < n; j += NR) {
    o.n = (int) nativert_min_i64 (NR, n - j);
    o.c = job->to + first + j;
    o.residual = job->residual ? job->residual + first + j : NULL;
    bool in_place = direct && o.n == NR;
    const float *b = in_place ? job->x + k0 * g->in_c + first + j : job->gathered + (direct ? 0 : j * k);
    tile_column (w, job->rows, p0, p1, b, in_place ? g->in_c : NR, k, &o);
  }
}

static void
compute_tile (const Job *job, int64_t pixel_block, int64_t row_block)
{
  const NativertConv *g = job->g;
  int64_t first = pixel_block * g->tile[T_PIXELS], n = nativert_min_i64 (g->tile[T_PIXELS], job->pixels - first);
  int64_t n_panels = panel_count (job->rows), blocks = g->tile[T_ROW_BLOCKS];
  int64_t begin = n_panels * row_block / blocks, end = n_panels * (row_block + 1) / blocks;
  bool pointwise = is_pointwise (g), direct = g->tile[T_DIRECT];
  for (int64_t k0 = 0; k0 < job->k; k0 += g->tile[T_K]) {
    int64_t k = nativert_min_i64 (g->tile[T_K], job->k - k0);
    if (direct)
      gather_pointwise (job, first + n / NR * NR, n % NR, k0, k);
    else if (pointwise)
      gather_pointwise (job, first, n, k0, k);
    else
      gather (job, first, n, k0, k);
    for (int64_t p = begin; p < end; p += g->tile[T_PANELS])
      multiply (job, p, nativert_min_i64 (end, p + g->tile[T_PANELS]), first, n, k0, k, direct);
  }
}

static void
run (const NativertCall *c, uint32_t part)
{
  const NativertConv *g = c->params;
  int64_t n_tiles = tiles_of (g), n_parts = parts_of (g),
          per_group = (int64_t) g->tile[T_PIXEL_BLOCKS] * g->tile[T_ROW_BLOCKS];
  int64_t rows = g->cout / g->groups, group_in = g->cin / g->groups, packed = -1;
  char *scratch = nativert_call_scratch (c, part);
  Job job = { .g = g, .k = k_of (g), .pixels = pixels_of (g), .rows = rows, .gathered = (float *) scratch };
  job.line = job.gathered + (int64_t) g->tile[T_PIXELS] * g->tile[T_K];
  float *weights = job.line + g->tile[T_PIXELS] + 4 * NR;
  for (int64_t i = n_tiles * part / n_parts; i < n_tiles * (part + 1) / n_parts; i++) {
    int64_t image = i / per_group / g->groups, group = i / per_group % g->groups, tile = i % per_group;
    int64_t channel = image * g->cout + group * rows;
    job.x = (const float *) c->in[0].data + image * g->in_n + group * group_in * g->in_c;
    job.bias = g->bias < 0 ? NULL : (const float *) c->in[g->bias].data + group * rows;
    job.residual = g->residual < 0 ? NULL : (const float *) c->in[g->residual].data + channel * job.pixels;
    job.to = (float *) c->out[0].data + channel * job.pixels;
    if (g->tile[T_CONST])
      job.w = (const float *) c->pack[0] + group * rows * job.k;
    else {
      if (packed != group)
        pack_rows (weights, (const float *) c->in[1].data + group * rows * job.k, rows, job.k, g->tile[T_K]);
      packed = group;
      job.w = weights;
    }
    compute_tile (&job, tile / g->tile[T_ROW_BLOCKS], tile % g->tile[T_ROW_BLOCKS]);
  }
}

static const NativertKernel rows[] = {
  { NATIVERT_OP_nativert_conv, NATIVERT_F32, NATIVERT_DEVICE_CPU, NATIVERT_NEEDS, NATIVERT_ROW_NAME ("conv-gemm"),
      prepare, run },
};
extern const NativertKernelSet NATIVERT_SET (conv_gemm);
const NativertKernelSet NATIVERT_SET (conv_gemm) = { rows, sizeof rows / sizeof rows[0], NATIVERT_STR (NATIVERT_ISA) };
