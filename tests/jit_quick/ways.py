#!/usr/bin/env python3
"""Ways of instructions that are gone often stay in traces.

Each case of ways.c goes through one kind of instruction 200,000 times, in A32 and in T32, and each of ways_a64.c
in A64: its output is QEMU's, no instruction is left to its handler, and traces are left before an instruction no
more often than it takes to find out that a way is not rare.
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
CASES_A64 = {
    "s": "conditional comparisons of singles",
    "d": "conditional comparisons of doubles",
    "o": "larger and smaller floats",
}
MOST = 2000  # deoptimisations: 64 at each of several places


def build(gcc, name, flags, folder):
    """Returns the program made of a source."""
    program = os.path.join(folder, "ways" + "".join(flags[:1]))
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
    subprocess.run([gcc, "-O2", *flags, "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-static", "-nostdlib",
                    "-ffreestanding", "-fno-tree-loop-distribute-patterns", "-ffp-contract=off",
                    source, "-o", program], check=True)
    return program


def judge(user, qemu, program, case, what, folder):
    """Returns what is wrong with a case."""
    wrong = []
    want = subprocess.run([qemu, program, case], stdout=subprocess.PIPE, check=True).stdout
    have = subprocess.run([user, "-accel", "jit", "-jit-tier", "quick", "-jit-sync", "-stats", folder, program, case],
                          stdout=subprocess.PIPE, check=True).stdout
    with open(os.path.join(folder, "stats.json"), encoding="utf-8") as file:
        jit = json.load(file)["jit"]
    print(f"{os.path.basename(program)} {what}: {jit['deopts']} deoptimisations, "
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
    for name in "arm", "a64":
        parser.add_argument("--" + name, nargs=3, metavar=("USER", "QEMU", "GCC"), required=True)
    o = parser.parse_args()
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for (user, qemu, gcc), name, flags, cases in (
                (o.arm, "ways.c", ["-marm", "-masm-syntax-unified"], CASES),
                (o.arm, "ways.c", ["-mthumb", "-masm-syntax-unified"], CASES),
                (o.a64, "ways_a64.c", [], CASES_A64)):
            program = build(gcc, name, flags, folder)
            for case, what in cases.items():
                wrong += judge(user, qemu, program, case, what, folder)
    print("\n".join(wrong) or "good")
    return 1 if wrong else 0


sys.exit(main())
