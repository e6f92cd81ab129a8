#!/usr/bin/env python3
"""Makes a program for Juno that runs the job of a snapshot (tests/mali/snapshots): its memory, and tables for the GPU.

    gpu_image.py SNAPSHOT ADDRESS ROUNDS GCC SOURCE OUTPUT

ADDRESS is the GPU's, of the word to which the CPU writes before each of the ROUNDS runs.
"""
import pathlib
import struct
import subprocess
import sys
import tempfile

BASE, PAGE = 0x84000000, 4096
READ_WRITE, NO_EXECUTE, LEAF, TABLE = 3 << 6, 3 << 53, 1, 3
HEAP = 1 << 26 # larger buffers are the tiler's


class Image:
    def __init__(self):
        self.memory = bytearray()

    def add(self, content):
        at = len(self.memory)
        self.memory += content + bytes(-len(content) % PAGE)
        return BASE + at

    def entry(self, at, value=None):
        if value is not None:
            struct.pack_into("<Q", self.memory, at - BASE, value)
        return struct.unpack_from("<Q", self.memory, at - BASE)[0]


def segments(file):
    start, count = struct.unpack_from("<Q", file, 32)[0], struct.unpack_from("<H", file, 56)[0]
    for n in range(count):
        kind, flags, offset, va, _, held, size, _ = struct.unpack_from("<IIQQQQQQ", file, start + 56 * n)
        if kind == 1 and size < HEAP:
            yield va, file[offset:offset + held] + bytes(size - held), flags & 1


def map_page(image, root, va, pa, execute):
    table = root
    for level in range(3):
        at = table + 8 * (va >> (39 - 9 * level) & 511)
        if not image.entry(at):
            below = image.add(bytes(PAGE))
            image.entry(at, below | TABLE)
        table = image.entry(at) & ~0xfff
    image.entry(table + 8 * (va >> 12 & 511), pa | READ_WRITE | LEAF | (0 if execute else NO_EXECUTE))


def main():
    snapshot, address, rounds, gcc, source, output = sys.argv[1:]
    file = pathlib.Path(snapshot).read_bytes()
    head, address = struct.unpack_from("<Q", file, 24)[0], int(address, 0)
    image, places = Image(), {}
    root = image.add(bytes(PAGE))
    for va, content, execute in segments(file):
        pa = image.add(content)
        for at in range(0, len(content), PAGE):
            places[va + at] = pa + at
            map_page(image, root, va + at, pa + at, execute)
    find = {name: places[va & ~0xfff] + (va & 0xfff) for name, va in (("HEADER", head), ("OUT", address))}
    names = {"TABLE": root, "HEAD": head, "ROUNDS": int(rounds), **find}
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        (work / "job.bin").write_bytes(image.memory)
        (work / "job.inc").write_text("".join(f"#define {name} {value:#x}\n" for name, value in names.items()))
        subprocess.run([gcc, "-nostdlib", "-static", "-I", work, f"-Wa,-I{work}", "-Wl,-Ttext=0x80200000",
                        f"-Wl,--section-start=.memory={BASE:#x}", "-Wl,--build-id=none,-N,--no-warn-rwx-segments",
                        "-o", output, source], check=True)


if __name__ == "__main__":
    main()
