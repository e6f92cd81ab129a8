"""Proves that instructions of two ISAs of a description behave alike, such as those of A32 and T32.

Words of the first ISA are disassembled, and their texts assembled by the second. Each pair of forms
that was found so is given to a solver: operands that both encode in fields of one name and width
are free but equal, all other bits are those of the words; every register, memory and feature is
free. The solver looks for a state in which the instructions leave different states.
"""

import argparse
import re
import subprocess
import sys
import tempfile

from smtlib import Script, bits, run_solver


class Side:
    """One of the two ISAs."""

    def __init__(self, gencc, cases, arch, isa):
        self.gencc, self.cases, self.arch, self.isa = gencc, cases, arch, isa
        self.options = ["--isa", isa, "--arch", arch]
        self.script = None

    def export(self, forms):
        done = subprocess.run([self.gencc, "export", "smt-lib", "--isa", self.isa, self.arch] +
                              sorted(forms), text=True, capture_output=True, check=False)
        self.script = Script(done.stdout)

    def disassemble(self, words):
        data = b"".join(w.to_bytes(4, "little") for w in words)
        with tempfile.NamedTemporaryFile() as f:
            f.write(data)
            f.flush()
            lines = subprocess.run([self.gencc, "disasm", *self.options, f.name], text=True,
                                   stdout=subprocess.PIPE, check=True).stdout.splitlines()
        return [line.split("  ", 1)[1] for line in lines]

    def try_lines(self, texts):
        """The words of the texts, or the numbers of lines with errors: the first so many of them."""
        with tempfile.NamedTemporaryFile("w", suffix=".s") as f:
            f.write("\n".join(texts) + "\n")
            f.flush()
            done = subprocess.run([self.gencc, "asm", *self.options, "--hex", f.name],
                                  text=True, capture_output=True, check=False)
        bad = {int(n) for n in re.findall(r"\.s:(\d+):", done.stderr)}
        if done.returncode and not bad:
            raise RuntimeError(done.stderr)
        return done.stdout.split(), bad

    def assemble(self, texts):
        """The words of the texts that this ISA has, by text."""
        good, rest = [], list(texts)
        while rest:
            some = rest[:200]
            bad = self.try_lines(some)[1]
            known = max(bad, default=len(some))
            good += [t for i, t in enumerate(some[:known], 1) if i not in bad]
            rest = rest[known:]
        return dict(zip(good, self.try_lines(good)[0])) if good else {}

    def forms_of(self, words):
        """The form of each (width, word), and its fields: name: (high, low); None if it has none."""
        with tempfile.NamedTemporaryFile("w") as f:
            f.write("".join(f"{width} {word:x}\n" for width, word in words))
            f.flush()
            lines = subprocess.run([self.cases, *self.options, "--words", f.name], text=True,
                                   stdout=subprocess.PIPE, check=True).stdout.splitlines()
        for line in lines:
            name, *fields = line.split()
            parts = [f.split(":") for f in fields]
            yield None if name == "-" else (name, {n: (int(h), int(l)) for n, h, l in parts})


def some_words(side, options):
    """Random words of each form."""
    output = subprocess.run([side.cases, *side.options, "--count", "3"] + options, text=True,
                            stdout=subprocess.PIPE, check=True).stdout
    found = re.findall(r"^case (\S+) 32\nword (\w+) 0 ", output, re.M)
    return [(form, int(word, 16)) for form, word in found]


def find_pairs(first, second, words):
    """Pairs of words with one text, one for each pair of forms."""
    always = [w & 0x0fffffff | 0xe0000000 if w >> 28 != 15 else w for _, w in words]
    texts = first.disassemble(always)
    there = second.assemble(dict.fromkeys(texts))
    wide = {t: re.sub(r"^(\S+)", r"\1.w", t) for t in texts if t not in there}
    there_wide = second.assemble(dict.fromkeys(wide.values()))
    found = [(form, word, text, other) for (form, _), word, text in zip(words, always, texts)
             if (other := there.get(text) or there_wide.get(wide.get(text)))]
    seen = set()
    forms = first.forms_of([(32, word) for _, word, _, _ in found])
    others = second.forms_of([(4 * len(other), int(other, 16)) for _, _, _, other in found])
    for (form, word, text, other), this, that in zip(found, forms, others):
        if not this or not that or this[0] != form or (form, that[0]) in seen:
            continue
        seen.add((form, that[0]))
        yield text, (form, word, 32, this[1]), (that[0], int(other, 16), 4 * len(other), that[1])


def held(name, word, width, fields, free):
    """The bits of a word that are not free operands."""
    mask = (1 << width) - 1
    for f in free:
        high, low = fields[f]
        mask &= ~((1 << high + 1) - (1 << low))
    return f"(= (bvand {name} {bits(width, mask)}) {bits(width, word & mask)})"


def part(side, field):
    """Width and value of a field: what differs in two words of one text is no operand of both."""
    high, low = side[3][field]
    return high - low, side[1] >> low & (1 << high - low + 1) - 1


def word_name(script, width):
    return "word" if "word" in script.declared else f"word{width}"


