#!/usr/bin/env python3
"""mali-dse: each point equals mali-run's result, for any number of threads, processes and kills;
and each error in a space is one clear line.

    dse.py --mali-run PROGRAM --mali-dse PROGRAM --cases FOLDER [--mpirun PROGRAM] [--kills N]
"""
import argparse
import csv
import fcntl
import os
import pathlib
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

PARSER = argparse.ArgumentParser()
PARSER.add_argument("--mali-run", required=True)
PARSER.add_argument("--mali-dse", required=True)
PARSER.add_argument("--cases", required=True, type=pathlib.Path)
PARSER.add_argument("--mpirun", default="")
PARSER.add_argument("--kills", type=int, default=12)
ARGS, REST = PARSER.parse_known_args()
SPACE = """# a comment
gpu g71
timing reassemble
set l2_bytes=262144
trace sgemm sgemm.trace   # its name, its file
trace conv conv.trace conv8.trace
axis cores 2 8
axis l2_miss_latency *1 *0.5 200
sweep l1_miss_latency 30 *1.5
point wide l1_hit_latency=*2 clock_mhz=425
cost cores engines
"""
FILES = ["points.csv", "results.csv"]


# Open MPI does not free what it allocates, which a sanitized mali-dse reports.
MPI_ENVIRONMENT = dict(os.environ, ASAN_OPTIONS="detect_leaks=0")


def run(*arguments, status=0, env=None):
    done = subprocess.run([str(a) for a in arguments], capture_output=True, text=True, timeout=100, check=False, env=env)
    if done.returncode != status:
        raise AssertionError(f"{arguments}: status {done.returncode}: {done.stderr}")
    return done.stdout if status == 0 else done.stderr


def rows(path):
    with open(path, newline="") as f:
        return list(csv.DictReader(f))


