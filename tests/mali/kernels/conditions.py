#!/usr/bin/env python3
"""Midgard's comparisons and what selects by them, in every pair of width, shrinking, output modifier and mask, in the vector and in
the scalar units, interpreted and as host code: what each word must leave is computed here. A comparison gives 0 or ~0, CSEL muxes
bits by its selector (Mesa's midgard_ops.c): r31.w, or of CSEL.vector the element of r31 in the place of the element it computes.
FCSEL does so with numbers, whose modifiers are those of floats."""
import argparse
import itertools
import os
import pathlib
import random
import struct
import sys
import tempfile

from lanes import AFTER, BEFORE, INTEGER, ROWS, TAG_ALU, TOGETHER, Bench, Word, clamp, double_of, random_double, run_limited, signed, truth

BATCH = 12  # words per run; each has an output of its own, whose address is in U2 to U7
SETS_R31 = "MOV.i32 R31, TMP0, R3\n"
SADD = 1 << 19
ONES = (1 << 128) - 1

COMPARE = [(op, name, is_signed, value) for op, name, is_signed, value in INTEGER if op >= 0xa0]
FLOAT = [(0x80, "feq", lambda a, b: a == b), (0x81, "fne", lambda a, b: a != b), (0x82, "flt", lambda a, b: a < b),
         (0x83, "fle", lambda a, b: a <= b)]
FLOAT_TOGETHER = [
    (0x88, "fball_eq", lambda p: all(a == b for a, b in p)), (0x89, "fball_neq", lambda p: all(a != b for a, b in p)),
    (0x8a, "fball_lt", lambda p: all(a < b for a, b in p)), (0x8b, "fball_lte", lambda p: all(a <= b for a, b in p)),
    (0x90, "fbany_eq", lambda p: any(a == b for a, b in p)), (0x91, "fbany_neq", lambda p: any(a != b for a, b in p)),
    (0x92, "fbany_lt", lambda p: any(a < b for a, b in p)), (0x93, "fbany_lte", lambda p: any(a <= b for a, b in p)),
]


