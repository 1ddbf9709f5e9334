# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pointwise operators: dtypes, NaN, infinities, integer extremes, broadcasting, scalars."""
import torch

F32, F64, F16, BF16 = torch.float32, torch.float64, torch.float16, torch.bfloat16
I64, I32, I16, I8, U8, BOOL = torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool
NAN, INF = float("nan"), float("inf")
TOL = {F32: (3e-6, 1e-7), F64: (1e-13, 1e-14), F16: (2e-3, 1e-6), BF16: (1.6e-2, 1e-6)}


def floats(dtype, n=37):
    special = torch.tensor([0.0, -0.0, 1, -1, 0.5, -0.5, 2.5, -3.5, NAN, INF, -INF, 1e-6, -1e-6, 20, -20, 88, -88, 3, -3, 6])
    return torch.cat([special, torch.randn(n) * 4]).to(dtype)


def ints(dtype):
    info = torch.iinfo(dtype)
    return torch.tensor([0, 1, 2, 3, 7, 100, info.max, info.min, -1 if info.min else 5, -2 if info.min else 9, 50], dtype=dtype)


def cases(g):
    unary(g)
    binary(g)
    scalars(g)
    ternary(g)


def unary(g):
    exact = "relu neg abs sign ceil floor round trunc square relu6 sqrt reciprocal isnan isinf isfinite logical_not signbit sgn".split()
    close = ("exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf erfc rsqrt sigmoid "
             "silu mish hardswish hardsigmoid selu log_sigmoid frac").split()
    for name in exact:
        for dtype in (F32, F64, F16, BF16):
            g(name, floats(dtype))
        if name not in ("sqrt", "reciprocal"):
            for dtype in (I64, I32, U8, I8):
                if not (name == "neg" and dtype == U8):
                    g(name, ints(dtype))
        if name in ("sqrt", "reciprocal"):
            g(name, torch.arange(1, 5), tol=(1e-6, 0))
    for name in close:
        for dtype in (F32, F64, F16, BF16):
            g(name, floats(dtype), tol=TOL[dtype])
    for name in ("exp", "sin", "sigmoid", "log", "tanh"):
        g(name, torch.arange(-3, 4), tol=TOL[F32])
        g(name, torch.randn(3, 5, 7).transpose(0, 2), tol=TOL[F32])
    for dtype in (I64, I32, U8, I8, I16):
        g("bitwise_not", ints(dtype))
    g("bitwise_not", torch.tensor([True, False]))
    g("logical_not", torch.tensor([True, False]))
    for a in ("none", "tanh"):
        for dtype in (F32, F64, F16, BF16):
            g("gelu", floats(dtype), approximate=a, tol=(3e-6, 3e-7) if dtype == F32 else TOL[dtype])
    g("glu", torch.randn(3, 8), tol=TOL[F32])
    g("glu", torch.randn(4, 3), 0, tol=TOL[F32])
    g("glu", torch.randn(3, 3), fails=True)
    g("logit", torch.rand(10), tol=TOL[F32])
    g("logit", torch.rand(10), 0.2, tol=TOL[F32])
    g("nan_to_num", floats(F32))
    g("nan_to_num", floats(F16), 1.0, 2.0, -3.0)
    g("relu", torch.randn(0, 3))
    g("relu", torch.tensor(-1.0))


