"""Checks the SLEIGH specification that `gencc export sleigh` writes, without Ghidra.

The structure: each field lies in its token, lists that are attached have a text or register for each
value, patterns, displays and p-code name nothing that is not declared, labels are there once and
used. The words: for random words of each form, a constructor of the form fits, and the text of the
most special one is gencc's own, up to the base of numbers, which Ghidra always shows in hexadecimal.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from collections import Counter

WORDS = {"is", "if", "goto", "local", "export", "zext", "sext", "lzcount", "popcount", "register", "ram",
         "float2float", "int2float", "inst_start", "inst_next", "epsilon", "s", "f"}
ADDRESS = 0x10000


class Field:
    def __init__(self, name, token, low, high):
        self.name, self.token, self.low, self.high = name, token, low, high
        self.values = None

    def of(self, word):
        return word >> self.low & (1 << (self.high - self.low + 1)) - 1


class Number(int):
    """A signed number of 64 bits, as Ghidra computes with."""

    def __new__(cls, value):
        return super().__new__(cls, (int(value) + (1 << 63)) % (1 << 64) - (1 << 63))


for _name in ("add", "sub", "mul", "and", "or", "xor", "lshift", "rshift"):
    def _operation(self, other, name=f"__{_name}__"):
        return Number(getattr(int, name)(self, int(other)))
    setattr(Number, f"__{_name}__", _operation)
Number.__neg__ = lambda self: Number(-int(self))


class Constructor:
    """table: display is pattern [ actions ] { p-code }"""

    def __init__(self, spec, form, table, line, code):
        self.form, self.table, self.code = form, table, code
        m = re.fullmatch(r"((?:[^\"]|\"[^\"]*\")*?) is (.*?)(?: \[ (.*) \])? ", line + " ")
        display, self.pattern, actions = m.groups()
        self.display = re.findall(r'"[^"]*"|\w+|\^| ', display)
        self.actions = dict(a.strip().split(" = ", 1) for a in (actions or "").split(";") if a.strip())
        self.names = set(re.findall(r"\b[A-Za-z_]\w*", re.sub(r"0x[0-9a-f]+", "", self.pattern)))
        test = re.sub(r"(\w+)(!?=)(0x[0-9a-f]+|\w+)", lambda m: f"(v('{m[1]}') {'!=' if m[2] == '!=' else '=='} "
                      + (m[3] if m[3][0] == "0" else f"v('{m[3]}')") + ")", self.pattern)
        test = re.sub(r"(?<![\w'])([A-Za-z_]\w*)(?![\w'(])", "True", test)
        self.test = compile(test.replace("&", " and ").replace("|", " or "), self.pattern, "eval")
        sure = re.sub(r"\([^&]*\|[^&]*\)", "", self.pattern)  # without what has alternatives
        tests = re.findall(r"\b(\w+)=0x", sure)
        self.fixed = sum(spec.fields[n].high - spec.fields[n].low + 1 for n in tests if n in spec.fields)
        self.tokens = {spec.fields[n].token for n in self.names if n in spec.fields}
        self.order = self.pattern.count("=")
        self.mask = self.value = 0  # of what no alternative has
        plain = self.pattern
        while "(" in plain:
            plain = re.sub(r"\([^()]*\)", "", plain)
        for name, number in re.findall(r"\b(\w+)=(0x[0-9a-f]+)", plain):
            if f := spec.fields.get(name):
                self.mask |= (1 << f.high + 1) - (1 << f.low)
                self.value |= int(number, 16) << f.low


class Spec:
    def __init__(self, text):
        self.fields, self.registers, self.ops, self.tables = {}, set(), set(), {}
        self.roots, self.wrong = [], []
        token, form, lines = None, None, iter(text.splitlines())
        for line in lines:
            if m := re.match(r"define token (\w+) \((\d+)\)", line):
                token = int(m[2])
            elif m := re.match(r"    (\w+) = \((\d+),(\d+)\)$", line):
                self.declare(self.fields, m[1])
                self.fields[m[1]] = Field(m[1], token, int(m[2]), int(m[3]))
                if int(m[3]) >= token or int(m[2]) > int(m[3]):
                    self.wrong.append(f"{m[1]} is not within its token")
            elif m := re.match(r"define register offset=0x[0-9a-f]+ size=\d+ \[ (\w+) \];", line):
                self.declare(self.registers, m[1])
                self.registers.add(m[1])
            elif m := re.match(r"define pcodeop (\w+);", line):
                self.ops.add(m[1])
            elif m := re.match(r"attach (variables|names) \[ (\w+) \] \[ (.*) \]\s*;", line):
                self.attach(*m.groups())
            elif line.startswith("# form "):
                form = line[7:]
            elif m := re.match(r"(\w*): ?(.*)", line):
                self.add(form, m, lines)

    def declare(self, there, name):
        if name in self.fields or name in self.registers or name in self.ops:
            self.wrong.append(f"{name} is declared twice")

    def attach(self, kind, name, items):
        values = re.findall(r'"[^"]*"|\w+', items)
        field = self.fields[name]
        if len(values) != 1 << field.high - field.low + 1:
            self.wrong.append(f"{name} has {len(values)} values")
        if kind == "variables":
            self.wrong += [f"{name}: {v} is no register" for v in values if v not in self.registers]
        field.values = [v.strip('"') if v != "_" else None for v in values]

    def add(self, form, m, lines):
        line = m[2]
        head, brace, code = line.rpartition(" {")
        if m[1]:
            c = Constructor(self, None, m[1], head.rstrip(), [code.rstrip(" }")])
            self.tables.setdefault(m[1], []).append(c)
            return
        code = []
        for following in lines:
            if following == "}":
                break
            code.append(following.strip())
        self.roots.append(Constructor(self, form, "", head, code))


def check_names(spec, c):
    """What a constructor names and the file does not declare."""
    for name in c.names - {"epsilon"}:
        if name not in spec.fields and name not in spec.tables:
            yield f"{name} in the pattern of {c.form or c.table} is not declared"
    if len(c.tokens) > 1:
        yield f"the pattern of {c.form or c.table} mixes tokens"
    shown = [d for d in c.display if re.match(r"\w", d)]
    for name in shown:
        if name not in c.actions and name not in c.names:
            yield f"{name} in the display of {c.form or c.table} is not declared"
    for name, count in Counter(shown).items():
        if count > 1:
            yield f"{name} stands twice in the display of {c.form or c.table}"
    for name, text in c.actions.items():
        used = set(re.findall(r"[A-Za-z_]\w*", re.sub(r"0x[0-9a-f]+|\$\w+", "", text)))
        for other in used - c.names - {"inst_start"}:
            yield f"{other} in an action of {c.form or c.table} is not declared"
        if name not in shown:
            yield f"{name} of {c.form or c.table} is computed and not shown"


def cubes(spec, pattern):
    """The alternatives of a pattern, as sets of fixed bits; what must not be is kept as text."""
    found = {(0, 0, frozenset())}
    for part in re.split(r" & (?![^()]*(?:\([^()]*\)[^()]*)*\))", pattern):
        choices = [re.findall(r"(\w+)(!?=)(0x[0-9a-f]+)", c) for c in part.split(" | ")]
        together = set()
        for mask, value, not_these in found:
            for choice in choices:
                m, v, nots, possible = mask, value, not_these, True
                for name, sign, number in choice:
                    f = spec.fields[name]
                    bits, wanted = (1 << f.high + 1) - (1 << f.low), int(number, 16) << f.low
                    if sign == "=":
                        possible &= not (v ^ wanted) & m & bits
                        m, v = m | bits, v | wanted
                    else:
                        nots = nots | {(name, number)}
                if possible:
                    together.add((m, v, nots))
        found = together
    return found


def check_table(spec, constructors):
    """Constructors between which Ghidra's compiler cannot choose."""
    known = {}
    for c in constructors:
        for cube in cubes(spec, c.pattern):
            other = known.setdefault((*c.tokens, *cube), c)
            if other is not c:
                yield f"{c.table or c.form}: two constructors are {c.pattern[:100]}"
                break