# ---- floats ---------------------------------------------------------------------------------------
def number(v, bits):
    """Returns the value of a finite float."""
    if bits == 64:
        return float(double_of(v))
    return struct.unpack("<e" if bits == 16 else "<f", v.to_bytes(bits // 8, "little"))[0]


def float_bits(x, bits):
    """Rounds a number other than zero, or 0, to the nearest float. Returns its bits."""
    try:
        raw = struct.pack({16: "<e", 32: "<f", 64: "<d"}[bits], x)
    except OverflowError:
        raw = struct.pack({16: "<e", 32: "<f"}[bits], float("inf" if x > 0 else "-inf"))
    return int.from_bytes(raw, "little")


def limited(x, outmod):
    """Applies the output modifiers of floats: none; not below 0; to [-1, 1]; to [0, 1]."""
    low = (None, 0.0, -1.0, 0.0)[outmod]
    x = x if low is None else max(x, low)
    return min(x, 1.0) if outmod > 1 else x


def modified(x, mod):
    x = abs(x) if mod & 1 else x
    return -x if mod & 2 else x


def modified_bits(v, mod, bits):
    """Applies the modifiers of a float to its bits, also to those of a NaN."""
    sign = 1 << bits - 1
    return (v & ~sign if mod & 1 else v) ^ (sign if mod & 2 else 0)


def random_half(r):
    return r.getrandbits(1) << 15 | r.choice((15, 15, 14, r.randrange(1, 31))) << 10 | r.choice((0, r.getrandbits(10)))


def random_float(r, bits):
    """Returns a finite float; for 32 bits, both of its halves are finite, too."""
    if bits == 64:
        return random_double(r)
    return random_half(r) | (random_half(r) << 16 if bits == 32 else 0)


# ---- words of the vector units ---------------------------------------------------------------------
class Vector(Word):
    """R2 = op R0, R1 with given modifiers and random swizzles."""

    def __init__(self, r, op, mode, shrink, outmod, is_float):
        super().__init__(r, op, mode)
        self.shrink, self.outmod, self.is_float = shrink, outmod, is_float
        if is_float and mode == 1:  # halves of half floats are not floats
            self.src = [(mod, exp & 3, swz) for mod, exp, swz in self.src]
        if is_float and mode == 3:
            self.src = [(r.randrange(4), exp, swz) for _, exp, swz in self.src]
        slots = max(self.bits // 16, 1)
        masks = [0xff, (1 << slots) - 1, 255 & ~((1 << slots) - 1), self.mask]
        self.mask = r.choice(masks)

    def numbers(self, n, row):
        """Returns the elements of source n as floats."""
        mod, elements, width = self.src[n][0], *self.elements(n)
        return [modified(number(row >> e * width & (1 << width) - 1, width), mod) for e in elements]

    def keeps(self):
        """Returns whether the result of a selection has the bits of a source."""
        return self.outmod == 0 and self.shrink == 2 and all(self.elements(n)[1] == self.bits for n in (0, 1))

    def patterns(self, n, row):
        """Returns the bits of the elements of source n."""
        mod, elements, width = self.src[n][0], *self.elements(n)
        return [modified_bits(row >> e * width & (1 << width) - 1, mod, width) for e in elements]

    def put(self, old, results):
        """The same as written(), for float results."""
        size = self.bits if self.shrink == 2 else self.bits // 2
        for i, x in enumerate(results):
            if self.mask >> i * self.bits // 16 & 1:
                at = i * size + (64 if self.shrink == 1 else 0)
                old = old & ~((1 << size) - 1 << at) | float_bits(limited(x, self.outmod), size) << at
        return old

    def selector(self, row, own):
        """Returns the selectors of the elements, from r31."""
        n = self.bits
        w = row[3] >> 96
        return [(row[3] >> i * n if own else w | w << 32) & (1 << n) - 1 for i in range(128 // n)]


def compared(word, row, is_signed, value):
    pairs = zip(word.values(0, row[0], is_signed), word.values(1, row[1], is_signed))
    return word.written(row[2], [value(a, b, word.bits) for a, b in pairs], 1)


def compared_floats(word, row, value):
    pairs = zip(word.numbers(0, row[0]), word.numbers(1, row[1]))
    return word.written(row[2], [truth(value(a, b)) for a, b in pairs], 1)


def compared_together(word, row, pairs, value):
    return word.written(row[2], [truth(value(list(pairs)[:4]))] * (128 // word.bits), 1)


def selected(word, row, own):
    by = word.selector(row, own)
    pairs = zip(by, word.values(0, row[0], 0), word.values(1, row[1], 0))
    return word.written(row[2], [x & s | y & ~s for s, x, y in pairs], 1)


def selected_floats(word, row, own):
    by = word.selector(row, own)
    return word.put(row[2], [x if s else y for s, x, y in zip(by, word.numbers(0, row[0]), word.numbers(1, row[1]))])


def selected_patterns(word, row, own):
    by = word.selector(row, own)
    pairs = zip(by, word.patterns(0, row[0]), word.patterns(1, row[1]))
    return word.written(row[2], [x if s else y for s, x, y in pairs], 0)


def vector_words(b, mode, times):
    """Yields (name, word, kind of rows, expected R2 for a row)."""
    def each(op, is_float, shrinks=(0, 1, 2)):
        for shrink, outmod in itertools.product(shrinks if mode else (2,), range(4)):
            for _ in range(times):
                yield Vector(b.random, op, mode, shrink, outmod, is_float)

    def some(op, is_float):
        return each(op, is_float, (b.random.randrange(3),))

    for op, name, is_signed, value in COMPARE:
        for word in each(op, False):
            yield name, word, "bits", lambda row, w=word, s=is_signed, v=value: compared(w, row, s, v)
    for op, name, is_signed, value in TOGETHER:
        for word in some(op, False):
            yield name, word, "bits", lambda row, w=word, s=is_signed, v=value: compared_together(
                w, row, zip(w.values(0, row[0], s), w.values(1, row[1], s)), v)
    for op, name in (0xc0, "icsel_v"), (0xc1, "icsel"):
        for word in each(op, False):
            yield name, word, "bits", lambda row, w=word, own=op == 0xc0: selected(w, row, own)
    if mode == 0:
        return
    for op, name, value in FLOAT:
        for word in each(op, True):
            yield name, word, "floats", lambda row, w=word, v=value: compared_floats(w, row, v)
    for op, name, value in FLOAT_TOGETHER:
        for word in some(op, True):
            yield name, word, "floats", lambda row, w=word, v=value: compared_together(
                w, row, zip(w.numbers(0, row[0]), w.numbers(1, row[1])), v)
    for op, name in (0xc4, "fcsel_v"), (0xc5, "fcsel"):
        for word in each(op, True):
            if mode > 1 or word.shrink == 2:
                yield name, word, "floats", lambda row, w=word, own=op == 0xc4: selected_floats(w, row, own)
            if word.keeps():
                yield name, word, "patterns", lambda row, w=word, own=op == 0xc4: selected_patterns(w, row, own)


# ---- words of the scalar units ----------------------------------------------------------------------
class Scalar:
    """A component of R2 = op components of R0 and R1, each of 32 or 16 bits."""
    bits, imm, shrink = 32, None, 2

    def __init__(self, r, op, full, outmod):
        self.op, self.full, self.outmod = op, full, outmod
        self.comp = r.randrange(4) * 2 if full else r.randrange(8)
        self.mask = 1 << self.comp
        self.src = [(r.randrange(4), *((1, r.randrange(4) * 2) if r.getrandbits(1) else (0, r.randrange(8)))) for _ in "ab"]

    def encoded(self, next_tag):
        word, at = 0 | 1 << 5 | 2 << 10, 16
        fields = [(self.op, 8)] + [field for mod, full, comp in self.src for field in ((mod, 2), (full, 1), (comp, 3))] + \
            [(0, 5), (0, 1), (self.outmod, 2), (self.full, 1), (self.comp, 3)]
        for value, bits in fields:
            word |= value << at
            at += bits
        return (TAG_ALU | next_tag << 4 | SADD).to_bytes(4, "little") + word.to_bytes(6, "little") + bytes(6)

    def raw(self, n, row):
        _, full, comp = self.src[n]
        return row >> 16 * comp & (1 << (32 if full else 16)) - 1

    def integer(self, n, row, is_signed):
        mod, full, _ = self.src[n]
        v = self.raw(n, row)
        if not full:
            v = (signed(v, 16), v, v | v << 16, v << 16)[mod]
        return signed(v, 32) if is_signed else v & 0xffffffff

    def number(self, n, row):
        mod, full, _ = self.src[n]
        return modified(number(self.raw(n, row), 32 if full else 16), mod)

    def put(self, old, v):
        size = 32 if self.full else 16
        return old & ~((1 << size) - 1 << 16 * self.comp) | (v & (1 << size) - 1) << 16 * self.comp

    def put_integer(self, old, v):
        exact = signed(v, 32)
        return self.put(old, v if self.full else (clamp(exact, 16, 1), clamp(exact, 16, 0), v, v >> 16)[self.outmod])

    def put_float(self, old, x):
        return self.put(old, float_bits(limited(x, self.outmod), 32 if self.full else 16))


def scalar_words(b, times):
    def each(op):
        for full, outmod in itertools.product((0, 1), range(4)):
            for _ in range(times):
                yield Scalar(b.random, op, full, outmod)

    for op, name, is_signed, value in COMPARE:
        for word in each(op):
            yield name, word, "bits", lambda row, w=word, s=is_signed, v=value: w.put_integer(
                row[2], v(w.integer(0, row[0], s), w.integer(1, row[1], s), 32))
    for word in each(0xc1):
        yield "icsel", word, "bits", lambda row, w=word: w.put_integer(
            row[2], w.integer(0, row[0], 0) if row[3] >> 96 else w.integer(1, row[1], 0))
    for op, name, value in FLOAT:
        for word in each(op):
            yield name, word, "floats", lambda row, w=word, v=value: w.put_integer(
                row[2], truth(v(w.number(0, row[0]), w.number(1, row[1]))))
    for word in each(0xc5):
        yield "fcsel", word, "floats", lambda row, w=word: w.put_float(
            row[2], w.number(0, row[0]) if row[3] >> 96 else w.number(1, row[1]))


# ---- rows -----------------------------------------------------------------------------------------
def joined(values, bits):
    return sum(v << i * bits for i, v in enumerate(values))


def rows_of(b, kind, bits):
    """Makes rows whose selectors are all ones or zeros: in w, or, for floats and patterns, in each
    element; for bits the other elements are random. Patterns are bits, many of them those of NaNs."""
    r, rows = b.random, []
    for row in b.integer_rows(bits):
        if kind in ("floats", "patterns"):
            first = [random_float(r, bits) for _ in range(128 // bits)]
            second = [r.choice((v, random_float(r, bits))) for v in first]
            elements = joined([r.choice((0, (1 << bits) - 1)) for _ in range(128 // bits)], bits)
            last = 64 if bits == 64 else 32
            by = elements & ONES >> last | r.choice((0, (1 << last) - 1)) << 128 - last
            sources = (joined(first, bits), joined(second, bits)) if kind == "floats" else row[:2]
            rows.append((*sources, row[2], by))
        else:
            rows.append((*row[:3], row[3] & ONES >> 32 | r.choice((0, (1 << 32) - 1)) << 96))
    return rows


# ---- many words in a run --------------------------------------------------------------------------
class Batch(Bench):
    """Several words, each between instructions that set the row's registers and that store R2 for it. The registers are
    loaded once: each access is much code for LLVM to compile."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.first = self.up_to_word(BEFORE.replace(SETS_R31, "MOV.i32 R5, TMP0, R2\n\n" + SETS_R31))
        self.again = self.up_to_word("start:\nMOV.i32 R2, TMP0, R5\n\n" + BEFORE[BEFORE.index(SETS_R31):])
        text = "".join(AFTER.replace("start:\n", "start:\n" if not n else "").replace("U2.x", f"U{2 + n // 2}.{'xz'[n % 2]}") + "\n"
                       for n in range(BATCH))
        stores = bytearray(self.assembled(text))
        size = len(self.after)
        assert len(stores) == BATCH * size
        self.stores = [stores[n * size:(n + 1) * size] for n in range(BATCH)]
        for store in self.stores:
            store[-16:] = self.after[-16:]

    def up_to_word(self, text):
        """Assembles what a word follows."""
        code = bytearray(self.assembled(text))
        code[-16] = code[-16] & 15 | TAG_ALU << 4
        return bytes(code)

    def code(self, words):
        parts = []
        for word, store in zip(words, self.stores):
            store = bytearray(store)
            if len(parts) < len(words) - 1:
                store[-16] = store[-16] & 15 | self.again[0] << 4 & 0xf0
            parts.append((self.again if parts else self.first) + word.encoded(store[0] & 15) + bytes(store))
        return b"".join(parts)

    def run_all(self, words, rows, translate):
        """Returns by word the R2 of each row; None if a word is refused."""
        scratch = pathlib.Path(self.scratch)
        (scratch / "code.bin").write_bytes(self.code(words))
        arguments = []
        for n in range(4):
            (scratch / str(n)).write_bytes(b"".join(row[n].to_bytes(16, "little") for row in rows))
            arguments += ["-arg", f"buffer={scratch / str(n)}"]
        for n in range(len(words)):
            arguments += ["-arg", f"zero:{16 * len(rows)}", "-dump", f"{4 + n}={scratch / f'out{n}'}"]
        done = run_limited([self.program, "-kernel", str(scratch / "code.bin"), "-gpu", self.gpu, "-global", str(len(rows)),
                            "-local", "8", "-translate", translate, *arguments])
        if done.returncode:
            print(f"status {done.returncode}: {done.stderr}")
            return None
        return [[int.from_bytes(raw[at:at + 16], "little") for at in range(0, len(raw), 16)]
                for raw in ((scratch / f"out{n}").read_bytes() for n in range(len(words)))]

    def check(self, cases, bits, kind):
        rows = rows_of(self, kind, bits)
        for translate in "0", "1":
            got = self.run_all([word for _, word, _, _ in cases], rows, translate)
            for n, (name, word, _, want) in enumerate(cases):
                self.words += 1
                for row, left in zip(rows, got[n] if got else [None] * ROWS):
                    if left != want(row):
                        self.tell(name, word, translate, row, left, want(row))
                        break

    def tell(self, name, word, translate, row, got, want):
        self.wrong += 1
        if self.wrong <= 8:
            print(f"{name}.{word.bits} ({type(word).__name__}, -translate {translate}) {vars(word)}")
            for text, v in ("R0", row[0]), ("R1", row[1]), ("old", row[2]), ("R31", row[3]), ("got", got), ("want", want):
                print(f"  {text:5}" + ("refused" if v is None else f"{v:032x}"))

    def check_all(self, cases, bits, share):
        """Checks all cases; of comparisons only one in `share`."""
        cases = [case for case in cases if "csel" in case[0] or not self.random.randrange(share)]
        cases.sort(key=lambda case: case[2])
        for kind, group in itertools.groupby(cases, key=lambda case: case[2]):
            group = list(group)
            for at in range(0, len(group), BATCH):
                self.check(group[at:at + BATCH], bits, kind)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mali-run", required=True)
    parser.add_argument("--gpu", default="t860")
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--share", type=int, default=1, help="compare with one in so many of the comparisons only")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("GENCC_SEED", random.randrange(1 << 32))))
    options = parser.parse_args()
    print(f"seed {options.seed}")
    with tempfile.TemporaryDirectory(prefix="gencc-test-") as scratch:
        b = Batch(options.mali_run, options.gpu, scratch, options.seed)
        for mode in range(4):
            b.check_all(vector_words(b, mode, options.times), 8 << mode, options.share)
        b.check_all(scalar_words(b, options.times), 32, options.share)
    print(f"{b.words} words of {ROWS} rows, {b.wrong} wrong")
    return 1 if b.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
