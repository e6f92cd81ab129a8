#!/usr/bin/env python3
"""Compares gencc's A64 assembler with binutils: objdump prints random words of every encoding of
the description, and gencc must assemble each text to the same word, or to the word that GNU as
makes of it (some bits do not show in the text). Texts that GNU as refuses for Armv8.0 with the
description's extensions need not be accepted.

    a64_asm.py TEXT_TOOL ARCH.ac COUNT SEED
"""
import os
import re
import struct
import subprocess
import sys
import tempfile

PREFIX = "aarch64-linux-gnu-"
MARCH = "-march=armv8-a+crc+crypto+lse+rdma+dotprod+rcpc+compnum+pan+fp16"
SHOWN = 40
# op0 = 0 has hints, barriers and PSTATE fields, which have names of their own: `msr spsel, #1`. The
# description decides which system registers have a name.
NOT_OURS = re.compile(r"msr s0_|mrs \w+, (?!s\d_)|msr (?!s\d_)")


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def objdump(path):
    """Returns (word, text) for each word; the text is None if there is none."""
    out = run(PREFIX + "objdump", "-D", "-z", "-b", "binary", "-m", "aarch64", path)
    if out.returncode:
        sys.exit(out.stderr.decode())
    for line in out.stdout.decode().splitlines():
        m = re.match(r"\s*[0-9a-f]+:\t([0-9a-f]{8}) \t(.*)", line)
        if m:
            text = re.sub(r"\s*//.*", "", m.group(2)).replace("\t", " ").strip()
            bad = text == "undefined" or text.startswith(".inst")
            yield int(m.group(1), 16), None if bad else text


def ours(tool, arch, texts, folder):
    """Returns the word that gencc makes of each text, or None if it refuses the text."""
    path = os.path.join(folder, "ours.s")
    refused = {}
    while True:
        with open(path, "w") as f:
            for i, text in enumerate(texts):
                f.write((".inst 0" if i in refused or text is None else text) + "\n")
        out = run(tool, "asm", arch, "a64", path)
        errors = re.findall(r"^[^\n]*:(\d+): error: (.*)$", out.stderr.decode(), re.M)
        if out.returncode == 0:
            break
        if not errors:
            sys.exit("text_tool: " + out.stderr.decode())
        refused.update((int(n) - 1, message) for n, message in errors)
    words = [int(w, 16) for w in out.stdout.decode().split()]
    return [refused.get(i, w) for i, w in enumerate(words)]


def gnu(texts, folder):
    """Returns the word that GNU as makes of each text, or None if it refuses the text."""
    source, target, raw = (os.path.join(folder, n) for n in ("a.s", "a.o", "a.bin"))
    refused = set()
    while True:
        with open(source, "w") as f:
            for i, text in enumerate(texts):
                f.write((".inst 0" if i in refused else text) + "\n")
        out = run(PREFIX + "as", MARCH, "-o", target, source)
        if out.returncode == 0:
            break
        bad = {int(n) - 1 for n in re.findall(r":(\d+): Error", out.stderr.decode())}
        if not bad - refused:
            sys.exit("as: " + out.stderr.decode()[:2000])
        refused |= bad
    run(PREFIX + "objcopy", "-O", "binary", "-j", ".text", target, raw)
    with open(raw, "rb") as f:
        words = struct.unpack("<%dI" % len(texts), f.read())
    return [None if i in refused else w for i, w in enumerate(words)]


def main():
    tool, arch, count, seed = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "words")
        with open(path, "wb") as f:
            f.write(run(tool, "words", arch, "a64", count, seed).stdout)
        words, texts = zip(*objdump(path))
        got = ours(tool, arch, texts, folder)
        doubtful = [i for i, t in enumerate(texts) if t is not None and got[i] != words[i] and
                    not NOT_OURS.match(t)]
        theirs = dict(zip(doubtful, gnu([texts[i] for i in doubtful], folder))) if doubtful else {}
    failures = [i for i in doubtful if theirs[i] is not None and got[i] != theirs[i]]
    for i in failures[:SHOWN]:
        shown = got[i] if isinstance(got[i], str) else "assembled to %08x" % got[i]
        print("%08x '%s': %s; GNU as: %08x" % (words[i], texts[i], shown, theirs[i]))
    print("%d words, %d with text, %d doubtful, %d failures" %
          (len(words), sum(t is not None for t in texts), len(doubtful), len(failures)))
    return 1 if failures or not words else 0


if __name__ == "__main__":
    sys.exit(main())
