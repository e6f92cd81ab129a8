#!/usr/bin/env python3
"""Draws what scripts/demo prints from the guest's login on, as a terminal: demo.py LOG > docs/pictures/demo.svg

    scripts/demo </dev/null 2>&1 | tee demo.log
    docs/pictures/demo.py demo.log > docs/pictures/demo.svg

Lines of LOG are left out (those before the login, and those of the kernel that stand there twice) and cut at WIDTH
columns; no line is changed.
"""
import html
import re
import sys

FIRST = re.compile(r"demo: loading the GPU's driver")
LEFT_OUT = re.compile(r"clock rate|features:|L2:0x|issues|^\s*$|deferred probe|supply mali|regulator")
WIDTH, LINE, LEFT, TOP = 110, 17, 14, 24


def shown(log):
    """The lines of the picture."""
    log = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", log).replace("\r", "")
    lines = log.split("\n")
    first = next((n for n, line in enumerate(lines) if FIRST.match(line)), None)
    if first is None:
        sys.exit("demo.py: this is no log of scripts/demo: the GPU's driver was not loaded")
    lines = lines[first:]
    out = []
    for line in lines:
        if line in out and line.startswith("["):
            continue
        if re.match(r"root@\S*# poweroff|.*Power down|.*re-mounted|init: |report: ", line) or LEFT_OUT.search(line):
            continue
        out.append(line[:WIDTH - 1] + "…" if len(line) > WIDTH else line)
    return out


def colour(line):
    if line.startswith("demo:"):
        return "#7fd4ff"
    if "Mali-G72" in line or line.endswith(": ok"):
        return "#a5e075"
    return "#d8dee9"


def draw(lines):
    width, height = int(WIDTH * 7.25) + 2 * LEFT, TOP + LINE * len(lines) + 12
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
           'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="12">')
    yield f'<rect width="{width}" height="{height}" rx="6" fill="#1d2129"/>'
    for number, line in enumerate(lines):
        yield (f'<text x="{LEFT}" y="{TOP + LINE * number}" fill="{colour(line)}" xml:space="preserve">'
               f'{html.escape(line, quote=False)}</text>')
    yield "</svg>"


def main(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        print("\n".join(draw(shown(file.read()))))


if __name__ == "__main__":
    main(*sys.argv[1:])
