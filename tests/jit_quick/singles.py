#!/usr/bin/env python3
"""Single floats stay in vector registers, and a result of floats has one trap.

A guest's scalar has zeros above it in its register. The trace of singles.s must not move a float through a
general register for that, neither a sum nor a lane, and an instruction that reads a result of another must not
trap for it once more. The exit status is QEMU's.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile


def faults_of(dump):
    """Returns what is wrong with the traces of a dump."""
    wrong = []
    traps = re.findall(r"^ +\d+ trap \w+ (%\d+) ", dump, re.MULTILINE)
    if not traps:
        wrong.append("no operation traps")
    if len(traps) != len(set(traps)):
        wrong.append(f"{len(traps)} traps of {len(set(traps))} results")
    for node in re.findall(r"^ +\d+ (?:bitcast|extract) u(?:32|64).*", dump, re.MULTILINE):
        wrong.append(f"a float becomes an integer: {node.split(maxsplit=1)[1]}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--user", required=True)
    parser.add_argument("--qemu", required=True)
    parser.add_argument("--gcc", required=True)
    parser.add_argument("source")
    o = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program")
        subprocess.run([o.gcc, "-nostdlib", "-static", o.source, "-o", program], check=True)
        want = subprocess.run([o.qemu, program], check=False).returncode
        have = subprocess.run([o.user, "-accel", "jit", "-jit-tier", "quick", "-jit-dump", program],
                              stderr=subprocess.PIPE, encoding="utf-8", check=False)
    traces = have.stderr.split("trace ")
    wrong = faults_of(traces[1]) if len(traces) > 1 else ["no trace"]
    if have.returncode != want:
        wrong.append(f"the exit status is {have.returncode}, not {want}")
    if wrong:
        sys.exit("\n".join(wrong))


main()
