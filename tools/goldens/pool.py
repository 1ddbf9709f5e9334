# SPDX-License-Identifier: LGPL-2.1-or-later
"""Poolings: windows, borders, ceil_mode, NaN, adaptive windows."""
import torch

F32, F64, BF16 = torch.float32, torch.float64, torch.bfloat16
NAN, INF = float("nan"), float("inf")


def cases(g):
    for dtype, tol in ((F32, (1e-6, 1e-6)), (F64, (1e-13, 1e-13)), (BF16, (1e-2, 1e-2))):
        x = torch.randn(2, 3, 11, 13).to(dtype)
        x[0, 0, 3, 3], x[0, 1, 0, 0], x[1, 2, 10, 12] = NAN, INF, -INF
        y = torch.randn(2, 3, 11, 13).to(dtype)
        for k, s, p, d, c in ((3, 2, 1, 1, 0), (2, 2, 0, 1, 0), (2, 2, 0, 1, 1), (5, 1, 2, 1, 0), (3, 2, 0, 1, 1), (3, 2, 1, 2, 1), (2, 1, 0, 1, 0), (3, 3, 1, 1, 1)):
            g("max_pool2d", x, [k, k], [s, s], [p, p], [d, d], bool(c))
            g("max_pool2d_with_indices", x, [k, k], [s, s], [p, p], [d, d], bool(c))
        for k, s, p, c, count, div in ((3, 2, 1, 0, 1, None), (3, 2, 1, 1, 0, None), (3, 2, 1, 1, 1, None), (2, 2, 0, 0, 1, None), (3, 1, 1, 0, 1, 5), (7, 1, 0, 0, 1, None)):
            g("avg_pool2d", y, [k, k], [s, s], [p, p], bool(c), bool(count), div, tol=tol)
        g("avg_pool2d", y, [2, 3], [], tol=tol)
        g("max_pool2d", y[0], [2, 1], [2, 1])
        for size in ([1, 1], [7, 7], [2, 5], [11, 13], [20, 17]):
            g("adaptive_avg_pool2d", y, size, tol=tol)
            g("_adaptive_avg_pool2d", y, size, tol=tol)
            g("adaptive_max_pool2d", x, size)
        g("avg_pool1d", y[0], [3], [2], [1], tol=tol)
        g("max_pool1d", y[0], [3], [2], [1])
        g("adaptive_avg_pool1d", y[0], [5], tol=tol)
        g("adaptive_max_pool1d", y[0], [5])
        z = torch.randn(1, 2, 5, 6, 7).to(dtype)
        g("max_pool3d", z, [3, 3, 3], [1, 2, 2], [1, 1, 1])
        g("max_pool3d_with_indices", z, [2, 2, 2], [2, 2, 2], [0, 0, 0], [1, 1, 1], True)
        if dtype != BF16:
            g("avg_pool3d", z, [2, 3, 3], [2, 2, 2], [1, 1, 1], tol=tol)
        g("adaptive_avg_pool3d", z, [1, 1, 1], tol=tol)
        g("adaptive_avg_pool3d", z, [2, 4, 3], tol=tol)
    x = torch.randn(1, 4, 8, 8)
    g("max_pool2d", x.contiguous(memory_format=torch.channels_last), [3, 3], [2, 2], [1, 1])
    g("avg_pool2d", x.transpose(2, 3), [2, 2], tol=(1e-6, 1e-6))
    g("max_pool2d", torch.randint(-50, 50, (1, 2, 8, 8)), [3, 3], [2, 2], [1, 1])
    g("max_pool2d", x, [0, 3], fails=True)
    g("max_pool2d", x, [3, 3], [-1, 1], fails=True)
    g("max_pool2d", x, [3, 3], [1, 1], [2, 2], fails=True)
    g("max_pool2d", x, [9, 9], fails=True)
    g("avg_pool2d", x, [3, 3], [0, 1], fails=True)
    g("avg_pool2d", x, [3, 3], [1, 1], [0, 0], False, True, 0, fails=True)
