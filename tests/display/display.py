#!/usr/bin/env python3
"""Pictures of a guest's screen, and its keyboard and mouse, as PNG files and by VNC.

The guest is guest.S on screen.dts. PNG files are decoded here by their specification, and the VNC client
below speaks RFB 3.8 (RFC 6143) by hand.
"""
import argparse
import pathlib
import re
import socket
import struct
import subprocess
import tempfile
import time
import unittest
import zlib

ARGS = None

FIRMWARE = [[(n * 0x10101) & 0xffffff for n in range(64 * y, 64 * y + 64)] for y in range(32)]


def widen(pixel):
    """Returns colours of 5, 6 and 5 bits as 8 bits each."""
    red, green, blue = pixel >> 11, pixel >> 5 & 63, pixel & 31
    return (red << 3 | red >> 2) << 16 | (green << 2 | green >> 4) << 8 | blue << 3 | blue >> 2


LCD = [[widen(0xf800 + n) for n in range(32 * y, 32 * y + 32)] for y in range(16)]


def unfilter(kind, line, above):
    """Decodes a line of a PNG file with 3 bytes per pixel (section 9 of its specification)."""
    for i, byte in enumerate(line):
        left, up = line[i - 3] if i >= 3 else 0, above[i]
        corner = above[i - 3] if i >= 3 else 0
        if kind == 1:
            byte += left
        elif kind == 2:
            byte += up
        elif kind == 3:
            byte += (left + up) // 2
        elif kind == 4:
            base = left + up - corner
            byte += min((left, up, corner), key=lambda p: abs(base - p))
        line[i] = byte & 255
    return line


