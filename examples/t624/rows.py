"""The rows of scripts/t624: results of the theses' kernels in assembly and in OpenCL, and the
theses' numbers for them."""
import ctypes
import struct
from collections import namedtuple

MASK = 0xffffffff

# A row: title; file of assembly, and the operations of it that are kept (None: all; no file: OpenCL
# only); words per pass and registers according to the thesis (None: not given); whether the thesis
# reports spills; the result of the assembly after n passes; the OpenCL kernel; the type of a
# mult_add that is made of that of uint.
Row = namedtuple("Row", "what name kept words registers spills model cl kind", defaults=(None,))
# An OpenCL kernel: file, name, threads (groups of one), options of the compiler, contents of the
# buffer after n passes.
Cl = namedtuple("Cl", "file kernel threads options model")


# ---- what the kernels compute: n iterations of the source -------------------------------------------

def count(n):
    return [n]


def func1(n):
    return [38 + n]


def float32(value):
    return ctypes.c_float(value).value


def words_in(value, element):
    """The 32-bit words of a number of the type."""
    form = {"float": "f", "double": "d"}.get(element, "I")
    return [word for word, in struct.iter_unpack("<I", struct.pack("<" + form, value))]


def chain(pairs, number=lambda v: v & MASK):
    """mult_add: x and y after n passes."""
    def model(n):
        x, y = number(38), number(28)
        for _ in range(n):
            if not x:
                break
            for _ in range(pairs):
                y = number(x * y)
                x = number(x + y)
        return x, y
    return model


def first(model):
    return lambda n: list(model(n)[:1])


def rounds(start, times=2):
    """n times x = y * x; y = y + x for each pair, as long as no y is 0: all y."""
    def model(n):
        pairs = [list(p) for p in start]
        for _ in range(n):
            for pair in pairs * times:
                pair[0] = pair[1] * pair[0] & MASK
                pair[1] = pair[1] + pair[0] & MASK
            if not all(y for _, y in pairs):
                break
        return [y for _, y in pairs]
    return model


