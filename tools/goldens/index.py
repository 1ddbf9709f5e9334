# SPDX-License-Identifier: LGPL-2.1-or-later
"""Indexing, scatter, padding, rearranging, sorting."""
import torch

F32, F64, F16, BF16 = torch.float32, torch.float64, torch.float16, torch.bfloat16
I64, I32, U8, BOOL = torch.int64, torch.int32, torch.uint8, torch.bool
NAN, INF = float("nan"), float("inf")


def cases(g):
    indexing(g)
    scattering(g)
    padding(g)
    rearranging(g)
    sorting(g)


def indexing(g):
    x, i, j = torch.randn(4, 5, 6), torch.tensor([3, 0, -1]), torch.tensor([[1, 2, 0]])
    for ix in ([i], [None, i], [None, None, i], [i, j], [None, i, j], [i, None, j], [i, j, i], [j.t(), j], [None, j], [torch.tensor(2)], [i[:0]]):
        g("index.Tensor", x, ix)
        g("index.Tensor", x.transpose(0, 2)[:, ::2] if len(ix) == 1 else x.permute(0, 2, 1).contiguous().permute(0, 2, 1), ix)
    g("index.Tensor", torch.rand(3, 3) > 0.5, [torch.tensor([0, 2]), torch.tensor([1, 1])])
    g("index.Tensor", torch.arange(9), [i.int()])
    g("index.Tensor", torch.arange(9).to(torch.complex128), [i])
    g("index.Tensor", x, [torch.tensor([4])], fails=True)
    g("index.Tensor", x, [torch.tensor([-5])], fails=True)
    g("index.Tensor", x, [torch.rand(4) > 0.5], fails=True)
    for dim in (0, 1, -1):
        g("index_select", x, dim, torch.tensor([2, 2, 0]))
        g("index_select", x.transpose(0, 2), dim, torch.tensor([3, 1], dtype=I32))
    g("index_select", torch.tensor(3.0), 0, torch.tensor([0]))
    g("index_select", x, 0, torch.tensor([9]), fails=True)
    w = torch.randn(10, 7)
    g("embedding", w, torch.tensor([[1, 9], [0, 3]]))
    g("embedding", w.half(), torch.tensor([1, 2], dtype=I32))
    g("embedding", w.t().contiguous().t(), torch.tensor(3))
    g("embedding", w, torch.tensor([10]), fails=True)
    for dim in (0, 1, 2, -1):
        shape = [3, 4, 5]
        k = torch.randint(0, x.shape[dim], shape)
        g("gather", x, dim, k)
        g("gather", x.permute(0, 2, 1).contiguous().permute(0, 2, 1).to(F64), dim, k)
    g("gather", x, 1, torch.full((2, 2, 2), 7), fails=True)
    g("gather", torch.tensor(1.5), 0, torch.tensor(0))
    g("take_along_dim", x, torch.randint(0, 6, (4, 1, 2)), 2)
    g("take_along_dim", x, torch.tensor([3, 7]))


def scattering(g):
    x, i, j = torch.randn(4, 5, 6), torch.tensor([3, 0, 2]), torch.tensor([[1, 2, 0]])
    for acc in (False, True):
        g("index_put", x, [i], torch.randn(3, 5, 6), acc)
        g("index_put", x, [None, i], torch.randn(4, 3, 1), acc)
        g("index_put", x, [i, j], torch.tensor(2.0), acc)
        g("index_put", x, [i, None, j], torch.randn(1, 3, 5), acc)
        g("index_put", torch.arange(6), [torch.tensor([1, 1, 2])], torch.tensor([5, 5, 7]), acc)
        g("index_put", x.transpose(0, 1), [i], torch.randn(6), acc)
    g("index_put", x, [torch.tensor([4])], torch.randn(1), fails=True)
    g("index_copy", x, 1, i, torch.randn(4, 3, 6))
    g("index_add", x, 1, torch.tensor([1, 1, 2]), torch.randn(4, 3, 6), tol=(1e-6, 1e-6))
    g("index_add", x, 2, torch.tensor([1, 1]), torch.randn(4, 5, 2), alpha=2, tol=(1e-6, 1e-6))
    g("index_fill.int_Scalar", x, 1, i, 3.0)
    k = torch.randint(0, 3, (2, 4, 5))
    k[0, 0] = torch.arange(5) % 3
    y = torch.randn(3, 4, 5)
    src = torch.randn(3, 4, 6)
    unique = torch.stack([torch.randperm(4)[:3] for _ in range(10)]).view(2, 5, 3).transpose(1, 2)
    g("scatter.src", y, 1, unique, src)
    g("scatter.value", y, 0, k, 2.5)
    g("scatter.value", torch.zeros(3, 4, 5, dtype=I64), 0, k, 2)
    g("scatter_add", y, 0, k, src, tol=(1e-6, 1e-6))
    for how in ("sum", "prod", "amax", "amin"):
        g("scatter_reduce.two", y, 0, k, src, how, tol=(1e-5, 1e-6))
    g("scatter.reduce", y, 0, k, src, reduce="add", tol=(1e-6, 1e-6))
    g("scatter_add", y, 0, k + 3, src, fails=True)
    g("slice_scatter", x, torch.randn(4, 2, 6), 1, 1, 3)
    g("slice_scatter", x, torch.randn(4, 5, 3), 2, 0, 100, 2)
    g("slice_scatter", x, torch.randn(2, 5, 6), 0, -2)
    g("slice_scatter", x.transpose(0, 2), torch.randn(6, 5, 1), 2, 1, 2)
    g("slice_scatter", x, torch.randn(4, 5, 6))
    g("select_scatter", x, torch.randn(4, 6), 1, -1)
    g("select_scatter", x, torch.randn(5, 6), 0, 2)


