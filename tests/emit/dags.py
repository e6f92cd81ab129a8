"""Short sources whose helpers and values are used again and again, so that there are 2^40 ways through them, and
lines of assembly that grow in each pass: the compiler takes time and memory that follow the source's size.

    dags.py GENCC"""
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GENCC = sys.argv.pop(1)
DEPTH = 40
ADDI = "execute(addi) { "


class Dags(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        for name in ("rv64.ac", "rv64i.ac", "rv64i.genc"):
            shutil.copy(ROOT / "descriptions/tutorial" / name, self.folder / name)

    def change(self, before, first):
        """Helpers before all behaviours, statements first in one."""
        file = self.folder / "rv64i.genc"
        text = file.read_text()
        self.assertIn(ADDI, text)
        head, tail = text.split(ADDI)
        file.write_text(before + head + ADDI + first + tail)

    def gencc(self, *arguments):
        done = subprocess.run([GENCC, *arguments], cwd=self.folder, timeout=60, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def all_of_it(self):
        self.gencc("check", "rv64.ac")
        self.gencc("build", "rv64.ac", "-o", "out", "--jit")
        self.gencc("doc", "rv64.ac", "-o", "doc")
        self.assertIn("13008093", self.gencc("asm", "--arch", "rv64.ac", "--isa", "rv64i", "--hex", "line.s"))

    def test_helpers(self):
        helpers = ["helper uint64 e0(uint64 a) { return a; }"]
        helpers += [f"helper uint64 e{n}(uint64 a) {{ return e{n - 1}(a) + e{n - 1}(a + 1); }}"
                    for n in range(1, DEPTH)]
        (self.folder / "line.s").write_text("addi x1, x1, 304\n")
        self.change("\n".join(helpers) + "\n", f"set(inst.rd, e{DEPTH - 1}(inst.imm)); ")
        self.all_of_it()

    def test_values(self):
        values = ["uint64 a0 = inst.imm;"]
        values += [f"uint64 a{n} = a{n - 1} * (a{n - 1} ^ {n});" for n in range(1, DEPTH)]
        (self.folder / "line.s").write_text("addi x1, x1, 304\n")
        self.change("", " ".join(values) + f" set(inst.rd, a{DEPTH - 1}); ")
        self.all_of_it()

    def test_condition_of_a_loop(self):
        limit = "y"
        for n in range(DEPTH):
            limit = f"max({limit}, {n})"
        (self.folder / "line.s").write_text("addi x1, x1, 304\n")
        self.change("", f"uint64 y = inst.rd; uint64 x = 0; while ({limit} > x) {{ x = x + 1; }} ")
        self.all_of_it()

    def test_lines_that_grow(self):
        lines = [f"l{n}: .space l{n + 1} - l0 + 1" for n in range(30)] + ["l30:"]
        (self.folder / "grow.s").write_text("\n".join(lines) + "\n")
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        done = subprocess.run([GENCC, "asm", "--arch", "rv64.ac", "--isa", "rv64i", "grow.s"], cwd=self.folder,
                              timeout=60, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        after = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        self.assertEqual(done.returncode, 1)
        self.assertIn("do not settle", done.stderr)
        self.assertLess(after, max(before, 400 << 10))


if __name__ == "__main__":
    unittest.main()
