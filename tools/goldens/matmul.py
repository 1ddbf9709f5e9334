# SPDX-License-Identifier: LGPL-2.1-or-later
"""Products: linear, mm, bmm, matmul of every rank, einsum, with addends."""
import torch

F32, F64, F16, BF16 = torch.float32, torch.float64, torch.float16, torch.bfloat16
TOL = {F32: (1e-5, 1e-5), F64: (1e-12, 1e-12), F16: (4e-3, 4e-3), BF16: (4e-2, 4e-2), torch.int64: (0, 0)}


def cases(g):
    r = lambda *size, dtype=F32: (torch.randn(*size) * 3).to(dtype)
    for dtype in (F32, F64, BF16, F16, torch.int64):
        tol = TOL[dtype]
        g("mm", r(7, 9, dtype=dtype), r(9, 5, dtype=dtype), tol=tol)
        g("matmul", r(2, 7, 9, dtype=dtype), r(9, 5, dtype=dtype), tol=tol)
    for dtype in (F32, F64):
        tol = TOL[dtype]
        g("linear", r(4, 6, dtype=dtype), r(5, 6, dtype=dtype), tol=tol)
        g("linear", r(6, dtype=dtype), r(5, 6, dtype=dtype), r(5, dtype=dtype), tol=tol)
        g("linear", r(2, 3, 4, 6, dtype=dtype).permute(0, 2, 1, 3), r(5, 6, dtype=dtype), r(5, dtype=dtype), tol=tol)
        g("linear", r(40, 70, dtype=dtype), r(35, 70, dtype=dtype), r(35, dtype=dtype), tol=tol)
        g("addmm", r(5, dtype=dtype), r(7, 9, dtype=dtype), r(5, 9, dtype=dtype).t(), tol=tol)
        g("addmm", r(7, 5, dtype=dtype), r(7, 9, dtype=dtype), r(9, 5, dtype=dtype), beta=0.5, alpha=2, tol=tol)
        g("addmm", torch.full((7, 5), float("nan"), dtype=dtype), r(7, 9, dtype=dtype), r(9, 5, dtype=dtype), beta=0, tol=tol)
        g("bmm", r(3, 7, 9, dtype=dtype), r(3, 9, 5, dtype=dtype), tol=tol)
        g("bmm", r(3, 7, 9, dtype=dtype), r(3, 5, 9, dtype=dtype).transpose(1, 2), tol=tol)
        g("baddbmm", r(3, 1, 5, dtype=dtype), r(3, 7, 9, dtype=dtype), r(3, 9, 5, dtype=dtype), tol=tol)
        g("baddbmm", r(3, 7, 5, dtype=dtype), r(3, 7, 9, dtype=dtype), r(3, 9, 5, dtype=dtype), beta=1, alpha=0.25, tol=tol)
        g("addbmm", r(7, 5, dtype=dtype), r(3, 7, 9, dtype=dtype), r(3, 9, 5, dtype=dtype), tol=tol)
        g("mv", r(7, 9, dtype=dtype), r(9, dtype=dtype), tol=tol)
        g("addmv", r(7, dtype=dtype), r(7, 9, dtype=dtype), r(9, dtype=dtype), tol=tol)
        g("dot", r(9, dtype=dtype), r(9, dtype=dtype), tol=tol)
        g("vdot", r(9, dtype=dtype), r(9, dtype=dtype), tol=tol)
        g("outer", r(9, dtype=dtype), r(4, dtype=dtype), tol=tol)
    tol = TOL[F32]
    for a, b in (((9,), (9,)), ((9,), (9, 5)), ((7, 9), (9,)), ((7, 9), (9, 5)), ((2, 7, 9), (9,)), ((9,), (2, 9, 5)), ((7, 9), (2, 9, 5)),
                 ((2, 3, 7, 9), (2, 3, 9, 5)), ((2, 1, 7, 9), (3, 9, 5)), ((2, 3, 1, 7, 9), (4, 9, 5)), ((2, 0, 9), (9, 5)), ((2, 4, 0), (0, 5))):
        g("matmul", r(*a), r(*b), tol=tol)
    g("matmul", r(2, 9, 7).transpose(1, 2), r(2, 5, 9).transpose(1, 2), tol=tol)
    g("matmul", r(2, 4, 7, 9).permute(1, 0, 3, 2), r(4, 1, 7, 5), tol=tol)
    for equation, sizes in (("ij,jk->ik", ((3, 4), (4, 5))), ("...pd,...qd->...pq", ((2, 3, 4, 5), (2, 3, 6, 5))), ("ij, jk", ((3, 4), (4, 5))),
                            ("byhwc,hkc->byhwk", ((2, 3, 4, 5, 6), (4, 7, 6))), ("bhqd,bhkd->bhqk", ((2, 3, 4, 5), (2, 3, 6, 5))),
                            ("i,j->ij", ((3,), (4,))), ("ijk->kij", ((2, 3, 4),)), ("bnC,CD->bDn", ((2, 3, 4), (4, 5))),
                            ("ab,bc,cd->ad", ((2, 3), (3, 4), (4, 5))), ("...a,ab->...b", ((2, 3, 4), (4, 5))), ("ij,ij->", ((3, 4), (3, 4))),
                            ("bi,bj,bk->bijk", ((2, 3), (2, 4), (2, 5))), ("b i d , b j d -> b i j", ((2, 3, 4), (2, 5, 4))),
                            ("ij,kj->i", ((3, 4), (5, 4))), ("ijk->j", ((2, 3, 4),)), ("ij->", ((2, 3),)), ("a...b,b...->a...", ((2, 3, 4), (4, 3)))):
        g("einsum", equation, [r(*s) for s in sizes], tol=tol)
    g("mm", r(3, 4), r(5, 4), fails=True)
    g("bmm", r(2, 3, 4), r(3, 4, 5), fails=True)
    g("linear", r(3, 4), r(5, 6), fails=True)
    g("linear", r(3, 4), r(5, 4), r(4), fails=True)
