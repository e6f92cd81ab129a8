#!/usr/bin/env python3
"""Random MIPS32 programs on the bare runner, interpreted and translated, against qemu-mips and qemu-mipsel:

    random_programs.py GENCC MIPS MIPSEL [--programs N] [--seed N] [--tiers TIER...]

A program sets all registers, executes random instructions (arithmetic, memory in a buffer, branches with
their slots, calls, floating point), and writes registers and buffer as bytes: by a system call on QEMU, by
the runner's registers here. MIPS and MIPSEL are the runners of both byte orders."""
import argparse
import os
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MIPS = ROOT / "descriptions/mips"
BUFFER, LENGTH = 256, 40        # bytes of the buffer, random steps of a program
FREE = [f"${n}" for n in (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19)]
CORNERS = (0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff, 0x8000, 0xffff8000, 0x55555555)
THREE = ("addu", "subu", "and", "or", "xor", "nor", "slt", "sltu", "movz", "movn", "mul", "sllv", "srlv", "srav", "rorv")
TWO = ("mult", "multu", "madd", "maddu", "msub", "msubu")
LOADS = {"lb": 1, "lbu": 1, "lh": 2, "lhu": 2, "lw": 4, "lwl": 1, "lwr": 1, "sb": 1, "sh": 2, "sw": 4, "swl": 1, "swr": 1}
AGAINST_0 = ("blez", "bgtz", "bltz", "bgez", "beqz", "bnez", "blezl", "bgtzl", "bltzl", "bgezl", "beqzl", "bnezl")
# Floating point: bits of singles and doubles, and instructions by their operands
SINGLES = (0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fbfffff, 0x7fc00000, 0x7f800001, 0xffffffff,
           0x00000001, 0x807fffff, 0x00800000, 0x7f7fffff, 0x4f000000, 0xcf000000, 0x3f000000, 0x34000000)
DOUBLES = (0, 1 << 63, 0x3ff0 << 48, 0xbff0 << 48, 0x7ff0 << 48, 0xfff0 << 48, 0x7ff7ffffffffffff, 0x7ff8 << 48, 0x7ff0000000000001,
           0xffffffffffffffff, 1, 0x800fffffffffffff, 0x0010 << 48, 0x7fefffffffffffff, 0x41e0 << 48, 0xc1e0000000200000,
           0x3fe0 << 48, 0x7ff0000000000002 | 1 << 28, 0x36a0 << 48, 0x47efffffe0000000, 0x47efffffffffffff)
DYADIC = ("add", "sub", "mul", "div")
MONADIC = ("sqrt", "abs", "mov", "neg", "recip", "rsqrt")
TO_INTEGER = ("round.w", "trunc.w", "ceil.w", "floor.w", "cvt.w", "round.l", "trunc.l", "ceil.l", "floor.l", "cvt.l")
CONDITIONS = ("f", "un", "eq", "ueq", "olt", "ult", "ole", "ule", "sf", "ngle", "seq", "ngl", "lt", "nge", "le", "ngt")
TAIL = {
    # write(1, dump, size); exit(0)
    "qemu": "li $2, 4004\nli $4, 1\nlui $5, dump >> 16\nori $5, $5, dump & 0xffff\nli $6, end - dump\nsyscall\n"
            "li $2, 4001\nli $4, 0\nsyscall\n",
    "bare": "lui $4, 0x1000\nlui $5, dump >> 16\nori $5, $5, dump & 0xffff\nli $6, end - dump\n"
            "more: lb $7, 0($5)\nsb $7, 0($4)\naddiu $6, $6, -1\nbnez $6, more\naddiu $5, $5, 1\n"
            "sb $0, 4($4)\nwait: b wait\nnop\n",
}


