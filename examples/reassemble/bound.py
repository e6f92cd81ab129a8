"""What bounds the speed-ups of fig. 5.6 of seed 002, and of 5.9 to 5.11: on the launches of table 5.8
and on larger arrays that wait for memory (suite.MEMORY), and by two readings of how an engine
schedules. The thesis says only that scheduling is "approximated with first available"."""
import gemm
import score
import space
import suite
from thesis import STEPS

# Name, numbers of *reassemble*. In the second an engine that runs a warp waits with it for memory.
READINGS = [("any warp", []), ("waits", ["engine_warps=1"])]
G72, G31 = (row[4] for row in space.MEASURED)
# What is changed, in words and numbers; the thesis's speed-up.
CHANGES = [
    ("half the arithmetic latency", "arithmetic_latency=*0.5", 1.08),
    ("L2 misses 30 % faster", "l2_miss_latency=*0.7", 1.14),
    ("lines of 96 bytes", "line_bytes=96", None),
    ("lines of 128 bytes", "line_bytes=128", 1.22),
    ("warps of 8", "warp_width=8", 1.23),
    ("warps of 12", "warp_width=12", 1.04),
    ("warps of 16", "warp_width=16", None),
    ("4 engines", "engines=4", None),
    ("5 engines", "engines=5", 1.38),
    ("1 core", "cores=1", 0.15),
    ("12 cores", "cores=12", 1.35),
    ("16 cores", "cores=16", 1.83),
    ("a G72 (measured)", f"cores=12 l1_miss_latency={G72.l1_miss:g} l2_miss_latency={G72.l2_miss:g}", 1.51),
    ("a G31 (measured)", f"cores=2 engines=2 arithmetic_latency={G31.arithmetic:g} store_latency={G31.store:g} "
     f"l1_hit_latency={G31.l1_hit:g} l1_miss_latency={G31.l1_miss:g} l2_miss_latency={G31.l2_miss:g}", 0.25),
    ("the same, 4 KB of L1", None, 0.25),
]
CHANGES[-1] = (CHANGES[-1][0], CHANGES[-2][1] + " l1_bytes=4096", 0.25)
ENGINES, WARPS, LINES = [4, 5, 6, 8], [8, 12, 16], [96, 128]
MOST_ARITHMETIC = 1.25  # launches that half the arithmetic latency speeds up by less wait for memory


def caches(factor):
    return f"l1_bytes=*{factor:.8g} l2_bytes=*{factor:.8g}"


def grown():
    """Figures 5.9, and 5.10 and 5.11: caches grow with engines, or with warps, whose lines are
    longer."""
    rows = [(f"5.9: {n} engines", f"engines={n} {caches(n / 3)}") for n in ENGINES]
    return rows + [(f"{figure}: warps of {n}, lines of {line}", f"warp_width={n} line_bytes={line} {caches(n / 4)}")
                   for figure, line in zip(("5.10", "5.11"), LINES) for n in WARPS]


def text_of(folder, launches, settings):
    points = [row[1] for row in CHANGES] + [row[1] for row in grown()]
    return "\n".join(space.head(folder, launches, settings) + [f"point p{k} {point}" for k, point in enumerate(points)]) + "\n"


class Column:
    """Speed-ups of some launches, by the number of the point."""

    def __init__(self, found, names):
        self.found, self.names = found, names

    def mean(self, number):
        gains = self.found.gains[self.found.named(f"p{number}")["point"]]
        return score.mean([gains[name] for name in self.names]) if self.names else None


def waiting(found, names):
    gains = found.gains[found.named("p0")["point"]]
    return [name for name in names if gains[name] < MOST_ARITHMETIC]


def columns(build, folder, out, threads):
    """Returns (title, Column), three for each reading."""
    sets = {"table 5.8": [launch.name for launch in suite.KERNELS], "larger": [launch.name for launch in suite.MEMORY]}
    for reading, settings in READINGS:
        name = out / f"bound_{reading.replace(' ', '_')}"
        found = space.predict(build, text_of(folder, suite.KERNELS + suite.MEMORY, settings), name, threads)
        for title, names in sets.items():
            yield f"{reading}, {title}", Column(found, names)
        names = waiting(found, sum(sets.values(), []))
        yield f"{reading}, {len(names)} waiting", Column(found, names)


def difference(column):
    """Mean difference from the thesis's numbers, in percent."""
    both = [(column.mean(k), row[2]) for k, row in enumerate(CHANGES) if row[2]]
    return score.mape(*zip(*both)) if column.names else None


def show_steps(build, folder):
    """Table 5.7 for the eleven GEMMs of table 5.10, with the weights of table 5.9: nothing is fitted."""
    print(f"\n{'table 5.7 (eleven GEMMs)':42} {'thesis':>8}" + "".join(f" {f'{reading}: MAPE':>18} {'Spearman':>9}" for reading, _ in READINGS))
    for (what, theirs), settings in zip(STEPS, gemm.ABLATION):
        found = [gemm.marks(gemm.predicted(build, folder, suite.VARIANTS, settings + more)) for _, more in READINGS]
        print(f"{what:42} {theirs:6} %" + "".join(f" {m[0]:16.1f} % {m[1]:9.3f}" for m in found), flush=True)


def show(build, folder, out, threads):
    show_steps(build, folder)
    made = list(columns(build, folder, out, threads))
    print(f"{'fig. 5.6, and two measured GPUs':34} {'thesis':>7}" + "".join(f" {title:>22}" for title, _ in made))
    for k, (what, _, said) in enumerate(CHANGES):
        print(f"{what:34} {space.number(said):>7}" + "".join(f" {space.number(c.mean(k), 3):>22}" for _, c in made))
    print(f"{'mean difference, %':42}" + "".join(f" {space.number(difference(c), 1):>22}" for _, c in made))
    print(f"\n{'larger caches (the figures are lost)':42}")
    for k, (what, _) in enumerate(grown(), len(CHANGES)):
        print(f"{what:42}" + "".join(f" {space.number(c.mean(k), 3):>22}" for _, c in made))
