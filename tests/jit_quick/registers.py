#!/usr/bin/env python3
"""More vectors than a host may have registers live through a loop whose exits find them there.

The exit status of registers.s is QEMU's, with the host's AVX-512 and without. Its trace must be left by deoptimisation, for a result
that is a NaN.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile


def run(user, program, folder, *options):
    """Returns the status and the statistics of a run."""
    done = subprocess.run([user, "-accel", "jit", "-jit-tier", "quick", "-jit-sync", "-jit-quick-threshold", "20", "-stats", folder, *options,
                           program], check=False)
    with open(os.path.join(folder, "stats.json"), encoding="utf-8") as file:
        return done.returncode, json.load(file)["jit"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--user", "--qemu", "--gcc", "source"):
        parser.add_argument(name)
    o = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program")
        subprocess.run([o.gcc, "-nostdlib", "-static", f"-Wa,-I{os.path.dirname(o.source)}", o.source, "-o", program], check=True)
        want = subprocess.run([o.qemu, program], check=False).returncode
        for options in ([], ["-jit-base"]):
            status, jit = run(o.user, program, folder, *options)
            if status != want:
                sys.exit(f"{options}: the exit status is {status}, not {want}")
            if jit["deopts"] < 20:
                sys.exit(f"{options}: the trace was left {jit['deopts']} times")


main()
