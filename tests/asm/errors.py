#!/usr/bin/env python3
"""What gencc asm says of shaders that are wrong, with the place; and some that are right, by what was made of them."""
import argparse
import os
import subprocess
import sys
import tempfile

NOP = "ds(0) eos\n{\n    *NOP t0\n    +NOP t1\n}\n"
CASES = [
    # Source, and the message.
    ("ds(0) what\n{\n    *NOP t0\n    +NOP t1\n}\n", ":1:1: error: this is no header of a clause"),
    ("ds(0) eos\n{\n    *NOPE t0\n    +NOP t1\n}\n", ":3:6: error: unknown mnemonic 'nope'"),
    ("ds(0) eos\n{\n    +NOP t1\n    *NOP t0\n}\n", ":3:5: error: no bundle holds these words together"),
    ("ds(0) eos\n{\n    *FADD.f32 t0, r1, u0.w0\n    +FADD.f32 t1, u1.w0, r2\n}\n",
     ":3:5: error: no block gives tuple 0"),
    ("ds(0) eos\n{\n    *FMA.f32 t0, r1, r2, r3\n    +FADD.f32 t1, r4, r5\n}\n",
     ":3:5: error: no block gives tuple 0"),
    ("ds(0) eos\n{\n    *NOP t0\n    +BRANCHZ.i16.eq t1, t0.h0, nowhere\n}\n", ":4:32: error: unknown label 'nowhere'"),
    ("ds(0) eos\n{\n    *NOP t0\n", ":3:1: error: the last bundle is not closed"),
    ("a:\na:\n" + NOP, ":2:1: error: label 'a' stands in line 1 already"),
    ("", ":1:1: error: there is no bundle"),
    ("ds(0) eos\n{\n\t*NOP t0\n\t+BRANCHZ.i16.eq t1, t0.h0, on\n}\n", "\t+BRANCHZ.i16.eq t1, t0.h0, on\n"
     "      | \t                           ^~\n"),
    ("//= 00\n" + NOP, ":1:1: error: expected the bytes of a clause, a multiple of 16; here are 1\n"
     "    1 | //= 00\n      | ^\n"),
    # A byte note of another clause does not make up for a wrong line.
    (f"//= {'00' * 16}\n" + NOP.replace("NOP t0", "NOPE t0"), ":4:6: error: unknown mnemonic 'nope'"),
]
# Bundles without braces, whose units have no marks.
PLAIN_CASES = [
    ("smul: ADD.i32 R0.x, R1.x, R2.x\nsmul: ADD.i32 R1.x, R1.x, R2.x\n",
     ":2:1: error: no unit of a word with the words above holds this"),
    ("smul: ADD.i32 R0.x, R1.x, #100000\nvadd: ADD.i32 R2.x, R1.x, #200000\nuconstants 0x186A0, 0x0, 0x0, 0x0\n",
     ":2:7: error: no encoding of 'add.i32' takes these operands"),
    ("ADD.i32 R0.x, R1.x, #1\nbr.uncond nowhere\n", ":2:11: error: unknown label 'nowhere'"),
    ("ADD.i32 R0.x, R1.x, #1\nbr.uncomd nowhere\n", ":2:1: error: unknown mnemonic 'br.uncomd'"),
    ("ADD.i32 R0.x, R1.x, #1\nST.32 AL0.x, AL0.u64.x\n",
     ":2:1: error: no unit of a word with the words above holds this"),
    ("FMUL.f32 TMP0.xyz, R0.xyz, <0.8, 0.6, 0.7>\nFADD.f32 R1.xyz, R1.xyz, <0.1, 0.2, 0.3>\n",
     ":2:1: error: no unit of a word with the words above holds this"),
    ("vmul: ADD.i32 R0.x, R1.x, R2.x\nsadd: ADD.i32 R0.x, R1.x, R99.x\nsmul: ADD.i32 R0.x, R1.x, R2.x\n",
     ":2:27: error: no syntax of 'add.i32' fits at 'R99.x'"),
]
# Instructions that stand alone, with the header in their line.
SINGLE_CASES = [
    ("end nope\n", ":1:5: error: unknown mnemonic 'nope'"),
    ("nop\n\n  op: end iadd r1, r2, r99\n", ":3:24: error: no syntax of 'iadd' fits at 'r99'"),
    ("ende nop\n", ":1:1: error: unknown mnemonic 'ende'"),
]
# Pairs of sources with the same bytes: with a label, and with its value.
SAME = [
    ("loop:\nADD.i32 R0.x, R1.x, #1\nbr.uncond loop\n\nADD.i32 R0.x, R1.x, #1\n",
     "ADD.i32 R0.x, R1.x, #1\nbr.uncond -1 -> alu/4\n\nADD.i32 R0.x, R1.x, #1\n"),
    ("ADD.i32 R0.x, R1.x, #1\nbr.uncond on\n\nADD.i32 R0.x, R1.x, #1\n\non:\nST.32 AL0.x, AL0.u64.x\n",
     "ADD.i32 R0.x, R1.x, #1\nbr.uncond +1 -> ldst\n\nADD.i32 R0.x, R1.x, #1\n\nST.32 AL0.x, AL0.u64.x\n"),
    ("ADD.i32 R0.x, R1.x, #1\nbr.uncond out\n\nADD.i32 R0.x, R1.x, #1\n\nout:\n",
     "ADD.i32 R0.x, R1.x, #1\nbr.uncond +1 -> break\n\nADD.i32 R0.x, R1.x, #1\n"),
]
# Sources, and the text of their bytes: a hexadecimal number becomes a constant if one has room,
# else an immediate of the word; an integer whose constant would not print in hexadecimal becomes an
# immediate at once.
NUMBERS = [
    ("AND.i64 R1.x, R2.x, #0x3F\n", "AND.i64 R1.x, R2.X, #0x3F\nuconstants 0x3F, 0x0, 0x0, 0x0\n"),
    ("AND.i64 R1.x, R2.x, #63\n", "AND.i64 R1.x, R2.X, #63\n"),
    ("ADD.i32 R1.x, R2.x, #0x10\n", "ADD.i32 R1.x, R2.x, #16\n"),
    ("AND.i64 R1.x, R2.x, #0x3F\nADD.i32 R0, R0, <33, 34, 35, 36>\n",
     "AND.i64 R1.x, R2.X, #63\nADD.i32 R0, R0, <33, 34, 35, 36>\nuconstants 0x21, 0x23, 0x22, 0x24\n"),
]
# Sources, and the units in the first word of the bytes: bits 17 vmul, 19 sadd, 21 vadd, 23 smul, 25
# lut. A line that reads the result of an earlier one is in a later stage (vmul and sadd are one
# stage, vadd, smul and lut the next), unless it names its unit; the scalar units have no square
# root.
UNITS = [
    ("ADD.i32 R0.x, R1.x, R2.x\nADD.i32 R3.x, R4.x, R2.x\n", 1 << 17 | 1 << 19),
    ("ADD.i32 R0.x, R1.x, R2.x\nADD.i32 R3.x, R0.x, R2.x\n", 1 << 17 | 1 << 21),
    ("ADD.i32 R0.x, R1.x, R2.x\nADD.i32 R3.x, R0.y, R2.x\n", 1 << 17 | 1 << 19),
    ("vmul: ADD.i32 R0.x, R1.x, R2.x\nsadd: ADD.i32 R3.x, R0.x, R2.x\n", 1 << 17 | 1 << 19),
    ("ADD.i32 R0.x, R1.x, R2.x\nFSQRT.f32 R3.x, R4.x, #0\n", 1 << 17 | 1 << 21),
]
ALL_UNITS = 0x2AA0000
# The first byte of each bundle: its own kind, and above it the kind of the next bundle.
KINDS = ("ADD.i32 R0.x, R1.x, #1\n\nST.32 AL0.x, AL0.u64.x\n\nADD.i32 R0.x, R1.x, #1\n", [0x58, 0x85, 0x18])


