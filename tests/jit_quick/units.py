#!/usr/bin/env python3
"""Returns and indirect calls of A64 code are looked up as addresses of whole words.

The ISA has T32, too, whose addresses are multiples of 2. Their bits of the jump cache's index cost a rotation and back, which
no trace of the program may have. Its exit status is QEMU's.
"""
import argparse
import os
import platform
import re
import subprocess
import sys
import tempfile

PROGRAM = """
        .globl  _start
_start: mov     x20, #400
round:  adr     x1, one
        adr     x2, two
        tst     x20, #1
        csel    x1, x1, x2, eq
        blr     x1
        adr     x1, three
        tst     x20, #2
        csel    x1, x1, x2, eq
        blr     x1
        subs    x20, x20, #1
        b.ne    round
        and     x0, x0, #127
        mov     x8, #93
        svc     #0
one:    add     x0, x0, #1
        ret
two:    add     x0, x0, #2
        ret
three:  eor     x0, x0, #3
        ret
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--user", "--qemu", "--gcc"):
        parser.add_argument(name)
    o = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program, log = (os.path.join(folder, name) for name in ("program", "log"))
        subprocess.run([o.gcc, "-nostdlib", "-static", "-x", "assembler", "-", "-o", program], input=PROGRAM.encode(),
                       check=True)
        want = subprocess.run([o.qemu, program], check=False).returncode
        status = subprocess.run([o.user, "-jit-sync", "-jit-quick-threshold", "20", "-d", "out_asm", "-D", log, program],
                                check=False).returncode
        with open(log, encoding="utf-8") as file:
            listing = file.read()
    if status != want:
        sys.exit(f"the exit status is {status}, not {want}")
    if platform.machine() != "x86_64" or "\tmov" not in listing:
        return  # another host, or a build that lists no code
    if not re.search(r"\trorx", listing):
        sys.exit("no jump is looked up")
    if re.search(r"\trol", listing):
        sys.exit("addresses are looked up by bits that are 0")


main()
