#!/usr/bin/env python3
"""Shaders by hand in a snapshot, whose memory can lie as that of mali-run -kernel does not. Local memory begins in the middle of a
page, and offsets of it overflow within a row of lanes: some lanes store 4 GB above the others, in the page where those would store
if the sum were one of 64 bits. And words are read that begin in one page and end in the next, which is elsewhere in the host."""
import argparse
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "examples/gpu"))
from snapshot import PAGE, Snapshot, expectation

# From mali-run -dump-jobs of the snapshot, whose job has 512 threads in groups of 64.
SHADER, UNIFORMS, LOCAL_BASE, OUT, THREADS = 0xa003500, 0xa007160, 0xa007180 + 16, 0xa017000, 512
LOCAL = 0xa018800     # in the middle of a page
ROW, LANES = 256, 16  # the row's first thread
BELOW = ROW + 8       # the first thread whose offset has overflowed
FROM, TO = 0xb000000, 0xc000000


def prepare(snapshot, code, uniforms):
    """Puts another shader and other uniforms in the snapshot."""
    for at, byte in enumerate(code):
        snapshot.put(SHADER + at, byte, "<B")
    for at, word in enumerate(uniforms):
        snapshot.put(UNIFORMS + 4 * at, word)


def wrap(snapshot, code):
    """Checks memory after offsets that overflow. Local memory is private to the group: its row
    copies what it finds there."""
    first = -4 * BELOW
    prepare(snapshot, code, (first % 2 ** 32, 1, OUT, 0))
    snapshot.put(LOCAL_BASE, LOCAL, "<Q")
    above = LOCAL + 2 ** 32 + first
    snapshot.pieces.append([above // PAGE * PAGE, PAGE, 6, bytearray()])
    stored = struct.pack(f"<{BELOW}I", *range(1, BELOW + 1)) + bytes(4 * LANES)
    copies = struct.pack("<8I", *range(BELOW + 1, BELOW + 9)) * (LANES // 8)
    return [(above, stored, "u32", 0), (OUT + 4 * ROW, copies, "u32", 0)]


def crossing(count, step, offset):
    """The same for `count` words per thread, `step` apart. Each page is a segment of its own."""
    def case(snapshot, code):
        data = random.Random(step).randbytes(THREADS * step // PAGE * PAGE + 2 * PAGE)
        prepare(snapshot, code, (FROM, 0, TO, 0, step, offset))
        for at in range(0, len(data), PAGE):
            snapshot.pieces.append([FROM + at, PAGE, 6, bytearray(data[at:at + PAGE])])
        snapshot.pieces.append([TO, 16 * THREADS, 6, bytearray()])
        places = (offset + step * thread for thread in range(THREADS))
        return [(TO, b"".join(data[at:at + 4 * count].ljust(16, b"\0") for at in places), "u32", 0)]

    return case


def check(options, case, code, what, levels=("0", "1")):
    snapshot = Snapshot(pathlib.Path(options.snapshot).read_bytes())
    results = case(snapshot, code)
    good = True
    with tempfile.TemporaryDirectory(prefix="gencc-test-") as scratch:
        paths = [os.path.join(scratch, name) for name in ("snap.elf", "expect.elf")]
        pathlib.Path(paths[0]).write_bytes(snapshot.bytes())
        pathlib.Path(paths[1]).write_bytes(expectation(snapshot.header, results))
        for translate in levels:
            done = subprocess.run([options.mali_run, paths[0], "-expect", paths[1], "-translate", translate], timeout=60, check=False)
            if done.returncode:
                print(f"failed: {what}, -translate {translate}")
                good = False
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mali-run", required=True)
    parser.add_argument("--snapshot", required=True)
    options = parser.parse_args()
    gencc = pathlib.Path(options.mali_run).with_name("gencc")

    def assembled(text):
        return subprocess.run([gencc, "asm", "--isa", "bifrost", "/dev/stdin"], input=text, capture_output=True, check=True).stdout

    good = check(options, wrap, assembled((HERE / "wrap_bifrost.s").read_bytes()), "offsets that overflow")
    text = (HERE / "words_bifrost.s").read_bytes()
    for count in 2, 3, 4:
        code = assembled(text.replace(b"LOAD.i128", b"LOAD.i%d" % (32 * count)))
        for step, offset in (0, PAGE - 4), (4, PAGE // 2), (8, 4), (12, 0), (16, 8), (20, 4), (32, 24), (44, 12):
            good &= check(options, crossing(count, step, offset), code, f"{count} words {step} bytes apart", levels="1")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
