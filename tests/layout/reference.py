#!/usr/bin/env python3
"""Compares the unpacker and the packer that gencc generates from toy.ac with fields computed here,
on random bytes:

    reference.py TOY_TOOL CASES

The positions below were derived by hand from toy.ac; each is a bit of the descriptor read as one
large little-endian number."""
import random
import subprocess
import sys

BYTES = {1: 64, 2: 64, 3: 96, 9: 0, 40: 0}
# Bits of the fields without overlays, as (start, width): in all versions, in 1 and 2, in 3.
PLACES = ([(0, 95), (95, 1), (96, 32), (134, 50), (184, 8), (204, 40), (296, 4), (300, 36), (352, 16),
           (400, 16), (416, 16), (448, 64)], [(244, 37), (288, 8)], [(643, 8), (432, 16), (704, 64), (512, 64)])
COLOURS = {1: {1, 2, 5}, 2: {1, 2, 6}, 3: {1, 2, 5}}


def bits(word, start, width):
    return word >> start & (1 << width) - 1


def signed(word, start, width):
    value = bits(word, start, width)
    return value - (1 << width) if value >> width - 1 else value


def as_int64(value):
    return value - (1 << 64) if value >> 63 else value


def inner(word, start):
    return f"{bits(word, start, 4)},{bits(word, start + 4, 28)},{bits(word, start + 32, 32)}"


def expected(version, word):
    """Returns the members as the tool prints them, and the first bad field."""
    old, new = version in (1, 2), version == 3
    odd = bits(word, 184, 8)
    fields = [
        ("bits", bits(word, 0, 5)),
        ("sign", signed(word, 5, 7)),
        ("flag", bits(word, 12, 1)),
        ("colour", bits(word, 13, 3)),
        ("minus", bits(word, 16, 16) + 1),
        ("int", bits(word, 32, 32) + 1),
        ("shifted", bits(word, 64, 20) << 4),
        ("power", 1 << bits(word, 84, 5)),
        ("large", as_int64(1 << bits(word, 89, 6))),
        ("real", bits(word, 96, 32)),
        ("where", bits(word, 134, 50) << 6),
        ("odd", as_int64((2 * (odd >> 5) + 1) << (odd & 31))),
        ("across", bits(word, 204, 40)),
        ("signed_across", signed(word, 244, 37) if old else 0),
        ("moved", bits(word, 288, 8) if old else bits(word, 643, 8) if new else 0),
        ("fixed", bits(word, 296, 4)),
        ("list", bits(word, 300, 12)), ("list", bits(word, 312, 12)), ("list", bits(word, 324, 12)),
        ("spaced", bits(word, 352, 16)), ("spaced", bits(word, 400, 16)),
        ("byte_low", bits(word, 416, 3)), ("byte_high", signed(word, 419, 5)),
        ("byte_low", bits(word, 424, 3)), ("byte_high", signed(word, 427, 5)),
        ("lonely", bits(word, 432, 16) if new else 0),
        ("inner", inner(word, 448)),
        ("over", bits(word, 448, 3)),
        ("boxed", inner(word, 0)),
        ("wide", as_int64(bits(word, 704, 64)) if new else 0),
        ("minus_s", signed(word, 512, 64) if new else 0),
    ]
    bad = "-"
    if bits(word, 13, 3) not in COLOURS[version]:
        bad = "colour"
    elif bits(word, 95, 1):
        bad = "zero"
    elif bits(word, 296, 4) != 9:
        bad = "fixed"
    elif bits(word, 448, 4) not in COLOURS[version]:
        bad = "colour"
    elif new and signed(word, 512, 64) != -2:
        bad = "minus_s"
    return f"{bad} " + " ".join(f"{name}={value}" for name, value in fields)


def sample(rng, version):
    """Returns random bytes; in half of them the fields that can be bad are valid."""
    word = rng.getrandbits(8 * BYTES[version])

    def put(start, width, value):
        nonlocal word
        word = word & ~((1 << width) - 1 << start) | (value & (1 << width) - 1) << start

    if rng.random() < 0.8:
        put(13, 3, rng.choice(sorted(COLOURS[version])))
        put(95, 1, 0)
        put(296, 4, 9)
        put(448, 4, rng.choice(sorted(COLOURS[version])))
    if rng.random() < 0.7 and version == 3:
        put(512, 64, -2)
    return word


def packed(version, word):
    """Returns the packed bits of valid members; bits between them are 0."""
    places = PLACES[0] + PLACES[2 if version == 3 else 1]
    mask = sum((1 << width) - 1 << start for start, width in places)
    return (word & mask).to_bytes(BYTES[version], "little").hex()


def usual(version):
    """Returns packings: colour 0 is invalid; other colours have the values after '=' in toy.ac;
    then members that do not fit."""
    word = 1 << 13 | 9 << 296 | 1 << 448
    if version == 3:
        word |= (1 << 64) - 2 << 512
    return ["colour", word.to_bytes(BYTES[version], "little").hex(), "bits", "shifted", "sign"]


def main(tool, cases):
    rng = random.Random(11)
    words = [(v, sample(rng, v)) for _ in range(int(cases)) for v in (1, 2, 3)]
    text = "".join(f"{v} {w.to_bytes(BYTES[v], 'little').hex()}\n" for v, w in words)
    got = subprocess.run([tool], input=text, capture_output=True, text=True, check=True)
    wrong = [(v, w, want, line) for (v, w), line in zip(words, got.stdout.splitlines(), strict=True)
             if (want := expected(v, w)) != line]
    for v, w, want, line in wrong[:5]:
        print(f"version {v}, {w:x}:\n- {want}\n+ {line}")
    got = subprocess.run([tool, "pack"], input=text, capture_output=True, text=True, check=True).stdout
    for (v, w), line in zip(words, got.splitlines()[1::2], strict=True):
        bad = expected(v, w).split()[0]
        # Reserved bits are not a member, and nested descriptors come first.
        if bad != "zero" and (line != packed(v, w) if bad == "-" else len(line) > 8):
            wrong.append(line)
            print(f"version {v}, {w:x} packed:\n- {packed(v, w)}\n+ {line}")
    for v in (1, 2, 3):
        got = subprocess.run([tool, "usual"], input=f"{v} {bytes(BYTES[v]).hex()}\n", capture_output=True,
                             text=True, check=True).stdout.splitlines()[1:]
        if got != usual(v):
            wrong.append(got)
            print(f"version {v}, usual:\n- {usual(v)}\n+ {got}")
    for version in (0, 9, 32, 40):
        got = subprocess.run([tool], input=f"{version} \n", capture_output=True, text=True, check=True)
        if not got.stdout.startswith("version bits=0 "):
            wrong.append(got.stdout)
            print(f"version {version}: {got.stdout}")
    print(f"{len(words)} descriptors, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