def padding(g):
    x = torch.randn(2, 3, 4, 5)
    for p in ([1, 2], [0, 1, 2, 0], [1, 1, 0, 0, 2, 1], [0, 0, 1, 0, 0, 0, 0, 3], [-1, 2], [-1, -1, 1, -2], [0, 0], [-2, 0, 0, -1]):
        g("constant_pad_nd", x, p)
        g("constant_pad_nd", x.transpose(1, 3), p, -INF)
        g("pad", x, p, "constant", 1.5)
    g("constant_pad_nd", torch.arange(4), [1, 1], 7)
    g("constant_pad_nd", torch.tensor([True]), [1, 1])
    g("constant_pad_nd", torch.randn(3).half(), [1, 1], 0.1)
    g("pad", x, [1, 2])
    for mode in ("reflect", "replicate", "circular"):
        g("pad", x, [1, 2, 3, 0], mode)
        g("pad", x[0], [2, 1], mode)
    g("reflection_pad2d", x, [1, 2, 3, 0])
    g("replication_pad1d", x[0], [4, 2])
    g("replication_pad3d", x[None], [1, 0, 2, 1, 0, 2])
    g("pad", x, [5, 0], "reflect", fails=True)
    g("constant_pad_nd", x, [-3, -3], fails=True)


def rearranging(g):
    x = torch.randn(2, 3, 4)
    g("roll", x, [1], [1])
    g("roll", x, [-1, 5], [0, 2])
    g("roll", x, [5])
    g("roll", x, [0], [0])
    for d in ([0], [1, 2], [-1], []):
        g("flip", x, d)
    g("flip", x.transpose(0, 2), [0, 1])
    g("flip", torch.arange(300), [0])
    for r in ([2, 1, 3], [2, 1, 1, 1], [1, 1, 1], [0, 1, 1], [2, 3, 2, 2]):
        g("repeat", x, r)
    g("tile", x, [2])
    g("tile", x, [2, 1, 1, 3])
    g("repeat", x, [2], fails=True)
    g("repeat_interleave.self_int", x, 3, 1)
    g("repeat_interleave.self_int", x, 2)
    y = torch.randn(2, 12, 3, 5)
    g("pixel_shuffle", y, 2)
    g("pixel_shuffle", y[0, :9], 3)
    g("pixel_unshuffle", torch.randn(2, 3, 4, 6), 2)
    g("channel_shuffle", y, 3)
    for k in (0, 1, -2):
        g("tril", torch.randn(4, 5), k)
        g("triu", torch.randn(2, 4, 5), k)
    g("tril", torch.ones(3, 3, dtype=BOOL))
    z = torch.randn(2, 3, 7, 8)
    g("im2col", z, [3, 3], [1, 1], [1, 1], [2, 2])
    g("im2col", z[0], [2, 3], [2, 1], [0, 1], [1, 2])
    g("col2im", torch.randn(2, 27, 16), [7, 8], [3, 3], [1, 1], [1, 1], [2, 2], tol=(1e-6, 1e-6))
    g("col2im", torch.randn(18, 6), [4, 7], [2, 3], [2, 1], [0, 1], [1, 3], tol=(1e-6, 1e-6)) if False else None
    g("diff", torch.randn(3, 6))
    g("diff", torch.randn(3, 6), 2, 0)
    g("diff", torch.randn(3), 1, -1, torch.randn(1), torch.randn(2))
    g("outer", torch.randn(3), torch.randn(4))
    g("hstack", [torch.randn(2), torch.randn(3)])
    g("hstack", [torch.randn(2, 1), torch.randn(2, 3)])
    g("vstack", [torch.randn(3), torch.randn(3)])
    g("_weight_norm", torch.randn(3, 4, 5), torch.randn(3, 1, 1), tol=(1e-6, 1e-6))
    g("one_hot", torch.tensor([0, 2, 1]), 4)


def sorting(g):
    x = torch.randn(3, 40)
    n = x.clone()
    n[0, 3], n[1, 5], n[2, 0], n[2, 9] = NAN, INF, -INF, NAN
    ties = torch.randint(0, 5, (4, 33))
    for d in (False, True):
        g("sort", x, -1, d)
        g("sort", x, 0, d)
        g("sort", n, -1, d)
        g("sort.stable", ties, stable=True, dim=1, descending=d)
        g("argsort", x, 1, d)
        g("argsort.stable", ties.to(U8), stable=True, dim=0, descending=d)
        g("topk", x, 3, -1, d)
        g("topk", x, 30, -1, d)
        g("topk", x.t().contiguous(), 2, 0, d)
    g("topk", torch.randn(500).half().float().unique(), 7)
    g("topk", torch.randperm(50), 5)
    g("topk", x, 41, fails=True)
    g("sort", torch.tensor(2.0))
    b = torch.tensor([1.0, 2, 3, 5])
    v = torch.tensor([[0.5, 1], [3, 9]])
    for right in (False, True):
        g("bucketize.Tensor", v, b, right=right)
        g("bucketize.Tensor", v, b, out_int32=True, right=right)
        g("searchsorted.Tensor", torch.sort(x).values, x[:, :5].contiguous(), right=right)
    g("bucketize.Tensor", torch.arange(5), torch.tensor([1, 3]))
