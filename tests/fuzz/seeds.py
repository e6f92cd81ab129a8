#!/usr/bin/env python3
"""Writes the seeds of the harnesses that read binary files: seeds.py DTC SMALL_DTS FOLDER.

kernel/: a raw arm64 Image (the kernel's Documentation/arch/arm64/booting.rst), the same compressed,
and an ELF file with one segment. dtb/: small.dts, compiled.
"""
import gzip
import struct
import subprocess
import sys
from pathlib import Path

IMAGE_SIZE, LOAD_ADDRESS = 0x10000, 0x80080000


def image():
    """The header: two instructions, offset, size, flags (4 KiB pages, anywhere), magic, PE offset."""
    header = struct.pack("<IIQQQ24xII", 0x91005A4D, 0x14000000, 0, IMAGE_SIZE, 10, 0x644D5241, 64)
    return header.ljust(128, b"\0")


def elf():
    """An ELF64 executable for AArch64 (machine 183) with 16 bytes to load and 16 to clear."""
    entry = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01", 2, 183, 1, LOAD_ADDRESS, 64, 0,
                        0, 64, 56, 1, 0, 0, 0)
    segment = struct.pack("<IIQQQQQQ", 1, 5, 120, LOAD_ADDRESS, LOAD_ADDRESS, 16, 32, 4096)
    return entry + segment + bytes(16)


def main():
    dtc, source, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    seeds = {"image": image(), "image.gz": gzip.compress(image(), mtime=0), "elf": elf()}
    for name in ("kernel", "dtb"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for name, data in seeds.items():
        (folder / "kernel" / name).write_bytes(data)
    subprocess.run([dtc, "-q", "-O", "dtb", "-o", folder / "dtb" / "small", source], check=True)


if __name__ == "__main__":
    main()
