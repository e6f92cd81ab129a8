#!/usr/bin/env python3
"""Shaders by hand through mali-run -kernel: what they must leave is worked out here. And what mali-run says of
options that are no good."""
import argparse
import json
import math
import os
import random
import re
import struct
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from check import Check, floats, source  # noqa: E402  (it lies in this folder)
from options import vecadd  # noqa: E402

# sum[i] = a[i] + b[i]; arguments 0 a, 2 b, 4 sum, whose addresses are below 4 GB. Each word is
# followed by its text.
MIDGARD_VECADD = """
95102048300000003000000000000000    LDST_MOV R0.x~~~, GLOBAL_THREAD_ID.xyzx
590020021868f86a7b038048a40f7b03    MOV.i64 AL0.x, TMP0.[xx], R0.x.zext
8048a4f0000000000000000000000000    MOV.i64 AL0.y, TMP0.[xx], U0.x.zext
8503000000000000800804400c080000    LD.32 R0.~x~~, AL0.u64.z + AL0.u64.x << 2
58000002d86a7b038048a4f000000000    MOV.i64 AL0.y, TMP0.[xx], U1.x.zext
95882000c48000003000000000000000    LD.32 R0.x~~~, AL0.u64.z + AL0.u64.x << 2
590020020068b86e10822a0020307b03    FADD.f32 AL0.z, R0.y, R0.x
8048ae0f000000000000000000000000    MOV.i64 AL1.x, TMP0.[xx], U2.x.zext
15c8e055c98000003000000000000000    ST.32 AL0.zzzz, AL1.u64.x + AL0.u64.x << 2
"""

# to[i] = *(base + index * 4), where index is i + first, extended by its sign. Arguments 0 base, of
# 64 bits, 2 first, 3 to. The 32 bytes of a bundle stand beside its two instructions.
MIDGARD_INDEX = """
95102048300000003000000000000000    LDST_MOV R0.x~~~, GLOBAL_THREAD_ID.xyzx
89002200c006386c40020000a0037b03    ADD.i32 R1.x, R0.x, U1.x
0008a00f000000000000000000000000    MOV.i64 AL1.x, TMP0.[xx], R1.x.sext
58000200f86a7b030040ae0f00000000    MOV.i64 AL0.x, TMP0.[xx], U0
95882100c08800003000000000000000    LD.32 R1.x~~~, AL0.u64.x + AL1.u64.x << 2
890022001868d86e7b038008a00f7b03    MOV.i64 AL0.x, TMP0.[xx], R0.x.zext
800aa20f000000000000000000000000    MOV.i64 AL1.x, TMP0.[xx], U1.z.zext
5800020038687b027200a03000000000    MOV.i32 AL0.z, TMP0, R1.x
15c8e055c98000003000000000000000    ST.32 AL0.zzzz, AL1.u64.x + AL0.u64.x << 2
"""


def narrow(c):
    """Separate bytes and halves, interpreted and as host code, which gathers words that contain them: at each place of a page, its
    last bytes as well, and halves in two pages."""
    threads = 2048
    data = random.Random(5).randbytes(10 * threads + 2)
    want = b"".join(struct.pack("<IIII", data[5 * i], *struct.unpack_from("<H", data, 5 * i),
                                *struct.unpack_from("<H", data, 10 * i), 0) for i in range(threads))
    code = c.assembled("narrow_bifrost.s")
    for gpu, translate in ("g72", "0"), ("g72", "1"), ("g52", "1"):
        c.good(f"narrow on {gpu}", code, "-gpu", gpu, "-global", str(threads), "-local", "32", "-translate", translate, "-arg",
               "buffer=" + c.file("from", data), "-arg", f"zero:{16 * threads}", "-dump", "1=" + c.path("to"))
        c.expect(f"bytes and halves on {gpu}, -translate {translate}", c.content("to") == want)


def steps(c):
    """Lanes that access every word, byte or half, or one in two, three or four of them, or all the
    same one, across pages as well; memory in between does not change. As host code, single rows and
    the rows of a group together."""
    threads, most = 4096, 4096 * 16 + 64
    with open(source("steps_bifrost.s"), encoding="utf-8") as file:
        text = file.read()
    before, after = (random.Random(n).randbytes(most) for n in (6, 7))
    for size, load, store in (1, "LOAD.i8.w0.zext", "STORE.i8"), (2, "LOAD.i16.w0.zext", "STORE.i16"), (4, "LOAD.i32", "STORE.i32"):
        name = c.file(f"steps{size}.s", text.replace("LOAD.i32", load).replace("STORE.i32", store).encode())
        code = c.assembled(name)
        for step, offset in (0, 8), (1, 0), (2, 40), (4, 36), (3, 0):
            want = bytearray(after)
            for i in range(threads):
                at = i * step * size + offset
                want[at:at + size] = before[at:at + size]
            for translate in ("0", "1") if size == 4 else ("1",):
                c.good(f"steps of {step} times {size}", code, "-gpu", "g72", "-global", str(threads), "-local", "64", "-translate",
                       translate, "-arg", "buffer=" + c.file("from", before), "-arg", "buffer=" + c.file("to", after), "-arg",
                       f"u64:{offset << 32 | step * size}", "-dump", "1=" + c.path("got"), "-stats", c.path("stats"))
                c.expect(f"steps of {step} times {size} bytes, -translate {translate}", c.content("got") == want)
                total = json.loads(c.content("stats/stats.json"))["gpu"]["shader"]
                c.expect("each thread's accesses are counted", total["global_reads"] == total["global_writes"] == threads)


def words(c):
    """Lanes that read two, three or four words each: adjacent, the same, apart, or overlapping,
    across pages as well."""
    threads, most = 2048, 2048 * 44 + 64
    with open(source("words_bifrost.s"), encoding="utf-8") as file:
        text = file.read()
    before = random.Random(8).randbytes(most)
    for count in 2, 3, 4:
        code = c.assembled(c.file("words.s", text.replace("LOAD.i128", f"LOAD.i{32 * count}").encode()))
        for step, offset in (0, 8), (4, 0), (8, 4), (12, 0), (16, 8), (20, 4), (32, 0), (44, 12):
            want = b"".join(before[at:at + 4 * count].ljust(16, b"\0") for at in (offset + step * i for i in range(threads)))
            for translate in ("0", "1") if count == 4 else ("1",):
                what = f"{count} words {step} bytes apart, -translate {translate}"
                c.good(what, code, "-gpu", "g72", "-global", str(threads), "-local", "64", "-translate", translate, "-arg",
                       "buffer=" + c.file("from", before), "-arg", f"zero:{16 * threads}", "-arg", f"u64:{offset << 32 | step}",
                       "-dump", "1=" + c.path("got"), "-stats", c.path("stats"))
                c.expect(what, c.content("got") == want)
                total = json.loads(c.content("stats/stats.json"))["gpu"]["shader"]
                c.expect(f"{what}: each word is counted", (total["global_reads"], total["global_writes"]) ==
                         (count * threads, 4 * threads))


def stores(c):
    """Lanes that write two, three or four words each, adjacent or apart, across pages as well, in rows with all lanes
    and with some. Memory in between does not change."""
    threads, most = 2040, 2040 * 44 + 64
    with open(source("stores_bifrost.s"), encoding="utf-8") as file:
        text = file.read()
    before, after = random.Random(9).randbytes(16 * threads), random.Random(10).randbytes(most)
    for count in 2, 3, 4:
        code = c.assembled(c.file("stores.s", text.replace("STORE.i128", f"STORE.i{32 * count}").encode()))
        for step, offset in (8, 4), (12, 0), (16, 8), (20, 4), (32, 0), (44, 12):
            if step < 4 * count:
                continue
            want = bytearray(after)
            for i in range(threads):
                want[offset + step * i:offset + step * i + 4 * count] = before[16 * i:16 * i + 4 * count]
            for local, translate in ("60", "1"), ("24", "1"), ("24", "0"):
                what = f"stores of {count} words {step} bytes apart, local {local}, -translate {translate}"
                c.good(what, code, "-gpu", "g72", "-global", str(threads), "-local", local, "-translate", translate, "-arg",
                       "buffer=" + c.file("from", before), "-arg", "buffer=" + c.file("to", after), "-arg",
                       f"u64:{offset << 32 | step}", "-dump", "1=" + c.path("got"), "-stats", c.path("stats"))
                c.expect(what, c.content("got") == want)
                total = json.loads(c.content("stats/stats.json"))["gpu"]["shader"]
                c.expect(f"{what}: each word is counted", (total["global_reads"], total["global_writes"]) ==
                         (4 * threads, count * threads))