class Program:
    """The text of a random program, without its tail."""

    def __init__(self, rng):
        self.rng, self.lines, self.labels = rng, [], 0

    def register(self):
        return self.rng.choice(FREE)

    def simple(self):
        """Returns an instruction that may stand in a delay slot."""
        rng, r = self.rng, self.register
        kind = rng.randrange(10)
        if kind >= 8:
            return self.floating()
        if kind == 0:
            return f"{rng.choice(THREE)} {r()}, {r()}, {r()}"
        if kind == 1:
            return f"{rng.choice(('sll', 'srl', 'sra', 'ror'))} {r()}, {r()}, {rng.randrange(32)}"
        if kind == 2:
            name = rng.choice(("addiu", "slti", "sltiu"))
            return f"{name} {r()}, {r()}, {rng.choice((-32768, -1, 0, 1, 32767, rng.randrange(-32768, 32768)))}"
        if kind == 3:
            return f"{rng.choice(('andi', 'ori', 'xori'))} {r()}, {r()}, {rng.randrange(65536)}"
        if kind == 4:
            return f"{rng.choice(TWO)} {r()}, {r()}" if rng.randrange(3) else f"{rng.choice(('mfhi', 'mflo', 'mthi'))} {r()}"
        if kind == 5:
            return f"{rng.choice(('clz', 'clo', 'seb', 'seh', 'wsbh', 'move', 'negu'))} {r()}, {r()}"
        if kind == 6:
            low = rng.randrange(32)
            return f"{rng.choice(('ext', 'ins'))} {r()}, {r()}, {low}, {rng.randrange(1, 33 - low)}"
        name = rng.choice(list(LOADS))
        return f"{name} {r()}, {rng.randrange(0, BUFFER, LOADS[name])}($20)"

    def floating(self):
        rng = self.rng
        fmt = rng.choice("sd")
        def f():
            return f"$f{rng.randrange(0, 32, 2)}"
        kind = rng.randrange(12)
        if kind < 3:
            return f"{rng.choice(DYADIC)}.{fmt} {f()}, {f()}, {f()}"
        if kind == 3:
            return f"{rng.choice(MONADIC)}.{fmt} {f()}, {f()}"
        if kind == 4:
            return f"{rng.choice(TO_INTEGER)}.{fmt} {f()}, {f()}"
        if kind == 5:
            name = rng.choice(("cvt.s.d", "cvt.d.s", "cvt.s.w", "cvt.d.w", "cvt.s.l", "cvt.d.l"))
            return f"{name} {f()}, {f()}"
        if kind == 6:
            return f"c.{rng.choice(CONDITIONS)}.{fmt} $fcc{rng.randrange(8)}, {f()}, {f()}"
        if kind == 7:
            name, cc = rng.choice(("movf", "movt")), f"$fcc{rng.randrange(8)}"
            return f"{name} {self.register()}, {self.register()}, {cc}" if rng.randrange(2) else f"{name}.{fmt} {f()}, {f()}, {cc}"
        if kind == 8:
            return f"{rng.choice(('movz', 'movn'))}.{fmt} {f()}, {f()}, {self.register()}"
        if kind == 9:
            name = rng.choice(("madd", "msub", "nmadd", "nmsub"))
            return f"{name}.{fmt} {f()}, {f()}, {f()}, {f()}"
        name = rng.choice(("mfc1", "mtc1", "mfhc1", "mthc1", "lwc1", "swc1", "ldc1", "sdc1"))
        if kind == 11:
            return f"cfc1 {self.register()}, ${rng.choice((0, 25, 26, 28, 31))}"
        if name[1] in "wd":
            return f"{name} {f()}, {rng.randrange(0, BUFFER, 8)}($20)"
        return f"{name} {self.register()}, {f()}"

    def step(self):
        rng, kind = self.rng, self.rng.randrange(21) // 2
        if kind < 6:
            self.lines.append(self.simple())
        elif kind == 6:     # a divisor that is not 0
            r = self.register()
            self.lines += [f"ori {r}, {r}, 1", f"{rng.choice(('div', 'divu'))} zero, {self.register()}, {r}"]
        elif kind == 7:
            at = rng.randrange(0, BUFFER, 4)
            self.lines += [f"ll {self.register()}, {at}($20)", f"sc {self.register()}, {at}($20)"]
        elif kind == 10:    # FCSR, or a part of it, without enabled exceptions
            value = rng.getrandbits(32) & 0xfe81f07c | rng.choice((0, 0, 0, 1, 2, 3))
            number, mask = rng.choice(((25, 0xff), (26, 0x1f07c), (28, 3), (31, 0xffffffff)))
            self.lines += [f"lui $21, {(value & mask) >> 16}", f"ori $21, $21, {value & mask & 0xffff}", f"ctc1 $21, ${number}"]
        else:
            self.branch()

    def branch(self):
        """Appends a branch over a few instructions, or a call of the next but one."""
        rng, label = self.rng, f"l{self.labels}"
        self.labels += 1
        name = rng.choice((*AGAINST_0, "beq", "bne", "beql", "bnel", "bal", "b", "j", "jr", "bc1f", "bc1t", "bc1fl", "bc1tl"))
        if name == "jr":
            self.lines += [f"lui $21, {label} >> 16", f"ori $21, $21, {label} & 0xffff", rng.choice(("jr $21", "jalr $21"))]
        elif name.startswith("bc1"):
            self.lines.append(f"{name} $fcc{rng.randrange(8)}, {label}")
        elif name in ("bal", "b", "j"):
            self.lines.append(f"{name} {label}")
        elif name in AGAINST_0:
            self.lines.append(f"{name} {self.register()}, {label}")
        else:
            self.lines.append(f"{name} {self.register()}, {self.register()}, {label}")
        self.lines.append(self.simple())
        self.lines += [self.simple() for _ in range(rng.randrange(3))]
        self.lines.append(f"{label}:")

    def text(self, steps):
        rng = self.rng
        head = [".global _start", "_start: lui $20, buffer >> 16", "ori $20, $20, buffer & 0xffff"]
        for r in FREE:
            value = rng.choice(CORNERS) if rng.randrange(2) else rng.getrandbits(32)
            head += [f"lui {r}, {value >> 16}", f"ori {r}, {r}, {value & 0xffff}"]
        head += ["mthi $2", "mtlo $3", "li $31, 0", "li $22, 20"]
        for f in range(0, 32, 2):
            head += [f"ldc1 $f{f}, {BUFFER + 4 * f}($20)"]
        head += [f"li $21, {rng.randrange(4)}", "ctc1 $21, $31", "again:"]
        for _ in range(steps):
            self.step()
        # The steps run 20 times, so that they are translated.
        tail = ["addiu $22, $22, -1", "bnez $22, again", "nop", "lui $23, dump >> 16", "ori $23, $23, dump & 0xffff"]
        tail += [f"sw {r}, {4 * i}($23)" for i, r in enumerate(FREE + ["$31"])]
        tail += ["mfhi $2", "mflo $3", f"sw $2, {4 * len(FREE) + 4}($23)", f"sw $3, {4 * len(FREE) + 8}($23)"]
        tail += [f"sdc1 $f{f}, {4 * len(FREE) + 16 + 4 * f}($23)" for f in range(0, 32, 2)]
        tail += ["cfc1 $2, $31", f"sw $2, {4 * len(FREE) + 144}($23)"]
        return "\n".join(head + self.lines + tail) + "\n"


