#!/usr/bin/env python3
"""Prints the tree of a description, parses the printed text and prints it again: both texts must be
equal. Test files of this folder are split as run.py splits them.

    roundtrip.py FRONT_TOOL FILE.ac…
"""
import pathlib
import subprocess
import sys
import tempfile

import run


def split(text, folder):
    """Writes the files that `front_tool ast` prints one after another."""
    out = None
    for line in text.splitlines(keepends=True):
        if line.startswith("// file "):
            out = open(folder / line.split()[2], "w")
        else:
            out.write(line)


def dump(tool, path):
    done = subprocess.run([tool, "ast", path], capture_output=True, text=True)
    return done.stdout, done.stderr


def differs(tool, path):
    """Returns what is wrong, or None."""
    first, _ = dump(tool, path)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        split(first, folder)
        second, errors = dump(tool, folder / "arch.ac")
    if first and first == second:
        return None
    for old, new in zip(first.splitlines(), second.splitlines()):
        if old != new:
            return f"- {old}\n+ {new}\n{errors[:2000]}"
    return f"one text is longer\n{errors[:2000]}"


def main(tool, paths):
    failed = 0
    for path in map(pathlib.Path, paths):
        with tempfile.TemporaryDirectory() as name:
            _, files = run.read_test(path)
            if files:
                run.write_files(pathlib.Path(name), files)
            wrong = differs(tool, pathlib.Path(name) / "arch.ac" if files else path)
        if wrong:
            failed += 1
            print(f"{path}: printed and parsed again, the tree differs\n{wrong}")
    print(f"{len(paths)} trees, {failed} differ")
    return failed


if __name__ == "__main__":
    sys.exit(1 if main(str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2:]) else 0)
