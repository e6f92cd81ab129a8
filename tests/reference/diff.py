#!/usr/bin/env python3
"""`gencc diff` on copies of the tutorial's description, each with one change:

    diff.py GENCC DESCRIPTIONS

A description has no difference from itself, nor from itself with other comments and layout."""
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

GENCC, DESCRIPTIONS = sys.argv[1:3]


class Diff(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.new = Path(self.folder.name) / "new"
        shutil.copytree(Path(DESCRIPTIONS) / "tutorial", self.new)

    def edit(self, name, pattern, text):
        path = self.new / name
        after, count = re.subn(pattern, text, path.read_text(), count=1)
        self.assertEqual(count, 1, f"{name} has no {pattern}")
        path.write_text(after)

    def diff(self, status=1):
        done = subprocess.run([GENCC, "diff", f"{DESCRIPTIONS}/tutorial/rv64.ac", self.new / "rv64.ac"],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (status, ""))
        return done.stdout.splitlines()

    def test_nothing(self):
        self.assertEqual(self.diff(status=0), [])
        for path in self.new.iterdir():
            path.write_text("// another comment\n" + path.read_text().replace("    ", "  "))
        self.assertEqual(self.diff(status=0), [])

    def test_encoding(self):
        self.edit("rv64i.ac", r'asm "sub ', 'asm "minus ')
        self.assertEqual(self.diff(), [
            "changed rv64i encoding sub",
            '  - asm "sub %r{rd}, %r{rs1}, %r{rs2}";',
            '  + asm "minus %r{rd}, %r{rs1}, %r{rs2}";'])

    def test_behaviour(self):
        self.edit("rv64i.genc", r"execute\(addi\)[^\n]*", "execute(addi) { write_pc(0); }")
        lines = self.diff()
        self.assertEqual(lines[0], "changed rv64i behaviour execute(addi)")
        self.assertIn("  +     write_pc(0);", lines)

    def test_reached(self):
        self.edit("rv64i.genc", r"if \(r != 0\) \{", "if (r != 1) {")
        lines = self.diff()
        self.assertEqual(lines[0], "changed rv64i behaviour set")
        self.assertIn("reached rv64i behaviour execute(addi), through set", lines)
        self.assertNotIn("reached rv64i behaviour execute(sb), through set", lines)

    def test_added_and_removed(self):
        self.edit("rv64.ac", r"ac_regspace\(264\)", "ac_regspace(272)")
        self.edit("rv64.ac", r"slot PC \(uint64, 8, 256\)", "slot EXTRA (uint64, 8, 256);\n slot PC (uint64, 8, 264)")
        lines = self.diff()
        self.assertIn("added register EXTRA", lines)
        self.assertIn("changed register PC", lines)
        self.new, old = Path(DESCRIPTIONS) / "tutorial", self.new
        back = subprocess.run([GENCC, "diff", old / "rv64.ac", self.new / "rv64.ac"],
                              capture_output=True, text=True, timeout=60).stdout
        self.assertIn("removed register EXTRA", back)

    def test_error(self):
        self.edit("rv64.ac", r"AC_ARCH", "AC_ARK")
        done = subprocess.run([GENCC, "diff", f"{DESCRIPTIONS}/tutorial/rv64.ac", self.new / "rv64.ac"],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("rv64.ac:", done.stderr)


class DiffMips(unittest.TestCase):
    """Timings and the ABI of programs, with one change each."""

    def compare(self, name, old, new):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(Path(DESCRIPTIONS), Path(folder) / "all")
            copy = Path(folder) / "all/mips"
            text = (copy / name).read_text()
            self.assertIn(old, text)
            (copy / name).write_text(text.replace(old, new, 1))
            done = subprocess.run([GENCC, "diff", Path(DESCRIPTIONS) / "mips/mips.ac", copy / "mips.ac"],
                                  capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        return done.stdout.splitlines()

    def test_timing(self):
        self.assertEqual(self.compare("timing.ac", "class load latency 2;", "class load latency 3;"),
                         ["changed timing mips_4kc", "  - class load latency 2", "  + class load latency 3"])
        self.assertEqual(self.compare("timing.ac", "clock 100;", "clock 133;"),
                         ["changed timing mips_4kc", "  - clock 100", "  + clock 133"])

    def test_abi(self):
        self.assertEqual(self.compare("abi.ac", "tls USER_LOCAL;", "tls R26;"),
                         ["changed abi tls", "  - tls USER_LOCAL;", "  + tls R26;"])
        self.assertEqual(self.compare("abi.ac", "fault 5 : SIGBUS code 1;", "fault 5 : SIGSEGV code 1;"),
                         ["changed abi exceptions", "  -     fault 5 : SIGBUS code 1;", "  +     fault 5 : SIGSEGV code 1;"])
        self.assertEqual(self.compare("abi.ac", "exec_by_default;", ""),
                         ["removed abi exec_by_default"])


class DiffLayouts(unittest.TestCase):
    """Descriptors, registers and GPUs of Mali, with one change each."""

    def compare(self, old, name, pattern, text, status=1):
        with tempfile.TemporaryDirectory() as folder:
            new = Path(folder) / "new"
            shutil.copytree(old.parent, new)
            after, count = re.subn(pattern, text, (new / name).read_text(), count=1)
            self.assertEqual(count, 1, f"{name} has no {pattern}")
            (new / name).write_text(after)
            done = subprocess.run([GENCC, "diff", old, new / old.name], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (status, ""))
        return done.stdout.splitlines()

    def layouts(self, *edit, status=1):
        return self.compare(Path(DESCRIPTIONS) / "mali/layouts/mali.ac", *edit, status=status)

    def test_field(self):
        self.assertEqual(self.layouts("job.ac", r"barrier               : bool @ 4:8;", "barrier : bool @ 4:10 if 6..7;"),
                         ["changed layout job_header", "  - barrier: bool at word 4 bit 8",
                          "  + barrier: bool at word 4 bit 10 if 6..7"])
        self.assertEqual(self.layouts("job.ac", r"is_64b                : bool = true @ 4;",
                                      "is_64b : bool = false @ 4;"),
                         ["changed layout job_header", "  - is_64b: bool at word 4 bit 0 = 0x1",
                          "  + is_64b: bool at word 4 bit 0 = 0x0"])

    def test_enumeration_and_constant(self):
        self.assertEqual(self.layouts("job.ac", r"compute = 4;", "compute = 40;"),
                         ["changed enumeration job_type", "  - compute = 4", "  + compute = 40"])
        self.assertEqual(self.layouts("registers.ac", r"const uint32 PWR_KEY_UNLOCK = 0x2968a819;", ""),
                         ["removed constant PWR_KEY_UNLOCK"])

    def test_register(self):
        lines = self.layouts("registers.ac", r"task_queue : 8 @ 16;", "task_queue : 7 @ 16;")
        self.assertRegex(lines[0], r"^changed register \w+$")
        self.assertEqual(lines[1:], ["  - task_queue: 8 bits at bit 16", "  + task_queue: 7 bits at bit 16"])

    def test_comments(self):
        self.assertEqual(self.layouts("job.ac", r"^", "// another comment\n", status=0), [])

    def test_gpu(self):
        g52 = Path(DESCRIPTIONS) / "mali/variants/g52.ac"
        self.assertEqual(self.compare(g52, "g52.ac", r"cores 6;", "cores 4;"),
                         ["changed gpu g52", "  - cores 6", "  + cores 4"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
