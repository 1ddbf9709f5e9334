#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Exports networks with seeded random weights, and compares what nativert computes with what eager PyTorch computes.

    zoo.py list
    zoo.py make OUT [NAME ...] [--family F] [--skip-existing]
    zoo.py check OUT [NAME ...] --nativert build/tools/nativert [--json FILE] [--jobs N]

make writes, per network, OUT/NAME.pt2 as torch.export gives it and OUT/NAME-core.pt2 after run_decompositions(), each
with its sample inputs; OUT/NAME*.expected.safetensors holds the eager outputs, flattened, under the keys "0", "1", ...;
NAME*.json says what else was measured: how far float32 PyTorch itself is from the same network in float64, in units of
the tolerance.
check runs the command on each and compares with torch.testing.assert_close's default tolerances for the dtype.
"""
import argparse
import copy
import json
import logging
import os
import sys
import time
import warnings

import torch
from torch import nn
from torch.utils import _pytree as pytree

import safetensors_file
import zoo_check
import zoo_models

SEED = 1234
NORMS = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)


def is_batch_norm(module):
    return isinstance(module, NORMS) and module.track_running_stats


def settle(module, inputs):
    """Freshly made networks are often constant functions (scales of 0 or 1e-6) or let values explode (statistics that
    fit nothing), and would then prove little.  Constant parameters get some noise, and running statistics become
    those of the sample, layer after layer, as training would have left them.  Batch norms are shifted to let most of
    their values through the activation that follows: with centred ones, deep networks of random weights are chaotic,
    and amplify the rounding of float32."""
    with torch.no_grad():
        for norm in filter(is_batch_norm, module.modules()):
            if norm.affine and not norm.bias.any():
                norm.bias.fill_(0.5)
        for name, p in module.named_parameters():
            if p.is_floating_point() and p.numel() and bool((p == p.flatten()[0]).all()):
                base = p.flatten()[0].item()
                p.copy_((base if abs(base) >= 0.1 else 0.1 * (p.dim() > 0)) + 0.1 * torch.randn_like(p))

        def set_statistics(norm, args):
            x = args[0]
            dims = [d for d in range(x.dim()) if d != 1]
            if x.numel() // x.shape[1] < 4:
                return
            norm.running_mean.copy_(x.mean(dims))
            norm.running_var.copy_(x.var(dims, correction=0).clamp(min=1e-2))
        hooks = [m.register_forward_pre_hook(set_statistics) for m in module.modules() if is_batch_norm(m)]
        module(*copy.deepcopy(inputs))
        for hook in hooks:
            hook.remove()
        scale_head(module, inputs)


def scale_head(module, inputs):
    """Lets a classifier's outputs have a standard deviation of 0.1.  As initialised they have 0.01, where the absolute
    tolerance hides most; at 1, float32 PyTorch with another memory format is outside the tolerance of itself on deep
    residual nets."""
    last = []

    def note(m, args, output):
        if next(m.parameters(recurse=False), None) is not None:
            last[:] = [m]
    hooks = [m.register_forward_hook(note) for m in module.modules()]
    leaves = pytree.tree_leaves(module(*copy.deepcopy(inputs)))
    for hook in hooks:
        hook.remove()
    if len(leaves) == 1 and isinstance(leaves[0], torch.Tensor) and leaves[0].is_floating_point() and last \
            and isinstance(last[0], (nn.Linear, nn.Conv2d)) and leaves[0].std() > 0.1:
        for p in last[0].parameters(recurse=False):
            p.mul_(0.1 / leaves[0].std())


def flatten(result):
    return {str(i): leaf for i, leaf in enumerate(pytree.tree_leaves(result))}


def run(module, inputs):
    with torch.no_grad():
        return {k: v.clone() for k, v in flatten(module(*copy.deepcopy(inputs))).items() if isinstance(v, torch.Tensor)}


def to_double(value):
    return value.double() if isinstance(value, torch.Tensor) and value.is_floating_point() else value


def own_error(module, inputs, expected):
    """How far PyTorch's own float32 is from float64, and from itself with channels last: in units of the tolerance."""
    result, reference = {}, None
    try:
        wide = copy.deepcopy(module).double()
        reference = run(wide, pytree.tree_map(to_double, inputs))
        result["torch_vs_float64"] = zoo_check.distance(expected, reference)
    except Exception as e:
        result["torch_vs_float64"] = None
        result["float64_error"] = str(e).splitlines()[0]
    try:
        moved = copy.deepcopy(module).to(memory_format=torch.channels_last)
        flipped = tuple(x.contiguous(memory_format=torch.channels_last) if x.dim() == 4 else x for x in inputs)
        result["torch_vs_channels_last"] = zoo_check.distance(run(moved, flipped), expected)
    except Exception as e:
        result["torch_vs_channels_last"] = None
    return result, reference


