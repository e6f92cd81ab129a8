#!/usr/bin/env python3
"""Compares gencc's A64 disassembler with binutils, text by text.

Words: every encoding of the description at its boundaries (each field at 0, 1, all ones and top bit
only, the others at both extremes or random; each literal bit flipped), random words of every
encoding, and random words.

A word passes when
  - both texts are equal, comments and white space aside, or
  - we say undefined and GNU as, restricted to Armv8.0 with CRC32 and the crypto extension, refuses
    what objdump prints: a later extension; or
  - both have a text, and as makes the word from ours but not from objdump's: the name of something
    later than Armv8.0 which has a generic spelling, or an operand that objdump leaves out; or
  - as makes the word from ours, which names a system register the description does not have.
Everything else is listed in DIFFERENCES with its reason, or is a failure; and a difference of the
list that a word of its own does not show any more is a failure of the list.
"""
import argparse
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

OBJDUMP = "aarch64-linux-gnu-objdump"
AS = "aarch64-linux-gnu-as"
OBJCOPY = "aarch64-linux-gnu-objcopy"
MARCH = "-march=armv8-a+crc+crypto"
CHUNK = 200000

# (regex on objdump's text, regex on ours, reason, a word that shows it)
DIFFERENCES = [
    (r"m(sr s0_\d_c\d+_c\d+_\d, x(\d+|zr)|rs x(\d+|zr), s0_\d_c\d+_c\d+_\d)$", r"undefined$",
     "op0 = 0 holds hints, barriers and PSTATE fields; what is not one of them is unallocated", 0xd5000000),
    (r"msr s0_0_c4_c\d+_5, xzr$", r"msr spsel, #0x[2-9a-f]$",
     "MSR SPSel uses bit 0 of its immediate; binutils knows it with 0 and 1 only", 0xd50042bf),
    (r"sha512", r"undefined$",
     "SHA-512 came with Armv8.2; GNU as takes it for a part of +sha2", 0xce608000),
    (r"(tlbi (rpal?os|paall(os)?)|dc ci(gd)?papa)\b", r"sys #6, ",
     "the Realm Management Extension came with Armv9.2; GNU as takes its operations at any level", 0xd50e84e0),
    (r"undefined$", r"ldar[bh]? ",
     "Rs and Rt2 should be 31: UNPREDICTABLE, and ignored as in the other ordered accesses", 0x08c0fc00),
    (r"undefined$", r"ldpsw (x\d+|xzr), \1,",
     "equal destinations are UNPREDICTABLE: LDPSW is executed as LDP is", 0x69400020),
    (r"undefined$", r"ldpsw (?:(x\d+), x\w+|x\w+, (x\d+)), \[(\1|\2)(\]|, #-?\d+\]!)",
     "a base among the destinations is UNPREDICTABLE: LDPSW is executed as LDP is", 0x68c00821),
]


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
        if len(self.bits) != 32:
            raise SystemExit("%s: the picture has %d bits" % (name, len(self.bits)))

    def word(self, rng, fill):
        """Literals as they are; the rest from `fill` ('0', '1' or None: random)."""
        text = "".join(b if b in "01" else (fill or rng.choice("01")) for b in self.bits)
        return int(text, 2)

    def boundary(self, rng):
        for fill in ("0", "1", None, None):
            base = self.word(rng, fill)
            yield base
            for _, at, width in self.fields:
                low = 32 - at - width
                clear = base & ~(((1 << width) - 1) << low)
                for value in {0, 1, (1 << width) - 1, 1 << (width - 1)}:
                    yield clear | value << low
            for i, bit in enumerate(self.bits):
                if bit in "01":
                    yield base ^ (1 << (31 - i))


def pictures(folder):
    found = []
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".ac"):
            continue
        text = open(os.path.join(folder, name)).read()
        text = re.sub(r"//[^\n]*", "", text)
        for m in re.finditer(r"ac_(?:instr|format)\s+(\w+)\s*\"([^\"]+)\"", text):
            found.append(Picture(m.group(1), m.group(2)))
    if not found:
        raise SystemExit("no instruction found in %s" % folder)
    return found


def normal(text):
    text = re.sub(r"\s*//.*", "", text)
    text = re.sub(r"\s+", " ", text).strip()
    return "undefined" if text.startswith(".inst") or text == "undefined" else text


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


def write_words(path, words):
    with open(path, "wb") as f:
        f.write(struct.pack("<%dI" % len(words), *words))


def objdump(path):
    out = run([OBJDUMP, "-D", "-z", "-b", "binary", "-m", "aarch64", path])
    if out.returncode:
        raise SystemExit(out.stderr.decode())
    texts = []
    for line in out.stdout.decode().splitlines():
        m = re.match(r"\s*[0-9a-f]+:\t[0-9a-f]{8} \t(.*)", line)
        if m:
            texts.append(normal(m.group(1)))
    return texts


