#!/usr/bin/env python3
"""Shaders with their bytes, as mali-run -disasm-bytes and gencc disasm --bytes print them, are assembled to these bytes.

Each shader of the snapshots comes out to the byte. When a line is changed, or a bundle is put in so that labels stand
elsewhere, the lines win: what is assembled reads as they do and runs, and bundles of which nothing changed keep their
bytes.
"""
import argparse
import concurrent.futures
import glob
import os
import re
import subprocess
import sys
import tempfile

import round_trip
import runs

SHADER = re.compile(r"^// shader at 0x([0-9a-f]+)$", re.MULTILINE)
HINT = re.compile(r"^//= ([0-9a-f]+)\n", re.MULTILINE)
LABEL = re.compile(r"^\w+_\d+:\n", re.MULTILINE)
UNIT = re.compile(r"^\w+: ", re.MULTILINE)
GRAIN = 16


class Gencc:
    def __init__(self, options):
        self.path, self.isa = options.gencc, ["--arch", options.arch, "--isa", options.isa]

    def asm(self, text, *more):
        return run([self.path, "asm", *self.isa, *more, "-"], text)

    def disasm(self, code):
        with tempfile.NamedTemporaryFile() as file:
            file.write(code)
            file.flush()
            return run([self.path, "disasm", "--bytes", *self.isa, file.name]).decode()


def run(words, text=""):
    done = subprocess.run(words, input=text.encode(), capture_output=True, timeout=120, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.decode())
    return done.stdout


def listing(options, name):
    """Returns {address: source} for the shaders of a snapshot."""
    case = os.path.join(options.snapshots, "cases", f"{name}.snap.elf")
    parts = SHADER.split(run([options.mali_run, case, "-disasm-bytes"]).decode())[1:]
    return {int(at, 16): source.lstrip("\n") for at, source in zip(parts[::2], parts[1::2])}


def sources(options):
    """Returns (snapshots with the same source, source as mali-run prints it, memory from the shader
    on)."""
    found = {}
    for path in sorted(glob.glob(os.path.join(options.snapshots, "cases", "*.snap.elf"))):
        name = os.path.basename(path).replace(".snap.elf", "")
        if not re.fullmatch(rf".*\.({options.gpus})", name):
            continue
        with open(path, "rb") as file:
            elf = file.read()
        for at, source in listing(options, name).items():
            header = next(h for h in runs.segments(elf) if h[0] == runs.LOAD and h[3] <= at < h[3] + h[6])
            found.setdefault(source, ([], elf[header[2] + at - header[3]:header[2] + header[5]]))[0].append(name)
    return [(names, source, memory) for source, (names, memory) in found.items()]


def problem_of(gencc, source, memory):
    """Returns what is wrong with a source, or None."""
    code = gencc.asm(source)
    if not code or memory[:len(code)] != code:
        return "other bytes"
    if gencc.disasm(code) != source:
        return "gencc disasm --bytes prints it otherwise"
    return None


# ---- what is changed ------------------------------------------------------------------------------------------------

