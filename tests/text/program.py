#!/usr/bin/env python3
"""Whole programs through `gencc asm`: the bytes must be those of binutils for programs/*.s, the ELF
is read by readelf, and wrong programs are refused.

    program.py GENCC
"""
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BASE = "0x1000"
# ISA, prefix of binutils, options of as and ld, machine as readelf calls it.
TARGETS = (
    ("a64", "aarch64-linux-gnu-", [], [], "AArch64"),
    ("a32", "arm-linux-gnueabihf-", ["-march=armv7-a"], [], "ARM"),
    ("t32", "arm-linux-gnueabihf-", ["-march=armv7-a", "-mthumb", HERE / "programs/unified.inc"], [], "ARM"),
    ("rv64", "riscv64-linux-gnu-", ["-march=rv64gc", "-mno-relax"], ["--no-relax"], "RISC-V"),
)
ARCH = HERE.parents[1] / "descriptions/tutorial/rv64.ac"
# Source of the tutorial's CPU, and the expected lines.
REFUSED = (
    ("j lop\nlop2: nop\n", ["1: error: unknown name 'lop'; closest: j <offset>"]),
    ("li x5, 5000\n", ["1: error: 5000 is out of range: <imm> is -2048 to 2047: li <rd>, <imm>"]),
    ("slli x0, x1, 64\n", ["1: error: 64 is out of range: <shamt> is 0 to 63"]),
    ("nop\nbeq x1, x2, . + 5\n", ["2: error: . + 5 is out of reach: it is 5 away, and <offset> is -4096 to 4094, "
                                 "a multiple of 2: beq <rs1>, <rs2>, <offset>"]),
    (".wrd 3\nnop; .byte 256\n", ["1: error: unknown directive '.wrd'; did you mean '.word'?",
                                 "2: error: 256 is out of range: .byte takes -128 to 255"]),
    ("a: nop\n\na: nop\n", ["3: error: 'a' is defined twice, first in line 1"]),
    (".word 1 / 0\n.word b - c\n.word (1\n", ["1: error: division by 0", "2: error: unknown name 'b'",
                                             "3: error: expected a number, not '(1'"]),
    ("nop\n.org 3\n.align 40\n", ["2: error: .org goes back, from 0x4 to 0x3", "3: error: .align takes a power of two"]),
    (".ascii \"abc\n.ascii x\n.ascii \"\\q\"\n", ["1: error: this string has no end", "2: error: expected a string",
                                               "3: error: unknown escape '\\q'"]),
    ("nop\n/* no\nend", ["2: error: this comment has no end"]),
    (".equ x\n.global nobody\n.space -1\n.word 1 2\n",
     ["1: error: expected NAME, NUMBER", "2: error: unknown name 'nobody'", "3: error: .space takes a number of bytes",
      "4: error: expected a number, not '1 2'"]),
    (".space 1 << 40\n", ["1: error: the program would have more than 268435456 bytes"]),
    (".word 99999999999999999999\n", ["1: error: a number has more than 64 bits"]),
    ("a: .space b - a\nb = . - a + 1\n", ["places of labels do not settle"]),
)


def run(*command, stdin=None):
    return subprocess.run([str(c) for c in command], input=stdin, capture_output=True, timeout=100, check=False)


def must(*command):
    done = run(*command)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr.decode()}")
    return done.stdout


def reference(prefix, as_options, ld_options, source, folder):
    made, linked, raw = (folder / n for n in ("g.o", "g.elf", "g.bin"))
    must(prefix + "as", *as_options, "-o", made, source)
    run(prefix + "ld", *ld_options, "-Ttext=" + BASE, "-o", linked, made)
    must(prefix + "objcopy", "-O", "binary", "-j", ".text", linked, raw)
    return raw.read_bytes(), symbols(linked)


def symbols(path):
    """Returns the names of an ELF without the tools' own labels, with their values and whether they
    are global."""
    rows = re.findall(r"^ *\d+: ([0-9a-f]+) +0 NOTYPE +(LOCAL|GLOBAL) +DEFAULT +(?:\d+|ABS) (\w+)$",
                      must("readelf", "-sW", path).decode(), re.M)
    return {(name, int(value, 16), bind) for value, bind, name in rows
            if not name.startswith("_") or name == "_start"} - {("fn", 0, "")}


def check_target(gencc, target, folder):
    isa, prefix, as_options, ld_options, machine = target
    source = HERE / "programs" / f"{isa}.s"
    elf = folder / "ours.elf"
    want, names = reference(prefix, as_options, ld_options, source, folder)
    got = must(gencc, "asm", "--isa", isa, "--address", BASE, source)
    if got != want:
        at = next((i for i, (a, b) in enumerate(zip(got, want)) if a != b), min(len(got), len(want)))
        yield f"{isa}: {len(got)} bytes, {len(want)} of as; they differ at {at:#x}"
    must(gencc, "asm", "--isa", isa, "--address", BASE, "-o", elf, source)
    header = run("readelf", "-hlW", elf)
    text = header.stdout.decode()
    if header.stderr or not re.search(rf"Machine: +{machine}\n", text) or not re.search(r"Entry.*0x1000\n", text):
        yield f"{isa}: {text}{header.stderr.decode()}"
    ours = symbols(elf)
    if ours != names or ("_start", 0x1000, "GLOBAL") not in ours:
        yield f"{isa}: names: {sorted(ours ^ names)}"
    raw = folder / "again.bin"
    must(prefix + "objcopy", "-O", "binary", elf, raw)
    if raw.read_bytes() != got:
        yield f"{isa}: the ELF has other bytes"


def check_refused(gencc, source, lines, folder):
    out = folder / "refused.elf"
    for options in ([], ["--hex"], ["-o", out]):
        done = run(gencc, "asm", "--arch", ARCH, *options, "-", stdin=source.encode())
        errors = done.stderr.decode().splitlines()
        good = done.returncode == 1 and not done.stdout and not out.exists() and len(errors) == len(lines)
        if not good or any(want not in line for want, line in zip(lines, errors)):
            yield f"{source!r} {options}: status {done.returncode}, {done.stdout!r}, {errors}"


def main(gencc):
    wrong = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for target in TARGETS:
            wrong += check_target(gencc, target, folder)
        for source, lines in REFUSED:
            wrong += check_refused(gencc, source, lines, folder)
    explained = run(gencc, "explain", "--arch", ARCH, "02a28313").stdout
    if not explained.startswith(b"02a28313: addi x6, x5, 42\n") or \
            run(gencc, "explain", "--arch", ARCH, "--asm", "addi x6, x5, 42").stdout != explained:
        wrong.append(f"explain: {explained!r}")
    print("\n".join(wrong) or f"{len(TARGETS)} programs, {len(REFUSED)} that are refused")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
