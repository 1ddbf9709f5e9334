/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Extremes with their places, and running sums and products: along one dimension of a contiguous tensor. */
#include "kernels/reduce.h"
#include "kernels/vmath.h"

static bool
prepare_arg (NativertPrep *p)
{
  NativertAlong *a = p->params;
  if (!nativert_along_prepare (p, a, 1))
    return false;
  if (a->n == 0 && a->outer * a->inner > 0)
    return nativert_no (p, "%s: no elements along the dimension", nativert_ops[p->op].name);
  if (p->n_out != 2 || nativert_view_numel (&p->out[0]) != a->outer * a->inner
      || nativert_view_numel (&p->out[1]) != a->outer * a->inner || p->out[1].dtype != NATIVERT_I64
      || p->out[0].dtype != p->in[0].dtype)
    return nativert_no (p, "%s: results of other sizes or dtypes", nativert_ops[p->op].name);
  p->params_size = sizeof *a;
  return true;
}

/* The first of equals; the first NaN wins over all.  By rows of `inner`, so that memory is read in order. */
#define ARG(id, S, C, name, BETTER)                                                             \
  static void name##_##id (const NativertCall *call, uint32_t part)                             \
  {                                                                                             \
    const NativertAlong *p = call->params;                                                      \
    int64_t lo, hi;                                                                             \
    nativert_part_range (p->outer, p->n_parts, part, &lo, &hi);                                 \
    for (int64_t o = lo; o < hi; o++) {                                                         \
      const S *x = (const S *) call->in[0].data + o * p->n * p->inner;                          \
      S *best = (S *) call->out[0].data + o * p->inner;                                         \
      int64_t *place = (int64_t *) call->out[1].data + o * p->inner;                            \
      for (int64_t j = 0; j < p->inner; j++) {                                                  \
        best[j] = x[j];                                                                         \
        place[j] = 0;                                                                           \
      }                                                                                         \
      for (int64_t i = 1; i < p->n; i++)                                                        \
        for (int64_t j = 0; j < p->inner; j++) {                                                \
          const C a = NATIVERT_LOAD (x[i * p->inner + j]), b = NATIVERT_LOAD (best[j]);         \
          if ((a BETTER b || a != a) && b == b) {                                               \
            best[j] = x[i * p->inner + j];                                                      \
            place[j] = i;                                                                       \
          }                                                                                     \
        }                                                                                       \
    }                                                                                           \
  }
NATIVERT_ALL (ARG, max_dim, >)
NATIVERT_ALL (ARG, min_dim, <)

static bool
prepare_running (NativertPrep *p)
{
  NativertAlong *a = p->params;
  if (!nativert_along_prepare (p, a, 1))
    return false;
  if (p->out[0].dtype != p->in[0].dtype || nativert_view_numel (&p->out[0]) != nativert_view_numel (&p->in[0]))
    return nativert_no (p, "%s: a result of other size or dtype", nativert_ops[p->op].name);
  p->params_size = sizeof *a;
  p->in_place = 0;
  return true;
}

/* float in double, as torch does */
#define RUNNING(id, S, C, name, START, OPERATOR)                                                \
  static void name##_##id (const NativertCall *call, uint32_t part)                             \
  {                                                                                             \
    typedef __typeof__ (_Generic ((C) 0, float: (double) 0, default: (C) 0)) Sum;               \
    const NativertAlong *p = call->params;                                                      \
    int64_t lo, hi;                                                                             \
    nativert_part_range (p->outer, p->n_parts, part, &lo, &hi);                                 \
    for (int64_t u = lo * p->inner; u < hi * p->inner; u++) {                                   \
      int64_t at = u / p->inner * p->n * p->inner + u % p->inner;                               \
      const S *x = (const S *) call->in[0].data + at;                                           \
      S *y = (S *) call->out[0].data + at;                                                      \
      Sum sum = START;                                                                          \
      for (int64_t i = 0; i < p->n; i++) {                                                      \
        sum = sum OPERATOR NATIVERT_LOAD (x[i * p->inner]);                                     \
        y[i * p->inner] = NATIVERT_STORE_##id ((C) sum);                                        \
      }                                                                                         \
    }                                                                                           \
  }
#define SUM_SET(M, ...)                                                                                                \
  NATIVERT_FLOAT (M, __VA_ARGS__) M (I64, int64_t, int64_t, __VA_ARGS__) M (I32, int32_t, int32_t, __VA_ARGS__)
SUM_SET (RUNNING, nativert_cumsum, 0, +)
SUM_SET (RUNNING, nativert_cumprod, 1, *)

extern const NativertKernelSet nativert_set_reduce_arg;
static const NativertKernel rows[] = {
#define ROW(id, S, C, name, prepare)                                                                                   \
  { NATIVERT_OP_##name, NATIVERT_##id, NATIVERT_DEVICE_CPU, 0, #name, prepare, name##_##id },
  NATIVERT_ALL (ROW, max_dim, prepare_arg) NATIVERT_ALL (ROW, min_dim, prepare_arg)
      SUM_SET (ROW, nativert_cumsum, prepare_running) SUM_SET (ROW, nativert_cumprod, prepare_running)
};
const NativertKernelSet nativert_set_reduce_arg = { rows, sizeof rows / sizeof *rows, "reduce-arg" };
