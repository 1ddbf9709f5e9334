#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Has PyTorch compute the cases of tools/goldens/*.py and writes tests/data/goldens/NAME.txt and NAME.bin.

A module of tools/goldens has one function, cases(g): g("add.Tensor", x, y, alpha=2) adds a case; g(..., tol=(rtol, atol))
gives the tolerance (default: exact), g(..., fails=True) says that the runtime must refuse.  Python numbers given for Tensor
arguments are numbers, as in an exported graph.  Run: tools/make-goldens.py [NAME...]; the format is in tests/kernels/test-goldens.c.
"""
import importlib.util
import pathlib
import sys

import torch

ROOT = pathlib.Path(__file__).resolve().parent.parent
FORMATS = {torch.contiguous_format: 1, torch.channels_last: 2, torch.channels_last_3d: 3, torch.preserve_format: 4}


class Group:
    def __init__(self):
        self.data, self.tensors, self.known, self.cases = bytearray(), [], {}, []

    def tensor(self, t):
        t = t.detach()
        if t.device.type != "cpu":
            raise ValueError("cpu only")
        t = t.resolve_conj() if t.is_complex() else t
        span = 1 + sum((n - 1) * s for n, s in zip(t.shape, t.stride())) if t.numel() else 0
        flat = torch.as_strided(t, (span,), (1,), t.storage_offset()).contiguous()
        raw = flat.view(torch.uint8).numpy().tobytes() if span else b""
        key = (t.dtype, tuple(t.shape), t.stride(), raw)
        if key not in self.known:
            self.data += bytes(-len(self.data) % 16)
            self.known[key] = len(self.tensors)
            numbers = lambda v: ",".join(map(str, v)) or "-"
            self.tensors.append("tensor %s %d 0 %s %s" % (str(t.dtype)[6:], len(self.data), numbers(t.shape), numbers(t.stride())))
            self.data += raw
        return self.known[key]

    def arg(self, value, kind):
        if value is None:
            return "n"
        if isinstance(value, torch.Tensor):
            return "T %d" % self.tensor(value)
        if "Tensor" in kind and not isinstance(value, (list, tuple)):
            return "W %d" % self.tensor(torch.tensor(value, dtype=torch.float64 if isinstance(value, float) else None))
        if isinstance(value, bool):
            return "b %d" % value
        if isinstance(value, int):
            return "i %d" % value
        if isinstance(value, float):
            return "f %r" % value
        if isinstance(value, str):
            return "s " + value
        if isinstance(value, torch.dtype):
            return "d " + str(value)[6:]
        if isinstance(value, torch.memory_format):
            return "m %d" % FORMATS[value]
        if isinstance(value, (list, tuple)):
            if "Tensor" in kind:
                return "L " + (",".join("-1" if v is None else str(self.tensor(v)) for v in value) or "-")
            if any(isinstance(v, float) for v in value):
                return "F " + ",".join("%r" % v for v in value)
            if value and isinstance(value[0], bool):
                return "B " + ",".join(str(int(v)) for v in value)
            return "I " + (",".join(map(str, value)) or "-")
        return "n"                      # layout, device, generator

    def __call__(self, name, *args, tol=(0, 0), fails=False, **kwargs):
        space, name = name.split("::") if "::" in name else ("aten", name)
        base, _, overload = name.partition(".")
        op = getattr(getattr(getattr(torch.ops, space), base), overload or "default")
        args, lines = list(args), []
        for i, a in enumerate(op._schema.arguments):
            value = args[i] if i < len(args) and not a.kwarg_only else kwargs.get(a.name, a.default_value)
            if str(a.type) in ("ScalarType", "Optional[ScalarType]", "Optional[int]", "int") and isinstance(value, torch.dtype):
                lines.append("d " + str(value)[6:])
            elif "memory_format" in a.name and isinstance(value, int) and not isinstance(value, bool):
                lines.append("m %d" % {0: 1, 1: 4, 2: 2, 3: 3}[value])
            else:
                lines.append(self.arg(value, str(a.type)))
        if fails:
            lines.append("fail")
        else:
            out = op(*args, **kwargs)
            for o in out if isinstance(out, (list, tuple)) else [out]:
                lines.append("out %d" % self.tensor(o if isinstance(o, torch.Tensor) else torch.tensor(o, dtype=torch.float64)))
        prefix = "" if space == "aten" else space + "_"
        self.cases.append("\n".join(["case %s%s_%s %g %g" % (prefix, base, overload or "default", *tol)] + lines))


def main():
    for path in sorted((ROOT / "tools/goldens").glob("*.py")):
        if len(sys.argv) > 1 and path.stem not in sys.argv[1:]:
            continue
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        torch.manual_seed(0)
        group = Group()
        module.cases(group)
        out = ROOT / "tests/data/goldens" / path.stem
        out.parent.mkdir(parents=True, exist_ok=True)
        out.with_suffix(".bin").write_bytes(group.data)
        out.with_suffix(".txt").write_text("\n".join(group.tensors + group.cases) + "\n")
        print("%s: %d cases, %d tensors, %d bytes" % (path.stem, len(group.cases), len(group.tensors), len(group.data)))


if __name__ == "__main__":
    main()
