#!/usr/bin/env python3
"""Counts of draws in reports: they add up to the counters of shaders and to the picture of overdraw, a single triangle's
fragments are the pixels that it changed, late tests kill what early ones spare, and host threads change nothing. The
disassembly has each shader that ran."""
import argparse
import csv
import glob
import os
import re
import subprocess
import sys
import tempfile

import frames
import pictures


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def counters(folder):
    """The counters of all shaders by name."""
    with open(os.path.join(folder, "stats.txt"), encoding="utf-8") as file:
        pairs = [line.split() for line in file if line.startswith("gpu/shader/")]
    return {name.removeprefix("gpu/shader/"): int(value) for name, value in pairs if value.isdigit()}


def total(draws, name):
    return sum(int(draw[name]) for draw in draws)


def check_shaders(listing, sums):
    """Problems of a disassembly: it has each shader that ran, once, and no other. The scenes blend without shaders."""
    listed = re.findall("^shader at (0x[0-9a-f]+)$", listing, re.MULTILINE)
    with open(sums, encoding="utf-8") as file:
        ran = set(re.findall("^ +(0x[0-9a-f]+): ", file.read(), re.MULTILINE))
    return [] if sorted(listed) == sorted(ran) else [f"shaders {listed} are listed, {sorted(ran)} ran"]


def check_scene(run, path, scratch):
    """Problems of one scene, and its draws."""
    report, stats = os.path.join(scratch, "report"), os.path.join(scratch, "stats")
    grey = os.path.join(scratch, "grey.png")
    run(path, "-report", report, "-stats", stats, "-overdraw", grey)
    draws, parts, found = rows_of(f"{report}/draws.csv"), rows_of(f"{report}/frames.csv"), []
    shaded = total(draws, "fragments") + total(draws, "helpers")
    vertices = total(draws, "vertices")
    rest = counters(stats).get("threads", 0) - shaded
    if shaded % 4 or rest < vertices or (vertices and rest % vertices and len(draws) == 1):
        found.append(f"{shaded} threads of fragments and {vertices} vertices, {rest} are left")
    for draw in draws:
        if int(draw["killed"]) > int(draw["fragments"]) or int(draw["culled"]) > int(draw["primitives"]) or \
                int(draw["fragments"]) + int(draw["helpers"]) > 4 * int(draw["quads"]):
            found.append(f"{draw}")
    _, _, rows = pictures.read_png(grey)
    levels = [pixel[0] for row in rows for pixel in row]
    if len(parts) == 1 and 255 not in levels and sum(levels) != 32 * total(draws, "fragments"):
        found.append(f"overdraw of {sum(levels) / 32}, {total(draws, 'fragments')} fragments")
    found += check_shaders(run(path, "-disasm"), os.path.join(stats, "gpu_shaders.txt"))
    other = os.path.join(scratch, "other")
    run(path, "-report", other, "-threads", "5", "-translate", "0")
    if rows_of(f"{other}/draws.csv") != draws:
        found.append("other counts on five threads")
    return [f"{os.path.basename(path)}: {one}" for one in found], draws


def check_late_tests(run, path, scratch):
    """Fragments that early tests spare are shaded and killed if the renderer state makes the tests late."""
    late = os.path.join(scratch, "late.snap.elf")
    snapshot = frames.Snapshot(path)
    low, high = snapshot.words(snapshot.draw() + 4 * 14, 2)
    properties = (low | high << 32) + 16
    snapshot.write(properties, "I", snapshot.words(properties, 1)[0] | 3 << 21 | 3 << 23)
    with open(late, "wb") as file:
        file.write(snapshot.bytes)
    seen = []
    for scene in (path, late):
        run(scene, "-report", os.path.join(scratch, "report"))
        draws = rows_of(os.path.join(scratch, "report", "draws.csv"))
        seen.append([total(draws, name) for name in ("occluded", "fragments", "killed")])
    (spared, shaded, killed), after = seen
    if not spared or killed or after != [0, shaded + spared, spared]:
        return [f"{os.path.basename(path)}: occluded, fragments, killed are {seen} with early and late tests"]
    return []


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mali-run", required=True)
    parser.add_argument("--scenes", required=True, help="folder of gfx/flat.*.snap.elf, scenes/*.snap.elf")
    options = parser.parse_args()
    problems, count = [], 0

    def run(*words):
        return subprocess.run([options.mali_run, *words], capture_output=True, timeout=120, check=True, text=True).stdout

    for path in sorted(path for kind in ("gfx/*.G72", "gfx/*.T860", "scenes/*.G72")
                       for path in glob.glob(os.path.join(options.scenes, f"{kind}.snap.elf"))):
        with tempfile.TemporaryDirectory(prefix="gencc-test-") as scratch:
            found, draws = check_scene(run, path, scratch)
            problems += found
            count += 1
            if os.path.basename(path).startswith("flat."):
                png = os.path.join(scratch, "a.png")
                run(path, "-png", png)
                pixels = [pixel for row in pictures.read_png(png)[2] for pixel in row]
                changed = len(pixels) - pixels.count(pixels[0])
                if [draw["fragments"] for draw in draws] != [str(changed)]:
                    problems.append(f"{path}: {changed} pixels changed: {draws}")
    for scene in glob.glob(os.path.join(options.scenes, "gfx", "depth.G[57]2.snap.elf")):
        with tempfile.TemporaryDirectory(prefix="gencc-test-") as scratch:
            problems += check_late_tests(run, scene, scratch)
    print("\n".join(problems) or f"{count} scenes, 0 problems")
    return bool(problems) or count < 5


if __name__ == "__main__":
    sys.exit(main())
