"""Tables 5.10 and 5.7 of seed 002: the eleven GEMMs with measured cycles as a test set."""
import csv
import re

import score
import suite
import traces
from thesis import GEMMS, STEPS, WEIGHTS

# What is tuned: the five of table 5.9, within what the thesis searched from. L2 misses are dearer than hits in L2.
FREE = ["arithmetic_latency=0.5:4:0.05", "store_latency=0:40", "l1_hit_latency=0:40", "l1_miss_latency=1:200",
        "l2_miss_latency=1:400"]
MEASURED = [g.cycles for g in GEMMS]
RANKS = [g.rank for g in GEMMS]

# Steps of table 5.7 as settings, each with what came before: without a cache every access costs a miss in L2. Coalescing
# cannot be taken out of a trace: lines of 16 bytes, its segments, are the nearest to none.
ABLATION = [["l1_bytes=0", "l2_bytes=0", "line_bytes=16"], ["l2_bytes=0", "line_bytes=16"], ["line_bytes=16"], []]


def table(folder, launches, out, name):
    """What mali-tune reads: each launch's trace with the cycles of its version."""
    by_version = {launch.thesis: launch for launch in launches}
    path = out / f"{name}.csv"
    with open(path, "w", newline="") as f:
        writer = csv.writer(f)
        writer.writerow(["name", "trace", "cycles"])
        for g in GEMMS:
            writer.writerow([g.version, traces.path_of(folder, by_version[g.version]).resolve(), g.cycles])
    return path


def predicted(build, folder, launches, settings=(), gpu=traces.GPU):
    """Cycles of each version by the model, in the order of the table."""
    by_version = {launch.thesis: launch for launch in launches}
    words = [w for s in settings for w in ("-timing-set", s)]
    out = []
    for g in GEMMS:
        text = traces.tool(build / "bin/mali-run", "-timing-from", traces.path_of(folder, by_version[g.version]), "-timing",
                           "reassemble", "-gpu", gpu, *words)
        out.append(sum(map(float, re.findall(r"^  cycles +([\d.]+)", text, re.M))))
    return out


def tuned(build, csv_table, out, settings=(), options=("-leave-one-out", "-threads", 2)):
    """Columns of mali-tune's rows: before, tuned, left out (by models that never saw the row, if any did); and what it said."""
    rows = out / f"{csv_table.stem}.rows"
    text = traces.tool(build / "bin/mali-tune", csv_table, "-gpu", traces.GPU, *(w for f in FREE for w in ("-free", f)),
                       *(w for s in settings for w in ("-timing-set", s)), "-csv", rows, *options)
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


def show(build, folder, out):
    """Prints table 5.10; returns the columns, for pictures."""
    published = predicted(build, folder, suite.VARIANTS)
    columns, text = tuned(build, table(folder, suite.VARIANTS, out, "gemm"), out)
    columns["published"] = published
    print(f"{'table 5.10':43} {'measured':>9} {'published':>10} {'error':>9} {'left out':>10} {'error':>9}   ranks: measured, thesis, "
          "published, left out")
    ranks = [score.ranks(columns[c]) for c in ("published", "left_out")]
    for k, g in enumerate(GEMMS):
        p, l = published[k], columns["left_out"][k]
        print(f"{g.version} {g.what:41} {g.cycles:9} {p:10.0f} {100 * (p / g.cycles - 1):+8.1f} % {l:9.0f} "
              f"{100 * (l / g.cycles - 1):+8.1f} %   {g.rank:4} {g.predicted:4} {ranks[0][k]:5g} {ranks[1][k]:5g}")
    print()
    print(HEAD)
    print(thesis_line())
    for w in WEIGHTS[1:4]:
        settings = [f"{n}_latency={v}" for n, v in zip(("arithmetic", "store", "l1_hit", "l1_miss", "l2_miss"), w[1:6])]
        print(line(f"{w.what} (table 5.9)", predicted(build, folder, suite.VARIANTS, settings)))
    print(line("ours, tuned to all eleven", columns["tuned"]))
    print(line("ours, each row by the other ten", columns["left_out"]))
    print("\n".join(t for t in text.splitlines() if re.match(r" +(arithmetic|store|l1|l2)\S*latency", t) or "tuned to" in t))
    return columns


def show_sizes(build, folder):
    """How much the size and the groups matter that the thesis does not state: published weights, one factor taken out."""
    print(f"\n{'what if: published weights, and one factor':44} {'MAPE':>10} {'Spearman':>9} {'Kendall':>8} {'Pearson':>8} {'factor':>8}")
    names = [("64 rows, groups of 8x8 (taken)", suite.VARIANTS, "_64")]
    names += [(what, suite.OTHERS, end) for what, end in (("32 rows", "_32"), ("96 rows", "_96"), ("64 rows, groups of 16x4", "_64_16x4"))]
    for what, launches, end in names:
        values = predicted(build, folder, [v for v in launches if v.name == v.thesis + end])
        factor = score.geometric([m / v for m, v in zip(MEASURED, values)])
        print(line(what, [v * factor for v in values]) + f" {factor:8.3f}")
    for more in 128, 256:
        g = [v for v in suite.OTHERS if v.name == f"G_64_{more}"]
        values = predicted(build, folder, g + [v for v in suite.VARIANTS if v.thesis != "G"])
        print(line(f"64 rows, G of {more} additions, no factor", values))


def show_steps(build, folder, out):
    """Table 5.7 on these rows: as there, each step tuned to all of them. 60 evaluations; -leave-one-out takes twelve times as long."""
    print(f"\n{'table 5.7':44} {'thesis':>8} {'tuned each':>11} {'Spearman':>9} {'published weights':>18} {'Spearman':>9}")
    csv_table = table(folder, suite.VARIANTS, out, "steps")
    for (what, theirs), settings in zip(STEPS, ABLATION):
        columns, _ = tuned(build, csv_table, out, settings, ["-evaluations", 60])
        fitted, plain = marks(columns["tuned"]), marks(predicted(build, folder, suite.VARIANTS, settings))
        print(f"{what:44} {theirs:6} % {fitted[0]:9.1f} % {fitted[1]:9.3f} {plain[0]:16.1f} % {plain[1]:9.3f}", flush=True)
