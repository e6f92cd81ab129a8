#!/usr/bin/env python3
"""`gencc dump --stage free` against `--stage model`, for each description given:

    free.py GENCC [--seed N] FILE.ac…

The pictures of an ISA are disjoint, and their number of words is the stated count. Words drawn from
a picture match no pattern of the model. Words that match no pattern (random words, and words of
each pattern with one bit changed) match a picture."""
import os
import random
import re
import subprocess
import sys

RANDOM_WORDS = 1000
FROM_A_PICTURE = 2


def dump(gencc, stage, path):
    done = subprocess.run([gencc, "dump", "--stage", stage, path], capture_output=True, text=True,
                          timeout=120, check=True)
    return done.stdout.splitlines()


def picture(text):
    """Returns (mask, value) of a picture such as `01xx`."""
    return int(text.replace("0", "1").replace("x", "0"), 2), int(text.replace("x", "0"), 2)


def patterns(lines):
    """Returns {(ISA, width): [(picture, [excluded pictures])]}."""
    found, isa = {}, None
    for line in lines:
        if line.startswith("isa "):
            isa = line.split()[1]
        words = line.split()
        if line.startswith("    ") and words and re.fullmatch("[01x]+", words[0]) and \
                words[1::2] == ["not"] * len(words[1::2]):
            found.setdefault((isa, len(words[0])), []).append(
                (picture(words[0]), [picture(w) for w in words[2::2]]))
    return found


def free(lines):
    """Returns {(ISA, width): (count, total, [picture])}."""
    found, key = {}, None
    for line in lines:
        head = re.match(r"isa (\w+), words of (\d+) bits: (\d+) of (\d+) are free", line)
        if head:
            key = head[1], int(head[2])
            found[key] = int(head[3]), int(head[4]), []
        elif key and line.startswith("  "):
            found[key][2].append(picture(line.replace(" ", "")))
    return found


def fits(word, one):
    return word & one[0] == one[1]


def is_taken(word, pats):
    return any(fits(word, p) and not any(fits(word, n) for n in nots) for p, nots in pats)


def draw(rng, one, width):
    return one[1] | rng.getrandbits(width) & ~one[0] & ((1 << width) - 1)


def check(key, pats, said, rng):
    width, wrong = key[1], []
    count, total, pictures = said
    in_all = sum(1 << (width - bin(mask).count("1")) for mask, _ in pictures)
    if in_all != count:
        wrong.append(f"{in_all} words in pictures, {count} said")
    for one in rng.sample(pictures, min(len(pictures), 200)):
        word = one[1]
        if sum(fits(word, other) for other in pictures) != 1:
            wrong.append(f"{word:#x} is in several pictures")
        for _ in range(FROM_A_PICTURE):
            word = draw(rng, one, width)
            if is_taken(word, pats):
                wrong.append(f"{word:#x} is called free, and matches")
    words = [rng.getrandbits(width) for _ in range(RANDOM_WORDS)]
    words += [draw(rng, p, width) ^ 1 << rng.randrange(width) for p, _ in rng.sample(pats, min(len(pats), 500))]
    whole = total == 1 << width     # otherwise some words have another width, and are not drawn
    for word in words if whole else []:
        if not is_taken(word, pats) and not any(fits(word, one) for one in pictures):
            wrong.append(f"{word:#x} matches nothing, and is not called free")
    return wrong


def main(gencc, *rest):
    rest = list(rest)
    seed = int(os.environ.get("GENCC_SEED", random.randrange(1 << 32)))
    if rest[0] == "--seed":
        seed, rest = int(rest[1]), rest[2:]
    print(f"seed {seed}")
    rng, failed = random.Random(seed), 0
    for path in rest:
        pats, said = patterns(dump(gencc, "model", path)), free(dump(gencc, "free", path))
        if not said or set(pats) - set(said):
            print(f"{path}: no free words said of {sorted(set(pats) - set(said))}")
            failed += 1
        for key, one in said.items():
            wrong = check(key, pats.get(key, []), one, rng)
            failed += bool(wrong)
            print(f"{path}: {key[0]}, {key[1]} bits, {len(one[2])} pictures: {'failed' if wrong else 'good'}")
            print("".join(f"    {line}\n" for line in wrong[:10]), end="")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
