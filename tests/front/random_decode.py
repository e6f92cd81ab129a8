#!/usr/bin/env python3
"""Random instruction sets of 8-bit words, checked word by word against sets of words:

    random_decode.py FRONT_TOOL [ROUNDS]

Each encoding is a picture of some fixed bits, some with an excluded value. Overlaps, unreachable
encodings and the meaning of each word are computed here from the sets alone."""
import pathlib
import random
import subprocess
import sys
import tempfile

ARCH = (pathlib.Path(__file__).parent / "defaults" / "arch.ac").read_text()
WORDS = range(256)


class Encoding:
    def __init__(self, name, rng):
        self.name = name
        self.mask = 0
        for bit in range(8):
            if rng.random() < rng.choice((0.3, 0.6)):
                self.mask |= 1 << bit
        self.value = rng.randrange(256) & self.mask
        self.excluded = None
        low = self.mask & 3
        if low == 0 and rng.random() < 0.3:
            self.excluded = rng.randrange(4)
        self.words = {w for w in WORDS if w & self.mask == self.value and w & 3 != self.excluded}

    def picture(self):
        bits = "".join(
            str(self.value >> b & 1) if self.mask >> b & 1 else "x" for b in range(7, -1, -1))
        return bits[:6] + (" low:2" if self.excluded is not None else bits[6:])

    def text(self):
        if self.excluded is None:
            return f'    ac_instr {self.name} "{self.picture()}" {{ behaviour all; }}\n'
        return (f'    ac_format F{self.name} "{self.picture()}" {{ }}\n'
                f'    ac_instr<F{self.name}> {self.name} {{ bits low != {self.excluded}; '
                "behaviour all; }\n")

    def special_of(self, other):
        """Whether it has all fixed bits of the other and more, or the same bits and one more
        exclusion."""
        if (self.value ^ other.value) & self.mask & other.mask:
            return False
        if self.mask != other.mask:
            return self.mask | other.mask == self.mask
        return self.excluded is not None and other.excluded is None


def expected(encodings):
    """Returns the pairs that collide, the unreachable names, and the name for each word."""
    pairs = set()
    for i, a in enumerate(encodings):
        for b in encodings[i + 1:]:
            if a.words & b.words and not a.special_of(b) and not b.special_of(a):
                pairs.add((b.name, a.name))
    hidden = set()
    for a in encodings:
        taken = set()
        for b in encodings:
            if b is not a and b.special_of(a) and b.excluded is None:
                taken |= b.words
        if taken and not {w for w in WORDS if w & a.mask == a.value} - taken:
            hidden.add(a.name)
    meaning = {}
    for word in WORDS:
        takers = [e for e in encodings if word in e.words]
        best = [e for e in takers if all(o is e or e.special_of(o) for o in takers)]
        meaning[word] = best[0].name if best else "none"
    return pairs, hidden, meaning


def run(tool, folder, encodings):
    (folder / "arch.ac").write_text(ARCH)
    (folder / "isa.ac").write_text(
        "AC_ISA(toy) {\n    ac_fetchsize 8;\n" + "".join(e.text() for e in encodings) +
        '    ISA_CTOR(toy) { ac_execute("isa.genc"); };\n};\n')
    (folder / "isa.genc").write_text("execute(all) { }\n")
    return subprocess.run(
        [tool, "decode", "arch.ac", "toy", "8"] + [f"{w:02x}" for w in WORDS], cwd=folder,
        capture_output=True, text=True, timeout=60)


def reported(stderr):
    pairs, hidden = set(), set()
    for line in stderr.splitlines():
        if " error: " not in line:
            continue
        names = line.split('"')[1::2]
        if "special cases" in line:
            hidden.add(names[0])
        else:
            pairs.add((names[0], names[1]))
    return pairs, hidden


def check(tool, folder, seed):
    rng = random.Random(seed)
    encodings = []
    for i in range(rng.randrange(4, 30)):
        e = Encoding(f"i{i}", rng)
        _, hidden, _ = expected(encodings + [e])
        collides = expected(encodings + [e])[0] or hidden
        if not collides or rng.random() < 0.02:
            encodings.append(e)
    pairs, hidden, meaning = expected(encodings)
    done = run(tool, folder, encodings)
    got_pairs, got_hidden = reported(done.stderr)
    # Only the first word of a reported pair is named, so sets are compared.
    if got_pairs != pairs or got_hidden != hidden:
        return f"expected {pairs} {hidden}, got {got_pairs} {got_hidden}"
    if pairs:
        return None
    for line in done.stdout.splitlines():
        word, names = line.split(": ")
        if names.split()[0] != meaning[int(word, 16)]:
            return f"word {word} is {names}, expected {meaning[int(word, 16)]}"
    return None if len(done.stdout.splitlines()) == 256 else "words are missing"


def main(tool, rounds):
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for seed in range(rounds):
            wrong = check(tool, folder, seed)
            if wrong:
                failed += 1
                print(f"seed {seed}: {wrong}")
                print((folder / "isa.ac").read_text())
                break
    print(f"{rounds} instruction sets, {failed} wrong")
    return failed


if __name__ == "__main__":
    TOOL = str(pathlib.Path(sys.argv[1]).resolve())
    sys.exit(1 if main(TOOL, int(sys.argv[2]) if len(sys.argv) > 2 else 100) else 0)
