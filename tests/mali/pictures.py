#!/usr/bin/env python3
"""Pictures of frames: -png writes the pixels that memory is expected to hold, and -draw N leaves out later draws."""
import argparse
import glob
import os
import struct
import subprocess
import sys
import tempfile
import zlib

SIDE = 64
TOLERANCE = 2


def read_png(path):
    """Width, height and rows of (red, green, blue) of a file with 8 bits per colour."""
    with open(path, "rb") as file:
        data = file.read()
    width, height, depth, kind = struct.unpack_from(">IIBB", data, 16)
    assert (depth, kind) == (8, 2), (depth, kind)
    at, packed = 8, b""
    while at < len(data):
        size = struct.unpack_from(">I", data, at)[0]
        if data[at + 4:at + 8] == b"IDAT":
            packed += data[at + 8:at + 8 + size]
        at += 12 + size
    raw, rows, before = zlib.decompress(packed), [], bytearray(3 * width)
    for y in range(height):
        line = unfiltered(raw[y * (3 * width + 1)], raw[y * (3 * width + 1) + 1:(y + 1) * (3 * width + 1)], before)
        rows.append([tuple(line[3 * x:3 * x + 3]) for x in range(width)])
        before = line
    return width, height, rows


def unfiltered(kind, line, above):
    """A line of a PNG file without its filter (PNG, section 9.2)."""
    out = bytearray(line)
    for n, value in enumerate(line):
        left = out[n - 3] if n >= 3 else 0
        corner = above[n - 3] if n >= 3 else 0
        near = min((left, above[n], corner), key=lambda p, n=n, left=left, corner=corner: abs(left + above[n] - corner - p))
        out[n] = (value + (0, left, above[n], (left + above[n]) // 2, near)[kind]) & 255
    return out


def expected(path):
    """Bytes that the file of expectations has, by their place in the frame."""
    with open(path, "rb") as file:
        data = file.read()
    pieces = {}
    for n in range(struct.unpack_from("<H", data, 56)[0]):
        kind, _, offset, va, _, size = struct.unpack_from("<IIQQQQ", data, struct.unpack_from("<Q", data, 32)[0] + 56 * n)
        if kind == 1:
            pieces[va] = data[offset:offset + size]
    start = min(pieces)
    return {va - start + n: value for va, piece in pieces.items() for n, value in enumerate(piece)}


def differences(picture, wanted):
    """Components of the picture that are not as in memory: RGBA of 8 bits, rows without a gap."""
    return sum(abs(picture[at // 4 // SIDE][at // 4 % SIDE][at % 4] - value) > TOLERANCE
               for at, value in wanted.items() if at % 4 < 3)


def colors(rows):
    return {pixel for row in rows for pixel in row}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mali-run", required=True)
    parser.add_argument("--scenes", required=True, help="folder of gfx/clear.*.snap.elf, scenes/offset.*.snap.elf")
    options = parser.parse_args()
    problems = [] if os.path.isdir(os.path.join(options.scenes, "gfx")) else ["no scenes"]

    def run(*words, status=0):
        done = subprocess.run([options.mali_run, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, check=False)
        if done.returncode != status:
            problems.append(f"{' '.join(words)}: status {done.returncode}: {done.stderr.decode()}")
        return done.stdout.decode() + done.stderr.decode()

    with tempfile.TemporaryDirectory(prefix="gencc-test-") as scratch:
        png = os.path.join(scratch, "a.frame.png")
        for path in sorted(glob.glob(os.path.join(options.scenes, "gfx", "clear.*.snap.elf"))):
            text = run(path, "-png", png)
            width, height, rows = read_png(png)
            wrong = differences(rows, expected(path.replace(".snap.", ".expect.")))
            if (width, height, wrong, text) != (SIDE, SIDE, 0, f"{png}: frame 1, target 0, 64 x 64\n"):
                problems.append(f"{path}: {width} x {height}, {wrong} components differ, {text}")
        scenes = sorted(glob.glob(os.path.join(options.scenes, "scenes", "offset.*.snap.elf")))    # two draws
        for path in scenes:
            pictures = []
            for draws in ("0", "1", "2", "9"):
                run(path, "-png", png, "-draw", draws, "-threads", "2")
                pictures.append(read_png(png)[2])
            same = [pictures[n] == pictures[n + 1] for n in range(3)]
            if len(colors(pictures[0])) != 1 or same != [False, False, True]:
                problems.append(f"{path}: -draw: {[sorted(colors(p))[:4] for p in pictures]}, {same}")
        if "no frame" not in run(scenes[0], "-png", png, "-max-jobs", "1", status=2):
            problems.append("-png without a frame is no error")
        if "No such file" not in run(scenes[0], "-png", os.path.join(scratch, "none", "a.png"), status=2):
            problems.append("a PNG file in no folder is no error")
    print("\n".join(problems) or f"{len(scenes)} scenes, 0 problems")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
