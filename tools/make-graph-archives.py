#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes tests/data/graph: small networks in the shapes that exports of real ones have, for tests of passes.

    make-graph-archives.py OUT

Per network the program's JSON, NAME.json.gz (as exported) and NAME-core.json.gz (after run_decompositions): graphs need no
weights.  schemas.txt.gz holds the schemas of all functional and in-place ATen operators, one a line.
"""
import gzip
import io
import os
import sys
import warnings
import zipfile

import torch
from torch import nn
from torch.export import Dim
from torch.nn import functional as F

NETS = {}


def net(*sizes, batch=True, train=False):
    def add(cls):
        NETS[cls.__name__.lower()] = (cls, sizes, batch, train)
        return cls
    return add


def conv_bn(i, o, k=3, s=1, act=None, groups=1):
    layers = [nn.Conv2d(i, o, k, s, k // 2, groups=groups, bias=False), nn.BatchNorm2d(o)]
    return nn.Sequential(*layers, *([act] if act else []))


class Bottleneck(nn.Module):
    def __init__(self, i, o, stride=1):
        super().__init__()
        self.a = conv_bn(i, o, 1)
        self.b = conv_bn(o, o, 3, stride)
        self.c = conv_bn(o, 2 * o, 1)
        self.relu = nn.ReLU(inplace=True)
        self.down = conv_bn(i, 2 * o, 1, stride)

    def forward(self, x):
        out = self.relu(self.a(x))
        out = self.relu(self.b(out))
        out = self.c(out)
        out += self.down(x)
        return self.relu(out)


@net((2, 3, 32, 32))
class ResNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = conv_bn(3, 8, 7, 2, nn.ReLU(inplace=True))
        self.pool = nn.MaxPool2d(3, 2, 1)
        self.body = nn.Sequential(Bottleneck(8, 4), Bottleneck(8, 8, 2))
        self.fc = nn.Linear(16, 5)

    def forward(self, x):
        x = self.body(self.pool(self.stem(x)))
        return self.fc(torch.flatten(F.adaptive_avg_pool2d(x, 1), 1))


@net((2, 3, 32, 32))
class MobileNet(nn.Module):
    """relu6_, hardswish_, squeeze and excitation, dropout before the classifier."""

    def __init__(self):
        super().__init__()
        self.a = conv_bn(3, 8, 3, 2, nn.ReLU6(inplace=True))
        self.dw = conv_bn(8, 8, 3, 1, nn.Hardswish(inplace=True), groups=8)
        self.fc1, self.fc2 = nn.Conv2d(8, 4, 1), nn.Conv2d(4, 8, 1)
        self.pw = conv_bn(8, 8, 1)
        self.head = nn.Sequential(nn.Linear(8, 16), nn.Hardswish(inplace=True), nn.Dropout(0.2, inplace=True), nn.Linear(16, 4))

    def forward(self, x):
        x = self.a(x)
        y = self.dw(x)
        s = F.adaptive_avg_pool2d(y, 1)
        s = F.hardsigmoid(self.fc2(F.relu(self.fc1(s), inplace=True)), inplace=True)
        y = self.pw(s * y)
        y += x
        return self.head(y.mean([2, 3]))


@net((2, 3, 32, 32))
class DenseNet(nn.Module):
    """batch norm in front of convolutions, everything concatenated."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, 1, 1, bias=False)
        self.norms = nn.ModuleList(nn.BatchNorm2d(8 + 4 * i) for i in range(3))
        self.convs = nn.ModuleList(nn.Conv2d(8 + 4 * i, 4, 3, 1, 1, bias=False) for i in range(3))
        self.fc = nn.Linear(20, 3)

    def forward(self, x):
        features = [self.stem(x)]
        for norm, conv in zip(self.norms, self.convs):
            y = conv(F.relu(norm(torch.cat(features, 1)), inplace=True))
            features.append(F.dropout(y, 0.1, self.training))
        return self.fc(F.relu(torch.cat(features, 1), inplace=True).mean((2, 3)))


@net((1, 3, 24, 32), batch=False)
class Yolo(nn.Module):
    """silu_, split and concatenation, upsampling, a table of strides read with item()."""

    def __init__(self):
        super().__init__()
        self.a = conv_bn(3, 8, 3, 2, nn.SiLU(inplace=True))
        self.b = conv_bn(8, 8, 3, 2, nn.SiLU(inplace=True))
        self.m = conv_bn(4, 4, 3, 1, nn.SiLU(inplace=True))
        self.up = nn.Upsample(scale_factor=2)
        self.heads = nn.ModuleList([nn.Conv2d(20, 6, 1), nn.Conv2d(12, 6, 1)])
        self.register_buffer("stride", torch.tensor([2.0, 4.0]))

    def forward(self, x):
        a = self.a(x)
        b = self.b(a)
        u, v = b.chunk(2, 1)
        b = torch.cat((u, v, v + self.m(v)), 1)
        maps = [self.heads[0](torch.cat((self.up(b), a), 1)), self.heads[1](b)]
        boxes, scale = [], []
        for m, s in zip(maps, self.stride):
            h, w = m.shape[2:]
            y, x = torch.meshgrid(torch.arange(h) + 0.5, torch.arange(w) + 0.5, indexing="ij")
            boxes.append(torch.stack((x, y), -1).view(-1, 2))
            scale.append(torch.full((h * w, 1), s.item()))
        out = torch.cat([m.flatten(2) for m in maps], 2)
        points, scale = torch.cat(boxes).t(), torch.cat(scale).t()
        return torch.cat((points * scale + out[:, :2], out[:, 2:].sigmoid()), 1)


