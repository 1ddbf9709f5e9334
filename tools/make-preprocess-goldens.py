#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes tests/data/gst/preprocess.bin: pictures and what PyTorch makes of them.

Each record: ten little-endian int32 (kind, width, height, x, y, w, h of the taken part, out width, out height, bilinear), the
picture's planes without padding, then float32 [3, out height, out width] (gray: [1, ...]).  kind: 0 gray, 1 NV12, 2 I420,
3 packed RGB, 4 packed RGBx.  Planes are resized by torch.nn.functional.interpolate; YUV planes are then converted by the full-range
BT.601 matrix.  Run it with PyTorch installed; the result is committed.
"""
import struct
import sys

import torch
import torch.nn.functional as F

GRAY, NV12, I420, RGB, RGBX = range(5)
MATRIX = torch.tensor([[1, 0, 1.402], [1, -0.344136, -0.714136], [1, 1.772, 0]], dtype=torch.float32)

CASES = [  # kind, frame size, taken part, out size
    (GRAY, (64, 48), None, (20, 20)), (GRAY, (7, 5), None, (31, 17)), (GRAY, (33, 1), None, (16, 3)), (GRAY, (1, 9), None, (4, 4)),
    (GRAY, (40, 30), (10, 6, 18, 21), (24, 16)), (GRAY, (1920, 2), None, (101, 3)), (GRAY, (16, 16), None, (16, 16)),
    (RGB, (50, 38), None, (16, 12)), (RGB, (9, 7), None, (21, 17)), (RGB, (1, 1), None, (3, 3)), (RGB, (30, 30), (3, 5, 11, 13), (19, 8)),
    (RGBX, (50, 38), None, (16, 12)), (RGBX, (9, 7), None, (21, 17)), (RGBX, (30, 30), (3, 5, 11, 13), (19, 8)),
    (NV12, (64, 48), None, (20, 20)), (NV12, (16, 12), None, (19, 15)), (NV12, (2, 2), None, (5, 5)),
    (I420, (64, 48), None, (20, 20)), (I420, (16, 12), None, (19, 15)), (I420, (2, 2), None, (5, 5)),
]


def resize(plane, size, mode):
    kwargs = {"align_corners": False, "antialias": False} if mode == "bilinear" else {}
    return F.interpolate(plane[None].float(), size=(size[1], size[0]), mode=mode, **kwargs)[0]


def nearest_chroma(plane, frame, size):
    """A pixel's own chroma: the pixel is chosen first, then the sample that covers it."""
    full = plane.repeat_interleave(2, 1).repeat_interleave(2, 2)[:, :frame[1], :frame[0]]
    return resize(full, size, "nearest")


def record(out, kind, frame, part, size, mode):
    w, h = frame
    x, y, pw, ph = part or (0, 0, w, h)
    head = struct.pack("<10i", kind, w, h, x, y, pw, ph, size[0], size[1], mode == "bilinear")
    n = {GRAY: 1, RGB: 3, RGBX: 4}.get(kind, 1)
    luma = torch.randint(0, 256, (h, w, n), dtype=torch.uint8)
    planes = [luma]
    taken = luma.permute(2, 0, 1)[:3, y:y + ph, x:x + pw]
    want = resize(taken, size, mode)
    if kind in (NV12, I420):
        chroma = torch.randint(0, 256, (2, h // 2, w // 2), dtype=torch.uint8)
        planes += [chroma.permute(1, 2, 0)] if kind == NV12 else [chroma]
        small = resize(chroma, size, mode) if mode == "bilinear" else nearest_chroma(chroma, frame, size)
        yuv = torch.cat([want, small - 128])
        want = torch.einsum("rc,chw->rhw", MATRIX, yuv).clamp(0, 255)
    out.write(head)
    for plane in planes:
        out.write(plane.contiguous().numpy().tobytes())
    out.write(want.contiguous().numpy().tobytes())


def main():
    torch.manual_seed(0)
    with open(sys.argv[1] if len(sys.argv) > 1 else "tests/data/gst/preprocess.bin", "wb") as out:
        for case in CASES:
            for mode in ("bilinear", "nearest"):
                record(out, *case, mode)


if __name__ == "__main__":
    main()
