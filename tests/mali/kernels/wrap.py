#!/usr/bin/env python3
"""Offsets of local memory overflow within a row of lanes: some lanes store 4 GB above the others, in the page where those would
store if the sum were one of 64 bits. In a snapshot, whose local memory can begin in the middle of a page."""
import argparse
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "examples/gpu"))
from snapshot import PAGE, Snapshot, expectation

# What mali-run -dump-jobs says of the snapshot, whose job has 512 threads in groups of 64.
SHADER, UNIFORMS, LOCAL_BASE, OUT = 0xa003500, 0xa007160, 0xa007180 + 16, 0xa017000
LOCAL = 0xa018800     # in the middle of a page
ROW, LANES = 256, 16  # the row's first thread
BELOW = ROW + 8       # the first one whose offset has overflowed


def case(snapshot, code):
    """Puts another shader, other uniforms and another place of local memory into the snapshot; returns what it must leave.

    Local memory is nobody else's: what is there, its row copies."""
    first = -4 * BELOW
    for at, byte in enumerate(code):
        snapshot.put(SHADER + at, byte, "<B")
    for at, word in enumerate((first % 2 ** 32, 1, OUT, 0)):
        snapshot.put(UNIFORMS + 4 * at, word)
    snapshot.put(LOCAL_BASE, LOCAL, "<Q")
    above = LOCAL + 2 ** 32 + first
    snapshot.pieces.append([above // PAGE * PAGE, PAGE, 6, bytearray()])
    stored = struct.pack(f"<{BELOW}I", *range(1, BELOW + 1)) + bytes(4 * LANES)
    copies = struct.pack("<8I", *range(BELOW + 1, BELOW + 9)) * (LANES // 8)
    return [(above, stored, "u32", 0), (OUT + 4 * ROW, copies, "u32", 0)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mali-run", required=True)
    parser.add_argument("--snapshot", required=True)
    options = parser.parse_args()
    gencc = pathlib.Path(options.mali_run).with_name("gencc")
    code = subprocess.run([gencc, "asm", "--isa", "bifrost", HERE / "wrap_bifrost.s"], capture_output=True, check=True).stdout
    snapshot = Snapshot(pathlib.Path(options.snapshot).read_bytes())
    results = case(snapshot, code)
    status = 0
    with tempfile.TemporaryDirectory(prefix="gencc-test-") as scratch:
        paths = [os.path.join(scratch, name) for name in ("snap.elf", "expect.elf")]
        pathlib.Path(paths[0]).write_bytes(snapshot.bytes())
        pathlib.Path(paths[1]).write_bytes(expectation(snapshot.header, results))
        for translate in "0", "1":
            done = subprocess.run([options.mali_run, paths[0], "-expect", paths[1], "-translate", translate], timeout=60, check=False)
            if done.returncode:
                print(f"failed: -translate {translate}")
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