def with_labels(source):
    """Returns the source with labels in place of distances."""
    places = [int(place) for place in runs.BUNDLE.findall(source)]
    ends = {place: place + len(code) // 2 // GRAIN for place, code in zip(places, HINT.findall(source))}
    at = None

    def label(found):
        target = ends[at] + int(found[1])
        return f"word_{target}" if target in places else found[0]
    lines = source.split("\n")
    for i, line in enumerate(lines):
        at = int(line[5:-1]) if runs.BUNDLE.match(line) else at
        lines[i] = runs.DISTANCE.sub(label, line)
    return "\n".join(lines)


class Changed:
    """A source with one line changed, or one bundle inserted."""
    def __init__(self, options, name, at):
        self.name, self.options = name, options
        source, = listing(options, name).values()
        self.source = with_labels(source)
        self.codes, self.at = HINT.findall(self.source), self.number(at)

    def number(self, label):
        return [found[0] for found in LABEL.finditer(self.source)].index(f"{label}:\n")

    def line(self, old, new):
        start = [found.start() for found in LABEL.finditer(self.source)][self.at]
        assert old in self.source[start:]
        self.source = self.source[:start] + self.source[start:].replace(old, new, 1)
        return self

    def put_before(self, text):
        start = [found.start() for found in LABEL.finditer(self.source)][self.at]
        self.source = self.source[:start] + text + "\n" + self.source[start:]
        self.codes.insert(self.at, "")
        return self

    def problem(self, gencc, others, runs_right):
        """`others`: labels of other bundles that must have changed as well, and how."""
        put_in = 0 if self.codes[self.at] else 1
        changed = {self.at: None}
        for label, how in others.items():
            number = self.number(label)
            changed[number + put_in if number >= self.at else number] = how
        made = gencc.asm(self.source, "--hex").decode().split()
        if len(made) != len(self.codes):
            return f"{len(made)} bundles, not {len(self.codes)}"
        for i, (new, old) in enumerate(zip(made, self.codes)):
            if (new != old) != (i in changed):
                return f"bundle {i} {'is not' if new != old else 'is'} what it was: {new}"
            if changed.get(i) is not None and re.sub(changed[i], "", new) != re.sub(changed[i], "", old):
                return f"bundle {i} is changed elsewhere: {new}"
        code = bytes.fromhex("".join(made))
        if round_trip.plain(HINT.sub("", with_labels(gencc.disasm(code)))) != plain_with(self.source):
            return "it reads otherwise"
        if not runs_right:
            return None
        olds = list(listing(self.options, self.name))
        return runs.problem_of_code(self.options, runs.read_wrong(self.options.wrong), self.name, olds, code)


def plain_with(source):
    """Returns the words of the source with bundles named by their numbers; an inserted bundle gets
    a label."""
    bundles = re.split(r"\n\n", UNIT.sub("", HINT.sub("", source)).strip("\n"))
    named = [bundle if LABEL.match(bundle) else f"new_{i}:\n{bundle}" for i, bundle in enumerate(bundles)]
    return round_trip.plain("\n\n".join(named) + "\n")


# In a hexadecimal header, the kind of the next bundle.
TAG = "^."
NOP_CLAUSE = "ds(0) nbb ncph\n{\n    *NOP t0\n    +NOP t1\n}\n"
NOP_WORD = "MOV.i32 R9.x, TMP0.x, R9.x\n"


def changes(options):
    """Returns (name, change, other bundles that must change, whether it must run as before)."""
    if options.isa == "bifrost":
        return [
            ("a line", Changed(options, "nestbrk.G52", "clause_23").line("r1:t0, #0", "r2:t0, #0"), {}, False),
            ("a header", Changed(options, "nestbrk.G52", "clause_23").line("ds(0)", "ds(1)"), {}, False),
            ("a branch", Changed(options, "nestbrk.G52", "clause_23").line("clause_113", "clause_117"), {}, False),
            ("a clause put in", Changed(options, "nestbrk.G52", "clause_25").put_before(NOP_CLAUSE),
             {"clause_20": None, "clause_23": None, "clause_110": None}, True),
        ]
    return [
        ("a line", Changed(options, "sgemm.T860", "word_16").line("R0.x, #1", "R0.x, #2"), {}, False),
        ("a branch", Changed(options, "sgemm.T860", "word_16").line("word_6", "word_8"), {}, False),
        ("a unit", Changed(options, "sgemm.T860", "word_8").line("MUL", "vmul: MUL"), {}, True),
        ("a word put in", Changed(options, "sgemm.T860", "word_9").put_before(NOP_WORD),
         {"word_7": None, "word_8": TAG, "word_16": None}, True),
        ("another kind put in", Changed(options, "nestbrk.T860", "word_11").put_before(NOP_WORD), {"word_8": TAG}, True),
    ]


def problem_of_again(options, gencc):
    """Returns whether a long text without byte notes assembles to the same bytes each time."""
    source, = listing(options, "transc.G52" if options.isa == "bifrost" else "transc.T860").values()
    made = {gencc.asm(HINT.sub("", source)) for _ in range(3)}
    return None if len(made) == 1 else "other bytes each time"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gencc", required=True)
    parser.add_argument("--mali-run", required=True)
    parser.add_argument("--arch", required=True)
    parser.add_argument("--isa", required=True)
    parser.add_argument("--snapshots", required=True, help="folder with cases/ and disasm/")
    parser.add_argument("--wrong", required=True, help="of kernels that were compiled wrongly, how many elements differ")
    parser.add_argument("--gpus", required=True, help="regular expression")
    parser.add_argument("--tagged", action="store_true", help="a pointer to a shader has the first word's tag")
    parser.add_argument("--only", choices=["exact", "changes"], help="a part of it")
    parser.set_defaults(keep=None)
    options = parser.parse_args()
    gencc, exact, changed, problems = Gencc(options), 0, 0, []
    chosen = [] if options.only == "changes" else sources(options)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for (names, _, _), problem in zip(chosen, pool.map(lambda one: problem_of(gencc, *one[1:]), chosen)):
            exact += 0 if problem else len(names)
            problems += [f"{' '.join(names)}: {problem}"] if problem else []
    for what, source, others, runs_right in [] if options.only == "exact" else changes(options):
        problem = source.problem(gencc, others, runs_right)
        changed += not problem
        problems += [f"{source.name}, {what}: {problem}"] if problem else []
    again = None if options.only == "exact" else problem_of_again(options, gencc)
    problems += [f"transc: {again}"] if again else []
    print(f"{exact} shaders to the byte, of {len(chosen)} different sources; {changed} changes")
    for problem in problems:
        print(problem)
    return 1 if problems or not exact + changed else 0


if __name__ == "__main__":
    sys.exit(main())
