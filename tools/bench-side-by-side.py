#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Times nativert, ONNX Runtime and eager PyTorch on the same networks, in turns, on the same machine.

    bench-side-by-side.py [--nativert build-release/tools/nativert] [--threads 1] [--rounds 5] [--runs 20] [NET ...]

Needs torch; onnxruntime, onnx and onnxscript for that column.  Every round runs each engine once, in a process of its
own, so that a machine that slows down slows all of them; the table gives the median of the rounds' medians, in
milliseconds a run, and their ratios.
"""
import argparse
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import torch

import nets

NETS = {"resnet18": nets.resnet18, "resnet50": nets.resnet50, "mobilenet_v2": nets.MobileNetV2, "vit_tiny": nets.ViT}
ENGINES = ("nativert", "onnxruntime", "torch")


def sample():
    torch.manual_seed(1)
    return torch.randn(1, 3, 224, 224)


def build(name):
    torch.manual_seed(0)
    net = NETS[name]().eval()
    for p in net.parameters():
        p.requires_grad_(False)
    return net


def export(name, folder, onnx):
    net, path = build(name), os.path.join(folder, name)
    with torch.no_grad():
        torch.export.save(torch.export.export(net, (sample(),)), path + ".pt2")
        if onnx:
            torch.onnx.export(net, (sample(),), path + ".onnx", dynamo=True, external_data=False, verbose=False)


def timed(call, runs, warmup):
    for _ in range(warmup):
        call()
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        call()
        times.append((time.perf_counter() - start) * 1e3)
    return {"median_ms": statistics.median(times), "min_ms": min(times)}


def run_torch(arguments, name):
    torch.set_num_threads(arguments.threads)
    net, x = build(name), sample()
    with torch.inference_mode():
        return timed(lambda: net(x), arguments.runs, arguments.warmup)


def run_onnxruntime(arguments, path):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = arguments.threads, 1
    session = onnxruntime.InferenceSession(path + ".onnx", options, providers=["CPUExecutionProvider"])
    feed = {session.get_inputs()[0].name: sample().numpy()}
    return timed(lambda: session.run(None, feed), arguments.runs, arguments.warmup)


def run_nativert(arguments, path):
    command = [arguments.nativert, "bench", path + ".pt2", "--json", "--threads", str(arguments.threads),
               "--runs", str(arguments.runs), "--warmup", str(arguments.warmup)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr.strip() or f"{command} failed")
    return json.loads(done.stdout)


def worker(arguments):
    name, path = arguments.nets[0], os.path.join(arguments.folder, arguments.nets[0])
    result = run_torch(arguments, name) if arguments.engine == "torch" else run_onnxruntime(arguments, path)
    print(json.dumps(result))


def one(arguments, engine, name, folder):
    if engine == "nativert":
        return run_nativert(arguments, os.path.join(folder, name))
    command = [sys.executable, os.path.abspath(__file__), name, "--engine", engine, "--folder", folder, "--threads",
               str(arguments.threads), "--runs", str(arguments.runs), "--warmup", str(arguments.warmup)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def compare(arguments, folder, engines):
    rows = []
    for name in arguments.nets or NETS:
        print(f"{name}: exporting", file=sys.stderr, flush=True)
        export(name, folder, "onnxruntime" in engines)
        times = {engine: [] for engine in engines}
        for number in range(arguments.rounds):
            for engine in engines:
                times[engine].append(one(arguments, engine, name, folder)["median_ms"])
            latest = ", ".join(f"{engine} {t[-1]:.2f}" for engine, t in times.items())
            print(f"{name}: round {number + 1}: {latest}", file=sys.stderr, flush=True)
        medians = {engine: statistics.median(t) for engine, t in times.items()}
        best = min(medians[e] for e in engines if e != "nativert")
        rows.append({"net": name, "threads": arguments.threads, **{e + "_ms": medians[e] for e in engines},
                     "ratio_to_fastest": medians["nativert"] / best})
    return rows


def show(rows, engines):
    print(f"{'net':16}{'threads':>8}" + "".join(f"{e + ' ms':>16}" for e in engines) + f"{'nativert / fastest':>20}")
    for row in rows:
        print(f"{row['net']:16}{row['threads']:8}" + "".join(f"{row[e + '_ms']:16.2f}" for e in engines)
              + f"{row['ratio_to_fastest']:20.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("nets", nargs="*", choices=[[], *NETS])
    parser.add_argument("--nativert", default="build-release/tools/nativert")
    for option, value in (("threads", 1), ("rounds", 5), ("runs", 20), ("warmup", 3)):
        parser.add_argument("--" + option, type=int, default=value)
    parser.add_argument("--json", metavar="FILE", help="write the rows there")
    parser.add_argument("--engine", choices=ENGINES, help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.engine:
        return worker(arguments)
    have_onnx = all(importlib.util.find_spec(p) for p in ("onnxruntime", "onnx", "onnxscript"))
    engines = [e for e in ENGINES if e != "onnxruntime" or have_onnx]
    with tempfile.TemporaryDirectory() as folder:
        rows = compare(arguments, folder, engines)
    show(rows, engines)
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as f:
            json.dump(rows, f, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
