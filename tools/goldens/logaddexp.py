# SPDX-License-Identifier: LGPL-2.1-or-later
"""log(exp(x) + exp(y)): the operator that docs/adding-an-operator.md adds."""
import torch

NAN, INF = float("nan"), float("inf")


def cases(g):
    special = torch.tensor([0.0, 1, -1, 30, -30, 100, -100, INF, -INF, NAN])
    for dtype, tol in ((torch.float32, (3e-6, 1e-7)), (torch.float64, (1e-13, 1e-14))):
        g("logaddexp", special.to(dtype)[:, None], special.to(dtype), tol=tol)
        g("logaddexp", torch.randn(37, dtype=dtype), torch.randn(37, dtype=dtype), tol=tol)
    g("logaddexp", torch.randn(3, 4).t(), torch.randn(3), tol=(3e-6, 1e-7))
    g("logaddexp", torch.randn(3), torch.randn(4), fails=True)
