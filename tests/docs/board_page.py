#!/usr/bin/env python3
"""Keeps docs/describe/adding-a-board.md in step with the boards: board_page.py DTC

Every property of a node gencc, in every tree of platforms/, must be on the page, and so must every
node below such a node."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs/describe/adding-a-board.md"


def properties(dtc, source):
    """Returns the properties below /gencc, each with the path of its node."""
    text = subprocess.run([dtc, "-q", "-I", "dts", "-O", "dts", source], cwd=source.parent, check=True,
                          capture_output=True, text=True).stdout
    path, out = [], set()
    for line in re.sub(r'"(?:[^"\\]|\\.)*"', '""', text).splitlines():
        if found := re.match(r"\s*(?:\S+: )?([^\s;={]*) \{$", line):
            path.append(found[1])
        elif re.match(r"\s*\};$", line):
            path.pop()
        elif found := re.match(r"\s*([\w,#-]+)( =|;)", line):
            if path[1:2] == ["gencc"]:
                out.add(("/".join(path[1:3]), found[1]))
    return out


def main(dtc):
    page, count, missing = PAGE.read_text(), 0, []
    for source in sorted((ROOT / "platforms").glob("*/*.dts")):
        for node, name in sorted(properties(dtc, source)):
            count += 1
            if f"`{name}`" not in page and node != "gencc/labels":
                missing.append(f"{source.parent.name}: /{node} has {name}, which {PAGE.name} does not name")
            if f"/{node}" not in page:
                missing.append(f"{source.parent.name}: {PAGE.name} does not name /{node}")
    print("\n".join(missing) or f"{count} properties")
    return 1 if missing or not count else 0


sys.exit(main(*sys.argv[1:]))