def after(script, form, name):
    """A result, or what it is if the form does not change it."""
    if name in script.results(form):
        return f"{form}.{name}"
    return name if name in script.declared else None


def differences(a, b, one, other):
    """Terms that are true if the two leave different states."""
    names = a.results(one[0]) | b.results(other[0])
    for name in sorted(names - {"legal", "next-pc"}):
        x, y = after(a, one[0], name), after(b, other[0], name)
        if x and y:
            yield f"(not (= {x} {y}))"
    x, y = f"{one[0]}.next-pc", f"{other[0]}.next-pc"
    width = a.width_of("pc")
    goes_on = [f"(= {t} (bvadd pc {bits(width, w[2] // 8)}))" for t, w in ((x, one), (y, other))]
    yield f"(not (or (= {x} {y}) (and {' '.join(goes_on)})))"


def premises(a, b, one, other, without):
    """What the words have in common; no operand of four bits is the number `without`, if it is one."""
    free = [f for f in one[3] if f in other[3] and part(one, f) == part(other, f)]
    x, y = word_name(a, one[2]), word_name(b, other[2])
    lines = [held(x, one[1], one[2], one[3], free),
             held(y, other[1], other[2], other[3], free)]
    for f in free:
        (high, low), (top, bottom) = one[3][f], other[3][f]
        lines.append(f"(= ((_ extract {high} {low}) {x}) ((_ extract {top} {bottom}) {y}))")
        if without is not None and high - low == 3:
            lines.append(f"(not (= ((_ extract {high} {low}) {x}) {bits(4, without)}))")
    lines += [f"{one[0]}.legal", f"{other[0]}.legal"]
    if "context" in b.declared:
        lines.append("(= context #x00)")
    return lines


def prefixed(script, prefix):
    """The forms with a prefix, as both ISAs may have forms of one name."""
    script.forms = {prefix + form: [re.sub(rf"(?<![\w.]){form}\.", f"{prefix}{form}.", line)
                                    for line in lines] for form, lines in script.forms.items()}


def judge(a, both, first, second, x, y):
    """What the solver says of a pair. Premises that no word has would prove anything."""
    differ = f"(or {' '.join(differences(first, second, x, y))})"
    for pc, verdict in ((None, "proved"), (a.pc, "proved but for the PC")):
        given = premises(first, second, x, y, pc)
        asked = both.question([x[0], y[0]], given) + both.question([x[0], y[0]], given + [differ])
        possible, answer = run_solver(a.solver, asked)
        if possible != "sat":
            return "impossible" if possible == "unsat" else "unknown"
        if answer == "unsat":
            return verdict
    return "refuted" if answer == "sat" else "unknown"


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--gencc", required=True)
    p.add_argument("--cases", required=True, help="the program smt_cases")
    p.add_argument("--arch", required=True)
    p.add_argument("--isas", nargs=2, default=["a32", "t32"])
    p.add_argument("--pc", type=int, default=15, help="number of the PC among the registers")
    p.add_argument("--timeout", type=int, default=20, help="seconds a question")
    p.add_argument("--solver", default="z3 -in")
    p.add_argument("--forms", default=".*", help="regular expression of the first ISA's forms")
    p.add_argument("--expect", type=int, default=0, help="number of pairs to prove at least")
    p.add_argument("--may-differ", default="", help="regular expression of forms that may be refuted")
    p.add_argument("options", nargs="*", help="of smt_cases, after --")
    a = p.parse_args()

    first, second = (Side(a.gencc, a.cases, a.arch, isa) for isa in a.isas)
    words = [w for w in some_words(first, a.options) if re.fullmatch(a.forms, w[0])]
    pairs = list(find_pairs(first, second, words))
    first.export({x[0] for _, x, _ in pairs})
    second.export({y[0] for _, _, y in pairs})
    pairs = [q for q in pairs
             if q[1][0] in first.script.forms and q[2][0] in second.script.forms]
    prefixed(second.script, "other.")
    pairs = [(t, x, ("other." + y[0], *y[1:])) for t, x, y in pairs]
    both = Script("")
    both.head = [f"(set-option :timeout {1000 * a.timeout})",
                 *dict.fromkeys(first.script.head + second.script.head)]
    both.forms = first.script.forms | second.script.forms
    verdicts = {v: [] for v in ("proved", "proved but for the PC", "refuted", "unknown", "impossible")}
    for text, x, y in pairs:
        verdict = judge(a, both, first.script, second.script, x, y)
        verdicts[verdict].append(x[0])
        print(f"{verdict}: {x[0]} = {y[0][6:]}: {text}", flush=True)
    print(", ".join(f"{len(v)} {k}" for k, v in verdicts.items()), f"of {len(pairs)} pairs")
    proved = len(verdicts["proved"]) + len(verdicts["proved but for the PC"])
    wrong = {f for f in verdicts["refuted"] + verdicts["impossible"]
             if not re.fullmatch(a.may_differ, f)}
    print("differ:", *sorted(wrong))
    return 0 if proved >= a.expect and not wrong else 1


if __name__ == "__main__":
    sys.exit(main())
