#!/usr/bin/env python3
"""scripts/roofline: roofs and points calculated by hand, and a snapshot whose instructions the
counters give as well.

    roofline.py --mali-run PROGRAM --cases FOLDER
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/pictures"))
import gpus
import roofline

PARSER = argparse.ArgumentParser()
PARSER.add_argument("--mali-run", required=True)
PARSER.add_argument("--cases", required=True, type=pathlib.Path)
ARGS, REST = PARSER.parse_known_args()
# 2 cores of 2 engines for 4 lanes, 2 instructions each: 32 per cycle.
SMALL = gpus.Gpu(architecture=7, cores=2, engines=2, warp_width=4, clock_mhz=500, line_bytes=64, stage_issue=1, l2_bandwidth=32, dram_bandwidth=8)
JOB = {"cycles": 1000, "groups_for_one": 2, "arithmetic": 6000, "l2_reads": 60, "l2_writes": 40, "dram_reads": 10, "dram_writes": 15}


def script(*arguments, status=0):
    done = subprocess.run([sys.executable, "-B", ROOT / "scripts/roofline", "--mali-run", ARGS.mali_run, *map(str, arguments)],
                          capture_output=True, text=True, timeout=60, check=False)
    if done.returncode != status:
        raise AssertionError(f"{arguments}: status {done.returncode}: {done.stderr}")
    return done.stderr if status else done.stdout


class Paper(unittest.TestCase):
    def test_roof(self):
        # 32 instructions, 32 and 8 bytes per cycle, 500 million cycles per second.
        self.assertEqual(roofline.roof_of(SMALL), roofline.Roof(16, 2, 16, 4))
        # 12 cores of 3 engines for 4 lanes, 288 instructions per cycle; 64 and 16 bytes; 746 MHz.
        g72 = roofline.roof_of(gpus.read("g72"))
        for found, paper in ((g72.peak, 214.848), (g72.l2, 47.744), (g72.dram, 11.936)):
            self.assertAlmostEqual(found, paper, places=9)

    def test_roof_of_scalar_threads(self):
        # 4 cores of 2 pipes, each 5 words of a thread per cycle, 600 MHz; no limit between L2 and
        # cores, 16 bytes per cycle to memory.
        self.assertEqual(roofline.roof_of(gpus.read("t624")), roofline.Roof(24, 5, 0, 9.6))

    def test_an_engine_that_takes_two_cycles(self):
        self.assertEqual(roofline.roof_of(gpus.Gpu(SMALL, stage_issue=2)).peak, 8)

    def test_kernel(self):
        kernel = roofline.Kernel("k")
        kernel.add(JOB, SMALL)
        # 1000 cycles are 2 us; each group stands for two: 12,000 instructions, 2 * 100 and 2 * 25
        # lines of 64 bytes.
        self.assertEqual(kernel, roofline.Kernel("k", 2, 12000, 12800, 3200))
        self.assertEqual(kernel.rate(), 6)
        # 0.9375 instructions per byte of L2 and 3.75 per byte of memory: 15 G/s by both, while the
        # arithmetic allows 16.
        self.assertEqual(kernel.bound(roofline.roof_of(SMALL)), (15, "DRAM"))
        self.assertEqual(kernel.bound(roofline.Roof(16, 2, 8, 4)), (7.5, "L2"))
        self.assertEqual(kernel.bound(roofline.Roof(16, 2, 0, 0)), (16, "arithmetic"))
        kernel.add(JOB, SMALL)
        self.assertEqual(kernel, roofline.Kernel("k", 4, 24000, 25600, 6400))

    def test_picture(self):
        kernel = roofline.Kernel("a < b", 2, 12000, 12800, 3200)
        for kernels in [kernel], [kernel, roofline.Kernel("empty", 1)], [roofline.Kernel("registers", 1, 1000)]:
            for roof in roofline.Roof(16, 2, 16, 4), roofline.Roof(16, 2, 0, 0):
                ElementTree.fromstring(roofline.draw("title", roof, kernels))


class Snapshot(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.out = pathlib.Path(self.folder.name)

    def snap(self, name):
        return ARGS.cases / f"{name}.snap.elf"

    def test_instructions_are_those_of_the_counters(self):
        for name in "sgemm.G72", "diverge.G72", "reduce.G72", "spillarr.G71", "sgemm.G52", "sgemm.T860":
            subprocess.run([ARGS.mali_run, self.snap(name), "-stats", self.out, "-timing", "detailed", "-timing-json", self.out / "json"],
                           check=True, stdout=subprocess.DEVNULL, timeout=60)
            counted = json.loads((self.out / "gpu_shaders.json").read_text())["total"]["arithmetic"]
            self.assertEqual(sum(job["arithmetic"] for job in json.loads((self.out / "json").read_text())), counted, name)

    def test_snapshot_and_trace(self):
        rows = script(self.snap("sgemm.G72"), "--svg", self.out / "a.svg")
        self.assertRegex(rows, r"g72: 214\.848 G/s, 2 .* L2 47\.744 GB/s, DRAM 11\.936 GB/s")
        us, rate = map(float, re.search(r"^sgemm\.G72 +([\d.]+) +([\d.]+)", rows, re.M).groups())
        self.assertAlmostEqual(rate, 834560 / us / 1000, delta=0.005)
        subprocess.run([ARGS.mali_run, self.snap("sgemm.G72"), "-trace-timing", self.out / "sgemm.G72.trace"], check=True, timeout=60)
        self.assertEqual(rows, script(self.out / "sgemm.G72.trace", "--svg", self.out / "b.svg"))
        self.assertEqual((self.out / "a.svg").read_text(), (self.out / "b.svg").read_text())

    def test_other_numbers(self):
        self.assertIn("DRAM 23.872 GB/s", script(self.snap("sgemm.G72"), "--set", "dram_bandwidth=32"))
        self.assertIn("g71: 262.080 G/s", script(self.snap("sgemm.G72"), "--gpu", "g71"))
        self.assertIn("t860", script(self.snap("sgemm.T860")))

    def test_the_picture_of_the_manual(self):
        """The command that bench/results/roofline.md gives makes its picture."""
        command = re.search(r"scripts/roofline (tests/mali/snapshots/cases/\S+) --svg (bench/results/pictures/roofline.svg)", (ROOT / "bench/results/roofline.md").read_text())
        names = re.search(r"\{(.*)\}", command[1])[1].split(",")
        script(*[self.snap(f"{name}.G72") for name in names], "--svg", self.out / "now.svg")
        self.assertEqual((self.out / "now.svg").read_text(), (ROOT / command[2]).read_text())

    def test_clear_errors(self):
        both = [self.snap("sgemm.G72"), self.snap("sgemm.G31")]
        self.assertIn("inputs are of g31 and g72: --gpu NAME", script(*both, status=2))
        self.assertIn("there is no GPU named 'g9'", script(both[0], "--gpu", "g9", status=2))
        self.assertIn("no timing parameter is called foo", script(both[0], "--set", "foo=1", status=2))
        self.assertIn("No such file", script(self.out / "none", status=2))
        self.assertIn("No such file", script(both[0], "--svg", self.out / "no/where.svg", status=2))


if __name__ == "__main__":
    sys.exit(unittest.main(argv=[sys.argv[0], *REST]))
