#!/usr/bin/env python3
"""gencc disasm and explain say so when the text of an instruction is longer than they can print.

    too_long.py --gencc GENCC --toys FOLDER

A copy of a toy ISA has an instruction with a long name. The text that fits is printed whole, a longer one is an
error, and no part of it is printed as if it were the whole."""
import argparse
import subprocess
import sys
import tempfile

from toys import changed_toy

IADD = bytes.fromhex("000080c030402000")  # iadd r1, r2, #3 of tests/bundle/single.ac
OPERANDS = " r1, r2, #3"
WORD = IADD[::-1].hex()[1:]  # 60 bits
MOST_WORD, MOST_BUNDLE = 255, 16383  # characters of a text
# Command with its arguments, characters of the text, exit status, what is said on standard error
CASES = [
    (["disasm", "--isa", "single"], MOST_BUNDLE, 0, ""),
    (["disasm", "--isa", "single"], MOST_BUNDLE + 1, 1,
     "gencc: the text of the instruction at byte 0 of '-' has more than 16383 characters\n"),
    (["disasm", "--isa", "single_op"], MOST_WORD, 0, ""),
    (["disasm", "--isa", "single_op"], MOST_WORD + 1, 1,
     "gencc: the text of the word at address 0x0 has more than 255 characters\n"),
    (["explain", "--isa", "single_op", "0x" + WORD], MOST_WORD, 0, ""),
    (["explain", "--isa", "single_op", "0x" + WORD], MOST_WORD + 1, 1,
     "gencc: the word's text has more than 255 characters\n"),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gencc", required=True)
    parser.add_argument("--toys", required=True, help="folder of a toy ISA")
    options = parser.parse_args()
    wrong = 0
    for command, length, status, said in CASES:
        bundle = 1 if command[2] == "single" else 0  # its text ends with a line's end
        name = "i" * (length - len(OPERANDS) - bundle)
        with tempfile.TemporaryDirectory() as folder:
            arch = changed_toy(options.toys, folder, "single_op.ac", 'asm "iadd ', f'asm "{name} ')
            file = [] if command[0] == "explain" else ["-"]
            done = subprocess.run([options.gencc, command[0], "--arch", arch, *command[1:], *file], input=IADD,
                                  capture_output=True, timeout=100, check=False)
        whole = (name + OPERANDS).encode() in done.stdout
        if done.returncode != status or done.stderr.decode() != said or whole != (not status):
            wrong += 1
            print(f"{command} of {length} characters: {done.returncode}, not {status}: {done.stderr.decode()!r}, "
                  f"{done.stdout[-100:]!r}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
