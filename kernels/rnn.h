/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One direction of one recurrent layer over time, the products with the inputs already made:
 *   gates [time, batch, k x hidden] holds input x w_ih' + b_ih, k = 4 (LSTM: i f g o), 3 (GRU: r z n) or 1. */
#pragma once
#include "kernel.h"

typedef enum { NATIVERT_RNN_LSTM, NATIVERT_RNN_GRU, NATIVERT_RNN_TANH, NATIVERT_RNN_RELU } NativertRnnMode;

typedef struct {
  int64_t time, batch, hidden, gates;           /* gates: 4, 3 or 1 times hidden */
  int64_t gates_t, gates_b, h_b, c_b;           /* strides of time and batch; hidden is contiguous */
  int8_t bias;                                  /* index in in[], -1 = none */
  uint8_t mode;
  bool reverse;
} NativertRnn;

enum {
  NATIVERT_RNN_GATES,
  NATIVERT_RNN_H,
  NATIVERT_RNN_C,
  NATIVERT_RNN_W,
  NATIVERT_RNN_B,
  NATIVERT_RNN_MODE,
  NATIVERT_RNN_REVERSE
};

bool nativert_rnn_describe (NativertPrep *p, NativertRnn *g);
