#!/usr/bin/env python3
"""gencc disasm and asm read of a description what their text needs, and report what is wrong in that.

    broken.py --gencc GENCC --toys FOLDER

In a copy of a toy ISA a computed field of `load`, or the behaviour of `load`, names what is not there. Words of other
instructions are disassembled and assembled all the same; `load` is an error where the field is needed, and `gencc
check` reports both."""
import argparse
import subprocess
import sys
import tempfile

from toys import changed_toy

IADD = bytes.fromhex("000080c030402000")  # iadd r1, r2, #3
LOAD = bytes.fromhex("0100004000005000")  # load r0, [r1 + #1]
FIELD, BEHAVIOUR = ("single_op.ac", "staging = dst;", "staging = nowhere;"), ("single_op.genc", "staging(0, v)", "staging(0, nowhere)")
# What is broken, the command, its input, the exit status
CASES = [
    (FIELD, "disasm", IADD, 0),
    (FIELD, "disasm", LOAD, 1),
    (FIELD, "disasm", IADD + LOAD, 1),
    (FIELD, "asm", b"iadd r1, r2, #3\n", 0),
    (FIELD, "asm", b"load r0, [r1 + 1]\n", 1),
    (FIELD, "check", None, 1),
    (BEHAVIOUR, "disasm", IADD + LOAD, 0),
    (BEHAVIOUR, "check", None, 1),
]


def run(options, broken, command, text):
    file, right, wrong = broken
    with tempfile.TemporaryDirectory() as folder:
        arch = changed_toy(options.toys, folder, file, right, wrong)
        rest = [arch] if command == "check" else ["--arch", arch, "--isa", "single", "-"]
        return subprocess.run([options.gencc, command, *rest], input=text, capture_output=True, timeout=100, check=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gencc", required=True)
    parser.add_argument("--toys", required=True, help="folder of a toy ISA")
    options = parser.parse_args()
    wrong = 0
    for broken, command, text, status in CASES:
        done = run(options, broken, command, text)
        said = done.stderr.decode()
        if done.returncode != status or (f"/{broken[0]}:" in said and "nowhere" in said) != bool(status):
            wrong += 1
            print(f"{broken[0]}, {command} {text}: {done.returncode}, not {status}: {said!r}, {done.stdout!r}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
