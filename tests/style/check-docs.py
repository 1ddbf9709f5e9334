#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Holds the documentation to the tree.

    check-docs.py TOP [gst-inspect-1.0]

Prints TAP: the README shows pipelines/embed.c as it is, links lead to files, and the README's table of properties is
what gst-inspect-1.0 says, when that is given.
"""
import fractions
import os
import re
import subprocess
import sys

INHERITED = {"name", "parent"}


def read(top, name):
    with open(os.path.join(top, name), encoding="utf-8") as f:
        return f.read()


def embed(top):
    code = read(top, "pipelines/embed.c")
    code = code[code.index("#include"):].rstrip()
    shown = f"```c\n{code}\n```" in read(top, "README.md")
    return [] if shown else ["README.md shows another program than pipelines/embed.c"]


def links(top):
    wrong = []
    pages = ["README.md", "CONTRIBUTING.md"]
    pages += ["docs/" + name for name in sorted(os.listdir(os.path.join(top, "docs")))]
    for page in pages:
        for link in re.findall(r"\]\(([^)#]+)[^)]*\)", read(top, page)):
            target = os.path.join(top, os.path.dirname(page), link)
            if "://" not in link and not os.path.exists(target):
                wrong.append(f"{page}: {link} is not there")
    return wrong


def table(top):
    """Names and defaults in the README's table of properties."""
    text = read(top, "README.md")
    text = text[text.index("| property |"):]
    rows = {}
    for line in text[:text.index("\n\n")].splitlines()[2:]:
        names, default = [cell.strip() for cell in line.strip("|").split("|")[:2]]
        names = re.findall(r"`([^`]+)`", names)
        defaults = [d.strip().strip("`") for d in default.split(",")] if default else []
        for i, name in enumerate(names):
            rows[name] = defaults[i] if i < len(defaults) else None
    return rows


def inspected(inspect):
    env = dict(os.environ, LD_PRELOAD=os.environ.get("NATIVERT_PRELOAD", ""), ASAN_OPTIONS="detect_leaks=0")
    done = subprocess.run([inspect, "nativertfilter"], capture_output=True, text=True, env=env)
    if done.returncode:
        return {"gst-inspect-1.0: " + (done.stderr or done.stdout).strip(): ""}
    out = done.stdout
    out = out[out.index("Element Properties"):]
    out = out.split("Element Signals")[0].split("Element Actions")[0]
    rows = {}
    for part in re.split(r"\n(?=  [a-z][a-z-]+ +: )", out)[1:]:
        name = part.split(":")[0].strip()
        match = re.search(r"Default: ([^\n]+)", part)
        default = match.group(1).strip() if match else ""
        nick = re.match(r'-?\d+, "([^"]+)"', default)
        rows[name] = nick.group(1) if nick else default.strip('"')
    return rows


def number(text):
    try:
        return float(fractions.Fraction(text)) if "/" in text else float(text)
    except ValueError:
        return text


def properties(top, inspect):
    ours, real = table(top), inspected(inspect)
    wrong = [f"README.md has no property {name}" for name in real if name not in ours and name not in INHERITED]
    wrong += [f"README.md tells of {name}, gst-inspect-1.0 does not" for name in ours if name not in real]
    for name, default in ours.items():
        got = real.get(name)
        if default is None or got is None or default == got or "<" in got or got == "null" or not got:
            continue
        a, b = number(default), number(got)
        if not (isinstance(a, (int, float)) and isinstance(b, (int, float)) and abs(a - b) < 1e-6):
            wrong.append(f"README.md says that {name} is {default} by default, gst-inspect-1.0 says {got}")
    return wrong


def main():
    top = sys.argv[1]
    rules = {"the README shows pipelines/embed.c": embed(top), "links lead to files": links(top)}
    if len(sys.argv) > 2:
        rules["the README's properties are the element's"] = properties(top, sys.argv[2])
    print(f"1..{len(rules)}")
    for i, (rule, wrong) in enumerate(rules.items(), 1):
        for line in wrong:
            print("#", line)
        print("not ok" if wrong else "ok", i, "-", rule)
    return 0


if __name__ == "__main__":
    sys.exit(main())
