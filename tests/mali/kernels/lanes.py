#!/usr/bin/env python3
"""Arithmetic of Midgard's vector units on lanes of 8, 16, 32 and 64 bits, word by word through mali-run -kernel: what
each must leave is computed here, in Python's integers and fractions. Where elements lie is as Mesa's disassembler
names them, and operations are as Mesa's header and NIR say."""
import argparse
import os
import random
import resource
import subprocess
import sys
import tempfile
from fractions import Fraction

# Loads rows of 16 bytes from four buffers into R0 to R2 and R31; then comes the word; then R2 is
# stored to the fifth.
BEFORE = """start:
LDST_MOV R4.x~~~, GLOBAL_THREAD_ID.xyzx

MOV.i64 AL0.x, TMP0.[xx], R4.x.zext
MOV.i64 AL0.y, TMP0.[xx], U0.x.zext

LD.128 R0.xyzw, AL0.u64.z + AL0.u64.x << 4

MOV.i64 AL0.y, TMP0.[xx], U0.z.zext

LD.128 R1.xyzw, AL0.u64.z + AL0.u64.x << 4

MOV.i64 AL0.y, TMP0.[xx], U1.x.zext

LD.128 R2.xyzw, AL0.u64.z + AL0.u64.x << 4

MOV.i64 AL0.y, TMP0.[xx], U1.z.zext

LD.128 R3.xyzw, AL0.u64.z + AL0.u64.x << 4

MOV.i32 R31, TMP0, R3

LDST_MOV R4.x~~~, GLOBAL_THREAD_ID.xyzx
"""
AFTER = """start:
MOV.i64 AL1.x, TMP0.[xx], R4.x.zext
MOV.i64 AL1.y, TMP0.[xx], U2.x.zext

MOV.i32 AL0, TMP0, R2

ST.128 AL0, AL1.u64.z + AL1.u64.x << 4
"""
ROWS = 32
MOST_SECONDS = 60  # processor time of a run; a test that waits for its turn on a busy host uses none
TAG_ALU = 8
VADD = 1 << 21


# ---- integers -------------------------------------------------------------------------------------
def signed(v, bits):
    v &= (1 << bits) - 1
    return v - (1 << bits) if v >> (bits - 1) else v


