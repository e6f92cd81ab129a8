"""The demo's configuration builds and searches for no more than the demo needs.

usage: test_demo_targets.py CMAKE NINJA"""
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NINJA, CMAKE = sys.argv.pop(2), sys.argv.pop(1)

# Number of compiled files: more than the simulator has today, fewer than with any second program.
MOST_FILES = 1000
# Parts of other machines, programs, tests and the LLVM tier.
FORBIDDEN = re.compile(r"\b(tests|bench|isa_armv7a|isa_rv64gc|mali-(run|fuzz|tune|dse)|runtime/user|vexpress|virt-riscv64|"
                       r"guest/armhf|gles_\w+)\b")
# Programs of packages in scripts/packages-test.txt, by their names.
OF_TESTS = re.compile(r"arm-linux|riscv64-linux|qemu|gdb|clang|mpirun|llvm")


class Targets(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.build = Path(scratch.name)
        subprocess.run([CMAKE, "--preset", "demo", "-B", cls.build], cwd=ROOT, check=True, capture_output=True)
        # Relative to the build folder, whose name is random.
        cls.commands = subprocess.run([NINJA, "-C", cls.build, "-t", "commands", "demo"], text=True, check=True,
                                      stdout=subprocess.PIPE).stdout.replace(str(cls.build), "").splitlines()

    def test_few_files_are_compiled(self):
        compiled = [line for line in self.commands if re.search(r" -c \S+\.c$", line)]
        self.assertGreater(len(compiled), MOST_FILES // 2)
        self.assertLessEqual(len(compiled), MOST_FILES)

    def test_nothing_else_is_made(self):
        made = [match[1] for line in self.commands for match in re.finditer(r" -o (\S+)", line)]
        self.assertIn("bin/juno", made)
        self.assertIn("/guest/arm64/matmul", made)
        self.assertEqual([name for name in made if FORBIDDEN.search(name)], [])

    def test_nothing_of_the_tests_is_looked_for(self):
        found = re.findall(r"^\w+:(?:FILEPATH|PATH)=(/\S+)$", (self.build / "CMakeCache.txt").read_text(), re.M)
        self.assertIn("aarch64-linux-gnu-gcc", [Path(path).name for path in found])
        self.assertEqual([path for path in found if OF_TESTS.search(path)], [])


if __name__ == "__main__":
    unittest.main()
