"""View 4: the roofline, by bytes of L1, L2 and DRAM."""
import math

import bars
import roofline
import units
from colours import PageLogFrame
from facts import NO_TIME, bytes_by_level, microseconds, parameter, timing, title
from markup import absent, cell, figure, paragraph, table, tag
from svg import line, text

NAME, TITLE = "roofline", "Roofline"
ABOUT = ("The arithmetic rate that the kernel reached, over its arithmetic instructions per byte of each level; a mark near a "
         "slope is bound by that level, one near the flat roof by arithmetic, one far below all by latency or imbalance.")
HALO = 'font-weight="600" stroke="var(--page)" stroke-width="3" paint-order="stroke"'
LEVELS = [("L1", "green", "triangle"), ("L2", "orange", "square"), ("DRAM", "blue", "disc")]


def mark(x, y, shape, style, high=5):
    """A level's mark: its shape tells it as well as its colour."""
    more = f'fill="var(--{style})" stroke="var(--ink)" stroke-width="1"'
    if shape == "disc":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{high}" {more}/>'
    if shape == "square":
        return f'<rect x="{x - high:.1f}" y="{y - high:.1f}" width="{2 * high}" height="{2 * high}" {more}/>'
    return f'<path d="M{x:.1f},{y - high - 1:.1f} l{high + 1},{2 * high + 1} h{-2 * high - 2} z" {more}/>'


def roofs(report):
    """Instructions and bytes per second by level. L1 answers a line per request of each core's pipe."""
    gpu = report["gpu"]
    found = {name: rate for name, rate in gpu.get("roofs", {}).items() if rate}
    out = {level: found[level.lower()] for level, _, _ in LEVELS if level.lower() in found}
    issue = parameter(report, "memory_issue")
    if "L1" not in out and issue and gpu.get("cores") and gpu.get("clock_mhz"):
        out["L1"] = (parameter(report, "line_bytes") or 64) * gpu["cores"] / issue * gpu["clock_mhz"] * 1e6
    return found.get("arithmetic"), out


def point(kernel, report):
    """Instructions per second, and instructions per byte of each level; None without time or arithmetic."""
    us, n = microseconds(kernel, report), kernel.get("counters", {}).get("arithmetic")
    if not us or not n:
        return None
    return n / us * 1e6, {level: n / moved for level, moved in bytes_by_level(kernel, report).items() if moved}


def reach(kernel, report):
    """What it reached, and the least that the roofs allow at its intensities, with the roof that this is; or None."""
    peak, slopes = roofs(report)
    rate, intensity = point(kernel, report)
    if not peak:
        return rate, None
    moved = {level.lower(): 1 / per for level, per in intensity.items()}
    roof = roofline.Roof(peak, 1, slopes.get("L2", 0), slopes.get("DRAM", 0), slopes.get("L1", 0))
    return rate, roofline.Kernel(title(kernel), 1, 1, **moved).bound(roof)


def ceilings(frame, peak, slopes):
    parts, right, put = [], frame.left + frame.width, []
    if peak:
        start = min(max(frame.xs[0], peak / max(slopes.values(), default=peak / frame.xs[0])), frame.xs[1])
        parts += [line(frame.x(start), frame.y(peak), right, frame.y(peak), "var(--axis)", 2),
                  text(right - 4, frame.y(peak) - 6, f"arithmetic {units.rate(peak, 'instr')}", "end", 11)]
    for level, style, _ in LEVELS:
        if level not in slopes:
            continue
        bandwidth, top = slopes[level], peak or frame.ys[1]
        low = max(frame.xs[0], frame.ys[0] / bandwidth)
        high = min(top / bandwidth, frame.xs[1])
        if low >= high or frame.x(high) - frame.x(low) < 1:
            continue
        parts.append(line(frame.x(low), frame.y(low * bandwidth), frame.x(high), frame.y(high * bandwidth), f"var(--{style})", 2.5))
        put.append((frame.x(low), frame.y(low * bandwidth), frame.x(high), frame.y(high * bandwidth), f"{level} {units.rate(bandwidth, 'B')}"))
    for n, (x1, y1, x2, y2, words_) in enumerate(put):
        slope = (y2 - y1) / (x2 - x1)
        share = 0.08 + 0.02 * n
        x = x1 + share * (x2 - x1)
        y = y1 + slope * (x - x1) - 7
        parts.append(f'<text x="{x:.1f}" y="{y:.1f}" font-size="11" transform="rotate({math.degrees(math.atan(slope)):.1f} {x:.1f} {y:.1f})" '
                     f'stroke="var(--page)" stroke-width="3" paint-order="stroke">{words_}</text>')
    return parts


