#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Trains pipelines/models/ball.pt2, the small detector of the demo: it finds a bright ball in a picture.

    train-ball-detector.py [--out pipelines/models/ball.pt2] [--steps N]

The pictures are drawn here: balls of many sizes and brightnesses, cut by the border or whole, on black, grey,
gradients, noise and boxes, and pictures with no ball.  Judged on pictures that were not drawn here: those of
`videotestsrc pattern=ball`, when gst-launch-1.0 is installed.  Seeded and single-threaded: the same torch
gives the same file.

Input: float32 [batch, 3, 96, 96], RGB, normalised as extra/nativert.json in the archive says.
Output: {"centre": [batch, 2] (x, y; 0 and 1 are the borders), "score": [batch] (0 to 1)}.
"""
import argparse
import json
import os
import shutil
import subprocess
import tempfile

import torch
from torch import nn
from torch.nn import functional as F

SIZE, CELLS = 96, 24
PREPROCESSING = {"resize": "stretch", "channel-order": "rgb", "scale": 1 / 255, "mean": [0.5] * 3, "std": [0.5] * 3}


def layer(c_in, c_out, stride=1, dilation=1):
    conv = nn.Conv2d(c_in, c_out, 3, stride, dilation, dilation, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(c_out), nn.ReLU(inplace=True))


class BallDetector(nn.Module):
    """For every cell of 4x4 pixels: how likely the ball is centred there, and where exactly; the answer is the mean."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(layer(3, 12, 2), layer(12, 24, 2), layer(24, 24), layer(24, 24, 1, 2),
                                  layer(24, 24, 1, 4), layer(24, 24))
        self.heat = nn.Conv2d(24, 1, 1)
        self.offset = nn.Conv2d(24, 2, 1)
        steps = (torch.arange(CELLS) + 0.5) / CELLS
        y, x = torch.meshgrid(steps, steps, indexing="ij")
        self.register_buffer("cells", torch.stack([x, y]).flatten(1))

    def logits(self, x):
        features = self.body(x)
        return self.heat(features).flatten(1), self.offset(features).flatten(2) / CELLS

    def forward(self, image):
        heat, offset = self.logits(image)
        share = F.softmax(heat, dim=1)
        centre = ((self.cells + offset) * share.unsqueeze(1)).sum(2)
        return {"centre": centre, "score": torch.sigmoid(heat.amax(1))}


# ---- pictures

