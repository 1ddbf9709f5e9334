/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Average and maximum pooling, fixed and adaptive windows, in plain C: contiguous planes, one at a time. */
#include <math.h>
#include "kernels/args.h"
#include "kernels/convert.h"
#include "kernels/ops.h"
#include "kernels/pool.h"

static uint32_t
parts_of (const NativertPool *g)
{
  return (uint32_t) nativert_min_i64 (nativert_max_i64 (1, g->planes), 64);
}

static bool
prepare (NativertPrep *p)
{
  NativertPool *g = p->params;
  if (!nativert_pool_describe (p, g))
    return false;
  for (int i = 0; i < p->n_out; i++)
    if (!nativert_view_is_contiguous (&p->out[i]))
      return nativert_no (p, "pooling writes contiguous results only");
  if (!nativert_view_is_contiguous (&p->in[0]))
    return nativert_no (p, "pooling reads contiguous inputs only");
  p->params_size = sizeof *g;
  p->n_parts = parts_of (g);
  p->cost = (uint64_t) (g->planes * (g->in[0] * g->in[1] * g->in[2] + g->out[0] * g->out[1] * g->out[2]) * 4);
  return true;
}

typedef struct { int64_t from[3], to[3], full; } Window;        /* clipped to the input; full: elements with borders */

static inline void
window_in (const NativertPool *g, int d, int64_t i, Window *w)
{
  if (g->adaptive) {
    w->from[d] = nativert_pool_first (i, g->in[d], g->out[d]);
    w->to[d] = nativert_pool_end (i, g->in[d], g->out[d]);
    w->full *= w->to[d] - w->from[d];
    return;
  }
  int64_t from = i * g->stride[d] - g->pad[d], to = from + (g->k[d] - 1) * g->dil[d] + 1;
  if (g->average)
    w->full *= nativert_min_i64 (to, g->in[d] + g->pad[d]) - from;
  if (from < 0)
    from += nativert_ceil_div (-from, g->dil[d]) * g->dil[d];
  w->from[d] = from;
  w->to[d] = nativert_min_i64 (to, g->in[d]);
}

#define EACH_ELEMENT                                                        \
  for (int64_t z = w.from[0]; z < w.to[0]; z += g->dil[0])                  \
    for (int64_t y = w.from[1]; y < w.to[1]; y += g->dil[1])                \
      for (int64_t x = w.from[2]; x < w.to[2]; x += g->dil[2])

#define EACH_RESULT                                                         \
  for (int64_t oz = 0; oz < g->out[0]; oz++)                                \
    for (int64_t oy = 0; oy < g->out[1]; oy++)                              \
      for (int64_t ox = 0; ox < g->out[2]; ox++)

#define START                                                                                                          \
  const NativertPool *g = call->params;                                                                                \
  int64_t in_plane = g->in[0] * g->in[1] * g->in[2], out_plane = g->out[0] * g->out[1] * g->out[2],                    \
          n_parts = parts_of (g);                                                                                      \
  for (int64_t p = g->planes * part / n_parts; p < g->planes * (part + 1) / n_parts; p++)

/* LOWEST: what an empty window gives. */
#define POOL(ID, S, ACC, LOWEST)                                                                                       \
  static void max_##ID (const NativertCall *call, uint32_t part)                                                       \
  {                                                                                                                    \
    START                                                                                                              \
    {                                                                                                                  \
      const S *in = (const S *) call->in[0].data + p * in_plane;                                                       \
      S *to = (S *) call->out[0].data + p * out_plane;                                                                 \
      EACH_RESULT                                                                                                      \
      {                                                                                                                \
        Window w = { .full = 1 };                                                                                      \
        window_in (g, 0, oz, &w);                                                                                      \
        window_in (g, 1, oy, &w);                                                                                      \
        window_in (g, 2, ox, &w);                                                                                      \
        ACC best = LOWEST;                                                                                             \
        S *at = to++;                                                                                                  \
        EACH_ELEMENT                                                                                                   \
        {                                                                                                              \
          ACC v = NATIVERT_LOAD (in[(z * g->in[1] + y) * g->in[2] + x]);                                               \
          if (v > best || v != v)                                                                                      \
            best = v;                                                                                                  \
        }                                                                                                              \
        *at = NATIVERT_STORE_##ID (best);                                                                              \
      }                                                                                                                \
    }                                                                                                                  \
  }                                                                                                                    \
  static void max_indices_##ID (const NativertCall *call, uint32_t part)                                               \
  {                                                                                                                    \
    START                                                                                                              \
    {                                                                                                                  \
      const S *in = (const S *) call->in[0].data + p * in_plane;                                                       \
      S *to = (S *) call->out[0].data + p * out_plane;                                                                 \
      int64_t *index = (int64_t *) call->out[1].data + p * out_plane;                                                  \
      EACH_RESULT                                                                                                      \
      {                                                                                                                \
        Window w = { .full = 1 };                                                                                      \
        window_in (g, 0, oz, &w);                                                                                      \
        window_in (g, 1, oy, &w);                                                                                      \
        window_in (g, 2, ox, &w);                                                                                      \
        ACC best = LOWEST;                                                                                             \
        int64_t best_at = (w.from[0] * g->in[1] + w.from[1]) * g->in[2] + w.from[2];                                   \
        EACH_ELEMENT                                                                                                   \
        {                                                                                                              \
          int64_t i = (z * g->in[1] + y) * g->in[2] + x;                                                               \
          ACC v = NATIVERT_LOAD (in[i]);                                                                               \
          if (v > best || v != v) {                                                                                    \
            best = v;                                                                                                  \
            best_at = i;                                                                                               \
          }                                                                                                            \
        }                                                                                                              \
        *to++ = NATIVERT_STORE_##ID (best);                                                                            \
        *index++ = best_at;                                                                                            \
      }                                                                                                                \
    }                                                                                                                  \
  }
