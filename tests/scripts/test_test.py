"""scripts/test with stand-ins for its steps: their order, and the message if one fails."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
SCRIPT = Path(__file__).resolve().parents[2] / "scripts/test"


class Test(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = Path(scratch.name)
        (self.root / "scripts").mkdir()
        shutil.copy(SCRIPT, self.root / "scripts/test")
        self.program("scripts/setup")
        self.program("scripts/check-format")
        self.program("scripts/fetch-guest", "echo 'fetch-guest: all there'")
        self.program("bin/cmake")
        self.program("bin/ctest")

    def program(self, name, text=""):
        """Makes a stand-in that records its start, and its end if it succeeded."""
        path = self.root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f'#!/bin/sh\necho "{path.name} $*" >>order\n{text}\necho "{path.name} ended" >>order\n')
        path.chmod(0o755)

    def run_test(self, *arguments):
        environment = dict(os.environ, PATH=f"{self.root}/bin:{os.environ['PATH']}")
        done = subprocess.run([self.root / "scripts/test", *arguments], env=environment, capture_output=True,
                              text=True, timeout=60, check=False)
        return done, (self.root / "order").read_text().splitlines()

    def test_the_guest_is_fetched_while_the_build_goes_on(self):
        self.program("scripts/fetch-guest",
                     "until grep -q 'cmake --build' order; do sleep 0.05; done; echo 'fetch-guest: all there'")
        done, order = self.run_test("--quick", "-R", "x")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("fetch-guest: all there", done.stdout)
        fetched = order.index("fetch-guest ended")
        self.assertLess(order.index("cmake --preset release"), fetched)
        self.assertLess(order.index("cmake --build --preset release"), fetched)
        ran = [line for line in order if line.startswith("ctest --test-dir build ")]
        self.assertEqual(len(ran), 1)
        self.assertTrue(ran[0].endswith(" -L ^quick$ -R x"), ran)
        self.assertGreater(order.index(ran[0]), fetched)

    def test_short_runs_quick_and_medium(self):
        _, order = self.run_test("--short")
        ran = [line for line in order if line.startswith("ctest --test-dir build ")]
        self.assertEqual(len(ran), 1)
        self.assertTrue(ran[0].endswith(" -L ^(quick|medium)$"), ran)

    def test_without_llvm(self):
        _, order = self.run_test("--no-llvm", "--quick")
        self.assertIn("cmake --build --preset no-llvm", order)
        self.assertTrue(any(line.startswith("ctest --test-dir build-no-llvm ") for line in order), order)

    def test_guest_software_that_cannot_be_had(self):
        self.program("scripts/fetch-guest", "echo 'fetch-guest: no network' >&2; exit 3")
        done, order = self.run_test()
        self.assertEqual(done.returncode, 3)
        self.assertIn("fetch-guest: no network", done.stdout)
        self.assertIn("test: scripts/fetch-guest failed with status 3", done.stderr)
        self.assertFalse(any(line.startswith("ctest") for line in order), order)

    def test_a_build_that_fails(self):
        self.program("bin/cmake", "[ $1 = --preset ] || "
                     "{ until grep -q fetching order; do sleep 0.05; done; echo 'cc: no'; exit 4; }")
        self.program("scripts/fetch-guest",
                     "trap 'echo stopped >>order; exit 1' TERM; echo fetching >>order; sleep 30 & wait")
        done, order = self.run_test()
        self.assertEqual(done.returncode, 4)
        self.assertIn("cc: no", done.stdout)
        self.assertIn("stopped", order)
        self.assertFalse(any(line.startswith("ctest") for line in order), order)


if __name__ == "__main__":
    unittest.main()