def data(rng):
    """Returns the dump's room, the buffer, and the first values of floating-point registers."""
    words = ", ".join(str(rng.getrandbits(32)) for _ in range(BUFFER // 4))
    numbers = ", ".join(str(number(rng)) for _ in range(16))
    return (f".balign 8\ndump: .space {4 * len(FREE) + 148}\n.balign 8\nbuffer: .word {words}\n"
            f".balign 8\n.quad {numbers}\nend: .word 0\n")


def number(rng):
    """Returns the bits of a double, or of a single in the lower half."""
    kind = rng.randrange(4)
    if kind == 0:
        return rng.choice(DOUBLES)
    if kind == 1:
        return rng.choice(SINGLES) | rng.getrandbits(32) << 32
    if kind == 2:
        return rng.randrange(1000) << 52 | 0x3f1 << 53 | rng.getrandbits(20) << 32
    return rng.getrandbits(64)


def tiers_of(tiers):
    yield "interp", ["-accel", "interp"]
    for tier in tiers:
        yield tier, ["-accel", "jit", "-jit-tier", tier, "-jit-sync", "-jit-threshold", "2", "-jit-quick-threshold", "2"]


def check(gencc, arch, runner, rng, folder, tiers):
    """Runs one program everywhere; returns what is wrong, as a line, or None."""
    program = Program(rng)
    text, numbers = program.text(LENGTH), data(rng)
    for name, tail in TAIL.items():
        source = folder / f"{name}.s"
        source.write_text(text + tail + numbers)
        subprocess.run([gencc, "asm", "--arch", MIPS / f"{arch}.ac", "--address", "0x400000", "-o",
                        folder / f"{name}.elf", source], check=True)
    want = subprocess.run([f"qemu-{arch}", folder / "qemu.elf"], capture_output=True, timeout=60, check=False)
    if want.returncode:
        return f"QEMU ends with {want.returncode}: {want.stderr.decode()}"
    for tier, options in tiers_of(tiers):
        got = subprocess.run([runner, "-io", "0x10000000", *options, folder / "bare.elf"], capture_output=True, timeout=60,
                             check=False)
        if got.stdout != want.stdout or got.returncode:
            at = next((i for i, (a, b) in enumerate(zip(got.stdout, want.stdout)) if a != b), len(got.stdout)) // 4
            return f"{tier}: word {at} of the dump differs, status {got.returncode}: {got.stderr.decode()}\n{text}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gencc", type=pathlib.Path)
    parser.add_argument("mips", type=pathlib.Path)
    parser.add_argument("mipsel", type=pathlib.Path)
    parser.add_argument("--programs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("GENCC_SEED", random.randrange(1 << 32))))
    parser.add_argument("--tiers", nargs="*", default=[])
    o = parser.parse_args()
    print(f"seed {o.seed}")
    wrong = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for arch in ("mips", "mipsel"):
            runner, rng = getattr(o, arch), random.Random(o.seed)
            for _ in range(o.programs):
                line = check(o.gencc, arch, runner, rng, folder, o.tiers)
                wrong += [f"{arch}: {line}"] if line else []
    print("\n".join(wrong[:2]) or f"{2 * o.programs} programs, {len(o.tiers) + 1} ways: as on QEMU")
    return 1 if wrong else 0


sys.exit(main())
