#!/usr/bin/env python3
"""Runs harts.S on virt-riscv64 and on QEMU's virt: both print the same.

QEMU's firmware prints before the program does, so what is compared begins with its first line.
"""
import argparse
import subprocess
import sys

WANTED = ["start", "a device tree", "the serial port's interrupt", "a timer interrupt",
          "not too early", "a software interrupt", "the other hart is stopped", "and started",
          "the other hart is here", "a software interrupt", "and stopped again",
          "a fault at its address"]


def run(command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=60,
                          check=False)
    lines = done.stdout.decode(errors="replace").replace("\r", "").splitlines()
    if done.returncode or "start" not in lines:
        print(*lines, done.stderr.decode(errors="replace"), sep="\n")
        sys.exit(f"harts: {command[0]} ended with status {done.returncode}")
    return lines[lines.index("start"):]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulator", required=True)
    parser.add_argument("--qemu", required=True)
    parser.add_argument("program", help="harts.S as an ELF file at 0x80200000")
    args = parser.parse_args()
    options = ["-nographic", "-smp", "2", "-m", "128M", "-kernel", args.program]
    runs = {"ours, interpreted": [args.simulator, *options, "-accel", "interp", "-limit", "10"],
            "ours, translated": [args.simulator, *options, "-jit-quick-threshold", "1", "-limit", "10"],
            "QEMU's": [args.qemu, "-M", "virt", *options]}
    for name, command in runs.items():
        lines = run(command)
        if lines != WANTED:
            print(*lines, sep="\n")
            sys.exit(f"harts: {name} differs from what was wanted")
    print("harts: all agree")


main()