def batch_dims(inputs, batch):
    dim = torch.export.Dim("batch", min=1, max=64)
    return tuple({0: dim} if x.shape[0] == batch else None for x in inputs)


def make(net, out):
    start = time.time()
    torch.manual_seed(SEED)
    module = net.make().eval()
    for p in module.parameters():
        p.requires_grad_(False)
    batch = 2 if net.dynamic else 1
    if net.settled:
        settle(module, net.inputs(8))
    inputs = net.inputs(batch)
    clean = copy.deepcopy(module)  # some modules cache what they saw in eager mode
    expected = run(copy.deepcopy(module), inputs)
    again = run(copy.deepcopy(module), tuple(x + 0.5 if x.is_floating_point() else x.flip(-1) for x in inputs))
    facts, reference = own_error(module, inputs, expected)
    facts.update(name=net.name, family=net.family, batch="dynamic" if net.dynamic else batch,
                 varies=any(not torch.equal(again[k], v) for k, v in expected.items() if k in again))
    dynamic_shapes = batch_dims(inputs, batch) if net.dynamic else None
    if dynamic_shapes and isinstance(clean, zoo_models.Tensors):
        dynamic_shapes = (dynamic_shapes,)
    with torch.no_grad():
        program = torch.export.export(clean, inputs, dynamic_shapes=dynamic_shapes)
    for suffix, form in (("", program), ("-core", None)):
        if form is None:
            form = program.run_decompositions()
        path = os.path.join(out, net.name + suffix)
        torch.export.save(form, path + ".pt2")
        safetensors_file.save(expected, path + ".expected.safetensors")
        if reference:
            safetensors_file.save(reference, path + ".float64.safetensors")
        if net.dynamic:
            facts["also"] = write_other_batches(net, module, path)
        with open(path + ".json", "w") as f:
            json.dump({**facts, "nodes": len(form.graph.nodes)}, f, indent=1)
    distance = facts["torch_vs_float64"]
    print(f"{net.name}: {len(program.graph.nodes)} nodes, torch is {distance or 0:.2f} tolerances from float64"
          f"{'' if facts['varies'] else ', CONSTANT'} ({time.time() - start:.1f} s)", flush=True)


def write_other_batches(net, module, path):
    """Inputs and results of other batch sizes for the same archive: NAME.batchN.*.safetensors.  Returns, by batch, how
    far PyTorch is from float64 there."""
    facts = {}
    for batch in (1, 5):
        torch.manual_seed(SEED + batch)
        inputs = net.inputs(batch)
        expected = run(copy.deepcopy(module), inputs)
        facts[batch], reference = own_error(module, inputs, expected)
        safetensors_file.save({str(i): x for i, x in enumerate(inputs)}, f"{path}.batch{batch}.inputs.safetensors")
        safetensors_file.save(expected, f"{path}.batch{batch}.expected.safetensors")
        if reference:
            safetensors_file.save(reference, f"{path}.batch{batch}.float64.safetensors")
    return facts


def chosen(arguments):
    nets = [n for n in zoo_models.all_nets() if not arguments.names or n.name in arguments.names]
    if arguments.family:
        nets = [n for n in nets if n.family == arguments.family or n.package == arguments.family]
    return nets


def make_all(arguments):
    os.makedirs(arguments.out, exist_ok=True)
    failed, lacking = [], set()
    for net in chosen(arguments):
        done = os.path.exists(os.path.join(arguments.out, net.name + "-core.json"))
        if not zoo_models.installed(net):
            lacking.add(net.package)
        elif not (done and arguments.skip_existing):
            try:
                make(net, arguments.out)
            except Exception as e:
                failed.append(net.name)
                print(f"{net.name}: not exported: {type(e).__name__}: {(str(e).splitlines() or [''])[0]}", flush=True)
    if lacking:
        print("not installed, their networks left out:", ", ".join(sorted(lacking)))
    if failed:
        print("not exported:", " ".join(failed))
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("list", "make", "check"):
        sub = commands.add_parser(name)
        if name != "list":
            sub.add_argument("out")
        sub.add_argument("names", nargs="*")
        sub.add_argument("--family")
        if name == "make":
            sub.add_argument("--skip-existing", action="store_true")
        if name == "check":
            zoo_check.add_arguments(sub)
    arguments = parser.parse_args()
    if arguments.command == "check":
        return zoo_check.main(arguments)
    if arguments.command == "make":
        warnings.filterwarnings("ignore")
        logging.disable(logging.WARNING)
        torch.set_num_threads(1)
        return make_all(arguments)
    for net in chosen(arguments):
        print(f"{net.name:40} {net.family:22} {net.package}{'' if zoo_models.installed(net) else ' (not installed)'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
