#!/usr/bin/env python3
"""RDHWR's SYNCI_Step is the line of the instruction cache that Config1 tells (MD00090, 9.30; II-A, RDHWR), so that a loop
of SYNCI reaches each line. QEMU is no referee here: its 24Kf has 32 and a Config1 with lines of 16 bytes.

    synci_step.py GENCC MALTA"""
import pathlib
import random
import subprocess
import sys
import tempfile

import board_programs


def main(gencc, malta):
    program = board_programs.Program(random.Random(0))
    program.lines = ["rdhwr $8, hwr_synci_step"]
    program.log("$8")
    program.read(16, 1)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "program.s").write_text(board_programs.HEAD + "\n".join(program.lines) + "\n" + board_programs.TAIL)
        subprocess.run([gencc, "asm", "--arch", board_programs.MIPS / "mipsel.ac", "--address", "0x80100000", "-o",
                        folder / "program.elf", folder / "program.s"], check=True)
        logged, messages = board_programs.output([malta], folder)
    words = [int.from_bytes(logged[at:at + 4], "little") for at in range(0, 8, 4)]
    if len(logged) < 8 or words[0] != 2 << (words[1] >> 19 & 7):
        sys.exit(f"SYNCI_Step and Config1: {[hex(word) for word in words]} {messages}")
    print(f"a step of {words[0]} bytes")


main(*sys.argv[1:])