def backgrounds(n, size):
    """Black for half of them; else grey, a gradient, noise, boxes."""
    ramp = torch.linspace(-1, 1, size)
    slope = torch.randn(n, 3, 2, 1) * 0.2
    down, across = slope[:, :, :1] * ramp[None, None, :, None], slope[:, :, 1:] * ramp[None, None, None, :]
    picture = (torch.rand(n, 3, 1, 1) * 0.5 + down + across).clamp(0, 0.7)
    ys, xs = torch.arange(size)[None, :, None], torch.arange(size)[None, None, :]
    for _ in range(2):
        x0, y0, w, h = (torch.randint(0, size, (n, 1, 1)), torch.randint(0, size, (n, 1, 1)),
                        torch.randint(2, size // 3, (n, 1, 1)), torch.randint(2, size // 3, (n, 1, 1)))
        inside = ((xs >= x0) & (xs < x0 + w) & (ys >= y0) & (ys < y0 + h)).unsqueeze(1)
        picture = torch.where(inside, torch.rand(n, 3, 1, 1) * 0.8, picture)
    return picture * (torch.rand(n, 1, 1, 1) < 0.5)


def draw(n):
    """n pictures, their centres, and whether there is a ball at all."""
    size = SIZE
    picture = backgrounds(n, size)
    radius = torch.empty(n, 1).uniform_(2.0, 14.0)
    aspect = torch.empty(n, 2).uniform_(0.8, 1.25)
    centre = torch.rand(n, 2)
    there = torch.rand(n) < 0.9
    grid = torch.arange(size) + 0.5
    dx = (grid[None, None, :] - centre[:, :1, None] * size) / aspect[:, :1, None]
    dy = (grid[None, :, None] - centre[:, 1:, None] * size) / aspect[:, 1:, None]
    softness = torch.empty(n, 1, 1).uniform_(0.4, 1.6)
    alpha = ((radius[:, :, None] - (dx * dx + dy * dy).sqrt()) / softness + 0.5).clamp(0, 1) * there[:, None, None]
    colour = torch.where(torch.rand(n, 1) < 0.6, torch.ones(n, 3), torch.empty(n, 3).uniform_(0.85, 1.0))
    picture = picture * (1 - alpha[:, None]) + colour[:, :, None, None] * alpha[:, None]
    return finish(picture, n), centre, there


def finish(picture, n):
    noise = torch.randn_like(picture) * torch.rand(n, 1, 1, 1) * 0.06 * (torch.rand(n, 1, 1, 1) < 0.5)
    return ((picture + noise).clamp(0, 1) * 255).round() / 255


def normalise(picture):
    return (picture - 0.5) / 0.5


# ---- training

def loss_of(net, picture, centre, there):
    heat, offset = net.logits(normalise(picture))
    cell = (centre * CELLS).long().clamp(0, CELLS - 1)
    index = cell[:, 1] * CELLS + cell[:, 0]
    where = F.cross_entropy(heat[there], index[there])
    share = F.softmax(heat, dim=1)
    found = ((net.cells + offset) * share.unsqueeze(1)).sum(2)
    close = F.smooth_l1_loss(found[there] * SIZE, centre[there] * SIZE, beta=0.5)
    score = F.binary_cross_entropy_with_logits(heat.amax(1), there.float())
    return 0.2 * where + close + 0.5 * score


def train(steps, batch):
    torch.manual_seed(7)
    net = BallDetector()
    optimiser = torch.optim.AdamW(net.parameters(), 3e-3, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 6e-3, total_steps=steps)
    for step in range(steps):
        loss = loss_of(net, *draw(batch))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
        if (step + 1) % 100 == 0:
            print(f"step {step + 1}: loss {loss.item():.4f}", flush=True)
    return net.eval()


# ---- judging

def true_frames(width=320, height=240, count=180):
    """Frames of the pipeline and their true centres (the centroid of what is bright), or None without GStreamer."""
    if shutil.which("gst-launch-1.0") is None:
        return None
    with tempfile.NamedTemporaryFile() as f:
        caps = f"video/x-raw,format=RGB,width={width},height={height},framerate=30/1"
        subprocess.run(["gst-launch-1.0", "-q", "videotestsrc", "pattern=ball", f"num-buffers={count}", "!", caps, "!",
                        "filesink", "location=" + f.name], check=True)
        data = torch.frombuffer(bytearray(f.read()), dtype=torch.uint8)
    frames = data.view(count, height, width, 3).permute(0, 3, 1, 2).float() / 255
    bright = frames.mean(1)
    total = bright.sum((1, 2))
    x = (bright.sum(1) * (torch.arange(width) + 0.5)).sum(1) / total
    y = (bright.sum(2) * (torch.arange(height) + 0.5)).sum(1) / total
    return frames, torch.stack([x, y], 1)


def judge(net):
    with torch.no_grad():
        torch.manual_seed(99)
        picture, centre, there = draw(1000)
        result = net(normalise(picture))
        error = ((result["centre"] - centre) * SIZE).norm(dim=1)[there]
        right = ((result["score"] > 0.5) == there).float().mean()
        print(f"drawn pictures: centre off by {error.mean():.2f} of 96 pixels (95 % under {error.quantile(0.95):.2f}), "
              f"score right in {right:.1%}")
        for width, height in ((320, 240), (640, 480)):
            true = true_frames(width, height)
            if true is None:
                continue
            frames, centre = true
            small = F.interpolate(frames, (SIZE, SIZE), mode="bilinear", align_corners=False)
            result = net(normalise(small))
            error = (result["centre"] * torch.tensor([width, height]) - centre).norm(dim=1)
            print(f"videotestsrc {width}x{height}: centre off by {error.mean():.2f} pixels (at most "
                  f"{error.max():.2f}), lowest score {result['score'].min():.3f}")


def main():
    top = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", default=os.path.join(top, "pipelines", "models", "ball.pt2"))
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--batch", type=int, default=48)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    net = train(arguments.steps, arguments.batch)
    judge(net)
    for p in net.parameters():
        p.requires_grad_(False)
    picture, _, _ = draw(2)
    with torch.no_grad():
        batch = torch.export.Dim("batch", min=1, max=64)
        program = torch.export.export(net, (normalise(picture),), dynamic_shapes=({0: batch},))
    for node in program.graph.nodes:
        node.meta.pop("stack_trace", None)  # paths of this machine
    torch.export.save(program, arguments.out, extra_files={"nativert.json": json.dumps(PREPROCESSING)})
    parameters = sum(p.numel() for p in net.parameters())
    print(f"{arguments.out}: {parameters} parameters, {os.path.getsize(arguments.out)} bytes")


if __name__ == "__main__":
    main()
