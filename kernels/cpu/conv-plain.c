/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Convolutions in plain C: any strides of the input, sums in double, one result row at a time. */
#include <string.h>
#include "kernels/act.h"
#include "kernels/args.h"
#include "kernels/conv.h"
#include "kernels/convert.h"
#include "kernels/ops.h"

static bool
set_parts (NativertPrep *p, const NativertConv *g)
{
  int64_t planes = g->n * g->cout, macs = g->cin / g->groups * g->k[0] * g->k[1] * g->k[2];
  p->params_size = sizeof *g;
  p->n_parts = (uint32_t) nativert_min_i64 (nativert_max_i64 (1, planes), 64);
  p->scratch_part = (size_t) g->out[2] * sizeof (double);
  p->cost = (uint64_t) (planes * g->out[0] * g->out[1] * g->out[2] * macs);
  return true;
}

static bool
prepare (NativertPrep *p)
{
  NativertConv *g = p->params;
  return nativert_conv_describe (p, g) && nativert_conv_out_ok (p) && set_parts (p, g)
    && (nativert_view_is_contiguous (&p->in[1]) || nativert_no (p, "weight is not contiguous"));
}

static bool
prepare_transpose (NativertPrep *p)
{
  NativertConv *g = p->params;
  return nativert_conv_transpose_describe (p, g) && nativert_conv_out_ok (p) && set_parts (p, g)
    && (nativert_view_is_contiguous (&p->in[1]) || nativert_no (p, "weight is not contiguous"));
}

/* The part of a result row whose tap lies inside the input row. */
static inline void
inside (const NativertConv *g, int64_t tap, int64_t *from, int64_t *to)
{
  int64_t at = tap * g->dil[2] - g->pad[2], s = g->stride[2];   /* input column of result column 0 */
  *from = at >= 0 ? 0 : (-at + s - 1) / s;
  *to = at >= g->in[2] ? 0 : nativert_min_i64 (g->out[2], (g->in[2] - 1 - at) / s + 1);
}

