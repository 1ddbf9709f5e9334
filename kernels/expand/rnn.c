/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* LSTM, GRU and plain recurrences: layer by layer and direction by direction, one large product for all inputs, then
 * nativert::lstm or nativert::rnn walks through time. */
#include "kernels/args.h"
#include "kernels/ops.h"
#include "kernels/rnn.h"

enum { INPUT, HX, PARAMS, HAS_BIASES, NUM_LAYERS, DROPOUT, TRAIN, BIDIRECTIONAL, BATCH_FIRST };
enum { LAYERS_MOST = 64 };

typedef struct { NativertRef all, h, c; } Layer;
typedef struct { NativertRef w_ih, w_hh, b_ih, b_hh; } Weights;

static NativertArg
optional (NativertRef ref)
{
  return ref == NATIVERT_NO_REF ? NATIVERT_NONE : NATIVERT_T (ref);
}

/* x [time, batch, features], h and c [batch, hidden] */
static Layer
run_layer (
    NativertEmit *e, NativertRnnMode mode, NativertRef x, NativertRef h, NativertRef c, const Weights *w, bool reverse)
{
  Layer l = { NATIVERT_NO_REF, NATIVERT_NO_REF, NATIVERT_NO_REF };
  NativertRef result[3] = { NATIVERT_NO_REF, NATIVERT_NO_REF, NATIVERT_NO_REF };
  NativertRef gates = nativert_emit (e, NATIVERT_OP_nativert_linear, NATIVERT_T (x), NATIVERT_T (w->w_ih),
      optional (w->b_ih), NATIVERT_NONE, NATIVERT_I (NATIVERT_ACT_NONE), NATIVERT_F (0), NATIVERT_F (0));
  if (gates == NATIVERT_NO_REF)
    return l;
  bool lstm = mode == NATIVERT_RNN_LSTM;
  NativertArg arg[] = { NATIVERT_T (gates), NATIVERT_T (h), lstm ? NATIVERT_T (c) : NATIVERT_NONE, NATIVERT_T (w->w_hh),
    optional (w->b_hh), NATIVERT_I (mode), NATIVERT_B (reverse) };
  if (e->op (e, lstm ? NATIVERT_OP_nativert_lstm : NATIVERT_OP_nativert_rnn, 7, arg, lstm ? 3 : 2, result))
    l = (Layer) { result[0], result[1], result[2] };
  return l;
}

static NativertRef
pick (NativertEmit *e, NativertRef states, int64_t i)
{
  return states == NATIVERT_NO_REF ? states
    : nativert_emit (e, NATIVERT_OP_select_int, NATIVERT_T (states), NATIVERT_I (0), NATIVERT_I (i));
}

static NativertRef
stack (NativertEmit *e, const int64_t *refs, uint32_t n)
{
  return nativert_emit (e, NATIVERT_OP_stack_default, NATIVERT_TS (refs, n), NATIVERT_I (0));
}

static NativertRef
tensor_of (const NativertPrep *p, const NativertArg *list, uint32_t i)
{
  int64_t index = list->kind == NATIVERT_ARG_TENSORS && i < list->n ? list->u.ints[i] : -1;
  return index < 0 || index >= p->n_in ? NATIVERT_NO_REF : p->ref[index];
}

/* One recurrent network of ATen: (input, hx, params, has_biases, num_layers, dropout, train, bidirectional,
 * batch_first). */
