#!/usr/bin/env python3
"""Traces go through the start of another trace only in code that runs often.

A loop with the only OR goes through `shared`, which has the only exclusive OR, a few times. Then a second
loop makes `shared` the start of a trace, and the first one gets hot: in one program it takes a few
instructions per round, in the other 60,000. Only in the first program does a trace contain both operations.
"""
import argparse
import os
import subprocess
import sys
import tempfile

PROGRAM = """
        .globl  _start
_start: mov     x10, #1
        mov     x11, #12
        b       round
warm:   mov     x10, #0
        mov     x12, #2000
        b       shared
shared: add     x0, x0, #1
        eor     x0, x0, #4
        cbnz    x10, back
        sub     x12, x12, #1
        cbnz    x12, shared
        mov     x10, #2
        mov     x11, #60
round:  mov     x12, #{delay}
delay:  subs    x12, x12, #1
        b.ne    delay
        orr     x0, x0, #2
        b       shared
back:   subs    x11, x11, #1
        b.ne    round
        cmp     x10, #1
        b.eq    warm
        and     x0, x0, #127
        mov     x8, #93
        svc     #0
"""


def run(o, folder, delay):
    """Returns whether a trace has both operations, and the program's status."""
    program = os.path.join(folder, "program")
    subprocess.run([o.gcc, "-nostdlib", "-static", "-x", "assembler", "-", "-o", program],
                   input=PROGRAM.format(delay=delay).encode(), check=True)
    done = subprocess.run([o.user, "-jit-quick-threshold", "20", "-jit-dump", program],
                          stderr=subprocess.PIPE, check=False)
    traces = done.stderr.decode().split("\ntrace 0x")
    return any(" binary or " in text and " binary xor " in text for text in traces), done.returncode


def status():
    """Returns what the program leaves in X0 in the end."""
    x = 0
    for bits in [2] * 12 + [0] * 2000 + [2] * 60:
        x = ((x | bits) + 1) ^ 4
    return x & 127


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--user", required=True)
    parser.add_argument("--gcc", required=True)
    o = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        often, rarely = run(o, folder, 1), run(o, folder, 30000)
    if often[1] != status() or rarely[1] != status():
        sys.exit(f"status {often[1]} and {rarely[1]}, not {status()}")
    if not often[0]:
        sys.exit("code that runs often has no trace through the start of another one")
    if rarely[0]:
        sys.exit("code that runs rarely has a trace through the start of another one")



main()
