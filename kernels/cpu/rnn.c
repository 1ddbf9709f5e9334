/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Recurrent layers: every item of the batch walks through time by itself, so parts are pieces of the batch.
 * Compiled once per instruction set: the products and the gates become vectors. */
#include <math.h>
#include <string.h>
#include "kernels/args.h"
#include "kernels/convert.h"
#include "kernels/isa.h"
#include "kernels/ops.h"
#include "kernels/rnn.h"
#include "kernels/simd.h"
#include "kernels/vmath.h"

static uint32_t
parts_of (const NativertRnn *g)
{
  return (uint32_t) nativert_min_i64 (64, nativert_max_i64 (1, g->batch));
}

static bool
prepare (NativertPrep *p)
{
  NativertRnn *g = p->params;
  if (!nativert_rnn_describe (p, g))
    return false;
  for (int i = 0; i < p->n_out; i++)
    if (!nativert_view_is_contiguous (&p->out[i]))
      return nativert_no (p, "recurrences write contiguous results only");
  if (g->gates > 1 && p->in[nativert_arg_index (p, NATIVERT_RNN_W)].stride[0] != g->hidden)
    return nativert_no (p, "recurrent weight is not contiguous");
  p->params_size = sizeof *g;
  p->n_parts = parts_of (g);
  p->scratch_part = (size_t) (g->gates + 2 * g->hidden) * sizeof (double);
  p->cost = (uint64_t) ((double) g->time * (double) g->batch * (double) g->gates * (double) g->hidden);
  return true;
}

/* y[i] = w row i . h, four rows at a time. */
static void
times_state_F32 (float *y, const float *w, const float *h, int64_t rows, int64_t k)
{
  for (int64_t r = 0; r < rows; r += 4) {
    int n = (int) nativert_min_i64 (4, rows - r);
    V sum[4] = { v_zero (), v_zero (), v_zero (), v_zero () };
    float rest[4] = { 0 };
    int64_t i = 0;
    if (n == 4)
      for (; i + VL <= k; i += VL) {
        V x = v_load (h + i);
        NATIVERT_UNROLL for (int j = 0; j < 4; j++)
          sum[j] = v_fma (v_load (w + (r + j) * k + i), x, sum[j]);
      }
    for (; i < k; i++)
      for (int j = 0; j < n; j++)
        rest[j] += w[(r + j) * k + i] * h[i];
    for (int j = 0; j < n; j++)
      y[r + j] = v_sum (sum[j]) + rest[j];
  }
}

static void
times_state_F64 (double *y, const double *w, const double *h, int64_t rows, int64_t k)
{
  for (int64_t r = 0; r < rows; r++) {
    double sum = 0;
    for (int64_t i = 0; i < k; i++)
      sum += w[r * k + i] * h[i];
    y[r] = sum;
  }
}

#define SIGMOID_F32(x) nativert_sigmoidf (x)
#define TANH_F32(x) nativert_tanhf (x)
#define SIGMOID_F64(x) nativert_sigmoid (x)
#define TANH_F64(x) tanh (x)

