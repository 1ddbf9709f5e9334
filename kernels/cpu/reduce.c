/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sums, products, extremes, norms, variance.  Compiled once per instruction set.
 * One reduction is one line of REDUCTIONS: how a value joins a running value, how running values join a total, what the
 * total becomes.  Sixteen running values side by side let compilers use vectors; float ones meet in double now and then. */
#include "kernels/isa.h"
#include "kernels/reduce.h"
#include "kernels/vmath.h"

#if NATIVERT_SPECIAL
#define SET_FLOAT(M, ...) M (F32, float, float, __VA_ARGS__)
#define SET_SUM SET_FLOAT
#define SET_ALL SET_FLOAT
#define SET_BOOL(M, ...)
#else
#define SET_FLOAT NATIVERT_FLOAT
#define SET_SUM(M, ...) NATIVERT_FLOAT (M, __VA_ARGS__) M (I64, int64_t, int64_t, __VA_ARGS__)
#define SET_ALL NATIVERT_ALL
#define SET_BOOL NATIVERT_BOOL
#endif

enum { LANES = 16, BLOCK = 4096, COLUMN_BLOCK = 128 };

/* What running values of compute type C are added up in. */
#define TOTAL_OF(C) __typeof__ (_Generic ((C) 0, float: (double) 0, default: (C) 0))
#define LEAST(C) _Generic ((C) 0, float: -INFINITY, double: -(double) INFINITY, int64_t: INT64_MIN, int32_t: INT32_MIN, int16_t: INT16_MIN, \
    int8_t: INT8_MIN, default: 0)
#define MOST(C) _Generic ((C) 0, float: INFINITY, double: (double) INFINITY, int64_t: INT64_MAX, int32_t: INT32_MAX, int16_t: INT16_MAX, \
    int8_t: INT8_MAX, default: UINT8_MAX)

/* M (op, set, start, running a with value x, total t with running a, result of total t over n) */
#define REDUCTIONS(M)                                                                                   \
  M (nativert_sum, SUM, 0, a + x, t + a, t)                                                             \
  M (nativert_mean, FLOAT, 0, a + x, t + a, t / (double) n)                                             \
  M (nativert_prod, SUM, 1, a * x, t * a, t)                                                            \
  M (nativert_norm_1, FLOAT, 0, a + M_ABS (x), t + a, t)                                                \
  M (nativert_norm_2, FLOAT, 0, a + x * x, t + a, M_SQRT (t))                                           \
  M (nativert_amax, ALL, LEAST (C), x > a || x != x ? x : a, a > t || a != a ? a : t, t)                \
  M (nativert_amin, ALL, MOST (C), x < a || x != x ? x : a, a < t || a != a ? a : t, t)                 \
  M (nativert_any, BOOL, 0, x | a, a | t, t)                                                            \
  M (nativert_all, BOOL, 1, x & a, a & t, t)

