#!/usr/bin/env python3
"""gencc asm and disasm of bundles refuse input that is too large, and never process a part of it as the whole.

    too_large.py --gencc GENCC --toys FOLDER
"""
import argparse
import os
import subprocess
import sys

MOST_SHADER, MOST_SOURCE = 1 << 24, 1 << 26
IADD = bytes.fromhex("000080c030402000")  # iadd r1, r2, #3 of tests/bundle/single.ac
# Command, input, exit status, what is said on standard error
CASES = [
    ("disasm", IADD.ljust(MOST_SHADER, b"\0"), 0, ""),
    ("disasm", IADD.ljust(MOST_SHADER + 1, b"\0"), 2, "gencc: '-' is larger than a shader can be, 16777216 bytes\n"),
    ("asm", b"iadd r1, r2, #3\n".ljust(MOST_SOURCE + 1, b"\n"), 1, ":1:1: error: this source is too long\n"),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gencc", required=True)
    parser.add_argument("--toys", required=True, help="folder of a toy ISA")
    options = parser.parse_args()
    arch = os.path.join(options.toys, "single.ac")
    wrong = 0
    for command, data, status, said in CASES:
        done = subprocess.run([options.gencc, command, "--arch", arch, "--isa", "single", "-"], input=data,
                              capture_output=True, timeout=100, check=False)
        if done.returncode != status or said not in done.stderr.decode() or bool(done.stdout) == bool(status):
            wrong += 1
            print(f"{command} of {len(data)} bytes: {done.returncode}, not {status}: {done.stderr.decode()!r}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
