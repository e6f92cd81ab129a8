"""Figure 4.12 of seed 002: six SGEMMs, each a step of a published tutorial (sgemm.cl), relative to the sixth."""
import pathlib
import struct
import tempfile
from operator import mul

import charts
import runs

SOURCE = "sgemm.cl"
TRANSPOSED = 5, 6
TOLERANCE = 1e-4
# Threads per side for n rows, those of a work-group, the compiler's options. Groups of 1 and 2 are 16 x 16, and not 32 x 32 as
# in the tutorial: no Mali has groups of 1,024. 5 has as many threads as a Mali can have; 6 is the tutorial's.
SHAPES = {
    1: (lambda n: f"{n}x{n}", "16x16", ""),
    2: (lambda n: f"{n}x{n}", "16x16", ""),
    3: (lambda n: f"{n}x{n // 8}", "32x4", "-DTILE=32"),
    4: (lambda n: f"{n // 4}x{n}", "8x32", "-DTILE=32"),
    5: (lambda n: f"{n}x{n // 8}", "32x8", ""),
    6: (lambda n: f"{n // 8}x{n // 8}", "16x16", "-DROWS=128 -DCOLUMNS=128"),
}
METRICS = [("instructions", "lane_instructions"), ("arithmetic", "arithmetic"), ("control", "control"), ("local memory", "local"),
           ("main memory", "main"), ("of it spilled", "spilled"), ("registers", "registers"), ("empty slots", "empty_slots"),
           ("time, reassemble", "reassemble"), ("time, detailed", "detailed")]


def lines(n):
    """As examples/gpu/launches.c reads them, by name."""
    matrices = f"floats:{n * n}:1 floats:{n * n}:2 zero:{4 * n * n} u32:{n}"
    out = {f"sgemm{k}_{n}": f"sgemm{k}_{n} {SOURCE} sgemm{k} {threads(n)} {group} {matrices}" + (f" -- {options}" if options else "")
           for k, (threads, group, options) in SHAPES.items()}
    out[f"transpose_{n}"] = f"transpose_{n} {SOURCE} transpose {n}x{n} 16x16 floats:{n * n}:2 zero:{4 * n * n} u32:{n}"
    return out


def floats(count, seed):
    """As launches.c makes them."""
    out, x = [], (seed * 2654435761 + 1) & 0xffffffff
    for _ in range(count):
        x = (x * 1664525 + 1013904223) & 0xffffffff
        out.append((x >> 8) * 2.0 ** -24)
    return out


def product(a, b, n, transposed):
    """By columns; b transposed is by rows."""
    rows = [a[i::n] for i in range(n)]
    columns = [b[j::n] for j in range(n)] if transposed else [b[j * n:j * n + n] for j in range(n)]
    return [sum(map(mul, r, c)) for c in columns for r in rows]


def wrong(content, wanted):
    """How many values are not what they must be."""
    got = [v for v, in struct.iter_unpack("<f", content)]
    return abs(len(got) - len(wanted)) + sum(not abs(g - w) <= TOLERANCE * max(abs(w), 1) for g, w in zip(got, wanted))


def check(n, results):
    """Raises Trouble if a kernel left something else than the product."""
    a, b = floats(n * n, 1), floats(n * n, 2)
    wanted = {transposed: product(a, b, n, transposed) for transposed in (False, True)}
    for k in SHAPES:
        bad = wrong((results / f"sgemm{k}_{n}.2").read_bytes(), wanted[k in TRANSPOSED])
        if bad:
            raise runs.Trouble(f"sgemm{k}: {bad} of {n * n} values are wrong")
    if wrong((results / f"transpose_{n}.1").read_bytes(), [v for j in range(n) for v in b[j::n]]):
        raise runs.Trouble("transpose: wrong")


def capture(n, build, files, folder):
    """The snapshots of one boot, and that the results are right."""
    from capture import Guest, Kept
    wanted, kept = lines(n), Kept(folder, runs.GPU)
    if not all(kept.fresh(runs.HERE, name, line) for name, line in wanted.items()):
        with tempfile.TemporaryDirectory(prefix="gencc-chapter4-") as work:
            try:
                snapshots, _ = Guest(build, files, runs.GPU).run(runs.HERE, list(wanted.values()), work, results=True)
            except runs.Trouble as trouble:
                raise runs.Trouble(f"the guest: {trouble}") from trouble
            check(n, pathlib.Path(work) / "results")
            for (name, line), snapshot in zip(wanted.items(), snapshots):
                kept.add(runs.HERE, name, line, snapshot)
    return {name: kept.path(name) for name in wanted}