#define POOL_FLOAT(id, storage, compute, ...) POOL (id, storage, compute, -INFINITY)
NATIVERT_FLOAT (POOL_FLOAT, )
POOL (I64, int64_t, int64_t, INT64_MIN)
POOL (U8, uint8_t, uint8_t, 0)

#define AVERAGE(ID, S, ACC, ...)                                                                                       \
  static void average_##ID (const NativertCall *call, uint32_t part)                                                   \
  {                                                                                                                    \
    START                                                                                                              \
    {                                                                                                                  \
      const S *in = (const S *) call->in[0].data + p * in_plane;                                                       \
      S *to = (S *) call->out[0].data + p * out_plane;                                                                 \
      EACH_RESULT                                                                                                      \
      {                                                                                                                \
        Window w = { .full = 1 };                                                                                      \
        window_in (g, 0, oz, &w);                                                                                      \
        window_in (g, 1, oy, &w);                                                                                      \
        window_in (g, 2, ox, &w);                                                                                      \
        double sum = 0;                                                                                                \
        EACH_ELEMENT                                                                                                   \
        sum += NATIVERT_LOAD (in[(z * g->in[1] + y) * g->in[2] + x]);                                                  \
        int64_t inside = (w.to[0] - w.from[0]) * (w.to[1] - w.from[1]) * (w.to[2] - w.from[2]);                        \
        int64_t by = g->divisor ? g->divisor : g->count_pad || g->adaptive ? w.full : inside;                          \
        *to++ = NATIVERT_STORE_##ID (sum / (double) by);                                                               \
      }                                                                                                                \
    }                                                                                                                  \
  }
NATIVERT_FLOAT (AVERAGE, )

#define AVERAGE_ROW(id, s, c, op)                                                                                      \
  { NATIVERT_OP_##op, NATIVERT_##id, NATIVERT_DEVICE_CPU, 0, "avg-pool-plain", prepare, average_##id },
#define MAX_ROW(id, s, c, op)                                                                                          \
  { NATIVERT_OP_##op, NATIVERT_##id, NATIVERT_DEVICE_CPU, 0, "max-pool-plain", prepare, max_##id },
#define INDEX_ROW(id, s, c, op)                                                                                        \
  { NATIVERT_OP_##op, NATIVERT_##id, NATIVERT_DEVICE_CPU, 0, "max-pool-index-plain", prepare, max_indices_##id },
#define MAX_OF(M, op) NATIVERT_FLOAT (M, op) M (I64, , , op) M (U8, , , op)
static const NativertKernel rows[] = {
  NATIVERT_FLOAT (AVERAGE_ROW, avg_pool1d_default)
  NATIVERT_FLOAT (AVERAGE_ROW, avg_pool2d_default)
  NATIVERT_FLOAT (AVERAGE_ROW, avg_pool3d_default)
  NATIVERT_FLOAT (AVERAGE_ROW, adaptive_avg_pool1d_default)
  NATIVERT_FLOAT (AVERAGE_ROW, adaptive_avg_pool2d_default)
  NATIVERT_FLOAT (AVERAGE_ROW, adaptive_avg_pool3d_default)
  NATIVERT_FLOAT (AVERAGE_ROW, _adaptive_avg_pool2d_default)
  NATIVERT_FLOAT (AVERAGE_ROW, _adaptive_avg_pool3d_default)
  MAX_OF (MAX_ROW, max_pool1d_default)
  MAX_OF (MAX_ROW, max_pool2d_default)
  MAX_OF (MAX_ROW, max_pool3d_default)
  MAX_OF (INDEX_ROW, max_pool1d_with_indices_default)
  MAX_OF (INDEX_ROW, max_pool2d_with_indices_default)
  MAX_OF (INDEX_ROW, max_pool3d_with_indices_default)
  MAX_OF (INDEX_ROW, adaptive_max_pool1d_default)
  MAX_OF (INDEX_ROW, adaptive_max_pool2d_default)
  MAX_OF (INDEX_ROW, adaptive_max_pool3d_default)
};
extern const NativertKernelSet nativert_set_pool;
const NativertKernelSet nativert_set_pool = { rows, sizeof rows / sizeof rows[0], "pool" };
