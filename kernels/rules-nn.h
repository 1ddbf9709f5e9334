/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prototypes of the shape and expand functions of products, convolutions, pools, resizes, attention and recurrences.
 * Included by rules.h, which has the macros. */
#pragma once

NATIVERT_SHAPE (conv);
NATIVERT_SHAPE (conv_transpose);
NATIVERT_EXPAND (conv);
NATIVERT_EXPAND (conv_padding);
NATIVERT_EXPAND (conv_transpose);
NATIVERT_EXPAND (convolution);
NATIVERT_SHAPE (attention);
NATIVERT_SHAPE (gemm);
NATIVERT_SHAPE (pool);
NATIVERT_EXPAND (linear);
NATIVERT_SHAPE (resize);
NATIVERT_SHAPE (grid_sampler);
NATIVERT_SHAPE (rnn);
NATIVERT_EXPAND (addbmm);
NATIVERT_EXPAND (einsum);
NATIVERT_EXPAND (lstm);
NATIVERT_EXPAND (rnn);
NATIVERT_EXPAND (lstm_cell);
NATIVERT_EXPAND (rnn_cell);
