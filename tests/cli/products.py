#!/usr/bin/env python3
"""The programs that the build puts in bin/ are those that README lists: products.py NINJA BUILD

The build rules are queried rather than the folder, which may contain programs of older builds."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def built(ninja, build):
    lines = subprocess.run([ninja, "-C", build, "-t", "targets", "all"], text=True, check=True,
                           stdout=subprocess.PIPE).stdout
    return set(re.findall(r"^bin/([^:]+): ", lines, re.M))


def promised():
    table = (ROOT / "README.md").read_text().split("| program in `build/bin` |", 1)[1].split("\n\n", 1)[0]
    return {name for row in table.splitlines()[2:] for name in re.findall(r"`([^`]+)`", row.split("|")[1])}


def main(ninja, build):
    made, named = built(ninja, build), promised()
    if not made or made != named:
        sys.exit(f"only in bin/: {sorted(made - named)}; only in README: {sorted(named - made)}")
    print(f"{len(made)} programs")


if __name__ == "__main__":
    main(*sys.argv[1:])
