#!/usr/bin/env python3
"""Runs the intrinsics of published models (published.ac) on the bare runner, interpreted and
translated, and compares their results with those that docs/describe/genc.md specifies, which are
computed here.

    published_test.py BUILD [TIER…]
"""
import json
import math
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SOON = ["-jit-sync", "-jit-threshold", "2", "-jit-quick-threshold", "2"]
OPS = {name: int(number) for name, number in
       re.findall(r"(\w+)\.set_decoder\(op = (\d+)\)", (HERE / "published_isa.ac").read_text())}
BASE, DATA = 0x1000, 0x8000
FIRST, LAST, COUNTER = 4, 14, 15  # first and last result register, and the loop's counter
TURNS = 5

# Bits of floats and of doubles.
SINGLES = (0, 0x80000000, 0x3f000000, 0x3fc00000, 0xbfc00000, 0x40200000, 0xc0200000, 0x4effffff, 0x4f000000, 0xcf000000,
           0x5f800000, 0xdf000000, 0x7f800000, 0xff800000, 0x7fc00001, 0x7f800001, 1)
DOUBLES = (0, 0x8000000000000000, 0x3fe0000000000000, 0xbff8000000000000, 0x4004000000000000, 0xc004000000000000,
           0x41dfffffffc00000, 0x41e0000000000000, 0xc1e0000000200000, 0x41efffffffe80000, 0x43e0000000000000,
           0x43f0000000000000, 0xc3e0000000000001, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000001,
           0x7ff0000000000001, 1)


def word(op, rd=0, ra=0, imm=0):
    return OPS[op] << 24 | rd << 20 | ra << 16 | imm & 0xffff


def constant(rd, value):
    parts = [value >> shift & 0xffff for shift in (48, 32, 16, 0)]
    return [word("seti", rd, 0, parts[0])] + [word("high", rd, rd, part) for part in parts[1:]]


# ---- the referee ---------------------------------------------------------------------------------


