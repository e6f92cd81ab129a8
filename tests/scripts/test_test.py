"""scripts/test and .ci/run with stand-ins for their steps: the order, and the message if one fails."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]


class Scripts(unittest.TestCase):
    """Tests of a script of the tree, which runs in a folder of its own."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = Path(scratch.name)
        self.program("scripts/setup")

    def take(self, script):
        (self.root / script).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / script, self.root / script)

    def program(self, name, text=""):
        """Makes a stand-in that records its start, and its end if it succeeded."""
        path = self.root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f'#!/bin/sh\necho "{path.name} $*" >>order\n{text}\necho "{path.name} ended" >>order\n')
        path.chmod(0o755)

    def run_script(self, script, *arguments):
        environment = dict(os.environ, PATH=f"{self.root}/bin:{os.environ['PATH']}")
        done = subprocess.run([self.root / script, *arguments], env=environment, capture_output=True, text=True,
                              timeout=60, check=False)
        return done, (self.root / "order").read_text().splitlines()


class Test(Scripts):
    def setUp(self):
        super().setUp()
        self.take("scripts/test")
        self.program("scripts/check-format")
        self.program("scripts/fetch-guest", "echo 'fetch-guest: all there'")
        self.program("bin/cmake")
        self.program("bin/ctest")

    def run_test(self, *arguments):
        return self.run_script("scripts/test", *arguments)

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
        self.assertIn(r" -E ^rules\.format$ ", ran[0])  # the check has run before
        self.assertIn("check-format ended", order)
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


class Ci(Scripts):
    def setUp(self):
        super().setUp()
        self.take(".ci/run")
        for name in "check-commits", "test", "cross-arm64":
            self.program(f"scripts/{name}")
        self.program("scripts/sysroot", "until grep -q '^test ' order; do sleep 0.05; done; echo 'sysroot: no network'")

    def started(self, order):
        return [line.strip() for line in order if not line.endswith(" ended") and line.split()[0] not in ("sysroot", "setup")]

    def test_libraries_are_fetched_while_the_first_build_goes_on(self):
        done, order = self.run_script(".ci/run", "-R", "x")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.started(order), ["check-commits", "test -R x", "test --no-llvm --quick -LE ^llvm_free$ -R x",
                                               "cross-arm64 --short"])
        self.assertLess(order.index("sysroot ended"), order.index("cross-arm64 --short"))

    def test_what_failed_is_said(self):
        for name in "check-commits", "test", "cross-arm64":
            with self.subTest(name):
                self.setUp()
                self.program(f"scripts/{name}", "exit 7")
                done, order = self.run_script(".ci/run")
                self.assertEqual(done.returncode, 7)
                self.assertTrue(self.started(order)[-1].startswith(name), order)
                self.assertRegex(done.stderr, f"^ci: this failed: scripts/{name}")

    def test_libraries_that_cannot_be_had(self):
        self.program("scripts/sysroot", "echo 'sysroot: no network' >&2; exit 3")
        done, order = self.run_script(".ci/run")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "sysroot: no network\nci: scripts/sysroot failed: see its message above\n")
        self.assertNotIn("cross-arm64", " ".join(order))


if __name__ == "__main__":
    unittest.main()
