#!/usr/bin/env python3
"""A bridge between traces that set the same exceptions of floats enters behind the code that sets them (x86-64).

The program's loop of floats is a trace whose way round is a bridge to itself. In the listing (-d out_asm) the bridge must jump
to the instruction behind the trace's LDMXCSR. A second loop only compares beside a loop that adds up inexactly, so
that traces with different exceptions lead to each other. The exit status is QEMU's.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile


def pieces(listing):
    """Returns the first line and the instructions, pairs of address and text, of each trace and bridge of a listing."""
    found = []
    for piece in listing.split("quick: ")[1:]:
        code = re.findall(r"^0x([0-9a-f]+): +\t(.*)$", piece, re.MULTILINE)
        found.append((piece.split("\n", 1)[0], [(int(at, 16), text) for at, text in code]))
    return found


def entries(found):
    """Returns the addresses behind the code of traces that sets exceptions."""
    return {code[n + 1][0] for title, code in found if title.startswith("trace") for n in range(len(code) - 1)
            if code[n][1].startswith("ldmxcsr")}


def targets(found):
    """Returns where the jumps of bridges lead to; they have five bytes."""
    jumps = ((at, re.fullmatch(r"jmp\t(-?\d+)", text)) for title, code in found if title.startswith("bridge") for at, text in code)
    return {at + 5 + int(jump[1]) for at, jump in jumps if jump}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--user", "--qemu", "--gcc"):
        parser.add_argument(name, required=True)
    parser.add_argument("source")
    o = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program, log = os.path.join(folder, "program"), os.path.join(folder, "log")
        subprocess.run([o.gcc, "-nostdlib", "-static", f"-Wa,-I{os.path.dirname(o.source)}", o.source, "-o", program], check=True)
        want = subprocess.run([o.qemu, program], check=False).returncode
        have = subprocess.run([o.user, "-accel", "jit", "-jit-tier", "quick", "-jit-sync", "-d", "out_asm", "-D", log, program],
                              check=False).returncode
        with open(log, encoding="utf-8") as text:
            found = pieces(text.read())
    if have != want:
        sys.exit(f"the exit status is {have}, not {want}")
    if not entries(found):
        sys.exit("no trace sets exceptions")
    if not entries(found) & targets(found):
        sys.exit("no bridge enters behind the code that sets exceptions")


if __name__ == "__main__":
    main()
