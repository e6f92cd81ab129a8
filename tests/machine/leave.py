#!/usr/bin/env python3
"""Ctrl-A x, SIGINT and SIGTERM end the simulator at once, whatever guest, device and debugger do.

Each guest runs on a pseudo-terminal, whose mode must be afterwards what it was before.
"""
import argparse
import os
import pathlib
import pty
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

ARGS = None
LIMIT = 1.0  # seconds

# A64 words, as binutils encodes them.
LOOP = [0x14000000]                  # b .
WAIT = [0xd503207f, 0x17ffffff]      # wfi; b .-4
PRINT = [0xd2afff01, 0x52800f02, 0xb9000022, 0x17ffffff]  # x1 = uart, w2 = 'x'; str w2, [x1]; b .-4

# A virtio disk in the first slot of the board's overlay, and its ring
# (tests/machine/test_virtio.c).
SLOT, RAM = 0x6f000000, 0x82000000
DESC, AVAIL, USED, STATUS = RAM, RAM + 0x1000, RAM + 0x2000, RAM + 0x3000
HEADER = AVAIL + 0x100
FEED_SECTORS = 65536


def load(register, value):
    """movz and movk: loads the 64 bits of a register."""
    words = [0xd2800000 | (value & 0xffff) << 5 | register]
    for part in (1, 2, 3):
        half = value >> 16 * part & 0xffff
        if half:
            words.append(0xf2800000 | part << 21 | half << 5 | register)
    return words


def store(address, value, size=4):
    """Stores the value to memory or to a register of a device."""
    return load(1, address) + load(2, value) + [{8: 0xf9000022, 4: 0xb9000022, 2: 0x79000022}[size]]


def descriptor(n, address, length, flags, following):
    return (store(DESC + 16 * n, address, 8) + store(DESC + 16 * n + 8, length) +
            store(DESC + 16 * n + 12, flags | following << 16))


def feeding_guest():
    """Offers one block request, whose data is the ring's next entry and the next request."""
    words = descriptor(0, HEADER, 16, 1, 1) + descriptor(1, AVAIL, 512, 3, 2)
    words += descriptor(2, STATUS, 1, 2, 0) + store(AVAIL, 1 << 16)
    for offset, value in ((0x70, 0), (0x70, 3), (0x24, 1), (0x20, 1), (0x70, 11), (0x30, 0), (0x38, 8),
                          (0x80, DESC), (0x90, AVAIL), (0xa0, USED), (0x44, 1), (0x70, 15), (0x50, 0)):
        words += store(SLOT + offset, value)
    return words + WAIT


def feeding_disk(path):
    with open(path, "wb") as file:
        for n in range(FEED_SECTORS):
            ring = struct.pack("<HH252x", 0, (n + 2) & 0xffff)
            file.write(ring + struct.pack("<QQ240x", 0, (n + 1) % FEED_SECTORS))


class Running:
    """A simulator on a pseudo-terminal, which receives its output as well, unless `stdout` is
    given."""

    def __init__(self, options, stdout=None):
        self.master, self.slave = pty.openpty()
        self.mode = termios.tcgetattr(self.slave)
        self.text = b""
        self.process = subprocess.Popen([ARGS.juno, *[str(o) for o in options]], stdin=self.slave,
                                        stdout=stdout or self.slave, stderr=self.slave)

    def wait_for(self, pattern):
        while not (found := re.search(pattern, self.text)):
            if not select.select([self.master], [], [], 30)[0]:
                raise AssertionError(f"{pattern} does not come: {self.text}")
            self.text += os.read(self.master, 65536)
        return found

    def leave(self, how):
        """Ends the simulator and returns how many seconds that took. Meanwhile the terminal is
        read."""
        start = time.monotonic()
        if how == "Ctrl-A x":
            os.write(self.master, b"\x01x")
        else:
            self.process.send_signal(how)
        while self.process.poll() is None and time.monotonic() < start + 10 * LIMIT:
            if select.select([self.master], [], [], 0.01)[0]:
                self.text += os.read(self.master, 65536)
        return time.monotonic() - start

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.master)
        os.close(self.slave)


