/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* col2im (fold): windows are added up where they overlap. */
#include <string.h>
#include "kernels/convert.h"
#include "kernels/iter.h"

typedef struct { int64_t g[10], n, channels, oh, ow; uint32_t n_parts; } Params;

static bool
prepare (NativertPrep *p)
{
  Params *x = p->params;
  const int64_t *g = x->g;
  if (p->arg[1].n != 10 || !nativert_view_is_contiguous (&p->in[0]) || !nativert_view_is_contiguous (&p->out[0])
      || p->out[0].ndim != 4)
    return nativert_no (p, "col2im: the input or the result is not contiguous");
  memcpy (x->g, p->arg[1].u.ints, sizeof x->g);
  x->n = p->out[0].size[0];
  x->channels = p->out[0].size[1];
  int64_t room_h = g[8] + 2 * g[4] - g[2] * (g[0] - 1) - 1, room_w = g[9] + 2 * g[5] - g[3] * (g[1] - 1) - 1;
  x->oh = room_h < 0 ? 0 : room_h / g[6] + 1;
  x->ow = room_w < 0 ? 0 : room_w / g[7] + 1;
  if (p->in[0].ndim != 3 || p->in[0].size[1] != x->channels * g[0] * g[1] || p->in[0].size[2] != x->oh * x->ow
      || p->in[0].size[0] != x->n)
    return nativert_no (
        p, "col2im: %lld places, the output has %lld", (long long) p->in[0].size[2], (long long) (x->oh * x->ow));
  p->params_size = sizeof *x;
  p->n_parts = x->n_parts = nativert_parts (x->n * x->channels, g[0] * g[1] * x->oh * x->ow * 8);
  p->cost = (uint64_t) nativert_view_numel (&p->in[0]) * 8;
  return true;
}

#define COL2IM(id, S, C, ...)                                                                           \
  static void col2im_##id (const NativertCall *c, uint32_t part)                                        \
  {                                                                                                     \
    const Params *p = c->params;                                                                        \
    const int64_t *g = p->g, h = g[8], w = g[9], places = p->oh * p->ow;                                \
    int64_t lo, hi;                                                                                     \
    nativert_part_range (p->n * p->channels, p->n_parts, part, &lo, &hi);                               \
    for (int64_t plane = lo; plane < hi; plane++) {                                                     \
      S *to = (S *) c->out[0].data + plane * h * w;                                                     \
      memset (to, 0, (size_t) (h * w) * sizeof (S));                                                    \
      for (int64_t k = 0; k < g[0] * g[1]; k++) {                                                       \
        const S *from = (const S *) c->in[0].data + (plane * g[0] * g[1] + k) * places;                 \
        int64_t y0 = k / g[1] * g[2] - g[4], x0 = k % g[1] * g[3] - g[5];                               \
        for (int64_t i = 0; i < places; i++) {                                                          \
          int64_t y = y0 + i / p->ow * g[6], x = x0 + i % p->ow * g[7];                                 \
          if (y >= 0 && y < h && x >= 0 && x < w)                                                       \
            to[y * w + x] = NATIVERT_STORE_##id (NATIVERT_LOAD (to[y * w + x]) + NATIVERT_LOAD (from[i])); \
        }                                                                                               \
      }                                                                                                 \
    }                                                                                                   \
  }
NATIVERT_FLOAT (COL2IM, )

extern const NativertKernelSet nativert_set_col2im;
static const NativertKernel rows[] = {
#define ROW(id, S, C, ...)                                                                                             \
  { NATIVERT_OP_nativert_col2im, NATIVERT_##id, NATIVERT_DEVICE_CPU, 0, "col2im", prepare, col2im_##id },
  NATIVERT_FLOAT (ROW, )
};
const NativertKernelSet nativert_set_col2im = { rows, sizeof rows / sizeof *rows, "col2im" };
