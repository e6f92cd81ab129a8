"""Checks the patterns that `gencc export decodetree` writes.

Reads the file, checks its structure, and decodes words of each form: one of the patterns that fit
must be the form's. With --script, QEMU's scripts/decodetree.py must accept the file as well.
"""

import argparse
import re
import subprocess
import sys
import tempfile


class Pattern:
    """A line of the file: name, fixed bits, fields."""

    def __init__(self, line, width, sets):
        self.name, *tokens = line.split()
        self.mask = self.value = at = 0
        self.fields = []
        for token in tokens:
            if re.fullmatch(r"[01-]+", token):
                for c in token:
                    self.mask = self.mask << 1 | (c != "-")
                    self.value = self.value << 1 | (c == "1")
                at += len(token)
            elif m := re.fullmatch(r"(\w+):(\d+)", token):
                self.fields.append(m.group(1))
                self.mask <<= int(m.group(2))
                self.value <<= int(m.group(2))
                at += int(m.group(2))
            elif token[0] == "&":
                self.arguments = sets[token[1:]]
            else:
                self.fields.append(token.split("=")[0])
        if at != width:
            raise ValueError(f"{line}: {at} bits")
        if sorted(self.fields) != sorted(self.arguments):
            raise ValueError(f"{line}: its set has {self.arguments}")


def read_patterns(text, width):
    sets, patterns, inside = {}, [], False
    for line in text.splitlines():
        if not line or line[0] == "#":
            continue
        if line[0] == "&":
            name, *fields = line[1:].split()
            sets[name] = fields
        elif line in ("{", "}"):
            inside = line == "{"
        elif inside:
            patterns.append(Pattern(line, width, sets))
        else:
            raise ValueError(f"outside the group: {line}")
    return patterns


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--gencc", required=True)
    p.add_argument("--cases", required=True, help="the program smt_cases")
    p.add_argument("--arch", required=True)
    p.add_argument("--isa", required=True)
    p.add_argument("--width", type=int, required=True)
    p.add_argument("--script", help="QEMU's scripts/decodetree.py")
    a = p.parse_args()

    done = subprocess.run([a.gencc, "export", "decodetree", "--isa", a.isa, "--width",
                           str(a.width), a.arch], text=True, capture_output=True, check=True)
    left_out = set(re.findall(r"^(\S+): left out", done.stderr, re.M))
    patterns = read_patterns(done.stdout, a.width)
    order = [bin(p.mask).count("1") for p in patterns]
    if order != sorted(order, reverse=True):
        print("the most special patterns are not the first")
        return 1
    output = subprocess.run([a.cases, "--arch", a.arch, "--isa", a.isa, "--count", "3"], text=True,
                            stdout=subprocess.PIPE, check=True).stdout
    words = re.findall(rf"^case (\S+) {a.width}\nword (\w+) ", output, re.M)
    wrong, seen = 0, set()
    for form, word in words:
        if form in left_out:
            continue
        seen.add(form)
        if not any(q.name == form and int(word, 16) & q.mask == q.value for q in patterns):
            print(f"{word}: no pattern of {form} fits")
            wrong += 1
    print(f"{len(patterns)} patterns, {len(words)} words of {len(seen)} forms, {wrong} wrong, "
          f"{len(left_out)} forms left out")
    if a.script:
        with tempfile.NamedTemporaryFile("w", suffix=".decode") as f:
            f.write(done.stdout)
            f.flush()
            subprocess.run([sys.executable, a.script, "-w", str(a.width), "-o", "/dev/null",
                            f.name], check=True)
            print("QEMU's script accepts the file")
    return 0 if seen and not wrong else 1


if __name__ == "__main__":
    sys.exit(main())
