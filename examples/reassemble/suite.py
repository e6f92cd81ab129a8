"""The launches of scripts/reassemble: kernels of polybench.cl and others.cl (table 5.8 of seed 002)
and of variants.cl (table 5.10), as lines in the format of examples/gpu/launches.c, and the results
that each must leave."""
import math
import struct
from collections import namedtuple
from operator import mul

# Name, here and in the thesis's table; file and kernel; threads, and threads per group; arguments;
# expected contents of the buffers that are compared; options of the compiler.
Launch = namedtuple("Launch", "name thesis file kernel threads group arguments wanted options", defaults=("",))
TOLERANCE = 2e-4  # of floats: sums are made in another order, and products are rounded once or twice
ALPHA, BETA = 1.25, 0.75


# ---- arguments -------------------------------------------------------------------------------------------

class Buffer:
    """A buffer of the launch: its text and its initial content."""

    def __init__(self, kind, count, seed=0):
        self.count = count
        self.text = f"zero:{4 * count}" if kind == "zero" else f"{kind}:{count}:{seed}"
        self.kind, self.seed = kind, seed

    def values(self):
        if self.kind == "zero":
            return [0.0] * self.count
        out, x = [], (self.seed * 2654435761 + 1) & 0xffffffff
        for _ in range(self.count):
            x = (x * 1664525 + 1013904223) & 0xffffffff
            out.append((x >> 8) * 2.0 ** -24 if self.kind == "floats" else x ^ x >> 16)
        return out


def floats(count, seed):
    return Buffer("floats", count, seed)


def words(count, seed):
    return Buffer("words", count, seed)


def zeros(count):
    return Buffer("zero", count)


def text_of(argument):
    if isinstance(argument, Buffer):
        return argument.text
    return f"f32:{argument!r}" if isinstance(argument, float) else f"u32:{argument}"


def line_of(launch):
    """Returns the launch in the format of examples/gpu/launches.c."""
    arguments = " ".join(map(text_of, launch.arguments))
    return f"{launch.name} {launch.file} {launch.kernel} {launch.threads} {launch.group} {arguments}" + \
        (f" -- {launch.options}" if launch.options else "")


def differs(launch, number, content):
    """Returns what is wrong with a buffer after the run, or None."""
    wanted = launch.wanted(*(a.values() if isinstance(a, Buffer) else a for a in launch.arguments))[number]
    whole = isinstance(wanted[0], int)
    got = [v for v, in struct.iter_unpack("<i" if whole else "<f", content)]
    if len(got) != len(wanted):
        return f"{len(got)} values, not {len(wanted)}"
    for at, (g, w) in enumerate(zip(got, wanted)):
        if g != w if whole else not abs(g - w) <= TOLERANCE * max(abs(w), 1):
            return f"value {at} is {g}, not {w}"
    return None


# ---- what they compute -------------------------------------------------------------------------------------

def dot(a, b):
    return sum(map(mul, a, b))


def rows(m, width):
    return [m[i:i + width] for i in range(0, len(m), width)]


def columns(m, width):
    return [m[i::width] for i in range(width)]


def product(a, b, n, factor=1.0):
    """Product of square matrices."""
    across = columns(b, n)
    return [factor * dot(r, c) for r in rows(a, n) for c in across]


def add(a, b, factor=1.0):
    return [factor * x + y for x, y in zip(a, b)]


def by_rows(a, x):
    return [dot(r, x) for r in rows(a, len(x))]


