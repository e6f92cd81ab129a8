"""bench/suites/run with a made source, and simulators that run the program by QEMU."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "bench/suites"
# Looks like Whetstone: prints a line that is compared, and one that is not.
SOURCE = r"""#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) { printf(" %d rounds of %s\nseconds\n", argc, argv[1]); exit(3); }
"""


def script(path, text):
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return path


class BenchSuites(unittest.TestCase):
    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.work)
        (self.work / "netlib").mkdir()
        (self.work / "nbench").mkdir()
        (self.work / "nbench/NNET.DAT").touch()
        (self.work / "netlib/whetstone.c").write_text(SOURCE.replace(" %d", "1 %d"))
        self.ours = script(self.work / "ours", 'shift 2; exec qemu-aarch64 "$@"\n')

    def run_bench(self, *words, status=0):
        done = subprocess.run([sys.executable, "-B", FOLDER / "run", *words], capture_output=True, text=True, timeout=100, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def measure(self, status=0):
        return self.run_bench("--sources", self.work, "--user", self.ours, "--repeat", "1", "whetstone", status=status)

    def test_row_and_means(self):
        rows = [line.split()[0] for line in self.measure().splitlines()[3:]]
        self.assertEqual(rows, ["whetstone", "all", "floating"])

    def test_another_output_is_an_error(self):
        self.ours.write_text(self.ours.read_text().replace("exec", "echo 1 more;"))
        self.assertIn("whetstone: the outputs differ", self.measure(status=1))

    def test_driver_of_a_library(self):
        (self.work / "xxHash").mkdir()
        (self.work / "xxHash/xxhash.h").write_text("#define XXH3_64bits_withSeed(bytes, size, seed) (bytes[0] + seed)\n"
                                                   "#define XXH3_128bits_withSeed(bytes, size, seed) (struct both){0, size}\n"
                                                   "struct both { unsigned long low64, high64; };\n")
        done = self.run_bench("--sources", self.work, "--user", self.ours, "--repeat", "1", "xxh3")
        self.assertEqual([line.split()[0] for line in done.splitlines()[3:]], ["xxh3", "all", "SIMD"])

    def test_options(self):
        self.assertIn("PolyBench/C", self.run_bench("--list"))
        self.assertIn("--sources is missing", self.run_bench("whetstone", status=2))
        self.assertIn("no program is called sieve", self.run_bench("--sources", self.work, "sieve", status=2))


if __name__ == "__main__":
    unittest.main()
