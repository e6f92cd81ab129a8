#!/usr/bin/env python3
"""Ways of instructions that are gone often stay in traces.

Each case of ways.c goes through one kind of instruction 200,000 times, in A32 and in T32: its output is
QEMU's, no instruction is left to its handler, and traces are left before an instruction no more often than
it takes to find out that a way is not rare.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

CASES = {
    "r": "returns by LDM",
    "a": "accesses on a condition",
    "b": "blocks of them",
    "f": "products of zero, all exact",
    "g": "products of zero, and rounding",
    "m": "changes of the instruction set",
}
MOST = 2000  # deoptimisations: 64 at each of several places


def build(gcc, flag, folder):
    program = os.path.join(folder, "ways" + flag)
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ways.c")
    subprocess.run([gcc, "-O2", flag, "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-static", "-nostdlib", "-masm-syntax-unified",
                    "-ffreestanding", "-fno-tree-loop-distribute-patterns", "-ffp-contract=off",
                    source, "-o", program], check=True)
    return program


def judge(o, program, case, folder):
    """Returns what is wrong with a case."""
    wrong = []
    want = subprocess.run([o.qemu, program, case], stdout=subprocess.PIPE, check=True).stdout
    have = subprocess.run([o.user, "-accel", "jit", "-jit-tier", "quick", "-stats", folder, program, case],
                          stdout=subprocess.PIPE, check=True).stdout
    with open(os.path.join(folder, "stats.json"), encoding="utf-8") as file:
        jit = json.load(file)["jit"]
    print(f"{os.path.basename(program)} {CASES[case]}: {jit['deopts']} deoptimisations, "
          f"{jit['trace_handlers']} handlers, {jit['traces']} traces")
    if have != want:
        wrong.append(f"{program} {case}: {have}, not {want}")
    if jit["trace_handlers"]:
        wrong.append(f"{program} {case}: an instruction is left to its handler")
    if jit["deopts"] > MOST or not jit["traces"]:
        wrong.append(f"{program} {case}: traces are left too often")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--user", required=True)
    parser.add_argument("--qemu", required=True)
    parser.add_argument("--gcc", required=True)
    o = parser.parse_args()
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for flag in ("-marm", "-mthumb"):
            program = build(o.gcc, flag, folder)
            for case in CASES:
                wrong += judge(o, program, case, folder)
    print("\n".join(wrong) or "good")
    return 1 if wrong else 0


sys.exit(main())