def check_plain(options):
    """Bundles without braces: errors, labels, and what a header says of the next bundle."""
    wrong = []
    for source, said in PLAIN_CASES:
        done = assemble(options, source, "midgard")
        if done.returncode != 1 or said not in done.stderr.decode() or done.stdout:
            wrong.append(f"{source!r}: {done.returncode}: {done.stderr.decode()!r}")
    for labels, numbers in SAME:
        one, other = assemble(options, labels, "midgard"), assemble(options, numbers, "midgard")
        if one.returncode or not one.stdout or one.stdout != other.stdout:
            wrong.append(f"{labels!r}: {one.stdout.hex()} {one.stderr.decode()}, not {other.stdout.hex()}")
    for source, text in NUMBERS:
        done = assemble(options, source, "midgard")
        read = disassemble(options, done.stdout, "midgard") if done.stdout else done.stderr.decode()
        if read.split() != ["word_0:", *text.split()]:
            wrong.append(f"{source!r}: {read!r}, not {text!r}")
    for source, units in UNITS:
        done = assemble(options, source, "midgard")
        if int.from_bytes(done.stdout[:4], "little") & ALL_UNITS != units:
            wrong.append(f"{source!r}: {done.stdout.hex()} {done.stderr.decode()}, not the units {units:#x}")
    done = assemble(options, KINDS[0], "midgard")
    if list(done.stdout[::16]) != KINDS[1]:
        wrong.append(f"{KINDS[0]!r}: {done.stdout.hex()} {done.stderr.decode()}")
    done = assemble(options, KINDS[0], "wide", options.toys)
    if done.returncode != 2 or "the field 'next'" not in done.stderr.decode():
        wrong.append(f"a field that nothing says: {done.returncode}: {done.stderr.decode()!r}")
    for line in wrong:
        print(line)
    return len(wrong)


