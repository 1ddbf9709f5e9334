#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes the tiny models of tests/gst in tests/data/gst: what goes in comes out in a form that a test can compute by hand.

identity.pt2   float32 [b, 3, 8, 8] -> the same, and the mean of every channel
dynamic.pt2    float32 [1, 3, h, w], 4 to 64 -> per-channel mean [1, 3]
nhwc-u8.pt2    uint8 [1, 6, 10, 3] -> float32 of the same
gray.pt2       float32 [1, 1, 8, 12] -> x * weight + bias; with weights gray-b.pt2 (other numbers) and gray-bad.pt2 (other sizes)
settings.pt2   as identity, with a nativert.json inside
slow.pt2       float32 [1, 3, h, w], 4 to 512 -> some convolutions: takes milliseconds on large pictures
unsupported.pt2  uses two operators that no runtime has
two-inputs.pt2   takes two pictures
scalar.pt2       float32 [1, 3, 8, 8] -> a scalar, a bool tensor, an int64 tensor

Run it with PyTorch installed; the results are committed.
"""
import json
import os
import sys

import torch
from torch import nn


class Identity(nn.Module):
    def forward(self, x):
        return x * 1.0, x.mean((2, 3))


class Mean(nn.Module):
    def forward(self, x):
        return x.mean((2, 3))


class Floats(nn.Module):
    def forward(self, x):
        return x.float()


class Affine(nn.Module):
    def __init__(self, weight, bias, n=1):
        super().__init__()
        self.weight = nn.Parameter(torch.full((n,), float(weight)))
        self.bias = nn.Parameter(torch.full((n,), float(bias)))

    def forward(self, x):
        return x * self.weight + self.bias


class Slow(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 16, 3, padding=1)
        self.again = nn.Conv2d(16, 16, 3, padding=1)

    def forward(self, x):
        x = self.first(x).relu()
        for _ in range(5):
            x = self.again(x).relu()
        return x.mean((2, 3))


class Two(nn.Module):
    def forward(self, x, y):
        return x + y


class Scalar(nn.Module):
    def forward(self, x):
        return x.sum(), x.mean((2, 3)) > 0.5, (x * 255).to(torch.int64)


@torch.library.custom_op("house::mystery", mutates_args=())
def mystery(x: torch.Tensor) -> torch.Tensor:
    return x.clone()


@mystery.register_fake
def _(x):
    return torch.empty_like(x)


@torch.library.custom_op("house::riddle", mutates_args=())
def riddle(x: torch.Tensor) -> torch.Tensor:
    return x.clone()


@riddle.register_fake
def _(x):
    return torch.empty_like(x)


class Unsupported(nn.Module):
    def forward(self, x):
        return riddle(mystery(x))


def save(folder, name, module, inputs, shapes=None, extra=None):
    program = torch.export.export(module.eval(), inputs, dynamic_shapes=shapes)
    here, packages = os.path.dirname(os.path.abspath(__file__)), os.path.dirname(os.path.dirname(torch.__file__))
    for node in program.graph.nodes:  # source lines without this machine's folders
        if node.meta.get("stack_trace"):
            node.meta["stack_trace"] = node.meta["stack_trace"].replace(here, "tools").replace(packages + "/", "")
    torch.export.save(program, os.path.join(folder, name), extra_files=extra)


def main():
    torch.manual_seed(0)
    folder = sys.argv[1] if len(sys.argv) > 1 else "tests/data/gst"
    batch = torch.export.Dim("batch", min=1, max=16)
    height, width = torch.export.Dim("height", min=4, max=64), torch.export.Dim("width", min=4, max=64)
    picture = torch.rand(2, 3, 8, 8)
    save(folder, "identity.pt2", Identity(), (picture,), ({0: batch},))
    save(folder, "dynamic.pt2", Mean(), (torch.rand(1, 3, 16, 24),), ({2: height, 3: width},))
    save(folder, "nhwc-u8.pt2", Floats(), (torch.zeros(1, 6, 10, 3, dtype=torch.uint8),))
    save(folder, "gray.pt2", Affine(1, 0), (torch.rand(1, 1, 8, 12),))
    save(folder, "gray-b.pt2", Affine(2, 3), (torch.rand(1, 1, 8, 12),))
    save(folder, "gray-bad.pt2", Affine(2, 3, 12), (torch.rand(1, 1, 8, 12),))
    settings = {"scale": 0.5, "mean": [1, 2, 3], "std": [2, 4, 8], "channel-order": "bgr", "resize": "letterbox", "pad-value": 10}
    save(folder, "settings.pt2", Identity(), (picture,), ({0: batch},), {"nativert.json": json.dumps(settings)})
    large = [torch.export.Dim(name, min=4, max=512) for name in ("height", "width")]
    save(folder, "slow.pt2", Slow(), (torch.rand(1, 3, 16, 24),), ({2: large[0], 3: large[1]},))
    save(folder, "unsupported.pt2", Unsupported(), (picture,))
    save(folder, "two-inputs.pt2", Two(), (picture, picture))
    save(folder, "scalar.pt2", Scalar(), (picture[:1],))


if __name__ == "__main__":
    main()
