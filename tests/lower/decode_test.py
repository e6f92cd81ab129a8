#!/usr/bin/env python3
"""Random bodies of decode(), which are C and may set any field, even one that is bits of the word:
gencc's disassembler against the C compiler.

    decode_test.py GENCC [BODIES [SEED]]
"""
import os
import pathlib
import random
import subprocess
import sys
import tempfile

FIELDS = {"a": 1, "b": 3, "c": 5, "d": 8, "e": 15}  # most significant first: 32 bits
TYPES = ("bool", "char", "short", "int", "long", "uint8_t", "int8_t", "uint16_t", "int16_t",
         "uint32_t", "int32_t", "uint64_t", "int64_t", "unsigned")
RESULTS, WORDS, DEPTH = 24, 40, 4
SHOWN = [f"r{n}" for n in range(RESULTS)] + list(FIELDS)

ARCH = """AC_ARCH(toy) {{
    ac_wordsize 64;
    ac_mem Data(64, 8, little, 0);
    ac_regspace(8) {{ slot PC (uint64, 8, 0) PC; }}
    ARCH_CTOR(toy) {{ ac_isa("isa.ac"); set_endian("little"); }};
}};
"""


class Text:
    """Makes expressions whose value C defines."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.names = list(FIELDS)

    def literal(self):
        kind = self.random.choice(("small", "hex", "wide", "suffix"))
        if kind == "small":
            return str(self.random.randrange(256))
        if kind == "hex":
            return hex(self.random.choice((0x7fffffff, 0x80000000, 0xffffffff, 0xfff0, 0x12345678)))
        if kind == "wide":
            return self.random.choice(("2147483648", "4294967296", "0x123456789abcdef0"))
        return str(self.random.randrange(1000)) + self.random.choice(("U", "L", "UL"))

    def expression(self, depth=DEPTH):
        kind = self.random.choice(("leaf", "binary", "binary", "shift", "unary", "choice", "compare",
                                   "cast", "logic", "divide"))
        if depth == 0 or kind == "leaf":
            return self.random.choice(self.names) if self.random.random() < .7 else self.literal()
        x = self.expression(depth - 1)
        if kind == "unary":
            return f"{self.random.choice('-~!+')}({x})"
        if kind == "shift":
            return f"(({x}) {self.random.choice(('<<', '>>'))} {self.random.randrange(32)})"
        if kind == "cast":
            return f"(({self.random.choice(TYPES)})({x}))"
        y = self.expression(depth - 1)
        if kind == "choice":
            return f"(({x}) ? ({y}) : ({self.expression(depth - 1)}))"
        if kind == "divide":
            return f"(({x}) {self.random.choice('/%')} (({y}) | 1))"
        operator = {"compare": ("==", "!=", "<", "<=", ">", ">="), "logic": ("&&", "||")}
        return f"(({x}) {self.random.choice(operator.get(kind, '+-*&|^'))} ({y}))"

    def body(self):
        """Returns statements that set r0, r1 and so on, through local variables."""
        lines = []
        for n in range(RESULTS):
            if n % 3 == 0:
                lines.append(f"{self.random.choice(TYPES)} v{n} = {self.expression()};")
                self.names.append(f"v{n}")
                lines.append(f"v{n} {self.random.choice(('', '+', '^', '|'))}= {self.expression()};")
            if n % 5 == 0:
                field = self.random.choice(list(FIELDS)[:-1])
                lines.append(f"{field} {self.random.choice(('', '+', '^', '|'))}= {self.expression()};")
            lines.append(f"r{n} = {self.expression()};")
        return "\n    ".join(lines)


def write_description(folder, body):
    bits = " ".join(f"%{name}:{width}" for name, width in FIELDS.items())
    fields = "".join(f"    ac_field<sint64> r{n};\n" for n in range(RESULTS))
    shown = ", ".join(SHOWN)
    (folder / "arch.ac").write_text(ARCH.format())
    (folder / "isa.ac").write_text(
        f'AC_ISA(isa) {{\n    ac_fetchsize 32;\n    ac_format F = "{bits}";\n{fields}'
        f'    ac_instr<F> i;\n    ISA_CTOR(isa) {{\n        ac_decode("isa.genc");\n'
        f'        i.set_decoder();\n'
        f'        i.set_asm("{" ".join(["%imm"] * len(SHOWN))}", {shown});\n    }};\n}};\n')
    (folder / "isa.genc").write_text(f"decode(F)\n{{\n    {body}\n}}\nexecute(i) {{ }}\n")


def by_compiler(folder, body, words):
    at, lines = 32, []
    for name, width in FIELDS.items():
        at -= width
        kind = "uint8_t" if width <= 8 else "uint16_t"
        lines.append(f"    {kind} {name} = w >> {at} & {(1 << width) - 1};")
    results = ", ".join(f"r{n}" for n in range(RESULTS))
    puts = " ".join(f'printf("%lld ", (long long){name});' for name in SHOWN)
    (folder / "main.c").write_text(
        "#include <stdbool.h>\n#include <stdint.h>\n#include <stdio.h>\n"
        "static void decode(uint32_t w)\n{\n" + "\n".join(lines) +
        f"\n    int64_t {results};\n    {body}\n    {puts} puts(\"\");\n}}\n"
        "int main(void)\n{\n" + "".join(f"    decode({w:#x}u);\n" for w in words) + "}\n")
    subprocess.run([os.environ.get("CC", "cc"), "-std=gnu11", "-fwrapv", "-fsigned-char", "-w",
                    "-o", "main", "main.c"], cwd=folder, check=True, timeout=60)
    done = subprocess.run([folder / "main"], capture_output=True, text=True, check=True, timeout=60)
    return [line.strip() for line in done.stdout.splitlines()]


def by_gencc(gencc, folder, words):
    (folder / "words").write_bytes(b"".join(w.to_bytes(4, "little") for w in words))
    done = subprocess.run([gencc, "disasm", "--arch", "arch.ac", "words"], cwd=folder,
                          capture_output=True, text=True, timeout=60, check=False)
    if done.returncode:
        sys.exit(f"gencc disasm: {done.stderr}")
    return [line.split("\t", 2)[-1].strip() for line in done.stdout.splitlines()]


def main(gencc, bodies="6", seed="1"):
    failed = 0
    for n in range(int(bodies)):
        text = Text(f"{seed}.{n}")
        body = text.body()
        words = [text.random.randrange(1 << 32) for _ in range(WORDS)]
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            write_description(folder, body)
            want, got = by_compiler(folder, body, words), by_gencc(gencc, folder, words)
        for word, expected, line in zip(words, want, got, strict=True):
            if not line.endswith(expected):
                failed += 1
                wrong = [k for k, (x, y) in enumerate(zip(expected.split(), line.split()[-len(SHOWN):]))
                         if x != y]
                print(f"seed {seed}.{n}, word {word:#010x}: wrong are {wrong}\n  C:     {expected}\n"
                      f"  gencc: {line}\n    {body}")
                break
    print(f"{bodies} bodies, {failed} differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
