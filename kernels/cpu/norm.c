/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Layer, group, root-mean-square and batch norms, softmax.  Compiled once per instruction set.
 * Half types are unpacked to float rows, so everything is computed in float as torch does. */
#include "kernels/isa.h"
#include "kernels/norm.h"
#include "kernels/vmath.h"

#define T float
#define ROW_MASK int32_t
#define ROW(name) f_##name
#include "kernels/cpu/rows-tmpl.h"
#undef T
#undef ROW_MASK
#undef ROW
#define T double
#define ROW_MASK int64_t
#define ROW(name) d_##name
#include "kernels/cpu/rows-tmpl.h"
#undef T
#undef ROW_MASK
#undef ROW

#if NATIVERT_SPECIAL
#define SET(M, ...) M (F32, float, float, f_, __VA_ARGS__)
#else
#define SET(M, ...) M (F32, float, float, f_, __VA_ARGS__) M (F64, double, double, d_, __VA_ARGS__) \
  M (F16, nativert_f16, float, f_, __VA_ARGS__) M (BF16, nativert_bf16, float, f_, __VA_ARGS__)
#endif
enum { UNPACK_F32 = 0, UNPACK_F64 = 0, UNPACK_F16 = 1, UNPACK_BF16 = 1, COLUMNS = 64 };