def gencc(command, path):
    out = run(command + [path])
    if out.returncode:
        raise SystemExit("%s failed: %s" % (" ".join(command), out.stderr.decode()))
    return [normal(line.split(None, 2)[2] if len(line.split(None, 2)) > 2 else "")
            for line in out.stdout.decode().splitlines()]


def assemble(texts, folder):
    """The word as makes of each text for Armv8.0, or None when it refuses it."""
    source, target = os.path.join(folder, "a.s"), os.path.join(folder, "a.o")
    refused = set()

    def attempt():
        with open(source, "w") as f:
            for i, text in enumerate(texts):
                f.write((".inst 0" if i in refused or text == "undefined" else text) + "\n")
        return run([AS, MARCH, "-o", target, source])

    out = attempt()
    for line in out.stderr.decode().splitlines():
        m = re.match(r"[^:]+:(\d+): Error", line)
        if m:
            refused.add(int(m.group(1)) - 1)
    if refused:
        out = attempt()
    if out.returncode:
        raise SystemExit("as: " + out.stderr.decode())
    image = os.path.join(folder, "a.bin")
    run([OBJCOPY, "-O", "binary", "-j", ".text", target, image], check=True)
    words = struct.unpack("<%dI" % len(texts), open(image, "rb").read()[:4 * len(texts)])
    return [None if i in refused or texts[i] == "undefined" else w for i, w in enumerate(words)]


def judge(words, ours, theirs, folder, totals):
    """Returns the failures among the words: (word, ours, theirs)."""
    differing = [i for i in range(len(words)) if ours[i] != theirs[i]]
    listed, open_ = [], []
    for i in differing:
        for k, (their, our, *_) in enumerate(DIFFERENCES):
            if re.match(their, theirs[i]) and re.match(our, ours[i]):
                totals[k] = totals.get(k, 0) + 1
                listed.append(i)
                break
        else:
            open_.append(i)
    if not open_:
        return []
    made = assemble([ours[i] for i in open_] + [theirs[i] for i in open_], folder)
    failures = []
    for n, i in enumerate(open_):
        our_word, their_word = made[n], made[len(open_) + n]
        if ours[i] == "undefined" and theirs[i] != "undefined" and their_word is None:
            totals["later"] = totals.get("later", 0) + 1
        elif theirs[i] != "undefined" and our_word == words[i] and their_word != words[i]:
            totals["generic"] = totals.get("generic", 0) + 1
        elif our_word == words[i] and re.match(r"m(sr|rs x\w+,) s[23]_\d_c\d+_c\d+_\d", ours[i]):
            totals["register"] = totals.get("register", 0) + 1
        else:
            failures.append((words[i], ours[i], theirs[i]))
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--descriptions", required=True, help="folder of the .ac files")
    parser.add_argument("--random", type=int, default=100000, help="how many random words")
    parser.add_argument("--each", type=int, default=50, help="random words for each encoding")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--show", type=int, default=100, help="how many failures to print")
    parser.add_argument("command", nargs="+", help="disassembler, to which a file is appended")
    args = parser.parse_args()
    print("seed %d" % args.seed)
    rng = random.Random(args.seed)
    words = [word for *_, word in DIFFERENCES]
    for picture in pictures(args.descriptions):
        words += sorted(set(picture.boundary(rng)))
        words += [picture.word(rng, None) for _ in range(args.each)]
    words += [rng.getrandbits(32) for _ in range(args.random)]

    totals, failures, shown = {}, 0, {}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "words.bin")
        for start in range(0, len(words), CHUNK):
            chunk = words[start:start + CHUNK]
            write_words(path, chunk)
            theirs, ours = objdump(path), gencc(args.command, path)
            if not len(theirs) == len(ours) == len(chunk):
                raise SystemExit("%d words, objdump gave %d lines and gencc %d"
                                 % (len(chunk), len(theirs), len(ours)))
            for word, our, their in judge(chunk, ours, theirs, folder, totals):
                failures += 1
                kind = (our.split()[0] if our else "", their.split()[0])
                shown[kind] = shown.get(kind, 0) + 1
                if shown[kind] <= 3 and sum(min(v, 3) for v in shown.values()) <= args.show:
                    print("%08x  ours %-40s  binutils %s" % (word, our, their))
    print("%d words, %d failures" % (len(words), failures))
    print("as agrees that %d are later than Armv8.0, that %d have our spelling only, and that in %d "
          "a system register without a description has the generic name"
          % tuple(totals.get(k, 0) for k in ("later", "generic", "register")))
    for k, (_, _, reason, word) in enumerate(DIFFERENCES):
        if k in totals:
            print("%d words: %s" % (totals[k], reason))
        else:
            print("%08x shows no difference any more, take it off the list: %s" % (word, reason))
            failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