class Leave(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="gencc-leave-")
        self.work = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def start(self, guest, *options, stdout=None):
        kernel = self.work / "kernel"
        kernel.write_bytes(struct.pack(f"<{len(guest)}I", *guest))
        running = Running(["-kernel", kernel, "-dtb", ARGS.dtb, "-m", "64M", *options], stdout)
        self.addCleanup(running.close)
        running.wait_for(rb"device tree ")
        return running

    def check_left(self, running, how, status):
        """`status` is expected after Ctrl-A x; after a signal the process always ends by that
        signal."""
        taken = running.leave(how)
        self.assertIsNotNone(running.process.poll(), f"{how} does not end it")
        self.assertLess(taken, LIMIT, how)
        self.assertEqual(running.process.returncode, status if how == "Ctrl-A x" else -how)
        self.assertEqual(termios.tcgetattr(running.slave), running.mode, how)

    def check(self, guest, *options):
        for how in ("Ctrl-A x", signal.SIGINT, signal.SIGTERM):
            running = self.start(guest, *options)
            time.sleep(0.2)  # until the guest loops
            self.check_left(running, how, 0)

    def test_busy_guest(self):
        self.check(LOOP)
        self.check(LOOP, "-accel", "jit")

    def test_waiting_guest(self):
        self.check(WAIT)
        self.check(WAIT, "-clock", "virtual")

    def test_ring_that_feeds_itself(self):
        disk = self.work / "disk"
        feeding_disk(disk)
        stats = self.work / "stats"
        self.check(feeding_guest(), "-drive", f"file={disk},format=raw,readonly=on", "-clock", "virtual",
                   "-stats", stats)
        chains = re.search(r"virtio@6f000000/chains +(\d+)", (stats / "stats.txt").read_text())
        self.assertGreater(int(chains[1]), 1000)  # the request did feed itself

    def test_waiting_for_a_debugger(self):
        self.check(LOOP, "-S", "-gdb", "tcp::0")

    def test_stopped_by_a_debugger(self):
        for how in ("Ctrl-A x", signal.SIGINT, signal.SIGTERM):
            running = self.start(LOOP, "-gdb", "tcp::0")
            port = int(running.wait_for(rb"TCP port (\d+)")[1])
            with socket.create_connection(("127.0.0.1", port)) as gdb:
                gdb.sendall(b"$?#3f")
                self.assertTrue(gdb.recv(100))
                self.check_left(running, how, 0)

    def test_debugger_that_does_not_read(self):
        """A debugger that requests memory again and again and never reads the answers, while the
        machine runs."""
        for how in ("Ctrl-A x", signal.SIGINT, signal.SIGTERM):
            running = self.start(LOOP, "-gdb", "tcp::0")
            port = int(running.wait_for(rb"TCP port (\d+)")[1])
            with socket.socket() as gdb:
                gdb.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                gdb.connect(("127.0.0.1", port))
                gdb.sendall(b"$c#63")
                gdb.settimeout(0.3)
                with self.assertRaises(TimeoutError):  # the simulator reads no more
                    while True:
                        gdb.sendall(100 * b"$m80000000,2000#f5")
                self.check_left(running, how, 0)

    def test_script(self):
        script = self.work / "script"
        script.write_text("wait 1000000000\nquit\n")
        for how in (signal.SIGINT, signal.SIGTERM):
            self.check_left(self.start(LOOP, "-script", script), how, 0)

    def test_output_that_nobody_reads(self):
        """The machine's thread waits for the host for ever: the process ends all the same."""
        for how in ("Ctrl-A x", signal.SIGINT, signal.SIGTERM):
            reader, writer = os.pipe()
            log = self.work / "log"
            running = self.start(PRINT, "-d", "in_asm", "-D", log, stdout=writer)
            time.sleep(0.3)  # until the pipe is full
            self.check_left(running, how, 1)
            self.assertIn("b ", log.read_text())  # buffered messages are written at the end
            running.wait_for(rb"the machine does not stop")
            os.close(reader)
            os.close(writer)

    def test_statistics_are_written(self):
        stats = self.work / "stats"
        running = self.start(LOOP, "-stats", stats)
        self.check_left(running, signal.SIGTERM, 0)
        self.assertIn("cpu0", (stats / "stats.json").read_text())

    def test_ignored_signals_stay_ignored(self):
        """Signals ignored at the start, as by nohup, stay ignored."""
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        try:
            running = self.start(LOOP)
        finally:
            signal.signal(signal.SIGHUP, signal.SIG_DFL)
        running.process.send_signal(signal.SIGHUP)
        time.sleep(0.7)
        self.assertIsNone(running.process.poll())
        self.check_left(running, signal.SIGTERM, 0)


def main():
    global ARGS
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--juno", required=True)
    parser.add_argument("--dtb", required=True, help="mini.dtb")
    ARGS, rest = parser.parse_known_args()
    # A shell starts its background jobs with SIGINT ignored, and so the simulator would be started.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
