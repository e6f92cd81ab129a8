#!/usr/bin/env python3
"""What Mesa's frames of the stored scenes leave off: maps of enabled tiles, signatures of tiles, shaders behind the
primitives, dithering, positions above 4 GB, values in Midgard's register of targets. Snapshots are changed so that they use it; expected pixels are those of the
scene, or arithmetic."""
import argparse
import glob
import json
import os
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from frames import PIXELS, SIDE, Snapshot

OWN = 0xc000000       # a segment of the test's own: no buffer of the scenes is there
OWN_BYTES = 0x1000
HIGH = 0x2_c000_0000  # and another, above 4 GB
JOBS, SIGNATURES = OWN + 0x400, OWN + 0x800
LARGEST = 0x10000     # heaps are larger
MAP_STRIDE = 64
SIGNATURE_STRIDE = 8 * SIDE // 16
SQUARE = 32           # pixels of a bit of the map
POSITION = 16         # the address of positions in a draw
STATE = 56            # and that of the renderer state
KINDS = 64            # of buffers
BEHIND = 0x400        # behind the shaders, where there is none
TAG_ALU, SADD = 8, 1 << 19  # in the header of a Midgard word


class Scene(Snapshot):
    """A snapshot whose buffers are whole, with segments of zeros at OWN and HIGH."""

    def __init__(self, path):
        super().__init__(path)
        segments = []
        for n in range(struct.unpack_from("<H", self.bytes, 56)[0]):
            kind, flags, offset, start, _, size, whole, _ = struct.unpack_from("<IIQQQQQQ", self.bytes, 64 + 56 * n)
            content = bytes(self.bytes[offset:offset + size])
            segments.append((kind, flags, start, content.ljust(whole if whole <= LARGEST else size, b"\0"), whole))
        segments += [(1, 6, start, bytes(OWN_BYTES), OWN_BYTES) for start in (OWN, HIGH)]
        heads, body = bytearray(), bytearray()
        for kind, flags, start, content, whole in segments:
            at = 64 + 56 * len(segments) + len(body)
            at += -at % 16
            body += bytes(at - 64 - 56 * len(segments) - len(body)) + content
            heads += struct.pack("<IIQQQQQQ", kind, flags, at, start, 0, len(content), whole, 16)
        struct.pack_into("<H", self.bytes, 56, len(segments))
        self.bytes[64:] = heads + body

    def note(self):
        """Place and value of the note."""
        at, = struct.unpack_from("<Q", self.bytes, 64 + 8)
        size, = struct.unpack_from("<I", self.bytes, at + 4)
        return at + 20, size, json.loads(self.bytes[at + 20:at + 20 + size].decode())

    def submits(self):
        return self.note()[2]["submits"]

    def submit(self, jobs):
        """Replaces the submissions; what else the note says is left out, so that there is room."""
        at, size, value = self.note()
        text = json.dumps({**{k: v for k, v in value.items() if k != "bos"}, "submits": jobs}).encode()
        self.bytes[at:at + size] = text.ljust(size)

    def fragment_job(self):
        return self.submits()[-1]["jc"]


