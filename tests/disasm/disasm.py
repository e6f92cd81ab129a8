#!/usr/bin/env python3
"""Compares gencc's disassembler with binutils, text by text.

Words: every encoding of the description at its boundaries (each field at 0, 1, all ones and top bit
only, the others at both extremes or random; each literal bit flipped), random words of every
encoding, random words, and a read of every system register of the description.

A word passes when
  - both texts are equal, comments and white space aside, or
  - we say undefined, and objdump prints UNPREDICTABLE behind its text, or
  - we say undefined, and GNU as, restricted to what the description has, refuses what objdump prints:
    a later extension, or one that is not there; or
  - we say undefined, and as makes another word from what objdump prints: bits that should be 0 or 1 are
    not; or
  - both have a text, and as makes the word from ours but not from objdump's: the name of something
    later which has a generic spelling, or an operand that objdump leaves out; or
  - as makes the word from ours, which names a system register the description does not have.
Everything else is listed in the ISA's DIFFERENCES (isas.py, arm.py) with its reason, or is a failure; and a
difference of the list that a word of its own does not show any more is a failure of the list.
"""
import argparse
import os
import random
import re
import subprocess
import sys
import tempfile

import isas

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "referee"))
import seed  # noqa: E402

CHUNK = 200000


class Picture:
    """A bit picture of the description: literal bits, don't-care bits, fields."""

    def __init__(self, name, text):
        self.name, self.bits, self.fields = name, [], []
        for token in text.split():
            field = re.fullmatch(r"%?(\w+)!?:(\d+)", token)
            number = re.fullmatch(r"(0x[0-9a-fA-F]+|\d+):(\d+)", token)
            if number and not re.fullmatch(r"[A-Za-z_]\w*", number.group(1)):
                width = int(number.group(2))
                self.bits += list(format(int(number.group(1), 0), "0%db" % width))
            elif field:
                self.fields.append((field.group(1), len(self.bits), int(field.group(2))))
                self.bits += ["f"] * int(field.group(2))
            elif re.fullmatch(r"[01x]+", token):
                self.bits += list(token)
            else:
                raise SystemExit("%s: cannot read '%s' in its bit picture" % (name, token))
        if len(self.bits) not in (16, 32):
            raise SystemExit("%s: the picture has %d bits" % (name, len(self.bits)))

    def word(self, rng, fill):
        """Returns a word with the literal bits; the other bits are `fill` ('0', '1', or None:
        random)."""
        text = "".join(b if b in "01" else (fill or rng.choice("01")) for b in self.bits)
        return int(text, 2)

    def boundary(self, rng):
        for fill in ("0", "1", None, None):
            base = self.word(rng, fill)
            yield base
            for _, at, width in self.fields:
                low = len(self.bits) - at - width
                clear = base & ~(((1 << width) - 1) << low)
                for value in {0, 1, (1 << width) - 1, 1 << (width - 1)}:
                    yield clear | value << low
            for i, bit in enumerate(self.bits):
                if bit in "01":
                    yield base ^ (1 << (len(self.bits) - 1 - i))


def pictures(isa, folder):
    found = []
    for name in isa.files(folder):
        text = open(name).read()
        text = re.sub(r"//[^\n]*", "", text)
        for m in re.finditer(r"ac_(?:instr|format)\s+(\w+)\s*\"([^\"]+)\"", text):
            found.append(Picture(m.group(1), m.group(2)))
    if not found:
        raise SystemExit("no instruction found in %s" % folder)
    return found


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, **options)


def normal(isa, text):
    """Returns the text without comments, and whether a comment says UNPREDICTABLE."""
    unpredictable = "<UNPREDICTABLE>" in text
    undefined = re.search(r"^\s*\.(inst|word|short|[248]?byte)|<UNDEFINED>|^\s*undefined", text)
    text = re.sub(isa.COMMENT, "", text)
    text = isa.spelled(re.sub(r"\s+", " ", text).strip())
    return "undefined" if undefined or not text else text, unpredictable


def lay_out(isa, words):
    """Returns the words one after the other, and the offset of each."""
    image, places = bytearray(), []
    for word in words:
        places.append(len(image))
        image += isa.bytes_of(word)
    return bytes(image) + isa.PADDING, places


def objdump(isa, path):
    """Returns text by address."""
    out = run([isa.OBJDUMP, "-D", "-z", "-b", "binary", *isa.OBJDUMP_OPTIONS, path])
    if out.returncode:
        raise SystemExit(out.stderr.decode())
    texts = {}
    for line in out.stdout.decode().splitlines():
        m = re.match(r"\s*([0-9a-f]+):\t[0-9a-f ]+\t?(.*)", line)
        if m:
            texts[int(m.group(1), 16)] = normal(isa, m.group(2))
    return texts


def gencc(isa, command, path):
    out = run(command + [path])
    if out.returncode:
        raise SystemExit("%s failed: %s" % (" ".join(command), out.stderr.decode()))
    texts = {}
    for line in out.stdout.decode().splitlines():
        place, _, rest = line.partition(": ")
        texts[int(place, 16)] = normal(isa, rest.split(None, 1)[1] if " " in rest else "")[0]
    return texts


