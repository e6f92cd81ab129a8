"""Tables 5.10 and 5.7 of seed 002: the eleven GEMMs with measured cycles as a test set."""
import csv
import re

import score
import suite
import traces
from thesis import GEMMS, STEPS, WEIGHTS

# The tuned parameters: the five of table 5.9, in the ranges that the thesis searched. An L2 miss
# costs more than an L2 hit. The cost of a barrier is not published: it is tuned too, in the range
# of a store's or a hit's cost.
WEIGHTS_FREE = ["arithmetic_latency=0.5:4:0.05", "store_latency=0:40", "l1_hit_latency=0:40", "l1_miss_latency=1:200",
                "l2_miss_latency=1:400"]
BARRIER = ["barrier_issue=0:40"]
# The detailed model tunes the load/store pipe. All eleven versions hit in the first level; the
# unpublished number is the time for which an access occupies the pipe. One thread's message per
# cycle, as Mesa counts them (bi_gather_stats), would be 4 cycles per warp.
FREE = {"reassemble": WEIGHTS_FREE + BARRIER, "detailed": ["memory_issue=1:4:0.25"] + BARRIER}
MEASURED = [g.cycles for g in GEMMS]
RANKS = [g.rank for g in GEMMS]

# Steps of table 5.7 as settings, each with those before it. Without a cache every access costs an
# L2 miss. A trace cannot be made without coalescing: lines of 16 bytes, the trace's segments, are
# the nearest to it.
ABLATION = [["l1_bytes=0", "l2_bytes=0", "line_bytes=16"], ["l2_bytes=0", "line_bytes=16"], ["line_bytes=16"], []]


def table(folder, launches, out, name):
    """Writes the input of mali-tune: each launch's trace with the measured cycles of its
    version."""
    by_version = {launch.thesis: launch for launch in launches}
    path = out / f"{name}.csv"
    with open(path, "w", newline="") as f:
        writer = csv.writer(f)
        writer.writerow(["name", "trace", "cycles"])
        for g in GEMMS:
            writer.writerow([g.version, traces.path_of(folder, by_version[g.version]).resolve(), g.cycles])
    return path


def predicted(build, folder, launches, settings=(), fidelity="reassemble"):
    """Returns the model's cycles of each version that was launched, in the order of the table."""
    by_version = {launch.thesis: launch for launch in launches}
    words = [w for s in settings for w in ("-timing-set", s)]
    out = []
    for g in (g for g in GEMMS if g.version in by_version):
        text = traces.tool(build / "bin/mali-run", "-timing-from", traces.path_of(folder, by_version[g.version]), "-timing",
                           fidelity, "-gpu", traces.GPU, *words)
        out.append(sum(map(float, re.findall(r"^  cycles +([\d.]+)", text, re.M))))
    return out


def tuned(build, csv_table, out, settings=(), options=("-leave-one-out", "-evaluations", 60), fidelity="reassemble",
          free=None):
    """Returns the columns of mali-tune's rows: before, tuned, left out (by models that did not see
    the row, if any), and mali-tune's output."""
    rows = out / f"{csv_table.stem}.rows"
    text = traces.tool(build / "bin/mali-tune", csv_table, "-gpu", traces.GPU, "-timing", fidelity, "-threads", 2,
                       *(w for f in free or FREE[fidelity] for w in ("-free", f)), *(w for s in settings for w in ("-timing-set", s)),
                       "-csv", rows, *options)
    with open(rows, newline="") as f:
        read = {row["name"]: row for row in csv.DictReader(f)}
    return {name: [float(read[g.version][name] or "nan") for g in GEMMS] for name in ("before", "tuned", "left_out")}, text


def marks(values):
    """MAPE, rank correlations, Pearson."""
    return score.mape(values, MEASURED), score.spearman(values, RANKS), score.kendall(values, RANKS), score.pearson(values, MEASURED)


def line(what, values):
    m = marks(values)
    return f"{what:44} {m[0]:8.1f} % {m[1]:9.3f} {m[2]:8.3f} {m[3]:8.3f}"


HEAD = f"{'':44} {'MAPE':>10} {'Spearman':>9} {'Kendall':>8} {'Pearson':>8}"


def thesis_line():
    ranks = [g.predicted for g in GEMMS]
    return f"{'the thesis: its ranks':44} {'':>10} {score.spearman(ranks, RANKS):9.3f} {score.kendall(ranks, RANKS):8.3f}"


SHOWN = [("published", "table 5.9"), ("left_out", "left out"), ("detailed", "detailed")]


def show_rows(columns):
    """Prints each version's prediction by a model that was not tuned to it."""
    ranks = [score.ranks(columns[name]) for name, _ in SHOWN]
    print(f"{'table 5.10':43} {'measured':>9}" + "".join(f" {words:>10} {'error':>9}" for _, words in SHOWN) +
          "   ranks: measured, thesis, " + ", ".join(words for _, words in SHOWN))
    for k, g in enumerate(GEMMS):
        print(f"{g.version} {g.what:41} {g.cycles:9}" +
              "".join(f" {columns[name][k]:10.0f} {100 * (columns[name][k] / g.cycles - 1):+7.1f} %" for name, _ in SHOWN) +
              f"   {g.rank:4} {g.predicted:4} " + " ".join(f"{r[k]:5g}" for r in ranks))


def tuned_values(text):
    """Returns the lines of mali-tune's output with the parameters found."""
    return re.findall(r"^ *(?:arithmetic|store|l1|l2|memory|barrier)_\S+ .*", text, re.M)


