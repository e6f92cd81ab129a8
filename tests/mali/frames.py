#!/usr/bin/env python3
"""Frames with other vertices and another blend equation than recorded: the snapshots of a scene are
changed, and pixels away from edges are compared with arithmetic: interpolation, perspective,
blending."""
import argparse
import glob
import json
import os
import struct
import subprocess
import sys
import tempfile

POSITIONS, COLORS, PIXELS = 0xa01c000, 0xa01d000, 0xa004000  # as recorded
SIDE = 64
OVER = 0xf0503503     # destination + (source - destination) * alpha
TOLERANCE = 2
# Two triangles: x, y, z, w of the clip coordinates, and a colour.
VERTICES = [
    ((-0.9, -0.8, 0.0, 1.0), (1.0, 0.0, 0.0, 1.0)),
    ((2.4, -2.1, 0.0, 3.0), (0.0, 1.0, 0.0, 1.0)),
    ((-0.2, 1.8, 0.0, 2.0), (0.0, 0.0, 1.0, 0.25)),
    ((-0.7, 0.8, -0.5, 1.0), (0.2, 0.3, 1.0, 0.5)),
    ((0.9, 0.6, -0.5, 1.0), (1.0, 0.3, 0.1, 0.5)),
    ((0.1, -0.9, -0.5, 1.0), (0.0, 0.9, 0.4, 0.75)),
]


