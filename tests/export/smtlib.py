"""Reads the SMT-LIB files of `gencc export`, and asks solvers."""

import re
import shlex
import subprocess


def bits(width, value):
    """A number, or hexadecimal text, as a bit vector."""
    width = int(width)
    value = (int(value, 16) if isinstance(value, str) else value) & (1 << width) - 1
    return f"#x{value:0{width // 4}x}" if width % 4 == 0 else f"#b{value:0{width}b}"


class Script:
    """An exported file: declarations, and the equations of each form."""

    def __init__(self, text):
        head, *blocks = re.split(r"\n; (?=\S+\n)", text)
        self.head = [line for line in head.splitlines() if line.startswith("(")]
        self.forms = {}
        for block in blocks:
            form, *lines = block.strip().splitlines()
            own = f"(declare-fun {form}."
            self.head += [line for line in lines if not line.startswith(own)]
            self.forms[form] = [line for line in lines if line.startswith(own)]
        self.declared = {line.split()[1] for line in self.head if line.startswith("(declare-fun")}

    def width_of(self, name):
        for line in self.head:
            if line.startswith(f"(declare-fun {name} () (_ BitVec"):
                return int(re.findall(r"\d+", line)[-1])
        raise KeyError(name)

    def results(self, form):
        """Names of what the form changes, without the form's."""
        names = [line.split()[1][len(form) + 1:] for line in self.forms[form]]
        return {name for name in names if not name.isdigit()}

    def declares(self, term):
        """Whether the script knows all functions of a term."""
        known = {"not", "select", "store", "_", "as", "const"}
        return all(name in self.declared or name in known
                   for name in re.findall(r"\(([A-Za-z_.][^\s()]*)", term))

    def question(self, forms, assertions):
        """A script that asks whether all assertions can hold."""
        lines = self.head + [line for form in forms for line in self.forms[form]]
        return lines + [f"(assert {a})" for a in assertions] + ["(check-sat)", "(reset)"]


def run_solver(command, lines, limit=600):
    """The solver's answers to a script."""
    done = subprocess.run(["timeout", str(limit), *shlex.split(command)], input="\n".join(lines),
                          text=True, stdout=subprocess.PIPE, check=False)
    answers = done.stdout.splitlines()
    for line in answers:
        if line not in ("sat", "unsat", "unknown"):
            print(f"{command}: {line}")
    return answers