@net((2, 3, 32, 32))
class UNet(nn.Module):
    """transposed convolutions with batch norm behind them, leaky_relu_, masks written into a slice."""

    def __init__(self):
        super().__init__()
        self.down = nn.ModuleList([conv_bn(3, 8, act=nn.LeakyReLU(0.1, inplace=True)), conv_bn(8, 16, act=nn.LeakyReLU(0.1, inplace=True))])
        self.up = nn.ConvTranspose2d(16, 8, 2, 2)
        self.norm = nn.BatchNorm2d(8)
        self.last = nn.Conv2d(16, 2, 1)

    def forward(self, x):
        a = self.down[0](x)
        b = self.down[1](F.max_pool2d(a, 2))
        u = F.relu(self.norm(self.up(b)), inplace=True)
        out = self.last(torch.cat((a, u), 1))
        return out.clamp_(-4, 4)


@net((2, 7), batch=False)
class Transformer(nn.Module):
    """embedding, masked attention, gelu, residuals, layer norm."""

    def __init__(self):
        super().__init__()
        self.tokens, self.places = nn.Embedding(11, 16), nn.Embedding(8, 16)
        self.norm1, self.norm2 = nn.LayerNorm(16), nn.LayerNorm(16)
        self.qkv, self.out = nn.Linear(16, 48), nn.Linear(16, 16)
        self.up, self.down = nn.Linear(16, 32), nn.Linear(32, 16)
        self.register_buffer("mask", torch.tril(torch.ones(8, 8)).bool(), persistent=False)

    def forward(self, ids):
        n = ids.shape[1]
        x = self.tokens(ids % 11) + self.places(torch.arange(n))
        q, k, v = (t.view(*t.shape[:2], 2, 8).transpose(1, 2) for t in self.qkv(self.norm1(x)).split(16, 2))
        scores = (q @ k.transpose(-1, -2) / 8 ** 0.5).masked_fill(~self.mask[:n, :n], float("-inf"))
        y = (scores.softmax(-1) @ v).transpose(1, 2).reshape(x.shape)
        x = x + self.out(y)
        return x + self.down(F.gelu(self.up(self.norm2(x))))


@net((4, 3, 8, 8))
class Stateful(nn.Module):
    """a counter, a running mean, an assignment into an argument's copy, grad switched inside."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, padding="same")
        self.register_buffer("count", torch.zeros(()))
        self.register_buffer("mean", torch.zeros(4))

    def forward(self, x):
        y = self.conv(x)
        with torch.no_grad():
            self.count.add_(1)
            self.mean.mul_(0.9).add_(y.mean((0, 2, 3)), alpha=0.1)
        z = y.clone()
        z[:, :2] = 0
        z[:, 2].relu_()
        return y - self.mean[:, None, None], z, self.count.to(torch.float32)


@net((3, 4), batch=False)
class Wrapped(nn.Module):
    """autocast and a condition that is always true."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = self.a(x)
        with torch.autocast("cpu", enabled=False):
            z = self.b(y.float())
        return z


def compress(path, data):
    with open(path, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, 0) as file:
        file.write(data)


def write(path, program):
    buffer = io.BytesIO()
    torch.export.save(program, buffer)
    data = zipfile.ZipFile(buffer).read("archive/models/model.json")
    for folder in (os.path.dirname(os.path.dirname(os.path.abspath(__file__))), os.path.dirname(os.path.dirname(torch.__file__))):
        data = data.replace(f"{folder}{os.sep}".encode(), b"")      # stack traces name no machine's folders
    compress(path, data)


def write_schemas(path):
    texts = {str(s) for s in torch._C._jit_get_all_schemas() if s.name.startswith("aten::")}
    skip = ("...", "((", "Dict(", " t[]", "t(a", "_out(", "backward")
    texts = sorted(t for t in texts if not any(word in t for word in skip) and ".out" not in t.split("(")[0])
    compress(path, "\n".join(texts).encode())


def main(out):
    os.makedirs(out, exist_ok=True)
    warnings.simplefilter("ignore")
    write_schemas(os.path.join(out, "schemas.txt.gz"))
    for name, (cls, sizes, batch, train) in NETS.items():
        torch.manual_seed(0)
        model = cls().train(train)
        integer = name == "transformer"
        args = tuple(torch.arange(size[0] * size[1]).view(size) if integer else torch.rand(size) for size in sizes)
        shapes = tuple({0: Dim.DYNAMIC} for _ in args) if batch else None
        program = torch.export.export(model, args, dynamic_shapes=shapes)
        write(os.path.join(out, name + ".json.gz"), program)
        write(os.path.join(out, name + "-core.json.gz"), program.run_decompositions())


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