/* Plane `plane` of the result, S storage. */
#define CONV(ID, S)                                                                                                    \
  static void sum_row_##ID (const NativertConv *g, const S *x, const S *w, int64_t z, int64_t y, double *sum)          \
  {                                                                                                                    \
    for (int64_t c = 0; c < g->cin / g->groups; c++)                                                                   \
      for (int64_t kz = 0; kz < g->k[0]; kz++)                                                                         \
        for (int64_t ky = 0; ky < g->k[1]; ky++) {                                                                     \
          const S *taps = w + ((c * g->k[0] + kz) * g->k[1] + ky) * g->k[2];                                           \
          int64_t iz = z * g->stride[0] + kz * g->dil[0] - g->pad[0],                                                  \
                  iy = y * g->stride[1] + ky * g->dil[1] - g->pad[1];                                                  \
          if (iz < 0 || iz >= g->in[0] || iy < 0 || iy >= g->in[1])                                                    \
            continue;                                                                                                  \
          const S *row = x + c * g->in_c + iz * g->in_s[0] + iy * g->in_s[1];                                          \
          for (int64_t kx = 0; kx < g->k[2]; kx++) {                                                                   \
            int64_t from, to, first = kx * g->dil[2] - g->pad[2];                                                      \
            double tap = NATIVERT_LOAD (taps[kx]);                                                                     \
            inside (g, kx, &from, &to);                                                                                \
            for (int64_t i = from; i < to; i++)                                                                        \
              sum[i] += tap * (double) NATIVERT_LOAD (row[(i * g->stride[2] + first) * g->in_s[2]]);                   \
          }                                                                                                            \
        }                                                                                                              \
  }                                                                                                                    \
  static void plane_##ID (const NativertCall *call, const NativertConv *g, int64_t n, int64_t oc, double *sum)         \
  {                                                                                                                    \
    int64_t group_in = g->cin / g->groups, taps = g->k[0] * g->k[1] * g->k[2], group = oc / (g->cout / g->groups);     \
    const S *x = (const S *) call->in[0].data + n * g->in_n + group * group_in * g->in_c;                              \
    const S *w = (const S *) call->in[1].data + oc * group_in * taps;                                                  \
    S *to = (S *) call->out[0].data + (n * g->cout + oc) * g->out[0] * g->out[1] * g->out[2];                          \
    double bias                                                                                                        \
        = g->bias < 0 ? 0 : NATIVERT_LOAD (((const S *) call->in[g->bias].data)[oc * call->in[g->bias].stride[0]]);    \
    for (int64_t z = 0; z < g->out[0]; z++)                                                                            \
      for (int64_t y = 0; y < g->out[1]; y++, to += g->out[2]) {                                                       \
        for (int64_t i = 0; i < g->out[2]; i++)                                                                        \
          sum[i] = bias;                                                                                               \
        sum_row_##ID (g, x, w, z, y, sum);                                                                             \
        if (g->residual >= 0) {                                                                                        \
          const S *r = (const S *) call->in[g->residual].data + n * g->res_n + oc * g->res_c + z * g->res_s[0]         \
              + y * g->res_s[1];                                                                                       \
          for (int64_t i = 0; i < g->out[2]; i++)                                                                      \
            sum[i] += NATIVERT_LOAD (r[i * g->res_s[2]]);                                                              \
        }                                                                                                              \
        for (int64_t i = 0; i < g->out[2]; i++)                                                                        \
          to[i] = NATIVERT_STORE_##ID (g->act ? nativert_act_plain (g->act, sum[i], g->act_a, g->act_b) : sum[i]);     \
      }                                                                                                                \
  }                                                                                                                    \
  static void conv_##ID (const NativertCall *call, uint32_t part)                                                      \
  {                                                                                                                    \
    const NativertConv *g = call->params;                                                                              \
    int64_t planes = g->n * g->cout, n_parts = nativert_min_i64 (nativert_max_i64 (1, planes), 64);                    \
    for (int64_t i = planes * part / n_parts; i < planes * (part + 1) / n_parts; i++)                                  \
      plane_##ID (call, g, i / g->cout, i % g->cout, (double *) nativert_call_scratch (call, part));                   \
  }                                                                                                                    \
  /* Result row (z, y): every tap that reaches it from an input row. */                                                \
  static void transpose_row_##ID (const NativertConv *g, const S *x, const S *w, int64_t z, int64_t y, double *sum)    \
  {                                                                                                                    \
    int64_t taps = g->k[0] * g->k[1] * g->k[2], group_out = g->cout / g->groups;                                       \
    for (int64_t c = 0; c < g->cin / g->groups; c++)                                                                   \
      for (int64_t kz = 0; kz < g->k[0]; kz++)                                                                         \
        for (int64_t ky = 0; ky < g->k[1]; ky++) {                                                                     \
          int64_t iz = z + g->pad[0] - kz * g->dil[0], iy = y + g->pad[1] - ky * g->dil[1];                            \
          if (iz < 0 || iy < 0 || iz % g->stride[0] || iy % g->stride[1] || (iz /= g->stride[0]) >= g->in[0]           \
              || (iy /= g->stride[1]) >= g->in[1])                                                                     \
            continue;                                                                                                  \
          const S *row = x + c * g->in_c + iz * g->in_s[0] + iy * g->in_s[1];                                          \
          for (int64_t kx = 0; kx < g->k[2]; kx++) {                                                                   \
            double tap = NATIVERT_LOAD (w[c * group_out * taps + (kz * g->k[1] + ky) * g->k[2] + kx]);                 \
            for (int64_t i = 0; i < g->in[2]; i++) {                                                                   \
              int64_t at = i * g->stride[2] + kx * g->dil[2] - g->pad[2];                                              \
              if (at >= 0 && at < g->out[2])                                                                           \
                sum[at] += tap * (double) NATIVERT_LOAD (row[i * g->in_s[2]]);                                         \
            }                                                                                                          \
          }                                                                                                            \
        }                                                                                                              \
  }                                                                                                                    \
  static void conv_transpose_##ID (const NativertCall *call, uint32_t part)                                            \
  {                                                                                                                    \
    const NativertConv *g = call->params;                                                                              \
    int64_t planes = g->n * g->cout, n_parts = nativert_min_i64 (nativert_max_i64 (1, planes), 64);                    \
    int64_t taps = g->k[0] * g->k[1] * g->k[2], group_in = g->cin / g->groups, group_out = g->cout / g->groups;        \
    double *sum = (double *) nativert_call_scratch (call, part);                                                       \
    for (int64_t p = planes * part / n_parts; p < planes * (part + 1) / n_parts; p++) {                                \
      int64_t n = p / g->cout, oc = p % g->cout, group = oc / group_out;                                               \
      const S *x = (const S *) call->in[0].data + n * g->in_n + group * group_in * g->in_c;                            \
      const S *w = (const S *) call->in[1].data + (group * group_in * group_out + oc % group_out) * taps;              \
      S *to = (S *) call->out[0].data + p * g->out[0] * g->out[1] * g->out[2];                                         \
      double bias                                                                                                      \
          = g->bias < 0 ? 0 : NATIVERT_LOAD (((const S *) call->in[g->bias].data)[oc * call->in[g->bias].stride[0]]);  \
      for (int64_t z = 0; z < g->out[0]; z++)                                                                          \
        for (int64_t y = 0; y < g->out[1]; y++, to += g->out[2]) {                                                     \
          for (int64_t i = 0; i < g->out[2]; i++)                                                                      \
            sum[i] = bias;                                                                                             \
          transpose_row_##ID (g, x, w, z, y, sum);                                                                     \
          for (int64_t i = 0; i < g->out[2]; i++)                                                                      \
            to[i] = NATIVERT_STORE_##ID (sum[i]);                                                                      \
        }                                                                                                              \
    }                                                                                                                  \
  }
#define CONV_OF(id, storage, compute, ...) CONV (id, storage)
NATIVERT_FLOAT (CONV_OF, )

#define ROW(id, ...)                                                                                                   \
  { NATIVERT_OP_nativert_conv, NATIVERT_##id, NATIVERT_DEVICE_CPU, 0, "conv-plain", prepare, conv_##id },              \
      { NATIVERT_OP_nativert_conv_transpose, NATIVERT_##id, NATIVERT_DEVICE_CPU, 0, "conv-transpose-plain",            \
        prepare_transpose, conv_transpose_##id },
static const NativertKernel rows[] = { NATIVERT_FLOAT (ROW, ) };
extern const NativertKernelSet nativert_set_conv_plain;
const NativertKernelSet nativert_set_conv_plain = { rows, sizeof rows / sizeof rows[0], "conv-plain" };
