"""Short sources with 2^40 paths through helpers and values that are used again and again, and lines
of assembly that grow in each pass: the compiler's time and memory must follow the source's size.

    dags.py [--sanitized] GENCC"""
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SANITIZED = sys.argv[1] == "--sanitized" and bool(sys.argv.pop(1))
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
        """Inserts helpers before all behaviours, and statements at the start of one."""
        file = self.folder / "rv64i.genc"
        text = file.read_text()
        self.assertIn(ADDI, text)
        head, tail = text.split(ADDI)
        file.write_text(before + head + ADDI + first + tail)

    def gencc(self, *arguments, status=0):
        done = subprocess.run([GENCC, *arguments], cwd=self.folder, timeout=60, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, status, done.stdout)
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

    def fields(self, expression):
        """Makes computed fields that each use the previous one twice, in the format of an
        instruction that reads the last."""
        file = self.folder / "rv64i.ac"
        imm = "        field sint64 imm = sext(imm12, 12);\n"
        fields = ["        field uint64 g0 = rs1;"]
        fields += [f"        field uint64 g{n} = {expression(f'g{n - 1}', n)};" for n in range(1, DEPTH)]
        text = file.read_text()
        self.assertIn(imm, text)
        file.write_text(text.replace(imm, imm + "\n".join(fields) + "\n", 1))
        (self.folder / "line.s").write_text("addi x1, x1, 304\n")
        helpers = "helper uint64 p(uint64 a) { return a * 3; } helper uint64 q(uint64 a) { return a * 5; }\n"
        self.change(helpers, f"set(inst.rd, p(q(inst.g{DEPTH - 1}))); ")
        self.all_of_it()

    def test_fields(self):
        self.fields(lambda before, n: f"{before} + ({before} ^ {n})")

    def test_fields_on_one_way(self):
        self.fields(lambda before, n: f"p({before}) == {n} && q({before}) == 3")

    def test_fields_on_both_ways(self):
        self.fields(lambda before, n: f"{before} == {n} ? p({before}) : q(inst.{before})")

    def test_fields_of_a_line(self):
        self.fields(lambda before, n: f"{before} + ({before} ^ {n})")
        file = self.folder / "rv64i.ac"
        line = 'asm "addi %r{rd}, %r{rs1}, %d{imm}"'
        text = file.read_text()
        self.assertIn(line, text)
        file.write_text(text.replace(line, f'{line} if (g{DEPTH - 1} != 5)', 1))
        self.all_of_it()

    def test_constraints(self):
        """The value differs in one of 12 bits, which could be tried in 12! orders."""
        file = self.folder / "rv64i.ac"
        addi = "    ac_instr<I> addi {"
        none = ", ".join(f"imm12 != {n}" for n in range(1 << 12))
        text = file.read_text()
        self.assertIn(addi, text)
        file.write_text(text.replace(addi, f"    ac_instr<I> none {{ bits opcode = 0x7f, {none}; }}\n{addi}", 1))
        self.change("execute(none) { }\n", "")
        self.assertIn("no word can match", self.gencc("check", "rv64.ac", status=1))

    def test_constants(self):
        constants = ["const uint64 C0 = 1;"]
        constants += [f"const uint64 C{n} = C{n - 1} + (C{n - 1} ^ {n});" for n in range(1, DEPTH)]
        (self.folder / "line.s").write_text("addi x1, x1, 304\n")
        self.change("\n".join(constants) + "\n", f"set(inst.rd, C{DEPTH - 1}); ")
        self.all_of_it()

    def test_constants_of_the_architecture(self):
        file = self.folder / "rv64.ac"
        settings = ["set_constant(C0, uint64, 1);"]
        settings += [f"set_constant(C{n}, uint64, C{n - 1} + (C{n - 1} ^ {n}));" for n in range(1, DEPTH)]
        ctor = "    ARCH_CTOR(rv64) {\n"
        text = file.read_text()
        self.assertIn(ctor, text)
        file.write_text(text.replace(ctor, ctor + "\n".join(settings) + "\n", 1))
        (self.folder / "line.s").write_text("addi x1, x1, 304\n")
        self.change("", f"set(inst.rd, C{DEPTH - 1}); ")
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


class Long(unittest.TestCase):
    """Long comments, and many definitions."""
    setUp, gencc, change = Dags.setUp, Dags.gencc, Dags.change

    def doc_in(self, megabytes):
        """Makes the reference in an address space of this size. AddressSanitizer reserves terabytes, so a build with it
        has no limit, and the times are all that is checked."""
        size = resource.RLIM_INFINITY if SANITIZED else megabytes << 20
        done = subprocess.run([GENCC, "doc", "rv64.ac", "-o", "doc"], cwd=self.folder, timeout=60, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size)))
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_comments(self):
        """Rendering the texts anew for each line took 1.8 GB."""
        lines = "".join(f"// Line {n} of them -- of which there are many, and the next one follows now.\n" for n in range(4000))
        file = self.folder / "rv64i.genc"
        text = file.read_text()
        self.assertIn(ADDI, text)
        file.write_text(lines + "\n" + text.replace(ADDI, lines + ADDI))
        self.doc_in(256)
        pages = "".join(path.read_text() for path in (self.folder / "doc").rglob("*.html"))
        self.assertIn("Line 3999 of them", pages)

    def test_blocks(self):
        """Searching for dominators through all blocks in between took time in the third power of
        their number."""
        switches = " ".join(f"switch (q) {{ case {n}: q = q + 1; default: q = q ^ 5; }}" for n in range(1600))
        self.change("", f"uint64 q = inst.imm; {switches} set(inst.rd, q); ")
        self.gencc("check", "rv64.ac")

    def test_conditions(self):
        """Trying 4,096 words for each pair of instructions that a `where` separates took minutes.
        """
        file = self.folder / "rv64i.ac"
        addi = "    ac_instr<I> addi {"
        text = file.read_text()
        self.assertIn(addi, text)
        apart = "".join(f"    ac_instr<I> n{n} {{ bits opcode = 0x7f; where imm12 == {n}; }}\n" for n in range(600))
        file.write_text(text.replace(addi, apart + addi, 1))
        self.change("".join(f"execute(n{n}) {{ }}\n" for n in range(600)), "")
        self.gencc("build", "rv64.ac", "-o", "out")

    def test_definitions(self):
        """Searching for the line of each definition from the file's start took over a minute."""
        constants = "".join(f"// The number {n}.\nconst uint64 C{n} = {n}; // in words\n" for n in range(20000))
        self.change(constants, "set(inst.rd, C19999); ")
        self.doc_in(512)


if __name__ == "__main__":
    unittest.main()
