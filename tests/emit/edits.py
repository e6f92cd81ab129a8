"""How much of the generated C an edit of a description changes: as little as possible.

    edits.py GENCC

A copy of descriptions/ is built, edited and built again. Rewritten files are compiled again, so
each file that changes without need costs every user seconds."""
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GENCC = sys.argv.pop(1)
PARTS = 4


class Edits(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = Path(scratch.name)
        shutil.copytree(ROOT / "descriptions/riscv", self.scratch / "a b/riscv")
        shutil.copytree(ROOT / "descriptions/fp", self.scratch / "a b/fp")
        shutil.copytree(ROOT / "descriptions/linux", self.scratch / "a b/linux")
        self.folder = self.scratch / "a b/riscv/rv64gc"
        self.out = self.scratch / "out"
        self.build()

    def build(self):
        subprocess.run([GENCC, "build", self.folder / "rv64gc.ac", "-o", self.out, "--jit", "--parts",
                        str(PARTS), "--depfile", self.scratch / "d", "--target", "stamp"], check=True)
        self.times = {file.name: file.stat().st_mtime_ns for file in self.out.iterdir()}

    def changed(self):
        """Returns the files that another build rewrites."""
        before = self.times
        self.build()
        return {name for name, time in self.times.items() if before.get(name) != time}

    def insert(self, name, before, text):
        path = self.folder / name
        whole = path.read_text()
        self.assertIn(before, whole)
        path.write_text(whole.replace(before, text + before, 1))

    def test_nothing(self):
        self.assertEqual(self.changed(), set())

    def test_a_comment(self):
        self.insert("m.genc", "execute(mul)", "// A line more.\n")
        self.assertEqual(self.changed(), set())

    def test_a_behaviour(self):
        self.insert("m.genc", "reg(inst.rs1) * reg(inst.rs2)", "1 + ")
        changed = self.changed()
        self.assertEqual(sorted(name.rsplit("_", 1)[0] for name in changed), ["rv64_exec", "rv64_jit"])

    def test_an_instruction(self):
        self.insert("m.ac", "    ac_instr<R> mulh ", "    ac_instr<R> twice { bits funct7 = 65, funct3 = 0, "
                    'opcode = 0x33; asm "twice %X{rd},%X{rs1},%X{rs2}"; class mul; }\n')
        self.insert("m.genc", "execute(mulh)", "execute(twice) { set_reg(inst.dz, reg(inst.rs1) * 2); }\n")
        changed = self.changed()
        parts = {name for name in changed if name[-3].isdigit()}
        self.assertEqual(sorted(name.rsplit("_", 1)[0] for name in parts), ["rv64_exec", "rv64_jit"])
        self.assertEqual(changed - parts, {"rv64_decode.c", "rv64_disasm.c", "rv64_isa.c", "rv64_jit.c"})

    def test_an_optional_feature(self):
        """Behaviours ask for features that are state of the CPU; their numbers stay."""
        self.insert("rv64gc.ac", "    ARCH_CTOR(", '    ac_features { feature OLD "an option"; feature STATE; }\n')
        self.insert("m.genc", "reg(inst.rs1) * reg(inst.rs2)", "__builtin_get_feature(STATE) + ")
        self.build()
        self.insert("rv64gc.ac", "feature STATE;", 'feature NEW "another option"; ')
        self.assertEqual(self.changed(), {"rv64_isa.c"})

    def test_what_was_read(self):
        target, files = (self.scratch / "d").read_text().split(":", 1)
        files = files.replace("\\\n", " ").replace("\\ ", "\0").split()
        self.assertEqual(target, "stamp")
        self.assertEqual(len(files), len(set(files)))
        read = {Path(file.replace("\0", " ")) for file in files}
        there = {file.resolve() for kind in ("*.ac", "*.genc") for file in self.folder.rglob(kind)}
        self.assertLessEqual(there, read)
        self.assertTrue(all(file.is_file() for file in read))


if __name__ == "__main__":
    unittest.main()
