#!/usr/bin/env python3
"""Words of a toy ISA whose instructions stand alone, and whose header is the start of their lines, there and back.

Bits that are printed take all values of interest, each with both headers that print differently; bits that are not
are 0. The bytes must come out again, with nothing but the text to go by.
"""
import argparse
import itertools
import os
import subprocess
import sys
import tempfile

# As in tests/bundle/single_op.ac: opcode, and (lowest bit, values) of the printed fields.
SOURCES = (0, 5, 63, 128, 191, 192, 255)
DST, S0, S1, S2, IMM, OFFSET = (46, (0, 63)), (22, SOURCES), (30, SOURCES), (38, SOURCES), (0, (0, 1, 1 << 21)), (30, ())
FORMS = [
    (0, []),
    (1, [DST, IMM]),
    (2, [DST, S0, S1]),
    (3, [DST, S0, S1, S2]),
    (4, [(0, SOURCES), (8, SOURCES), (30, (0, 4095))]),
    (5, [(0, SOURCES), (24, (0, 63)), (30, (0, 4095))]),
    (6, [(0, SOURCES), (30, (0, 1, (1 << 22) - 3))]),
]
OPCODE, FLOW, END, BYTES = 52, 60, 15, 8


def words():
    """Returns all words but the word of zeros, which ends a program."""
    for opcode, fields in FORMS:
        for values in itertools.product(*(values for _, values in fields)):
            for flow in (0, END):
                word = flow << FLOW | opcode << OPCODE
                for (lsb, _), value in zip(fields, values):
                    word |= value << lsb
                if word:
                    yield word.to_bytes(BYTES, "little")


def gencc(options, command, data):
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        arch = os.path.join(options.toys, "single.ac")
        done = subprocess.run([options.gencc, command, "--arch", arch, "--isa", "single", file.name],
                              capture_output=True, timeout=100, check=False)
    if done.returncode:
        print(done.stderr.decode())
    return done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gencc", required=True)
    parser.add_argument("--toys", required=True, help="folder of the toy ISA")
    options = parser.parse_args()
    code = b"".join(words())
    text = gencc(options, "disasm", code)
    again = gencc(options, "asm", text)
    lines = [line for line in text.decode().split("\n") if line and not line.endswith(":")]
    wrong = [f"{line}: {was.hex()}, not {now.hex()}" for line, was, now in
             zip(lines, *([c[i:i + BYTES] for i in range(0, len(code), BYTES)] for c in (code, again))) if was != now]
    print(f"{len(code) // BYTES} words, {len(lines)} lines, {len(again) // BYTES} words again, {len(wrong)} others")
    for line in wrong[:20]:
        print(line)
    return 1 if wrong or len(again) != len(code) or len(lines) * BYTES != len(code) else 0


if __name__ == "__main__":
    sys.exit(main())