def show(build, folder, out):
    """Prints table 5.10; returns the columns, for pictures."""
    rows = table(folder, suite.VARIANTS, out, "gemm")
    columns, text = tuned(build, rows, out)
    barrier, _ = tuned(build, rows, out, free=BARRIER)
    detailed, text_detailed = tuned(build, rows, out, fidelity="detailed")
    columns.update(published=predicted(build, folder, suite.VARIANTS), detailed=detailed["left_out"])
    show_rows(columns)
    print()
    print(HEAD)
    print(thesis_line())
    for w in WEIGHTS[1:4]:
        settings = [f"{n}_latency={v}" for n, v in zip(("arithmetic", "store", "l1_hit", "l1_miss", "l2_miss"), w[1:6])]
        print(line(f"{w.what} (table 5.9)", predicted(build, folder, suite.VARIANTS, settings)))
    print(line("table 5.9 and a barrier, by the other ten", barrier["left_out"]))
    print(line("reassemble, tuned to all eleven", columns["tuned"]))
    print(line("reassemble, each row by the other ten", columns["left_out"]))
    print(line("detailed, as the description has it", detailed["before"]))
    print(line("detailed, tuned to all eleven", detailed["tuned"]))
    print(line("detailed, each row by the other ten", detailed["left_out"]))
    print("\n".join(tuned_values(text) + tuned_values(text_detailed)))
    return columns


def show_pipe(build, folder):
    """Prints how much the order depends on the tuned parameters of the load/store pipe, and on the
    model of a barrier."""
    print(f"\n{HEAD}")
    for settings in ([f"memory_issue={quarters / 4}"] for quarters in range(4, 17)):
        print(line(f"detailed, {settings[0]}", predicted(build, folder, suite.VARIANTS, settings, "detailed")))
    for name, values in ("barrier_issue", range(0, 17, 2)), ("barrier_latency", range(0, 801, 100)):
        for value in values:
            for fidelity, others in ("reassemble", []), ("detailed", ["memory_issue=2.25"]):
                settings = others + [f"{name}={value}"]
                print(line(f"{fidelity}, {' '.join(settings)}", predicted(build, folder, suite.VARIANTS, settings, fidelity)), flush=True)


def what_if():
    """Prints the effect of what the thesis leaves open: launches whose times may differ by a
    factor, and launches whose times may not."""
    ends = (("64 rows, groups of 8x8 (taken)", suite.VARIANTS, "_64"), ("32 rows", suite.OTHERS, "_32"),
            ("96 rows", suite.OTHERS, "_96"), ("64 rows, groups of 16x4", suite.OTHERS, "_64_16x4"),
            ("64 rows, pointers", suite.OTHERS, "_64_pointers"))
    return [(what, [v for v in launches if v.name == v.thesis + end]) for what, launches, end in ends]


def show_sizes(build, folder, out):
    """Prints how much the unpublished sizes of matrices and groups matter: published weights with
    one factor removed; the detailed model with one factor, too, each row predicted from the other
    ten."""
    print(f"\n{'what if, one factor taken out':44} {'MAPE':>10} {'Spearman':>9} {'Kendall':>8} {'Pearson':>8} {'factor':>8}")
    for what, launches in what_if():
        values = predicted(build, folder, launches)
        factor = score.geometric([m / v for m, v in zip(MEASURED, values)])
        print(line(f"{what}: table 5.9", [v * factor for v in values]) + f" {factor:8.3f}")
        columns, _ = tuned(build, table(folder, launches, out, "sizes"), out, options=("-leave-one-out", "-scale"), fidelity="detailed")
        print(line(f"{what}: detailed", columns["left_out"]), flush=True)
    for more in 128, 256:
        g = [v for v in suite.OTHERS if v.name == f"G_64_{more}"]
        launches = g + [v for v in suite.VARIANTS if v.thesis != "G"]
        print(line(f"G of {more}, no factor: table 5.9", predicted(build, folder, launches)))
        columns, _ = tuned(build, table(folder, launches, out, "sizes"), out, fidelity="detailed")
        print(line(f"G of {more}, no factor: detailed", columns["left_out"]), flush=True)


def show_steps(build, folder, out):
    """Prints table 5.7 for these rows: each step tuned to all of them, as in the thesis, and each
    row predicted from the other ten."""
    print(f"\n{'table 5.7':44} {'thesis':>8} {'tuned each':>11} {'Spearman':>9} {'left out':>9} {'Spearman':>9} {'published weights':>18} "
          f"{'Spearman':>9}")
    csv_table = table(folder, suite.VARIANTS, out, "steps")
    for (what, theirs), settings in zip(STEPS, ABLATION):
        columns, text = tuned(build, csv_table, out, settings, free=WEIGHTS_FREE)
        fitted, left, plain = marks(columns["tuned"]), marks(columns["left_out"]), marks(columns["before"])
        print(f"{what:44} {theirs:6} % {fitted[0]:9.1f} % {fitted[1]:9.3f} {left[0]:7.1f} % {left[1]:9.3f} {plain[0]:16.1f} % {plain[1]:9.3f}",
              flush=True)
        print("\n".join(tuned_values(text)))


def show_large(build, folder):
    """Prints whether the steps of table 5.7 matter for matrices that exceed L2, and whether the
    rows can have been that large."""
    rows = [g for g in GEMMS if g.version != "G"]
    print(f"\n{'256 rows':44}" + "".join(f"{g.version:>11}" for g in rows))
    for (what, _), settings in zip(STEPS, ABLATION):
        print(f"{what:44}" + "".join(f"{v:11.0f}" for v in predicted(build, folder, suite.LARGE, settings)), flush=True)
    values = predicted(build, folder, suite.LARGE, fidelity="detailed")
    print(f"{'detailed':44}" + "".join(f"{v:11.0f}" for v in values) + f"   Spearman {score.spearman(values, [g.cycles for g in rows]):.3f}")
