#!/usr/bin/env python3
"""Runs snapshots with every bundle as host code from its first executions on, and with none: results, counters and
messages must be the same to the last byte, on any number of host threads. Several GPUs have run the same program: of
snapshots of one program whose shaders and counters are the same, interpreted, the first is taken, since what is
translated are shaders and the warps that they are for.
"""
import argparse
import os
import subprocess
import sys
import tempfile

WAYS = (("-translate", "0", "-threads", "1"), ("-translate", "1", "-threads", "1"),
        ("-translate", "3", "-threads", "2"))


def outcome(program, case, way, scratch):
    """Exit status, what was said, and the statistics of one run."""
    expect = case.replace(".snap.elf", ".expect.elf")
    command = [program, case, "-stats", scratch, *way]
    if os.path.exists(expect):
        command += ["-expect", expect]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
    files = {}
    for name in sorted(os.listdir(scratch)):
        with open(os.path.join(scratch, name), "rb") as file:
            files[name] = file.read()
    return done.returncode, done.stdout, files


def same_work(program, case, result):
    """What two snapshots have in common when one need not be run translated."""
    shaders = subprocess.run([program, case, "-disasm"], stdout=subprocess.PIPE, timeout=300, check=False).stdout
    return os.path.basename(case).split(".")[0], shaders, result[1], result[2]["gpu_shaders.json"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mali-run", required=True)
    parser.add_argument("--cases", required=True)
    parser.add_argument("--every", type=int, default=1, help="only every so many snapshots")
    options = parser.parse_args()
    names = sorted(name for name in os.listdir(options.cases) if name.endswith(".snap.elf"))
    different, seen = 0, set()
    for name in names[::options.every]:
        case, results = os.path.join(options.cases, name), []
        for way in WAYS:
            with tempfile.TemporaryDirectory(prefix="gencc-translate-") as scratch:
                results.append(outcome(options.mali_run, case, way, scratch))
            if way == WAYS[0]:
                work = same_work(options.mali_run, case, results[0])
                if work in seen:
                    break
                seen.add(work)
        for way, result in zip(WAYS[1:], results[1:]):
            if result != results[0]:
                different += 1
                print(f"{name}: {' '.join(way)} differs from {' '.join(WAYS[0])}: "
                      f"{result[:2]} and {results[0][:2]}")
    print(f"{len(names[::options.every])} snapshots, {len(seen)} different ones, {different} differences")
    return 1 if different or not names else 0


if __name__ == "__main__":
    sys.exit(main())
