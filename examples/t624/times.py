"""The times that the theses measured, for scripts/t624: kernel, number of threads, and the
published time."""
from collections import namedtuple

from model import cycles, spill, words

# Title; kernel, kept operations and type, as in rows.py; work-groups and threads per group; depth
# of the pipe; the thesis's time in cycles per pass; the result of its formula (None: it has none);
# the verdict:
#   "exact"     simulation and formula are within EXACT of it
#   "formula"   the simulator has no model of it; the formula is within FITTED
#   "conflict"  the theses contradict each other or themselves: both are shown
#   "shown"     it follows from the theses' rules; none measured it
Time = namedtuple("Time", "what name kept kind groups size depth thesis formula judged")
EXACT, FITTED = 0.0006, 0.1
PASSES = 100, 200  # the difference counts: by then threads are in step, and caches warm


def ms(value, mhz=600, passes=1e6):
    return value * 1e3 * mhz / passes


def of_000(what, name, count, thesis, groups=1, size=1, exposed=0, judged="exact"):
    return Time(f"000 {what}", name, None, None, groups, size, 38, thesis,
                cycles(groups * size, size, count, 38, exposed), judged)


def of_001(what, name, kept, kind, thesis, count, groups=1, size=1, judged="exact"):
    formula = cycles(groups * size, size, count, 37) if size <= 64 else None
    return Time(f"001 {what}", name, kept, kind, groups, size, 37, thesis, formula, judged)


# Additional cycles of a pass, beyond its words.
def spilling(what, name, kept, depth, pairs, thesis):
    return Time(what, name, kept, None, 1, 1, depth, thesis - (pairs + 1) * depth, spill(pairs), "formula")


TIMES = (
    [of_000("7.2    loop, 38 groups", "simple_loop", 2, ms(108.57, 700), 38),
     of_000("7.2    39 groups", "simple_loop", 2, ms(111.43, 700), 39),
     of_000("7.2    50 groups", "simple_loop", 2, ms(142.86, 700), 50),
     of_000("8.1    64 groups", "simple_loop", 2, 128, 64, judged="shown"),
     of_000("8.1    256 groups", "simple_loop", 2, 128, 256, judged="shown"),
     of_000("8.2    257 groups", "simple_loop", 2, ms(291.43, 700), 257, judged="shown"),
     of_000("7.1    38 groups of 2", "simple_loop", 2, 76, 38, 2, judged="shown"),
     of_000("9.1    func1", "func1", 2, ms(126.668))] +
    [of_000(f"10.1   mult_add_{n}", f"mult_add_{n}", n + 1, ms(t))
     for n, t in zip(range(2, 6), (190.002, 253.338, 316.670, 380.001))] +
    [of_000("10.2   func2", "func2", 3, ms(190.002)),
     of_000("10.5   func4", "func4", 5, ms(316.67)),
     of_000("13.3   256 groups of 2", "func4", 5, ms(533.33), 256, 2),
     of_000("12.1   store", "simple_write", 3, 154, exposed=40),
     of_000("12.1   store, 64 groups", "simple_write", 3, 192, 64, exposed=40),
     of_000("12.2   load", "load", 6, ms(466.671), exposed=52),
     of_000("12.2   load, 64 groups", "load", 6, ms(640), 64, exposed=52)] +
    [spilling(f"000 11.2   excess, mult_add_{n}", f"mult_add_{n}", None, 38, n, ms(t))
     for n, t in zip(range(6, 11), (536.670, 631.670, 711.670, 790.001, 855.001))] +
    [of_001("7.2    37 groups", "scalar_add", 1, None, 74, 2, 37),
     of_001("7.2    a group of 74", "scalar_add", 1, None, 74, 2, 1, 74),
     of_001("7.1    4 groups of 64", "scalar_add", 1, None, 74, 2, 4, 64)] +
    [of_001(f"7.1    {n} groups of 64", "scalar_add", 1, None, t, 2, n, 64, "conflict")
     for n, t in ((8, 111), (12, 148), (16, 185))] +
    [of_001("7.3    a group of 127", "scalar_add", 1, None, 124, 2, 1, 127, "conflict")] +
    [of_001(f"8.2    {n} scalar adds", "scalar_add", n, None, t, words(n, 0))
     for n, t in zip(range(1, 14), 3 * (74,) + 4 * (111,) + 4 * (148,) + 2 * (185,))] +
    [of_001(f"8.6    {n} vector adds", "vector_add", n, None, t, words(0, n))
     for n, t in zip(range(1, 15), sum(((37 * w,) * 2 for w in range(2, 9)), ()))] +
    [of_001("8.9    6 and 6 adds", "mixed_add", None, None, 185, words(6, 6))] +
    [of_001(f"A.5    {n} pairs", "pairs", n, None, 37 * (n + 1), n + 1) for n in range(1, 6)] +
    [of_001(f"A.8    {n} pairs int4", "pairs_int4", n, None, 37 * (n + 1), n + 1) for n in range(1, 6)] +
    [spilling(f"001 A.5    excess, {n} pairs", "pairs", n, 37, n, t) for n, t in zip(range(6, 10), (315, 368, 414, 460))] +
    [spilling(f"001 A.8    excess, {n} pairs int4", "pairs_int4", n, 37, n, t) for n, t in zip(range(6, 10), (315, 372, 419, 465))])
