"""Bars, for the pictures of scripts/chapter4: of each group one beside the other, or one upon the other."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts/pictures"))
from svg import Frame, line, picture, text

# Told apart by those who see no red or green, and on paper, where they go from dark to light.
COLOURS = ["#08306b", "#b15928", "#4292c6", "#e6ab02", "#7a7a7a", "#9ecae1", "#fdd9b5", "#dddddd", "#333333"]
BAR, GAP, LEFT, TOP, HEIGHT, LABELS = 11, 14, 72, 84, 260, 110


def box(x, y, width, height, colour, words):
    return (f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{max(height, 0):.1f}" fill="{colour}" '
            f'stroke="white" stroke-width="0.4"><title>{words}</title></rect>')


def legend(names):
    parts, x, y = [], LEFT, 24
    for name, colour in zip(names, COLOURS):
        parts += [box(x, y - 9, 10, 10, colour, name), text(x + 14, y, name, "start")]
        x += 30 + 6.3 * len(name)
    return parts


def label(x, name):
    y = TOP + HEIGHT + 14
    return text(x, y, name, "end", 11, f'transform="rotate(-35 {x:.1f} {y:.1f})"')


def frame(groups, width, most, beside, title):
    f = Frame(LEFT, TOP, groups * (width + GAP) + GAP, HEIGHT, (0, 1), (0, most))
    parts = f.draw("", "", beside)
    return f, parts + [text(LEFT, 44, title, "start", 12)]


def beside(title, axis, groups, names, most=None):
    """`groups`: (name, a number per name). A bar that is higher than `most` is cut there, and its number written."""
    width = BAR * len(names)
    most = most or 1.05 * max(v for _, values in groups for v in values)
    f, parts = frame(len(groups), width, most, axis, title)
    for g, (name, values) in enumerate(groups):
        left = LEFT + GAP + g * (width + GAP)
        for k, v in enumerate(values):
            x, top = left + BAR * k, f.y(min(v, most))
            parts.append(box(x, top, BAR - 1, f.y(0) - top, COLOURS[k % len(COLOURS)], f"{name}, {names[k]}: {v:.3g}"))
            if v > most:
                x += BAR - 2
                parts.append(text(x, top - 3, f"{v:.3g}", "start", 9, f'transform="rotate(-90 {x:.1f} {top - 3:.1f})"'))
        parts.append(label(left + width / 2, name))
    parts.append(line(LEFT, f.y(1), LEFT + f.width, f.y(1), "#333"))
    return picture(int(max(LEFT + f.width, 640) + 20), TOP + HEIGHT + LABELS, parts + legend(names))


def upon(title, axis, groups, names):
    """`groups`: (name, a share per name), which come to 1."""
    width = 2 * BAR
    f, parts = frame(len(groups), width, 1, axis, title)
    for g, (name, values) in enumerate(groups):
        left, below = LEFT + GAP + g * (width + GAP), 0
        for k, v in enumerate(values):
            top = f.y(below + v)
            parts.append(box(left, top, width, f.y(below) - top, COLOURS[k % len(COLOURS)], f"{name}, {names[k]}: {100 * v:.1f} %"))
            below += v
        parts.append(label(left + width / 2, name))
    return picture(int(max(LEFT + f.width, 700) + 20), TOP + HEIGHT + LABELS, parts + legend(names))
