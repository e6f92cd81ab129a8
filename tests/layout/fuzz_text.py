#!/usr/bin/env python3
"""Descriptions with small random damage: gencc must end with status 0 or 1, and quickly.

    fuzz_text.py GENCC CASES SEED FILE…      FILE…: the first one is passed to gencc
"""
import pathlib
import random
import re
import subprocess
import sys
import tempfile

WORDS = ["0", "1", "7", "31", "32", "33", "64", "65", "4096", "4294967295", "0x1ffffffff", "-1", "if 4..5",
         "if 9", "must", "overlay", "log2", "+ 1", "<< 4", "= 3", "[3]", "[2 stride 8]", "@", ";", "{", "}",
         "(", ")", ":", "uint", "int", "bool", "float", "address", "padded", "inner", "everything", "colour",
         "enum", "layout", "registers", "const", "ac_versions", "AC_GPU(x) {", "ro", '"x"', "1.5"]


def damage(rng, text):
    tokens = re.findall(r"\s+|\w+|[^\w\s]", text)
    for _ in range(rng.choice((1, 1, 2, 3, 8))):
        at = rng.randrange(len(tokens))
        kind = rng.randrange(5)
        if kind == 0:
            tokens[at] = rng.choice(WORDS)
        elif kind == 1:
            del tokens[at]
        elif kind == 2:
            tokens.insert(at, f" {rng.choice(WORDS)} ")
        elif kind == 3:
            other = rng.randrange(len(tokens))
            tokens[at], tokens[other] = tokens[other], tokens[at]
        else:
            tokens[at] = tokens[rng.randrange(len(tokens))]
        if not tokens:
            return ""
    return "".join(tokens)


def main(gencc, cases, seed, *paths):
    rng = random.Random(int(seed))
    texts = {pathlib.Path(p).name: pathlib.Path(p).read_text() for p in paths}
    first = pathlib.Path(paths[0]).name
    accepted = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(int(cases)):
            victim = rng.choice(list(texts))
            for name, text in texts.items():
                broken = damage(rng, text) if name == victim else text
                (pathlib.Path(folder) / name).write_text(broken)
            done = subprocess.run([gencc, "layouts", first, "-o", "out"], cwd=folder,
                                  capture_output=True, text=True, timeout=20)
            if done.returncode not in (0, 1) or (done.returncode == 1) == (not done.stderr):
                print(f"case {number}: status {done.returncode}\n{done.stderr[-3000:]}")
                print((pathlib.Path(folder) / victim).read_text())
                return 1
            accepted += done.returncode == 0
    print(f"{cases} descriptions, {accepted} accepted")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