class Explore(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="gencc-dse-")
        cls.path = pathlib.Path(cls.folder.name)
        for name, out in [("sgemm.G71", "sgemm"), ("conv.G71", "conv"), ("conv.G76", "conv8")]:
            run(ARGS.mali_run, ARGS.cases / f"{name}.snap.elf", "-trace-timing", cls.path / f"{out}.trace")
        cls.space = cls.path / "space"
        cls.space.write_text(SPACE)
        run(ARGS.mali_dse, cls.space, "-out", cls.path / "whole")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def same(self, folder):
        for name in FILES:
            self.assertEqual((self.path / "whole" / name).read_text(), (folder / name).read_text(), name)

    def test_points_are_what_the_model_says(self):
        points, results = rows(self.path / "whole/points.csv"), rows(self.path / "whole/results.csv")
        self.assertEqual([p["label"] for p in points], ["baseline"] + ["axis"] * 6 + ["l1_miss_latency"] * 2 + ["wide"])
        self.assertEqual([p["l2_miss_latency"] for p in points[1:7]], ["123", "61.5", "200"] * 2)
        self.assertEqual(points[8]["l1_miss_latency"], "91.5")
        self.assertEqual(float(points[2]["cost"]), 2 * float(points[2]["engines"]))
        for r in results:
            p = points[int(r["point"])]
            settings = [w for k in ("cores", "l2_miss_latency", "l1_miss_latency", "l1_hit_latency", "clock_mhz")
                        for w in ("-timing-set", f"{k}={p[k]}")]
            text = run(ARGS.mali_run, "-timing-from", self.path / f"{r['kernel']}.trace", "-timing", "reassemble", "-gpu", "g71",
                       "-timing-set", "l2_bytes=262144", *settings)
            self.assertAlmostEqual(sum(map(float, re.findall(r"^  cycles +([\d.]+)", text, re.M))), float(r["cycles"]), 2)
            self.assertAlmostEqual(float(r["us"]), float(r["cycles"]) / float(p["clock_mhz"]), 4)
        front = [p for p in points if p["pareto"] == "1"]
        for p in points:
            beaten = any((float(q["cost"]) <= float(p["cost"]) and float(q["speedup"]) > float(p["speedup"])) for q in points)
            self.assertTrue(p not in front or not beaten)
        self.assertEqual(points[0]["speedup"], "1.000000")

    def test_database(self):
        with sqlite3.connect(self.path / "whole/results.sqlite") as db:
            self.assertEqual(db.execute("select count(*) from points").fetchone()[0], 10)
            for r in rows(self.path / "whole/results.csv"):
                cycles, = db.execute("select cycles from results where point=? and kernel=?", (r["point"], r["kernel"])).fetchone()
                self.assertAlmostEqual(cycles, float(r["cycles"]), 3)
            self.assertEqual(db.execute("select l2_miss_latency from points where point=2").fetchone()[0], 61.5)

    def test_threads_and_processes(self):
        run(ARGS.mali_dse, self.space, "-out", self.path / "threads", "-threads", "4", "-progress", "0")
        self.same(self.path / "threads")
        if ARGS.mpirun:
            for n in 2, 3:
                run(ARGS.mpirun, "--allow-run-as-root", "--oversubscribe", "-n", n, ARGS.mali_dse, self.space, "-out",
                    self.path / f"ranks{n}", "-threads", "2", env=MPI_ENVIRONMENT)
                self.same(self.path / f"ranks{n}")

    def test_widths(self):
        space = self.path / "widths"
        space.write_text("gpu g71\ntrace conv conv8.trace conv.trace\nsweep warp_width 8\n")
        run(ARGS.mali_dse, space, "-out", self.path / "w")
        self.assertEqual([p["warp_width"] for p in rows(self.path / "w/points.csv")], ["4", "8"])

    def test_other_widths(self):
        """Widths without a trace of their own are formed of the first; mali-run does the same."""
        space = self.path / "other"
        space.write_text("gpu g71\ntrace conv conv.trace\nsweep warp_width 8 12\npoint thin line_bytes=48\n")
        run(ARGS.mali_dse, space, "-out", self.path / "o")
        got = {row["point"]: float(row["cycles"]) for row in rows(self.path / "o/results.csv")}
        for point, setting in ("1", "warp_width=8"), ("2", "warp_width=12"), ("3", "line_bytes=48"):
            text = run(ARGS.mali_run, "-timing-from", self.path / "conv.trace", "-timing", "reassemble", "-timing-set", setting)
            self.assertAlmostEqual(got[point], float(re.search(r"cycles +(\S+)", text).group(1)), places=3, msg=setting)
        self.assertGreater(got["1"], got["2"])

    def test_kill_at_any_moment(self):
        """Killed again and again, finished with another number of threads: no point is lost or
        predicted twice."""
        space, out = self.path / "many", self.path / "killed"
        values = " ".join(str(100 + i) for i in range(150))
        space.write_text(f"gpu g71\ntrace sgemm sgemm.trace\ntrace conv conv.trace\naxis l2_miss_latency {values}\naxis cores 1 8\n")
        draw = random.Random(os.environ.get("GENCC_SEED", "1"))
        known = 0
        for k in range(ARGS.kills):
            command = [ARGS.mali_dse, space, "-out", out, "-threads", str(1 + k % 3)]
            p = subprocess.Popen([str(w) for w in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(draw.uniform(0.005, 0.12))
            p.send_signal(signal.SIGKILL)
            p.wait()
            lines = b"".join(j.read_bytes() for j in out.glob("journal.*")).split(b"\n") if out.exists() else []
            self.assertGreaterEqual(len(lines), known)
            known = len(lines)
            if k == 2 and out.exists():
                with open(out / "journal.0", "ab") as f:
                    f.write(b"0000000001 000")  # a line cut off as by a kill while writing
        run(ARGS.mali_dse, space, "-out", out, "-threads", "2")
        tasks = [line.split()[0] for j in out.glob("journal.*") for line in j.read_text().splitlines()]
        self.assertEqual(len(tasks), 301 * 2)
        self.assertEqual(len(set(tasks)), 301 * 2)
        run(ARGS.mali_dse, space, "-out", self.path / "unkilled")
        for name in FILES:
            self.assertEqual((out / name).read_text(), (self.path / "unkilled" / name).read_text())
        before = sorted((j.name, j.read_bytes()) for j in out.glob("journal.*"))
        run(ARGS.mali_dse, space, "-out", out)
        self.assertEqual(before, sorted((j.name, j.read_bytes()) for j in out.glob("journal.*")))

    def test_another_run_works_there(self):
        """If another run uses a file, all workers give up before any of them predicts, whichever
        file it is."""
        out = self.path / "taken"
        out.mkdir()
        for ranks, taken in ((1, 0), (2, 1)) if ARGS.mpirun else ((1, 0),):
            command = [ARGS.mpirun, "--allow-run-as-root", "--oversubscribe", "-n", str(ranks)] if ranks > 1 else []
            with open(out / f"journal.{taken}", "wb") as f:
                fcntl.flock(f, fcntl.LOCK_EX)
                done = subprocess.run([*command, ARGS.mali_dse, self.space, "-out", out], capture_output=True, text=True, timeout=100,
                                      check=False)
            self.assertNotEqual(done.returncode, 0)
            # another run uses the file; or the worker gave up because another one did
            self.assertIn("another process ", done.stderr)
            self.assertEqual([j.stat().st_size for j in out.glob("journal.*")], [0] * ranks)

    def test_progress(self):
        space = self.path / "slow"
        values = " ".join(str(100 + i) for i in range(450))
        space.write_text(f"gpu g71\ntrace sgemm sgemm.trace\naxis l2_miss_latency {values}\naxis cores 1 2 3 4 5 6 7 8\n")
        done = subprocess.run([ARGS.mali_dse, space, "-out", self.path / "s", "-progress", "1"], capture_output=True, text=True,
                              timeout=280, check=True)
        if done.stderr:  # a fast host may finish before
            self.assertRegex(done.stderr, r"^\d+ of 3601 predictions, \d+ s, \d+ s to go\n")

    def test_wrong_folders(self):
        out = self.path / "wrong"
        shutil.copytree(self.path / "whole", out)
        other = self.path / "other"
        other.write_text(SPACE.replace("30", "31"))
        self.assertIn("another space", run(ARGS.mali_dse, other, "-out", out, status=2))
        text = bytearray((out / "journal.0").read_bytes())
        text[15] ^= 1
        (out / "journal.0").write_bytes(text)
        self.assertIn("damaged", run(ARGS.mali_dse, self.space, "-out", out, status=2))
        self.assertIn("cannot make", run(ARGS.mali_dse, self.space, "-out", "/proc/none", status=2))

    def test_wrong_spaces(self):
        space = self.path / "bad"
        head = "gpu g71\ntrace conv conv.trace\n"
        for text, said in [("", "needs gpu"), ("gpu g71\n", "needs gpu"), ("axis cores 1\n", ":1: the first line"), ("gpu g0\n", "g0"),
                           (head + "what\n", ":3: no line begins"), (head + "axis nothing 1\n", "nothing"), (head + "axis cores\n", ":3: "),
                           (head + "axis cores x\n", "x is no number"), (head + "axis cores 0\n", "from 1 to"), (head + "gpu g71\n", ":3: "),
                           (head + "axis cores 1 2\naxis cores 3\n", "two axes"), (head + "sweep line_bytes 8\n", "from 16 to"),
                           (head + "point a\n", ":3: a point"), (head + "point a cores\n", ":3: a point"), (head + "set\n", "set what"),
                           (head + "axis cores 1\nset cores=2\n", "comes before"), (head + "trace conv conv.trace\n", "two kernels"),
                           (head + "trace a none.trace\n", "none.trace"), (head + "trace a space\n", "space"), (head + "timing best\n", "best"),
                           (head + "trace a conv.trace conv.trace\n", "two files"), (head + "sweep warp_width 1.5\n", "from 1 to 32"),
                           (head + "".join(f"axis {n} {' '.join(map(str, range(1, 120)))}\n" for n in ("cores", "l1_hit_latency", "l1_miss_latency", "l2_miss_latency")),
                            "more than"), (head + "x" * 70000 + "\n", "too long")]:
            space.write_text(text)
            said_here = run(ARGS.mali_dse, space, "-out", self.path / "b", status=2)
            self.assertIn(said, said_here, text[:200])
            self.assertEqual(said_here.count("\n"), 1)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *REST])
