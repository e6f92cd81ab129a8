#!/usr/bin/env python3
"""Damages the descriptions of this folder's tests at random and runs a tool on them, which must end
with status 0, with 1 for errors in them, or with 2 for missing files.

    fuzz.py TOOL COMMAND,… ROUNDS SEED FILE…
"""
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import run

PIECES = re.compile(r"\w+|\s+|[^\w\s]")
WORDS = ["0", "1", "0xffffffffffffffffffffffff", "{", "}", "(", ")", ";", '"', "%", ":", "x", "<",
         ">", "[", "]", "..", "typename", "const", "AC_ISA", "field", "where", "helper", "unsigned"]


def damage(text, rng):
    pieces = PIECES.findall(text)
    for _ in range(rng.choice((1, 1, 2, 5, 20))):
        if not pieces:
            return text
        i, j = rng.randrange(len(pieces)), rng.randrange(len(pieces))
        kind = rng.randrange(5)
        if kind == 0:
            del pieces[i]
        elif kind == 1:
            pieces[i] = rng.choice(WORDS)
        elif kind == 2:
            pieces[i], pieces[j] = pieces[j], pieces[i]
        elif kind == 3:
            pieces.insert(i, pieces[j])
        else:
            pieces[i:i] = pieces[min(i, j):min(max(i, j), min(i, j) + 40)]
    return "".join(pieces)


def main(tool, commands, rounds, seed, paths):
    rng = random.Random(seed)
    failed = 0
    for number in range(rounds):
        path = pathlib.Path(rng.choice(paths))
        _, files = run.read_test(path)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            run.write_files(folder, files)
            victim = rng.choice(sorted(folder.iterdir()))
            victim.write_text(damage(victim.read_text(), rng))
            try:
                done = run.run_tool(tool, folder, rng.choice(commands), "arch.ac")
                bad = done.returncode not in (0, 1, 2) or "ERROR: AddressSanitizer" in done.stderr
                what = f"status {done.returncode}: {done.stderr[-3000:]}"
            except subprocess.TimeoutExpired:
                bad, what = True, "no end within 60 s"
            if bad:
                failed += 1
                print(f"round {number}, {path.name}, {victim.name}: {what}")
                print(victim.read_text())
        if failed > 2:
            break
    print(f"{rounds} damaged descriptions, {failed} failures")
    return failed


if __name__ == "__main__":
    TOOL = str(pathlib.Path(sys.argv[1]).resolve())
    sys.exit(1 if main(TOOL, sys.argv[2].split(","), int(sys.argv[3]), int(sys.argv[4]), sys.argv[5:]) else 0)
