#!/usr/bin/env python3
"""Shaders by hand in a snapshot, whose memory can lie as that of mali-run -kernel does not. Local memory begins in the middle of a
page, and offsets of it overflow within a row of lanes: some lanes store 4 GB above the others, in the page where those would store
if the sum were one of 64 bits. And words are read that begin in one page and end in the next, which is elsewhere in the host."""
import argparse
import json
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


def words_of(data, at, count):
    """What a thread copies whose first word is at data[at]."""
    return data[at:at + 4 * count].ljust(16, b"\0")


def near_words(data, at, _):
    """The same of near_bifrost.s."""
    return data[at:at + 12] + data[at + PAGE:at + PAGE + 4]


def crossing(count, step, offset, where=(FROM, TO), together=False, copied=words_of):
    """The same for `count` words per thread, `step` apart, from and to addresses below or above 4 GB. Each page is a segment of
    its own; or all lie `together`, in the order of their addresses in the host too."""
    def case(snapshot, code):
        data = random.Random(step).randbytes((offset + THREADS * step) // PAGE * PAGE + 3 * PAGE)
        source, to = where
        prepare(snapshot, code, (source % 2 ** 32, source >> 32, to % 2 ** 32, to >> 32, step, offset))
        pages = [[source + at, PAGE, 6, bytearray(data[at:at + PAGE])] for at in range(0, len(data), PAGE)]
        pages += [[to // PAGE * PAGE + at, PAGE, 6, bytearray()] for at in range(0, 16 * THREADS + PAGE, PAGE)]
        snapshot.pieces += [[source, len(data), 6, bytearray(data)], [to // PAGE * PAGE, 16 * THREADS + PAGE, 6, bytearray()]] \
            if together else pages
        return [(to, b"".join(copied(data, offset + step * thread, count) for thread in range(THREADS)), "u32", 0)]

    return case


def wrapping(before, copied=words_of):
    """Words around the end of the first 4 GB, from `before` words before it on: the low half of an address overflows, and the
    high one stays. Behind the last page is the first."""
    def case(snapshot, code):
        source, at = 2 ** 32 - 2 * PAGE, 2 * PAGE - 4 * before
        data = random.Random(4).randbytes(5 * PAGE)
        prepare(snapshot, code, (source, 0, TO, 0, 4, at))
        snapshot.pieces += [[source, 2 * PAGE, 6, bytearray(data[:2 * PAGE])], [0, 3 * PAGE, 6, bytearray(data[2 * PAGE:])],
                            [TO, 16 * THREADS, 6, bytearray()]]
        return [(TO, b"".join(copied(data, at + 4 * thread, 1) for thread in range(THREADS)), "u32", 0)]

    return case


def counts(folder):
    """What the job executed and accessed, and the pages that it touched."""
    return json.loads((folder / "stats.json").read_text())["gpu"]["shader"]


def check(options, case, code, what, levels=("0", "1")):
    snapshot = Snapshot(pathlib.Path(options.snapshot).read_bytes())
    results = case(snapshot, code)
    good, seen = True, []
    with tempfile.TemporaryDirectory(prefix="gencc-test-") as scratch:
        paths = [os.path.join(scratch, name) for name in ("snap.elf", "expect.elf")]
        pathlib.Path(paths[0]).write_bytes(snapshot.bytes())
        pathlib.Path(paths[1]).write_bytes(expectation(snapshot.header, results))
        for translate in levels:
            stats = pathlib.Path(scratch, translate)
            done = subprocess.run([options.mali_run, paths[0], "-expect", paths[1], "-translate", translate, "-stats", stats],
                                  timeout=60, check=False)
            if done.returncode:
                print(f"failed: {what}, -translate {translate}")
                good = False
            seen.append(counts(stats))
    if len(seen) > 1 and seen[0] != seen[1]:
        print(f"failed: {what}, counts {seen}")
        good = False
    return good


def check_pages(options, assembled):
    """Accesses that cross pages: to which the host gives memory side by side or elsewhere, and which the map has or has not."""
    text = (HERE / "words_bifrost.s").read_bytes()
    good = True
    low, high = (FROM, TO + 8), (2 ** 32 + FROM, 2 ** 32 + TO + 8)
    for count, step, offset in (1, 4, 4), (1, 4, PAGE // 2 + 24), (1, 4, 2), (1, 8, 4), (1, 68, 0), (4, 16, 8), (4, 20, 4), (2, 8, 3):
        code = assembled(text.replace(b".i128", b".i%d" % (32 * count)))
        for where in low, high:
            for together in False, True:
                what = f"{count} words {step} bytes apart at {where[0]:#x}, {'together' if together else 'apart'}"
                good &= check(options, crossing(count, step, offset, where, together), code, what)
    code = assembled(text.replace(b".i128", b".i32"))
    near = assembled((HERE / "near_bifrost.s").read_bytes())
    for before in 40, 64, 65, 66:
        good &= check(options, wrapping(before), code, f"words around the end of 4 GB from {before} before it on")
        good &= check(options, wrapping(before, near_words), near, f"near words around the end of 4 GB from {before} before it on")
    for back in 29 * 64, 29 * 64 - 4, 29 * 64 + 8, 29 * 64 - 2, 29 * 64 + 6:   # a late row is at a page's end
        offset = PAGE - back
        for together in False, True:
            what = f"near words from {offset} on, {'together' if together else 'apart'}"
            good &= check(options, crossing(3, 4, offset, low, together, near_words), near, what)
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
    good &= check_pages(options, assembled)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
