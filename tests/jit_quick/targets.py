#!/usr/bin/env python3
"""Registers that get one of two constants are computed in exits only, and a branch to one leaves by its condition.

MIPS branches write the address behind their delay slot as `taken ? a : b`, and the slot jumps there. The
traces of targets.s must guard the conditions and not the addresses, compute the addresses in exits only,
and be linked with each other; those of choices.s have such a choice of 32 bits in a register of 64. The exit
status is QEMU's.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile


def assemble(gcc, source, folder):
    program = os.path.join(folder, "program")
    subprocess.run([*gcc.split(), "-nostdlib", "-static", source, "-o", program], check=True)
    return program


def faults_of(dump, links):
    """Returns what is wrong with the traces of a dump."""
    wrong = []
    if re.search(r"^ +\d+ select ", dump, re.MULTILINE):
        wrong.append("a trace computes a choice")
    if re.search(r"^ +\d+ guard eq u64 (%\d+) %\d+ \1 ", dump, re.MULTILINE):
        wrong.append("a trace compares a target")
    if " cold select " not in dump:
        wrong.append("no exit computes a choice")
    if not links:
        wrong.append("no trace is linked")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--user", required=True)
    parser.add_argument("--qemu", required=True)
    parser.add_argument("--gcc", required=True, help="the compiler and its options")
    parser.add_argument("source")
    o = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = assemble(o.gcc, o.source, folder)
        want = subprocess.run([o.qemu, program], check=False).returncode
        have = subprocess.run([o.user, "-accel", "jit", "-jit-tier", "quick", "-jit-quick-threshold", "50",
                               "-jit-dump", "-stats", folder, program],
                              stderr=subprocess.PIPE, encoding="utf-8", check=False)
        with open(os.path.join(folder, "stats.json"), encoding="utf-8") as file:
            wrong = faults_of(have.stderr, json.load(file)["jit"]["links"])
    if have.returncode != want:
        wrong.append(f"the exit status is {have.returncode}, not {want}")
    if wrong:
        sys.exit("\n".join(wrong))


main()
