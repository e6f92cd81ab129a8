#!/usr/bin/env python3
"""The assembler of the quick tier against binutils.

x64_listing.py LISTING: LISTING FILE.bin FILE.txt writes code and its expected text. objdump must
print that text of the code, instruction by instruction, and GNU as must not find a shorter encoding
of the text."""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

INSN = re.compile(r"\s*([0-9a-f]+):\t([0-9a-f ]+)(?:\t(.*))?$")


def disassemble(*args):
    """Returns (address, length, text) of each instruction."""
    out = subprocess.run(["objdump", "-w", "-M", "intel", *map(str, args)], check=True,
                         capture_output=True, text=True).stdout
    for line in out.splitlines():
        if match := INSN.match(line):
            address, code, text = match.groups()
            text = re.sub(r"\s+#.*", "", text or "")
            yield int(address, 16), len(code.split()), re.sub(r"\s+", " ", text).strip()


def expected(path):
    with open(path) as lines:
        for line in lines:
            address, length, text = line.rstrip("\n").split(" ", 2)
            yield int(address, 16), int(length), text


def differences(want, got, what):
    if len(want) != len(got):
        yield f"{len(want)} instructions, {what} finds {len(got)}"
    for w, g in zip(want, got):
        if w != g:
            yield f"expected {w}, {what} says {g}"


def longer(folder, want):
    """Returns instructions that GNU as makes shorter. Padding and near branches are long on
    purpose."""
    chosen = [w for w in want if not re.match(r"nop |(j\w+|call) 0x", w[2])]
    source, result = folder / "text.s", folder / "text.o"
    source.write_text(".intel_syntax noprefix\n" + "".join(w[2] + "\n" for w in chosen))
    subprocess.run(["as", "--64", "-o", result, source], check=True)
    theirs = list(disassemble("-d", result))
    if len(theirs) != len(chosen):
        yield f"as makes {len(theirs)} instructions of {len(chosen)}"
    for w, t in zip(chosen, theirs):
        if w[2] != t[2] or w[1] > t[1]:
            yield f"{w[1]} bytes for {w[2]}, as takes {t[1]} for {t[2]}"


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        code, text = folder / "code.bin", folder / "code.txt"
        subprocess.run([sys.argv[1], code, text], check=True)
        want = list(expected(text))
        got = list(disassemble("-D", "-b", "binary", "-m", "i386:x86-64", code))
        faults = [*differences(want, got, "objdump"), *longer(folder, want)]
    for fault in faults[:20]:
        print(fault)
    print(f"{len(want)} instructions, {len(faults)} faults")
    return 1 if faults or not want else 0


sys.exit(main())