#define UNPACK(id, S, C, f, ...)                                                                        \
  static const C *unpack_##id (const S *x, int64_t n, void *scratch)                                    \
  {                                                                                                     \
    if (!UNPACK_##id)                                                                                   \
      return (const C *) (const void *) x;                                                              \
    C *row = scratch;                                                                                   \
    for (int64_t i = 0; i < n; i++)                                                                     \
      row[i] = NATIVERT_LOAD (x[i]);                                                                    \
    return row;                                                                                         \
  }
SET (UNPACK, )

/* y = (x - mean) * rstd * weight + bias, one stretch where weight and bias change with every element, or not at all. */
#define NORM(id, S, C, f, ...)                                                                                         \
  static void scale_##id (S *y, const C *x, int64_t n, C mean, C rstd, const S *w, const S *b, bool each)              \
  {                                                                                                                    \
    if (each && w && b)                                                                                                \
      _Pragma ("GCC ivdep") for (int64_t i = 0; i < n; i++) y[i]                                                       \
          = NATIVERT_STORE_##id ((x[i] - mean) * rstd * NATIVERT_LOAD (w[i]) + NATIVERT_LOAD (b[i]));                  \
    else if (each && w)                                                                                                \
      _Pragma ("GCC ivdep") for (int64_t i = 0; i < n; i++) y[i]                                                       \
          = NATIVERT_STORE_##id ((x[i] - mean) * rstd * NATIVERT_LOAD (w[i]));                                         \
    else if (each && b)                                                                                                \
      _Pragma ("GCC ivdep") for (int64_t i = 0; i < n; i++) y[i]                                                       \
          = NATIVERT_STORE_##id ((x[i] - mean) * rstd + NATIVERT_LOAD (b[i]));                                         \
    else {                                                                                                             \
      C a = rstd * (w ? NATIVERT_LOAD (*w) : 1), c = (b ? NATIVERT_LOAD (*b) : 0) - mean * a;                          \
      _Pragma ("GCC ivdep") for (int64_t i = 0; i < n; i++) y[i] = NATIVERT_STORE_##id (x[i] * a + c);                 \
    }                                                                                                                  \
  }                                                                                                                    \
  static void norm_##id (const NativertCall *call, uint32_t part)                                                      \
  {                                                                                                                    \
    const NativertNorm *p = call->params;                                                                              \
    const S *w = p->weight < 0 ? NULL : call->in[p->weight].data, *b = p->bias < 0 ? NULL : call->in[p->bias].data;    \
    S *means = p->centred && p->n_out > 1 ? call->out[1].data : NULL;                                                  \
    S *rstds = p->n_out > 2 ? call->out[2].data : !p->centred && p->n_out > 1 ? call->out[1].data : NULL;              \
    int64_t lo, hi, channels = p->inner > 0 ? p->n / p->inner : 0;                                                     \
    nativert_part_range (p->rows, p->n_parts, part, &lo, &hi);                                                         \
    for (int64_t r = lo; r < hi; r++) {                                                                                \
      S *y = (S *) call->out[0].data + r * p->n;                                                                       \
      const C *x = unpack_##id ((const S *) call->in[0].data + r * p->n, p->n, nativert_call_scratch (call, part));    \
      C mean = p->centred ? (C) (f##sum (x, p->n) / (double) p->n) : 0;                                                \
      C rstd = (C) (1 / sqrt (f##sum_squares (x, p->n, mean) / (double) p->n + p->eps));                               \
      if (means)                                                                                                       \
        means[r] = NATIVERT_STORE_##id (mean);                                                                         \
      if (rstds)                                                                                                       \
        rstds[r] = NATIVERT_STORE_##id (rstd);                                                                         \
      if (p->groups == 1 && p->inner == 1) {                                                                           \
        if (w || b)                                                                                                    \
          scale_##id (y, x, p->n, mean, rstd, w, b, true);                                                             \
        else                                                                                                           \
          for (int64_t i = 0; i < p->n; i++)                                                                           \
            y[i] = NATIVERT_STORE_##id ((x[i] - mean) * rstd);                                                         \
        continue;                                                                                                      \
      }                                                                                                                \
      for (int64_t k = 0; k < channels; k++) {                                                                         \
        int64_t ch = r % p->groups * channels + k;                                                                     \
        scale_##id (                                                                                                   \
            y + k * p->inner, x + k * p->inner, p->inner, mean, rstd, w ? w + ch : NULL, b ? b + ch : NULL, false);    \
      }                                                                                                                \
    }                                                                                                                  \
  }
SET (NORM, )

#define BATCH_NORM(id, S, C, f, ...)                                                                    \
  static void batch_norm_##id (const NativertCall *call, uint32_t part)                                 \
  {                                                                                                     \
    const NativertBatchNorm *p = call->params;                                                          \
    const S *w = p->weight < 0 ? NULL : call->in[p->weight].data, *b = p->bias < 0 ? NULL : call->in[p->bias].data; \
    const S *mean = call->in[p->mean].data, *var = call->in[p->var].data, *x = call->in[0].data;        \
    C *scale = (C *) (void *) nativert_call_scratch (call, part), *shift = scale + p->channels;         \
    S *y = call->out[0].data;                                                                           \
    int64_t lo, hi;                                                                                     \
    for (int64_t c = 0; c < p->channels; c++) {                                                         \
      C invstd = 1 / M_SQRT (NATIVERT_LOAD (var[c]) + (C) p->eps);                                      \
      scale[c] = invstd * (w ? NATIVERT_LOAD (w[c]) : 1);                                               \
      shift[c] = (b ? NATIVERT_LOAD (b[c]) : 0) - NATIVERT_LOAD (mean[c]) * scale[c];                   \
    }                                                                                                   \
    nativert_part_range (p->outer * p->channels, p->n_parts, part, &lo, &hi);                           \
    if (p->inner == 1) {                                                                                \
      for (int64_t i = lo, c = p->channels ? lo % p->channels : 0; i < hi; i++, c = c + 1 == p->channels ? 0 : c + 1) \
        y[i] = NATIVERT_STORE_##id (NATIVERT_LOAD (x[i]) * scale[c] + shift[c]);                        \
      return;                                                                                           \
    }                                                                                                   \
    for (int64_t plane = lo; plane < hi; plane++) {                                                     \
      const S *from = x + plane * p->inner;                                                             \
      S *to = y + plane * p->inner;                                                                     \
      C a = scale[plane % p->channels], c = shift[plane % p->channels];                                 \
      _Pragma ("GCC ivdep") for (int64_t i = 0; i < p->inner; i++)                                      \
        to[i] = NATIVERT_STORE_##id (NATIVERT_LOAD (from[i]) * a + c);                                  \
    }                                                                                                   \
  }
SET (BATCH_NORM, )

/* Rows side by side; y may be x. */
#define SOFTMAX_ROW(id, S, C, f, ...)                                                                                  \
  static void softmax_row_##id (S *y, const S *from, int64_t n, bool log_, void *scratch)                              \
  {                                                                                                                    \
    const C *x = unpack_##id (from, n, scratch);                                                                       \
    C *e = UNPACK_##id ? scratch : (void *) y;                                                                         \
    C m = f##max (x, n);                                                                                               \
    if (log_) {                                                                                                        \
      double sum = 0;                                                                                                  \
      for (int64_t i = 0; i < n; i += COLUMNS) {                                                                       \
        C block[COLUMNS];                                                                                              \
        int64_t k = n - i < COLUMNS ? n - i : COLUMNS;                                                                 \
        for (int64_t j = 0; j < k; j++)                                                                                \
          block[j] = M_EXP (x[i + j] - m);                                                                             \
        sum += f##sum (block, k);                                                                                      \
      }                                                                                                                \
      C shift = M_LOG ((C) sum);                                                                                       \
      _Pragma ("GCC ivdep") for (int64_t i = 0; i < n; i++) y[i] = NATIVERT_STORE_##id (x[i] - m - shift);             \
      return;                                                                                                          \
    }                                                                                                                  \
    _Pragma ("GCC ivdep") for (int64_t i = 0; i < n; i++) e[i] = M_EXP (x[i] - m);                                     \
    C r = (C) (1 / f##sum (e, n));                                                                                     \
    _Pragma ("GCC ivdep") for (int64_t i = 0; i < n; i++) y[i] = NATIVERT_STORE_##id (e[i] * r);                       \
  }                                                                                                                    \
  /* Up to COLUMNS columns of [n, inner] at once. */                                                                   \
  static void softmax_columns_##id (S *y, const S *x, int64_t n, int64_t inner, int64_t w, bool log_)                  \
  {                                                                                                                    \
    C m[COLUMNS], s[COLUMNS];                                                                                          \
    for (int64_t j = 0; j < w; j++) {                                                                                  \
      m[j] = -INFINITY;                                                                                                \
      s[j] = 0;                                                                                                        \
    }                                                                                                                  \
    for (int64_t i = 0; i < n; i++)                                                                                    \
      for (int64_t j = 0; j < w; j++) {                                                                                \
        C v = NATIVERT_LOAD (x[i * inner + j]);                                                                        \
        m[j] = v > m[j] ? v : m[j];                                                                                    \
      }                                                                                                                \
    for (int64_t i = 0; i < n; i++)                                                                                    \
      for (int64_t j = 0; j < w; j++)                                                                                  \
        s[j] += M_EXP (NATIVERT_LOAD (x[i * inner + j]) - m[j]);                                                       \
    for (int64_t j = 0; j < w; j++)                                                                                    \
      s[j] = log_ ? M_LOG (s[j]) : 1 / s[j];                                                                           \
    for (int64_t i = 0; i < n; i++)                                                                                    \
      _Pragma ("GCC ivdep") for (int64_t j = 0; j < w; j++)                                                            \
      {                                                                                                                \
        C v = NATIVERT_LOAD (x[i * inner + j]) - m[j];                                                                 \
        y[i * inner + j] = NATIVERT_STORE_##id (log_ ? v - s[j] : M_EXP (v) * s[j]);                                   \
      }                                                                                                                \
  }                                                                                                                    \
  static void softmax_##id (const NativertCall *call, uint32_t part)                                                   \
  {                                                                                                                    \
    const NativertSoftmax *p = call->params;                                                                           \
    const S *x = call->in[0].data;                                                                                     \
    S *y = call->out[0].data;                                                                                          \
    int64_t bands = p->inner == 1 ? 1 : (p->inner + COLUMNS - 1) / COLUMNS, lo, hi;                                    \
    nativert_part_range (p->outer *bands, p->n_parts, part, &lo, &hi);                                                 \
    for (int64_t u = lo; u < hi; u++) {                                                                                \
      int64_t j = u % bands * COLUMNS, at = u / bands * p->n * p->inner + j;                                           \
      if (p->inner == 1)                                                                                               \
        softmax_row_##id (y + at, x + at, p->n, p->log, nativert_call_scratch (call, part));                           \
      else                                                                                                             \
        softmax_columns_##id (                                                                                         \
            y + at, x + at, p->n, p->inner, p->inner - j < COLUMNS ? p->inner - j : COLUMNS, p->log);                  \
    }                                                                                                                  \
  }
SET (SOFTMAX_ROW, )

extern const NativertKernelSet NATIVERT_SET (norm);
static const NativertKernel rows[] = {
#define KERNEL(op, id, prepare, fn)                                                                                    \
  { NATIVERT_OP_##op, NATIVERT_##id, NATIVERT_DEVICE_CPU, NATIVERT_NEEDS, NATIVERT_ROW_NAME (#op), prepare, fn },
#define ROWS(id, S, C, f, ...)                                                  \
  KERNEL (layer_norm_default, id, nativert_norm_prepare, norm_##id)             \
  KERNEL (native_layer_norm_default, id, nativert_norm_prepare, norm_##id)      \
  KERNEL (group_norm_default, id, nativert_norm_prepare, norm_##id)             \
  KERNEL (native_group_norm_default, id, nativert_norm_prepare, norm_##id)      \
  KERNEL (rms_norm_default, id, nativert_norm_prepare, norm_##id)               \
  KERNEL (_fused_rms_norm_default, id, nativert_norm_prepare, norm_##id)        \
  KERNEL (nativert_batch_norm, id, nativert_batch_norm_prepare, batch_norm_##id) \
  KERNEL (_softmax_default, id, nativert_softmax_prepare, softmax_##id)         \
  KERNEL (_log_softmax_default, id, nativert_softmax_prepare, softmax_##id)
  SET (ROWS, )
};
const NativertKernelSet NATIVERT_SET (norm) = { rows, sizeof rows / sizeof *rows, NATIVERT_STR (NATIVERT_ISA) };
