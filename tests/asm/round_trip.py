#!/usr/bin/env python3
"""Assembles what Mesa's disassembler said of shaders, and disassembles the result.

Mesa reads some numbers from behind the constants of a Midgard bundle: with --mali-run they are those that mali-run's
disassembler has there, 0. The text must come out again, but for the numbers of the labels: a clause may take more or fewer quadwords than the
one that Mesa made. Bytes are compared with the memory that the shader was in: what the text does not say
may differ (how a register is found, where a constant stands), and is counted.
"""
import argparse
import concurrent.futures
import glob
import os
import re
import subprocess
import sys
import tempfile

COMMENT = re.compile(r"^;.*\n", re.MULTILINE)
LABEL = re.compile(r"^(\w+_\d+):\n", re.MULTILINE)
NUMBER = re.compile(r"#(0x[0-9A-F]+|\d+)$")
OF_MALI_RUN = re.compile(r"word_\d+:|shader at ")


def plain(text):
    """Returns the words of the text; bundles are named by their number instead of their position.
    """
    ordinals = {name: f"bundle {i}" for i, name in enumerate(LABEL.findall(text))}
    words = LABEL.sub("", COMMENT.sub("", text)).split()
    return " ".join(ordinals.get(word, word) for word in words)


def without_numbers_from_nowhere(mali_run, snapshot, text):
    """Returns the text with 0 in lines that differ from mali-run's only by a number that is 0
    there."""
    done = subprocess.run([mali_run, snapshot, "-disasm"], capture_output=True, timeout=600, check=False)
    ours = [line for line in done.stdout.decode().rstrip("\n").split("\n") if not OF_MALI_RUN.match(line)]
    mesas = COMMENT.sub("", text).rstrip("\n").split("\n")
    lines = [our if re.search(r"#0(x0)?$", our) and NUMBER.sub("", our) == NUMBER.sub("", mesa) else mesa
             for our, mesa in zip(ours, mesas)]
    return "\n".join(lines) + "\n" if len(ours) == len(mesas) else text


def shaders(options):
    """Returns a name and a source for each different text."""
    seen, chosen = set(), []
    for path in sorted(glob.glob(os.path.join(options.snapshots, "disasm", "*.disasm.txt"))):
        name = os.path.basename(path).replace(".disasm.txt", "")
        if not re.search(rf"^({options.names})\.({options.gpus})$", name):
            continue
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if plain(text) in seen:
            continue
        seen.add(plain(text))
        if options.mali_run:
            mesas, snapshot = text, os.path.join(options.snapshots, "cases", f"{name}.snap.elf")
            text = without_numbers_from_nowhere(options.mali_run, snapshot, mesas)
            if plain(text) != plain(mesas) and plain(text) in seen:
                continue
            seen.add(plain(text))
        chosen.append((name, text))
    return chosen


def round_trip(options, name, text):
    isa = ["--arch", options.arch, "--isa", options.isa]
    try:
        made = subprocess.run([options.gencc, "asm", *isa, "-"], input=text.encode(), capture_output=True,
                              timeout=options.timeout, check=False)
    except subprocess.TimeoutExpired:
        return name, f"not assembled in {options.timeout} s", False
    if made.returncode:
        return name, made.stderr.decode().split("\n")[0], False
    with tempfile.NamedTemporaryFile() as file:
        file.write(made.stdout)
        file.flush()
        again = subprocess.run([options.gencc, "disasm", *isa, file.name], capture_output=True, timeout=600,
                               check=False)
    if plain(again.stdout.decode()) != plain(text):
        return name, "reads differently", False
    with open(os.path.join(options.snapshots, "cases", f"{name}.snap.elf"), "rb") as file:
        return name, None, made.stdout in file.read()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gencc", required=True)
    parser.add_argument("--arch", required=True)
    parser.add_argument("--isa", required=True)
    parser.add_argument("--snapshots", required=True, help="folder with cases/ and disasm/")
    parser.add_argument("--names", default=".*", help="regular expression")
    parser.add_argument("--gpus", default=".*", help="regular expression")
    parser.add_argument("--mali-run", help="whose disassembler says 0 where Mesa's has numbers from nowhere")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--timeout", type=int, default=600, help="seconds a shader")
    options = parser.parse_args()
    same, bytes_same, problems = 0, 0, []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for name, problem, identical in pool.map(
                lambda shader: round_trip(options, *shader),
                shaders(options)):
            if problem:
                problems.append(f"{name}: {problem}")
            same += not problem
            bytes_same += identical
    print(f"{same} shaders come out as they read, {bytes_same} of them to the byte")
    for problem in problems:
        print(problem)
    return 1 if problems or not same else 0


if __name__ == "__main__":
    sys.exit(main())