/* One step: y = w_hh h + b_hh comes in, x = the gates of the input; h (and c) are replaced. */
#define RNN(ID, T)                                                                                                     \
  static void step_##ID (const NativertRnn *g, const T *restrict x, const T *restrict y, T *restrict h, T *restrict c) \
  {                                                                                                                    \
    int64_t n = g->hidden;                                                                                             \
    switch (g->mode) {                                                                                                 \
    case NATIVERT_RNN_LSTM:                                                                                            \
      for (int64_t i = 0; i < n; i++) {                                                                                \
        T in = SIGMOID_##ID (x[i] + y[i]), forget = SIGMOID_##ID (x[n + i] + y[n + i]);                                \
        T cell = TANH_##ID (x[2 * n + i] + y[2 * n + i]), out = SIGMOID_##ID (x[3 * n + i] + y[3 * n + i]);            \
        T next = forget * c[i] + in * cell;                                                                            \
        c[i] = next;                                                                                                   \
        h[i] = out * TANH_##ID (next);                                                                                 \
      }                                                                                                                \
      break;                                                                                                           \
    case NATIVERT_RNN_GRU:                                                                                             \
      for (int64_t i = 0; i < n; i++) {                                                                                \
        T reset = SIGMOID_##ID (x[i] + y[i]), update = SIGMOID_##ID (x[n + i] + y[n + i]);                             \
        T next = TANH_##ID (x[2 * n + i] + reset * y[2 * n + i]);                                                      \
        h[i] = next + update * (h[i] - next);                                                                          \
      }                                                                                                                \
      break;                                                                                                           \
    case NATIVERT_RNN_TANH:                                                                                            \
      for (int64_t i = 0; i < n; i++)                                                                                  \
        h[i] = TANH_##ID (x[i] + y[i]);                                                                                \
      break;                                                                                                           \
    default:                                                                                                           \
      for (int64_t i = 0; i < n; i++) {                                                                                \
        T next = x[i] + y[i];                                                                                          \
        h[i] = next <= 0 ? 0 : next;                                                                                   \
      }                                                                                                                \
    }                                                                                                                  \
  }                                                                                                                    \
  static void rnn_##ID (const NativertCall *call, uint32_t part)                                                       \
  {                                                                                                                    \
    const NativertRnn *g = call->params;                                                                               \
    bool lstm = g->mode == NATIVERT_RNN_LSTM;                                                                          \
    const T *w = call->in[lstm ? 3 : 2].data, *bias = g->bias < 0 ? NULL : call->in[g->bias].data;                     \
    T *y = (T *) nativert_call_scratch (call, part), *h = y + g->gates, *c = h + g->hidden;                            \
    size_t bytes = (size_t) g->hidden * sizeof (T);                                                                    \
    for (int64_t b = g->batch * part / parts_of (g); b < g->batch * (part + 1) / parts_of (g); b++) {                  \
      memcpy (h, (const T *) call->in[1].data + b * g->h_b, bytes);                                                    \
      if (lstm)                                                                                                        \
        memcpy (c, (const T *) call->in[2].data + b * g->c_b, bytes);                                                  \
      for (int64_t i = 0; i < g->time; i++) {                                                                          \
        int64_t t = g->reverse ? g->time - 1 - i : i;                                                                  \
        times_state_##ID (y, w, h, g->gates, g->hidden);                                                               \
        for (int64_t k = 0; bias && k < g->gates; k++)                                                                 \
          y[k] += bias[k];                                                                                             \
        step_##ID (g, (const T *) call->in[0].data + t * g->gates_t + b * g->gates_b, y, h, c);                        \
        memcpy ((T *) call->out[0].data + (t * g->batch + b) * g->hidden, h, bytes);                                   \
      }                                                                                                                \
      memcpy ((T *) call->out[1].data + b * g->hidden, h, bytes);                                                      \
      if (lstm)                                                                                                        \
        memcpy ((T *) call->out[2].data + b * g->hidden, c, bytes);                                                    \
    }                                                                                                                  \
  }
RNN (F32, float)
RNN (F64, double)

#define ROW(id, op)                                                                                                    \
  { NATIVERT_OP_##op, NATIVERT_##id, NATIVERT_DEVICE_CPU, NATIVERT_NEEDS, NATIVERT_ROW_NAME ("rnn"), prepare,          \
    rnn_##id },
static const NativertKernel rows[] = {
  ROW (F32, nativert_rnn) ROW (F64, nativert_rnn) ROW (F32, nativert_lstm) ROW (F64, nativert_lstm)
};
extern const NativertKernelSet NATIVERT_SET (rnn);
const NativertKernelSet NATIVERT_SET (rnn) = { rows, sizeof rows / sizeof rows[0], NATIVERT_STR (NATIVERT_ISA) };
