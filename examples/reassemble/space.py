"""Fig. 5.6 and tables 5.11 to 5.18 of seed 002: the space for mali-dse, and its results beside the
thesis's."""
import csv

import score
import traces
from thesis import FIGURE, TABLES, WEIGHTS

BASELINE = WEIGHTS[1]  # equal to g71's, as a test checks
MEASURED = [("G72", 1.51, 12, 3, WEIGHTS[4]), ("G31", 0.25, 2, 2, WEIGHTS[5])]


def variant_name(number):
    return f"v{number}"


def measured_name(row):
    return f"{row[0]}_{row[3]}"


def head(folder, launches, settings=()):
    """Returns the first lines of a space for mali-dse: the GPU, numbers that replace its
    description's, and the traces."""
    lines = [f"gpu {traces.GPU}", "timing reassemble"] + [f"set {' '.join(settings)}"] * bool(settings)
    return lines + [f"trace {launch.name} {traces.path_of(folder, launch)}" for launch in launches]


def space(folder, launches, settings=()):
    """Returns the space in the format of mali-dse."""
    lines = head(folder, launches, settings)
    for panel in FIGURE:
        values = [f"*{v:g}" if panel.relative else f"{v:g}" for v in panel.values]
        lines.append(f"sweep {panel.parameter} " + " ".join(values))
    for table in TABLES:
        for v in table.variants:
            lines.append(f"point {variant_name(v.number)} cores={table.cores} engines={table.engines} "
                         f"warp_width={table.warp} line_bytes={table.line} arithmetic_latency=*{v.arithmetic:g} "
                         f"l1_hit_latency=*{v.l1_hit:g} l1_miss_latency=*{v.l1_miss:g} l2_miss_latency=*{v.l2_miss:g}")
    for row in MEASURED:
        w = row[4]
        lines.append(f"point {measured_name(row)} cores={row[2]} engines={row[3]} arithmetic_latency={w.arithmetic:g} "
                     f"store_latency={w.store:g} l1_hit_latency={w.l1_hit:g} l1_miss_latency={w.l1_miss:g} "
                     f"l2_miss_latency={w.l2_miss:g}")
    return "\n".join(lines) + "\n"


class Found:
    """Results of mali-dse in a folder: for each point its parameters, and each kernel's
    speed-up."""

    def __init__(self, folder):
        with open(folder / "points.csv", newline="") as f:
            self.points = list(csv.DictReader(f))
        self.gains = {}
        with open(folder / "results.csv", newline="") as f:
            for row in csv.DictReader(f):
                self.gains.setdefault(row["point"], {})[row["kernel"]] = float(row["speedup"])

    def mean(self, point):
        """Mean of all kernels' speed-ups, as in the thesis."""
        return score.mean(list(self.gains[point["point"]].values()))

    def named(self, label):
        return next(p for p in self.points if p["label"] == label)

    def swept(self, panel, value):
        """Returns the point of a panel with this value; the baseline is point 0."""
        base = float(self.points[0][panel.parameter])
        wanted = base * value if panel.relative else value
        near = [p for p in self.points if p["label"] in (panel.parameter, "baseline") and
                abs(float(p[panel.parameter]) - wanted) <= 1e-5 * wanted]
        return near[-1]


def explore(build, folder, launches, out, threads, settings=()):
    return predict(build, space(folder, launches, settings), out, threads)


def predict(build, text, out, threads):
    path = out.with_suffix(".space")
    path.write_text(text)
    traces.tool(build / "bin/mali-dse", path, "-out", out, "-threads", threads, "-progress", 0)
    return Found(out)


# ---- what is printed --------------------------------------------------------------------------------------

def off(ours, theirs):
    return f"{100 * (ours / theirs - 1):+.1f} %"


def number(value, digits=2):
    return "–" if value is None else f"{value:.{digits}f}"


def figure_rows(found):
    """Yields panel, value, our speed-up, the bounds of its middle half, and the thesis's speed-up
    if its text has one."""
    for panel in FIGURE:
        for value in panel.values:
            point = found.swept(panel, value)
            gains = sorted(found.gains[point["point"]].values())
            quarter = len(gains) // 4
            yield panel, value, found.mean(point), gains[quarter], gains[-1 - quarter], panel.said.get(value)


def table_rows(found, table):
    for v in table.variants:
        yield v, found.mean(found.named(variant_name(v.number)))


def agreement(found, table):
    """Spearman, Kendall, Pearson and the mean absolute difference in percent between a table and
    our results."""
    ours = [mean for _, mean in table_rows(found, table)]
    theirs = [v.speedup for v in table.variants]
    return score.spearman(ours, theirs), score.kendall(ours, theirs), score.pearson(ours, theirs), score.mape(ours, theirs)


def show_figure(found):
    print(f"{'fig. 5.6':28} {'value':>9} {'speed-up':>9} {'half of the kernels':>20} {'thesis':>8} {'error':>9}")
    for panel, value, mean, low, high, said in figure_rows(found):
        print(f"{panel.figure} {panel.parameter:26} {value:9g} {mean:9.3f} {low:11.3f} - {high:6.3f} "
              f"{number(said):>8} {off(mean, said) if said else '':>9}")


def show_tables(found, every):
    for table in TABLES if every else []:
        print(f"\ntable {table.name}: {table.cores} cores, {table.engines} engines, warps of {table.warp}, lines of {table.line}")
        print(f"{'variant':>7} {'arith.':>7} {'L1 hit':>7} {'L1 miss':>7} {'L2 miss':>7} {'thesis':>8} {'here':>8} {'error':>9}")
        for v, mean in table_rows(found, table):
            print(f"{v.number:7} {v.arithmetic:7g} {v.l1_hit:7g} {v.l1_miss:7g} {v.l2_miss:7g} {v.speedup:8.2f} {mean:8.3f} "
                  f"{off(mean, v.speedup):>9}")
    print(f"\n{'table':6} {'of':>12} {'Spearman':>9} {'Kendall':>8} {'Pearson':>8} {'difference':>11}")
    for table in TABLES:
        a = agreement(found, table)
        print(f"{table.name:6} {f'{table.cores}/{table.engines}/{table.warp}/{table.line}':>12} {number(a[0]):>9} "
              f"{number(a[1]):>8} {number(a[2]):>8} {a[3]:9.1f} %")
    ours = [mean for t in TABLES for _, mean in table_rows(found, t)]
    theirs = [v.speedup for t in TABLES for v in t.variants]
    print(f"{'all':6} {'120':>12} {score.spearman(ours, theirs):9.2f} {score.kendall(ours, theirs):8.2f} "
          f"{score.pearson(ours, theirs):8.2f} {score.mape(ours, theirs):9.1f} %")
    print(f"\n{'measured':24} {'measured':>9} {'here':>8} {'error':>9}")
    for row in MEASURED:
        mean = found.mean(found.named(measured_name(row)))
        print(f"{row[0]}, {row[2]} cores, {row[3]} engines {row[1]:9.2f} {mean:8.3f} {off(mean, row[1]):>9}")


def show(found, every):
    show_figure(found)
    show_tables(found, every)
