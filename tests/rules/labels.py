#!/usr/bin/env python3
"""labels.py CTEST BUILD: each test has exactly one label that says when it runs (docs/work/testing.md).

A test without one would run in no slice, and one with two in more than is meant.
"""

import json
import subprocess
import sys

WHEN = {"quick", "medium", "long", "full", "boot", "gpu_guest", "bench", "soak"}


def labels(test):
    """Returns the labels of a test as ctest lists it."""
    return [label for p in test.get("properties", []) if p["name"] == "LABELS" for label in p["value"]]


def main():
    """Returns 1 when a test has none of the labels, or several, else 0."""
    ctest, build = sys.argv[1:]
    wrong = total = 0
    for configuration in ([], ["-C", "Soak"]):
        done = subprocess.run([ctest, "--test-dir", build, *configuration, "--show-only=json-v1"], capture_output=True,
                              text=True, check=True)
        for test in json.loads(done.stdout)["tests"]:
            total += 1
            own = [label for label in labels(test) if label in WHEN]
            if len(own) != 1:
                print(f"{test['name']}: has {own or 'none'} of {', '.join(sorted(WHEN))}, not one")
                wrong += 1
    if not total:
        print(f"labels.py: {build} has no tests")
    return 1 if wrong or not total else 0


if __name__ == "__main__":
    sys.exit(main())