class Snapshot:
    """A snapshot file whose memory can be changed."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = bytearray(file.read())

    def place(self, va):
        """Offset in the file of memory."""
        for n in range(struct.unpack_from("<H", self.bytes, 56)[0]):
            kind, _, offset, start, _, size = struct.unpack_from("<IIQQQQ", self.bytes, 64 + 56 * n)
            if kind == 1 and start <= va < start + size:
                return offset + va - start
        raise ValueError(hex(va))

    def words(self, va, count):
        """Words of memory."""
        return struct.unpack_from(f"<{count}I", self.bytes, self.place(va))

    def write(self, va, form, *values):
        """Changes memory."""
        struct.pack_into("<" + form, self.bytes, self.place(va), *values)

    def framebuffer(self):
        """Address of the framebuffer, from the fragment job that was submitted last."""
        note = struct.unpack_from("<Q", self.bytes, 64 + 8)[0]
        size = struct.unpack_from("<I", self.bytes, note + 4)[0]
        job = json.loads(self.bytes[note + 20:note + 20 + size].decode())["submits"][-1]["jc"]
        low, high = self.words(job + 40, 2)
        return (low | high << 32) & ~63

    def draw(self):
        """Address of the draw of the fragments."""
        job = struct.unpack_from("<Q", self.bytes, 24)[0]
        while True:
            head = self.words(job, 8)
            kind = head[4] >> 1 & 0x7f
            if kind in (7, 10):
                return job + (128 if kind == 10 else 64)
            job = head[6] | head[7] << 32


def write_expectation(path, pixels):
    """Writes a file of expectations: {(x, y): four components}."""
    note = json.dumps([{"va": PIXELS + 4 * (y * SIDE + x), "size": 4, "type": "u8",
                        "abs_tol": TOLERANCE, "rel_tol": 0} for x, y in sorted(pixels, key=lambda p: p[::-1])])
    note += " " * (-len(note) % 4)
    places = sorted(pixels, key=lambda p: p[::-1])
    start = 64 + 56 * (1 + len(places))
    body = struct.pack("<III", 5, len(note), 1) + b"MALI\0\0\0\0" + note.encode()
    heads = [struct.pack("<IIQQQQQQ", 4, 4, start, 0, 0, len(body), 0, 4)]
    for x, y in places:
        heads.append(struct.pack("<IIQQQQQQ", 1, 4, start + len(body), PIXELS + 4 * (y * SIDE + x), 0, 4, 4, 1))
        body += bytes(pixels[x, y])
    ident = b"\x7fELF\x02\x01\x01" + bytes(9)
    elf = ident + struct.pack("<HHIQQQIHHHHHH", 4, 0, 1, 0, 64, 0, 0, 64, 56, len(heads), 0, 0, 0)
    with open(path, "wb") as file:
        file.write(elf + b"".join(heads) + body)


def inside(vertices, x, y):
    """Weights of the vertices at a place, and how near it is to an edge (0: on it)."""
    places = [((p[0] / p[3] + 1) * SIDE / 2, (p[1] / p[3] + 1) * SIDE / 2) for p, _ in vertices]
    (ax, ay), (bx, by), (cx, cy) = places
    area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
    weights = [((bx - x) * (cy - y) - (cx - x) * (by - y)) / area,
               ((cx - x) * (ay - y) - (ax - x) * (cy - y)) / area,
               ((ax - x) * (by - y) - (bx - x) * (ay - y)) / area]
    return weights, min(weights)


def color_at(vertices, x, y):
    """The colour of a triangle at a place, None outside and "edge" near an edge."""
    weights, near = inside(vertices, x, y)
    if abs(near) < 0.05:
        return "edge"
    if near < 0:
        return None
    scaled = [w / p[3] for w, (p, _) in zip(weights, vertices)]
    return [sum(w * c[k] for w, (_, c) in zip(scaled, vertices)) / sum(scaled) for k in range(4)]


def frame(background, blends):
    """The pixels that are not near an edge; the second triangle is nearer."""
    pixels = {}
    for y in range(0, SIDE, 3):
        for x in range(0, SIDE, 3):
            layers = [color_at(VERTICES[n:n + 3], x + 0.5, y + 0.5) for n in (0, 3)]
            if "edge" in layers:
                continue
            result = background
            for color in layers:
                if color:
                    alpha = color[3] if blends else 1
                    result = [d + (s - d) * alpha for s, d in zip(color, result)]
            pixels[x, y] = [round(255 * min(max(v, 0), 1)) for v in result]
    return pixels


def change(snapshot, blends):
    """Gives a snapshot the vertices and the equation."""
    for n, (position, color) in enumerate(VERTICES):
        snapshot.write(POSITIONS + 16 * n, "4f", *position)
        snapshot.write(COLORS + 16 * n, "4f", *color)
    if not blends:
        return
    draw = snapshot.words(snapshot.draw(), 16)
    blend = (draw[14] | draw[15] << 32) + 64
    if snapshot.words(blend, 4)[1]:    # Bifrost
        snapshot.write(blend + 4, "II", OVER, snapshot.words(blend, 4)[2] & ~3 | 2)
    else:
        snapshot.write(blend + 8, "I", OVER)


def change_shader_of_frame(snapshot):
    """Leaves out the primitives; a shader before them draws the same triangle."""
    draw, framebuffer = snapshot.draw(), snapshot.framebuffer()
    snapshot.write(draw - 128 + 40 + 12, "I", 0)        # one index: no triangle
    snapshot.write(framebuffer, "I", 1)                 # always
    snapshot.write(framebuffer + 24, "Q", draw)


def run(command):
    """Returns the output of a run that did not succeed."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=False)
    return done.stdout.decode() if done.returncode else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mali-run", required=True)
    parser.add_argument("--scenes", required=True, help="folder of depth.*.snap.elf")
    options = parser.parse_args()
    scenes = sorted(glob.glob(os.path.join(options.scenes, "depth.*.snap.elf")))
    problems = [] if scenes else ["no scenes"]
    with tempfile.TemporaryDirectory(prefix="gencc-test-") as scratch:
        for path in scenes:
            with open(path.replace(".snap.", ".expect."), "rb") as file:
                expected = file.read()
            offset = struct.unpack_from("<Q", expected, 64 + 56 + 8)[0]
            background = [v / 255 for v in expected[offset:offset + 4]]    # the first pixel
            for blends in (False, True):
                snapshot = Snapshot(path)
                change(snapshot, blends)
                changed, wanted = os.path.join(scratch, "snap.elf"), os.path.join(scratch, "expect.elf")
                with open(changed, "wb") as file:
                    file.write(snapshot.bytes)
                write_expectation(wanted, frame(background, blends))
                text = run([options.mali_run, changed, "-expect", wanted, "-threads", "2"])
                if text:
                    problems.append(f"{path}, {'blending' if blends else 'opaque'}:\n{text}")
        for path in sorted(glob.glob(os.path.join(options.scenes, "flat.G*.snap.elf"))):
            snapshot = Snapshot(path)
            change_shader_of_frame(snapshot)
            changed = os.path.join(scratch, "snap.elf")
            with open(changed, "wb") as file:
                file.write(snapshot.bytes)
            text = run([options.mali_run, changed, "-expect", path.replace(".snap.", ".expect.")])
            if text:
                problems.append(f"{path}, a shader before primitives:\n{text}")
    print("\n".join(problems) or f"{len(scenes)} scenes, 0 problems")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
