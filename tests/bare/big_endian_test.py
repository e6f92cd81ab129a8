#!/usr/bin/env python3
"""Runs big-endian words and memory (big_endian/big.ac) on the bare runner, interpreted and translated,
with the first unit of a word as its highest and as its lowest. Expected values are calculated by hand.

    big_endian_test.py BUILD [TIER...]
"""
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SOON = ["-jit-sync", "-jit-threshold", "1", "-jit-quick-threshold", "1"]
WANT = {1: 0x0123456789abcdef, 4: 0xefcd, 5: 0xefcdab89, 6: 0xefcdab8967452301, 7: 0x0123456789abcdef,
        8: 0xdcfe000000000000, 9: 0xefcdab8967452301, 10: 0x89ab, 11: 0x0123456789abcdef, 12: 0xfedc,
        13: 0xefcd, 14: 0x11223344, 15: 0x2211}
# seti r1, r0, #0x0123 in memory, by the place of the first unit
FIRST_WORD = {"high_first": bytes([0x81, 0x00, 0x01, 0x23]), "low_first": bytes([0x81, 0x00, 0x01, 0x23])}


def tiers_of(tiers):
    yield "interp", ["-accel", "interp"]
    for tier in tiers:
        yield tier, ["-accel", "jit", "-jit-tier", tier, *SOON]


def description(folder, order):
    """Writes the description with this order of units; returns its path."""
    shutil.copytree(HERE / "big_endian", folder)
    isa = (folder / "isa.ac").read_text()
    if order == "low_first":        # the unit with the operation is the lowest
        isa = isa.replace("high_first", "low_first")
        isa = re.sub(r'"(1\d{3} rd:4 ra:4 [^"]*?) (imm:16|0000 0000 0000 0000)"', r'"\2 \1"', isa)
    (folder / "isa.ac").write_text(isa)
    return folder / "big.ac"


def check(build, order, tiers, folder):
    """Returns what is wrong, as lines."""
    arch, gencc = description(folder, order), pathlib.Path(build) / "bin/gencc"
    program, runner = folder / "program.bin", folder / "run"
    subprocess.run([gencc, "asm", "--arch", arch, "--address", "0x1000", "-o", program, HERE / "big_endian/program.s"],
                   check=True)
    if program.read_bytes()[:4] != FIRST_WORD[order]:
        yield f"the first word is {program.read_bytes()[:4].hex()}"
    elf = folder / "program.elf"
    subprocess.run([gencc, "asm", "--arch", arch, "--address", "0x1000", "-o", elf, HERE / "big_endian/program.s"],
                   check=True)
    if elf.read_bytes()[5] != 2 or elf.read_bytes()[18:20] != b"\0\x08" or elf.read_bytes()[24:28] != b"\0\0\x10\0":
        yield f"the ELF header is {elf.read_bytes()[:28].hex()}"
    text = subprocess.run([gencc, "disasm", "--arch", arch, program], capture_output=True, text=True, check=True).stdout
    if "0: 81000123  seti r1, r0, #291" not in text.replace("01238100", "81000123"):
        yield f"disassembled: {text[:60]}"
    subprocess.run([ROOT / "scripts/bare", "--build", build, "--isa", "big", arch, "-o", runner], check=True, stderr=subprocess.DEVNULL)
    for tier, options in tiers_of(tiers):
        done = subprocess.run([runner, "-registers", "-limit", "1000", *options, program],
                              capture_output=True, text=True, timeout=60, check=False)
        got = {int(n): int(v, 16) for n, v in re.findall(r"^R(\d+) = (\w+)$", done.stdout, re.M)}
        for n, v in WANT.items():
            if got.get(n, 0) != v:
                yield f"{tier}: R{n} is {got.get(n, 0):#x}, not {v:#x}"
        if done.returncode:
            yield f"{tier}: status {done.returncode}: {done.stderr}"
    yield from check_debugger(runner, program)


def check_debugger(runner, program):
    """GDB has registers in memory's order, and messages have words as numbers."""
    with subprocess.Popen([runner, "-gdb", "tcp::0", "-S", program], stderr=subprocess.PIPE, text=True) as run:
        port = int(re.search(r"port (\d+), waiting", run.stderr.readline())[1])
        with socket.create_connection(("127.0.0.1", port), 30) as peer:
            peer.sendall(b"$p10#d1")                        # register 16: the PC
            reply = b""
            while b"#" not in reply:
                reply += peer.recv(100)
            if b"$0000000000001000#" not in reply:
                yield f"GDB's PC is {reply}"
            peer.sendall(b"+$P1=00000000000000ff#2a+$p1#a1")
            while b"ff#" not in reply:
                reply += peer.recv(100)
            if b"$00000000000000ff#" not in reply:
                yield f"GDB's R1 is {reply}"
            peer.sendall(b"$k#6b")
            run.wait(30)
    bad = pathlib.Path(program).with_suffix(".bad")
    bad.write_bytes(bytes([0x12, 0x34]))
    done = subprocess.run([runner, bad], capture_output=True, text=True, timeout=60, check=False)
    if done.stderr != "undefined instruction 0x1234 at 0x1000\n":
        yield f"an undefined word: {done.stderr}"


def main(build, *tiers):
    wrong = []
    with tempfile.TemporaryDirectory() as name:
        for order in FIRST_WORD:
            wrong += [f"{order}: {line}" for line in check(build, order, tiers, pathlib.Path(name) / order)]
    print("\n".join(wrong) or f"{len(WANT)} registers, {len(tiers) + 1} ways, {len(FIRST_WORD)} orders of units: right")
    return 1 if wrong else 0


sys.exit(main(*sys.argv[1:]))
