#!/usr/bin/env python3
"""Host code of shaders from a cache: with a cold cache, a warm one, a damaged one and one of which the half is damaged,
results, counters and messages are the same to the last byte as without one. The warm runs compile nothing, the others
compile what is damaged, and replace it.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

from translate import outcome


def functions(program, case, folder):
    """How many functions of host code were compiled and kept in a run of a snapshot."""
    done = subprocess.run([program, case, "-translate", "1", "-repeat", "1", "-shader-cache", folder],
                          stdout=subprocess.PIPE, text=True, timeout=300, check=True)
    found = re.search(r"^host code: (\d+) functions compiled, (\d+) kept from earlier runs$", done.stdout, re.M)
    return int(found[1]), int(found[2])


def damage(folder, every):
    """Changes one byte of files of a cache, at a place that differs from file to file; returns how many."""
    names = sorted(os.listdir(folder))[::every]
    for n, name in enumerate(names):
        with open(os.path.join(folder, name), "r+b") as file:
            size = file.seek(0, os.SEEK_END)
            at = (n * 7919) % size
            file.seek(at)
            byte = file.read(1)[0]
            file.seek(at)
            file.write(bytes([byte ^ 0x40]))
    return len(names)


def check(program, case, folder):
    """The differences of one snapshot, as sentences."""
    said = []

    def run(what, where):
        with tempfile.TemporaryDirectory(prefix="gencc-cache-") as scratch:
            result = outcome(program, case, ("-translate", "1", "-threads", "1", "-shader-cache", where), scratch)
        if what == "without":
            expected.append(result)
        elif result != expected[0]:
            said.append(f"{what}: the outcome is another one than without: {result[:2]} and {expected[0][:2]}")

    def count(what, compiled, kept):
        have = functions(program, case, folder)
        if have != (compiled, kept):
            said.append(f"{what}: {have[0]} compiled and {have[1]} kept, not {compiled} and {kept}")

    expected = []
    run("without", "off")
    run("cold", folder)
    files = len(os.listdir(folder))
    if not files:
        return ["nothing is kept"]
    run("warm", folder)
    compiled, kept = functions(program, case, folder)
    if compiled or kept < files:
        said.append(f"warm: {compiled} compiled and {kept} kept of {files} files")
    damage(folder, 2)
    run("half damaged", folder)
    count("replaced", 0, kept)
    if damage(folder, 1) != files:
        said.append(f"there are {len(os.listdir(folder))} files, not {files}")
    count("damaged", files, kept - files)
    run("replaced", folder)
    count("replaced", 0, kept)
    return said


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mali-run", required=True)
    parser.add_argument("cases", nargs="+")
    options = parser.parse_args()
    failed = 0
    for case in options.cases:
        with tempfile.TemporaryDirectory(prefix="gencc-cache-") as folder:
            for sentence in check(options.mali_run, case, folder):
                print(f"{os.path.basename(case)}: {sentence}")
                failed += 1
    print(f"{len(options.cases)} snapshots, {failed} failures")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
