#!/usr/bin/env python3
"""mali-tune: its tables in files, its output, and one clear line for each error in the tables.

    tune.py --mali-run PROGRAM --mali-tune PROGRAM --cases FOLDER
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PARSER = argparse.ArgumentParser()
PARSER.add_argument("--mali-run", required=True)
PARSER.add_argument("--mali-tune", required=True)
PARSER.add_argument("--cases", required=True, type=pathlib.Path)
ARGS, REST = PARSER.parse_known_args()
NAMES = ["sgemm", "atoml", "conv", "reduce", "vecadd"]
KNOWN = ["-timing-set", "l1_miss_latency=37", "-timing-set", "l2_miss_latency=211", "-timing-set", "arithmetic_latency=2"]
FREE = ["-free", "l1_miss_latency=1:100", "-free", "l2_miss_latency=1:400", "-free", "arithmetic_latency=1:4:0.5"]


def run(*arguments, status=0):
    done = subprocess.run([str(a) for a in arguments], capture_output=True, text=True, timeout=60, check=False)
    if done.returncode != status:
        raise AssertionError(f"{arguments}: status {done.returncode}: {done.stderr}")
    return done.stdout if status == 0 else done.stderr


class Tune(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="gencc-tune-")
        cls.path = pathlib.Path(cls.folder.name)
        rows = []
        for name in NAMES:
            trace = cls.path / f"{name}.trace"
            run(ARGS.mali_run, ARGS.cases / f"{name}.G71.snap.elf", "-trace-timing", trace)
            text = run(ARGS.mali_run, "-timing-from", trace, "-timing", "reassemble", "-gpu", "g71", *KNOWN)
            rows.append((name, sum(map(float, re.findall(r"^  cycles +([\d.]+)", text, re.M)))))
        cls.rows = rows

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def table(self, text=None):
        path = self.path / "table.csv"
        path.write_text(text if text is not None else
                        "name, trace,cycles\n# of known numbers\n\n" + "".join(f"{n}, {n}.trace,{c}\n" for n, c in self.rows))
        return path

    def test_finds_known_numbers(self):
        out, lines = self.path / "out.csv", self.path / "lines.ac"
        text = run(ARGS.mali_tune, self.table(), "-gpu", "g71", *FREE, "-csv", out, "-description", lines)
        self.assertRegex(text, r"tuned, training rows +5 +0\.00 % +1\.0000 +1\.0000")
        self.assertIn("timing arithmetic_latency = 2 cycles \"tuned to 5 rows of", lines.read_text())
        written = [line.split(",") for line in out.read_text().splitlines()]
        self.assertEqual(written[0], ["name", "set", "measured", "before", "tuned", "left_out"])
        for row, (name, cycles) in zip(written[1:], self.rows):
            self.assertEqual(row[0], name)
            self.assertAlmostEqual(float(row[4]) / cycles, 1, 2)
            self.assertEqual(row[5], "")

    def test_threads_and_microseconds(self):
        one = run(ARGS.mali_tune, self.table(), "-gpu", "g71", *FREE, "-folds", "2", "-test", "20")
        self.assertEqual(one, run(ARGS.mali_tune, self.table(), "-gpu", "g71", *FREE, "-folds", "2", "-test", "20", "-threads", "4"))
        self.assertEqual(one.count(" test "), 1 + 2)  # the row, and two lines of errors
        clock = ["-timing-set", "clock_mhz=250"]
        table = self.table("us,trace\n" + "".join(f"{c / 250},{n}.trace\n" for n, c in self.rows))
        text = run(ARGS.mali_tune, table, "-gpu", "g71", *FREE, *clock)
        self.assertRegex(text, r"tuned, training rows +5 +0\.0\d %")

    def test_several_traces(self):
        """A row of several files has the sum of their times."""
        (a, x), (b, y), *_ = self.rows
        written = self.path / "sums.csv"
        table = self.table(f"trace,cycles\n{a}.trace;{b}.trace,1\n{self.path}/{a}.trace;{self.path}/{b}.trace,1\n{a}.trace,1\n")
        run(ARGS.mali_tune, table, "-gpu", "g71", *KNOWN, "-free", "barrier_latency=0:1", "-csv", written)
        lines = [line.split(",") for line in written.read_text().splitlines()[1:]]
        self.assertEqual(lines[0][0], f"{a}.trace;{b}.trace")
        for line, cycles in zip(lines, [x + y, x + y, x], strict=True):
            self.assertAlmostEqual(float(line[3]), cycles, 0)

    def test_wrong_tables(self):
        good = "trace,cycles\nsgemm.trace,100\n"
        (self.path / "cut.trace").write_bytes((self.path / "sgemm.trace").read_bytes()[:-5])
        for text, said in [("", "no rows"), ("trace,cycles\n", "no rows"), ("cycles\n1\n", ":1: "), ("trace,cycles,us\n", ":1: "),
                           ("trace,cycles,what\n", "what"), ("trace,trace,cycles\n", "two fields"),
                           (good + "sgemm.trace\n", ":3: 1 fields"), (good + "sgemm.trace,0\n", "above 0"),
                           (good + "sgemm.trace,-1\n", "above 0"), (good + "sgemm.trace,nan\n", "above 0"),
                           (good + "sgemm.trace,1x\n", "above 0"), (good + "none.trace,1\n", "none.trace"),
                           (good + "cut.trace,1\n", "cut.trace"), (good + "table.csv,1\n", "table.csv"), (good + ",1\n", "without a trace"),
                           (good + "sgemm.trace;,1\n", "without a trace"), (good + "sgemm.trace;none.trace,1\n", "none.trace"),
                           ("trace,cycles,job\nsgemm.trace,1,0\n", "from 1 on"), ("trace,cycles,job\nsgemm.trace,1,99\n", "no job 99"),
                           ("trace,cycles,set\nsgemm.trace,1,maybe\n", "maybe"), ("trace,cycles\n" + "," * 99 + "\n", "fields")]:
            said_here = run(ARGS.mali_tune, self.table(text), "-gpu", "g71", status=2)
            self.assertIn(said, said_here, text)
            self.assertEqual(said_here.count("\n"), 1)
        path = self.table()
        path.write_bytes(b"trace,cycles\nsgemm.trace,1\0\n")
        self.assertIn("byte 0", run(ARGS.mali_tune, path, "-gpu", "g71", status=2))

    def test_wrong_options(self):
        table = self.table()
        for options, said in [([], "-gpu"), (["-gpu", "g0"], "g0"), (["-gpu", "g71", "-free", "none=1:2"], "none"),
                              (["-gpu", "g52", *FREE], "warps of"), (["-gpu", "g71", "-free", "l1_miss_latency=1:1000000"], "from 0 to"),
                              (["-gpu", "g71", "-folds", "2", "-leave-one-out"], "exclude"), (["-gpu", "g71", "-goal", "best"], "best"),
                              (["-gpu", "g71", "-timing", "detailed", "-timing-set", "pipe_depth=0"], "pipe_depth"), (["-gpu", "g71", "-csv", "/"], "cannot write")]:
            self.assertIn(said, run(ARGS.mali_tune, table, *options, status=2))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *REST])