#define LOOPS(id, S, compute, name, START, STEP, JOIN, FINISH)                                          \
  typedef struct { compute a[NATIVERT_COLUMNS]; TOTAL_OF (compute) t[NATIVERT_COLUMNS]; int64_t rows; } name##_##id##_state; \
  static void name##_##id##_row (const char *p, int64_t n, int64_t stride, void *state)                 \
  {                                                                                                     \
    typedef compute C;                                                                                  \
    TOTAL_OF (C) t = *(TOTAL_OF (C) *) state;                                                           \
    const S *v = (const S *) (const void *) p;                                                          \
    int64_t i = 0;                                                                                      \
    while (stride == 1 && i + LANES <= n) {                                                             \
      C lane[LANES];                                                                                    \
      int64_t stop = n - i > BLOCK ? i + BLOCK : n;                                                     \
      for (int j = 0; j < LANES; j++)                                                                   \
        lane[j] = START;                                                                                \
      for (; i + LANES <= stop; i += LANES)                                                             \
        for (int j = 0; j < LANES; j++) {                                                               \
          const C a = lane[j], x = NATIVERT_LOAD (v[i + j]);                                            \
          lane[j] = (C) (STEP);                                                                         \
        }                                                                                               \
      for (int j = 0; j < LANES; j++) {                                                                 \
        const C a = lane[j];                                                                            \
        t = JOIN;                                                                                       \
      }                                                                                                 \
    }                                                                                                   \
    C a = START;                                                                                        \
    for (; i < n; i++) {                                                                                \
      const C x = NATIVERT_LOAD (v[i * stride]);                                                        \
      a = (C) (STEP);                                                                                   \
    }                                                                                                   \
    *(TOTAL_OF (C) *) state = JOIN;                                                                     \
  }                                                                                                     \
  static void name##_##id##_flush (name##_##id##_state *s)                                              \
  {                                                                                                     \
    typedef compute C;                                                                                  \
    for (int j = 0; j < NATIVERT_COLUMNS; j++) {                                                        \
      const C a = s->a[j];                                                                              \
      const TOTAL_OF (C) t = s->t[j];                                                                   \
      s->t[j] = JOIN;                                                                                   \
      s->a[j] = START;                                                                                  \
    }                                                                                                   \
    s->rows = 0;                                                                                        \
  }                                                                                                     \
  static void name##_##id##_columns (const char *p, int64_t n, int64_t stride, void *state)             \
  {                                                                                                     \
    typedef compute C;                                                                                  \
    name##_##id##_state *s = state;                                                                     \
    const S *v = (const S *) (const void *) p;                                                          \
    _Pragma ("GCC ivdep") for (int64_t j = 0; j < n; j++) {                                             \
      const C a = s->a[j], x = NATIVERT_LOAD (v[j]);                                                    \
      s->a[j] = (C) (STEP);                                                                             \
    }                                                                                                   \
    if (++s->rows == COLUMN_BLOCK)                                                                      \
      name##_##id##_flush (s);                                                                          \
  }                                                                                                     \
  static void name##_##id (const NativertCall *call, uint32_t part)                                     \
  {                                                                                                     \
    typedef compute C;                                                                                  \
    const NativertReduce *r = call->params;                                                             \
    int64_t n = r->n_reduced, units = r->by_columns ? r->n_results / r->size[r->n_kept_dims - 1] * r->bands : r->n_results, lo, hi; \
    S *out = call->out[0].data;                                                                         \
    (void) n;                                                                                           \
    nativert_part_range (units, r->n_parts, part, &lo, &hi);                                            \
    for (int64_t u = lo; u < hi; u++) {                                                                 \
      int64_t first, w;                                                                                 \
      const char *x = nativert_reduce_unit (r, call->in[0].data, sizeof (S), u, &first, &w);            \
      if (!r->by_columns) {                                                                             \
        TOTAL_OF (C) t = START;                                                                         \
        nativert_reduce_walk (r, x, sizeof (S), 1, name##_##id##_row, &t);                              \
        out[first] = NATIVERT_STORE_##id ((C) (FINISH));                                                \
        continue;                                                                                       \
      }                                                                                                 \
      name##_##id##_state s;                                                                            \
      for (int j = 0; j < NATIVERT_COLUMNS; j++) {                                                      \
        s.t[j] = START;                                                                                 \
        s.a[j] = START;                                                                                 \
      }                                                                                                 \
      s.rows = 0;                                                                                       \
      nativert_reduce_walk (r, x, sizeof (S), w, name##_##id##_columns, &s);                            \
      name##_##id##_flush (&s);                                                                         \
      for (int64_t j = 0; j < w; j++) {                                                                 \
        const TOTAL_OF (C) t = s.t[j];                                                                  \
        out[first + j] = NATIVERT_STORE_##id ((C) (FINISH));                                            \
      }                                                                                                 \
    }                                                                                                   \
  }
#define DEFINE(name, set, ...) SET_##set (LOOPS, name, __VA_ARGS__)
REDUCTIONS (DEFINE)

/* Variance in two passes, in double: the mean, then the squares. */
typedef struct { double mean[NATIVERT_COLUMNS], sum[NATIVERT_COLUMNS]; } Moments;

#define VARIANCE(id, S, compute, ...)                                                                   \
  static void moments_##id##_sum (const char *p, int64_t n, int64_t stride, void *state)                \
  {                                                                                                     \
    const S *v = (const S *) (const void *) p;                                                          \
    double a[4] = { 0 };                                                                                \
    int64_t i = 0;                                                                                      \
    for (; i + 4 <= n; i += 4)                                                                          \
      for (int j = 0; j < 4; j++)                                                                       \
        a[j] += (double) NATIVERT_LOAD (v[(i + j) * stride]);                                           \
    for (; i < n; i++)                                                                                  \
      a[0] += (double) NATIVERT_LOAD (v[i * stride]);                                                   \
    ((Moments *) state)->sum[0] += (a[0] + a[1]) + (a[2] + a[3]);                                       \
  }                                                                                                     \
  static void moments_##id##_squares (const char *p, int64_t n, int64_t stride, void *state)            \
  {                                                                                                     \
    const S *v = (const S *) (const void *) p;                                                          \
    double a[4] = { 0 }, mean = ((Moments *) state)->mean[0];                                           \
    int64_t i = 0;                                                                                      \
    for (; i + 4 <= n; i += 4)                                                                          \
      for (int j = 0; j < 4; j++) {                                                                     \
        double d = (double) NATIVERT_LOAD (v[(i + j) * stride]) - mean;                                 \
        a[j] += d * d;                                                                                  \
      }                                                                                                 \
    for (; i < n; i++) {                                                                                \
      double d = (double) NATIVERT_LOAD (v[i * stride]) - mean;                                         \
      a[0] += d * d;                                                                                    \
    }                                                                                                   \
    ((Moments *) state)->sum[0] += (a[0] + a[1]) + (a[2] + a[3]);                                       \
  }                                                                                                     \
  static void moments_##id##_sum_columns (const char *p, int64_t n, int64_t stride, void *state)        \
  {                                                                                                     \
    const S *v = (const S *) (const void *) p;                                                          \
    Moments *m = state;                                                                                 \
    for (int64_t j = 0; j < n; j++)                                                                     \
      m->sum[j] += (double) NATIVERT_LOAD (v[j]);                                                       \
  }                                                                                                     \
  static void moments_##id##_squares_columns (const char *p, int64_t n, int64_t stride, void *state)    \
  {                                                                                                     \
    const S *v = (const S *) (const void *) p;                                                          \
    Moments *m = state;                                                                                 \
    for (int64_t j = 0; j < n; j++) {                                                                   \
      double d = (double) NATIVERT_LOAD (v[j]) - m->mean[j];                                            \
      m->sum[j] += d * d;                                                                               \
    }                                                                                                   \
  }                                                                                                     \
  static void nativert_var_##id (const NativertCall *call, uint32_t part)                               \
  {                                                                                                     \
    const NativertReduce *r = call->params;                                                             \
    int64_t units = r->by_columns ? r->n_results / r->size[r->n_kept_dims - 1] * r->bands : r->n_results, lo, hi; \
    double n = (double) r->n_reduced, rest = n - r->correction > 0 ? n - r->correction : 0;             \
    S *out = call->out[0].data;                                                                         \
    nativert_part_range (units, r->n_parts, part, &lo, &hi);                                            \
    for (int64_t u = lo; u < hi; u++) {                                                                 \
      Moments m = { 0 };                                                                                \
      int64_t first, w;                                                                                 \
      const char *x = nativert_reduce_unit (r, call->in[0].data, sizeof (S), u, &first, &w);            \
      nativert_reduce_walk (r, x, sizeof (S), w, r->by_columns ? moments_##id##_sum_columns : moments_##id##_sum, &m); \
      for (int64_t j = 0; j < w; j++) {                                                                 \
        m.mean[j] = m.sum[j] / n;                                                                       \
        m.sum[j] = 0;                                                                                   \
      }                                                                                                 \
      nativert_reduce_walk (r, x, sizeof (S), w, r->by_columns ? moments_##id##_squares_columns : moments_##id##_squares, &m); \
      for (int64_t j = 0; j < w; j++)                                                                   \
        out[first + j] = NATIVERT_STORE_##id ((compute) (m.sum[j] / rest));                             \
    }                                                                                                   \
  }
SET_FLOAT (VARIANCE, )

static bool
prepare_var (NativertPrep *p)
{
  NativertReduce *r = p->params;
  if (!nativert_reduce_prepare (p))
    return false;
  r->correction = nativert_arg_float (p, 3, 1);
  return true;
}

extern const NativertKernelSet NATIVERT_SET (reduce);
static const NativertKernel rows[] = {
#define ROW(id, S, compute, name) { NATIVERT_OP_##name, NATIVERT_##id, NATIVERT_DEVICE_CPU, NATIVERT_NEEDS, NATIVERT_ROW_NAME (#name), \
    nativert_reduce_prepare, name##_##id },
#define ROWS(name, set, ...) SET_##set (ROW, name)
#define VAR_ROW(id, S, compute, ...) { NATIVERT_OP_nativert_var, NATIVERT_##id, NATIVERT_DEVICE_CPU, NATIVERT_NEEDS, NATIVERT_ROW_NAME ("var"), \
    prepare_var, nativert_var_##id },
  REDUCTIONS (ROWS) SET_FLOAT (VAR_ROW, )
};
const NativertKernelSet NATIVERT_SET (reduce) = { rows, sizeof rows / sizeof *rows, NATIVERT_STR (NATIVERT_ISA) };