def assemble(isa, texts, folder):
    """Returns the bytes that as makes of each text with the description's extensions, or None if as
    refuses it."""
    source, target = os.path.join(folder, "a.s"), os.path.join(folder, "a.o")
    # An IT would make the next instructions conditional.
    refused = {i for i, text in enumerate(texts) if text == "undefined" or re.match(r"it[te]* ", text)}

    def attempt():
        with open(source, "w") as f:
            f.write(isa.PROLOGUE + "\n")
            for i, text in enumerate(texts):
                f.write((".4byte 0" if i in refused else text) + "; .balign 4\n")
        return run([isa.AS, *isa.AS_OPTIONS, "-o", target, source])

    for _ in range(3):
        out = attempt()
        for line in out.stderr.decode().splitlines():
            m = re.match(r"[^:]+:(\d+): Error", line)
            if m:
                refused.add(int(m.group(1)) - 2)
        if not out.returncode:
            break
    if out.returncode:
        raise SystemExit("as: " + out.stderr.decode())
    image = os.path.join(folder, "a.bin")
    run([isa.OBJCOPY, "-O", "binary", "-j", ".text", target, image])
    made = open(image, "rb").read()
    return [None if i in refused else made[4 * i:4 * i + 4] for i in range(len(texts))]


def is_listed(isa, word, ours, theirs, totals):
    for k, row in enumerate(isa.DIFFERENCES):
        if row.covers(word, theirs, ours):
            totals[k] = totals.get(k, 0) + 1
            return True
    return False


def judge(isa, words, ours, theirs, folder, totals):
    """Returns the failures among the words: (word, ours, theirs)."""
    undecided = []
    for i, word in enumerate(words):
        their, unpredictable = theirs[i]
        if ours[i] == their:
            continue
        if ours[i] == "undefined" and unpredictable:
            totals["unpredictable"] = totals.get("unpredictable", 0) + 1
        elif not is_listed(isa, word, ours[i], their, totals):
            undecided.append((word, ours[i], their))
    if not undecided:
        return []
    made = assemble(isa, [u[1] for u in undecided] + [u[2] for u in undecided], folder)
    failures = []
    for n, (word, our, their) in enumerate(undecided):
        want = isa.bytes_of(word)
        our_word, their_word = made[n], made[len(undecided) + n]
        ours_made = our_word is not None and our_word[:len(want)] == want
        theirs_made = their_word is not None and their_word[:len(want)] == want
        if our == "undefined" and their != "undefined" and not theirs_made:
            kind = "later" if their_word is None else "other"
            totals[kind] = totals.get(kind, 0) + 1
        elif their != "undefined" and ours_made and not theirs_made:
            totals["generic"] = totals.get("generic", 0) + 1
        elif ours_made and isa.NAMELESS and re.match(isa.NAMELESS, our):
            totals["register"] = totals.get("register", 0) + 1
        else:
            failures.append((word, our, their))
    return failures


def draw(isa, folder, o, rng):
    words = [row.word for row in isa.DIFFERENCES]
    for picture in pictures(isa, folder):
        words += sorted(set(picture.boundary(rng)))
        words += [picture.word(rng, None) for _ in range(o.each)]
    words += [isa.random_word(rng) for _ in range(o.random)]
    words += list(filter(None, map(isa.read_register, isa.registers(folder))))
    return [w for word in words for w in isa.stream(word)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--isa", required=True, choices=sorted(isas.ISAS))
    parser.add_argument("--descriptions", required=True, help="folder of the .ac files")
    parser.add_argument("--random", type=int, default=100000, help="how many random words")
    parser.add_argument("--each", type=int, default=50, help="random words for each encoding")
    parser.add_argument("--seed", type=int, default=seed.default())
    parser.add_argument("--show", type=int, default=100, help="how many failures to print")
    parser.add_argument("command", nargs="+", help="disassembler, to which a file is appended")
    args = parser.parse_args()
    isa = isas.ISAS[args.isa]
    print("seed %d" % args.seed)
    words = draw(isa, args.descriptions, args, random.Random(args.seed))
    totals, failures, shown = {}, 0, {}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "words.bin")
        for start in range(0, len(words), CHUNK):
            chunk = words[start:start + CHUNK]
            image, places = lay_out(isa, chunk)
            with open(path, "wb") as f:
                f.write(image)
            theirs, ours = objdump(isa, path), gencc(isa, args.command, path)
            ours = [ours.get(at, "no line") for at in places]
            theirs = [theirs.get(at, ("no line", False)) for at in places]
            for word, our, their in judge(isa, chunk, ours, theirs, folder, totals):
                failures += 1
                kind = (our.split()[0] if our else "", their.split()[0])
                shown[kind] = shown.get(kind, 0) + 1
                if shown[kind] <= 3 and sum(min(v, 3) for v in shown.values()) <= args.show:
                    print("%08x  ours %-40s  binutils %s" % (word, our, their))
    print("%d words, %d failures" % (len(words), failures))
    print("%d are UNPREDICTABLE and undefined here; as agrees that %d are not what the description has, that %d "
          "have bits that should be others, that %d have our spelling only, and that in %d a system register without "
          "a description has the generic name"
          % tuple(totals.get(k, 0) for k in ("unpredictable", "later", "other", "generic", "register")))
    for k, row in enumerate(isa.DIFFERENCES):
        if k in totals:
            print("%d words: %s" % (totals[k], row.reason))
        else:
            print("%08x shows no difference any more, take it off the list: %s" % (row.word, row.reason))
            failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
