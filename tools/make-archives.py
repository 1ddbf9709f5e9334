#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the archives that the package tests read: one small .pt2 for each thing an archive can hold, and a few tensor files.

    make-archives.py [tests/data/package]

Needs torch.  The weights are counting numbers where a test looks at them, so that it needs no file of expected values.
"""
import collections
import os
import re
import sys

import numpy
import torch
from torch import nn
from torch.export import Dim, export, save
from torch.export.pt2_archive._package import package_pt2

torch.manual_seed(0)
R = torch.randn


def count(*sizes, dtype=torch.float32):
    return torch.arange(torch.Size(sizes).numel()).reshape(sizes).to(dtype)


class Linear(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)
        self.fc.weight = nn.Parameter(count(3, 4))
        self.fc.bias = nn.Parameter(count(3) - 1)

    def forward(self, x):
        return self.fc(x)


class ConvNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.bn = nn.Conv2d(3, 4, 3, stride=2, padding=1), nn.BatchNorm2d(4)

    def forward(self, x):
        return torch.relu_(self.bn(self.conv(x)))


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4, bias=False)
        self.b.weight = self.a.weight
        self.register_parameter("ключ b", nn.Parameter(count(4)))

    def forward(self, x):
        return self.b(self.a(x)) + getattr(self, "ключ b")


class Views(nn.Module):
    """Many views of one storage of 20 numbers, and strides of all kinds."""

    def __init__(self):
        super().__init__()
        base = count(20)
        self.p = nn.Parameter(base[10:14].view(2, 2))
        for name, tensor in {"whole": base, "head": base[:4].view(2, 2), "step": base[1:17:4], "bits": base.view(torch.int32)[12:14],
                             "rows": count(1, 4).expand(4, 4), "turned": count(3, 4).t(), "empty": torch.empty(0, 3)}.items():
            self.register_buffer(name, tensor)
        self.register_buffer("lost", count(2), persistent=False)
        self.plain = count(3)

    def forward(self, x):
        return (x @ self.head + self.p, self.step + self.whole[:4], self.bits + 0, self.rows + self.turned[:1, :3].sum(),
                self.empty + 1, self.lost + 1, self.plain + torch.tensor([1.0, 2.0, 3.0]))


DTYPES = "float64 float16 bfloat16 float8_e4m3fn complex64 bool uint8 int8 int16 int32 int64 uint16".split()


class Dtypes(nn.Module):
    def __init__(self):
        super().__init__()
        for name in DTYPES:
            self.register_buffer("w_" + name, count(4).to(getattr(torch, name)))

    def forward(self, x):
        return [getattr(self, "w_" + name).clone() for name in DTYPES]


class Cond(nn.Module):
    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: x.sin() + 1, lambda x: x.cos(), (x,))


class Symbols(nn.Module):
    def forward(self, x, scale, n):
        k = n.item()
        torch._check(k > 0)
        torch._check(k <= x.shape[0])
        return x[:k] * (scale.item() * 2 + 1), x.new_zeros(x.shape[0] * 2 + 1, x.shape[1] // 2), x + (x.shape[0] % 3)


Point = collections.namedtuple("Point", "x y")
torch.utils._pytree._register_namedtuple(Point, serialized_type_name="archives.Point")


class Inputs(nn.Module):
    def forward(self, x, nothing, i, f, flag, how, tree, point, *, scale=None):
        return x * i + f * scale + tree["p"][0] + tree[7] + point.x - point.y


def inputs():
    shared = count(8)
    args = (count(2), None, 3, 2.5, True, "mean", {"p": [shared[2:4], (shared[4:6], None)], 7: count(2, 2).t()[0]},
            Point(shared[:2], count(1).expand(2)))
    return args, {"scale": torch.tensor([1 + 2j, 3 - 4j]).conj()}


def tidy(program):
    """Source lines stay in, the places of the author's files do not."""
    for module in program.graph_module.modules():
        for node in getattr(getattr(module, "graph", None), "nodes", ()):
            trace = node.meta.get("stack_trace")
            if trace:
                node.meta["stack_trace"] = re.sub(r'File "[^"]*/', 'File "', trace)
            node.meta.pop("from_node", None)
    return program


def main():
    out = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..", "tests", "data", "package")
    os.makedirs(out, exist_ok=True)

    def write(name, module, *args, kwargs=None, dynamic=None, decompose=False, **options):
        program = export(module.eval(), args, kwargs, dynamic_shapes=dynamic)
        save(tidy(program.run_decompositions() if decompose else program), os.path.join(out, name + ".pt2"), **options)

    write("linear", Linear(), count(2, 4), dynamic={"x": {0: Dim("batch", min=2, max=8)}}, extra_files={"labels.txt": "cat\ndog é"})
    write("conv_bn", ConvNet(), R(1, 3, 8, 8))
    write("conv_bn_decomposed", ConvNet(), R(1, 3, 8, 8), decompose=True)
    write("tied", Tied(), R(2, 4))
    write("views", Views(), R(2, 2))
    write("dtypes", Dtypes(), R(1))
    write("cond", Cond(), R(3))
    write("symbols", Symbols(), R(6, 4), torch.tensor(0.5), torch.tensor(3), dynamic=({0: Dim.DYNAMIC, 1: Dim.DYNAMIC}, None, None))
    args, kwargs = inputs()
    write("inputs", Inputs(), *args, kwargs=kwargs)
    program = tidy(export(Linear().eval(), (count(2, 4),)))
    package_pt2(os.path.join(out, "two_models.pt2"), exported_programs={"encoder": program, "decoder/small": program})

    arrays = {"a": numpy.arange(12, dtype="f4").reshape(3, 4), "fortran": numpy.asfortranarray(numpy.arange(6.0).reshape(2, 3)),
              "scalar": numpy.array(7), "none": numpy.zeros((0, 3), "f2")}
    numpy.savez(os.path.join(out, "arrays.npz"), **arrays)
    numpy.savez_compressed(os.path.join(out, "compressed.npz"), **arrays)
    numpy.save(os.path.join(out, "fortran.npy"), arrays["fortran"])
    for protocol in (2, 4):
        torch.save({"a": count(3, 4), "b": count(4).bfloat16(), "f8": count(4).to(torch.float8_e5m2), "n": 5,
                    "p": nn.Parameter(count(2)), "od": collections.OrderedDict(z=count(1))},
                   os.path.join(out, f"saved_{protocol}.pt"), pickle_protocol=protocol)


if __name__ == "__main__":
    main()