def merged_code(c, size):
    """The code that copies words of a size, whose text is that of halves."""
    with open(source("merge_bifrost.s"), encoding="utf-8") as file:
        text = file.read()
    for k in 0, 1, 2, 3:
        text = text.replace(f"r1:t1, r0, 0x{2 * k:08x}", f"r1:t1, r0, {k * size:x}")
    text = text.replace("#0, 0x00000003", f"#0, 0x{1 + size.bit_length():08x}").replace("STORE.i16", f"STORE.i{8 * size}")
    return c.assembled(c.file(f"merge{size}.s", text.replace("LOAD.i16.w0.zext", {1: "LOAD.i8.w0.zext", 4: "LOAD.i32"}.get(
        size, "LOAD.i16.w0.zext")).replace("r1:t1, r0, ", "r1:t1, r0, 0x0000000").encode()))


def one_by_one(c):
    """Lanes that copy four words, halves or bytes side by side, one after the other, so that loads are between the stores: to places
    that the next loads of the row read, and to others."""
    threads, before = 2048, random.Random(18).randbytes(1 << 17)
    for size in 1, 2, 4:
        code = merged_code(c, size)
        for ahead in 0, 1, 5, 68, 8200:
            want = bytearray(before)
            for row in range(0, threads, 16):
                for k in range(4):
                    at = [size * (4 * i + k) for i in range(row, row + 16)]
                    for to, word in [(i + size * ahead, want[i:i + size]) for i in at]:
                        want[to:to + size] = word
            for translate in "0", "1":
                what = f"four times {size} bytes, {size * ahead} bytes ahead, -translate {translate}"
                c.good(what, code, "-gpu", "g72", "-global", str(threads), "-local", "32", "-translate", translate,
                        "-arg", "buffer=" + c.file("words", before), "-arg", f"u32:{size * ahead}", "-dump",
                       "0=" + c.path("got"), "-stats", c.path("stats"))
                c.expect(what, c.content("got") == want)
                total = json.loads(c.content("stats/stats.json"))["gpu"]["shader"]
                c.expect(f"{what}: accesses", total["global_reads"] == total["global_writes"] == 4 * threads)


