"""Rooflines of GPUs: the limits in their descriptions, and the rates that kernels reach in the
detailed model.

The measure is an arithmetic instruction of a lane. The trace counts these exactly, and alike for
each kind of shader, while the number of floating-point operations of an instruction depends on the
program."""
import dataclasses

from svg import LogFrame, dot, line, picture, text

WORDS = {"bifrost": 2, "midgard": 5}  # instructions per bundle: FMA and ADD; the five ALU units
BLUE, RED, GREY = "#0a4fb0", "#c0392b", "#555"


@dataclasses.dataclass
class Roof:
    """Rates in 10^9 per second; 0 bytes: the model has no limit."""
    peak: float  # instructions
    words: int   # instructions per lane and turn at that peak
    l2: float    # bytes
    dram: float
    l1: float = 0


def roof_of(gpu):
    """The roof of a GPU, from the numbers of its description (gpus.Gpu)."""
    words = WORDS["midgard" if gpu["architecture"] < 6 else "bifrost"]
    turn = gpu.get("stage_issue") or gpu.get("arithmetic_latency", 1)
    clock = gpu["clock_mhz"] / 1000
    return Roof(gpu.peak(words) / turn, words, gpu.get("l2_bandwidth", 0) * clock, gpu.get("dram_bandwidth", 0) * clock)


@dataclasses.dataclass
class Kernel:
    """Totals of the jobs of a shader."""
    name: str
    us: float = 0
    instructions: float = 0
    l2: float = 0  # bytes
    dram: float = 0
    l1: float = 0

    def add(self, job, gpu):
        """Adds a job of mali-run's -timing-json; a sample is scaled to all its groups."""
        many = job["groups_for_one"]
        self.us += job["cycles"] / gpu["clock_mhz"]
        self.instructions += job["arithmetic"] * many
        self.l2 += (job["l2_reads"] + job["l2_writes"]) * gpu["line_bytes"] * many
        self.dram += (job["dram_reads"] + job["dram_writes"]) * gpu["line_bytes"] * many

    def rate(self):
        return self.instructions / self.us / 1000

    def bound(self, roof):
        """Returns the least of the roof's limits, and the part of the GPU that sets it."""
        limits = [(roof.peak, "arithmetic")]
        limits += [(self.instructions / moved * rate, part) for part, moved, rate in
                   (("L1", self.l1, roof.l1), ("L2", self.l2, roof.l2), ("DRAM", self.dram, roof.dram)) if moved and rate]
        return min(limits)


def slope(frame, rate, peak, colour, words):
    """Draws a bandwidth, up to the peak."""
    first = max(frame.xs[0], frame.ys[0] / rate)
    x, y = frame.x(first), frame.y(first * rate)
    return [line(x, y, frame.x(peak / rate), frame.y(peak), colour, 2), text(x + 12, y + 4, words, "start", 10, f'fill="{colour}"')]


def roofs(frame, roof):
    """Draws the ceilings; the lower one is for code with one instruction at a time, which is
    common."""
    right, kinds = frame.left + frame.width, ((roof.peak, roof.words, ""), (roof.peak / roof.words, 1, 'stroke-dasharray="5 4" '))
    slopes = [(rate, colour, part) for rate, colour, part in ((roof.l2, RED, "L2"), (roof.dram, BLUE, "DRAM")) if rate]
    parts = []
    for peak, words, dashes in kinds:
        left = frame.x(max(frame.xs[0], peak / max((rate for rate, _, _ in slopes), default=peak / frame.xs[0])))
        parts.append(line(left, frame.y(peak), right, frame.y(peak), GREY, 2).replace("/>", f" {dashes}/>"))
        parts.append(text(right - 4, frame.y(peak) - 5, f"{peak:.1f} G/s: {words} a lane and turn", "end", 10))
    for rate, colour, part in slopes:
        parts += slope(frame, rate, roof.peak, colour, f"{part} {rate:.1f} GB/s")
    return parts


def mark(x, y, disc):
    """Draws a disc or a ring, which can both be seen in one place."""
    return dot(x, y, BLUE, 3) if disc else dot(x, y, "white", 5, f'stroke="{RED}" stroke-width="1.5"')


def span(values):
    return min(values) / 2, max(values) * 2


def draw(title, roof, kernels):
    """Draws each kernel's rate over its instructions per byte: of L2 a ring, of memory a disc, at
    the same height."""
    parts, points = [], [(k, n) for n, k in enumerate(kernels, 1) if k.instructions]
    intensities = [k.instructions / moved for k, _ in points for moved in (k.l2, k.dram) if moved]
    ridges = [roof.peak / rate for rate in (roof.l2, roof.dram) if rate]
    frame = LogFrame(70, 40, 520, 440, span(intensities + ridges or [1]), span([k.rate() for k, _ in points] + [roof.peak]))
    parts += frame.draw(title, "arithmetic instructions of lanes a byte", "thousand millions of them a second") + roofs(frame, roof)
    for k, n in points:
        y = frame.y(k.rate())
        places = [(frame.x(k.instructions / moved), disc) for moved, disc in ((k.l2, False), (k.dram, True)) if moved]
        if len(places) == 2:
            parts.append(line(places[0][0], y, places[1][0], y, "#bbb"))
        parts += [mark(x, y, disc) for x, disc in places]
        parts += [text(x + 9, y + 4, n, "start", 10) for x, _ in places[-1:]]
    return picture(960, 550, parts + legend(620, 52, roof, kernels))


def legend(x, y, roof, kernels):
    parts = [mark(x + 4, y - 4, False), text(x + 14, y, "by bytes between L2 and cores", "start"),
             mark(x + 4, y + 14, True), text(x + 14, y + 18, "by bytes between L2 and memory", "start"),
             text(x, y + 42, "of what its roof allows, and which part that is:", "start")]
    for n, k in enumerate(kernels, 1):
        most, part = k.bound(roof)
        parts.append(text(x, y + 42 + 17 * n, f"{n}  {k.name}: {100 * k.rate() / most:.0f} %, {part}", "start"))
    return parts
