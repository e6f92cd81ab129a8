#!/usr/bin/env python3
"""Runs a program for harts on virt-riscv64 and on QEMU's virt: both print the same, and end with the same status.

harts.S is for supervisor mode; QEMU's firmware prints before it does, so what is compared begins with its first line.
bare.S is for machine mode, without firmware.
"""
import argparse
import subprocess
import sys

STATUS_OF_BARE = 7      # the status that bare.S writes to the test finisher
WANTED_OF_BARE = ["start", "machine mode", "a call from machine mode", "a call from supervisor mode"]
WANTED = ["start", "a device tree", "the serial port's interrupt", "a timer interrupt",
          "not too early", "a software interrupt", "the other hart is stopped", "and started",
          "the other hart is here", "a software interrupt", "and stopped again",
          "a fault at its address"]


def run(command, status):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=60,
                          check=False)
    lines = done.stdout.decode(errors="replace").replace("\r", "").splitlines()
    if done.returncode != status or "start" not in lines:
        print(*lines, done.stderr.decode(errors="replace"), sep="\n")
        sys.exit(f"harts: {command[0]} ended with status {done.returncode}")
    return lines[lines.index("start"):]


def compare(what, runs, wanted, status=0):
    for name, command in runs.items():
        lines = run(command, status)
        if lines != wanted:
            print(*lines, sep="\n")
            sys.exit(f"harts: {what}: {name} differs from what was wanted")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulator", required=True)
    parser.add_argument("--qemu", required=True)
    parser.add_argument("program", help="harts.S as an ELF file at 0x80200000")
    parser.add_argument("bare", help="bare.S as an ELF file at 0x80000000")
    args = parser.parse_args()
    options = ["-nographic", "-smp", "2", "-m", "128M", "-kernel", args.program]
    runs = {"ours, interpreted": [args.simulator, *options, "-accel", "interp", "-limit", "10"],
            "ours, translated": [args.simulator, *options, "-jit-sync", "-jit-quick-threshold", "1", "-limit", "10"],
            "QEMU's": [args.qemu, "-M", "virt", *options]}
    compare("harts.S", runs, WANTED)
    options = ["-nographic", "-m", "128M", "-kernel", args.bare]
    ours = [args.simulator, *options, "-cpu", "bare", "-limit", "10"]
    runs = {"ours, interpreted": [*ours, "-accel", "interp"],
            "ours, translated": [*ours, "-jit-sync", "-jit-quick-threshold", "1"],
            "QEMU's": [args.qemu, "-M", "virt", "-bios", "none", *options]}
    compare("bare.S", runs, WANTED_OF_BARE, STATUS_OF_BARE)
    print("harts: all agree")


main()
