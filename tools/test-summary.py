#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Adds up what `meson test` left in build folders and prints "N passed, N failed"; exits 1 unless all went well.

    test-summary.py BUILD...
"""
import json
import os
import sys
import xml.etree.ElementTree as ElementTree

BAD = ("FAIL", "ERROR", "TIMEOUT", "INTERRUPT", "UNEXPECTEDPASS")


def cases(build):
    """Counts of single test cases, as TAP tests report them."""
    passed, failed, skipped = 0, 0, 0
    for case in ElementTree.parse(os.path.join(build, "meson-logs", "testlog.junit.xml")).iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
            print(f"failed: {build}: {case.get('classname')}: {case.get('name')}")
        elif case.find("skipped") is not None:
            skipped += 1
        else:
            passed += 1
    return passed, failed, skipped


def bad_programs(build):
    with open(os.path.join(build, "meson-logs", "testlog.json"), encoding="utf-8") as f:
        return [entry["name"] for entry in map(json.loads, f) if entry["result"] in BAD]


def main():
    passed, failed, skipped = 0, 0, 0
    for build in sys.argv[1:]:
        p, f, s = cases(build)
        programs = bad_programs(build)
        for name in programs:
            print(f"failed: {build}: {name}")
        passed, failed, skipped = passed + p, failed + max(f, len(programs)), skipped + s
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
