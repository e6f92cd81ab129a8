"""What `gencc export` says of descriptions that it cannot export: errors.py GENCC FORMAT…

Files of GPUs and layouts are errors with their place; instructions without a behaviour are named,
and the others are exported."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

GENCC, FORMATS = sys.argv[1], sys.argv[2:]
MALI = Path(__file__).resolve().parents[2] / "descriptions/mali"
ARCH = """AC_ARCH(toy) {
    ac_wordsize 32;
    ac_mem Fetch(32, 32, little, 1);
    ac_regspace(8) { slot PC(uint32, 4, 0) PC; slot A(uint32, 4, 4); }
    ARCH_CTOR(toy) { ac_isa("isa.ac"); set_endian("little"); };
};
"""
ISA = """AC_ISA(toy) {
    ac_fetchsize 32;
    ac_instr one "00000001 x:24" { asm "one %x{x}"; }
    ac_instr two "00000010 x:24" { asm "two %x{x}"; }
    ISA_CTOR(toy) { ac_execute("isa.genc"); };
};
"""


class Errors(unittest.TestCase):
    def export(self, form, path, *more):
        done = subprocess.run([GENCC, "export", form, path, *more], text=True, capture_output=True, timeout=60,
                              check=False)
        return done.returncode, done.stdout, done.stderr

    def test_other_files(self):
        for form in FORMATS:
            for name, word in (("variants/g71.ac", "files of GPUs"), ("layouts/mali.ac", "files of layouts")):
                status, out, err = self.export(form, MALI / name)
                self.assertEqual((status, out), (1, ""), form)
                self.assertIn(f"{name}:5:1: error", err)
                self.assertIn(word, err)

    def test_full_disk(self):
        for form in FORMATS:
            status, out, err = self.export(form, MALI.parent / "tutorial/rv64.ac", "-o", "/dev/full", "add")
            self.assertEqual((status, out), (2, ""), form)
            self.assertEqual(err.splitlines()[-1], "gencc export: /dev/full: cannot be written")

    def test_without_behaviour(self):
        for form in FORMATS:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "toy.ac"
                path.write_text(ARCH)
                (path.parent / "isa.ac").write_text(ISA)
                (path.parent / "isa.genc").write_text("execute(one) { write_register(A, inst.x); }\n")
                status, out, err = self.export(form, path)
            self.assertEqual((status, out), (1, ""), form)
            self.assertIn('isa.ac:4:14: error: instruction "two" has no behaviour', err)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