def clamp(v, bits, is_signed):
    low, high = (-1 << bits - 1, (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)
    return min(max(v, low), high)


def truth(condition):
    return -1 if condition else 0


# Number, name, whether sources are signed, and the result for a and b.
INTEGER = [
    (0x40, "iadd", 1, lambda a, b, n: a + b), (0x41, "ishladd", 1, lambda a, b, n: 2 * a + b),
    (0x46, "isub", 1, lambda a, b, n: a - b), (0x47, "ishlsub", 1, lambda a, b, n: 2 * a - b),
    (0x48, "iaddsat", 1, lambda a, b, n: clamp(a + b, n, 1)), (0x49, "uaddsat", 0, lambda a, b, n: clamp(a + b, n, 0)),
    (0x4e, "isubsat", 1, lambda a, b, n: clamp(a - b, n, 1)), (0x4f, "usubsat", 0, lambda a, b, n: clamp(a - b, n, 0)),
    (0x58, "imul", 1, lambda a, b, n: a * b),
    (0x60, "imin", 1, lambda a, b, n: min(a, b)), (0x61, "umin", 0, lambda a, b, n: min(a, b)),
    (0x62, "imax", 1, lambda a, b, n: max(a, b)), (0x63, "umax", 0, lambda a, b, n: max(a, b)),
    (0x64, "iavg", 1, lambda a, b, n: a + b >> 1), (0x65, "uavg", 0, lambda a, b, n: a + b >> 1),
    (0x66, "iravg", 1, lambda a, b, n: a + b + 1 >> 1), (0x67, "uravg", 0, lambda a, b, n: a + b + 1 >> 1),
    (0x68, "iasr", 1, lambda a, b, n: a >> b % n), (0x69, "ilsr", 0, lambda a, b, n: a >> b % n),
    (0x6c, "ishlsat", 1, lambda a, b, n: clamp(a << b % n, n, 1)),
    (0x6d, "ushlsat", 0, lambda a, b, n: clamp(a << b % n, n, 0)), (0x6e, "ishl", 0, lambda a, b, n: a << b % n),
    (0x70, "iand", 0, lambda a, b, n: a & b), (0x71, "ior", 0, lambda a, b, n: a | b),
    (0x72, "inand", 0, lambda a, b, n: ~(a & b)), (0x73, "inor", 0, lambda a, b, n: ~(a | b)),
    (0x74, "iandnot", 0, lambda a, b, n: a & ~b), (0x75, "iornot", 0, lambda a, b, n: a | ~b),
    (0x76, "ixor", 0, lambda a, b, n: a ^ b), (0x77, "inxor", 0, lambda a, b, n: ~(a ^ b)),
    (0x78, "iclz", 0, lambda a, b, n: n - a.bit_length()), (0x7a, "ipopcnt", 0, lambda a, b, n: bin(a).count("1")),
    (0x7b, "imov", 1, lambda a, b, n: b),
    (0x7c, "iabsdiff", 1, lambda a, b, n: abs(a - b)), (0x7d, "uabsdiff", 0, lambda a, b, n: abs(a - b)),
    (0xa0, "ieq", 0, lambda a, b, n: truth(a == b)), (0xa1, "ine", 0, lambda a, b, n: truth(a != b)),
    (0xa2, "ult", 0, lambda a, b, n: truth(a < b)), (0xa3, "ule", 0, lambda a, b, n: truth(a <= b)),
    (0xa4, "ilt", 1, lambda a, b, n: truth(a < b)), (0xa5, "ile", 1, lambda a, b, n: truth(a <= b)),
]
# Operations on all elements together, at most four.
TOGETHER = [
    (0xa8, "iball_eq", 0, lambda p: all(a == b for a, b in p)), (0xa9, "iball_neq", 0, lambda p: all(a != b for a, b in p)),
    (0xaa, "uball_lt", 0, lambda p: all(a < b for a, b in p)), (0xab, "uball_lte", 0, lambda p: all(a <= b for a, b in p)),
    (0xac, "iball_lt", 1, lambda p: all(a < b for a, b in p)), (0xad, "iball_lte", 1, lambda p: all(a <= b for a, b in p)),
    (0xb0, "ibany_eq", 0, lambda p: any(a == b for a, b in p)), (0xb1, "ibany_neq", 0, lambda p: any(a != b for a, b in p)),
    (0xb2, "ubany_lt", 0, lambda p: any(a < b for a, b in p)), (0xb3, "ubany_lte", 0, lambda p: any(a <= b for a, b in p)),
    (0xb4, "ibany_lt", 1, lambda p: any(a < b for a, b in p)), (0xb5, "ibany_lte", 1, lambda p: any(a <= b for a, b in p)),
]

# ---- doubles --------------------------------------------------------------------------------------
EVEN, ZERO, DOWN, UP = range(4)


def double_of(bits):
    """Returns the value of a finite double."""
    sign, exponent, fraction = bits >> 63, bits >> 52 & 0x7ff, bits & (1 << 52) - 1
    v = Fraction(fraction | (1 << 52 if exponent else 0)) * Fraction(2) ** (max(exponent, 1) - 1075)
    return -v if sign else v


def rounded(x, mode, places=53, least=-1074):
    """Returns the bits of a number other than zero, rounded to a double or, by the arguments, a
    float."""
    size = abs(x)
    # At most one too small.
    exponent = max(least, size.numerator.bit_length() - size.denominator.bit_length() - places)
    while size >= Fraction(2) ** (exponent + places):
        exponent += 1
    whole, rest = divmod(size, Fraction(2) ** exponent)
    rest /= Fraction(2) ** exponent
    up = {EVEN: rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole & 1), ZERO: False,
          DOWN: x < 0 and rest > 0, UP: x > 0 and rest > 0}[mode]
    # The implicit one adds to the exponent, and so does a carry.
    return (x < 0) << (places - 1 + (11 if places == 53 else 8)) | \
        (int(whole) + up + (exponent - least << places - 1))


