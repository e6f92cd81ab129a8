#!/usr/bin/env python3
"""Runs programs of a 32-bit CPU in the published form (rv32.ac) on the bare runner, interpreted and
translated. The RISC-V manual specifies their results, and the encodings used here.

    rv32_test.py BUILD [TIER…]
"""
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SOON = ["-jit-sync", "-jit-threshold", "2", "-jit-quick-threshold", "2"]
TOP = 1 << 32


# ---- encodings of the RISC-V unprivileged manual, chapter 2 --------------------------------------


def addi(rd, rs1, imm):
    return (imm & 0xfff) << 20 | rs1 << 15 | rd << 7 | 0x13


def lui(rd, imm):
    return imm << 12 | rd << 7 | 0x37


def auipc(rd, imm):
    return imm << 12 | rd << 7 | 0x17


def jalr(rd, rs1, imm):
    return (imm & 0xfff) << 20 | rs1 << 15 | rd << 7 | 0x67


def jal(rd, offset):
    o = offset & 0x1fffff
    return ((o >> 20) << 31 | (o >> 1 & 0x3ff) << 21 | (o >> 11 & 1) << 20 | (o >> 12 & 0xff) << 12 |
            rd << 7 | 0x6f)


def branch(funct3, rs1, rs2, offset):
    o = offset & 0x1fff
    return ((o >> 12) << 31 | (o >> 5 & 0x3f) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 |
            (o >> 1 & 0xf) << 8 | (o >> 11 & 1) << 7 | 0x63)


def beq(rs1, rs2, offset):
    return branch(0, rs1, rs2, offset)


def bne(rs1, rs2, offset):
    return branch(1, rs1, rs2, offset)


def jz(rs1, rs2):
    """An instruction that RISC-V does not have, in an opcode that is reserved for such."""
    return rs2 << 20 | rs1 << 15 | 0x0b


ECALL = 0x73
NOP = addi(0, 0, 0)

# ---- programs: where memory begins, where the program, its words, its registers at the end -------

EXIT = [addi(17, 0, 0), ECALL]
PROGRAMS = {
    # A link in the middle of a block, at its end, and of a call whose block was left.
    "links": (0, 0x1000,
              [NOP, auipc(5, 0), NOP, jal(1, 16), auipc(6, 1), *EXIT,
               auipc(7, 0), addi(10, 0, 33), jalr(2, 1, 0)],
              {1: 0x1010, 2: 0x1028, 5: 0x1004, 6: 0x2010, 7: 0x101c, 10: 33}),
    # Sums 1 to 100 with backward jumps by both kinds of branches.
    "loops": (0, 0x1000,
              [addi(8, 0, 100), NOP, beq(8, 0, 16), addi(10, 10, 1), addi(8, 8, -1), jal(0, -12),
               addi(9, 0, 50), addi(10, 10, 2), addi(9, 9, -1), bne(9, 0, -8), *EXIT],
              {8: 0, 9: 0, 10: 200}),
    # Leaves a loop through a register.
    "computed": (0, 0x1000,
                 [addi(8, 0, 100), auipc(5, 0), addi(5, 5, 24), addi(10, 10, 1), addi(8, 8, -1),
                  jz(5, 8), jal(0, -12), *EXIT],
                 {5: 0x101c, 8: 0, 10: 100}),
    # Runs in a circle from the last address to the first.
    "wraps": (TOP - 0x1000, TOP - 0x10,
              [addi(10, 10, 1), jal(1, 16), NOP, NOP,
               # 0x0 is reached past the end of memory, 0x4 by the jump
               NOP, addi(8, 10, -100), beq(8, 0, 12), jal(2, -28), NOP, *EXIT],
              {1: TOP - 8, 2: 16, 8: 0, 10: 100}),
    "falls": (TOP - 0x1000, TOP - 8,
              [addi(10, 10, 1), addi(9, 9, 2), auipc(6, 0), addi(8, 10, -100), beq(8, 0, 8),
               jal(3, -20), *EXIT],
              {3: 16, 6: 0, 8: 0, 9: 200, 10: 100}),
    # The last instruction of memory links to the first address.
    "links_around": (TOP - 0x1000, TOP - 4, [jal(1, 8), NOP, auipc(6, 0), *EXIT], {1: 0, 6: 4}),
}


def translations(folder):
    jit = json.loads((folder / "stats.json").read_text()).get("jit", {})
    return jit.get("regions", 0) + jit.get("traces", 0)


def registers_of(text):
    """Parses lines `X5 = 0x1004` as {5: 0x1004}."""
    pairs = (line.split(" = ") for line in text.splitlines() if line.startswith("X"))
    return {int(name[1:]): int(value, 16) for name, value in pairs}


def check(runner, name, tier, folder):
    """Returns what is wrong, as lines."""
    memory, address, words, want = PROGRAMS[name]
    binary, stats = folder / f"{name}.bin", folder / f"{name}-{tier}"
    binary.write_bytes(b"".join(w.to_bytes(4, "little") for w in words))
    how = ["--accel", "jit", "-jit-tier", tier, *SOON, "-stats", stats] if tier else ["-accel", "interp"]
    done = subprocess.run([runner, "-memory", hex(memory), "-address", hex(address), "-limit", "5000",
                           "-registers", *how, binary], capture_output=True, text=True, timeout=60,
                          check=False)
    got = {17: 0, **registers_of(done.stdout)}
    if done.stderr or done.returncode != (want.get(10, 0) & 0xff):
        yield f"status {done.returncode}: {done.stderr.strip()}"
    for number, value in want.items():
        if got.get(number, 0) != value:
            yield f"x{number} is {got.get(number, 0):#x}, expected {value:#x}"
    if tier and name not in ("links", "links_around") and not translations(stats):
        yield "nothing was translated"


def main(build, *tiers):
    wrong = []
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        runner = folder / "run"
        subprocess.run([ROOT / "scripts/bare", "--build", build, HERE / "rv32.ac", "-o", runner],
                       check=True)
        for name in PROGRAMS:
            for tier in (None, *tiers):
                wrong += [f"{name}, {tier or 'interpreted'}: {line}"
                          for line in check(runner, name, tier, folder)]
    print("\n".join(wrong) or f"{len(PROGRAMS)} programs, {len(tiers)} tiers: as the manual says")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
