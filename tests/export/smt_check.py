"""Compares the SMT-LIB of `gencc export` with the evaluator of the intermediate representation.

smt_cases prints what the evaluator makes of random words and states. For each of these cases the
solver is told the state before, and asked whether the functions of the exported file can give
another state than the evaluator's.
"""

import argparse
import re
import subprocess
import sys

from smtlib import Script, bits, run_solver


class Case:
    """What the evaluator did in one case, as assertions and expected values."""

    def __init__(self, form, width):
        self.form, self.width = form, width
        self.inputs = {}  # name: value as SMT-LIB
        self.facts = []
        self.expected = {}  # name without the form: value
        self.after = {}
        self.world = "world"
        self.memory = "memory"
        self.stored = set()
        self.kind, self.args, self.branch = 0, [], None
        self.legal, self.broke = True, None

    def call(self, words):
        """Learns what a declared function returns; follows the world."""
        name, outside = words[0], int(words[1])
        at = words.index("=")
        args = [bits(*a.split(":")) for a in words[2:at]] + ([self.world] if outside else [])
        for result in words[at + 1:]:
            number, width, value = result.split(":")
            head = name if number == "0" else f"{name}.{number}"
            term = f"({head} {' '.join(args)})" if args else head
            self.facts.append(f"(= {term} {bits(width, value)})")
        if outside == 2:
            self.world = f"({name}.world {' '.join(args)})"


def read_array(words):
    """A group of registers as SMT-LIB: a word, or an array of words."""
    cell, index, text = int(words[0]), int(words[1]), words[2]
    data = bytes.fromhex(text)
    values = [int.from_bytes(data[i:i + cell], "little") for i in range(0, len(data), cell)]
    if not index:
        return bits(8 * cell, values[0])
    array = f"((as const (Array (_ BitVec {index}) (_ BitVec {8 * cell}))) {bits(8 * cell, 0)})"
    for i, value in enumerate(values):
        if value:
            array = f"(store {array} {bits(index, i)} {bits(8 * cell, value)})"
    return array


def read_line(case, words, word_bits):
    """Adds a line of smt_cases to a case."""
    key, words = words[0], words[1:]
    if key == "word":
        case.inputs["word"] = case.inputs[f"word{case.width}"] = bits(case.width, words[0])
        case.inputs["context"] = bits(8, words[1])
        case.inputs["pc"] = bits(word_bits, words[2])
        case.pc = int(words[2], 16)
    elif key == "feature":
        case.inputs[f"feature.{words[0]}"] = bits(32, words[1])
    elif key == "before":
        case.inputs[words[0]] = read_array(words[1:])
    elif key == "after":
        case.after[words[0]] = read_array(words[1:])
    elif key == "set":
        case.after[f"feature.{words[0]}"] = bits(32, words[1])
    elif key == "access":
        interface, address, size, write, fails = words
        term = (f"(access-fails {bits(32, interface)} {bits(word_bits, address)} {bits(64, size)} "
                f"{bits(64, write)} {case.world})")
        case.facts.append(term if fails == "1" else f"(not {term})")
    elif key == "byte":
        if words[0] not in case.stored:
            address = bits(word_bits, words[0])
            case.facts.append(f"(= (select memory {address}) {bits(8, words[1])})")
    elif key == "store":
        case.stored.add(words[0])
        case.memory = f"(store {case.memory} {bits(word_bits, words[0])} {bits(8, words[1])})"
    elif key == "call":
        case.call(words)
    elif key == "branch":
        case.branch = int(words[0], 16)
    elif key == "leave":
        case.kind, case.args = int(words[0]), words[1:]
    elif key == "illegal":
        case.legal = False
    elif key == "broke":
        case.legal, case.broke = None, " ".join(words)


def read_cases(lines, word_bits):
    case = None
    for line in lines:
        words = line.split()
        if words and words[0] == "case":
            if case:
                yield case
            case = Case(words[1], int(words[2]))
        elif case and words:
            read_line(case, words, word_bits)
    if case:
        yield case