def binary(g):
    arithmetic = ("add.Tensor sub.Tensor mul.Tensor maximum minimum fmax fmin floor_divide remainder.Tensor fmod.Tensor eq.Tensor ne.Tensor "
                  "lt.Tensor le.Tensor gt.Tensor ge.Tensor logical_and logical_or logical_xor").split()
    for name in arithmetic:
        for dtype in (F32, F64, F16, BF16):
            a = floats(dtype)
            g(name, a, a[torch.randperm(a.numel())])
        for dtype in (I64, I32, U8, I8, I16):
            a = ints(dtype)
            b = a[torch.randperm(a.numel())]
            if name.startswith(("floor", "rem", "fmod")):
                b = torch.where(b == 0, torch.ones_like(b), b)
                b = torch.where(b == -1, torch.full_like(b, 3), b)
            g(name, a, b)
    for name in ("add.Tensor", "mul.Tensor", "maximum", "eq.Tensor", "logical_xor"):
        g(name, torch.tensor([True, False, True]), torch.tensor([True, True, False]))
        g(name, torch.randn(3, 1, 5), torch.randn(4, 1))
        g(name, torch.randn(3, 5).t(), torch.randn(5, 3))
        g(name, torch.arange(6), torch.randn(6))
        if name in ("add.Tensor", "mul.Tensor"):
            g(name, torch.randn(6), 2)
            g(name, torch.arange(6), 1.5)
            g(name, torch.arange(6, dtype=I32), 3)
        g(name, torch.randn(6, dtype=F64), torch.randn(6))
        g(name, torch.randn(6).half(), torch.tensor(2.0))
        g(name, torch.randn(2, 0), torch.randn(1, 1))
    g("add.Tensor", torch.randn(3, 2), torch.randn(3, 3), fails=True)
    for dtype in (F32, F64, I64):
        x, y = (torch.randn(50) * 9).to(dtype), (torch.randn(50) * 9).to(dtype)
        for alpha in (2, -3):
            g("add.Tensor", x, y, alpha=alpha)
            g("sub.Tensor", x, y, alpha=alpha)
            g("rsub.Tensor", x, y, alpha=alpha)
    g("add.Tensor", torch.randn(50), torch.randn(50), alpha=0.3)
    g("sub.Tensor", torch.randn(50), torch.randn(50), alpha=0.3)
    for dtype in (F32, F64, F16, BF16):
        a = floats(dtype)
        b = a[torch.randperm(a.numel())]
        for name in ("atan2", "hypot", "copysign.Tensor", "pow.Tensor_Tensor"):
            g(name, a.abs() if name == "pow.Tensor_Tensor" else a, b, tol=TOL[dtype])
        for mode in (None, "floor", "trunc"):
            g("div.Tensor_mode", a, b, rounding_mode=mode)
        g("div.Tensor", a, b)
    g("pow.Tensor_Tensor", torch.arange(-3, 4), torch.arange(7))
    for dtype in (I64, I32, U8):
        a, b = ints(dtype), torch.tensor([3, 2, 7, 1, 5, 3, 10, 9, 4, 6, 7], dtype=dtype)
        for mode in (None, "floor", "trunc"):
            g("div.Tensor_mode", a, b, rounding_mode=mode)
        g("div.Tensor", a, b)
        for name in ("bitwise_and.Tensor", "bitwise_or.Tensor", "bitwise_xor.Tensor", "__and__.Tensor", "__or__.Tensor", "__xor__.Tensor"):
            g(name, a, b)
        for name in ("bitwise_left_shift.Tensor", "bitwise_right_shift.Tensor", "__lshift__.Tensor", "__rshift__.Tensor"):
            g(name, a, b)
    g("__and__.Tensor", torch.tensor([True, False, True]), torch.tensor([True, True, False]))
    for name in ("floor_divide", "remainder.Tensor", "fmod.Tensor"):
        g(name, torch.arange(70), torch.arange(70) - 69, fails=True)
        g(name, torch.arange(3, dtype=U8), torch.tensor(0, dtype=U8), fails=True)
    g("prelu", torch.randn(2, 3, 4), torch.randn(3))
    g("prelu", torch.randn(2, 3, 4), torch.randn(1))
    g("prelu", torch.randn(5), torch.randn(1))
    g("max.other", torch.randn(5), torch.randn(5))
    g("min.other", torch.arange(5), torch.randn(5))


