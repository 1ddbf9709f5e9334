# SPDX-License-Identifier: LGPL-2.1-or-later
"""The comparing half of zoo.py: runs the nativert command on exported networks and judges what comes out.

    ok            every output within torch.testing.assert_close's default tolerances of eager PyTorch
    unstable      outside them, but PyTorch's own float32 is as far from float64: the network amplifies rounding
    unsupported   the command says that an operator or feature is not implemented
    FAIL          anything else
"""
import collections
import json
import os
import re
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

import torch

import safetensors_file

# What torch.testing.assert_close uses: dtype -> (rtol, atol); everything else is exact.
TOLERANCES = {torch.float64: (1e-7, 1e-7), torch.float32: (1.3e-6, 1e-5), torch.float16: (1e-3, 1e-5),
              torch.bfloat16: (1.6e-2, 1e-5), torch.complex64: (1.3e-6, 1e-5), torch.complex128: (1e-7, 1e-7)}
LACKING = re.compile(r"([\w.]+[.:]\w+) \(\d+ uses?, first")
UNSUPPORTED = ("unsupported", "not supported", "not implemented", "no kernel")


def distance(got, expected):
    """The largest |got - expected| / (atol + rtol * |expected|), over all outputs: at most 1 passes."""
    worst = 0.0
    for key, want in expected.items():
        have = got[key]
        rtol, atol = TOLERANCES.get(have.dtype, (0, 0))
        if not (have.is_floating_point() or have.is_complex()):
            worst = max(worst, 0.0 if torch.equal(have.to(want.dtype), want) else float("inf"))
            continue
        wide = torch.complex128 if have.is_complex() else torch.float64
        a, b = have.to(wide), want.to(wide)
        same = (a == b) | (a.isnan() & b.isnan())
        ratio = torch.where(same, 0.0, (a - b).abs() / (atol + rtol * b.abs()))
        worst = max(worst, ratio.nan_to_num(nan=float("inf")).max().item() if ratio.numel() else 0.0)
    return worst


def compare(got, expected):
    """None when equal within the tolerances, else the reason."""
    for key, want in expected.items():
        if key not in got:
            return f"output {key} is missing"
        have = got[key]
        if have.dtype != want.dtype or have.shape != want.shape:
            return f"output {key} is {have.dtype} {list(have.shape)}, expected {want.dtype} {list(want.shape)}"
        try:
            torch.testing.assert_close(have, want, equal_nan=True)
        except AssertionError as e:
            lines = [line for line in str(e).splitlines() if line.startswith(("Mismatched", "Greatest"))]
            return f"output {key}: " + "; ".join(lines)
    return None


def call(arguments, path, inputs):
    """Returns (outputs or None, reason)."""
    with tempfile.TemporaryDirectory() as folder:
        result = os.path.join(folder, "out.safetensors")
        command = [arguments.nativert, "run", path + ".pt2", "--outputs", result, "--threads", str(arguments.threads)]
        command += [f"--input={name}" for name in inputs]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=arguments.timeout)
        except subprocess.TimeoutExpired:
            return None, f"took more than {arguments.timeout} s"
        if done.returncode != 0:
            what = f"signal {-done.returncode}" if done.returncode < 0 else f"exit {done.returncode}"
            return None, f"{what}: {' '.join(done.stderr.split()) or 'no message'}"
        return safetensors_file.load(result), ""


def judge(arguments, name):
    path = os.path.join(arguments.out, name)
    with open(path + ".json") as f:
        facts = json.load(f)
    rows = [check_one(arguments, path, facts, name, "", [])]
    for batch, there in facts.get("also", {}).items() if not arguments.sample_only else []:
        inputs = [f"{path}.batch{batch}.inputs.safetensors"]
        rows.append(check_one(arguments, path, {**facts, **there}, name, f".batch{batch}", inputs))
    return rows


def check_one(arguments, path, facts, name, which, inputs):
    row = {"name": name + which, "family": facts["family"], "nodes": facts["nodes"],
           "torch_vs_float64": facts.get("torch_vs_float64"),
           "torch_vs_channels_last": facts.get("torch_vs_channels_last")}
    got, reason = call(arguments, path, inputs)
    if got is None:
        row["status"] = "unsupported" if any(word in reason.lower() for word in UNSUPPORTED) else "FAIL"
        return {**row, "reason": reason}
    expected = safetensors_file.load(f"{path}{which}.expected.safetensors")
    reason = compare(got, expected)
    if reason is None:
        return {**row, "status": "ok", "distance": distance(got, expected), "reason": ""}
    row.update(status="FAIL", reason=reason)
    if "is missing" in reason or " is torch." in reason:
        return row
    row["distance"] = distance(got, expected)
    wide = f"{path}{which}.float64.safetensors"
    if os.path.exists(wide) and row["torch_vs_float64"] is not None:
        row["nativert_vs_float64"] = distance(got, safetensors_file.load(wide))
        if row["nativert_vs_float64"] <= 2 * max(row["torch_vs_float64"], row["torch_vs_channels_last"] or 0):
            row["status"] = "unstable"
    return row


def show(row):
    parts = [f"{row['status']:12} {row['name']:44} {row['nodes']:5} nodes"]
    if row.get("distance") is not None:
        parts.append(f"{row['distance']:9.3g} tolerances")
    if row["status"] != "ok" and row.get("torch_vs_float64") is not None:
        own = row.get("nativert_vs_float64", float("nan"))
        parts.append(f"(from float64: torch {row['torch_vs_float64']:.3g}, nativert {own:.3g})")
    print(" ".join(parts), row["reason"][:160], flush=True)


def add_arguments(parser):
    parser.add_argument("--nativert", default="build/tools/nativert")
    parser.add_argument("--json", metavar="FILE", help="write all rows there")
    parser.add_argument("--timeout", type=float, default=120)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--sample-only", action="store_true", help="no other batch sizes")
    parser.add_argument("--form", choices=("both", "exported", "core"), default="both")


def main(arguments):
    names = sorted(f[:-4] for f in os.listdir(arguments.out) if f.endswith(".pt2"))
    names = [n for n in names if os.path.exists(os.path.join(arguments.out, n + ".json"))]
    if arguments.names:
        names = [n for n in names if n in arguments.names or n.removesuffix("-core") in arguments.names]
    if arguments.form != "both":
        names = [n for n in names if n.endswith("-core") == (arguments.form == "core")]
    torch.set_num_threads(1)
    rows = []
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for some in pool.map(lambda name: judge(arguments, name), names):
            for row in some:
                rows.append(row)
                show(row)
    counts = {s: sum(r["status"] == s for r in rows) for s in ("ok", "unstable", "unsupported", "FAIL")}
    lacking = collections.Counter(op for r in rows for op in set(LACKING.findall(r["reason"])))
    if lacking:
        names = ", ".join(f"{op} {n}" for op, n in lacking.most_common())
        print("\noperators that are lacking, and in how many runs: " + names)
    whole = {}
    for row in rows:
        base = row["name"].split(".")[0].removesuffix("-core")
        whole.setdefault(base, []).append(row["status"] == "ok")
    print(f"\n{len(rows)} runs: " + ", ".join(f"{n} {s}" for s, n in counts.items()))
    equal = sum(all(v) for v in whole.values())
    print(f"{equal} of {len(whole)} architectures equal eager PyTorch in every form and batch size")
    if arguments.json:
        with open(arguments.json, "w") as f:
            json.dump({"counts": counts, "rows": rows}, f, indent=1)
    return 0 if counts["ok"] == len(rows) else 1
