"""Pictures of scripts/reassemble; fig. 5.6 is scripts/dse-report's."""
import pathlib
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts/pictures"))
from svg import Frame, LogFrame, below, dot, line, picture, text, ticks

import space
import traces
from thesis import GEMMS, TABLES

COLOURS = ["#0a4fb0", "#c0392b", "#2e8b57", "#8e44ad", "#d98200", "#16a0a0", "#7f5539", "#c2185b"]


def diagonal(frame):
    low, high = max(frame.xs[0], frame.ys[0]), min(frame.xs[1], frame.ys[1])
    return line(frame.x(low), frame.y(low), frame.x(high), frame.y(high), "#999")


def legend(x, y, rows):
    return [part for k, (colour, words) in enumerate(rows)
            for part in (dot(x, y + 16 * k - 4, colour, 4), text(x + 10, y + 16 * k, words, "start"))]


def tables(found):
    """Plots the 120 speed-ups, ours over the thesis's."""
    points = [(t, v.speedup, mean) for t in TABLES for v, mean in space.table_rows(found, t)]
    most = max(max(a, b) for _, a, b in points) * 1.05
    frame = Frame(60, 34, 420, 420, (0, most), (0, most))
    parts = frame.draw("tables 5.11 to 5.18: 120 variants", "", "speed-up here") + [below(frame, "speed-up that the thesis predicts")]
    parts += [text(frame.x(t), frame.top + frame.height + 14, f"{t:g}", size=10) for t in ticks(*frame.xs)] + [diagonal(frame)]
    parts += [dot(frame.x(a), frame.y(b), COLOURS[TABLES.index(t)], 3, 'fill-opacity="0.7"') for t, a, b in points]
    return picture(780, 500, parts + legend(500, 60, [
        (c, f"{t.name}: {t.cores} cores of {t.engines}, warps of {t.warp}, lines of {t.line}") for c, t in zip(COLOURS, TABLES)]))


def gemms(columns):
    """Plots table 5.10: predicted over measured."""
    sets = [("published", "weights of table 5.9"), ("left_out", "tuned without the row"), ("detailed", "detailed, likewise")]
    values = [g.cycles for g in GEMMS] + [v for name, _ in sets for v in columns[name]]
    span = (min(values) / 1.2, max(values) * 1.2)
    frame = LogFrame(80, 34, 420, 420, span, span)
    parts = frame.draw("table 5.10: cycles of eleven GEMMs", "measured on a G71 (the thesis)", "predicted") + [diagonal(frame)]
    for colour, (name, _) in zip(COLOURS, sets):
        parts += [dot(frame.x(g.cycles), frame.y(v), colour) for g, v in zip(GEMMS, columns[name])]
    parts += [text(frame.x(g.cycles), frame.y(max(columns[name][k] for name, _ in sets)) - 6, g.version, size=10)
              for k, g in enumerate(GEMMS)]
    return picture(700, 500, parts + legend(520, 60, list(zip(COLOURS, (words for _, words in sets)))))


def write_space(found, folder, out):
    """Plots fig. 5.6 by scripts/dse-report, and the tables."""
    with tempfile.TemporaryDirectory(prefix="gencc-report-") as copy:
        for name in "points.csv", "results.csv":
            shutil.copy(folder / name, copy)
        traces.tool(sys.executable, traces.ROOT / "scripts/dse-report", copy)
        shutil.copy(pathlib.Path(copy) / "sweeps.svg", out / "figure_5_6.svg")
    (out / "tables.svg").write_text(tables(found))


def write_gemms(columns, out):
    (out / "gemms.svg").write_text(gemms(columns))
