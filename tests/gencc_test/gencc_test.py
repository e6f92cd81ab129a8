#!/usr/bin/env python3
"""`gencc test` finds a behaviour that is broken in a copy of a description, and shrinks its program to that instruction;
its files for other simulators pass on QEMU and fail with a changed result; errors are one clear line.

    gencc_test.py GENCC QEMU_RISCV64"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
RULES = ROOT / "tests/gencc_test/rv64.rules"
GENCC = QEMU = ""


def run(arch, *options):
    done = subprocess.run([GENCC, "test", arch, *options], capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, done.stdout, done.stderr


class Tests(unittest.TestCase):
    def setUp(self):
        self.holder = tempfile.TemporaryDirectory()
        self.addCleanup(self.holder.cleanup)
        self.folder = pathlib.Path(self.holder.name)

    def copy(self, file, old, new):
        """Copies the description of RV64GC with one line changed."""
        for name in ("riscv", "linux", "fp"):
            shutil.copytree(ROOT / "descriptions" / name, self.folder / name)
        path = self.folder / "riscv/rv64gc" / file
        text = path.read_text()
        self.assertIn(old, text)
        path.write_text(text.replace(old, new, 1))
        return self.folder / "riscv/rv64gc/rv64gc.ac"

    def test_finds_and_shrinks(self):
        arch = self.copy("rv64i.genc", "execute(sltu) { set_reg(inst.dz, reg(inst.rs1) < reg(inst.rs2)); }",
                         "execute(sltu) { set_reg(inst.dz, reg(inst.rs1) <= reg(inst.rs2)); }")
        status, out, err = run(arch, "--referee", QEMU, "--left-out", RULES, "--seed", "1", "--count", "100000",
                               "--skip", "[!s]*")
        self.assertEqual((status, err), (1, ""), out)
        words = re.findall(r"^    [0-9a-f]{8}: ([0-9a-f]+)  (\S+)", out, re.M)
        self.assertEqual([name for _, name in words], ["sltu"], out)
        self.assertRegex(out, r"(?m)^    X\d+: 0x0+1, there 0x0+$")
        self.assertRegex(out, r"(?m)^  from X2=0x[0-9a-f]+$|^  from$", "all other registers are 0")
        again = re.search(r"^  again: (.*)$", out, re.M).group(1)
        self.assertTrue(again.endswith(" --seed 1"), again)

    def test_finds_memory(self):
        arch = self.copy("rv64i.genc", "(T)reg(inst.rs2)); }", "(T)(reg(inst.rs2) + 1)); }")
        status, out, _ = run(arch, "--referee", QEMU, "--left-out", RULES, "--seed", "1", "--only", "s?")
        self.assertEqual(status, 1, out)
        self.assertRegex(out, r"(?m)^    byte at 0x[0-9a-f]+: ")

    def test_output(self):
        """Files run alone: all agree, and one whose expected output is changed is named."""
        folder = self.folder / "out"
        status, out, err = run(ROOT / "descriptions/riscv/rv64gc/rv64gc.ac", "--left-out", RULES, "--seed", "1", "--count",
                               "30", "--referee", QEMU, "--output", folder)
        self.assertEqual((status, err), (0, ""), out)
        files = sorted(folder.glob("*.elf"))
        check = [folder / "check", QEMU]
        done = subprocess.run(check, capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, f"{len(files)} agree, 0 differ\n"))
        path = folder / "000001.expected"
        expected = bytearray(path.read_bytes())
        expected[-1] ^= 1
        path.write_bytes(expected)
        done = subprocess.run(check, capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual((done.returncode, done.stdout), (1, f"000001.elf\n{len(files) - 1} agree, 1 differ\n"))

    def test_errors(self):
        arch = ROOT / "descriptions/riscv/rv64gc/rv64gc.ac"
        rules = self.folder / "bad.rules"
        cases = [
            (["--referee", "false"], 'gencc test: "false": the harness does not answer'),
            (["--only", "nothing"], "gencc test: no form of rv64 is to be tested"),
            (["--isa", "x"], f"gencc: '{arch}' has no ISA 'x'"),
            (["--set", "nothing=1"], "gencc test: there is no feature nothing"),
            (["--left-out", "/nowhere"], "gencc test: /nowhere: No such file or directory"),
            ([], "gencc test: --referee COMMAND or --output DIR is missing"),
        ]
        for options, text in cases:
            with self.subTest(options=options):
                if options and options[0] != "--referee":
                    options = ["--referee", QEMU, *options]
                status, _, err = run(arch, *options)
                self.assertEqual((status, err.strip()), (2, text))
        lines = {
            "ecall": "`PATTERNS [if CONDITION]: REASON` is expected",
            "ecall:": "the reason is missing",
            "e_call: none": "no instruction of the ISA has such a name",
            "add if rs1 == : x": 'a number, a name or \'(\' is expected at ""',
            "add if rs1 = 1: x": 'an operator is expected at "= 1"',
            "add if (rs1: x": '\')\' is missing at ""',
            "add if rs11: x": 'there is no such field or register at "rs11"',
            "add if Q[1]: x": 'there is no such bank of registers at "[1]"',
            "add if X[1: x": '\']\' is missing at ""',
            "keep X1: x": "`keep PART MASK` is expected",
            "keep X99 1: x": "signal frames have no such part",
            "add shown by 0x13: x": "only a mistake is shown by words",
            "mistake add shown by 0x13 x: x": "`shown by NUMBERS` is expected",
        }
        for line, text in lines.items():
            with self.subTest(line=line):
                rules.write_text("# a comment\n" + line + "\n")
                status, _, err = run(arch, "--referee", QEMU, "--left-out", rules)
                self.assertEqual((status, err.strip()), (2, f"{rules}:2: {text}"))
        rules.write_text("include bad.rules\n")
        status, _, err = run(arch, "--referee", QEMU, "--left-out", rules)
        self.assertEqual((status, err.splitlines()[0]), (2, f"{rules}:1: files include one another"))
        rules.write_text("include nowhere\n")
        status, _, err = run(arch, "--referee", QEMU, "--left-out", rules)
        self.assertEqual((status, err), (2, f"gencc test: {self.folder}/nowhere: No such file or directory\n"
                                            f"{rules}:1: the included file cannot be used\n"))
        status, _, err = run(ROOT / "descriptions/tutorial/rv64.ac", "--referee", QEMU)
        self.assertEqual((status, err.strip()),
                         (2, "gencc test: the description has no ac_abi, from which the harness is made"))

    def test_conditions(self):
        """A rule's condition is evaluated as C does: all but one word of ADD is left out."""
        rules = self.folder / "include.rules"
        rules.write_text("include add.rules\nmistake add if 0 shown by 0x13 0x33: none\n")
        included = self.folder / "add.rules"
        included.write_text("add if !((rs1 + 2 * 3 == 7 && rs2 >> 1 == 1 || rd < 0) && (rd & 3 | 4 ^ 4) == ~-2): x\n")
        status, out, err = run(ROOT / "descriptions/riscv/rv64gc/rv64gc.ac", "--referee", QEMU, "--left-out", rules,
                               "--only", "add", "--seed", "1", "--count", "3", "--show")
        self.assertEqual((status, err), (0, ""), out)
        words = [int(word, 16) for word in re.findall(r"^    [0-9a-f]{8}: ([0-9a-f]{8})  add ", out, re.M)]
        self.assertTrue(words)
        for word in words:
            self.assertEqual((word >> 15 & 31, word >> 21 & 15, word >> 7 & 3), (1, 1, 1))


if __name__ == "__main__":
    GENCC, QEMU = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
