#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes tests/data/plan: small exported programs that are hard on aliasing, ordering, memory and shapes.

    make-plan-archives.py OUT

Per program NAME.pt2, NAME-core.pt2 (after run_decompositions) and NAME.safetensors with what eager PyTorch does for it:
"<case>/in/<k>" the flattened inputs (numbers as 0-d tensors), "<case>/out/<k>" the flattened tensor outputs, "<case>/input/<k>"
an input that the call changed, "<case>/buffer/<name>" a buffer after the call.  Cases follow each other on one module, so
that state goes on.
"""
import copy
import os
import sys
import warnings

import torch
from torch import nn
from torch.export import Dim
from torch.utils import _pytree as pytree

import safetensors_file

PROGRAMS = {}


def program(*sizes, dynamic=None, inputs=None, core=True):
    """sizes: per case a tuple of input shapes; inputs: a function of the case instead."""
    def add(cls):
        PROGRAMS[cls.__name__.lower()] = (cls, sizes, dynamic, inputs, core)
        return cls
    return add


@program(((4, 6), (4, 2)))
class SliceAssign(nn.Module):
    def forward(self, x, y):
        z = x.clone()
        before = z.sum(1)
        z[:, 1:3] = y
        z[0].add_(1)
        z.view(2, 12)[1].mul_(2)
        after = z.sum(1)
        z[:, 5] = 7
        return z, before, after


@program(((2, 3),), ((2, 3),), ((2, 3),))
class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("n", torch.tensor(0))
        self.register_buffer("mean", torch.zeros(3))

    def forward(self, x):
        self.n += 1
        self.mean.mul_(0.5).add_(x.mean(0), alpha=0.5)
        return x - self.mean + self.n, self.mean * 2


@program(((2, 2),), ((2, 2),), ((2, 2),))
class Swap(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("a", torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
        self.register_buffer("b", torch.zeros(2, 2))

    def forward(self, x):
        old = self.a.clone()
        self.a.copy_(self.b)
        self.b.copy_(old + x)
        return self.a + self.b


@program(((3, 4),))
class Aliases(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.arange(4.0))

    def forward(self, x):
        y = x + self.w
        return x, x.view(2, 6), self.w, y, y.t(), y, y[1:], (y * 2)[:, 2]


@program(((3, 4), (3, 4)))
class MutatedInput(nn.Module):
    def forward(self, x, y):
        before = x * 2
        x.add_(1)
        y[0].copy_(x[2])
        return before, x * 2, y.sum()


@program(((2, 8), (2, 8)), ((5, 8), (5, 8)), ((1, 8), (1, 8)), dynamic=({0: Dim("n")}, {0: Dim("n")}))
class Batch(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 8)

    def forward(self, x, y):
        n = x.shape[0]
        z = self.fc(x).view(n, 2, 4).transpose(1, 2).reshape(n * 4, 2)
        return z, torch.relu(z) + 1, torch.cat([x, y]).view(2 * n, 8), y.expand(3, n, 8) + x


N = Dim("half", min=1, max=16)


@program(((4, 3), (8, 3)), ((3, 3), (6, 3)), dynamic=({0: N}, {0: 2 * N}))
class Twice(nn.Module):
    def forward(self, x, y):
        return torch.cat([x, x]) + y, y.view(x.shape[0], 2, 3).sum(1) + x


@program(((8, 3),), ((12, 3),), dynamic=({0: 2 * N},))
class OnlyTwice(nn.Module):
    def forward(self, x):
        return x.view(2, x.shape[0] // 2, 3).sum(0)


@program(((6, 5),), ((11, 5),), dynamic=({0: Dim.AUTO},))
class Symbols(nn.Module):
    def forward(self, x):
        n = x.shape[0]
        k = n * 2 + 1
        a = torch.arange(k).view(1, k)
        return a + n, x[: n // 2] * (n / 4), x.reshape(-1)[n - 1:n + 3], torch.zeros(n % 4, k) + n ** 2, x.new_full((n,), 2.5)


def promote_inputs(case):
    g = torch.Generator().manual_seed(1)
    return (torch.randint(-5, 5, (3, 4), generator=g), torch.randn(3, 4, generator=g), torch.tensor([True, False, True, True]),
            torch.randint(0, 200, (3, 4), generator=g, dtype=torch.uint8), torch.tensor(2.5, dtype=torch.float64),
            torch.randn(4, generator=g).half(), torch.tensor(3))


@program((), inputs=promote_inputs)
class Promote(nn.Module):
    def forward(self, i, f, b, u, d0, h, i0):
        return (i + f, i * 2, i * 2.5, b + i, b * 1.5, u + i, u + 1, f + d0, i + d0, h + 1.5, h + f, h * d0, i0 + u, i0 * f, i / 2, u / i0,
                b & True, (i > 0) * f, f.double() * b, torch.where(b, i, 0.5), h + i0)


@program(((1, 3, 6, 6),))
class ChannelsLast(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, padding=1)

    def forward(self, x):
        y = self.conv(x).to(memory_format=torch.channels_last)
        z = torch.relu(y) + 1
        return z, z.permute(0, 2, 3, 1).reshape(36, 4), z.mean((2, 3))


@program(((3, 5),))
class Masks(nn.Module):
    def forward(self, x):
        m = x > 0
        y = torch.where(m, x, -x.abs())
        z = y.masked_fill(m, float("-inf")).masked_fill(~m, 3)
        return z, x.masked_fill(m, 0).clamp(-0.5, 0.5), torch.where(m, 1.0, 0.0), (m | (x < -1)).any()


@program(((1, 3, 8, 8),))
class InPlaceNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1, self.c2, self.c3 = nn.Conv2d(3, 8, 3, padding=1), nn.Conv2d(8, 8, 3, padding=1), nn.Conv2d(8, 8, 1)
        self.b1, self.b2 = nn.BatchNorm2d(8), nn.BatchNorm2d(8)

    def forward(self, x):
        y = torch.relu_(self.b1(self.c1(x)))
        z = self.b2(self.c2(y))
        z += self.c3(y)
        z = nn.functional.hardtanh_(z, 0, 6)
        z.mul_(0.5)
        return nn.functional.adaptive_avg_pool2d(z, 1).flatten(1), z


@program(((4, 4), (4, 4)))
class Views(nn.Module):
    def forward(self, x, y):
        a = x * 1
        top, left = a[:2], a[:, :2]
        s = top + 0
        left.mul_(3)
        t = top + 0
        top[0].copy_(y[0])
        a.t()[3].add_(left[:, 0])
        u = a.diagonal() * 2
        a.unsqueeze(0).transpose(1, 2).add_(y)
        return s, t, u, a, top, left.contiguous()


@program(((3, 4), (4,)))
class Copies(nn.Module):
    def forward(self, x, y):
        i = torch.zeros(3, 4, dtype=torch.int64)
        i.copy_(x * 10)
        f = torch.ones(2, 3, 4)
        f[0].copy_(y)
        f[1].fill_(2).sub_(i)
        f[:, :, 1].zero_()
        h = x.to(torch.float16)
        h[1:].copy_(y)
        return i, f, h.float(), f.permute(2, 0, 1).contiguous()


@program(((8, 8),))
class Forks(nn.Module):
    """Many branches that may run in any order, of different sizes."""
    def __init__(self):
        super().__init__()
        self.fcs = nn.ModuleList(nn.Linear(8, 4 + 3 * k) for k in range(6))

    def forward(self, x):
        parts = [torch.relu(fc(x) * 2) + 1 for fc in self.fcs]
        joined = torch.cat(parts, 1)
        sums = [torch.sigmoid(p).sum(1, keepdim=True) for p in parts]
        total = sums[0]
        for s in sums[1:]:
            total = total + s * total * 0.1
        return joined * total, parts[3]


@program(((3, 4),), ((5, 4),), dynamic=({0: Dim("n")},))
class Others(nn.Module):
    """Results that are no tensors."""
    def forward(self, x):
        return {"y": x + 1, "n": x.shape[0], "twice": x.shape[0] * 2, "f": 1.5, "none": None, "b": True, "i": 3}


@program(((1, 2, 4, 4),))
class Anchors(nn.Module):
    """A number out of a constant tensor, as detectors use for their strides."""
    def __init__(self):
        super().__init__()
        self.stride = torch.tensor([8.0, 16.0])

    def forward(self, x):
        points, strides = [], []
        for i, s in enumerate(self.stride):
            h, w = x.shape[2] // (i + 1), x.shape[3] // (i + 1)
            sx = torch.arange(w, dtype=x.dtype) + 0.5
            sy = torch.arange(h, dtype=x.dtype) + 0.5
            sy, sx = torch.meshgrid(sy, sx, indexing="ij")
            points.append(torch.stack((sx, sy), -1).view(-1, 2))
            strides.append(torch.full((h * w, 1), s.item(), dtype=x.dtype))
        return torch.cat(points) * torch.cat(strides) + x.sum()


@program(((2, 5, 16),), ((3, 7, 16),), dynamic=({0: Dim("n"), 1: Dim("t")},))
class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.qkv, self.out = nn.LayerNorm(16), nn.Linear(16, 48), nn.Linear(16, 16)

    def forward(self, x):
        n, t, c = x.shape
        q, k, v = self.qkv(self.norm(x)).view(n, t, 3, 4, 4).permute(2, 0, 3, 1, 4).unbind(0)
        a = torch.softmax(q @ k.transpose(-2, -1) * 0.5, -1)
        return x + self.out((a @ v).transpose(1, 2).reshape(n, t, c))


def case_inputs(index, sizes, inputs):
    if inputs:
        return inputs(index)
    g = torch.Generator().manual_seed(100 + index)
    return tuple(torch.randn(s, generator=g) for s in sizes)


def run_cases(module, cases):
    tensors = {}
    for n, args in enumerate(cases):
        before = [a.clone() for a in args]
        for k, a in enumerate(before):
            tensors[f"{n}/in/{k}"] = a
        out = module(*args)
        for k, leaf in enumerate(pytree.tree_leaves(out)):
            if isinstance(leaf, torch.Tensor):
                tensors[f"{n}/out/{k}"] = leaf.detach().clone()
            elif leaf is not None:
                tensors[f"{n}/out/{k}"] = torch.tensor(leaf)
        for k, (a, b) in enumerate(zip(args, before)):
            if not torch.equal(a, b):
                tensors[f"{n}/input/{k}"] = a.clone()
        for name, b in module.named_buffers():
            tensors[f"{n}/buffer/{name}"] = b.detach().clone()
    return tensors


def save(exported, path):
    """Without the origin of each node, which would be most of the file."""
    for node in exported.graph.nodes:
        for key in ("stack_trace", "nn_module_stack", "from_node", "source_fn_stack", "torch_fn"):
            node.meta.pop(key, None)
    torch.export.save(exported, path)


def make(name, out):
    cls, sizes, dynamic, inputs, core = PROGRAMS[name]
    torch.manual_seed(7)
    module = cls().eval()
    cases = [case_inputs(i, s, inputs) for i, s in enumerate(sizes)]
    with torch.no_grad():
        exported = torch.export.export(module, copy.deepcopy(cases[0]), dynamic_shapes=dynamic)
        save(exported, os.path.join(out, name + ".pt2"))
        if core:
            save(exported.run_decompositions(), os.path.join(out, name + "-core.pt2"))
        tensors = run_cases(module, copy.deepcopy(cases))
    safetensors_file.save(tensors, os.path.join(out, name + ".safetensors"))


def main():
    warnings.filterwarnings("ignore")
    out = sys.argv[1]
    os.makedirs(out, exist_ok=True)
    for name in sys.argv[2:] or PROGRAMS:
        try:
            make(name, out)
        except Exception as e:
            print(f"{name}: {type(e).__name__}: {str(e)[:300]}", file=sys.stderr)
            raise SystemExit(1)


if __name__ == "__main__":
    main()