def assemble(options, text, isa="bifrost", folder=None):
    with tempfile.NamedTemporaryFile("w", suffix=".s") as file:
        file.write(text)
        file.flush()
        arch = os.path.join(folder or os.path.join(options.descriptions, isa), f"{isa}.ac")
        return subprocess.run([options.gencc, "asm", "--arch", arch, "--isa", isa, file.name],
                              capture_output=True, timeout=100, check=False)


def disassemble(options, code, isa):
    with tempfile.NamedTemporaryFile() as file:
        file.write(code)
        file.flush()
        arch = os.path.join(options.descriptions, isa, f"{isa}.ac")
        done = subprocess.run([options.gencc, "disasm", "--arch", arch, "--isa", isa, file.name],
                              capture_output=True, timeout=100, check=False)
        return done.stdout.decode()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gencc", required=True)
    parser.add_argument("--descriptions", required=True, help="descriptions/mali")
    parser.add_argument("--toys", required=True, help="folder of a toy ISA")
    options = parser.parse_args()
    wrong = 0
    for source, said in CASES:
        done = assemble(options, source)
        if done.returncode != 1 or said not in done.stderr.decode() or done.stdout:
            wrong += 1
            print(f"{source!r}\n  expected {said!r}\n  got {done.returncode}: {done.stderr.decode()!r}")
    # Bytes that end a program when read: the assembler finds them, since disassembly would stop
    # there.
    done = assemble(options, "nop\n", "single", options.toys)
    if done.returncode != 1 or ":1:1: error: what was assembled for this is no instruction" not in done.stderr.decode():
        wrong += 1
        print(f"a bundle of zeros: {done.returncode}: {done.stderr.decode()!r}")
    done = assemble(options, "iadd r1, r2, #3\n", "single", options.toys)
    if done.returncode or done.stdout.hex() != "000080c030402000":
        wrong += 1
        print(f"not of zeros: {done.returncode}: {done.stderr.decode()!r} {done.stdout.hex()}")
    for source, said in SINGLE_CASES:
        done = assemble(options, source, "single", options.toys)
        if done.returncode != 1 or said not in done.stderr.decode() or done.stdout:
            wrong += 1
            print(f"{source!r}: {done.returncode}: {done.stderr.decode()!r}")
    wrong += check_plain(options)
    done = assemble(options, NOP)
    if done.returncode or len(done.stdout) != 16:
        wrong += 1
        print(f"right: {done.returncode}: {done.stderr.decode()!r}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