def loops(c):
    """Loops whose lanes read words apart, and go on in their pages for some rounds or leave them in each: all lanes at
    once, or one after the other."""
    threads, rounds, most = 96, 200, 1 << 20
    before = random.Random(12).randbytes(most)
    words = struct.unpack(f"<{most // 4}I", before)
    code = c.assembled("loop_bifrost.s")
    for apart, step in (4096, 4), (4104, 36), (200, 4), (8, 4096), (2048, 2048):
        want = struct.pack(f"<{threads}I", *(sum(words[(apart * i + step * k) // 4] for k in range(rounds)) & 0xffffffff
                                             for i in range(threads)))
        for translate in "0", "1", "20":
            what = f"loops of words {apart} apart, in steps of {step}, -translate {translate}"
            c.good(what, code, "-gpu", "g72", "-global", str(threads), "-local", "48", "-translate", translate, "-arg",
                   "buffer=" + c.file("from", before), "-arg", f"zero:{4 * threads}", "-arg", f"u64:{step << 32 | apart}", "-arg",
                   f"u32:{rounds}", "-dump", "1=" + c.path("got"), "-stats", c.path("stats"))
            c.expect(what, c.content("got") == want)
            total = json.loads(c.content("stats/stats.json"))["gpu"]["shader"]
            c.expect(f"{what}: accesses", (total["global_reads"], total["global_writes"]) == (threads * rounds, threads))


def closed_loops(c):
    """A loop that the last word of a shader closes, of lanes that leave it together or one after the other: sums and counts are
    those of the interpreter, and the loop is one function, not one for each of its words."""
    threads, code, draw = 96, c.assembled("loop_midgard.s"), random.Random(14)
    terms = [draw.randrange(1 << 32) for _ in range(threads)]
    for what, rounds, most in (("together", [300] * threads, 2), ("apart", [draw.randrange(60) for _ in range(threads)], 4)):
        arguments = [f"zero:{4 * threads}"]
        for name, words in ("terms", terms), ("rounds", rounds):
            arguments += ["u32:0", "buffer=" + c.file(name, struct.pack(f"<{threads}I", *words))]
        want, counted = struct.pack(f"<{threads}I", *(n * x & 0xffffffff for n, x in zip(rounds, terms))), []
        for translate, workers in ("0", "1"), ("1", "1"), ("50", "1"), ("3", "2"):
            about = f"a loop left {what}, -translate {translate}"
            out = c.good(about, code, "-gpu", "t860", "-global", str(threads), "-local", "48", "-translate", translate, "-threads",
                         workers, "-repeat", "2", "-shader-cache", "off", *(x for a in arguments for x in ("-arg", a)), "-dump", "0=" + c.path("sums"),
                         "-stats", c.path("stats"))
            c.expect(about, c.content("sums") == want)
            counted.append(c.content("stats/gpu_shaders.json"))
            if translate == "50":
                made = int(re.search(r"host code: (\d+) functions compiled", out)[1])
                c.expect(f"{about}: {made} functions", 0 < made <= most if c.llvm else made == 0)
        c.expect(f"counts of a loop left {what}", len(set(counted)) == 1)


def left_loops(c):
    """A loop that lanes leave one after the other, to wait behind it: some never enter it, and one lane, or one row, stays in it
    for long. Sums, counts, and the flow that a report has are those of the interpreter."""
    threads, words, code, draw = 8192, 16384, c.assembled("leave_bifrost.s"), random.Random(15)
    terms = [draw.randrange(1 << 32) for _ in range(words)]
    alone = [draw.randrange(400) if i % 500 == 7 else draw.randrange(3) for i in range(threads)]
    for what, rounds in (("soon", [draw.randrange(12) for _ in range(threads)]), ("late", alone),
                         ("together", [draw.randrange(1, 60)] * threads)):
        want = struct.pack(f"<{threads}I", *((sum(terms[i:i + n]) + (terms[i + n - 1] if n else 0)) & 0xffffffff
                                             for i, n in enumerate(rounds)))
        arguments = ["buffer=" + c.file("terms", struct.pack(f"<{words}I", *terms)), f"zero:{4 * threads}",
                     "buffer=" + c.file("rounds", struct.pack(f"<{threads}I", *rounds))]
        for more in (("-stats", c.path("stats")), ("-report", c.path("report")))[:1 + (what == "soon")]:
            counted = []
            for translate, workers in ("0", "1"), ("1", "1"), ("50", "1"), ("3", "2"):
                about = f"a loop left {what}, {more[0]}, -translate {translate}"
                c.good(about, code, "-gpu", "g72", "-global", str(threads), "-local", "64", "-translate", translate, "-threads",
                       workers, "-repeat", "2", *(x for a in arguments for x in ("-arg", a)), "-dump", "1=" + c.path("sums"), *more)
                c.expect(about, c.content("sums") == want)
                counted.append([c.content(os.path.join(more[1], name)) for name in sorted(os.listdir(more[1]))])
            c.expect(f"counts of a loop left {what}, {more[0]}", all(x == counted[0] for x in counted))


def starts_of(row, draw):
    """The words with which the lanes of a row begin: the same for all, one behind the other from lane to lane, with one lane elsewhere,
    or anywhere."""
    first, step, odd = draw.randrange(4096), draw.choice((0, 0, 1, 3)), draw.randrange(16)
    words = [first + step * lane for lane in range(16)]
    if row % 4 == 2:
        words[odd] = draw.randrange(4096)
    return [draw.randrange(4096) for _ in words] if row % 4 == 3 else words


def patterns(c):
    """A loop whose lanes read one word for all, or words in a line, in rows of which the first become hot, and not in others. Most rows
    with one lane elsewhere leave that lane behind at once. Sums and counts are those of the interpreter."""
    threads, words, code, draw = 4096, 8192, c.assembled("starts_bifrost.s"), random.Random(16)
    terms = [draw.randrange(1 << 32) for _ in range(words)]
    for what, most in ("alike", 1), ("apart", 40):
        starts = [word for row in range(threads // 16) for word in starts_of(row // 16, draw)]
        rounds = [60 + draw.randrange(most) * (starts[i // 16 * 16] != 0) for i in range(threads)]
        for i in range(0, threads, 16):
            base = max(set(starts[i:i + 16]), key=starts[i:i + 16].count)
            for lane in range(i, i + 16):
                rounds[lane] = 0 if most > 1 and starts[lane] != base and draw.randrange(2) else rounds[lane]
        want = struct.pack(f"<{threads}I", *(sum(terms[s:s + n]) & 0xffffffff for s, n in zip(starts, rounds)))
        arguments, counted = ["buffer=" + c.file("terms", struct.pack(f"<{words}I", *terms)), f"zero:{4 * threads}"], []
        for name, values in ("starts", [4 * s for s in starts]), ("rounds", rounds):
            arguments.append("buffer=" + c.file(name, struct.pack(f"<{threads}I", *values)))
        for translate, workers in ("0", "1"), ("1", "1"), ("50", "1"), ("3", "2"):
            about = f"lanes that begin {what}, -translate {translate}"
            c.good(about, code, "-gpu", "g72", "-global", str(threads), "-local", "64", "-translate", translate, "-threads", workers,
                   "-repeat", "2", *(x for a in arguments for x in ("-arg", a)), "-dump", "1=" + c.path("sums"), "-stats", c.path("stats"))
            c.expect(about, c.content("sums") == want)
            counted.append(c.content("stats/gpu_shaders.json") + c.content("stats/stats.json"))
        c.expect(f"counts of lanes that begin {what}", len(set(counted)) == 1)


def regions(c):
    """Lanes that read words anywhere in a buffer, and some of them in another one, which the host has elsewhere: rows find their pages one
    by one, then as a run of pages, and again one by one. So that the run grows, the first rows are in few pages."""
    threads, words, apart, code, draw = 4096, 1 << 16, 0x100000, c.assembled("starts_bifrost.s"), random.Random(17)
    terms, rounds = [draw.randrange(1 << 32) for _ in range(words)], [draw.randrange(1, 4) for _ in range(threads)]
    starts = [4 * draw.randrange(min(words, 256 * (1 + i // 16)) - 4) for i in range(threads)]
    for i in range(threads // 2, threads):
        if i // 16 % 8 == 3 and not draw.randrange(4):
            starts[i] = 3 * apart + 4 * draw.randrange(threads - 4)
    sums = []
    for start, n in zip(starts, rounds):
        where, first = (rounds, start - 3 * apart) if start >= apart else (terms, start)
        sums.append(sum(where[first // 4:first // 4 + n]) & 0xffffffff)
    arguments, counted = ["buffer=" + c.file("terms", struct.pack(f"<{words}I", *terms)), f"zero:{4 * threads}"], []
    for name, values in ("starts", starts), ("rounds", rounds):
        arguments.append("buffer=" + c.file(name, struct.pack(f"<{threads}I", *values)))
    for translate, workers in ("0", "1"), ("1", "1"), ("20", "2"):
        about = f"lanes in pages side by side, -translate {translate}"
        c.good(about, code, "-gpu", "g72", "-global", str(threads), "-local", "64", "-translate", translate, "-threads", workers, "-repeat",
               "2", *(x for a in arguments for x in ("-arg", a)), "-dump", "1=" + c.path("sums"), "-stats", c.path("stats"))
        c.expect(about, c.content("sums") == struct.pack(f"<{threads}I", *sums))
        counted.append(c.content("stats/gpu_shaders.json") + c.content("stats/stats.json"))
    c.expect("counts of lanes in pages side by side", len(set(counted)) == 1)


def searches(c):
    """A loop that lanes leave one after the other at two places, of which recorded rows mostly take one. Results and counters are those
    of the interpreter. The loop becomes one function, and not one for each of its parts, between which rows would go to and fro."""
    threads, code = 4096, c.assembled("search_bifrost.s")
    for mask, limit in (63, 1000), (63, 40), (4095, 70), (255, 255), (0, 5), (48, 1):
        found = [i & mask for i in range(threads)]
        want = struct.pack(f"<{threads}I", *(n if n < max(limit, 1) or not n else limit + 256 for n in found))
        counted = set()
        for translate, n in ("0", "1"), ("1", "1"), ("30", "1"), ("200", "2"):
            what = f"searches by {mask} up to {limit}, -translate {translate}"
            c.good(what, code, "-gpu", "g72", "-global", str(threads), "-local", "64", "-translate", translate, "-threads", n,
                   "-repeat", "3", "-arg", f"zero:{4 * threads}", "-arg", f"u64:{limit << 32 | mask}", "-dump", "0=" + c.path("found"),
                   "-stats", c.path("stats"))
            c.expect(what, c.content("found") == want)
            counted.add(c.content("stats/gpu_shaders.json") + c.content("stats/stats.json"))
        c.expect(f"counts of searches by {mask} up to {limit}", len(counted) == 1)
    for mask, limit in (63, 1000), (63, 40), (255, 255):
        out = c.good("functions", code, "-gpu", "g72", "-global", "32768", "-local", "64", "-translate", "500", "-threads", "1",
                     "-repeat", "6", "-arg", "zero:131072", "-arg", f"u64:{limit << 32 | mask}")
        functions = sum(map(int, re.search(r"(\d+) functions compiled, (\d+) kept", out).groups()))
        c.expect(f"searches by {mask} up to {limit}: {functions} functions", functions < 8)


def half_of(x):
    """The bits of a float as those of the nearest half; a NaN's are always the same."""
    if x != x:
        return 0x7e00
    try:
        return struct.unpack("<H", struct.pack("<e", x))[0]
    except OverflowError:
        return 0xfc00 if x < 0 else 0x7c00


def halves(c):
    """All halves in single precision, and numbers of single precision as halves: some random, some at and beside those
    that round to another half."""
    r, count = random.Random(11), 1 << 16
    words = [r.choice((r.getrandbits(32), (r.getrandbits(1) << 31) | (r.randrange(100, 146) << 23) | r.getrandbits(23),
                       (r.getrandbits(1) << 31) | (r.randrange(100, 146) << 23) | (r.getrandbits(11) << 12) + r.randrange(-1, 2)
                       & 0x7fffff)) for _ in range(count)]
    given = struct.pack(f"<{count}I", *words)
    wide = struct.unpack(f"<{count}e", struct.pack(f"<{count}H", *range(count)))
    want = b"".join((struct.pack("<I", 0x7fc00000) if w != w else struct.pack("<f", w)) + struct.pack("<2H", half_of(x), half_of(x))
                    for w, x in zip(wide, struct.unpack(f"<{count}f", given)))
    code = c.assembled("halves_bifrost.s")
    for gpu in "g72", "g52":
        for translate in "0", "1":
            what = f"halves on {gpu}, -translate {translate}"
            c.good(what, code, "-gpu", gpu, "-global", str(count), "-local", "64", "-translate", translate, "-arg",
                   "buffer=" + c.file("from", given), "-arg", f"zero:{8 * count}", "-dump", "1=" + c.path("got"))
            c.expect(what, c.content("got") == want)


def roots_and_integers(c):
    """Reciprocal roots, and floats as integers, of special numbers, those about the bounds of integers, and the one whose reciprocal root
    is nearest to the middle of two floats. Lanes of 16 and of 8, as the host's vectors take them at once or not."""
    r, threads = random.Random(17), 8192
    kinds = [0, 1, 0x7fffff, 0x800000, 0x403a18e3, 0x3f7fffff, 0x3f800000, 0x4effffff, 0x4f000000, 0x4f000001, 0x4f7fffff, 0x4f800000,
             0x7f7fffff, 0x7f800000, 0x7fc00000, 0x7f800001, 0x7fabcdef]
    given = [r.choice(kinds) | r.choice((0, 1 << 31)) if r.random() < 0.5 else r.randrange(1 << 32) for _ in range(threads)]

    def left(bits):
        x = struct.unpack("<f", struct.pack("<I", bits))[0]
        if x != x:
            return 0x7fc00000, 0, 0
        root = (0xff800000 if bits >> 31 else 0x7f800000) if x == 0 else 0x7fc00000 if x < 0 else struct.unpack(
            "<I", struct.pack("<f", 1 / math.sqrt(x)))[0]
        whole = 0 if math.isinf(x) else int(x)
        low, high, most = (x < 0) * -(1 << 31), (1 << 31) - 1, (1 << 32) - 1
        signed, plain = (low if x < 0 else high, 0 if x < 0 else most) if math.isinf(x) else (
            max(-(1 << 31), min(high, whole)), max(0, min(most, whole)))
        return root, signed & most, plain

    code, want = c.assembled("floats_bifrost.s"), b"".join(struct.pack("<3I", *left(bits)) for bits in given)
    for gpu in "g72", "g52":
        for translate in "0", "1":
            what = f"roots and integers of floats on {gpu}, -translate {translate}"
            c.good(what, code, "-gpu", gpu, "-global", str(threads), "-local", "64", "-translate", translate, "-arg", "buffer=" + c.file(
                "from", struct.pack(f"<{threads}I", *given)), "-arg", f"zero:{12 * threads}", "-dump", "1=" + c.path("got"))
            c.expect(what, c.content("got") == want)


NAN_KINDS = (0, 0x3f800000, 0xbf800000, 0x40000000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001, 0xffffffff, 0x7fabcdef)


def number(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def bits_of(x):
    """Returns the bits of a result, which is the GPU's one NaN if it is a NaN."""
    return 0x7fc00000 if x != x else struct.unpack("<I", struct.pack("<f", x))[0]


def nans(c):
    """Results that are NaNs, in a loop that its lanes leave together or one after the other. What no round has computed keeps its
    bits; each result that is a NaN is the GPU's one, also where it is read as an integer."""
    r, threads = random.Random(13), 4096

    def left(x, y, rounds):
        w, integers, differences = x, 0, 0
        for n in range(rounds):
            w = bits_of(number(w) * number(y) + number(x)) if n else w
            x = bits_of(number(x) * number(y) + number(y))
            integers = integers + x & 0xffffffff
            differences = bits_of(number(differences) + number(bits_of(number(x) * number(y) - number(x))))
        return x, w, integers, differences

    given = [(r.choice(NAN_KINDS), r.choice(NAN_KINDS)) for _ in range(threads)]
    code = c.assembled("nans_bifrost.s")
    for most in 0, 7, 8:
        want = b"".join(struct.pack("<4I", *left(x, y, (i & most) + 1)) for i, (x, y) in enumerate(given))
        for translate in "0", "1", "20":
            what = f"NaNs in up to {most + 1} rounds, -translate {translate}"
            c.good(what, code, "-gpu", "g72", "-global", str(threads), "-local", "64", "-translate", translate, "-arg", "buffer=" + c.file(
                "from", b"".join(struct.pack("<2I", *pair) for pair in given)), "-arg", f"zero:{16 * threads}", "-arg", f"u32:{most}",
                "-dump", "1=" + c.path("got"))
            c.expect(what, c.content("got") == want)


def abreast(c):
    """A loop of several rows at once, which leave it in one round, each in its own, or lane by lane. Results and counters are those of
    the interpreter."""
    threads, nobody, code = 2048, 60000, c.assembled("abreast_bifrost.s")
    for gpu, local, most, mask, number in (("g72", 256, 40, 0, nobody), ("g72", 192, 40, 0x70, nobody), ("g52", 64, 20, 0xf0, nobody),
                                           ("g72", 128, 30, 0, 1000), ("g72", 100, 25, 0x100, 77), ("g72", 64, 40, 1, nobody),
                                           ("g72", 256, 300, 0, nobody), ("g72", 256, 5000, 0, 1999)):
        got, counted = set(), set()
        for translate, host in ("0", "1"), ("1", "1"), ("40", "2"), ("200", "1"):
            what = f"rows abreast, groups of {local} on {gpu}, {most} rounds + {mask}, thread {number}, -translate {translate}"
            out = c.good(what, code, "-gpu", gpu, "-global", str(threads // local * local), "-local", str(local), "-translate", translate,
                         "-threads", host, "-repeat", "2", "-arg", f"zero:{16 * threads}", "-arg", f"u64:{mask << 32 | most}", "-arg",
                         f"u64:{0xbf700000 << 32 | -number & 0xffffffff}", "-dump", "0=" + c.path("got"), "-stats", c.path("stats"))
            rows = int(re.search(r"(\d+) abreast in loops", out)[1])
            if mask != 1:  # lanes that leave one after the other
                c.expect(f"{what}: {rows} rows abreast", bool(rows) == (c.llvm and int(translate) > 1))
            got.add(c.content("got"))
            counted.add(c.content("stats/gpu_shaders.json") + c.content("stats/stats.json"))
        c.expect(f"{what}: results", len(got) == 1)
        c.expect(f"{what}: counts", len(counted) == 1)


def midgard_buffers(buffers):
    """Returns the options of arguments that a shader finds in the first words of uniforms 0, 1 and so on."""
    return [x for buffer in buffers for x in ("-arg", buffer, "-arg", "u32:0")]


def choices(c):
    """A product of one of two products: NaNs among them are the GPU's one in what is chosen, which is stored, and in its product."""
    r, threads = random.Random(17), 1024
    xs, ys = ([r.choice(NAN_KINDS) for _ in range(threads)] for _ in "xy")
    chosen = [bits_of(number(x) * number(x if number(y) < number(x) else y)) for x, y in zip(xs, ys)]
    want = chosen, [bits_of(number(z) * number(y)) for z, y in zip(chosen, ys)]
    given = ["buffer=" + c.file(name, struct.pack(f"<{threads}I", *words)) for name, words in (("x", xs), ("y", ys))]
    for translate in "0", "1", "20":
        what = f"choices, -translate {translate}"
        c.good(what, c.assembled("choices_midgard.s"), "-gpu", "t860", "-global", str(threads), "-local", "64", "-translate", translate,
               "-shader-cache", "off", *midgard_buffers([*given, *[f"zero:{4 * threads}"] * 2]), "-dump", "4=" + c.path("chosen"), "-dump", "6=" + c.path("products"))
        for name, words in zip(("chosen", "products"), want):
            c.expect(f"{what}: {name}", c.content(name) == struct.pack(f"<{threads}I", *words))


def many_accesses(c):
    """Threads that read 40 words each, from their start to their end one function for many rows: none is cut at its 32nd access."""
    threads, words = 2048, 40
    text = "LDST_MOV R0.x~~~, GLOBAL_THREAD_ID.xyzx\n\nMOV.i64 AL0.x, TMP0.[xx], R0.x.zext\nMOV.i64 AL0.y, TMP0.[xx], U0.x.zext\n\n"
    text += "MOV.i32 R2.x, TMP0.x, #0\n\n"
    for i in range(words):
        text += f"LD.32 R1.x~~~, AL0.u64.z + AL0.u64.x << 2 + {4 * i:#x}\n\nADD.i32 R2.x, R2.x, R1.x\n\n".replace(" + 0x0", "")
    text += "MOV.i32 AL1.x, TMP0.x, R2.x\nMOV.i64 AL0.y, TMP0.[xx], U1.x.zext\n\nST.32 AL1.xxxx, AL0.u64.z + AL0.u64.x << 2\n"
    code = c.assembled(c.file("many_midgard.s", "".join(f"word_{n}:\n{part}\n\n" for n, part in enumerate(text.strip().split("\n\n"))).encode()))
    given = [random.Random(19).randrange(1 << 32) for _ in range(threads + words)]
    want = struct.pack(f"<{threads}I", *(sum(given[i:i + words]) & 0xffffffff for i in range(threads)))
    for translate in "0", "20":
        what = f"{words} reads of each thread, -translate {translate}"
        out = c.good(what, code, "-gpu", "t860", "-global", str(threads), "-local", "64", "-translate", translate, "-repeat", "3", *midgard_buffers(
            ["buffer=" + c.file("words", struct.pack(f"<{len(given)}I", *given)), f"zero:{4 * threads}"]), "-dump", "2=" + c.path("sums"))
        c.expect(what, c.content("sums") == want)
        together = int(re.search(r"(\d+) in host code of many", out)[1])
        c.expect(f"{what}: {together} rows together", together > threads // 16 if c.llvm and translate != "0" else not together)


def stacks(c):
    """Words of threads' own memory that a trace has written are known in it, until other writes change them: of half a word,
    and by the address. Each access is counted."""
    threads = 256
    with open(source("stack_bifrost.s"), encoding="utf-8") as file:
        text = file.read()
    for bytes_each in 1024, 64:
        shift = bytes_each.bit_length() - 1
        code = c.assembled(c.file("stack.s", text.replace("#0, 0x0000000a", f"#0, 0x{shift:08x}").encode()))
        want = b""
        for i in range(threads):
            words = [i + 0x100, i + 0x200 | i << 16, i + 0x300, i + 0x400]
            want += struct.pack("<8I", *words, words[0], words[1], i, words[3])
        for translate in "0", "1":
            what = f"stacks of {bytes_each} bytes, -translate {translate}"
            c.good(what, code, "-gpu", "g72", "-global", str(threads), "-local", "64", "-translate", translate, "-stack", str(bytes_each), "-local-memory", "0",
                   "-arg", f"zero:{32 * threads}", "-arg", "u64:0x4000000", "-dump", "0=" + c.path("got"), "-stats", c.path("stats"))
            c.expect(what, c.content("got") == want)
            total = json.loads(c.content("stats/stats.json"))["gpu"]["shader"]
            c.expect(f"{what}: accesses", [total[name] for name in ("thread_memory_reads", "thread_memory_writes", "global_writes")] ==
                     [8 * threads, 6 * threads, 8 * threads])


def indexed_memory(thread, bytes_each, added):
    """Returns what a thread of indexed_bifrost.s stores."""
    memory = bytearray(bytes_each)
    places = [(thread & 15) + added, 4 * (thread & 15) + added]
    memory[places[0]] = thread + 0x100 & 0xff
    struct.pack_into("<I", memory, places[1], thread + 0x01020304)
    struct.pack_into("<H", memory, places[0] + 7, thread)
    return (memory[places[0]:places[0] + 4] + bytes([memory[places[1] + 2]]) + bytes(3)).ljust(16, b"\0") + memory[places[1]:places[1] + 16]


def indexed(c):
    """Threads access places of their own memory that differ from thread to thread: bytes, halves and words, of all lanes of a row and of
    some, where the memory of a row is in one page and where it is in several. Each access is counted."""
    code, threads = c.assembled("indexed_bifrost.s"), 400
    for gpu, bytes_each, added in ("g72", 128, 0), ("g72", 1024, 901), ("g52", 256, 33), ("g52", 4096, 4019):
        want = b"".join(indexed_memory(i, bytes_each, added) for i in range(threads))
        for translate in "0", "1":
            what = f"indexed places of {bytes_each} bytes on {gpu}, -translate {translate}"
            c.good(what, code, "-gpu", gpu, "-global", str(threads), "-local", "40", "-translate", translate, "-stack", str(bytes_each),
                   "-local-memory", "0", "-repeat", "2", "-arg", f"zero:{32 * threads}", "-arg", f"u64:{added}", "-dump", "0=" + c.path("got"),
                   "-stats", c.path("stats"))
            c.expect(what, c.content("got") == want)
            total = json.loads(c.content("stats/stats.json"))["gpu"]["shader"]
            c.expect(f"{what}: accesses", [total[name] for name in ("thread_memory_reads", "thread_memory_writes", "global_writes")] ==
                     [2 * n * threads for n in (6, 3, 6)])


def atomics(c):
    """Atomic operations at one address and at several, of groups that run one after the other in host code: the old values are those of the
    threads' order, on any number of host threads, and rows stay together."""
    code, threads = c.assembled("atomics_bifrost.s"), 4096
    want = b"".join(struct.pack("<4I", i * (i - 1) // 2, 0, i // 8, 0) for i in range(threads))
    words = struct.pack("<9I", threads * (threads - 1) // 2, *[threads // 8] * 8)
    for gpu in "g72", "g52":
        counted = set()
        for translate, n in ("0", "1"), ("1", "1"), ("1", "3"), ("90", "1"):
            what = f"atomic operations on {gpu}, -translate {translate}, {n} threads"
            out = c.good(what, code, "-gpu", gpu, "-global", str(threads), "-local", "64", "-local-memory", "0", "-stack", "0", "-translate", translate,
                         "-threads", n, "-repeat", "2", "-arg", f"zero:{16 * threads}", "-arg", "zero:36", "-dump", "0=" + c.path("got"),
                         "-dump", "1=" + c.path("words"), "-stats", c.path("stats"))
            c.expect(what, c.content("got") == want and c.content("words") == words)
            counted.add(c.content("stats/gpu_shaders.json") + c.content("stats/stats.json"))
            together = int(re.search(r"(\d+) in host code of many", out)[1])
            c.expect(f"{what}: {together} rows together", together > threads // 32 if c.llvm and translate != "0" else not together)
        c.expect(f"counts of atomic operations on {gpu}", len(counted) == 1)


def kinds(c):
    """Bundles that access local and other memory: translated with one kind, all or some lanes later
    access the other. Each access counts as what it was."""
    code, threads, local = c.assembled("kinds_bifrost.s"), 4096, 0x4000000
    want = struct.pack(f"<{threads}I", *range(1, threads + 1))
    for bits in 0, 1, 64, 512, 2048, 0xfff:
        inside = sum(1 for x in range(threads) if x & bits)
        for translate in ("0", "1", "40") if bits == 1 else ("1", "40"):
            what = f"kinds by {bits}, -translate {translate}"
            c.good(what, code, "-gpu", "g72", "-global", str(threads), "-local", "64", "-translate", translate, "-arg",
                   f"zero:{4 * threads}", "-arg", f"u64:{local << 32 | bits}", "-arg", f"zero:{4 * threads}", "-dump",
                   "2=" + c.path("read"), "-stats", c.path("stats"))
            c.expect(what, c.content("read") == want)
            total = json.loads(c.content("stats/stats.json"))["gpu"]["shader"]
            c.expect(f"{what}: accesses", [total[name] for name in ("global_reads", "global_writes", "local_reads", "local_writes")] ==
                     [threads - inside, 2 * threads - inside, inside, inside])


def registers_begin_anew(c):
    """Rows whose registers a trace wrote, and that waited at a barrier, give their memory to other
    rows, which find zeros."""
    code, threads = c.assembled("anew_bifrost.s"), 2048
    for translate in "0", "1":
        c.good("registers", code, "-gpu", "g72", "-global", str(threads), "-local", "64", "-translate", translate, "-arg",
               f"zero:{8 * threads}", "-dump", "0=" + c.path("counts"))
        c.expect(f"a register that is counted twice, -translate {translate}",
                 c.content("counts") == threads * struct.pack("<2I", 1, 2))


def barriers(c):
    """Rows of a work-group that wait at one barrier, or at two, and go on, part or end behind them: results and counters are
    those of the interpreter."""
    code, threads = c.assembled("barriers_bifrost.s"), 4096
    for goes_on, other in (0x3fff, 0), (0, 0), (64, 0), (16, 0), (48, 0), (1, 0), (13, 0), (0x3fff, 32), (16, 32), (3, 16), (1, 4):
        want = b"".join(struct.pack("<2I", 1, 3 if x & other else 2 if x & goes_on else 0) for x in range(threads))
        counted = set()
        for translate, n in ("0", "1"), ("1", "1"), ("3", "2"), ("40", "1"):
            what = f"barriers by {goes_on} and {other}, -translate {translate}"
            c.good(what, code, "-gpu", "g72", "-global", str(threads), "-local", "128", "-translate", translate, "-threads", n,
                   "-arg", f"zero:{8 * threads}", "-arg", f"u64:{other << 32 | goes_on}", "-dump", "0=" + c.path("got"),
                   "-stats", c.path("stats"))
            c.expect(what, c.content("got") == want)
            counted.add(c.content("stats/gpu_shaders.json") + c.content("stats/stats.json"))
        c.expect(f"counts by {goes_on} and {other}", len(counted) == 1)


def one_place(c):
    """Lanes that write one to four words each to a place that all share: those of the last thread stay, in rows with all lanes and with
    some, across a page's end as well."""
    with open(source("stores_bifrost.s"), encoding="utf-8") as file:
        text = file.read().replace("IMUL.i32 t0, r60, u2.w0", "IMUL.i32 t0, u2.w0, u2.w0")
    before, after = random.Random(17).randbytes(16 * 2040), random.Random(18).randbytes(4160)
    for count in 1, 2, 3, 4:
        code = c.assembled(c.file("place.s", text.replace("STORE.i128", f"STORE.i{32 * count}").encode()))
        for threads, local, offset, translate in (2040, 60, 4, "1"), (2040, 24, 4, "0"), (2030, 290, 64, "1"), (2001, 87, 4092, "1"):
            want = after[:offset] + before[16 * threads - 16:16 * threads - 16 + 4 * count] + after[offset + 4 * count:]
            what = f"{count} words of {threads} threads at {offset}, local {local}, -translate {translate}"
            c.good(what, code, "-gpu", "g72", "-global", str(threads), "-local", str(local), "-translate", translate, "-threads",
                   "1", "-arg", "buffer=" + c.file("from", before), "-arg", "buffer=" + c.file("to", after), "-arg",
                   f"u64:{offset << 32}", "-dump", "1=" + c.path("got"), "-stats", c.path("stats"))
            c.expect(what, c.content("got") == want)
            total = json.loads(c.content("stats/stats.json"))["gpu"]["shader"]
            c.expect(f"{what}: each word is counted", total["global_writes"] == count * threads)


def kept_words(given, threads, first, second, last):
    """Returns what the threads of kept_bifrost.s store in a, b and c."""
    a = [(w + 1) & 0xffffffff for w in given]
    w = [x + 100 * (i == first) for i, x in enumerate(given)]
    b = [(a[i ^ 16] + w[i] + 4 * i) & 0xffffffff for i in range(threads)]
    c = [0 if i == last else (b[i ^ 32] + b[i] + 1000 * (i == second) + w[i]) & 0xffffffff for i in range(threads)]
    return [struct.pack(f"<{threads}I", *words) for words in (a, b, c)]


def kept_at_barriers(c):
    """Rows of a work-group that run together through two barriers, with registers that are read behind them, until one row goes
    another way before, between or behind them, as the first of its group, the last or in the middle. Results and counters are
    those of the interpreter."""
    code, threads, nobody = c.assembled("kept_bifrost.s"), 4096, 60000
    given = [random.Random(16).randrange(1 << 32) for _ in range(threads)]
    ways = [(nobody, nobody, nobody), (2048, 3000, 3519), (2111, 2175, 2240), (2083, nobody, nobody), (nobody, 2083, nobody),
            (nobody, nobody, 2083), (nobody, 4095, 2048)]
    for gpu, way in [("g72", way) for way in ways] + [("g52", ways[1]), ("g52", ways[2])]:
        want, counted = kept_words(given, threads, *way), set()
        numbers = [f"u64:{-way[0] % 65536 | -way[1] % 65536 << 32}", f"u32:{-way[2] % 65536}"]
        for translate, n in ("0", "1"), ("1", "1"), ("7", "2"), ("40", "1"):
            what = f"threads {way} go elsewhere on {gpu}, -translate {translate}"
            out = c.good(what, code, "-gpu", gpu, "-global", str(threads), "-local", "64", "-translate", translate, "-threads", n,
                         "-repeat", "2", *(x for a in [f"zero:{4 * threads}"] * 3 + ["buffer=" + c.file(
                             "from", struct.pack(f"<{threads}I", *given))] + numbers for x in ("-arg", a)),
                         *(x for i in range(3) for x in ("-dump", f"{i}=" + c.path(f"got{i}"))), "-stats", c.path("stats"))
            for i in range(3):
                c.expect(f"{what}: {'abc'[i]}", c.content(f"got{i}") == want[i])
            counted.add(c.content("stats/gpu_shaders.json") + c.content("stats/stats.json"))
            together = int(re.search(r"(\d+) in host code of many", out)[1])
            c.expect(f"{what}: {together} rows together", together > threads // 16 if c.llvm and translate != "0" else not together)
        c.expect(f"counts of {way} on {gpu}", len(counted) == 1)


def rounds_words(threads, rounds, number, m, n):
    """Returns what the threads of rounds_bifrost.s store in a and b."""
    a, b = list(range(threads)), []
    for k in range(rounds, 0, -1):
        b = [(a[x] + a[x ^ m] + 4 * x + 100 * (x + 16 * k == number)) & 0xffffffff for x in range(threads)]
        a = [(b[x] + b[x ^ n]) & 0xffffffff for x in range(threads)]
    return [struct.pack(f"<{threads}I", *words) for words in (a, b)]


def rounds_with_barriers(c):
    """Rows of a work-group, of which the last may have fewer threads, that come from barrier to barrier in a loop, until one row goes
    another way. Results and counters are those of the interpreter."""
    code, nobody = c.assembled("rounds_bifrost.s"), 60000
    ways = [("g72", 4096, 64, nobody, 16, 32), ("g72", 4096, 128, 2083, 64, 16), ("g72", 4200, 60, 2100, 1, 2), ("g72", 4200, 60, nobody, 2, 1),
            ("g72", 2048, 16, 1029, 8, 4), ("g52", 4096, 64, 4095, 32, 16), ("g72", 3200, 200, 3199, 4, 1)]
    for gpu, threads, local, number, m, n in ways:
        rounds, counted = 9, set()
        want = rounds_words(threads, rounds, number, m, n)
        for translate, host in ("0", "1"), ("1", "1"), ("2", "3"), ("12", "1"):
            what = f"rounds of {threads} threads by {local} on {gpu}, {number} elsewhere, -translate {translate}"
            out = c.good(what, code, "-gpu", gpu, "-global", str(threads), "-local", str(local), "-translate", translate,
                         "-threads", host, "-repeat", "2", "-arg", f"zero:{4 * threads}", "-arg", f"zero:{4 * threads}",
                         "-arg", f"u64:{-number % 65536 << 32 | rounds}", "-arg", f"u64:{4 * n << 32 | 4 * m}",
                         "-dump", "0=" + c.path("a"), "-dump", "1=" + c.path("b"), "-stats", c.path("stats"))
            c.expect(f"{what}: a", c.content("a") == want[0])
            c.expect(f"{what}: b", c.content("b") == want[1])
            together = int(re.search(r"(\d+) in host code of many", out)[1])
            c.expect(f"{what}: {together} rows together", together if c.llvm and translate != "0" else not together)
            counted.add(c.content("stats/gpu_shaders.json") + c.content("stats/stats.json"))
        c.expect(f"counts of rounds by {local} on {gpu}", len(counted) == 1)


def beside_words(size, local, mask, number, cores):
    """Returns what the threads of beside_bifrost.s store."""
    words = []
    for i in range(size[0] * size[1] * size[2]):
        at = i % size[0], i // size[0] % size[1], i // size[0] // size[1]
        group = [a // n for a, n in zip(at, local)]
        index = group[0] + size[0] // local[0] * (group[1] + size[1] // local[1] * group[2])
        words.append((index % cores, group[0] | group[1] << 8 | group[2] << 16, at[0] % local[0] | at[1] % local[1] << 16,
                      7 + at[0] if i & mask == number else i))
    return b"".join(struct.pack("<4I", *w) for w in words)


def groups_beside(c):
    """Groups without memory of their own run one after the other in host code, until a row goes another way: the first of its group,
    one in the middle, the last, or none. Results and counters are those of the interpreter."""
    code, size, cores = c.assembled("beside_bifrost.s"), (48, 32, 12), {"g72": 12, "g52": 6}
    total = size[0] * size[1] * size[2]
    for gpu, local in ("g72", (16, 4, 1)), ("g72", (48, 2, 1)), ("g72", (16, 2, 2)), ("g52", (16, 4, 2)):
        for mask, number in (0, 1), (0x1fff, 0x12a0), (0x1fff, 0x0cc7), (0xfff, 0xa7f), (0x3ffff, 0):
            want, counted = beside_words(size, local, mask, number, cores[gpu]), set()
            for translate, n in ("0", "1"), ("1", "1"), ("1", "3"), ("90", "1"):
                what = f"groups of {local} on {gpu}, {number:#x} of {mask:#x} leaves, -translate {translate}, {n} threads"
                out = c.good(what, code, "-gpu", gpu, "-global", ",".join(map(str, size)), "-local", ",".join(map(str, local)),
                             "-local-memory", "0", "-stack", "0", "-translate", translate, "-threads", n, "-repeat", "2",
                             "-arg", f"zero:{16 * total}", "-arg", f"u64:{number << 32 | mask}",
                             "-arg", f"u64:{size[1] << 32 | size[0]}", "-dump", "0=" + c.path("got"), "-stats", c.path("stats"))
                c.expect(what, c.content("got") == want)
                counted.add(c.content("stats/gpu_shaders.json") + c.content("stats/stats.json"))
                together = int(re.search(r"(\d+) in host code of many", out)[1])
                c.expect(f"{what}: {together} rows", together > total // 16 if c.llvm and translate != "0" else not together)
            c.expect(f"counts of groups of {local} on {gpu}, {number:#x} of {mask:#x}", len(counted) == 1)


def both_ways(c):
    """Rows of which every other one, or one in four, goes another way than the recorded row: both ways are code of the function for many
    rows. Results and counters are those of the interpreter."""
    code, size, local = c.assembled("beside_bifrost.s"), (512, 64, 1), (64, 2, 1)
    total = size[0] * size[1]
    for mask, number in (16, 16), (48, 16), (48, 48):
        want, counted = beside_words(size, local, mask, number, 12), set()
        for translate, n in ("0", "1"), ("1", "1"), ("20", "2"):
            what = f"rows of {number:#x} in {mask:#x} go another way, -translate {translate}"
            out = c.good(what, code, "-gpu", "g72", "-global", ",".join(map(str, size)), "-local", ",".join(map(str, local)),
                         "-local-memory", "0", "-stack", "0", "-translate", translate, "-threads", n, "-repeat", "2",
                         "-arg", f"zero:{16 * total}", "-arg", f"u64:{number << 32 | mask}",
                         "-arg", f"u64:{size[1] << 32 | size[0]}", "-dump", "0=" + c.path("got"), "-stats", c.path("stats"))
            c.expect(what, c.content("got") == want)
            counted.add(c.content("stats/gpu_shaders.json") + c.content("stats/stats.json"))
            together = int(re.search(r"(\d+) in host code of many", out)[1])
            c.expect(f"{what}: {together} of {total // 8} rows", together > total // 10 if c.llvm and translate != "0" else not together)
        c.expect(f"counts of rows of {number:#x} in {mask:#x}", len(counted) == 1)


def edges(c):
    """Rows that follow the trace to its end, then one that leaves it. Most rows run together in host code, though the first one,
    which becomes hot, may be in the line that all others leave the trace of."""
    code, width, lines = c.assembled("edge_bifrost.s"), 256, 64
    for translate, odd in ("0", 37), ("1", 0), ("1", 37), ("1", 63):
        out = c.good("edges", code, "-gpu", "g72", "-global", f"{width},{lines}", "-local", "16,8", "-translate", translate,
                     "-threads", "1", "-repeat", "2", "-arg", f"zero:{width * lines}", "-arg", f"u32:{odd}", "-arg",
                     f"u32:{width}", "-dump", "0=" + c.path("lines"))
        c.expect(f"line {odd} is another, -translate {translate}", c.content("lines") ==
                 b"".join(bytes([7 if y == odd else 3]) * width for y in range(lines)))
        together = int(re.search(r"(\d+) in host code of many", out)[1])
        c.expect(f"line {odd}, -translate {translate}: {together} rows together",
                 together > width * lines // 16 if c.llvm and translate != "0" else not together)


def frames(c):
    """Lanes that end at the start of a few rows: most rows run together in host code, though the row that becomes hot is one of
    the few, and the last bundle jumps to the end."""
    code, width, lines = c.assembled("frame_bifrost.s"), 1024, 16
    for translate in "0", "1", "40":
        for column in 0, 80, width:
            what = f"column {column} ends, -translate {translate}"
            out = c.good(what, code, "-gpu", "g72", "-global", f"{width},{lines}", "-local", "16,8", "-translate", translate,
                         "-repeat", "3", "-arg", f"zero:{width * lines}", "-arg", f"u32:{column}", "-arg", f"u32:{width}", "-dump",
                         "0=" + c.path("lines"))
            c.expect(what, c.content("lines") == bytes(0 if x == column else 3 for x in range(width)) * lines)
            if translate == "40":
                together = int(re.search(r"(\d+) in host code of many", out)[1])
                c.expect(f"{what}: rows together", together > width * lines // 16 if c.llvm else together == 0)


def parted(x, bits, inside):
    """Returns what a thread of parts_bifrost.s stores."""
    return (8 if not x & bits else 5 + x + (0x40 if x & inside else 0x21)) & 255


def parts(c):
    """Lanes that diverge and reconverge, or end while others continue: results and counters are
    those of the interpreter; and such rows run together in host code."""
    code, threads = c.assembled("parts_bifrost.s"), 4096
    for bits, inside, further in (1, 2, 4), (6, 1, 1), (16, 1, 16), (0, 1, 8), (9, 9, 0), (256, 1, 64):
        first = bytes(parted(x, bits, inside) for x in range(threads))
        second = bytes(v + 1 & 255 if x & further else 0 for x, v in enumerate(first))
        counted = []
        for gpu, translate, n in ("g72", "0", "1"), ("g72", "1", "1"), ("g72", "3", "2"), ("g72", "40", "1"), ("g52", "1", "1"):
            what = f"parts by {bits}, {inside}, {further} on {gpu}, -translate {translate}"
            out = c.good(what, code, "-gpu", gpu, "-global", str(threads), "-local", "64", "-translate", translate, "-threads", n,
                         "-repeat", "3", "-arg", f"zero:{threads}", "-arg", f"u64:{inside << 32 | bits}", "-arg", f"u32:{further}",
                         "-arg", f"zero:{threads}", "-dump", "0=" + c.path("first"), "-dump", "3=" + c.path("second"), "-stats",
                         c.path("stats"))
            c.expect(what, (c.content("first"), c.content("second")) == (first, second))
            if gpu == "g72":
                counted.append(c.content("stats/gpu_shaders.json"))
            if translate == "40" and bits % 16:
                together = int(re.search(r"(\d+) in host code of many", out)[1])
                c.expect(f"{what}: rows together", together > threads // 16 if c.llvm else together == 0)
        c.expect(f"counts by {bits}, {inside}, {further}", len(set(counted)) == 1)


def few_rows_diverge(c):
    """One row in 16 diverges where the others do not, and does not where they do: the trace that is recorded for it must not stay in the
    place of that of the others."""
    code, threads, bits, inside = c.assembled("parts_bifrost.s"), 32768, 0xf1, 1
    first, counted = bytes(parted(x, bits, inside) for x in range(threads)), set()
    for translate in "0", "40":
        what = f"one row in 16 diverges, -translate {translate}"
        out = c.good(what, code, "-gpu", "g72", "-global", str(threads), "-local", "64", "-translate", translate, "-repeat", "3", "-arg",
                     f"zero:{threads}", "-arg", f"u64:{inside << 32 | bits}", "-arg", "u32:0", "-arg", f"zero:{threads}", "-dump",
                     "0=" + c.path("first"), "-stats", c.path("stats"))
        c.expect(what, c.content("first") == first)
        counted.add(c.content("stats/gpu_shaders.json"))
        together = int(re.search(r"(\d+) in host code of many", out)[1])
        c.expect(f"{what}: {together} rows together", together > threads // 16 if c.llvm and translate != "0" else not together)
    c.expect("counts where one row in 16 diverges", len(counted) == 1)


def ids_and_numbers(c):
    """Six threads in x, four in y, groups of 3 by 2: rows of y overwrite each other except for the
    group's y, which is not stored."""
    code = c.assembled("ids_bifrost.s")
    c.good("ids", code, "-gpu", "g52", "-global", "6,4,1", "-local", "3,2", "-arg", "zero:96",
           "-arg", "u64:0x123456789abcdef0", "-dump", "0=" + c.path("ids"))
    words = struct.unpack("<24I", c.content("ids"))
    for x in range(6):
        c.expect(f"thread {x}", words[4 * x] & 0xffff == x % 3 and words[4 * x] >> 16 in (0, 1) and
                 words[4 * x + 1:4 * x + 4] == (x, 0x9abcdef0, 0x12345678))
    c.good("a negative number", code, "-gpu", "g52", "-arg", "zero:1", "-arg", "u32:-2", "-dump",
           "0=" + c.path("one"))
    c.expect("it is the complement, in a buffer of one byte", c.content("one") == b"\0")
    c.good("the whole page is there", code, "-gpu", "g52", "-arg", "zero:16", "-arg", "u32:-2",
           "-dump", "0=" + c.path("one"))
    c.expect("upper words of u32 are 0", struct.unpack("<4I", c.content("one")) == (0, 0, 0xfffffffe, 0))


def memories(c):
    arguments = ["-gpu", "g72", "-global", "8", "-local", "4", "-arg", "zero:64", "-dump", "0=" + c.path("mem")]
    kernel = c.assembled("memory_bifrost.s")
    out = c.good("local memory and stack", kernel, *arguments, "-disasm")
    places = [int(line[7:-1]) for line in out.splitlines() if line.startswith("clause_")]
    words = struct.unpack("<16I", c.content("mem"))
    c.expect("one of the group, one of the thread",
             words == tuple(w for i in range(8) for w in (0x103 + i // 4 * 4, i)))
    for option, clause in ("-local-memory", places[0]), ("-stack", places[1]):
        c.bad(f"no {option}", f"page fault (exception 0xc0) at 0x0, in a write, at 0x10000{clause}0 "
              f"(clause_{clause} of {kernel})", kernel, *arguments, option, "0", status=1)


def repeated(c):
    """b = a + 2 b, in a buffer of zeros and in one of a file: each run starts from the same
    contents, even where the file has none."""
    with open(source("vecadd_bifrost.s"), encoding="utf-8") as file:
        kernel = c.file("accumulate.s", file.read().replace("u3", "u1").encode())
    a, b = [0.5 * i for i in range(2048)], [1.0 + i for i in range(2048)]
    for what, buffer, old in ("zeros", "zero:8192", [0.0] * 2048), ("a file", "buffer=" + c.file("b", floats(b)), b):
        out = c.good(f"repeated on {what}", kernel, "-gpu", "g72", "-global", "2048", "-local", "64", "-arg",
                     "buffer=" + c.file("a", floats(a)), "-arg", buffer, "-arg", "f32:2", "-dump",
                     "1=" + c.path("b2"), "-repeat", "3", "-threads", "2")
        c.expect(f"the third run is like the first: {what}",
                 c.content("b2") == floats([x + 2 * y for x, y in zip(a, old)]))
        c.expect("and there are three times", "of 3\n" in out)


def code_of(table):
    return bytes.fromhex("".join(line.split()[0] for line in table.split("\n") if line))


def vecadd_midgard(c):
    kernel = c.file("vecadd.bin", code_of(MIDGARD_VECADD))
    a, b = [1.5 * i for i in range(64)], [1000.0 - i for i in range(64)]
    for gpu in "t624", "t720", "t860":
        out = c.good(f"vecadd on {gpu}", kernel, "-gpu", gpu, "-global", "64", "-local", "16", "-disasm",
                     "-arg", "buffer=" + c.file("a", floats(a)), "-arg", "u32:1", "-arg",
                     "buffer=" + c.file("b", floats(b)), "-arg", "u32:2", "-arg", "zero:256",
                     "-dump", "4=" + c.path("sum"), "-stats", c.path("stats"))
        c.expect(f"sums on {gpu}", c.content("sum") == floats([x + y for x, y in zip(a, b)]))
        shader = json.loads(c.content("stats/gpu_shaders.json"))["shaders"][0]["code"]
        c.expect("its only work register is R0", (shader["registers"], shader["bundles"]) == (1, 7))
        texts = [line.split(None, 1)[1] for line in MIDGARD_VECADD.split("\n") if line]
        c.expect("it is the text that stands above", [line for line in out.splitlines()
                 if line and not line.startswith(("shader", "word_"))] == texts)


def signed_indices(c):
    """Indices of a row that become positive, and such that exceed 32 bits: behind the largest comes
    the least, far away from it, where no memory is. As host code, single rows and rows together."""
    threads, place, behind = 4096, 0x40000000, 1000
    kernel = c.file("index.bin", code_of(MIDGARD_INDEX))
    content = random.Random(12).randbytes(4 * threads)

    def options(first, translate):
        return ("-gpu", "t860", "-global", str(threads), "-local", "64", "-translate", translate, "-arg",
                f"u64:{place - 4 * first & (1 << 64) - 1}", "-arg", "buffer=" + c.file("from", content), "-arg",
                f"u32:{first & 0xffffffff}", "-arg", f"zero:{4 * threads}", "-dump", "3=" + c.path("to"))

    least = place - 4 * (0x7fffffff - behind) - 4 * 0x80000000 & (1 << 64) - 1
    for translate in "0", "1":
        c.good("indices from below 0", kernel, *options(-behind, translate))
        c.expect(f"indices from below 0, -translate {translate}", c.content("to") == content)
        status, _, err = c.run(kernel, *options(0x7fffffff - behind, translate))
        c.expect(f"an index above the largest, -translate {translate}", status == 1 and f"at {least:#x}, in a read" in err)


def pairs(c):
    """Addresses that a Bifrost shader computes as two words: of indices that become positive in a row, and of those without sign;
    with a low half that is changed behind the high half, and behind which the high half fits no more."""
    threads, place, behind = 4096, 0x40000000, 1000
    code, content = c.assembled("pairs_bifrost.s"), random.Random(13).randbytes(8 * threads)

    def options(first, apart, translate):
        return ("-gpu", "g72", "-global", str(threads), "-local", "64", "-translate", translate, "-arg",
                f"u64:{place - 4 * first & (1 << 64) - 1}", "-arg", f"u64:{apart << 32 | first & 0xffffffff}", "-arg",
                f"u64:{place - 6}", "-arg", "buffer=" + c.file("from", content), "-arg",
                f"u64:{8 * threads << 32 | 4 * threads}", "-arg", f"zero:{12 * threads}", "-dump", "5=" + c.path("to"))

    with_sign = content[:4 * threads]
    without = b"".join(content[8 * i:8 * i + 4] for i in range(threads))
    least = place - 4 * (0x7fffffff - behind) - 4 * 0x80000000 & (1 << 64) - 1
    for translate in "0", "1":
        for apart in 0, 12, 4 * threads:
            c.good("pairs of words", code, *options(-behind, apart, translate))
            want = with_sign + content[apart:apart + 4 * threads] + without
            c.expect(f"pairs of words, {apart} bytes apart, -translate {translate}", c.content("to") == want)
        status, _, err = c.run(code, *options(0x7fffffff - behind, 0, translate))
        c.expect(f"a pair above the largest index, -translate {translate}", status == 1 and f"at {least:#x}, in a read" in err)


CHECKS = (narrow, steps, words, stores, one_by_one, one_place, loops, closed_loops, left_loops, patterns, regions, searches, halves, nans,
          choices, many_accesses, abreast, roots_and_integers, stacks, indexed, atomics, kinds, registers_begin_anew, barriers,
          kept_at_barriers, rounds_with_barriers, groups_beside, both_ways, edges, frames, parts, few_rows_diverge,
          ids_and_numbers, memories, repeated, vecadd_midgard, signed_indices, pairs, vecadd)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", default="1/1", help="N/M: each Mth check, from the Nth on")
    parser.add_argument("--mali-run", required=True)
    parser.add_argument("--no-llvm", action="store_true", help="mali-run makes no host code")
    options = parser.parse_args()
    part, parts_of_all = map(int, options.part.split("/"))
    with tempfile.TemporaryDirectory(prefix="gencc-test-") as scratch:
        c = Check(options.mali_run, scratch, not options.no_llvm)
        for check in CHECKS[part - 1::parts_of_all]:
            check(c)
    return 1 if c.failed else 0


if __name__ == "__main__":
    sys.exit(main())
