# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reductions and running sums."""
import torch

F32, F64, F16, BF16 = torch.float32, torch.float64, torch.float16, torch.bfloat16
I64, I32, U8, BOOL = torch.int64, torch.int32, torch.uint8, torch.bool
NAN, INF = float("nan"), float("inf")
TOL = {F32: (2e-6, 2e-6), F64: (1e-13, 1e-13), F16: (2e-3, 1e-3), BF16: (1.6e-2, 1e-2)}


def cases(g):
    for dtype in (F32, F64, F16, BF16):
        x = torch.randn(3, 4, 37).to(dtype)
        t = TOL[dtype]
        for dims in ([0], [1], [-1], [0, 1], [1, 2], [0, 2], [0, 1, 2], []):
            for keep in (False, True):
                g("sum.dim_IntList", x, dims, keep, tol=t)
                g("mean.dim", x, dims, keep, tol=t)
                if dtype == F32:
                    g("amax", x, dims, keep)
                    g("amin", x, dims, keep)
                    g("var.correction", x, dims, correction=0, keepdim=keep, tol=t)
                    g("linalg_vector_norm", x, 2, dims or None, keep, tol=t)
        g("mean.dim", x.permute(2, 0, 1), [0], tol=t)
        g("sum.dim_IntList", x.permute(2, 0, 1)[::2], [1, 2], tol=t)
        g("sum", x, tol=t)
        g("mean", x, tol=t)
        g("max", x)
        g("min", x)
        g("prod.dim_int", x[..., :5], -1, tol=t)
        g("var.correction", x, [1], tol=t)
        g("var.dim", x, [-1], False, True, tol=t)
        g("std.correction", x, [1], correction=1, tol=t)
        g("var_mean.correction", x, [0, 2], correction=0, keepdim=True, tol=t)
        g("max.dim", x, 1)
        g("min.dim", x, -1, True)
        g("argmax", x, 0)
        g("argmin", x)
        g("cumsum", x, 1, tol=t)
        g("cumsum", x, -1, tol=t)
        g("logsumexp", x, [1], tol=t)
        for p in (0, 1, 2, 3, INF, -INF) + (() if dtype in (F16, BF16) else (0.5,)):
            g("linalg_vector_norm", x, p, [-1], tol=(5e-3, 1e-2) if dtype in (F16, BF16) else (1e-5, 1e-5))
    big = torch.rand(20000) + 0.5
    g("sum", big, tol=(1e-6, 0))
    g("mean.dim", big.view(4, 5000), [1], tol=(1e-6, 0))
    g("mean.dim", torch.randn(300, 70), [0], tol=(2e-6, 1e-6))
    g("mean.dim", torch.randn(2, 8, 7, 7), [-1, -2], True, tol=(2e-6, 1e-6))
    i = torch.randint(-9, 9, (4, 5))
    for dtype in (I64, I32, U8, BOOL):
        x = i.to(dtype)
        g("sum", x)
        g("sum.dim_IntList", x, [1])
        g("cumsum", x, 1)
        g("prod.dim_int", x, 0)
        g("prod", x)
        g("amax", x, [0])
        g("any.dim", x, 1)
        g("all.dim", x, 1, True)
        g("any", x)
        g("all", x)
        g("max.dim", x, 1)
        if dtype != BOOL:
            g("argmin", x, 1, True)
    g("sum", i, dtype=F32)
    g("sum.dim_IntList", torch.randn(4), [0], dtype=F64, tol=(1e-12, 0))
    g("sum.dim_IntList", i, [0], dtype=I32)
    g("cumsum", i, 0, dtype=F32)
    g("cumprod", torch.rand(3, 5) + 0.5, 1, tol=TOL[F32])
    g("mean.dim", i, [0], fails=True)
    g("mean.dim", torch.randn(3), [1], fails=True)
    g("sum.dim_IntList", torch.randn(3, 3), [0, 0], fails=True)
    g("mean.dim", torch.randn(3, 4).half(), [0], dtype=F32, tol=TOL[F32])
    n = torch.randn(6, 40)
    n[1, 3], n[2, 0], n[3, 39], n[4] = NAN, INF, -INF, NAN
    for op in ("amax", "amin"):
        g(op, n, [1])
        g(op, n, [0])
        g(op, torch.randn(0, 3), [0], fails=True)
    g("max.dim", n, 1)
    g("min.dim", n, 0)
    g("argmax", n)
    g("argmax", torch.tensor([1.0, 3, 3, 2]), 0)
    g("argmax", torch.tensor(2.0))
    g("argmax", i, keepdim=True)
    g("any.dim", n, 1)
    g("any.dims", n, [0, 1])
    g("all.dims", n, None)
    g("_is_all_true", torch.tensor([True, True]))
    g("sum", torch.zeros(0))
    g("mean", torch.zeros(0))
    g("sum.dim_IntList", torch.randn(3, 0), [1])
    g("any", torch.zeros(0, dtype=BOOL))
    g("all", torch.zeros(0, dtype=BOOL))
    g("sum", torch.tensor(3.0))
    g("linalg_norm", torch.randn(3, 4), None, tol=TOL[F32])
    g("linalg_norm", torch.randn(3, 4), None, [1], tol=TOL[F32])
    g("norm.ScalarOpt_dim", torch.randn(3, 4), 1, [0], True, tol=TOL[F32])
    g("logsumexp", torch.full((2, 3), -INF), [1], True)
