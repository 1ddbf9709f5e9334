# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes tests/data/model: small exported programs NAME.pt2 with sample inputs, and what PyTorch computes for these,
NAME.expected.safetensors (keys "0", "1", ...; numbers as 0-d tensors; None left out).  Seeded: the same torch writes the same values.

    python tools/make-model-archives.py tests/data/model
"""
import copy
import os
import re
import sys

import torch
from torch import nn
from torch.export import Dim, export, save

import safetensors_file


class Linear(nn.Module):
    def __init__(self, n=4, m=3):
        super().__init__()
        self.fc = nn.Linear(n, m)

    def forward(self, x):
        return torch.relu(self.fc(x))


class Conv(nn.Module):
    """Convolutions with batch norm and a residual: folding, fusion, packs."""

    def __init__(self):
        super().__init__()
        self.a = nn.Conv2d(3, 8, 3, padding=1, bias=False)
        self.na = nn.BatchNorm2d(8)
        self.b = nn.Conv2d(8, 8, 3, padding=1, bias=False)
        self.nb = nn.BatchNorm2d(8)
        self.relu = nn.ReLU(inplace=True)
        self.fc = nn.Linear(8, 5)
        for norm in (self.na, self.nb):
            norm.running_mean.uniform_(-1, 1)
            norm.running_var.uniform_(0.5, 2)

    def forward(self, x):
        x = self.relu(self.na(self.a(x)))
        x = self.relu(self.nb(self.b(x)) + x)
        return self.fc(x.mean((2, 3)))


class Counter(nn.Module):
    """State: a buffer that every call changes."""

    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(3))

    def forward(self, x):
        self.total.add_(x)
        return self.total * 2


class Tree(nn.Module):
    """Structured arguments and results, numbers and None among them."""

    def forward(self, x, pair, *, scale, flag=None):
        a, b = pair["a"], pair["b"]
        return {"sum": x + a, "rest": [b * scale, (x.shape[0], None)]}


class Mixed(nn.Module):
    """Several dtypes, an output that is an input, one value twice."""

    def forward(self, x, i):
        y = x * 2
        return y, y, i, i + 1, x > 0, x.shape[0]


class Writes(nn.Module):
    """Writes its argument."""

    def forward(self, x):
        x.add_(1)
        return x * 3


class Constant(nn.Module):
    """A constant part that folds."""

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.rand(4, 4))
        self.register_buffer("scale", torch.rand(4), persistent=False)

    def forward(self, x):
        w = (self.w * self.scale).t() + 1
        return x @ w


class Tied(nn.Module):
    """Two names for one weight, and a weight nobody uses."""

    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 4, bias=False)
        self.b = nn.Linear(4, 4, bias=False)
        self.b.weight = self.a.weight
        self.unused = nn.Parameter(torch.rand(100))

    def forward(self, x):
        return self.b(torch.relu(self.a(x)))


def cases():
    batch = Dim("batch", min=1, max=64)
    yield "linear", Linear(), (torch.rand(2, 4),), {}, {"dynamic_shapes": {"x": {0: batch}}}
    yield "conv", Conv().eval(), (torch.rand(2, 3, 8, 8),), {}, {"dynamic_shapes": {"x": {0: batch}}}
    yield "conv-static", Conv().eval(), (torch.rand(1, 3, 8, 8),), {}, {}
    yield "counter", Counter(), (torch.tensor([1.0, 2.0, 3.0]),), {}, {}
    yield "tree", Tree(), (torch.rand(2, 3), {"a": torch.rand(2, 3), "b": torch.rand(3)}), {"scale": 3}, {}
    yield "mixed", Mixed(), (torch.randn(3, 2), torch.arange(4)), {}, {}
    yield "writes", Writes(), (torch.rand(3),), {}, {}
    yield "constant", Constant(), (torch.rand(3, 4),), {}, {}
    yield "tied", Tied(), (torch.rand(2, 4),), {}, {}


def as_tensors(results):
    leaves = torch.utils._pytree.tree_leaves(results)
    return {str(i): x if isinstance(x, torch.Tensor) else torch.tensor(x) for i, x in enumerate(leaves) if x is not None}


def expected_of(module, args, kwargs):
    copies = torch.utils._pytree.tree_map(lambda x: x.clone() if isinstance(x, torch.Tensor) else x, (args, kwargs))
    with torch.no_grad():
        return as_tensors(module(*copies[0], **copies[1]))


def forget_paths(graph_module):
    """Stack traces name files of the machine they were made on: keep the files' names."""
    for module in graph_module.modules():
        for node in module.graph.nodes if hasattr(module, "graph") else ():
            if "stack_trace" in node.meta:
                node.meta["stack_trace"] = re.sub(r'File "[^"]*/', 'File "', node.meta["stack_trace"])


def write(out, name, module, args, kwargs, options):
    expected = expected_of(copy.deepcopy(module), args, kwargs)
    own = torch.utils._pytree.tree_map(lambda x: x.clone() if isinstance(x, torch.Tensor) else x, (args, kwargs))
    program = export(module, own[0], own[1], **options)
    programs = {name: program}
    if name in ("conv", "counter", "writes"):
        programs[name + "-core"] = program.run_decompositions()
    for stem, each in programs.items():
        forget_paths(each.graph_module)
        save(each, os.path.join(out, stem + ".pt2"), extra_files={"note.txt": f"this is {stem}"})
        safetensors_file.save(expected, os.path.join(out, stem + ".expected.safetensors"))


def variants(out):
    """Other weights for linear.pt2: full archive, .safetensors, and ones that do not fit."""
    torch.manual_seed(7)
    other = Linear()
    x = torch.rand(2, 4)
    program = export(other, (x,), dynamic_shapes={"x": {0: Dim("batch", min=1, max=64)}})
    forget_paths(program.graph_module)
    save(program, os.path.join(out, "linear-other.pt2"))
    state = {k: v.detach().contiguous() for k, v in other.state_dict().items()}
    safetensors_file.save(state, os.path.join(out, "linear-other.safetensors"))
    safetensors_file.save({"fc.weight": state["fc.weight"][:, :3].contiguous(), "fc.bias": state["fc.bias"]},
                          os.path.join(out, "linear-wrong-size.safetensors"))
    safetensors_file.save({"fc.weight": state["fc.weight"].double(), "fc.bias": state["fc.bias"]},
                          os.path.join(out, "linear-wrong-dtype.safetensors"))
    safetensors_file.save({"fc.weight": state["fc.weight"]}, os.path.join(out, "linear-missing.safetensors"))


def main(out):
    os.makedirs(out, exist_ok=True)
    for name, module, args, kwargs, options in cases():
        torch.manual_seed(0)
        module.eval()
        write(out, name, module, args, kwargs, options)
    variants(out)


if __name__ == "__main__":
    torch.manual_seed(0)
    main(sys.argv[1])