def equations(case, script, word_bits):
    """What must hold after the instruction, by name of the result."""
    names = script.results(case.form)
    result = {"legal": f"{case.form}.legal"}
    if not case.legal:
        return {"legal": f"(not {result['legal']})"}
    for name, value in case.after.items():
        if name in names:
            result[name] = f"(= {case.form}.{name} {value})"
        elif value != case.inputs[name]:
            result[name] = "false"
    for name, value in (("memory", case.memory), ("world", case.world)):
        if name in names:
            result[name] = f"(= {case.form}.{name} {value})"
        elif value != name:
            result[name] = "false"
    follows = case.pc + case.width // 8 if case.branch is None else case.branch
    if case.kind:
        follows = case.pc
    result["next-pc"] = f"(= {case.form}.next-pc {bits(word_bits, follows)})"
    result["exception"] = f"(= {case.form}.exception {bits(8, case.kind)})"
    for i, value in enumerate(case.args):
        name = f"exception.{i + 1}"
        result[name] = f"(= {case.form}.{name} {bits(64, value)})"
    return result


def question(case, script, wanted):
    """Asks whether something else than `wanted` is possible: unsat is the right answer."""
    known = [f"(= {name} {value})" for name, value in case.inputs.items()
             if name in script.declared]
    facts = [fact for fact in case.facts if script.declares(fact)]
    return script.question([case.form], known + facts + [f"(not (and {' '.join(wanted)} true))"])


def find_wrong(case, script, solver, word_bits):
    """Names of the results of which the solver finds another value."""
    wanted = equations(case, script, word_bits)
    asked = [line for w in wanted.values() for line in question(case, script, [w])]
    answers = run_solver(solver, asked)
    return [f"{n}: {a}" for n, a in zip(wanted, answers) if a != "unsat"]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--gencc", required=True)
    p.add_argument("--cases", required=True, help="the program smt_cases")
    p.add_argument("--arch", required=True)
    p.add_argument("--isa", required=True)
    p.add_argument("--solver", default="z3 -in")
    p.add_argument("--left-out", type=int, default=0, help="forms that may have no functions")
    p.add_argument("--sample", action="store_true", help="export only the forms of the cases")
    p.add_argument("options", nargs="*", help="of smt_cases, after --")
    a = p.parse_args()

    output = subprocess.run([a.cases, "--arch", a.arch, "--isa", a.isa] + a.options, text=True,
                            stdout=subprocess.PIPE, check=True).stdout
    forms = sorted(set(re.findall(r"^case (\S+)", output, re.M))) if a.sample else []
    exported = subprocess.run([a.gencc, "export", "smt-lib", "--isa", a.isa, a.arch] + forms, text=True,
                              capture_output=True, check=True)
    left_out = [line.split(":")[0] for line in exported.stderr.splitlines() if ": left out" in line]
    script = Script(exported.stdout)
    word_bits = script.width_of("pc")
    cases = [c for c in read_cases(output.splitlines(), word_bits) if c.form not in left_out]
    cases = [c for c in cases if c.broke != "the decode function refuses the word"]
    broken = [f"{c.form}: {c.broke}" for c in cases if c.broke]
    cases = [c for c in cases if not c.broke]
    asked = [question(c, script, equations(c, script, word_bits).values()) for c in cases]
    # A solver that says `unsat` to everything would be found out by this question.
    asked.append(question(cases[0], script, ["false"]))
    answers = run_solver(a.solver, [line for lines in asked for line in lines])
    wrong = [c for c, answer in zip(cases, answers) if answer != "unsat"]
    for c in wrong[:10]:
        print(f"{c.form}: {c.inputs['word']}: {find_wrong(c, script, a.solver, word_bits)}")
    for line in sorted(set(broken)):
        print(line)
    print(f"{len(cases)} cases of {len({c.form for c in cases})} forms; {len(wrong)} differ, "
          f"{len(broken)} not evaluated, {len(left_out)} forms left out")
    good = len(answers) == len(asked) and answers[-1] == "sat" and not wrong and cases
    return 0 if good and len(left_out) <= a.left_out else 1


if __name__ == "__main__":
    sys.exit(main())