def published(found):
    """The thesis's sentences: what each says, our numbers, and whether it holds."""
    four, five, six = (found[k] for k in (4, 5, 6))
    slowest = {model: max(found, key=lambda k, m=model: found[k][m]) for model in runs.MODELS}
    fastest = {model: min(found, key=lambda k, m=model: found[k][m]) for model in runs.MODELS}

    def of_six(c, key):
        return c[key] / six[key]
    return [
        ("(6) is the slowest", f"reassemble ({slowest['reassemble']}), detailed ({slowest['detailed']})", set(slowest.values()) == {6}),
        ("(4) is the fastest", f"reassemble ({fastest['reassemble']}), detailed ({fastest['detailed']})", set(fastest.values()) == {4}),
        ("(4) executes far fewer instructions than (6)", f"{of_six(four, 'lane_instructions'):.2f} of them",
         of_six(four, "lane_instructions") < 0.5),
        ("(5) has arithmetic similar to (6)", f"{of_six(five, 'arithmetic'):.2f} of it", 0.8 < of_six(five, "arithmetic") < 1.25),
        ("(5) has control flow similar to (6)", f"{of_six(five, 'control'):.2f} of it", 0.8 < of_six(five, "control") < 1.25),
        ("(5) is almost twice as fast as (6)", " and ".join(f"{six[m] / five[m]:.1f} times ({m})" for m in runs.MODELS),
         all(1.5 < six[m] / five[m] < 2.2 for m in runs.MODELS)),
        ("(6) accesses registers 3 % more than (5)", f"{100 * (six['registers'] / five['registers'] - 1):.1f} %, reads alone "
         f"{100 * (six['register_reads'] / five['register_reads'] - 1):.1f} %", 1 < six["registers"] / five["registers"] < 1.1),
        ("(6) greatly reduces local accesses", f"{six['local'] / five['local']:.2f} of those of (5)", six["local"] < five["local"] / 2),
        ("(6) increases global accesses", f"{six['main'] / five['main']:.0f} times those of (5)", six["main"] > five["main"]),
        ("(4) almost completely avoids global memory", f"{of_six(four, 'main'):.3f} of (6)", of_six(four, "main") < 0.1)]


def show(o, work):
    n = o.size
    if n % 128:
        raise runs.Trouble(f"--size {n}: kernel 6 has tiles of 128 x 128")
    paths = capture(n, o.build, o.files, o.keep)
    found = {k: runs.measure(o.mali_run, paths[f"sgemm{k}_{n}"], work / "stats") for k in SHAPES}
    first = runs.measure(o.mali_run, paths[f"transpose_{n}"], work / "stats")
    print(f"Figure 4.12: six SGEMMs of {n} x {n} on a {runs.GPU}; all results are right. Relative to (6):\n")
    print(runs.table(["", *(f"({k})" for k in found), "(6) is"],
                     [[name, *(f"{c[key] / max(found[6][key], 1):.3f}" for c in found.values()), f"{found[6][key]:,.0f}"]
                      for name, key in METRICS] +
                     [["registers of the code", *(c["work_registers"] for c in found.values()), ""]]))
    print(f"\ntranspose, before (5) and (6): {first['lane_instructions'] / found[6]['lane_instructions']:.3f} of the instructions "
          f"of (6), {first['detailed'] / found[6]['detailed']:.4f} of its time (detailed)\n")
    print(runs.claims(published(found)))
    if o.svg:
        groups = [(name, [c[key] / max(found[6][key], 1) for c in found.values()]) for name, key in METRICS]
        (o.svg / "figure_4_12.svg").write_text(charts.beside(f"Figure 4.12: six SGEMMs of {n} x {n}, Mesa 25.0.7 on a Mali-G71 MP8",
                                                             "relative to (6)", groups, [f"({k})" for k in found], 2.5))
