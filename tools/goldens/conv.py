# SPDX-License-Identifier: LGPL-2.1-or-later
"""Convolutions: every operator form, borders, groups, dilation, layouts, dtypes."""
import torch

F32, F64, F16, BF16 = torch.float32, torch.float64, torch.float16, torch.bfloat16
TOL = {F32: (1e-5, 1e-5), F64: (1e-12, 1e-12), F16: (4e-3, 4e-3), BF16: (4e-2, 4e-2)}


def cases(g):
    r = lambda *size, dtype=F32: torch.randn(*size).to(dtype)
    for dtype in (F32, F64, BF16, F16):
        g("conv2d", r(2, 6, 9, 8, dtype=dtype), r(4, 6, 3, 3, dtype=dtype), r(4, dtype=dtype), [1, 1], [1, 1], tol=TOL[dtype])
    for dtype in (F32, F64):
        tol = TOL[dtype]
        g("conv1d", r(2, 4, 20, dtype=dtype), r(6, 2, 5, dtype=dtype), None, [2], [2], [1], 2, tol=tol)
        g("conv1d", r(4, 20, dtype=dtype), r(6, 4, 5, dtype=dtype), tol=tol)
        g("conv3d", r(1, 4, 4, 7, 8, dtype=dtype), r(6, 4, 3, 3, 3, dtype=dtype), r(6, dtype=dtype), [1, 2, 2], [1, 1, 1], tol=tol)
        g("conv2d", r(1, 8, 9, 9, dtype=dtype), r(16, 1, 3, 3, dtype=dtype), r(16, dtype=dtype), [2, 1], [1, 2], [1, 2], 8, tol=tol)
        g("conv2d", r(1, 3, 16, 16, dtype=dtype), r(5, 3, 8, 8, dtype=dtype), None, [8, 8], tol=tol)
        g("conv_transpose1d", r(1, 4, 9, dtype=dtype), r(4, 3, 4, dtype=dtype), r(3, dtype=dtype), [2], [1], tol=tol)
        g("conv_transpose2d.input", r(2, 6, 5, 7, dtype=dtype), r(6, 4, 2, 2, dtype=dtype), r(4, dtype=dtype), [2, 2], tol=tol)
        g("conv_transpose2d.input", r(1, 6, 5, 7, dtype=dtype), r(6, 4, 3, 3, dtype=dtype), None, [2, 3], [1, 0], [1, 2], 1, tol=tol)
        g("conv_transpose2d.input", r(1, 6, 5, 7, dtype=dtype), r(6, 2, 4, 4, dtype=dtype), r(6, dtype=dtype), [2, 2], [1, 1], [0, 0], 3, [1, 2], tol=tol)
        g("conv_transpose2d.input", r(6, 5, 7, dtype=dtype), r(6, 4, 3, 1, dtype=dtype), tol=tol)
        g("conv_transpose3d.input", r(1, 3, 3, 4, 5, dtype=dtype), r(3, 2, 2, 2, 2, dtype=dtype), None, [2, 2, 2], tol=tol)
    x, w = r(1, 16, 14, 14), r(32, 16, 3, 3)
    g("conv2d", x, w, None, [1, 1], [1, 1], tol=TOL[F32])
    g("conv2d", x.contiguous(memory_format=torch.channels_last), w, None, [1, 1], [1, 1], tol=TOL[F32])
    g("conv2d", x[:, ::2], r(8, 8, 1, 1), tol=TOL[F32])
    g("conv2d", x[:, 3:11], r(8, 8, 3, 3), tol=TOL[F32])
    g("conv2d", x.transpose(2, 3), w, tol=TOL[F32])
    g("conv2d", torch.randn(0, 16, 5, 5), w, None, [1, 1], [1, 1], tol=TOL[F32])
    g("conv2d.padding", x, r(8, 16, 4, 3), None, [1, 1], "same", [1, 2], tol=TOL[F32])
    g("conv2d.padding", x, w, None, [2, 2], "valid", tol=TOL[F32])
    g("conv1d.padding", r(1, 4, 20), r(6, 4, 6), None, [1], "same", tol=TOL[F32])
    g("convolution", x, w, None, [2, 2], [1, 1], [1, 1], False, [0, 0], 1, tol=TOL[F32])
    g("convolution", r(1, 6, 5, 7), r(6, 4, 2, 2), None, [2, 2], [0, 0], [1, 1], True, [0, 0], 1, tol=TOL[F32])
    g("_convolution", x, w, None, [1, 1], [1, 1], [1, 1], False, [0, 0], 1, False, False, False, False, tol=TOL[F32])
    g("_weight_norm", r(6, 4, 3), r(6, 1, 1), tol=TOL[F32])
    g("_weight_norm", r(6, 4, 3), r(1, 1, 3), 2, tol=TOL[F32])
    g("conv2d", x, r(32, 15, 3, 3), fails=True)
    g("conv2d", x, w, None, [0, 1], fails=True)
    g("conv2d", x, w, None, [1, 1], [-1, 0], fails=True)
    g("conv2d", x, r(32, 16, 15, 3), fails=True)
    g("conv2d", x, w, r(31), fails=True)