def summed(start):
    """The assembly counts down before it adds, as in the tables: n - 1 to 0."""
    return lambda n: [start + n * (n - 1) // 2 & MASK]


def sums(starts, steps):
    """start + n * step of each variable; with a step of None i is added, which goes from n to 1."""
    def model(n):
        return [start + (n * (n + 1) // 2 if step is None else n * step) & MASK
                for start, step in zip(starts, steps)]
    return model


def products(pairs, of=9):
    """x and y of the pairs of 001's appendix, of which the first `pairs` are computed."""
    def model(n):
        left = []
        for k in range(of):
            y, x = 3 + 2 * k, 4 + 2 * k
            for _ in range(n if k < pairs else 0):
                y = y * x & MASK
                x = x + y & MASK
            left += [x, y]
        return left
    return model


def first_and_spilled(pairs):
    """Results of the assembly: x of the first pair, and of those on the stack."""
    return lambda n: [x for k, x in enumerate(products(pairs)(n)[:2 * pairs:2], 1) if k in (1, 6, 7, 8, 9)]


def fourfold(model):
    """The same for int4."""
    return lambda n: [word for word in model(n) for _ in range(4)]


# ---- the tables ---------------------------------------------------------------------------------------

def up(a, b):
    return -(-a // b)


def words_of(scalar, vector):
    """Words by the rule that fits figs 8.2, 8.6 and 8.9 of 001."""
    return 1 + max(up(scalar + vector + 1, 4), up(vector, 2))


PAIRS2 = ((38, 28), (58, 48))
PAIRS4 = PAIRS2 + ((78, 68), (98, 88))
PAIRS3 = PAIRS4[:3]
SCALARS = (None, 9, 2, 4, 6, 2, 10, 12, 3, 20, 9, 8, 3)
VECTORS = (None, 4, 6, 9, 2, 7, 10, 12, 2, 44, 7, 7, 4, 10)
VECTOR_STARTS = (8, 38, 55, 0, 41, 399, 9, 41, 16, 99, 5, 66, 999, 88)
SPILLING = 6  # number of pairs from which the theses report spills


def kept_steps(steps, kept):
    return [step if at < kept else 0 for at, step in enumerate(steps)]


def mixed(n):
    return (sums((0,) * 8, (None, 2, 2, 7, 1, 2, 0, 0))(n) +
            fourfold(sums((8, 41, 38, 55, 5, 66), (8, 2, 4, 6, 2, 7)))(n))


def mult_add(n, kind):
    """Rows of 000 figs 10.1 (of uint), 11.2 and 11.4. Mesa's OpenCL has no double."""
    element = kind.removesuffix("4")
    model = chain(n, {"float": float32, "double": float}.get(element, lambda v: v & MASK))
    width = 4 if element != kind else 1

    def left(passes):
        return [word for v in model(passes) for _ in range(width) for word in words_in(v, element)]
    options = f"-D T={kind}" + (" -D VECTOR" if width > 1 else "")
    fig = "10.1" if kind == "uint" else "11.4" if width > 1 else "11.2"
    cl = None if kind == "double" else Cl("mult_add.cl", f"mult_add_{n}", 1, options, left)

    def left_of_x(passes):
        words = left(passes)
        return words[:len(words) // 2]
    of = None if kind == "uint" else kind
    return Row(f"000 {fig:6} mult_add_{n} {of or ''}".rstrip(), f"mult_add_{n}", None, n + 1, 5 + 2 * n, n >= SPILLING,
               left_of_x, cl, of)


def pairs(n, kind):
    fig, name, model = ("A.5", "pairs", products(n)) if kind == "int" else ("A.8", "pairs_int4", fourfold(products(n)))
    return Row(f"001 {fig}    {n} pairs{' int4' if kind == 'int4' else ''}", name, n, n + 1, None, n >= SPILLING,
               first_and_spilled(n), Cl("pairs.cl", f"pairs_{n}", 1, f"-D T={kind}", model))


def memory(what, kernel, threads, left):
    return Row(f"000 12.3   {what}", None, None, None, None, False, None, Cl("memory.cl", kernel, threads, "", left))


def loads(n):
    x = 1
    for _ in range(n):
        x = (x + (7 if x & 3 == 1 else 0)) * 5 & MASK ^ n
        if not x:
            break
    return [x, 7, 0, 0]


def false_sharing(n):
    """Result of coh_check5 with 256 threads."""
    return [n if at % 64 < 4 else 0 for at in range(63 * 64 + 4)]


ROWS = (
    [Row("000 ch. 7  empty loop", "simple_loop", None, 2, None, False, count,
         Cl("loops.cl", "simple_loop", 1, "", count)),
     Row("000 9.1    func1", "func1", None, 2, None, False, func1,
         Cl("loops.cl", "func1", 1, "", func1))] +
    [mult_add(n, kind) for kind in ("uint", "float", "double", "int4", "float4") for n in range(2, 11)] +
    [Row("000 10.2   func2", "func2", None, 3, None, False, first(rounds(PAIRS2)),
         Cl("functions.cl", "func2", 1, "", rounds(PAIRS2))),
     Row("000 10.5   func4", "func4", None, 5, None, False, first(rounds(PAIRS4)),
         Cl("functions.cl", "func4", 1, "", rounds(PAIRS4))),
     Row("000 10.6   vec_func3", "vec_func3", None, 5, None, False, rounds(PAIRS3, 1),
         Cl("functions.cl", "vec_func3", 1, "", fourfold(rounds(PAIRS3, 1)))),
     Row("000 12.1   store", "simple_write", None, 3, None, False, count,
         Cl("memory.cl", "simple_write", 1, "", lambda n: [38])),
     Row("000 12.2   load (ours)", "load", None, 6, None, False, loads, Cl("memory.cl", "load", 1, "", loads)),
     memory("coh_check1, 1", "coh_check1", 1, lambda n: [n]),
     memory("coh_check2, 64", "coh_check2", 64, lambda n: [n] * 64),
     memory("coh_check4, 64", "coh_check4", 64, lambda n: [n] * 64),
     memory("coh_check5, 256", "coh_check5", 256, false_sharing)] +
    [Row(f"001 8.2    {n} scalar adds", "scalar_add", n, words_of(n, 0), None, False, summed(0),
         Cl("adds.cl", f"scalar_add_{n}", 1, "", sums((0,) * 13, kept_steps(SCALARS, n)))) for n in range(1, 14)] +
    [Row(f"001 8.6    {n} vector adds", "vector_add", n, words_of(0, n), None, False, summed(8),
         Cl("adds.cl", f"vector_add_{n}", 1, "", fourfold(sums(VECTOR_STARTS, kept_steps(VECTORS, n)))))
     for n in range(1, 15)] +
    [Row("001 8.9    6 and 6 adds", "mixed_add", None, words_of(6, 6), None, False, summed(0),
         Cl("adds.cl", "mixed_add", 1, "", mixed))] +
    [pairs(n, kind) for kind in ("int", "int4") for n in range(1, 10)])
