#!/usr/bin/env python3
"""scripts/published on a model in the published form that can be committed: tests/bare/rv32.ac.

    test_published.py BUILD
"""
import contextlib
import importlib.machinery
import importlib.util
import io
import pathlib
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
loader = importlib.machinery.SourceFileLoader("published", str(ROOT / "scripts/published"))
published = importlib.util.module_from_spec(importlib.util.spec_from_loader("published", loader))
loader.exec_module(published)

RV32 = published.RISCV32._replace(compiler=["riscv64-linux-gnu-gcc", "-march=rv32i", "-mabi=ilp32"], result="X13")
# What the program needs and the model lacks.
MORE = (
    published.Edit("rv32i.ac", "ac_instr<Type_R> jz;", 'ac_instr<Type_R> jz, add; ac_format Type_S = "%imm2:7 %rs2:5 %rs1:5 '
                   '%funct3:3 %imm1:5 %opcode:7"; ac_instr<Type_S> sw;', 1, needed=True),
    published.Edit("rv32i.ac", "jz.set_decoder(", "add.set_decoder(funct7 = 0, funct3 = 0, opcode = 0x33); "
                   "sw.set_decoder(funct3 = 2, opcode = 0x23); jz.set_decoder(", 1, needed=True),
    published.Edit("rv32i.genc", "execute(jz)", "execute(add) { set(inst.rd, get(inst.rs1) + get(inst.rs2)); } execute(sw) "
                   "{ mem_write_32(Data, get(inst.rs1) + (inst.imm2 << 5 | inst.imm1), get(inst.rs2)); } execute(jz)", 1,
                   needed=True),
)
MISTAKE = published.Edit("rv32i.genc", "get(inst.rs1) + get(inst.rs2)", "get(inst.rs1) + get(inst.rs2) + 1", 1, needed=True)


class Published(unittest.TestCase):
    def run_on(self, edits, *arguments):
        """Returns the script's output and its status."""
        model = published.Model("rv32", "rv32.ac", "rv32i", RV32, edits)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for file in "rv32.ac", "rv32i.ac", "rv32i.genc":
                (folder / file).write_text((ROOT / "tests/bare" / file).read_text())
            before = {path.name: path.read_text() for path in folder.iterdir()}
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                status = published.main([name, "--build", str(BUILD), *arguments], (model,), [HERE / "small.S"])
            self.assertEqual({path.name: path.read_text() for path in folder.iterdir()}, before)
        return status, out.getvalue()

    def test_as_qemu(self):
        status, text = self.run_on(MORE)
        self.assertEqual((status, text), (0, "rv32: accepted, 3 lines edited\nrv32: small: 0x13ba, as qemu-riscv32\n"))

    def test_a_mistake_of_the_model(self):
        status, text = self.run_on((*MORE, MISTAKE), "--unchanged")
        self.assertEqual(status, 1)
        self.assertIn("rv32: small: 0x141e, and qemu-riscv32 0x13ba\n", text)

    def test_another_commit(self):
        status, text = self.run_on((published.Edit("rv32i.ac", "no such text", "", 2),))
        self.assertEqual(status, 1)
        self.assertIn("'no such text' stands there 0 times and not 2: is it another commit?", text)
        self.assertEqual(self.run_on((published.Edit("rv32i.ac", "no such text", "", 2), *MORE), "--unchanged")[0], 0)

    def test_what_is_not_accepted(self):
        status, text = self.run_on((published.Edit("rv32i.ac", "ac_fetchsize 32;", "ac_fetchsize 33;", 1),))
        self.assertEqual(status, 1)
        self.assertIn("rv32: not accepted: ", text)

    def test_no_models(self):
        with tempfile.TemporaryDirectory() as name, contextlib.redirect_stderr(io.StringIO()) as errors:
            with self.assertRaises(SystemExit) as end:
                published.main([name])
        self.assertEqual(end.exception.code, 2)
        self.assertIn("has no risc-v/riscv32/riscv32.ac", errors.getvalue())


if __name__ == "__main__":
    unittest.main()
