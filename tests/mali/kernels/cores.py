#!/usr/bin/env python3
"""mali-run -cores: work-groups are dealt to the chosen cores alone, and nothing else of the results depends on these or
on the number of host threads."""
import argparse
import os
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
GROUPS, LOCAL, CORES = 33, 4, 12  # a Mali-G72 MP12


def expected(chosen):
    """Returns what each thread finds: the number of its core, and its place."""
    return [(chosen[i // LOCAL % len(chosen)], i) for i in range(GROUPS * LOCAL)]


def found(mali_run, code, scratch, *options):
    out = os.path.join(scratch, "out")
    subprocess.run([mali_run, "-kernel", code, "-gpu", "g72", "-global", str(GROUPS * LOCAL), "-local", str(LOCAL),
                    "-arg", f"zero:{GROUPS * LOCAL * 16}", "-arg", "u64:7", "-dump", f"0={out}", *options], check=True, timeout=60)
    with open(out, "rb") as file:
        return [(core, place) for core, place, _, _ in struct.iter_unpack("<4I", file.read())]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mali-run", required=True)
    o = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        code = os.path.join(scratch, "code")
        with open(code, "wb") as file:
            subprocess.run([os.path.join(os.path.dirname(o.mali_run), "gencc"), "asm", "--isa", "bifrost",
                            os.path.join(HERE, "cores_bifrost.s")], stdout=file, check=True)
        for bits in (None, 0xfff, 0x805, 0x20, 0xf000, 0xf001):
            chosen = [n for n in range(CORES) if (bits or 0xfff) >> n & 1] or list(range(CORES))
            for threads in (1, 3):
                for translate in (0, 1):
                    options = ["-threads", str(threads), "-translate", str(translate)] + (["-cores", hex(bits)] if bits else [])
                    if found(o.mali_run, code, scratch, *options) != expected(chosen):
                        print(f"failed: {' '.join(options)}")
                        failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