def check_code(spec, c):
    """Variables, labels and operations of p-code."""
    text = "\n".join(c.code)
    placed = Counter(re.findall(r"^<(_l\d+)>$", text, re.M))
    wanted = set(re.findall(r"goto <(_l\d+)>;", text))
    if any(n > 1 for n in placed.values()) or set(placed) != wanted:
        yield f"labels of {c.form or c.table}"
    known = set(c.names) | spec.registers | spec.ops | WORDS | set(c.actions)
    for line in c.code:
        local = re.match(r"local (\w+):\d+ = (.*)", line)
        body = re.sub(r"0x[0-9a-f]+|<_l\d+>", "", local[2] if local else line)
        for name in re.findall(r"[A-Za-z_]\w*", body):
            if name not in known:
                yield f"{name} in the p-code of {c.form or c.table} is not declared"
        if local:
            known.add(local[1])


class Words:
    """Decodes words by the specification."""

    def __init__(self, spec):
        self.spec = spec

    def fits(self, c, word):
        values = self.spec.fields
        if word & c.mask != c.value:
            return False
        if not eval(c.test, {"v": lambda n: values[n].of(word)}):  # pylint: disable=eval-used
            return False
        for n in c.names:
            f = values.get(n)
            if f and f.values and f.values[f.of(word)] is None:
                return False
            if n in self.spec.tables and not self.best(self.spec.tables[n], word):
                return False
        return True

    def best(self, constructors, word):
        """The most special of those that fit; the first of equal ones."""
        found = [c for c in constructors if self.fits(c, word)]
        return max(found, key=lambda c: (c.fixed, c.order), default=None)

    def text(self, c, word, pc):
        parts = []
        values = {n: Number(self.spec.fields[n].of(word)) for n in c.names if n in self.spec.fields}
        for item in c.display:
            f = self.spec.fields.get(item)
            if item[0] == '"':
                parts.append(item[1:-1])
            elif item == " ":
                parts.append(item)
            elif item in c.actions:
                action = c.actions[item].replace("$and", "&").replace("$or", "|").replace("$xor", "^")
                action = re.sub(r"(?<!\w)(0x[0-9a-f]+|\d+)", r"Number(\1)", action)
                number = eval(action, {"Number": Number, "inst_start": Number(pc), **values})  # pylint: disable=eval-used
                parts.append(f"{'-' if number < 0 else ''}0x{abs(int(number)):x}")
            elif f:
                parts.append(f.values[f.of(word)] if f.values else hex(f.of(word)))
            elif item in self.spec.tables:
                parts.append(self.text(self.best(self.spec.tables[item], word), word, pc))
        return "".join(parts)


