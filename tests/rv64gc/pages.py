#!/usr/bin/env python3
"""Runs pages.c on virt-riscv64, interpreted and translated, and on QEMU's virt: all print the same.

QEMU's firmware prints before the program does, so what is compared begins with its first line.
"""
import argparse
import subprocess
import sys

SHOWN = 10


def run(command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=600,
                          check=False)
    lines = done.stdout.decode(errors="replace").replace("\r", "").splitlines()
    if done.returncode or "start" not in lines or lines[-1] != "end":
        print(*lines[-SHOWN:], done.stderr.decode(errors="replace"), sep="\n")
        sys.exit(f"pages: {command[0]} ended with status {done.returncode}, or too early")
    return lines[lines.index("start"):]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulator", required=True)
    parser.add_argument("--qemu", required=True)
    parser.add_argument("program", help="pages.c as an ELF file at 0x80200000")
    args = parser.parse_args()
    options = ["-nographic", "-m", "128M", "-kernel", args.program]
    wanted = run([args.qemu, "-M", "virt", *options])
    for how in (["-accel", "interp"], ["-jit-sync", "-jit-quick-threshold", "1"]):
        got = run([args.simulator, *options, *how])
        different = [(a, b) for a, b in zip(wanted, got) if a != b]
        for ours, theirs in different[:SHOWN]:
            print(f"QEMU  {ours}\nours  {theirs}")
        if different or len(got) != len(wanted):
            sys.exit(f"pages: {len(different)} of {len(wanted)} lines differ with {' '.join(how)}")
    print(f"pages: {len(wanted)} lines agree")


main()
