# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads and writes .safetensors files with torch alone: eight bytes of header length, a JSON header, then the data."""
import json

import torch

DTYPES = {"F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16, "I64": torch.int64,
          "I32": torch.int32, "I16": torch.int16, "I8": torch.int8, "U8": torch.uint8, "BOOL": torch.bool,
          "U16": torch.uint16, "U32": torch.uint32, "U64": torch.uint64, "C64": torch.complex64,
          "F8_E4M3": torch.float8_e4m3fn, "F8_E5M2": torch.float8_e5m2}
NAMES = {dtype: name for name, dtype in DTYPES.items()}


def load(path):
    with open(path, "rb") as f:
        data = bytearray(f.read())
    start = 8 + int.from_bytes(data[:8], "little")
    result = {}
    for key, entry in json.loads(data[8:start]).items():
        if key == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        raw = torch.frombuffer(data, dtype=torch.uint8, offset=start + begin, count=end - begin) if end > begin \
            else torch.empty(0, dtype=torch.uint8)
        result[key] = raw.clone().view(DTYPES[entry["dtype"]]).reshape(entry["shape"])
    return result


def save(tensors, path):
    header, parts, offset = {}, [], 0
    for key, tensor in tensors.items():
        tensor = tensor.detach().resolve_conj().resolve_neg().contiguous().cpu()
        raw = bytes(tensor.reshape(-1).view(torch.uint8).numpy()) if tensor.numel() else b""
        header[key] = {"dtype": NAMES[tensor.dtype], "shape": list(tensor.shape),
                       "data_offsets": [offset, offset + len(raw)]}
        parts.append(raw)
        offset += len(raw)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(len(text).to_bytes(8, "little") + text + b"".join(parts))
