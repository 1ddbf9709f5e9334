# SPDX-License-Identifier: LGPL-2.1-or-later
"""Small copies of well-known network structures, so that exports and benchmarks need nothing but torch.

Weights are whatever torch's initialisers give under the caller's seed; nothing here is trained.
"""
import torch
from torch import nn
from torch.nn import functional as F


# ---- ResNet

def conv_bn(c_in, c_out, kernel, stride=1, groups=1, act=None):
    layers = [nn.Conv2d(c_in, c_out, kernel, stride, kernel // 2, groups=groups, bias=False), nn.BatchNorm2d(c_out)]
    return nn.Sequential(*layers, act) if act is not None else nn.Sequential(*layers)


class BasicBlock(nn.Module):
    expansion = 1

    def __init__(self, c_in, width, stride):
        super().__init__()
        self.body = nn.Sequential(conv_bn(c_in, width, 3, stride, act=nn.ReLU(inplace=True)), conv_bn(width, width, 3))
        self.skip = conv_bn(c_in, width, 1, stride) if stride != 1 or c_in != width else nn.Identity()
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        out = self.body(x)
        out += self.skip(x)
        return self.relu(out)


class Bottleneck(nn.Module):
    expansion = 4

    def __init__(self, c_in, width, stride):
        super().__init__()
        self.body = nn.Sequential(conv_bn(c_in, width, 1, act=nn.ReLU(inplace=True)),
                                  conv_bn(width, width, 3, stride, act=nn.ReLU(inplace=True)),
                                  conv_bn(width, width * 4, 1))
        self.skip = conv_bn(c_in, width * 4, 1, stride) if stride != 1 or c_in != width * 4 else nn.Identity()
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        out = self.body(x)
        out += self.skip(x)
        return self.relu(out)


class ResNet(nn.Module):
    def __init__(self, block, counts, classes=1000):
        super().__init__()
        self.stem = conv_bn(3, 64, 7, 2, act=nn.ReLU(inplace=True))
        self.pool = nn.MaxPool2d(3, 2, 1)
        blocks, c_in = [], 64
        for stage, count in enumerate(counts):
            width = 64 << stage
            for i in range(count):
                blocks.append(block(c_in, width, 2 if i == 0 and stage else 1))
                c_in = width * block.expansion
        self.blocks = nn.Sequential(*blocks)
        self.gap = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(c_in, classes)

    def forward(self, x):
        return self.fc(torch.flatten(self.gap(self.blocks(self.pool(self.stem(x)))), 1))


def resnet18(classes=1000):
    return ResNet(BasicBlock, (2, 2, 2, 2), classes)


def resnet50(classes=1000):
    return ResNet(Bottleneck, (3, 4, 6, 3), classes)


# ---- MobileNetV2

class InvertedResidual(nn.Module):
    def __init__(self, c_in, c_out, stride, expand):
        super().__init__()
        hidden = c_in * expand
        layers = [conv_bn(c_in, hidden, 1, act=nn.ReLU6(inplace=True))] if expand != 1 else []
        layers += [conv_bn(hidden, hidden, 3, stride, hidden, nn.ReLU6(inplace=True)), conv_bn(hidden, c_out, 1)]
        self.body = nn.Sequential(*layers)
        self.residual = stride == 1 and c_in == c_out

    def forward(self, x):
        return x + self.body(x) if self.residual else self.body(x)


class MobileNetV2(nn.Module):
    STAGES = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1))

    def __init__(self, classes=1000):
        super().__init__()
        layers, c_in = [conv_bn(3, 32, 3, 2, act=nn.ReLU6(inplace=True))], 32
        for expand, c_out, count, stride in self.STAGES:
            for i in range(count):
                layers.append(InvertedResidual(c_in, c_out, stride if i == 0 else 1, expand))
                c_in = c_out
        layers.append(conv_bn(c_in, 1280, 1, act=nn.ReLU6(inplace=True)))
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Sequential(nn.Dropout(0.2), nn.Linear(1280, classes))

    def forward(self, x):
        x = F.adaptive_avg_pool2d(self.features(x), (1, 1))
        return self.classifier(torch.flatten(x, 1))


