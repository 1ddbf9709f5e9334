# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sorting and the largest k.  Places of equal values are compared only where torch promises them (stable sort)."""
import torch

NAN, INF = float("nan"), float("inf")


def cases(g):
    odd = torch.tensor([3.0, NAN, -INF, 0.0, INF, 2.0, NAN, -1.0])
    for dtype in (torch.float32, torch.float64, torch.bfloat16, torch.int64, torch.int32, torch.uint8):
        x = torch.randperm(24).reshape(2, 3, 4).to(dtype)
        for dim in (0, 1, -1):
            for descending in (False, True):
                g("sort", x, dim, descending)
                g("argsort", x, dim, descending)
            g("topk", x, 2, dim)
            g("topk", x, 1, dim, False)
    ties = torch.tensor([[2, 1, 2, 1, 0, 2], [0, 0, 0, 1, 1, 1]])
    for descending in (False, True):
        g("sort.stable", ties, stable=True, dim=1, descending=descending)
        g("sort.stable", ties > 1, stable=True, dim=1, descending=descending)
        g("argsort.stable", ties, stable=True, dim=0, descending=descending)
        g("sort.stable", odd, stable=True, dim=0, descending=descending)
    g("topk", torch.tensor([3.0, NAN, -INF, 0.0, INF, 2.0, -1.0]), 4)
    g("topk", torch.tensor([3.0, NAN, -INF, 0.0, INF, 2.0, -1.0]), 4, 0, False)
    g("sort", torch.tensor(4.0))
    g("topk", torch.tensor(4.0), 1)
    g("topk", torch.randn(3, 5), 0)
    g("topk", torch.randperm(1000).float(), 300)
    g("sort", torch.empty(2, 0))
    g("sort", torch.randperm(12).reshape(3, 4).float().t(), 0)
    g("topk", torch.randn(3), 4, fails=True)
    g("topk", torch.randn(3), -1, fails=True)
    g("sort", torch.randn(3), 2, fails=True)
