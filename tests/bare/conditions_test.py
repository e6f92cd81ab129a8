#!/usr/bin/env python3
"""Runs conditions as published models have them (conditions.ac) on the bare runner, interpreted and
translated: a predicate made of helpers, members that the simulator provides, a PC in a bank.
Expected values are calculated by hand.

    conditions_test.py BUILD [TIER...]
"""
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SOON = ["-jit-sync", "-jit-threshold", "2", "-jit-quick-threshold", "2"]
SETI, ADD, TEST, BEGIN, LOOK, TURN = range(6)
ALWAYS, EQUAL, UNEQUAL = 14, 0, 1
LEAVE = 0xf0000000
BASE = 0x1000


def word(op, rd, ra, imm, cond=ALWAYS):
    return cond << 28 | op << 24 | rd << 20 | ra << 16 | imm


CODE = [
    word(SETI, 1, 0, 0),                # the loop's counter
    word(ADD, 1, 1, 1),                 # 0x1004: the loop
    word(TEST, 1, 0, 5),
    word(SETI, 2, 0, 7, EQUAL),         # in the last round only
    word(ADD, 3, 3, 1, UNEQUAL),        # in the four rounds before
    word(ADD, 15, 0, 0x1004, UNEQUAL),  # R0 is 0: a jump by writing R15
    word(ADD, 4, 15, 8),                # 0x1018: R15 reads as the address of this instruction
    word(BEGIN, 0, 0, 6),
    word(LOOK, 5, 0, 0),
    word(LOOK, 6, 0, 0),
    word(LOOK, 7, 0, 0),
    word(LOOK, 8, 0, 0),
    word(TURN, 9, 0, 0xd6),
    word(SETI, 10, 0, 1, UNEQUAL),
    word(TEST, 1, 0, 6),
    LEAVE,                              # its format has no condition, though one would be false
]
WANT = {1: 5, 2: 7, 3: 4, 4: 0x1020, 5: 0x614, 6: 0x314, 7: 0x114, 8: 4, 9: 0xd6d60, 10: 0}


def main(build, *tiers):
    wrong = []
    with tempfile.TemporaryDirectory() as name:
        runner, program = pathlib.Path(name) / "run", pathlib.Path(name) / "program"
        subprocess.run([ROOT / "scripts/bare", "--build", build, "--isa", "conditions", HERE / "conditions.ac", "-o",
                        runner], check=True, stderr=subprocess.DEVNULL)
        program.write_bytes(b"".join(w.to_bytes(4, "little") for w in CODE))
        for tier in ("interp", *tiers):
            options = ["-accel", "interp"] if tier == "interp" else ["-accel", "jit", "-jit-tier", tier, *SOON]
            done = subprocess.run([runner, "-registers", "-limit", "1000", "-address", hex(BASE), *options, program],
                                  capture_output=True, text=True, timeout=60, check=False)
            got = {int(n): int(v, 16) for n, v in re.findall(r"^R(\d+) = (\w+)$", done.stdout, re.M)}
            wrong += [f"{tier}: R{n} is {got.get(n, 0):#x}, not {v:#x}" for n, v in WANT.items() if got.get(n, 0) != v]
            if done.returncode:
                wrong.append(f"{tier}: status {done.returncode}: {done.stderr}")
    print("\n".join(wrong) or f"{len(WANT)} registers, {len(tiers) + 1} ways: right")
    return 1 if wrong else 0


sys.exit(main(*sys.argv[1:]))