def value_of(bits, width):
    return struct.unpack("<f" if width == 32 else "<d", bits.to_bytes(width // 8, "little"))[0]


def bits_of(value, width):
    return int.from_bytes(struct.pack("<f" if width == 32 else "<d", value), "little")


def rounded(x, mode):
    """Rounds to an integer by a mode."""
    if mode in (1, 2, 3):
        return (math.ceil, math.floor, math.trunc)[mode - 1](x)
    if mode == 4:
        whole = math.floor(abs(x))
        return int(math.copysign(whole + (abs(x) - whole >= 0.5), x))
    return round(x)


def converted(bits, width, to, mode):
    x, size = value_of(bits, width), int(to[1:])
    low, high = (-(1 << size - 1), (1 << size - 1) - 1) if to[0] == "s" else (0, (1 << size) - 1)
    if math.isnan(x):
        return 0
    whole = (high if x > 0 else low) if math.isinf(x) else min(max(rounded(x, mode), low), high)
    return whole & (1 << 64) - 1


def integral(bits, width, mode):
    x = value_of(bits, width)
    if math.isnan(x) or math.isinf(x):
        return bits | (1 << (22 if width == 32 else 51) if math.isnan(x) else 0)
    return bits_of(math.copysign(rounded(x, mode), x), width)


def kind(bits, width):
    """Returns "snan", "qnan" or neither."""
    if not math.isnan(value_of(bits, width)):
        return ""
    return "qnan" if bits >> (22 if width == 32 else 51) & 1 else "snan"


def numbers():
    """Returns instructions on numbers: kind, operands, mode, expected result."""
    for width, cases in ((32, SINGLES), (64, DOUBLES)):
        for bits in cases:
            for mode in range(6):
                yield f"round{width}", (bits,), mode, integral(bits, width, mode)
                for to in ("s32", "s64", "u32", "u64"):
                    yield f"f{width}_{to}", (bits,), mode, converted(bits, width, to, mode)
            for name in ("snan", "qnan"):
                yield f"{name}{width}", (bits,), 0, int(kind(bits, width) == name)
    for a, b in ((1.5, 2.25), (1e300, 1e300), (-0.0, 0.0), (1.0, 2.0 ** -53)):
        yield "sum", (bits_of(a, 64), bits_of(b, 64)), 3, bits_of(a + b, 64)
    for mode in (0, 3):
        yield "rounding", (), mode, mode
        yield "flush", (), mode, mode
    yield "probe", (), 7, 0
    yield "lines", (), 0, 0


def programs():
    """Returns code, and the expected contents of its result registers."""
    code, want = [], []
    for op, operands, mode, result in numbers():
        for rd, value in enumerate(operands, 2):
            code += constant(rd, value)
        code.append(word(op, FIRST + len(want), 2, mode))
        want.append((f"{op} {[hex(o) for o in operands]} {mode}", result))
        if FIRST + len(want) > LAST:
            yield code, want
            code, want = [], []
    yield code, want
    yield exclusive()
    yield skips()


def exclusive():
    """Stores under a reservation: to another address, to its address, and after it has ended."""
    code = constant(1, DATA) + constant(2, DATA + 16) + constant(3, 0x1122334455667788)
    results = [("write64", 1, 0), ("acquire", 1, None), ("write64", 2, 0), ("write64", 1, 0),
               ("acquire", 1, None), ("write64", 1, 1), ("write64", 1, 0), ("acquire", 1, None),
               ("release", 2, 0), ("acquire", 1, None), ("release", 1, 1), ("release", 1, 0),
               ("acquire", 2, None), ("release_all", 0, 1), ("release_all", 0, 0)]
    want = []
    code += constant(0, 0) + [word("store", 0, 1, 0)]
    for op, ra, result in results:
        code.append(word(op, FIRST + len(want) if result is not None else 0, ra, 3))
        want += [] if result is None else [(f"{op} of r{ra}", result)]
    for bits in (32, 16, 8):
        code += [word("store", 0, 2, 0), word("acquire", 0, 2), word(f"write{bits}", 0, 2, 3), word("load", 0, 2)]
    want.append(("memory after it", 0x1122334455667788))
    code.append(word("load", FIRST + len(want) - 1, 1))
    return code, want


def skips():
    """An address that depends on a condition: returns how often the word after it is executed while
    the counter goes from TURNS to 1."""
    code, want = constant(3, bits_of(1.0, 64)), []
    for bits in (1, 2, 4, 7, 8):
        rd = FIRST + len(want)
        code += [word("skip", 0, COUNTER, bits), word("sum", rd, rd, 3)]
        turns = sum(not counter & bits for counter in range(1, TURNS + 1))
        want.append((f"turns without any of {bits}", bits_of(float(turns), 64)))
    return code, want


def assembled(code):
    body = code + [word("loop", COUNTER, 0, len(code))]
    return b"".join(w.to_bytes(4, "little") for w in constant(COUNTER, TURNS) + body + [word("leave")])


def registers(text):
    return {int(n): int(v, 16) for n, v in re.findall(r"^R(\d+) = (\w+)$", text, re.M)}


def main(build, *tiers):
    wrong, count = [], 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        runner, program = folder / "run", folder / "program"
        subprocess.run([ROOT / "scripts/bare", "--build", build, "--isa", "published", HERE / "published.ac", "-o", runner],
                       check=True)
        for code, want in programs():
            program.write_bytes(assembled(code))
            count += len(want)
            for tier in ("interp", *tiers):
                options = ["-accel", "interp"] if tier == "interp" else ["-accel", "jit", "-jit-tier", tier, *SOON]
                done = subprocess.run([runner, "-registers", "-stats", folder, *options, program], capture_output=True,
                                      text=True, timeout=60, check=False)
                got = registers(done.stdout)
                wrong += [f"{tier}: {what}: {got.get(FIRST + n, 0):#x}, not {value:#x}"
                          for n, (what, value) in enumerate(want) if got.get(FIRST + n, 0) != value]
                jit = json.loads((folder / "stats.json").read_text()).get("jit", {})
                if done.returncode or (tier != "interp" and not jit.get("regions", 0) + jit.get("traces", 0)):
                    wrong.append(f"{tier}: status {done.returncode}, {done.stderr!r}, or nothing was translated")
    print("\n".join(wrong[:40]) or f"{count} results, {len(tiers)} tiers: right")
    return 1 if wrong or count < 900 else 0


sys.exit(main(*sys.argv[1:]))
