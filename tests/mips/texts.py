#!/usr/bin/env python3
"""The texts of MIPS32 words, big- and little-endian, compared with those of GNU objdump:

    texts.py GENCC OBJDUMP [--each N] [--seed N]

Words are drawn from each encoding; registers in them are often 0, for the texts that stand for those. A
word with a text must have objdump's."""
import argparse
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

MIPS = pathlib.Path(__file__).resolve().parents[2] / "descriptions/mips"
REGISTERS = (21, 16, 11, 6)     # lowest bits of fields that are registers, or shifts


def encodings(gencc):
    text = subprocess.run([gencc, "dump", "--stage", "model", MIPS / "mips.ac"], capture_output=True, text=True,
                          check=True).stdout
    return sorted(set(re.findall(r"^    ([01x]{32})(?: not .*)?$", text, re.M)))


def draw(rng, picture):
    word = int("".join(bit if bit != "x" else rng.choice("01") for bit in picture), 2)
    for low in REGISTERS:
        if set(picture[27 - low:32 - low]) == {"x"} and rng.randrange(6) == 0:
            word &= ~(31 << low)
    return word


def objdump_texts(objdump, path, order):
    text = subprocess.run([objdump, "-D", "-b", "binary", "-m", "mips:isa32r2", order, "-M", "gpr-names=32", path],
                          capture_output=True, text=True, check=True).stdout
    lines = re.findall(r"^\s*([0-9a-f]+):\t[0-9a-f]{8} \t(.*)$", text, re.M)
    return {int(at, 16): re.sub(r" <.*>", "", re.sub(r"\s+", " ", line)) for at, line in lines}


def compare(o, words, arch, byteorder, folder):
    """Returns the number of words with a text, and those whose texts differ."""
    path, wrong, count = folder / "words", [], 0
    path.write_bytes(b"".join(word.to_bytes(4, byteorder) for word in words))
    ours = subprocess.run([o.gencc, "disasm", "--arch", MIPS / f"{arch}.ac", path], capture_output=True, text=True,
                          check=True).stdout.splitlines()
    theirs = objdump_texts(o.objdump, path, "-EB" if byteorder == "big" else "-EL")
    for i, word in enumerate(words):
        text = re.sub(r"\s+", " ", ours[i].split("  ", 1)[1]).replace(", ", ",")
        if text.startswith(".inst"):
            continue
        count += 1
        # objdump has one text for two words, of which the assembler could make one only.
        text = re.sub(r"^ori (\w+),zero,", r"li \1,", text)
        if text != theirs.get(4 * i):
            wrong.append(f"{arch}: {word:08x} is {text!r}, objdump has {theirs.get(4 * i)!r}")
    return count, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gencc")
    parser.add_argument("objdump")
    parser.add_argument("--each", type=int, default=20)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("GENCC_SEED", random.randrange(1 << 32))))
    o = parser.parse_args()
    print(f"seed {o.seed}")
    rng, pictures = random.Random(o.seed), encodings(o.gencc)
    words = [draw(rng, picture) for picture in pictures for _ in range(o.each)]
    with tempfile.TemporaryDirectory() as name:
        big = compare(o, words, "mips", "big", pathlib.Path(name))
        little = compare(o, words, "mipsel", "little", pathlib.Path(name))
    wrong = big[1] + little[1]
    if big[0] != little[0] or big[0] < len(words) * 3 // 4:
        wrong.append(f"{big[0]} and {little[0]} of {len(words)} words have a text")
    print("\n".join(wrong[:20]) or f"{len(pictures)} encodings, {big[0] + little[0]} words: texts as objdump's")
    return 1 if wrong else 0


sys.exit(main())
