# SPDX-License-Identifier: LGPL-2.1-or-later
"""Recurrences: layers, directions, batch order, with and without bias; cells."""
import torch

TOL = {torch.float32: (1e-5, 1e-5), torch.float64: (1e-12, 1e-12)}


def weights(times, features, hidden, layers, directions, bias, dtype):
    out = []
    for layer in range(layers):
        for _ in range(directions):
            size = features if layer == 0 else hidden * directions
            out += [torch.randn(times * hidden, size, dtype=dtype) * 0.3, torch.randn(times * hidden, hidden, dtype=dtype) * 0.3]
            if bias:
                out += [torch.randn(times * hidden, dtype=dtype), torch.randn(times * hidden, dtype=dtype)]
    return out


def cases(g):
    for dtype, tol in TOL.items():
        for layers, both, bias, first in ((1, False, True, False), (2, True, True, True), (3, False, False, True)):
            n = 2 if both else 1
            x = torch.randn(2, 5, 6, dtype=dtype)
            batch = 2 if first else 5
            h, c = torch.randn(layers * n, batch, 7, dtype=dtype), torch.randn(layers * n, batch, 7, dtype=dtype)
            tail = (bias, layers, 0.0, False, both, first)
            g("lstm.input", x, [h, c], weights(4, 6, 7, layers, n, bias, dtype), *tail, tol=tol)
            g("gru.input", x, h, weights(3, 6, 7, layers, n, bias, dtype), *tail, tol=tol)
            g("rnn_tanh.input", x, h, weights(1, 6, 7, layers, n, bias, dtype), *tail, tol=tol)
            g("rnn_relu.input", x, h, weights(1, 6, 7, layers, n, bias, dtype), *tail, tol=tol)
        x, h, c = torch.randn(3, 6, dtype=dtype), torch.randn(3, 7, dtype=dtype), torch.randn(3, 7, dtype=dtype)
        g("lstm_cell", x, [h, c], *weights(4, 6, 7, 1, 1, True, dtype), tol=tol)
        g("gru_cell", x, h, *weights(3, 6, 7, 1, 1, True, dtype), tol=tol)
        g("rnn_tanh_cell", x, h, *weights(1, 6, 7, 1, 1, False, dtype), tol=tol)
