# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tensors out of numbers."""
import torch

F32, F64, F16, BF16 = torch.float32, torch.float64, torch.float16, torch.bfloat16
I64, I32, U8, BOOL = torch.int64, torch.int32, torch.uint8, torch.bool


def cases(g):
    for d in (None, F32, F64, F16, BF16, I64, I32, U8, BOOL):
        if d != BOOL:
            g("arange", 5, dtype=d)
            g("arange.start_step", 1, 10, 3, dtype=d)
            g("linspace", 0, 10, 5, dtype=d)
        g("full", [2, 3], 1, dtype=d)
        g("zeros", [2, 3], dtype=d)
        g("ones", [2, 3], dtype=d)
        g("scalar_tensor", 1, dtype=d)
        g("full_like", torch.randn(2, 3), 2, dtype=d)
        g("ones_like", torch.arange(3), dtype=d)
        g("zeros_like", torch.arange(3), dtype=d)
        g("new_full", torch.arange(3), [2], 3, dtype=d)
        g("new_zeros", torch.randn(3), [2, 0], dtype=d)
        g("new_ones", torch.randn(3), [], dtype=d)
        g("eye", 3, dtype=d)
        g("eye.m", 2, 4, dtype=d)
    g("arange", 0)
    g("arange", 2.5)
    g("arange.start", 3, 9)
    g("arange.start", -1.0, 1.0)
    g("arange.start_step", 0, 1, 0.1)
    g("arange.start_step", 10, 0, -3)
    g("arange.start_step", 0.5, 7, 0.5, dtype=F64)
    g("arange.start", 5, 3, fails=True)
    g("linspace", -1, 1, 7, tol=(1e-6, 1e-7))
    g("linspace", -1, 1, 1)
    g("linspace", 0.5, 3.5, 64, tol=(1e-6, 1e-7))
    g("full", [3], True)
    g("full", [3], 2.5)
    g("full", [], -float("inf"))
    g("full", [0, 2], 1)
    g("full", [-1], 1, fails=True)
    g("fill.Scalar", torch.arange(3), 2.7)
    g("fill.Tensor", torch.randn(2, 3), torch.tensor(4))
    g("zero", torch.randn(3))