def read_pixels(path):
    """The pixels that a scene's file expects: {(x, y): four bytes}."""
    with open(path, "rb") as file:
        data = file.read()
    pixels = {}
    for n in range(struct.unpack_from("<H", data, 56)[0]):
        kind, _, offset, start, _, size = struct.unpack_from("<IIQQQQ", data, 64 + 56 * n)
        for i in range(0, size if kind == 1 else 0, 4):
            place = (start + i - PIXELS) // 4
            pixels[place % SIDE, place // SIDE] = data[offset + i:offset + i + 4]
    return pixels


def write_expectation(path, pixels, size=4, tolerance=2):
    """Writes {(x, y): bytes} of pixels with `size` bytes."""
    places = sorted(pixels, key=lambda p: p[::-1])
    note = json.dumps([{"va": PIXELS + size * (y * SIDE + x), "size": size, "type": "u8" if size == 4 else "u16",
                        "abs_tol": tolerance, "rel_tol": 0} for x, y in places])
    note += " " * (-len(note) % 4)
    start = 64 + 56 * (1 + len(places))
    body = struct.pack("<III", 5, len(note), 1) + b"MALI\0\0\0\0" + note.encode()
    heads = [struct.pack("<IIQQQQQQ", 4, 4, start, 0, 0, len(body), 0, 4)]
    for x, y in places:
        heads.append(struct.pack("<IIQQQQQQ", 1, 4, start + len(body), PIXELS + size * (y * SIDE + x), 0, size, size, 1))
        body += bytes(pixels[x, y])
    ident = b"\x7fELF\x02\x01\x01" + bytes(9)
    with open(path, "wb") as file:
        file.write(ident + struct.pack("<HHIQQQIHHHHHH", 4, 0, 1, 0, 64, 0, 0, 64, 56, len(heads), 0, 0, 0) +
                   b"".join(heads) + body)


def background_of(pixels):
    return pixels[0, 0]


def map_of_tiles(scene, pixels):
    """Two of four squares are enabled; the others keep what memory holds."""
    job = scene.fragment_job()
    for row, bits in enumerate((0b01, 0b10)):
        scene.write(OWN + MAP_STRIDE * row, "B", bits)
    scene.write(job + 32 + 4, "I", scene.words(job + 32, 2)[1] | 1 << 31)
    scene.write(job + 32 + 16, "QI", OWN, MAP_STRIDE)
    for (x, y), value in pixels.items():
        before = scene.words(PIXELS + 4 * (y * SIDE + x), 1)[0]
        pixels[x, y] = value if x // SQUARE == y // SQUARE else struct.pack("<I", before)


def signatures(scene, pixels, reads):
    """The frame is drawn twice, and between that two of its pixels are set to 0. If signatures are read, the tiles of
    the second frame are not stored, and the two pixels stay so."""
    framebuffer, jobs = scene.framebuffer(), scene.submits()
    spot = (40, 40)
    scene.write(framebuffer + 128, "QI", SIGNATURES, SIGNATURE_STRIDE)
    scene.write(framebuffer + 48, "I", scene.words(framebuffer + 48, 1)[0] | (3 if reads else 2) << 30)
    at = PIXELS + 4 * (spot[1] * SIDE + spot[0])
    scene.write(JOBS, "8I", 0, 0, 0, 0, 1 | 2 << 1 | 1 << 16, 0, 0, 0)    # a job of type write value
    scene.write(JOBS + 32, "QI", at, 3)                                    # zero
    # A job is done once: the second frame is a copy of the job.
    scene.write(JOBS + 128, "16I", *scene.words(jobs[-1]["jc"], 16))
    scene.submit(jobs + [{"jc": JOBS, "requirements": 0, "jobs": ["WRITE_VALUE"]},
                         {"jc": JOBS + 128, "requirements": 1, "jobs": ["FRAGMENT"]}])
    if reads:
        pixels[spot] = pixels[spot[0] + 1, spot[1]] = bytes(4)


def shader_behind(scene, pixels, mode, draws):
    """Leaves out the primitives, unless `draws`; the shader behind them draws the same triangle."""
    draw, framebuffer = scene.draw(), scene.framebuffer()
    if not draws:
        scene.write(draw - 128 + 40 + 12, "I", 0)      # one index: no triangle
    scene.write(framebuffer, "I", mode << 6)
    scene.write(framebuffer + 24, "Q", draw - 256)     # the third draw of the array
    if not draws and mode == 2:                        # no tile has primitives
        for place in pixels:
            pixels[place] = background_of(pixels)


def bayer(x, y):
    """The ordered 4 by 4 matrix: 0 … 15."""
    rank = 0
    for bit in range(2):
        rank = rank << 2 | ((x ^ y) >> bit & 1) << 1 | (y >> bit & 1)
    return rank


def dithered_clear(scene, pixels):
    """A cleared target of 5, 6 and 5 bits, whose clear value has fractions."""
    target = scene.framebuffer() + 128 + (64 if scene.words(scene.framebuffer() + 48, 1)[0] >> 21 & 1 else 0)
    # 10 bits each, with 5, 4 and 5 bits of fraction: 6.25, 20.5 and 30.75, of which no sum with a
    # threshold is an integer.
    fixed = (6 * 32 + 8, 20 * 16 + 8, 30 * 32 + 24)
    words = scene.words(target, 2)
    scene.write(target, "I", words[0] & ~(63 << 26) | 5 << 26)
    scene.write(target + 4, "I", words[1] & ~(31 << 3) | 21 << 3 | 1 << 15)
    scene.write(target + 40, "I", 2 * SIDE)
    scene.write(target + 48, "4I", *[fixed[0] | fixed[1] << 10 | fixed[2] << 20] * 4)
    scale = (32, 16, 32)
    for x, y in list(pixels):
        value = [int(f / s + (bayer(x, y) + 0.5) / 16) for f, s in zip(fixed, scale)]
        pixels[x, y] = struct.pack("<H", value[0] | value[1] << 5 | value[2] << 11)


def positions_above(scene, _):
    """Shaded positions lie above 4 GB: in all draws, and in buffers of vertices, whose kind is in the low bits."""
    place, = struct.unpack("<Q", struct.pack("<II", *scene.words(scene.draw() + POSITION, 2)))
    if not place or place % KINDS:
        raise ValueError(f"the draw's positions are at {place:#x}")
    for kind in range(KINDS):
        scene.bytes = scene.bytes.replace(struct.pack("<Q", place | kind), struct.pack("<Q", HIGH | kind))


def midgard_target(scene, pixels, together):
    """The shader moves 0xff, which asks for a write of depth and stencil only, to R1.z: in the word that writes the
    colour (`together`), or in a word before, whose value is no target. The shader of the scene is that one word."""
    imov = 31 | 1 << 10 | 1 << 15 | 0x7b << 16 | 1 << 26 | 7 << 33 | 31 << 36 | 2 << 42 | 1 << 44 | 4 << 45
    move, state = imov.to_bytes(6, "little"), scene.words(scene.draw() + STATE, 1)[0]
    pointer, tag = scene.words(state, 1)[0] & ~15, scene.words(state, 1)[0] & 15
    header, *rest = scene.words(pointer, 8)
    word = struct.pack("<7I", *rest)
    if together:    # in the order of units: registers of vmul, sadd, vadd, then the rest of vmul, sadd, vadd
        word = (word[:2] + move[:2] + word[2:10] + move[2:] + word[10:])[:28]
        for place in pixels:
            pixels[place] = background_of(pixels)
    before = struct.pack("<I", SADD | tag << 4 | TAG_ALU) + move.ljust(12, b"\0")
    word = struct.pack("<I", header | (SADD if together else 0)) + word
    own = pointer + BEHIND
    scene.write(own, "48s", before + word)
    scene.write(state, "I", own + 16 | tag if together else own | TAG_ALU)
    # Depth is from the shader, so it is not tested early.
    scene.write(state + 16, "I", scene.words(state + 16, 1)[0] & ~(1 << 10) | 3 << 8)


# Scenes; what is changed; bytes per pixel; tolerance.
FEATURES = [
    ("a map of tiles", "depth.*", map_of_tiles, 4, 2),
    ("signatures", "depth.*", lambda s, p: signatures(s, p, True), 4, 2),
    ("signatures not read", "depth.*", lambda s, p: signatures(s, p, False), 4, 2),
    ("a shader behind no primitives", "flat.G*", lambda s, p: shader_behind(s, p, 1, False), 4, 2),
    ("a shader behind primitives", "flat.G*", lambda s, p: shader_behind(s, p, 2, True), 4, 2),
    ("a shader in tiles with primitives", "flat.G*", lambda s, p: shader_behind(s, p, 2, False), 4, 2),
    ("dithering", "clear.*", dithered_clear, 2, 0),
    ("positions above 4 GB", "depth.*", positions_above, 4, 2),
    ("no target, R1.z left over", "flat.T*", lambda s, p: midgard_target(s, p, False), 4, 2),
    ("no colour", "flat.T*", lambda s, p: midgard_target(s, p, True), 4, 2),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mali-run", required=True)
    parser.add_argument("--scenes", required=True, help="folder of the scenes")
    options = parser.parse_args()
    problems, count = [], 0
    with tempfile.TemporaryDirectory(prefix="gencc-test-") as scratch:
        changed, wanted = os.path.join(scratch, "snap.elf"), os.path.join(scratch, "expect.elf")
        for name, pattern, change, size, tolerance in FEATURES:
            paths = sorted(glob.glob(os.path.join(options.scenes, pattern + ".snap.elf")))
            problems += [] if paths else [f"no {pattern}"]
            for path in paths:
                scene, pixels = Scene(path), read_pixels(path.replace(".snap.", ".expect."))
                change(scene, pixels)
                with open(changed, "wb") as file:
                    file.write(scene.bytes)
                write_expectation(wanted, pixels, size, tolerance)
                done = subprocess.run([options.mali_run, changed, "-expect", wanted, "-threads", "2"], check=False,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
                count += 1
                if done.returncode:
                    problems.append(f"{path}, {name}:\n{done.stdout.decode()[:600]}")
    print("\n".join(problems) or f"{count} frames, 0 problems")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
