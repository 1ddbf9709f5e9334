# SPDX-License-Identifier: LGPL-2.1-or-later
"""Scaled dot product attention: masks, causality, grouped heads, ranks, packed operands."""
import torch

F32, F64, BF16 = torch.float32, torch.float64, torch.bfloat16
NAME = "scaled_dot_product_attention"


def cases(g):
    for dtype, tol in ((F32, (1e-5, 1e-5)), (F64, (1e-12, 1e-12)), (BF16, (3e-2, 3e-2))):
        r = lambda *size: torch.randn(*size).to(dtype)
        q, k, v = r(2, 3, 7, 8), r(2, 3, 9, 8), r(2, 3, 9, 6)
        keep = torch.rand(2, 1, 7, 9) > 0.4
        keep[0, 0, 2] = False
        g(NAME, q, k, v, tol=tol)
        g(NAME, q, k, v, keep, tol=tol)
        g(NAME, q, k, v, torch.rand(7, 9) > 0.3, tol=tol)
        g(NAME, q, k, v, r(2, 3, 7, 9), tol=tol)
        g(NAME, q, k, v, r(1, 1, 1, 9), scale=0.3, tol=tol)
        g(NAME, q, k, v, None, 0.0, True, tol=tol)
        g(NAME, q[0], k[0], v[0], r(3, 7, 9), tol=tol)
        g(NAME, q[0, 0], k[0, 0], v[0, 0], tol=tol)
        g(NAME, r(1, 4, 5, 8), r(1, 2, 9, 8), r(1, 2, 9, 8), enable_gqa=True, tol=tol)
        packed = r(2, 10, 3, 4, 8).permute(2, 0, 3, 1, 4)
        g(NAME, packed[0], packed[1], packed[2], tol=tol)
    g(NAME, torch.randn(2, 2, 4, 8), torch.randn(2, 2, 5, 7), torch.randn(2, 2, 5, 8), fails=True)
    g(NAME, torch.randn(2, 2, 4, 8), torch.randn(2, 2, 5, 8), torch.randn(2, 2, 6, 8), fails=True)
    g(NAME, torch.randn(2, 2, 4, 8), torch.randn(2, 2, 5, 8), torch.randn(2, 2, 5, 8), torch.randn(3, 5), fails=True)