def by_columns(a, x):
    return [dot(c, x) for c in columns(a, len(a) // len(x))]


def deviations(data, mean, n):
    out = [math.sqrt(sum((v - m) ** 2 for v in c) / n) for c, m in zip(columns(data, len(mean)), mean)]
    return [1.0 if d <= 0.005 else d for d in out]


def normal(x):
    return 0.5 * math.erfc(-x / math.sqrt(2))


def options_of(random):
    call, put = [], []
    for r in random:
        price = 10 * r + 100 * (1 - r)
        strike, years, rate, volatility = price - 1, r + 10 * (1 - r), 0.01 * r + 0.05 * (1 - r), 0.1 * r + 0.4 * (1 - r)
        d1 = (math.log(price / strike) + (rate + volatility ** 2 / 2) * years) / (volatility * math.sqrt(years))
        d2 = d1 - volatility * math.sqrt(years)
        call.append(price * normal(d1) - strike * math.exp(-rate * years) * normal(d2))
        put.append(call[-1] - price + strike * math.exp(-rate * years))
    return call, put


def twister(seed):
    """SFMT of period 2^607 - 1: yields 128-bit numbers without end."""
    lane = 0xffffffff
    mask = 0xfdff37ff | 0xef7f3f7d << 32 | 0xff777b7d << 64 | 0x7ff7fb2f << 96
    every = sum(1 << 32 * k for k in range(4))
    state = []
    for n in range(1, 21):
        seed = (1812433253 * (seed ^ seed >> 30) + n) & lane
        state.append(seed)
    state = [sum(state[4 * k + i] << 32 * i for i in range(4)) for k in range(5)]
    right13, left15 = every * (lane >> 13), every * (lane << 15 & lane)
    while True:
        a, b, c, d = state[0], state[2], state[3], state[4]
        new = a ^ (a << 24) & (1 << 128) - 1 ^ b >> 13 & right13 & mask ^ c >> 24 ^ d << 15 & left15
        state = state[1:] + [new]
        yield new


def gaussian(seeds, rounds):
    threads = len(seeds)
    out = [0.0] * (16 * threads * rounds)
    for i, seed in enumerate(seeds):
        numbers = twister(seed)
        for k in range(rounds):
            five = [next(numbers) for _ in range(5)]
            for pair in 0, 1:
                at = 8 * ((2 * k + pair) * threads + i)
                for lane in range(4):
                    u, v = (x >> 32 * lane & 0xffffffff for x in five[2 * pair:2 * pair + 2])
                    r = math.sqrt(-2 * math.log(((u >> 8) + 0.5) / 2 ** 24))
                    out[at + lane] = r * math.cos(2 * math.pi * (v >> 8) / 2 ** 24)
                    out[at + 4 + lane] = r * math.sin(2 * math.pi * (v >> 8) / 2 ** 24)
    return out


def convolved(image, mask, width, height, side):
    reach, out = (side - 1) // 2, []
    for y in range(height):
        for x in range(width):
            total = 0
            for j in range(max(y - reach, 0), min(y + reach, height - 1) + 1):
                for i in range(max(x - reach, 0), min(x + reach, width - 1) + 1):
                    total += (image[j * width + i] & 255) * (mask[(j - y + reach) * side + i - x + reach] & 15)
            out.append(total)
    return out


# ---- launches ------------------------------------------------------------------------------------------------

def square(name, thesis, kernel, n, group, arguments, wanted, file="polybench.cl"):
    return Launch(f"{name}_{n}", thesis, file, kernel, f"{n}x{n}", group, arguments, wanted)


def lines(name, thesis, kernel, n, arguments, wanted):
    """One thread per row or column. Groups are smaller than Polybench's 256, so that every core
    gets some."""
    return Launch(f"{name}_{n}", thesis, "polybench.cl", kernel, str(n), str(max(n // 16, 32)), arguments, wanted)


def products(n, group):
    a, b, c = floats(n * n, 1), floats(n * n, 2), floats(n * n, 3)
    return [square("mm2_1", "mm2 kernel 1", "mm2_kernel1", n, group, [zeros(n * n), a, b, n, n, n, ALPHA],
                   lambda t, a, b, *_: {0: product(a, b, n, ALPHA)}),
            square("mm2_2", "mm2 kernel 2", "mm2_kernel2", n, group, [a, b, c, n, n, n, BETA],
                   lambda t, c, d, *_: {2: add(d, product(t, c, n), BETA)}),
            square("mm3_1", "mm3 kernel 1", "mm3_kernel1", n, group, [a, b, zeros(n * n), n, n, n],
                   lambda a, b, *_: {2: product(a, b, n)}),
            square("gemm", "gemm", "gemm", n, group, [a, b, c, ALPHA, BETA, n, n, n],
                   lambda a, b, c, *_: {2: add(c, product(a, b, n, ALPHA), BETA)}),
            square("gemm1", "GEMM1", "gemm1", n, group, [n, n, n, a, b, zeros(n * n)],
                   lambda n, *m: {5: product(m[3], m[2], n)}, "others.cl")]


def vectors(n):
    a, b = floats(n * n, 4), floats(n * n, 5)
    x, y, z, w = (floats(n, s) for s in (6, 7, 8, 9))
    return [lines("atax_1", "atax kernel 1", "atax_kernel1", n, [a, x, zeros(n), n, n],
                  lambda a, x, *_: {2: by_rows(a, x)}),
            lines("atax_2", "atax kernel 2", "atax_kernel2", n, [a, zeros(n), x, n, n],
                  lambda a, y, tmp, *_: {1: by_columns(a, tmp)}),
            lines("mean", "mean kernel", "mean_kernel", n, [zeros(n), a, float(n), n, n],
                  lambda _, a, *r: {0: [sum(c) / n for c in columns(a, n)]}),
            lines("std", "std kernel", "std_kernel", n, [x, zeros(n), a, float(n), 0.005, n, n],
                  lambda mean, _, a, *r: {1: deviations(a, mean, n)}),
            square("correlation", "reduce kernel", "reduce_kernel", n, "32x8", [x, y, a, float(n), n, n],
                   lambda mean, dev, a, *_: {2: [(v - m) / (math.sqrt(n) * d) for r in rows(a, n)
                                                 for v, m, d in zip(r, mean, dev)]}),
            square("covariance", "reduce kernel", "covariance_reduce", n, "32x8", [x, a, n, n],
                   lambda mean, a, *_: {1: [v - m for r in rows(a, n) for v, m in zip(r, mean)]}),
            square("gemver_1", "gemver kernel 1", "gemver_kernel1", n, "32x8", [a, x, y, z, w, n],
                   lambda a, v1, v2, u1, u2, _: {0: [a[i * n + j] + u1[i] * v1[j] + u2[i] * v2[j]
                                                     for i in range(n) for j in range(n)]}),
            lines("gemver_2", "gemver kernel 2", "gemver_kernel2", n, [a, x, y, z, BETA, n],
                  lambda a, x, y, z, *_: {1: [BETA * s + v + c for s, v, c in zip(by_columns(a, y), x, z)]}),
            lines("gemver_3", "gemver kernel 3", "gemver_kernel3", n, [a, x, w, ALPHA, n],
                  lambda a, x, w, *_: {2: add(by_rows(a, x), w, ALPHA)}),
            lines("gesummv", "gesummv", "gesummv", n, [a, b, x, zeros(n), zeros(n), ALPHA, BETA, n],
                  lambda a, b, x, *_: {3: add(by_rows(a, x), [BETA * s for s in by_rows(b, x)], ALPHA)})]


def learning(hidden, inputs):
    n, group = hidden * inputs, "16x16"

    def wanted(delta, out, weight, change, *_):
        step = [0.3 * delta[j] * out[i] + 0.3 * change[i * hidden + j] for i in range(inputs) for j in range(hidden)]
        return {2: add(weight, step), 3: step}
    return Launch(f"backprop_{inputs}", "bpnn adjust weights ocl", "others.cl", "bpnn_adjust_weights",
                  f"{hidden}x{inputs}", group,
                  [floats(hidden, 10), floats(inputs, 11), floats(n, 12), floats(n, 13), hidden, 0.3, 0.3], wanted)


def finance(side):
    n = 4 * side * side
    return Launch(f"black_scholes_{side}", "BlackScholes", "others.cl", "black_scholes", f"{side}x{side}", "16x16",
                  [floats(n, 14), zeros(n), zeros(n)], lambda r, *_: dict(zip((1, 2), options_of(r))))


def random_numbers(threads, rounds):
    return Launch(f"mersenne_twister_{threads}", "MersenneTwister", "others.cl", "mersenne_twister", str(threads), "64",
                  [words(threads, 15), zeros(16 * threads * rounds), rounds],
                  lambda seeds, *_: {1: gaussian(seeds, rounds)})


def convolution(side, mask):
    n = side * side
    return Launch(f"convolution_{side}_{mask}", "SimpleConvolution", "others.cl", "simple_convolution", str(n), "256",
                  [zeros(n), words(n, 16), words(mask * mask, 17), side, side, mask],
                  lambda _, image, m, *r: {0: convolved(image, m, side, side, mask)})


def copies(side):
    n = side * side
    one, four = floats(n, 18), floats(4 * n, 19)

    def same(values, _):
        return {1: values}
    return [Launch(f"copy1Dfloat4_{side}", "copy1Dfloat4", "others.cl", "copy1Dfloat4", str(n), "256",
                   [four, zeros(4 * n)], same),
            Launch(f"copy2Dfloat_{side}", "copy2Dfloat", "others.cl", "copy2Dfloat", f"{side}x{side}", "16x16",
                   [one, zeros(n)], same),
            Launch(f"copy2Dfloat4_{side}", "copy2Dfloat4", "others.cl", "copy2Dfloat4", f"{side}x{side}", "16x16",
                   [four, zeros(4 * n)], same),
            Launch(f"copy_no_coal_{side}", "NoCoal", "others.cl", "copy_no_coal", str(n), "256", [one, zeros(n)], same),
            Launch(f"copy_split_{side}", "Split", "others.cl", "copy_split", str(n), "256", [one, zeros(n)], same)]


# ---- what waits for memory, and microbenchmarks --------------------------------------------------------------

def strided(count, stride, size):
    return Launch(f"strided_{stride}", "", "memory.cl", "strided", str(count), "256",
                  [floats(size, 23), zeros(count), stride, size - 1],
                  lambda data, _, stride, mask: {1: [data[i * stride & mask] for i in range(count)]})


def gather(count, size):
    return Launch("gather", "", "memory.cl", "gather", str(count), "256",
                  [floats(size, 24), words(count, 25), zeros(count), size - 1],
                  lambda data, index, _, mask: {2: [data[i & mask] for i in index]})


def larger(n):
    """The kernels of one thread per row or column, in groups that occupy all cores."""
    return [launch._replace(group="64") for launch in vectors(n) if "x" not in launch.threads]


def misses(loads, warps):
    threads = 4 * warps

    def wanted(data, *_):
        return {1: [sum(data[16 * (i + k * threads)] for k in range(loads)) if i % 4 == 0 else 0.0 for i in range(threads)]}
    return Launch(f"misses_{loads}_{warps}", "", "memory.cl", "misses", str(threads), str(threads),
                  [floats(16 * threads * (loads + 1), 26), zeros(threads), warps], wanted, f"-DLOADS={loads}")


def additions(count):
    a, b = floats(count, 27), floats(count, 28)
    return [Launch(f"add_loop_{count}", "", "memory.cl", "add_loop", "1", "1", [a, b, zeros(count), count],
                   lambda a, b, *_: {2: add(a, b)}),
            Launch(f"add_straight_{count}", "", "memory.cl", "add_straight", "1", "1", [a, b, zeros(count)],
                   lambda a, b, _: {2: add(a, b)}, f"-DHUNDREDS={count // 100}")]


# ---- table 5.10 ------------------------------------------------------------------------------------------------

GROUP, LARGER, SMALL = "8x8", "16x16", "4x4"
MORE, MUCH_MORE = 8, 512


def variant(version, n, kernel="baseline", group=GROUP, form="float", more=0, threads=None, suffix="", extra=""):
    count = n * n * (4 if form == "float4" else 1)
    make, factor = (words, "int") if form == "int" else (floats, "float")
    alpha, beta = (3, 2) if form == "int" else (ALPHA, BETA)

    def wanted(a, b, c, *_):
        if form == "int":
            return {2: [(int(v) + 2 ** 31) % 2 ** 32 - 2 ** 31 for v in add(c, product(a, b, n, alpha), beta)]}
        lanes = count // n // n
        parts = [add(c[k::lanes], product(a[k::lanes], b[k::lanes], n, alpha), beta) for k in range(lanes)]
        return {2: [v for together in zip(*parts) for v in together]}
    options = [f"-DTYPE={form}", f"-DFACTOR={factor}"] + ([f"-DMORE=TIMES_{more}"] if more else []) + ([extra] if extra else [])
    side = threads or n
    return Launch(f"{version}_{n}{suffix}", version, "variants.cl", kernel, f"{side}x{side}", group,
                  [make(count, 20), make(count, 21), make(count, 22), alpha, beta, n] + ([1.0, 0.0] if more else []),
                  wanted, " ".join(options))


def variants(n, group=GROUP, **more):
    """The eleven versions, for matrices of n rows."""
    over = n + 1 + -(n + 1) % 5
    return [variant("A", n, group=group, **more),
            variant("B", n, "arithmetic", group, more=MORE, **more),
            variant("C", n, "barrier_inner", group, **more),
            variant("D", n, "barrier_outer", group, **more),
            variant("E", n, group="5x5", threads=over, **more),
            variant("F", n, group=group, form="float4", **more),
            variant("G", n, "arithmetic", group, more=MUCH_MORE, **more),
            variant("H", n, group=LARGER, form="float4", **more),
            variant("I", n, group=group, form="int", **more),
            variant("J", n, "barrier_outer", SMALL, **more),
            variant("K", n, "divergent", group, **more)]


# ---- all of them -----------------------------------------------------------------------------------------------

# The kernels of table 5.8, and of table 5.10 in the shape taken here; then other sizes and shapes
# of the latter, which the thesis leaves open. Launches of the same file and options are adjacent:
# they share a program.
KERNELS = sorted(
    products(64, "32x8") + products(96, "8x8") + vectors(256) + vectors(1024) +
    [learning(16, 512), learning(16, 4096), finance(32), finance(128), random_numbers(512, 4), random_numbers(4096, 2),
     convolution(64, 3), convolution(64, 5), convolution(256, 3)] + copies(128) + copies(512),
    key=lambda launch: launch.file != "polybench.cl")
VARIANTS = sorted(variants(64), key=lambda launch: launch.options)
OTHERS = sorted(variants(32) + variants(96) + variants(64, "16x4", suffix="_16x4") +
                variants(64, suffix="_pointers", extra="-DPOINTERS") +
                [variant("G", 64, "arithmetic", more=128, suffix="_128"), variant("G", 64, "arithmetic", more=256, suffix="_256")],
                key=lambda launch: launch.options)
ALL = KERNELS + VARIANTS + OTHERS
# Arrays that exceed L2 (512 KB), read by rows, by columns, with strides and anywhere.
MEMORY = larger(2048) + [strided(1 << 15, 17, 1 << 19), strided(1 << 15, 1024 + 16, 1 << 22), gather(1 << 15, 1 << 20)]
LOADS, WARPS, ADDITIONS = [1, 2, 3, 4, 5, 6, 8, 10, 12, 16], [1, 4], [1000, 1500, 2000]
MICRO = [misses(loads, warps) for loads in LOADS for warps in WARPS] + \
    sorted((launch for n in ADDITIONS for launch in additions(n)), key=lambda launch: launch.options)
# Matrices that exceed L2; without G, which would take minutes.
LARGE = sorted((v for v in variants(256) if v.thesis != "G"), key=lambda launch: launch.options)
EVERYTHING = ALL + MEMORY + MICRO
# What the commands of scripts/reassemble need traces of; the others need none, or make their own.
NEEDS = {"bound": KERNELS + MEMORY + VARIANTS, "widths": KERNELS + VARIANTS, "micro": MICRO, "learn": KERNELS + VARIANTS,
         "space": KERNELS, "gemm": VARIANTS, "sizes": VARIANTS + OTHERS, "steps": VARIANTS}


def needed(commands):
    """Returns the launches that commands need; all of them for `capture` alone."""
    if commands == ["capture"]:
        return EVERYTHING
    names = {launch.name for command in commands for launch in NEEDS.get(command, [])}
    return [launch for launch in EVERYTHING if launch.name in names]
