#!/usr/bin/env python3
"""Branches over a few instructions that are taken about as often as not.

The traces of the source must do those instructions in any case, except for a store, and select what the
registers have. Results, the exit status and the virtual time at the end, which counts instructions, are
those of the interpreter; results and status are QEMU's.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

SUM = 4  # bytes of the output before the time
TIME = slice(8, 24)  # seconds and nanoseconds


def run(command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--user", required=True)
    parser.add_argument("--qemu", required=True)
    parser.add_argument("--gcc", required=True, help="the compiler and its options")
    parser.add_argument("source")
    o = parser.parse_args()
    ours = [o.user, "-clock", "virtual"]
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program")
        subprocess.run([*o.gcc.split(), "-nostdlib", "-static", o.source, "-o", program], check=True)
        qemu = run([o.qemu, program])
        plain = run([*ours, "-accel", "interp", program])
        quick = run([*ours, "-accel", "jit", "-jit-tier", "quick", "-jit-dump", program])
    wrong = []
    if not re.search(r"^ +\d+ refund ", quick.stderr.decode(), re.MULTILINE):
        wrong.append("no trace goes both ways")
    if (plain.returncode, plain.stdout[:SUM]) != (qemu.returncode, qemu.stdout[:SUM]):
        wrong.append("the interpreter's result is not QEMU's")
    if (quick.returncode, quick.stdout[:SUM]) != (qemu.returncode, qemu.stdout[:SUM]):
        wrong.append("the traces' result is not QEMU's")
    if quick.stdout[TIME] != plain.stdout[TIME]:
        wrong.append("the traces count other instructions than the interpreter: "
                     f"{quick.stdout[TIME].hex()}, {plain.stdout[TIME].hex()}")
    if wrong:
        sys.exit("\n".join(wrong))


main()