# ---- transformers

class Attention(nn.Module):
    def __init__(self, dim, heads, causal=False):
        super().__init__()
        self.heads, self.causal = heads, causal
        self.qkv, self.out = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)

    def forward(self, x, mask=None):
        b, n, d = x.shape
        q, k, v = self.qkv(x).reshape(b, n, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=self.causal)
        return self.out(y.transpose(1, 2).reshape(b, n, d))


class Block(nn.Module):
    def __init__(self, dim, heads, causal=False, act=nn.GELU):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attention = Attention(dim, heads, causal)
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), act(), nn.Linear(4 * dim, dim), nn.Dropout(0.1))

    def forward(self, x, mask=None):
        x = x + self.attention(self.norm1(x), mask)
        return x + self.mlp(self.norm2(x))


class ViT(nn.Module):
    def __init__(self, size=224, patch=16, dim=192, depth=12, heads=3, classes=1000):
        super().__init__()
        self.patch = nn.Conv2d(3, dim, patch, patch)
        self.token = nn.Parameter(torch.randn(1, 1, dim) * 0.02)
        self.position = nn.Parameter(torch.randn(1, (size // patch) ** 2 + 1, dim) * 0.02)
        self.blocks = nn.Sequential(*[Block(dim, heads) for _ in range(depth)])
        self.norm, self.head = nn.LayerNorm(dim), nn.Linear(dim, classes)

    def forward(self, x):
        x = self.patch(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], dim=1) + self.position
        return self.head(self.norm(self.blocks(x))[:, 0])


class Decoder(nn.Module):
    """GPT-2's shape: token and position tables, causal blocks, output tied to the token table."""

    def __init__(self, words=500, length=64, dim=96, depth=3, heads=4):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(words, dim), nn.Embedding(length, dim)
        blocks = [Block(dim, heads, True, lambda: nn.GELU(approximate="tanh")) for _ in range(depth)]
        self.blocks = nn.ModuleList(blocks)
        self.norm = nn.LayerNorm(dim)

    def forward(self, ids):
        x = self.tokens(ids) + self.positions(torch.arange(ids.shape[1], device=ids.device))
        for block in self.blocks:
            x = block(x)
        return F.linear(self.norm(x), self.tokens.weight)


class Encoder(nn.Module):
    """MiniLM's shape: an encoder with a padding mask, and the masked mean of its tokens, normalised."""

    def __init__(self, words=500, length=64, dim=96, depth=3, heads=4):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(words, dim, padding_idx=0), nn.Embedding(length, dim)
        self.blocks = nn.ModuleList([Block(dim, heads) for _ in range(depth)])

    def forward(self, ids, mask):
        allowed = mask[:, None, None, :].to(torch.bool)
        x = self.tokens(ids) + self.positions.weight[:ids.shape[1]]
        for block in self.blocks:
            x = block(x, allowed)
        weight = mask.unsqueeze(-1).to(x.dtype)
        return F.normalize((x * weight).sum(1) / weight.sum(1).clamp(min=1e-9), dim=-1)


# ---- recurrent nets

class Tagger(nn.Module):
    def __init__(self, words=300, dim=48, tags=12):
        super().__init__()
        self.embed, self.lstm = nn.Embedding(words, dim), nn.LSTM(dim, 64, 2, batch_first=True, bidirectional=True)
        self.head = nn.Linear(128, tags)

    def forward(self, ids):
        out, (h, c) = self.lstm(self.embed(ids))
        return F.log_softmax(self.head(out), dim=-1), h, c


class SpeechGru(nn.Module):
    """Convolutions over a spectrogram, then a GRU with a given state: the shape of voice detectors."""

    def __init__(self, bands=40, hidden=64):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv1d(bands, 48, 5, 2, 2), nn.BatchNorm1d(48), nn.LeakyReLU(0.1),
                                  nn.Conv1d(48, 48, 3, 1, 1), nn.Tanh())
        self.gru, self.head = nn.GRU(48, hidden, 1, batch_first=True), nn.Linear(hidden, 2)

    def forward(self, x, state):
        out, state = self.gru(self.conv(x).transpose(1, 2), state)
        return torch.softmax(self.head(out), dim=-1), state


class TextReader(nn.Module):
    """A CRNN: columns of a picture of a line of text through a bidirectional LSTM."""

    def __init__(self, symbols=37):
        super().__init__()
        self.conv = nn.Sequential(conv_bn(1, 32, 3, act=nn.ReLU()), nn.MaxPool2d(2),
                                  conv_bn(32, 64, 3, act=nn.ReLU()), nn.MaxPool2d((2, 1)),
                                  conv_bn(64, 64, 3, act=nn.ReLU()), nn.AdaptiveAvgPool2d((1, None)))
        self.lstm, self.head = nn.LSTM(64, 48, bidirectional=True), nn.Linear(96, symbols)

    def forward(self, x):
        columns = self.conv(x).squeeze(2).permute(2, 0, 1)
        return self.head(self.lstm(columns)[0])


# ---- pictures in, pictures out

class UNet(nn.Module):
    def __init__(self, width=16, classes=4):
        super().__init__()
        act = nn.SiLU
        self.down1, self.down2 = conv_bn(3, width, 3, act=act()), conv_bn(width, 2 * width, 3, 2, act=act())
        self.middle = conv_bn(2 * width, 4 * width, 3, 2, act=act())
        self.up = nn.ConvTranspose2d(4 * width, 2 * width, 2, 2)
        self.join2, self.join1 = conv_bn(4 * width, width, 3, act=act()), conv_bn(2 * width, width, 3, act=act())
        self.head = nn.Conv2d(width, classes, 1)

    def forward(self, x):
        a = self.down1(x)
        b = self.down2(a)
        y = self.join2(torch.cat([self.up(self.middle(b)), b], 1))
        y = F.interpolate(y, size=a.shape[-2:], mode="bilinear", align_corners=False)
        y = self.head(self.join1(torch.cat([y, a], 1)))
        return {"mask": y.argmax(1), "probability": y.softmax(1)}


class Upscaler(nn.Module):
    def __init__(self, width=24, factor=2):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, width, 3, 1, 1), nn.PReLU(width),
                                  nn.Conv2d(width, width, 3, 1, 1), nn.PReLU(width),
                                  nn.Conv2d(width, 3 * factor * factor, 3, 1, 1), nn.PixelShuffle(factor))
        self.factor = factor

    def forward(self, x):
        return self.body(x) + F.interpolate(x, scale_factor=float(self.factor), mode="nearest")


