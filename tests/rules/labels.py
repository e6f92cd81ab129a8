#!/usr/bin/env python3
"""labels.py CTEST NINJA BUILD: each test has exactly one label that says when it runs (docs/work/testing.md).

A test without one would run in no slice, and one with two in more than is meant. And a test that is labelled
llvm_free names no program of the build that depends on LLVM.
"""

import json
import re
import subprocess
import sys

WHEN = {"quick", "medium", "long", "full", "boot", "gpu_guest", "bench", "soak"}
LLVM_FREE = "llvm_free"
# Their sources are chosen by GENCC_LLVM, and generated code of shaders is linked with the second.
OF_LLVM = re.compile(r"\blibruntime_(jit|gpu)\.a$", re.M)


def labels(test):
    """Returns the labels of a test as ctest lists it."""
    return [label for p in test.get("properties", []) if p["name"] == "LABELS" for label in p["value"]]


def programs(test, build):
    """Returns the files of the build that a test's command names, as the build does; the folder itself is ''."""
    return {name for argument in test.get("command", []) for name in re.findall(re.escape(build) + r"/?([\w./+-]*)", argument)}


def depends_on_llvm(ninja, build, names):
    """Whether one of the files depends on LLVM, or may do so since the build does not make it."""
    if not names:
        return False
    done = subprocess.run([ninja, "-C", build, "-t", "inputs", *names], capture_output=True, text=True, check=False)
    return "" in names or done.returncode != 0 or OF_LLVM.search(done.stdout) is not None


def main():
    """Returns 1 when a test has none of the labels, or several, or depends on LLVM though it says not, else 0."""
    ctest, ninja, build = sys.argv[1:]
    wrong = total = 0
    free = {}
    for configuration in ([], ["-C", "Soak"]):
        done = subprocess.run([ctest, "--test-dir", build, *configuration, "--show-only=json-v1"], capture_output=True,
                              text=True, check=True)
        for test in json.loads(done.stdout)["tests"]:
            total += 1
            own = [label for label in labels(test) if label in WHEN]
            if len(own) != 1:
                print(f"{test['name']}: has {own or 'none'} of {', '.join(sorted(WHEN))}, not one")
                wrong += 1
            if LLVM_FREE in labels(test):
                free[test["name"]] = programs(test, build)
    if depends_on_llvm(ninja, build, set().union(*free.values())):  # look for the tests that do
        for name in (name for name in sorted(free) if depends_on_llvm(ninja, build, free[name])):
            print(f"{name}: is labelled {LLVM_FREE}, but runs a program that depends on LLVM")
            wrong += 1
    if not total or not free:
        print(f"labels.py: {build} has no tests" + f" that are {LLVM_FREE}" * bool(total))
    return 1 if wrong or not total or not free else 0


if __name__ == "__main__":
    sys.exit(main())