def marks(frame, kernels, report, numbered):
    parts, names = [], {}
    for n, kernel in enumerate(kernels, 1):
        rate, intensity = point(kernel, report)
        y = frame.y(rate)
        places = [(frame.x(intensity[level]), style, shape) for level, style, shape in LEVELS if level in intensity]
        if len(places) > 1:
            parts.append(line(min(p[0] for p in places), y, max(p[0] for p in places), y, "var(--axis)"))
        parts += [mark(x, y, shape, style) for x, style, shape in places]
        if numbered and places:
            name_place(names, max(p[0] for p in places) + 9, y + 4, str(n))
    return parts + [text(x, y, ", ".join(of), "start", 11, HALO) for (x, y), of in names.items()]


def name_place(names, x, y, name):
    """Marks that are close to each other share a place for their names."""
    for (x2, y2), of in names.items():
        if abs(y - y2) < 12 and x2 - 12 < x < x2 + 8 * len(", ".join(of)) + 12:
            of.append(name)
            return
    names[(x, y)] = [name]


def draw(kernels, report, name, numbered):
    peak, slopes = roofs(report)
    points = [point(kernel, report) for kernel in kernels]
    xs = [per for _, intensity in points for per in intensity.values()] + ([peak / rate for rate in slopes.values()] if peak else [])
    ys = [rate for rate, _ in points] + ([peak] if peak else [])
    if not xs:
        return ""
    frame = PageLogFrame(72, 24, 520, 360, (min(xs) / 4, max(xs) * 4), (min(ys) / 3e9, max(ys) * 2 / 1e9))
    scaled = ScaledFrame(frame)
    parts = frame.draw("", "arithmetic lane instructions per byte", "10⁹ lane instructions per second")
    parts += ceilings(scaled, peak, slopes) + marks(scaled, kernels, report, numbered)
    about = "; ".join(f"{title(k)}: {units.rate(p[0], 'instr')}" for k, p in zip(kernels, points))
    return bars.picture(610, 440, parts, name, about)


class ScaledFrame:
    """The frame for instructions per second, whose axis counts thousand millions."""

    def __init__(self, frame):
        self.frame, self.left, self.width, self.xs = frame, frame.left, frame.width, frame.xs
        self.ys = tuple(v * 1e9 for v in frame.ys)

    def x(self, v):
        return self.frame.x(v)

    def y(self, v):
        return self.frame.y(v / 1e9)


def key():
    rows = "".join(tag("li", f'<svg width="16" height="16" aria-hidden="true">{mark(8, 8, shape, style)}</svg>' + tag("span", f"by bytes {where}", class_="name"))
                   for (_, style, shape), where in zip(LEVELS, ("between lanes and L1", "between L1 and L2", "between L2 and DRAM")))
    return tag("ul", rows, class_="key")


def numbers(kernels, report, numbered):
    rows = []
    for n, kernel in enumerate(kernels, 1):
        rate, least = reach(kernel, report)
        intensity = point(kernel, report)[1]
        name = f"{n}  {title(kernel)}" if numbered else title(kernel)
        rows.append([cell(name, "th"), cell(f"{rate / 1e9:,.3f}", class_="n")] +
                    [cell(f"{intensity[level]:,.2f}" if level in intensity else "–", class_="n") for level, _, _ in LEVELS] +
                    [cell(f"{least[0] / 1e9:,.3f}" if least else "–", class_="n"),
                     cell(f"{units.percent(rate, least[0])} of {least[1]}" if least else "–")])
    heads = [("kernel", ""), ("G instr/s", "n"), ("per byte of L1", "n"), ("of L2", "n"), ("of DRAM", "n"), ("roof, G instr/s", "n"), ("reached", "")]
    return table("What kernels reach, and what their roofs allow", heads, rows)


def beside(picture, numbers_):
    return tag("div", picture + tag("div", numbers_, class_="grow"), class_="columns")


def missing(kernels, report):
    if all(timing(kernel).get("model_cycles") is None for kernel in kernels):
        return NO_TIME
    return "no arithmetic instruction or no byte was counted" if not [k for k in kernels if point(k, report)] else None


def render(kernel, report):
    why = missing([kernel], report)
    if why:
        return absent(why)
    picture = figure(None, key() + draw([kernel], report, f"Roofline of {title(kernel)}", False))
    return beside(picture, numbers([kernel], report, False)) + paragraph(f"A byte counts when its line moves: {units.count(timing(kernel).get('line_bytes', 64))} bytes per request of L1. "
                           f"Instructions are counted per lane; a fused multiply-add is one.", "note")


def overview(report, kernels):
    kernels = [kernel for kernel in kernels if point(kernel, report)]
    if not kernels:
        return ""
    picture = figure("Roofline of all kernels", key() + draw(kernels, report, "Roofline of all kernels", True))
    return beside(picture, numbers(kernels, report, True))