class Detector(nn.Module):
    """One scale, boxes decoded in the graph, the best k kept: the shape of NMS-free detectors."""

    def __init__(self, classes=5, k=10):
        super().__init__()
        act, self.k = nn.Hardswish, k
        self.body = nn.Sequential(conv_bn(3, 16, 3, 2, act=act()), conv_bn(16, 32, 3, 2, act=act()),
                                  conv_bn(32, 48, 3, 2, act=act()))
        self.boxes, self.scores = nn.Conv2d(48, 4, 1), nn.Conv2d(48, classes, 1)

    def forward(self, x):
        y = self.body(x)
        h, w = y.shape[-2:]
        gy, gx = torch.meshgrid(torch.arange(h) + 0.5, torch.arange(w) + 0.5, indexing="ij")
        centre = torch.stack([gx, gy], -1).view(1, -1, 2) * 8
        boxes = F.softplus(self.boxes(y)).flatten(2).transpose(1, 2) * 8
        boxes = torch.cat([centre - boxes[..., :2], centre + boxes[..., 2:]], -1)
        best, label = self.scores(y).sigmoid().flatten(2).transpose(1, 2).max(-1)
        value, index = best.topk(self.k, dim=1)
        boxes = boxes.gather(1, index.unsqueeze(-1).expand(-1, -1, 4)).clamp(0, x.shape[-1])
        return boxes, value, label.gather(1, index)
