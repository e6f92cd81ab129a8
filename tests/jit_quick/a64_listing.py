#!/usr/bin/env python3
"""The assembler of the AArch64 host against GNU as.

a64_listing.py LISTING AS OBJCOPY: LISTING prints words and the text of each; GNU as must make the word of the
text."""
import struct
import subprocess
import sys
import tempfile
from pathlib import Path


def assemble(texts, folder):
    """Returns the words that GNU as makes."""
    source, result, code = folder / "text.s", folder / "text.o", folder / "text.bin"
    source.write_text("".join(f"{text}\n" for text in [".arch armv8-a+crypto", *texts]))
    subprocess.run([sys.argv[2], "-o", result, source], check=True)
    subprocess.run([sys.argv[3], "-O", "binary", "-j", ".text", result, code], check=True)
    data = code.read_bytes()
    return struct.unpack(f"<{len(data) // 4}I", data)


def main():
    listing = subprocess.run([sys.argv[1]], check=True, stdout=subprocess.PIPE, text=True).stdout
    rows = [line.split(" ", 1) for line in listing.splitlines()]
    with tempfile.TemporaryDirectory() as name:
        words = assemble([text for _, text in rows], Path(name))
    faults = [f"{word} for {text}, as makes {theirs:08x}"
              for (word, text), theirs in zip(rows, words) if int(word, 16) != theirs]
    if len(words) != len(rows):
        faults.append(f"{len(rows)} instructions, as makes {len(words)}")
    for fault in faults[:20]:
        print(fault)
    print(f"{len(rows)} instructions, {len(faults)} faults")
    return 1 if faults or len(rows) < 5000 else 0


sys.exit(main())
