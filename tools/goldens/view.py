# SPDX-License-Identifier: LGPL-2.1-or-later
"""Views, copies, casts, concatenation."""
import torch


def cases(g):
    x = torch.randn(2, 3, 4)
    t = x.transpose(1, 2)
    for size in ([6, 4], [2, -1], [-1], [2, 3, 2, 2], [1, 2, 1, 3, 4]):
        g("view", x, size)
        g("reshape", t, [24 if s == -1 and len(size) == 1 else s for s in size])
    g("view", torch.randn(0, 3), [3, 0])
    g("view", torch.tensor(2.0), [1, 1])
    g("view", t, [24], fails=True)
    g("view", x, [5, -1], fails=True)
    g("reshape", t, [5, 5], fails=True)
    g("flatten.using_ints", x, 1)
    g("flatten.using_ints", t, 0, 1)
    g("flatten.using_ints", torch.tensor(1.0))
    g("unflatten.int", x, -1, [2, -1])
    g("expand", torch.randn(3, 1), [2, 3, 4])
    g("expand", torch.randn(3, 1), [-1, 4])
    g("expand", torch.randn(3, 2), [3, 3], fails=True)
    g("expand_as", torch.randn(4), x)
    g("permute", x, [2, 0, -2])
    g("permute", x, [0, 0, 1], fails=True)
    g("transpose.int", x, 0, -1)
    g("t", torch.randn(2, 3))
    g("t", torch.randn(3))
    g("numpy_T", x)
    g("select.int", x, 1, -1)
    g("select.int", x, 1, 3, fails=True)
    for a in ((0, 1, None), (1, 0, 2), (2, -3, -1), (2, 0, 100), (2, 1, 2 ** 63 - 1, 2), (1, 5, 2), (2, -100, 3, 3)):
        g("slice.Tensor", x, *a)
    g("slice.Tensor", x, 2, 0, 4, 0, fails=True)
    g("narrow", x, 2, 1, 2)
    g("narrow", x, 2, 3, 2, fails=True)
    g("unsqueeze", x, -1)
    g("unsqueeze", x, 1)
    g("unsqueeze", x, 4, fails=True)
    y = torch.randn(1, 3, 1)
    g("squeeze", y)
    g("squeeze.dim", y, 0)
    g("squeeze.dim", y, 1)
    g("squeeze.dims", y, [0, -1])
    g("split.Tensor", x, 3, 2)
    g("split_with_sizes", x, [1, 0, 3], -1)
    g("split_with_sizes", x, [1, 1], -1, fails=True)
    g("chunk", x, 3, 2)
    g("chunk", torch.randn(5), 4)
    g("tensor_split.indices", x, [1, 3], 2)
    g("tensor_split.indices", x, [3, 1, -1], 2)
    g("tensor_split.sections", torch.randn(7), 3)
    g("unbind.int", x, 1)
    g("unfold", torch.randn(7, 2), 0, 3, 2)
    g("diagonal", torch.randn(3, 4, 5), 1, 0, -1)
    g("diagonal", torch.randn(3, 4), -2)
    g("as_strided", torch.randn(24), [2, 3], [1, 7], 3)
    g("as_strided", torch.randn(24), [2, 30], [1, 7], 3, fails=True)
    c = torch.randn(3, 2, dtype=torch.complex64)
    g("view_as_real", c)
    g("view_as_complex", torch.randn(3, 2))
    g("real", c)
    g("imag", c)
    g("view.dtype", torch.randn(3), torch.int32)
    g("alias", t)
    g("dropout", x, 0.5, False)
    g("dropout", x, 0.5, True, fails=True)
    g("movedim.int", x, 0, 2)
    g("movedim.intlist", x, [0, 1], [2, 0])
    g("meshgrid.indexing", [torch.arange(3), torch.arange(2)], indexing="ij")
    g("meshgrid.indexing", [torch.arange(3), torch.arange(2), torch.arange(4)], indexing="xy")
    g("item", torch.tensor([2.5]))
    g("item", torch.tensor([2, 3]), fails=True)
    casts(g)
    copies(g)


def casts(g):
    types = [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool]
    f = torch.tensor([0, -0.0, 1.5, -1.5, 2.5, 100.3, -100.7, 127.9, 200, 254.5, 1e-3, 6e-8, 65504, 65519, 0.333333])
    i = torch.tensor([0, 1, -1, 127, 100, -128, 42])
    for a in types:
        source = (f if a.is_floating_point else i).to(a)
        for b in types:
            if a.is_floating_point and b in (torch.uint8, torch.int8) and a != b:
                source = f[:8].abs().to(a)
            g("to.dtype", source, b)
    odd = torch.tensor([float("nan"), float("inf"), -float("inf"), 1e30, -1e30, 3e9])
    for b in (torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.bool):
        g("to.dtype", odd, b)
    for b in (torch.complex64, torch.complex128, torch.float8_e4m3fn, torch.float8_e5m2, torch.uint16):
        g("to.dtype", torch.tensor([0.0, 1.5, 17.0, 0.01, 300.0]), b)
    for b in (torch.float8_e4m3fn, torch.float8_e5m2):
        every = torch.arange(256, dtype=torch.uint8).view(b)
        g("to.dtype", every, torch.float32)
        g("to.dtype", torch.randn(100) * 10.0 ** torch.randint(-6, 6, (100,)), b)


def copies(g):
    x = torch.randn(5, 37, 41)
    for dtype in (torch.float32, torch.float16, torch.int64, torch.uint8, torch.complex128):
        y = (x * 50).to(dtype)[:2, :, :35]
        g("clone", y.transpose(1, 2))
    g("clone", torch.randn(3, 1).expand(3, 70))
    g("clone", torch.randn(2, 3, 4, 5)[:, :, ::2, ::3])
    g("contiguous", torch.randn(2, 3, 4).permute(2, 0, 1))
    g("_to_copy", torch.randn(3, 4).t(), dtype=torch.float64)
    g("type_as", torch.arange(4), torch.randn(2))
    g("copy", torch.zeros(3, 4), torch.arange(4))
    g("copy", torch.zeros(3, 4, dtype=torch.int32), torch.randn(3, 1) * 10)
    for dim in (0, 1, -1):
        shape = [2, 3, 4]
        parts = []
        for n in (1, 3, 2):
            shape[dim] = n
            parts.append(torch.randn(shape))
        g("cat", parts, dim)
    g("cat", [torch.randn(2, 3).t(), torch.zeros(0), torch.randn(3, 1)], 1)
    g("cat", [torch.arange(3), torch.randn(2)])
    g("cat", [torch.randn(2, 3), torch.randn(2, 2)], 0, fails=True)
    g("stack", [torch.randn(2, 3), torch.randn(3, 2).t()], -1)
    g("stack", [torch.randn(2, 3), torch.randn(2, 3)], 0)