def same(text):
    """The text with numbers in one form."""
    def number(m):
        return str(int(m[0], 16 if "x" in m[0] else 10) % (1 << 64))
    text = re.sub(r"\bC(0x[0-9a-f]+)", lambda m: f"C{int(m[1], 16)}", text)  # registers C0 to C15 of A64
    return re.sub(r"(?<![\w.])-?(0x[0-9a-f]+|\d+)(?![\w.])", number, re.sub(r"\s+", " ", text).strip())


def disassemble(a, text, asked):
    """gencc's own texts of the words, one behind the other."""
    order = "big" if "define endian=big" in text else "little"
    code = b"".join(word.to_bytes(width // 8, order) for width, word, _ in asked)
    with tempfile.NamedTemporaryFile() as f:
        f.write(code)
        f.flush()
        lines = subprocess.run([a.gencc, "disasm", "--isa", a.isa, "--arch", a.arch, "--address", hex(ADDRESS),
                                f.name], text=True, capture_output=True, check=True).stdout.splitlines()
    return [line.split("  ", 1)[1] for line in lines]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--gencc", required=True)
    p.add_argument("--cases", required=True, help="the program smt_cases")
    p.add_argument("--arch", required=True)
    p.add_argument("--isa", required=True)
    p.add_argument("--opaque", type=int, default=0, help="forms that may have no p-code")
    p.add_argument("--texts", type=float, default=1, help="the part of texts that must be whole")
    p.add_argument("--count", default="2", help="words per form")
    p.add_argument("--every", default="1", help="of so many forms one is exported")
    a = p.parse_args()

    output = subprocess.run([a.cases, "--arch", a.arch, "--isa", a.isa, "--count", a.count, "--every", a.every],
                            text=True, stdout=subprocess.PIPE, check=True).stdout
    seen = re.findall(r"^case (\S+) (\d+)\nword (\w+) (\w+)((?:\n(?!case).*)*)", output, re.M)
    names = [] if a.every == "1" else sorted({s[0] for s in seen})
    done = subprocess.run([a.gencc, "export", "sleigh", "--isa", a.isa, a.arch, *names], text=True,
                          capture_output=True, check=True)
    opaque = len(re.findall(r": opaque: ", done.stderr))
    spec = Spec(done.stdout)
    wrong = spec.wrong
    for c in [*spec.roots, *(c for t in spec.tables.values() for c in t)]:
        wrong += check_names(spec, c)
        wrong += check_code(spec, c)
    for table in (spec.roots, *spec.tables.values()):
        wrong += check_table(spec, table)
    words, equal, at = Words(spec), 0, ADDRESS
    forms = {c.form for c in spec.roots}
    asked = []
    for form, width, word, _, rest in seen:
        if "illegal" in rest or "broke" in rest:
            continue
        if form not in forms: # a form of another decode context stands with the first
            form = re.sub(r"_\d+$", "_0", form)
        word, width = int(word, 16), int(width)
        fitting = [c for c in spec.roots if width in c.tokens and words.fits(c, word)]
        best = max(fitting, key=lambda c: (c.fixed, c.order), default=None)
        if not best or best.form != form:
            wrong.append(f"{word:#x} is {form}, not {best and best.form}")
        else:
            asked.append((width, word, words.text(best, word, at)))
            at += width // 8
    total, partial = len(asked), []
    for (width, word, text), shown in zip(asked, disassemble(a, done.stdout, asked)):
        if same(text) == same(shown):
            equal += 1
        elif "?" in text or text.strip() in forms:  # shown in part
            partial.append(f"{word:0{width // 4}x}: {text.strip()!r}, not {shown!r}")
        else:
            wrong.append(f"{word:0{width // 4}x}: {text.strip()!r}, not {shown!r}")
    if equal < a.texts * total:
        print("\n".join(partial[:20]))
    for line in wrong[:20]:
        print(line)
    print(f"{len(spec.roots)} constructors, {len(asked)} words of {len({s[0] for s in seen})} forms, "
          f"{equal} of {total} texts equal, {opaque} opaque, {len(wrong)} wrong")
    return 0 if asked and not wrong and opaque <= a.opaque and equal >= a.texts * total else 1


if __name__ == "__main__":
    sys.exit(main())
