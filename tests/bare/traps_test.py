#!/usr/bin/env python3
"""The bare runner with a description that handles its own traps and addresses (traps/), an ELF
program, the page of registers, the log, GDB, and what is refused. Expected values by hand.

    traps_test.py BUILD [TIER...]
"""
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ARCH = HERE / "traps/traps.ac"
BUILD = pathlib.Path(sys.argv[1])
TIERS = sys.argv[2:]
SOON = ["-jit-sync", "-jit-threshold", "1", "-jit-quick-threshold", "1"]
BASE = ["-io", "0x8000000", "-m", "16"]
# r14 of a fault is its code * 16 + the kind of access: 1 for the description's own fault, 7 for its translation
WANT = {3: 77, 4: 6, 7: 0x10, 8: 0x10002001, 9: 0x70, 10: 0x70, 11: 33, 14: 0x70, 15: 8}
PRINTED = "".join(chr(ord("0") + n & 0xff) for n in (5, 6, 0x10, 0x70))


def packet(text):
    return f"${text}#{sum(text.encode()) & 0xff:02x}".encode()


class Traps(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.place = pathlib.Path(cls.folder.name)
        cls.runner, cls.elf = cls.place / "run", cls.place / "traps.elf"
        subprocess.run([ROOT / "scripts/bare", "--build", BUILD, "--isa", "traps", ARCH, "-o", cls.runner], check=True)
        subprocess.run([BUILD / "bin/gencc", "asm", "--arch", ARCH, "--address", "0x10001000", "-o", cls.elf,
                        HERE / "traps/traps.s"], check=True)
        # The segment's physical address is where memory is: 0x1000.
        data = bytearray(cls.elf.read_bytes())
        assert data[52 + 12:52 + 16] == bytes.fromhex("00100010")
        data[52 + 12:52 + 16] = (0x1000).to_bytes(4, "little")
        cls.elf.write_bytes(data)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def run_it(self, *options, program=None):
        return subprocess.run([self.runner, *options, program or self.elf], capture_output=True, timeout=60, check=False)

    def registers(self, out):
        return {int(n): int(v, 16) for n, v in re.findall(rb"^R(\d+) = (\w+)$", out, re.M)}

    def test_own_handlers(self):
        for options in (["-accel", "interp"], *(["-accel", "jit", "-jit-tier", t, *SOON] for t in TIERS)):
            done = self.run_it(*BASE, "-registers", *options)
            self.assertEqual((done.stderr, done.returncode), (b"", 33), options)
            self.assertTrue(done.stdout.startswith(PRINTED.encode("latin-1")), done.stdout)
            got = self.registers(done.stdout)
            self.assertEqual({n: got.get(n, 0) for n in WANT}, WANT, options)

    def test_runner_traps(self):
        done = self.run_it(*BASE, "-runner-traps", "-memory", "0x10000000")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"does not fit into memory", done.stderr)
        raw = self.place / "raw"
        raw.write_bytes((0x0500004d).to_bytes(4, "little"))     # call #77
        done = self.run_it("-runner-traps", program=raw)
        self.assertEqual((done.returncode, done.stderr), (1, b"exception 5, code 77, at 0x1000\n"))

    def test_words_of_faults(self):
        raw = self.place / "raw"
        for imm, text in ((1, b"fault 0x1 of the description"), (2, b"the address is misaligned")):
            raw.write_bytes((0x03100000 | imm).to_bytes(4, "little"))   # load r1, [r0, #imm]
            done = self.run_it("-runner-traps", program=raw)
            self.assertEqual((done.returncode, done.stderr), (1, b"read of %#x at 0x1000: %s\n" % (imm, text)))
        raw.write_bytes((0x01100000 | 0x7000).to_bytes(4, "little") + (0x01110000).to_bytes(4, "little") +
                        (0x03110000).to_bytes(4, "little"))             # r1 = 0x70000000; load r1, [r1, #0]
        done = self.run_it("-runner-traps", program=raw)
        self.assertEqual((done.returncode, done.stderr), (1, b"read of 0x70000000 at 0x1008: there is no memory\n"))

    def test_waiting_for_ever(self):
        idle = self.place / "idle"
        idle.write_bytes((0x08000000).to_bytes(4, "little"))
        done = self.run_it("-address", "0x10000000", "-runner-traps", "-memory", "0x10000000", program=idle)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"waits for an interrupt", done.stderr)

    def test_log(self):
        done = self.run_it(*BASE, "-d", "in_asm,int")
        self.assertIn(b"vector r2", done.stderr)
        self.assertIn(b"exception 0x5, code 0x4d", done.stderr)
        self.assertIn(b"in_asm", self.run_it("-d", "help").stdout)
        self.assertEqual(self.run_it("-d", "nonsense").returncode, 2)
        self.assertEqual(self.run_it(*BASE, "-d", "int", "-D", self.place / "log").stderr, b"")
        self.assertIn("exception 0x5", (self.place / "log").read_text())

    def test_gdb(self):
        with subprocess.Popen([self.runner, *BASE, "-gdb", "tcp::0", "-S", self.elf], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as run:
            port = int(re.search(rb"port (\d+), waiting", run.stderr.readline())[1])
            with socket.create_connection(("127.0.0.1", port), 30) as peer:
                peer.sendall(packet("p10"))     # register 16: the PC
                reply = b""
                while b"#" not in reply:
                    reply += peer.recv(100)
                self.assertIn(b"$00100010#", reply)
                peer.sendall(b"+" + packet("c"))
                self.assertEqual(run.wait(30), 33)
            run.stdout.read()

    def test_refused(self):
        damaged = self.place / "damaged.elf"
        damaged.write_bytes(self.elf.read_bytes()[:100])
        for options, program, text in (
                (["-io", "5"], self.elf, b"-io is the address of a page"),
                (["-S"], self.elf, b"it needs -gdb"),
                (["-m", "0"], self.elf, b"-m"),
                ([], damaged, b"outside of the file"),
                ([], self.place, b"Is a directory"),
                ([], self.place / "nothing", b"No such file")):
            done = self.run_it(*options, program=program)
            self.assertEqual(done.returncode, 2, options)
            self.assertIn(text, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