static bool
network (NativertEmit *e, NativertPrep *p, NativertRnnMode mode, NativertRef h, NativertRef c, NativertRef *out)
{
  const NativertArg *params = &p->arg[PARAMS];
  const NativertView *x = nativert_arg_view (p, INPUT);
  bool biases = nativert_arg_int (p, HAS_BIASES, 0), both = nativert_arg_int (p, BIDIRECTIONAL, 0),
       first = nativert_arg_int (p, BATCH_FIRST, 0);
  int64_t layers = nativert_arg_int (p, NUM_LAYERS, 1), per = biases ? 4 : 2, directions = both ? 2 : 1;
  if (layers < 1 || layers > LAYERS_MOST || params->kind != NATIVERT_ARG_TENSORS
      || params->n != layers * directions * per)
    return nativert_no (p, "%lld layers with %u weights, want %lld (projections are not supported)", (long long) layers,
        params->n, (long long) (layers * directions * per));
  if (!x || x->ndim != 3)
    return nativert_no (p, "recurrent input has %d dimensions, want 3", x ? x->ndim : -1);
  if (nativert_arg_int (p, TRAIN, 0) && nativert_arg_float (p, DROPOUT, 0) != 0)
    return nativert_no (p, "recurrence in training mode with dropout");
  int64_t last_h[2 * LAYERS_MOST], last_c[2 * LAYERS_MOST];
  NativertRef at = p->ref[p->arg[INPUT].u.i];
  if (first)
    at = nativert_emit (e, NATIVERT_OP_transpose_int, NATIVERT_T (at), NATIVERT_I (0), NATIVERT_I (1));
  uint32_t n = 0;
  for (int64_t l = 0; l < layers; l++) {
    int64_t all[2];
    for (int64_t d = 0; d < directions; d++, n++) {
      uint32_t k = n * (uint32_t) per;
      Weights w = { tensor_of (p, params, k), tensor_of (p, params, k + 1), NATIVERT_NO_REF, NATIVERT_NO_REF };
      if (biases) {
        w.b_ih = tensor_of (p, params, k + 2);
        w.b_hh = tensor_of (p, params, k + 3);
      }
      Layer layer = run_layer (e, mode, at, pick (e, h, n), pick (e, c, n), &w, d == 1);
      if (layer.all == NATIVERT_NO_REF)
        return false;
      all[d] = layer.all;
      last_h[n] = layer.h;
      last_c[n] = layer.c;
    }
    at = both ? nativert_emit (e, NATIVERT_OP_cat_default, NATIVERT_TS (all, 2), NATIVERT_I (2)) : (NativertRef) all[0];
  }
  if (first)
    at = nativert_emit (e, NATIVERT_OP_transpose_int, NATIVERT_T (at), NATIVERT_I (0), NATIVERT_I (1));
  out[0] = at;
  out[1] = stack (e, last_h, n);
  if (mode == NATIVERT_RNN_LSTM)
    out[2] = stack (e, last_c, n);
  return out[0] != NATIVERT_NO_REF && out[1] != NATIVERT_NO_REF;
}

NATIVERT_EXPAND (lstm)
{
  if (p->arg[HX].kind != NATIVERT_ARG_TENSORS || p->arg[HX].n != 2)
    return nativert_no (p, "lstm wants two states");
  return network (e, p, NATIVERT_RNN_LSTM, tensor_of (p, &p->arg[HX], 0), tensor_of (p, &p->arg[HX], 1), out);
}

static NativertRnnMode
mode_of (uint16_t op)
{
  switch (op) {
  case NATIVERT_OP_gru_input:
  case NATIVERT_OP_gru_cell_default: return NATIVERT_RNN_GRU;
  case NATIVERT_OP_rnn_relu_input:
  case NATIVERT_OP_rnn_relu_cell_default: return NATIVERT_RNN_RELU;
  default: return NATIVERT_RNN_TANH;
  }
}

NATIVERT_EXPAND (rnn)
{
  int h = nativert_arg_index (p, HX);
  return network (e, p, mode_of (p->op), h < 0 ? NATIVERT_NO_REF : p->ref[h], NATIVERT_NO_REF, out);
}

/* Cells: (input, hx, w_ih, w_hh, b_ih, b_hh), one step. */
static bool
cell (NativertEmit *e, NativertPrep *p, NativertRnnMode mode, NativertRef h, NativertRef c, NativertRef *out)
{
  NativertRef w[4];
  for (unsigned i = 0; i < 4; i++) {
    int index = nativert_arg_index (p, 2 + i);
    w[i] = index < 0 ? NATIVERT_NO_REF : p->ref[index];
  }
  int x = nativert_arg_index (p, 0);
  if (x < 0 || p->in[x].ndim != 2 || w[0] == NATIVERT_NO_REF || w[1] == NATIVERT_NO_REF)
    return nativert_no (p, "recurrent cell's input has %d dimensions, want 2", x < 0 ? -1 : p->in[x].ndim);
  NativertRef at = nativert_emit (e, NATIVERT_OP_unsqueeze_default, NATIVERT_T (p->ref[x]), NATIVERT_I (0));
  Layer layer = run_layer (e, mode, at, h, c, &(Weights) { w[0], w[1], w[2], w[3] }, false);
  out[0] = layer.h;
  if (mode == NATIVERT_RNN_LSTM)
    out[1] = layer.c;
  return layer.h != NATIVERT_NO_REF;
}

NATIVERT_EXPAND (lstm_cell)
{
  if (p->arg[1].kind != NATIVERT_ARG_TENSORS || p->arg[1].n != 2)
    return nativert_no (p, "lstm_cell wants two states");
  return cell (e, p, NATIVERT_RNN_LSTM, tensor_of (p, &p->arg[1], 0), tensor_of (p, &p->arg[1], 1), out);
}

NATIVERT_EXPAND (rnn_cell)
{
  int h = nativert_arg_index (p, 1);
  return cell (e, p, mode_of (p->op), h < 0 ? NATIVERT_NO_REF : p->ref[h], NATIVERT_NO_REF, out);
}