def random_double(r):
    """Returns a finite double of either sign. Exponents are close enough for sums and products, and
    some results are subnormal."""
    exponent = r.choice((1023 + r.randrange(-3, 4), 1023 + r.randrange(-60, 60), r.randrange(505, 520)))
    fraction = r.choice((r.getrandbits(52), r.getrandbits(8) << 44, (1 << 52) - 1 - r.getrandbits(3)))
    return r.getrandbits(1) << 63 | exponent << 52 | fraction


# ---- runs -----------------------------------------------------------------------------------------
def run_limited(command):
    """Runs a program, which a signal ends after MOST_SECONDS of processor time. Returns what became of it."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))

    return subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=limit)


# ---- words ----------------------------------------------------------------------------------------
class Word:
    """An arithmetic word R2 = op R0, R1 with random masks, swizzles and modifiers that its width
    permits."""

    def __init__(self, r, op, mode, expands=True, outmod=2):
        self.op, self.mode, self.bits = op, mode, 8 << mode
        slots = max(self.bits // 16, 1)  # mask bits per element
        self.mask = sum(r.getrandbits(1) * ((1 << slots) - 1) << slots * i for i in range(8 // slots))
        self.shrink = r.choice((0, 1, 2, 2)) if mode and expands else 2
        self.outmod = r.randrange(4) if self.shrink != 2 else outmod
        self.imm = None
        self.src = [self.source(r, expands), self.source(r, expands)]

    def source(self, r, expands):
        """Returns (modifier, expand mode, swizzle)."""
        if self.mode == 3:  # a swizzle of word pairs; only numbers that are not extended
            return 0, 0, sum(r.choice((0b0100, 0b1110)) << 4 * i for i in range(2))
        modes = {0: (0, 1, 2, 3), 1: (0, 1, 2, 3, 4, 5, 6, 7) if expands else (0, 1, 2, 3),
                 2: (0, 4, 5) if expands else (0,)}[self.mode]
        return r.randrange(4) if expands else 0, r.choice(modes), r.getrandbits(8)

    def encoded(self, next_tag):
        registers = 0 | 1 << 5 | 2 << 10
        fields = ((registers, 15), (self.imm is not None, 1), (self.op, 8),
                  (self.mode, 2)) + tuple((v, n) for s in self.src for v, n in zip(s, (2, 3, 8))) + (
                      (self.shrink, 2), (self.outmod, 2), (self.mask, 8))
        word, at = 0, 0
        for value, bits in fields:
            word |= value << at
            at += bits
        if self.imm is not None:
            place = 15 + 1 + 8 + 2 + 13
            word &= ~((1 << 13) - 1 << place | 31 << 5)
            word |= (self.imm >> 8 & 7) << place + 2 | (self.imm & 255) << place + 5 | self.imm >> 11 << 5
        return (TAG_ALU | next_tag << 4 | VADD).to_bytes(4, "little") + word.to_bytes(8, "little") + bytes(4)

    def elements(self, n):
        """Returns the elements of source n by number, and their width."""
        _, exp, swz = self.src[n]
        select = [swz >> 2 * i & 3 for i in range(4)]
        if self.mode == 0:
            half = {0: (0, 1), 1: (0, 0), 2: (1, 1), 3: (1, 0)}[exp]
            return [2 * select[i >> 1 & 3] + (i & 1) + 8 * half[i >> 3] for i in range(16)], 8
        if self.mode == 1 and exp < 4:
            half = {0: (0, 1), 1: (0, 0), 2: (1, 1), 3: (1, 0)}[exp]
            return [select[i & 3] + 4 * half[i >> 2] for i in range(8)], 16
        if self.mode == 1:
            first, second = {4: (0, 4), 5: (8, 12), 6: (4, 0), 7: (12, 8)}[exp]
            return [select[i & 3] + (second if i >> 2 else first) for i in range(8)], 8
        if self.mode == 2:
            return ([select[i] + (4 if exp == 5 else 0) for i in range(4)], 16) if exp else (select, 32)
        return [select[2 * i] >> 1 for i in range(2)], 64

    def values(self, n, row, is_signed):
        """Returns the elements of source n as numbers of the word's width."""
        if n == 1 and self.imm is not None:
            v = signed(self.imm, min(self.bits, 16))
            return [v if is_signed else v & (1 << self.bits) - 1] * (128 // self.bits)
        mod, elements, width = self.src[n][0], *self.elements(n)
        got = []
        for e in elements:
            v = row >> e * width & (1 << width) - 1
            if width < self.bits:
                v = (signed(v, width), v, v | v << width, v << width)[mod]
            got.append(signed(v, self.bits) if is_signed else v & (1 << self.bits) - 1)
        return got

    def written(self, old, results, is_signed):
        """Returns R2 after the results, one per element, were written."""
        size = self.bits if self.shrink == 2 else self.bits // 2
        for i, v in enumerate(results):
            if not self.mask >> i * self.bits // 16 & 1:
                continue
            if self.shrink != 2:
                exact = signed(v, self.bits) if is_signed else v & (1 << self.bits) - 1
                v = (clamp(min(exact, (1 << size - 1) - 1) if not is_signed else exact, size, 1),
                     clamp(exact, size, 0), v, v >> size)[self.outmod]
            at = i * size + (64 if self.shrink == 1 else 0)
            old = old & ~((1 << size) - 1 << at) | (v & (1 << size) - 1) << at
        return old


class Bench:
    def __init__(self, program, gpu, scratch, seed):
        self.program, self.gpu, self.scratch = program, gpu, scratch
        self.random = random.Random(seed)
        self.before, self.after = (bytearray(self.assembled(text)) for text in (BEFORE, AFTER))
        self.before[-16] = self.before[-16] & 15 | TAG_ALU << 4
        # The store's mask, which its text does not show.
        store = int.from_bytes(self.after[-16:], "little") | 15 << 8 + 13
        self.after[-16:] = store.to_bytes(16, "little")
        self.words = self.wrong = 0

    def path(self, name):
        return os.path.join(self.scratch, name)

    def assembled(self, text):
        with open(self.path("text.s"), "w", encoding="ascii") as file:
            file.write(text)
        gencc = os.path.join(os.path.dirname(self.program), "gencc")
        return subprocess.run([gencc, "asm", "--isa", "midgard", self.path("text.s")], capture_output=True,
                              check=True).stdout

    def run(self, word, rows):
        """Returns R2 for each row (R0, R1, R2, R31); None if the word is refused."""
        with open(self.path("code.bin"), "wb") as file:
            file.write(self.before + word.encoded(self.after[0] & 15) + self.after)
        arguments = []
        for n in range(4):
            with open(self.path(str(n)), "wb") as file:
                file.write(b"".join(row[n].to_bytes(16, "little") for row in rows))
            arguments += ["-arg", "buffer=" + self.path(str(n))]
        done = run_limited([self.program, "-kernel", self.path("code.bin"), "-gpu", self.gpu, "-global",
                            str(len(rows)), *arguments, "-arg", f"zero:{16 * len(rows)}", "-dump",
                            "4=" + self.path("out")])
        if done.returncode:
            return None
        with open(self.path("out"), "rb") as file:
            return [int.from_bytes(file.read(16), "little") for _ in rows]

    def expect(self, name, word, rows, want):
        got = self.run(word, rows)
        self.words += 1
        if got == want:
            return
        self.wrong += 1
        if self.wrong > 8:
            return
        print(f"{name}.{word.bits} op {word.op:#x} mask {word.mask:02x} shrink {word.shrink} outmod {word.outmod} "
              f"sources {word.src} imm {word.imm}: {'refused' if not got else ''}")
        for row, g, w in zip(rows, got or [], want):
            if g != w:
                print("".join(f"  {text} {v:032x}\n" for text, v in
                              (("R0  ", row[0]), ("R1  ", row[1]), ("old ", row[2]), ("R31 ", row[3]), ("got ", g), ("want", w))))
                break

    def integer_rows(self, bits):
        """Returns elements near the limits, equal ones, and any."""
        r = self.random

        def element(other):
            return r.choice((r.getrandbits(bits), r.getrandbits(3), -1 - r.getrandbits(3), (1 << bits - 1) - r.getrandbits(2),
                             other)) & (1 << bits) - 1
        rows = []
        for _ in range(ROWS):
            a = [element(0) for _ in range(128 // bits)]
            b = [element(x) for x in a]
            rows.append(tuple(sum(v << i * bits for i, v in enumerate(x)) for x in (a, b)) +
                        (r.getrandbits(128), r.getrandbits(128)))
        return rows


def integers(b, mode, times):
    bits = 8 << mode
    for op, name, is_signed, value in INTEGER:
        for k in range(times):
            word, rows = Word(b.random, op, mode), b.integer_rows(bits)
            if k == 0 and mode < 3:
                word.imm = b.random.getrandbits(16)
            # Results of comparisons, and of operations without a signedness, shrink by the sign in
            # Mesa's name.
            narrow_signed = is_signed if op < 0xa0 and op not in (0x7c,) else op >= 0xa0
            want = [word.written(row[2], [value(x, y, bits) for x, y in
                                          zip(word.values(0, row[0], is_signed), word.values(1, row[1], is_signed))],
                                 narrow_signed) for row in rows]
            b.expect(name, word, rows, want)


def together(b, mode, times):
    bits = 8 << mode
    for op, name, is_signed, value in TOGETHER:
        for _ in range(times):
            word, rows = Word(b.random, op, mode), b.integer_rows(bits)
            rows = [(row[0], row[0] if b.random.getrandbits(1) else row[1], *row[2:]) for row in rows]
            want = []
            for row in rows:
                pairs = list(zip(word.values(0, row[0], is_signed), word.values(1, row[1], is_signed)))[:4]
                want.append(word.written(row[2], [truth(value(pairs))] * (128 // bits), 1))
            b.expect(name, word, rows, want)


def selects(b, mode, times):
    """CSEL.vector selects bits by those of r31, CSEL.scalar all by r31.w, which is all ones or
    zeros."""
    bits = 8 << mode
    for op, name in (0xc0, "icsel_v"), (0xc1, "icsel"):
        for _ in range(times):
            word, rows = Word(b.random, op, mode, expands=False), b.integer_rows(bits)
            if op == 0xc1:
                ones = (1 << 32) - 1
                rows = [(*row[:3], row[3] & (1 << 96) - 1 | b.random.choice((0, ones)) << 96) for row in rows]
            want = []
            for row in rows:
                by = row[3] if op == 0xc0 else (row[3] >> 96) * 0x1000000010000000100000001
                pairs = zip(word.values(0, row[0], 0), word.values(1, row[1], 0))
                want.append(word.written(row[2], [x & by >> i * bits | y & ~(by >> i * bits)
                                                  for i, (x, y) in enumerate(pairs)], 1))
            b.expect(name, word, rows, want)


def doubles(b, times):
    """Arithmetic of doubles in each rounding mode, computed by fractions."""
    r = b.random
    cases = [(0x10 + m, "fadd", m, lambda x, y, a: x[0] + y) for m in range(4)] + \
        [(0x14 + m, "fmul", m, lambda x, y, a: x[0] * y) for m in range(4)] + \
        [(0x38 + m, "ffma", m, lambda x, y, a: a[0] * a[1] + y) for m in range(4)]
    for op, name, mode, value in cases:
        for _ in range(times):
            word = Word(r, op, 3, expands=False, outmod=0)
            rows = [tuple(random_double(r) | random_double(r) << 64 for _ in range(2)) +
                    (r.getrandbits(128), r.getrandbits(128)) for _ in range(ROWS)]
            want = []
            for row in rows:
                first, second = ([double_of(v & (1 << 64) - 1) for v in word.values(n, row[n], 0)] for n in (0, 1))
                exact = [value((x,), y, first) for x, y in zip(first, second)]
                want.append(word.written(row[2], [rounded(v, mode) if v else (mode == DOWN) << 63 for v in exact], 0))
            b.expect(f"{name} in mode {mode}", word, rows, want)
    for op, is_signed in (0xb8, 1), (0xbc, 0):
        for mode in range(4):
            word, rows = Word(r, op + mode, 3, expands=False, outmod=0), b.integer_rows(64)
            want = [word.written(row[2], [rounded(Fraction(v), mode) if v else 0 for v in
                                          word.values(0, row[0], is_signed)], 0) for row in rows]
            b.expect(f"{'iu'[not is_signed]}2f in mode {mode}", word, rows, want)
    for op, is_signed in (0x98, 1), (0x9c, 0):
        for mode in range(4):
            word = Word(r, op + mode, 3, expands=False)
            rows = [tuple(random_double(r) | random_double(r) << 64 for _ in range(2)) +
                    (r.getrandbits(128), r.getrandbits(128)) for _ in range(ROWS)]
            want = []
            for row in rows:
                values = [double_of(v & (1 << 64) - 1) for v in word.values(0, row[0], 0)]
                down = [(v.numerator // v.denominator, -(-v.numerator // v.denominator)) for v in values]
                near = [clamp((round(v), low if v > 0 else high, low, high)[mode], 64, is_signed)
                        for v, (low, high) in zip(values, down)]
                want.append(word.written(row[2], near, 0))
            b.expect(f"f2{'iu'[not is_signed]} in mode {mode}", word, rows, want)


def narrowing_moves(b):
    """FMOV of a double to a float, in each rounding mode."""
    r = b.random
    for mode in range(4):
        word = Word(r, 0x30 + mode, 3, expands=False)
        word.shrink, word.outmod, word.mask = 0, 0, 0xff
        rows = [(0, *(r.getrandbits(1) << 63 | r.randrange(870, 1100) << 52 | r.getrandbits(52) |
                      (r.getrandbits(1) << 63 | r.randrange(870, 1100) << 52 | r.getrandbits(52)) << 64 for _ in "1"),
                 r.getrandbits(128), 0) for _ in range(ROWS)]
        want = []
        for row in rows:
            values = [double_of(v & (1 << 64) - 1) for v in word.values(1, row[1], 0)]
            bits = [rounded(v, mode, 24, -149) for v in values]
            want.append(row[2] & ~((1 << 64) - 1) | bits[0] | bits[1] << 32)
        b.expect(f"fmov in mode {mode}", word, rows, want)


def refused(b):
    """Bytes are not floats and have no halves, and byte results do not shrink."""
    row = [(1, 2, 3, 4)]
    for what, change in (("a float", {"op": 0x10}), ("a shrunk byte", {"shrink": 0}), ("half a byte", {"src": [(0, 4, 0xe4)] * 2})):
        for op in 0x40, 0xa8:
            word = Word(b.random, op, 0)
            word.mask = 0xff
            vars(word).update(change)
            if b.run(word, row) is not None:
                print(f"{what} is executed")
                b.wrong += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mali-run", required=True)
    parser.add_argument("--gpu", default="t860")
    parser.add_argument("--times", type=int, default=2)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("GENCC_SEED", random.randrange(1 << 32))))
    options = parser.parse_args()
    print(f"seed {options.seed}")
    with tempfile.TemporaryDirectory(prefix="gencc-test-") as scratch:
        b = Bench(options.mali_run, options.gpu, scratch, options.seed)
        for mode in range(4):
            integers(b, mode, options.times)
            together(b, mode, options.times)
            selects(b, mode, options.times)
        doubles(b, options.times)
        narrowing_moves(b)
        refused(b)
    print(f"{b.words} words of {ROWS} rows, {b.wrong} wrong")
    return 1 if b.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
