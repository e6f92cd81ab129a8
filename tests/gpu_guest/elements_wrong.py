#!/usr/bin/env python3
"""How many elements of examples/gpu/elements.c the kernels that Mesa 25.0.7 compiles get wrong, by
a model of what their code does; bench/results/mesa.md names the instructions.

    elements_wrong.py       prints the numbers
"""
import struct

BYTES = 4096


def random_words():
    """Returns the random numbers of elements.c."""
    state = 2463534242
    while True:
        state ^= state << 13 & 0xffffffff
        state ^= state >> 17
        state ^= state << 5 & 0xffffffff
        yield state


def inputs():
    """Returns {name: (a, b)}, the sources of each kernel, in the order in which elements.c draws
    them."""
    words, found = random_words(), {}
    for name in ("char16", "uchar4", "uchar", "short8", "short2", "uint4", "ulong2"):
        form = {"c": "b", "u": "B", "s": "h"}[name[0]] if name not in ("uint4", "ulong2") else "Q"
        drawn = [b"".join(struct.pack("<I", next(words)) for _ in range(BYTES // 4)) for _ in "ab"]
        found[name] = tuple(struct.unpack(f"<{BYTES // struct.calcsize(form)}{form}", d) for d in drawn)
    found["half4"] = tuple([next(words) % 63 / 4 - 7.75 for _ in range(BYTES // 2)] for _ in "ab")
    return found


def char_of(x, y, larger):
    return (x * 3 + (y >> 2) ^ larger) & 0xff


def uchar_of(x, y, shifted):
    return x - y * 5 & 0xff | shifted << 3 & 0xff


def short_of(x, y, shifted):
    return x * y + (shifted >> 3) - min(x, y) & 0xffff


def differ(want, got):
    return sum(w != g for w, g in zip(want, got, strict=True))


# ---- Midgard -------------------------------------------------------------------------------------

def midgard_char16(x, y):
    """Models one thread: bytes 4 to 7 of a register are read as 8 to 11 or 12 to 15, and the
    reverse."""
    halves = [v for k in (8, 9) for v in (y[k], -(y[k] < 0))]   # sign-extended in place, then read as bytes
    out = [char_of(x[0], y[12], max(x[k], y[k])) for k in range(4)]
    out += [char_of(x[4], y[8 + k], max(x[4 + k], y[4 + k])) for k in range(4)]
    out += [char_of(x[4 + k], y[4 + k], max(x[4 + k], y[4 + k])) for k in range(4)]
    return out + [char_of(y[4 + k], halves[k], max(y[4 + k], halves[k])) for k in range(4)]


def midgard_ulong(x, y):
    """Only the lower words of the sources are loaded, and the result's lower word is stored twice.
    """
    x, y = x & 0xffffffff, y & 0xffffffff
    return (x * y + (x >> 7) & 0xffffffff) * 0x100000001


def midgard():
    """Returns {kernel: wrong elements}."""
    of = inputs()
    (a, b), wrong = of["char16"], {}
    got = [v for i in range(0, BYTES, 16) for v in midgard_char16(a[i:i + 16], b[i:i + 16])]
    wrong["char16"] = differ([char_of(x, y, max(x, y)) for x, y in zip(a, b)], got)
    for name in ("uchar4", "uchar"):            # a is read from bytes that were never written
        a, b = of[name]
        wrong[name] = differ([uchar_of(x, y, x) for x, y in zip(a, b)], [uchar_of(0, y, 0) for y in b])
    a, b = of["ulong2"]
    wrong["ulong2"] = differ([x * y + (x >> 7) & 0xffffffffffffffff for x, y in zip(a, b)],
                             [midgard_ulong(x, y) for x, y in zip(a, b)])
    want = [x * y + x for x, y in zip(*of["half4"])]
    wrong["half4 in memory"] = differ(want, [want[i & ~1] for i in range(len(want))])
    return wrong


# ---- Bifrost, where operations have four bytes or two halves ---------------------------------------

def bifrost():
    """Returns {kernel: wrong elements}. The first of four bytes is computed for all four; the first
    half is shifted for both."""
    of = inputs()
    (a, b), wrong = of["char16"], {}
    got = [char_of(a[i & ~3], b[i & ~3], b[i] if b[i & ~3] > a[i & ~3] else a[i]) for i in range(BYTES)]
    wrong["char16"] = differ([char_of(x, y, max(x, y)) for x, y in zip(a, b)], got)
    a, b = of["uchar4"]
    wrong["uchar4"] = differ([uchar_of(x, y, x) for x, y in zip(a, b)],
                             [uchar_of(a[i & ~3], b[i & ~3], a[i]) for i in range(BYTES)])
    for name in ("short8", "short2"):
        a, b = of[name]
        wrong[name] = differ([short_of(x, y, x) for x, y in zip(a, b)],
                             [short_of(x, y, a[i & ~1]) for i, (x, y) in enumerate(zip(a, b))])
    return wrong


if __name__ == "__main__":
    print("Midgard:", midgard())
    print("Bifrost:", bifrost())