def scalars(g):
    f, i, b, h = torch.randn(3, 5) * 3, torch.arange(-4, 6), torch.tensor([True, False]), torch.randn(9).half()
    for name in ("add.Scalar sub.Scalar mul.Scalar div.Scalar remainder.Scalar fmod.Scalar floor_divide.Scalar eq.Scalar ne.Scalar lt.Scalar "
                 "le.Scalar gt.Scalar ge.Scalar rsub.Scalar pow.Tensor_Scalar").split():
        for x in (f, i, b, h):
            for s in (2, 1.5, -3):
                if x is b and name.startswith(("sub", "rsub", "rem", "fmod", "floor", "pow")):
                    continue
                if x is i and s == -3 and name.startswith("pow"):
                    continue
                if x is h and s == 1.5 and name.startswith("pow"):
                    continue
                g(name, x.abs() + 0.1 if x is f and name.startswith("pow") else x, s, tol=(1e-6, 0) if name.startswith("pow") else (0, 0))
    for s in (0.5, -0.5, -1, 0, 1, 2, 3, -2, 4.0, 0.25):
        g("pow.Tensor_Scalar", torch.rand(20) * 4, s, tol=(1e-6, 0))
    g("pow.Tensor_Scalar", i, -1, fails=True)
    g("pow.Scalar", 10000, torch.rand(8), tol=(1e-6, 0))
    g("pow.Scalar", 2.0, torch.arange(5), tol=(1e-6, 0))
    g("pow.Scalar", 2, torch.arange(5))
    g("remainder.Scalar_Tensor", 7, torch.arange(1, 9))
    for name in "bitwise_and.Scalar bitwise_or.Scalar bitwise_xor.Scalar __and__.Scalar __or__.Scalar __lshift__.Scalar __rshift__.Scalar".split():
        g(name, torch.arange(9, dtype=U8), 3)
        g(name, i, 3)
    for mode in (None, "floor", "trunc"):
        g("div.Scalar_mode", f, 0.7, rounding_mode=mode)
        g("div.Scalar_mode", i, 3, rounding_mode=mode)
    s = floats(F32)
    for a in ((-1, 1), (-0.5, None), (None, 2.0), (2, -2)):
        g("clamp", s, *a)
        g("clamp", i, *(None if v is None else int(v) for v in a))
        g("clamp", floats(F16), *a)
    g("clamp", i, 0.5, 3)
    g("clamp", s, fails=True) if False else None
    g("clip", s, 0, 1)
    g("hardtanh", s)
    g("hardtanh", s, 0.0, 6.0)
    g("clamp_min", s, 0.3)
    g("clamp_max", s, 0.3)
    g("clamp_min", i, 2)
    g("clamp.Tensor", torch.randn(3, 4), torch.tensor(-0.5), torch.rand(4))
    g("clamp.Tensor", torch.randn(3, 4), None, torch.rand(4))
    g("clamp_min.Tensor", torch.randn(3, 4), torch.rand(4))
    for dtype in (F32, F64, BF16):
        x = floats(dtype)
        t = TOL[dtype]
        g("leaky_relu", x, tol=t)
        g("leaky_relu", x, 0.2, tol=t)
        g("elu", x, tol=t)
        g("elu", x, 0.5, 2, 1.5, tol=t)
        g("celu", x, 0.7, tol=t)
        g("softplus", x, tol=t)
        g("softplus", x, 2, 3, tol=t)
        g("hardshrink", x, 0.4, tol=t)
        g("softshrink", x, 0.4, tol=t)
        g("threshold", x, 0.1, 5.0, tol=t)


def ternary(g):
    c = torch.tensor([True, False, True, False, True])
    g("where.self", c, torch.randn(5), torch.randn(5))
    g("where.self", c, torch.randn(3, 1), torch.tensor(0.0))
    g("where.self", c, torch.arange(5), torch.randn(5))
    g("where.self", c, c, ~c)
    g("where.self", c[:, None], torch.randn(1, 4).half(), torch.randn(1))
    g("where.ScalarOther", c, torch.randn(5), 2)
    g("where.ScalarOther", c, torch.arange(5), 2.5)
    g("where.ScalarSelf", c, -1, torch.arange(5))
    g("where.Scalar", c, 1.0, 0.0)
    g("where.Scalar", c, 1, 0)
    g("masked_fill.Scalar", torch.randn(3, 5), c, -INF)
    g("masked_fill.Scalar", torch.arange(5), c, 7)
    g("masked_fill.Scalar", torch.randn(5).half(), c, -1e4)
    g("masked_fill.Tensor", torch.randn(3, 5), c, torch.tensor(3))
    for dtype in (F32, F64):
        x, y, z = (torch.randn(4, 7).to(dtype) for _ in range(3))
        g("addcmul", x, y, z, tol=TOL[dtype])
        g("addcmul", x, y, z, value=0.3, tol=TOL[dtype])
        g("addcdiv", x, y, z, value=0.3)
        g("lerp.Scalar", x, y, 0.3, tol=TOL[dtype])
        g("lerp.Scalar", x, y, 0.7, tol=TOL[dtype])
        g("lerp.Tensor", x, y, z, tol=TOL[dtype])
