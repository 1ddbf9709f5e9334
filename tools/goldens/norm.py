# SPDX-License-Identifier: LGPL-2.1-or-later
"""Norms and softmax."""
import torch

F32, F64, F16, BF16 = torch.float32, torch.float64, torch.float16, torch.bfloat16
TOL = {F32: (3e-6, 2e-6), F64: (1e-12, 1e-12), F16: (2e-3, 2e-3), BF16: (1.6e-2, 1.6e-2)}


def cases(g):
    for dtype in (F32, F64, F16, BF16):
        t = TOL[dtype]
        r = lambda *s: torch.randn(*s).to(dtype)
        x = r(2, 3, 37)
        for w, b in ((r(37), r(37)), (r(37), None), (None, r(37)), (None, None)):
            g("layer_norm", x, [37], w, b, tol=t)
            g("native_layer_norm", x, [37], w, b, 1e-6, tol=t)
        g("layer_norm", x, [3, 37], r(3, 37), r(3, 37), 1e-3, tol=t)
        g("layer_norm", r(2, 8, 3, 3).permute(0, 2, 3, 1), [8], r(8), r(8), tol=t)
        g("rms_norm", x, [37], r(37), tol=t)
        g("rms_norm", x, [37], None, 1e-5, tol=t)
        y = r(2, 6, 5, 3)
        g("group_norm", y, 3, r(6), r(6), tol=t)
        g("group_norm", y, 2, tol=t)
        g("group_norm", r(2, 6), 3, r(6), r(6), tol=t)
        g("group_norm", y, 4, fails=True)
        g("native_group_norm", y, r(6), r(6), 2, 6, 15, 2, 1e-5, tol=t)
        g("instance_norm", y, r(6), r(6), None, None, True, 0.1, 1e-5, False, tol=t)
        g("instance_norm", y, None, None, None, None, True, 0.1, 1e-5, False, tol=t)
        m, v = r(6), r(6).abs() + 0.1
        g("instance_norm", y, None, r(6), m, v, False, 0.1, 1e-5, False, tol=t)
        for shape in ((2, 6, 5, 3), (4, 6), (2, 6, 7), (1, 6, 2, 2, 2)):
            z = r(*shape)
            g("batch_norm", z, r(6), r(6), m, v, False, 0.1, 1e-5, False, tol=t)
            g("batch_norm", z, None, None, m, v, False, 0.1, 1e-3, False, tol=t)
            g("batch_norm", z, r(6), r(6), None, None, True, 0.1, 1e-5, False, tol=t)
        g("batch_norm", y.transpose(2, 3), r(6), r(6), m, v, False, 0.1, 1e-5, False, tol=t)
        g("_native_batch_norm_legit_no_training", y, r(6), r(6), m, v, 0.1, 1e-5, tol=t)
        g("_native_batch_norm_legit.no_stats", y, r(6), r(6), True, 0.1, 1e-5, tol=t)
        g("_native_batch_norm_legit_functional", y, r(6), r(6), m, v, True, 0.1, 1e-5, tol=t)
        for dim in (-1, 0, 1):
            g("softmax.int", x, dim, tol=t)
            g("log_softmax.int", x, dim, tol=t)
            g("_softmax", r(3, 5, 70) * 10, dim, False, tol=t)
        g("softmax.int", r(4, 70).t(), 0, tol=t)
        g("softmax.int", r(4, 2, 70)[:, 1], -1, tol=t)
    g("softmax.int", torch.randn(3, 5).half(), -1, F32, tol=TOL[F32])
    g("softmax.int", torch.tensor(3.0), -1)
    g("softmax.int", torch.randn(0, 4), -1)
    g("_safe_softmax", torch.tensor([[1.0, 2.0], [-float("inf")] * 2]), -1, tol=TOL[F32])
    odd = torch.randn(4, 20)
    odd[0, 3], odd[1], odd[2, 1], odd[3, :4] = float("nan"), -float("inf"), float("inf"), -float("inf")
    g("softmax.int", odd, -1, tol=TOL[F32])
    g("softmax.int", odd, 0, tol=TOL[F32])
    g("log_softmax.int", odd[3:], -1, tol=TOL[F32])
    g("layer_norm", torch.randn(3, 4), [5], fails=True)
    g("layer_norm", torch.randn(2, 1000) * 3 + 100, [1000], torch.randn(1000), torch.randn(1000), tol=(1e-4, 1e-4))
