#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Holds the tree to what CONTRIBUTING.md says: the arrows between folders, and the look of files.

    check.py arrows|style TOP

Prints TAP, one line per rule.
"""
import glob
import os
import re
import subprocess
import sys

# A folder may include its own headers and those of the folders named here.
ALLOWED = {
    "kernels": [],
    "runtime/base": [],
    "runtime/package": ["runtime/base"],
    "runtime/graph": ["runtime/package", "runtime/base"],
    "runtime/plan": ["runtime/graph", "runtime/package", "runtime/base", "kernels"],
    "runtime/exec": ["runtime/plan", "runtime/graph", "runtime/package", "runtime/base", "kernels"],
    "runtime/model": ["runtime/exec", "runtime/plan", "runtime/graph", "runtime/package", "runtime/base", "kernels"],
    "gst": ["kernels"],
}
PUBLIC = "runtime/nativert.h"
SYSTEM = {"kernels": r"<(glib|gio|gst|json-glib|zip)", "runtime": r"<gst", "runtime/base": r"<(json-glib|zip)"}
INCLUDE = re.compile(r'^\s*#\s*include\s+("[^"]+"|<[^>]+>)', re.M)
SOURCES = (".c", ".h", ".cu", ".def")
LIMIT = 120


def tracked(top):
    if os.path.isdir(os.path.join(top, ".git")) or os.path.isfile(os.path.join(top, ".git")):
        command = ["git", "-c", "safe.directory=*", "-C", top, "ls-files", "-z"]
        out = subprocess.run(command, capture_output=True, text=True)
        if out.returncode == 0:
            return [name for name in out.stdout.split("\0") if name and os.path.isfile(os.path.join(top, name))]
    found = glob.glob("**/*", root_dir=top, recursive=True)
    return [name for name in found if os.path.isfile(os.path.join(top, name)) and not name.startswith("build")]


def read(top, name):
    with open(os.path.join(top, name), encoding="utf-8", errors="replace") as f:
        return f.read()


def folder_of(name):
    matches = [folder for folder in ALLOWED if name.startswith(folder + "/")]
    return max(matches, key=len) if matches else None


def resolve(top, name, include):
    """Where a quoted include leads: beside the file, from the top, or from runtime/, as the build says."""
    for base in (os.path.dirname(name), "", "runtime"):
        path = os.path.normpath(os.path.join(base, include))
        if os.path.isfile(os.path.join(top, path)):
            return path
    return None


def arrows(top):
    wrong = []
    for name in tracked(top):
        folder = folder_of(name)
        if folder is None or not name.endswith(SOURCES):
            continue
        for include in INCLUDE.findall(read(top, name)):
            if include.startswith("<"):
                rules = [rule for prefix, rule in SYSTEM.items() if name.startswith(prefix + "/")]
                if any(re.match(rule, include) for rule in rules):
                    wrong.append(f"{name} includes {include}")
                continue
            path = resolve(top, name, include.strip('"'))
            target = folder_of(path) if path else None
            if path is None or path == PUBLIC or target == folder or target in ALLOWED[folder]:
                continue
            wrong.append(f"{name} includes {path}")
    return {"includes go the way of the arrows": wrong}


def style(top):
    names = ("the first lines name the licence", f"lines have at most {LIMIT} columns",
             "no tabs, no space at line ends", "no goto", "nothing is left to do", "files end with a newline")
    rules = {name: [] for name in names}
    left = re.compile(r"\b(" + "|".join(("TO" + "DO", "FIX" + "ME", "X" + "XX")) + r")\b")
    for name in tracked(top):
        code = name.endswith(SOURCES + (".py", ".build", ".sh")) or name in ("dev", ".ci/run", "pipelines/demo")
        if not code or name.startswith("tests/data/"):
            continue
        text = read(top, name)
        lines = text.split("\n")
        licensed = any("SPDX-License-Identifier: LGPL-2.1-or-later" in line for line in lines[:2])
        if not licensed and not name.endswith((".build", ".def")):
            rules["the first lines name the licence"].append(name)
        if not text.endswith("\n"):
            rules["files end with a newline"].append(name)
        for number, line in enumerate(lines, 1):
            where = f"{name}:{number}"
            if len(line) > LIMIT and not name.endswith(".def"):
                rules[f"lines have at most {LIMIT} columns"].append(f"{where}: {len(line)}")
            if "\t" in line or line != line.rstrip():
                rules["no tabs, no space at line ends"].append(where)
            if name.endswith(SOURCES) and re.match(r"\s*goto\s+\w+;", line):
                rules["no goto"].append(where)
            if left.search(line):
                rules["nothing is left to do"].append(where)
    return rules


def main():
    what, top = sys.argv[1], sys.argv[2]
    rules = {"arrows": arrows, "style": style}[what](top)
    print(f"1..{len(rules)}")
    for number, (rule, wrong) in enumerate(rules.items(), 1):
        for line in wrong[:200]:
            print("#", line)
        print("not ok" if wrong else "ok", number, "-", rule)
    return 0


if __name__ == "__main__":
    sys.exit(main())
