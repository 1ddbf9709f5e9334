# SPDX-License-Identifier: LGPL-2.1-or-later
"""Resizes of every mode, by size and by factor, and grid sampling."""
import torch

F32, F64, BF16 = torch.float32, torch.float64, torch.bfloat16
SIZES = {1: ((2, 3, 9), ([5], [18], [9], [31])), 2: ((2, 3, 7, 9), ([14, 18], [5, 5], [7, 9], [3, 31], [1, 1])), 3: ((1, 2, 3, 4, 5), ([6, 8, 10], [2, 5, 3]))}


def cases(g):
    for dtype, tol in ((F32, (1e-5, 1e-5)), (F64, (1e-12, 1e-12)), (BF16, (1.6e-2, 1.6e-2))):
        for nd, (shape, sizes) in SIZES.items():
            x = torch.randn(*shape).to(dtype)
            linear = {1: "upsample_linear1d", 2: "upsample_bilinear2d", 3: "upsample_trilinear3d"}[nd]
            for size in sizes:
                g("upsample_nearest%dd.vec" % nd, x, size, None)
                g("_upsample_nearest_exact%dd.vec" % nd, x, size, None)
                g("upsample_nearest%dd" % nd, x, size)
                for align in (False, True):
                    g(linear + ".vec", x, size, align, None, tol=tol)
                    g(linear, x, size, align, tol=tol)
                    if nd == 2:
                        g("upsample_bicubic2d.vec", x, size, align, None, tol=tol)
                        if dtype != BF16:
                            g("_upsample_bilinear2d_aa.vec", x, size, align, None, tol=tol)
                            g("_upsample_bicubic2d_aa.vec", x, size, align, None, tol=tol)
            for factor in (2.0, 0.6, 1.7):
                g("upsample_nearest%dd.vec" % nd, x, None, [factor] * nd)
                for align in (False, True):
                    g(linear + ".vec", x, None, align, [factor] * nd, tol=tol)
                if nd == 2:
                    g("upsample_bicubic2d.vec", x, None, False, [factor] * nd, tol=tol)
        g("upsample_bilinear2d", torch.randn(1, 2, 6, 6).to(dtype), [12, 12], False, 2.0, 2.0, tol=tol)
        x = torch.randn(2, 3, 6, 7).to(dtype)
        grid = (torch.rand(2, 5, 4, 2) * 2.6 - 1.3).to(dtype)
        if dtype != BF16:
            for mode in (0, 1, 2):
                for border in (0, 1, 2):
                    for align in (False, True):
                        g("grid_sampler", x, grid, mode, border, align, tol=(tol[0] * 10, tol[1] * 10))
            g("grid_sampler_2d", x, grid, 0, 0, False, tol=(tol[0] * 10, tol[1] * 10))
            g("grid_sampler", torch.randn(1, 2, 3, 4, 5).to(dtype), (torch.rand(1, 2, 3, 4, 3) * 2.6 - 1.3).to(dtype), 0, 0, True, tol=(tol[0] * 10, tol[1] * 10))
    g("upsample_nearest2d.vec", torch.randint(0, 255, (1, 3, 5, 5), dtype=torch.uint8), [9, 8], None)
    x = torch.randn(1, 2, 5, 5)
    g("upsample_bilinear2d.vec", x.contiguous(memory_format=torch.channels_last), [9, 9], False, None, tol=(1e-5, 1e-5))
    g("upsample_bilinear2d.vec", x, [0, 5], False, None, fails=True)
    g("upsample_bilinear2d.vec", x, None, False, None, fails=True)