def read_png(path):
    """Returns the lines of pixels of a PNG file with 8 bits per colour."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0] == zlib.crc32(kind + body)
        if kind == b"IHDR":
            width, height, *rest = struct.unpack(">IIBBBBB", body)
            assert rest == [8, 2, 0, 0, 0]
        packed += body if kind == b"IDAT" else b""
        at += 12 + length
    bytes_ = zlib.decompress(packed)
    lines, above = [], bytearray(3 * width)
    for y in range(height):
        start = y * (3 * width + 1)
        above = unfilter(bytes_[start], bytearray(bytes_[start + 1:start + 1 + 3 * width]), above)
        lines.append([int.from_bytes(above[3 * x:3 * x + 3], "big") for x in range(width)])
    return lines


class Vnc:
    """A VNC client that requests raw pixels of 32 bits."""

    def __init__(self, number):
        self.socket = socket.create_connection(("127.0.0.1", 5900 + number), timeout=20)
        assert self.take(12) == b"RFB 003.008\n"
        self.socket.sendall(b"RFB 003.008\n")
        assert 1 in self.take(self.take(1)[0])
        self.socket.sendall(b"\1")
        assert self.take(4) == bytes(4)
        self.socket.sendall(b"\1")
        self.width, self.height = struct.unpack(">HH", self.take(4))
        self.take(16)
        self.name = self.take(struct.unpack(">I", self.take(4))[0]).decode()
        # 0x00rrggbb, least significant byte first; raw pixels, and a screen that changes its size.
        self.socket.sendall(struct.pack(">BxxxBBBBHHHBBBxxx", 0, 32, 24, 0, 1, 255, 255, 255, 16, 8, 0))
        self.socket.sendall(struct.pack(">BxHii", 2, 2, 0, -223))
        self.pixels = {}

    def close(self):
        self.socket.close()

    def take(self, count):
        data = b""
        while len(data) < count:
            more = self.socket.recv(count - len(data))
            if not more:
                raise ConnectionError("the server has hung up")
            data += more
        return data

    def update(self, incremental):
        self.socket.sendall(struct.pack(">BBHHHH", 3, incremental, 0, 0, self.width, self.height))
        kind = self.take(1)[0]
        assert kind == 0, kind
        for _ in range(struct.unpack(">xH", self.take(3))[0]):
            x, y, width, height, encoding = struct.unpack(">HHHHi", self.take(12))
            if encoding == -223:
                self.width, self.height, self.pixels = width, height, {}
                continue
            assert encoding == 0, encoding
            words = struct.unpack(f"<{width * height}I", self.take(4 * width * height))
            for i, word in enumerate(words):
                self.pixels[x + i % width, y + i // width] = word

    def shows(self, expected):
        """Whether the screen becomes equal to the expected one within 20 seconds."""
        end = time.monotonic() + 20
        while time.monotonic() < end:
            self.update(0)
            now = [[self.pixels.get((x, y)) for x in range(self.width)] for y in range(self.height)]
            if now == expected:
                return True
        return False

    def key(self, code):
        for down in 1, 0:
            self.socket.sendall(struct.pack(">BBxxI", 4, down, code))

    def pointer(self, x, y, buttons=0):
        self.socket.sendall(struct.pack(">BBHH", 5, buttons, x, y))


def free_number():
    """Returns an N whose port 5900 + N is free."""
    for number in range(20, 20000):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", 5900 + number)):
                return number
    raise RuntimeError("no port is free")


class Display(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="gencc-display-")
        self.work = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def command(self, *options):
        return [ARGS.juno, "-kernel", ARGS.guest, "-dtb", ARGS.dtb, "-m", "128M", "-icount", "shift=10",
                *[str(o) for o in options]]

    def run_juno(self, *options):
        return subprocess.run(self.command(*options), stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=60, check=False)

    def test_screendump(self):
        early, late = self.work / "early.png", self.work / "late@home.png"
        done = self.run_juno("-screendump", f"{early}@0.5", "-screendump", late, "-limit", "1")
        self.assertEqual(done.returncode, 124, done.stderr)
        self.assertEqual(read_png(early), FIRMWARE)
        self.assertEqual(early.read_bytes(), late.read_bytes())

    def test_without_a_screen(self):
        tree = self.work / "tree.dtb"
        for options, there in ((), False), (("-display", "none"), False), (("-screendump", "x"), True):
            self.run_juno("-dump-dtb", tree, *options)
            self.assertEqual(b"simple-framebuffer" in tree.read_bytes(), there, options)

    def test_errors(self):
        for options, message in ((("-screendump", "/nonexistent/a.png", "-limit", "1"), b"/nonexistent"),
                                 (("-screendump", "a.png@1.2.3"), b"FILE[@SECONDS]"),
                                 (("-display", "gtk"), b"-display knows"),
                                 (("-display", "vnc=5"), b"[HOST]:N"),
                                 (("-display", "vnc=:99999"), b"[HOST]:N"),
                                 (("-display", "vnc=no.such:1"), b"[HOST]:N")):
            done = self.run_juno(*options)
            self.assertIn(message, done.stderr)
            self.assertNotEqual(done.returncode, 0)
        with socket.socket() as taken:
            number = free_number()
            taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            taken.bind(("127.0.0.1", 5900 + number))
            taken.listen()
            done = self.run_juno("-display", f"vnc=:{number}")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"cannot listen", done.stderr)

    def watch(self, picture, *options):
        """Keys and the pointer of a client, up to the end of the machine."""
        number = free_number()
        juno = subprocess.Popen(self.command("-display", f"vnc=:{number}", "-screendump", picture, *options),
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            self.assertEqual(juno.stdout.read(1), b"P")
            view = Vnc(number)
            self.addCleanup(view.close)
            self.assertEqual(view.name, "juno")
            self.assertTrue(view.shows(FIRMWARE))
            view.key(ord("a"))
            self.assertEqual(juno.stdout.read(6), b"K\x1cK\xf0K\x1c")
            view.pointer(5, 3)
            self.assertEqual(juno.stdout.read(6), b"M\x28M\x05M\xfd")
            view.pointer(5, 3, 4)
            self.assertEqual(juno.stdout.read(6), b"M\x0aM\0M\0")
            view.key(0xffbe)  # F1
            self.assertTrue(view.shows(LCD))
            self.assertEqual((view.width, view.height), (32, 16))
            view.key(0xff1b)
            self.assertEqual(juno.wait(20), 0)
            self.assertEqual(read_png(picture), LCD)
        finally:
            juno.kill()
            juno.communicate()

    def test_vnc(self):
        self.watch(self.work / "end.png")

    def test_recorded(self):
        """The session is repeated to the byte, with a port that no client uses."""
        record, pictures = self.work / "session.rr", [self.work / "then.png", self.work / "now.png"]
        stats = [self.work / "then", self.work / "now"]
        self.watch(pictures[0], "-record", record, "-stats", stats[0])
        done = self.run_juno("-display", f"vnc=:{free_number()}", "-screendump", pictures[1], "-replay", record,
                             "-stats", stats[1])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(pictures[0].read_bytes(), pictures[1].read_bytes())
        counters = [[line for line in (folder / "stats.txt").read_text().splitlines() if not line.startswith(("jit/", "host/"))]
                    for folder in stats]
        self.assertEqual(*counters)
        self.assertTrue(done.stdout.startswith(b"PK\x1cK\xf0K\x1cM\x28M\x05M\xfdM\x0aM\0M\0"))

    def held(self, *options):
        """Returns a machine that a debugger holds before its first instruction, and the debugger's
        port."""
        juno = subprocess.Popen(self.command("-S", "-gdb", "tcp::0", *options), stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.addCleanup(juno.stderr.close)
        self.addCleanup(juno.wait)
        self.addCleanup(juno.kill)
        for line in juno.stderr:
            if found := re.search(rb"gdb +TCP port (\d+)", line):
                return juno, int(found[1])
        return self.fail("no port is announced")

    def counts(self, watched):
        """Returns the counters of a run. If watched, a client has the first frame before the
        machine starts, and watches until it ends. The guest waits for its traces: how many it has
        otherwise depends on how fast the second thread translates."""
        number, stats = free_number(), self.work / f"stats{watched}"
        juno, port = self.held("-display", f"vnc=:{number}", "-clock", "virtual", "-limit", "50", "-jit-sync",
                               "-stats", stats)
        with socket.create_connection(("127.0.0.1", port)) as debugger:
            if watched:
                view = Vnc(number)
                self.addCleanup(view.close)
                view.update(0)
            debugger.sendall(b"$D#44")
            try:
                while watched:
                    view.update(0)
            except ConnectionError:
                pass
            juno.stderr.read()
        return [line for line in (stats / "stats.txt").read_text().splitlines() if "instructions" in line]

    def test_watching_changes_nothing(self):
        alone = self.counts(False)
        self.assertTrue(alone)
        self.assertEqual(alone, self.counts(True))


def main():
    global ARGS
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--juno", required=True)
    parser.add_argument("--dtb", required=True)
    parser.add_argument("--guest", required=True, help="guest.S as raw code")
    ARGS, rest = parser.parse_known_args()
    unittest.main(argv=["display.py", *rest])


if __name__ == "__main__":
    main()
