#!/usr/bin/env python3
"""Disassembles the shader of every memory snapshot of a Bifrost GPU (G31 …) and compares the text
with Mesa's.

    snapshots.py FOLDER EVERY COMMAND…

FOLDER holds cases/ and disasm/ (see its FORMAT.md); one of EVERY texts is compared. The command
reads a shader from standard input. A text begins with a line that names the renderer state, whose
first 64 bits are the shader's address, except for the lowest four."""
import pathlib
import re
import struct
import subprocess
import sys

PT_LOAD = 1


def segments(data):
    """Returns (address, offset in the file, bytes in the file) of each loaded segment."""
    start, = struct.unpack_from("<Q", data, 32)
    count, = struct.unpack_from("<H", data, 56)
    for i in range(count):
        kind, _, offset, address, _, size = struct.unpack_from("<IIQQQQ", data, start + 56 * i)
        if kind == PT_LOAD:
            yield address, offset, size


def file_offset(data, address):
    """Returns the file offset of an address, and the bytes from there to the end of its segment."""
    for base, offset, size in segments(data):
        if base <= address < base + size:
            return offset + address - base, size - (address - base)
    raise ValueError(f"no segment holds {address:#x}")


def shader(data, state):
    """Returns the bytes from the shader of a renderer state on."""
    at, _ = file_offset(data, state)
    program, = struct.unpack_from("<Q", data, at)
    at, size = file_offset(data, program & ~15)
    return data[at:at + size]


def check(command, folder, text):
    """Returns what is wrong with the text of a shader, or None."""
    name = text.name.removesuffix(".disasm.txt")
    head, _, want = text.read_text().rstrip("\n").partition("\n")
    data = (folder / "cases" / f"{name}.snap.elf").read_bytes()
    code = shader(data, int(re.search(r"renderer state (0x[0-9a-f]+)", head)[1], 16))
    done = subprocess.run(command, input=code, capture_output=True, check=True)
    got = done.stdout.decode().rstrip("\n")
    # The shader's next variant may follow without a gap.
    if got == want or got.startswith(want + "\n\nclause_"):
        return None
    for number, (a, b) in enumerate(zip(want.splitlines(), got.splitlines()), 2):
        if a != b:
            return f"{name}: line {number}\n- {a}\n+ {b}"
    return f"{name}: {len(want.splitlines())} lines expected, {len(got.splitlines())} printed"


def main(folder, every, *command):
    folder = pathlib.Path(folder)
    texts = sorted((folder / "disasm").glob("*.G*.txt"))[::int(every)]
    wrong = [w for text in texts if (w := check(command, folder, text))]
    print("\n".join(wrong[:20]))
    print(f"{len(texts)} shaders, {len(wrong)} differ")
    return 1 if wrong or not texts else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
