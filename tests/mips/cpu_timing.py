#!/usr/bin/env python3
"""Cycles of -cpu-timing on malta, as the numbers of descriptions/mips/timing.ac say; interpreted and translated:

    cpu_timing.py GENCC MALTA

Two lengths of a loop are compared, so that the start does not count. The clock has 100 MHz."""
import json
import pathlib
import subprocess
import sys
import tempfile

MIPS = pathlib.Path(__file__).resolve().parents[2] / "descriptions/mips"
FEW, MANY, NS = 1000, 3000, 10
# Instructions of a round beside addiu, bnez and nop, and the cycles of them all.
LOOPS = {"addu $2, $3, $4": 3 + 1, "mult $2, $3": 3 + 2, "div zero, $3, $2": 3 + 32.5, "lw $2, 0($9)": 3 + 1.5}
END = "lui $8, 0xbf00\nli $9, 0x42\nsw $9, 0x500($8)\nwait: b wait\nnop\n"


def busy_ns(gencc, malta, folder, line, rounds, accel):
    source, elf = folder / "loop.s", folder / "loop.elf"
    source.write_text(f".global _start\n_start: lui $9, 0x8020\nli $2, 3\nli $8, {rounds}\nagain: addiu $8, $8, -1\n{line}\n"
                      f"bnez $8, again\nnop\n{END}")
    subprocess.run([gencc, "asm", "--arch", MIPS / "mipsel.ac", "--address", "0x80100000", "-o", elf, source], check=True)
    done = subprocess.run([malta, "-m", "64", "-kernel", elf, "-display", "none", "-no-reboot", "-serial", "null", "-cpu-timing",
                           "-accel", accel, "-stats", folder], capture_output=True, text=True, timeout=60, check=False,
                          stdin=subprocess.DEVNULL)
    if done.returncode:
        sys.exit(f"malta ended with {done.returncode}: {done.stderr}")
    return json.loads((folder / "stats.json").read_text())["cpu0.timing"]["busy_ps"] / 1000


def main(gencc, malta):
    wrong = []
    with tempfile.TemporaryDirectory() as name:
        for line, cycles in LOOPS.items():
            for accel in ("interp", "jit"):
                few, many = (busy_ns(gencc, malta, pathlib.Path(name), line, n, accel) for n in (FEW, MANY))
                took = (many - few) / (MANY - FEW) / NS
                if abs(took - cycles) > 1e-6:
                    wrong.append(f"{line}, {accel}: {took} cycles a round, not {cycles}")
    print("\n".join(wrong) or "as the description says")
    return 1 if wrong else 0


sys.exit(main(*sys.argv[1:]))
