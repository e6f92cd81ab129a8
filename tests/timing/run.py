#!/usr/bin/env python3
"""mali-run's time models and traces: tracing does not change a job's results or counters, a trace
in a file gives the times of a live run, and impossible options are one clear line.

    run.py --mali-run PROGRAM --cases FOLDER
"""
import argparse
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest
from collections import Counter

PARSER = argparse.ArgumentParser()
PARSER.add_argument("--mali-run", required=True)
PARSER.add_argument("--cases", required=True, type=pathlib.Path)
ARGS, REST = PARSER.parse_known_args()
NAMES = ["sgemm.G72", "sgemm.G52", "atomg.G71", "reduce.G72", "diverge.G72", "spillarr.G71", "glshared.G72", "img.G72", "vecadd.T860", "sgemm.T860"]


def run(*arguments, status=0):
    done = subprocess.run([ARGS.mali_run, *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False)
    if done.returncode != status:
        raise AssertionError(f"{arguments}: status {done.returncode}: {done.stderr}")
    return done.stdout if status == 0 else done.stderr


class Numbers:
    """A sequence of numbers with 7 bits per byte, as docs/understand/time-model.md describes it."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def __bool__(self):
        return self.at < len(self.data)

    def next(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value

    def signed(self):
        value = self.next()
        return value >> 1 ^ -(value & 1)

    def take(self, count):
        self.at += count
        return self.data[self.at - count:self.at]


def jobs_of(data):
    """Yields the jobs of a trace file, uncompressed, by its index."""
    assert data[:8] == b"genccTIM" and data[-8:] == b"TIMindex"
    index, count = struct.unpack_from("<QQ", data, len(data) - 24)
    for row in range(count):
        offset, size, raw, shader, groups = struct.unpack_from("<5Q", data, index + 40 * row)
        job = subprocess.run(["zstd", "-dc"], input=data[offset:offset + size], capture_output=True, check=True).stdout
        assert len(job) == raw
        yield Numbers(job), shader, groups


ACCESSES = ["global_reads", "global_writes", "global_writes", "local_reads", "local_writes", "thread_memory_reads",
            "thread_memory_writes", "local_writes"]


def access(stream, number, mask, places, counts):
    """Reads an access and adds up the bytes of its lanes."""
    head = stream.next()
    kind, shape, own, size = head & 7, head >> 3 & 7, head >> 6 & 1, (head >> 7) + 1
    lanes = stream.next() if own else mask
    assert lanes and not lanes & ~mask
    places[number % 8] += stream.signed()
    if shape == 3:
        assert 0 < stream.next() < 5
    for _ in range({0: 0, 1: 0, 2: 1, 3: 2, 4: lanes.bit_count() - 1}[shape]):
        stream.signed()
    counts[ACCESSES[kind] + " bytes"] += lanes.bit_count() * size


def executed(stream, bundles, lanes, width, counts):
    """Adds up what a row did: bundles of warps, instructions of lanes, accessed memory, barriers.
    """
    place = 0
    places = [0] * 8
    mask = (1 << lanes) - 1
    run = None

    def count(run):
        warps = sum(mask >> first & (1 << width) - 1 != 0 for first in range(0, 32, width))
        counts["bundles"] += warps * len(run)
        counts["lane_instructions"] += mask.bit_count() * sum(sum(bundles[bundle][3:7]) for bundle in run)
    ends = []  # of repeated records: end, start, remaining repetitions, next position
    while stream or ends:
        if ends and stream.at == ends[0]:
            ends, stream.at = ([ends[0], ends[1], ends[2] - 1, ends[3]], ends[1]) if ends[2] else ([], ends[3])
            continue
        begin = stream.at
        head = stream.next()
        kind, n = head & 3, head >> 2
        if kind == 2 and n:
            mask = n
        elif kind == 2:
            size, times = stream.next(), stream.next()
            ends, stream.at = [begin, begin - size, times - 1, stream.at], begin - size
            counts["passes"] += times
        elif kind == 3:
            counts["barriers"] += not n
            count(run * n if n else [])
        else:
            first = place + stream.signed()
            run = list(range(first, first + (n if kind == 0 else 1)))
            place = run[-1] + 1
            count(run)
            for number in range(n // 2 if kind == 1 else 0):
                access(stream, first + number, mask, places, counts)
            counts["touching"] += kind == 1


def read_as_documented(path):
    counts = Counter()
    for job, shader, groups in jobs_of(path.read_bytes()):
        _, at, threads, width, row, total = (job.next() for _ in range(6))
        assert (at, total) == (shader, groups)
        bundles = [[job.next() for _ in range(9)] for _ in range(job.next())]
        for _ in range(job.next()):
            job.next()
            counts["work_groups"] += 1
            rows = job.next()
            assert rows == -(-threads // row)
            for _ in range(rows):
                lanes, size = job.next(), job.next()
                counts["warps"] += -(-lanes // width)
                executed(Numbers(job.take(size)), bundles, lanes, width, counts)
        assert not job
    return counts


def cases():
    names = [n for n in NAMES if (ARGS.cases / f"{n}.snap.elf").exists()]
    assert len(names) >= 9, names
    return names


class Timing(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.out = pathlib.Path(self.folder.name)
        self.trace = self.out / "trace"

    def tearDown(self):
        self.folder.cleanup()

    def counts(self, name, *options):
        folder = self.out / f"stats{len(options)}"
        out = run(ARGS.cases / f"{name}.snap.elf", "-expect", ARGS.cases / f"{name}.expect.elf", "-stats", folder, *options)
        return json.loads((folder / "gpu_shaders.json").read_text()), json.loads((folder / "stats.json").read_text()), out

    def test_observing_changes_nothing(self):
        for name in cases():
            shaders, stats, _ = self.counts(name)
            traced, traced_stats, _ = self.counts(name, "-timing", "reassemble")
            self.assertEqual(shaders, traced, name)
            self.assertEqual(stats, traced_stats, name)

    def test_has_all_that_was_executed(self):
        for name in (n for n in cases() if ".T" not in n):
            shaders, _, out = self.counts(name, "-timing", "reassemble")
            for counter, text in (("work_groups", "groups"), ("warps", "warps"), ("bundles", "bundles")):
                seen = sum(int(n) for n in re.findall(rf"(\d+) {text}\b", "\n".join(re.findall(r"simulated.*", out))))
                self.assertEqual(seen, shaders["total"][counter], (name, counter))

    def test_file_gives_the_same(self):
        for name in cases():
            snap = ARGS.cases / f"{name}.snap.elf"
            live = run(snap, "-timing", "reassemble", "-trace-timing", self.trace)
            self.assertRegex(live, r"cycles +[1-9]")
            self.assertEqual(live, run("-timing-from", self.trace, "-timing", "reassemble"))

    def test_file_as_documented(self):
        """A reader written from docs/understand/time-model.md alone gets the numbers of the
        counters."""
        for name in cases():
            shaders, _, _ = self.counts(name, "-trace-timing", self.trace)
            counts = read_as_documented(self.trace)
            # For scalar threads the counters have bundles of rows of threads.
            for counter in ("work_groups", "warps", "lane_instructions") + (() if ".T" in name else ("bundles",)):
                self.assertEqual(counts[counter], shaders["total"][counter], (name, counter))
            self.assertGreater(counts["touching"], 0)
            if name.startswith("sgemm"):
                self.assertGreater(counts["passes"], 0, name)
            self.assertGreater(counts["global_writes bytes"], 0)
            for what in ("global_reads", "global_writes", "local_reads", "local_writes"):
                # accesses of 1 to 8 bytes each, of which two may be merged
                accesses = shaders["total"][what]
                self.assertTrue(accesses <= counts[what + " bytes"] <= 8 * accesses, (name, what))
            self.assertEqual(counts["barriers"] > 0, name.split(".")[0] in ("reduce", "glshared"), name)

    def test_any_number_of_threads(self):
        """Traces do not depend on the number of host threads, nor their accesses on whether
        handlers or host code run."""
        for name in cases() + ["atoml.G72", "glatom.G52"]:
            files, times = set(), set()
            for threads, after in ((1, 0), (3, 0), (1, 1), (3, 1)):
                times.add(run(ARGS.cases / f"{name}.snap.elf", "-trace-timing", self.trace, "-threads", threads, "-translate", after,
                              "-timing", "reassemble"))
                files.add((after, self.trace.read_bytes()))
            self.assertEqual((len(files), len(times)), (2, 1), name)
            if name.startswith("sgemm"):
                # with rounds of host code that are written at once
                self.assertEqual(len({data for _, data in files}), 1, name)

    def handlers_and_host_code(self, source, *arguments):
        """Checks that handlers and host code write the same trace."""
        files = []
        for after in (0, 1):
            run("-kernel", pathlib.Path(__file__).with_name(source), "-gpu", "g72", "-arg", "zero:8192", *arguments,
                "-translate", after, "-trace-timing", self.trace)
            files.append(self.trace.read_bytes())
        self.assertEqual(*files)

    def test_uneven_steps(self):
        """Eight rounds of a loop load one word, the next eight another: rounds of host code differ.
        """
        self.handlers_and_host_code("uneven_steps.s", "-global", 64, "-local", 64, "-arg", "u32:200")

    def test_uneven_lanes(self):
        """The lanes of a row go on to the next word one by one, high numbers first, then low ones.
        """
        for mask in 0, 15:
            self.handlers_and_host_code("uneven_lanes.s", "-global", 16, "-local", 16, "-arg", "u32:200", "-arg", f"u32:{mask}")

    def test_some_groups_only(self):
        """Groups that are not traced run beside traced ones, whose trace is the same as if all were
        traced."""
        def groups(*options):
            run(ARGS.cases / "sgemm.G72.snap.elf", "-trace-timing", self.trace, *options)
            job, _, _ = next(jobs_of(self.trace.read_bytes()))
            for _ in range(6):
                job.next()
            for _ in range(9 * job.next()):
                job.next()
            found = {}
            for _ in range(job.next()):
                index, rows = job.next(), job.next()
                found[index] = [(job.next(), bytes(job.take(job.next()))) for _ in range(rows)]
            return found
        whole = groups("-translate", 0)
        for after in (0, 1):
            some = groups("-translate", after, "-timing-sample", 4)
            self.assertEqual(sorted(some), [0, 4, 8, 12])
            self.assertEqual(some, {index: whole[index] for index in some})

    def test_another_gpu(self):
        run(ARGS.cases / "sgemm.G72.snap.elf", "-trace-timing", self.trace)

        def cycles(*options):
            out = run("-timing-from", self.trace, "-timing", "reassemble", *options)
            return float(re.search(r"cycles +([\d.]+)", out)[1])
        self.assertLess(cycles("-gpu", "g71"), cycles())  # 20 cores against 12
        self.assertGreater(cycles("-timing-set", "cores=1"), 7 * cycles())
        self.assertEqual(cycles("-timing-set", "arithmetic_latency=2", "-timing-set", "cores=1") // cycles("-timing-set", "cores=1"), 1)

    def test_lines(self):
        """The shares of bundles, of launches and of imbalance add up to the total; the text is that
        of -disasm."""
        for name, model in (("sgemm.G72", "detailed"), ("sgemm.G72", "reassemble"), ("reduce.G72", "detailed"), ("sgemm.T860", "detailed")):
            snap = ARGS.cases / f"{name}.snap.elf"
            out = run(snap, "-timing", model, "-timing-lines", "-timing-json", self.out / "account.json")
            jobs = json.loads((self.out / "account.json").read_text())
            texts = set(run(snap, "-disasm").splitlines())
            self.assertEqual(len(jobs), len(re.findall("^job ", out, re.M)))
            for job in jobs:
                for cause, cycles in job["engine_cycles"].items():
                    lines = sum(line["engine_cycles"][cause] for line in job["bundles_of_code"])
                    if cause in ("imbalance", "launch"):
                        self.assertEqual(lines, 0)
                    else:
                        self.assertAlmostEqual(lines, cycles, delta=0.01, msg=(name, cause))
                self.assertEqual(sum(line["executions"] for line in job["bundles_of_code"]), job["bundles"])
            words = [line for line in out.splitlines() if re.match(r"    [*+]|\w+\.", line)]
            self.assertGreater(len(words), 10)
            self.assertGreater(sum(line in texts for line in words) / len(words), 0.6, words[:9])

    def test_samples(self):
        full = run(ARGS.cases / "sgemm.G72.snap.elf", "-timing", "reassemble", "-timing-set", "cores=1")
        some = run(ARGS.cases / "sgemm.G72.snap.elf", "-timing", "reassemble", "-timing-set", "cores=1", "-timing-sample", "8")
        self.assertIn("2.000 groups of the job", some)
        a, b = (float(re.search(r"cycles +([\d.]+)", out)[1]) for out in (full, some))
        self.assertLess(abs(a / b - 1), 0.02)

    def test_clear_errors(self):
        snap = ARGS.cases / "sgemm.G72.snap.elf"
        run(snap, "-trace-timing", self.trace)
        data = self.trace.read_bytes()
        wrong = {
            "a time model is reassemble or detailed, not slow": ["-timing", "slow", snap],
            "pipe_depth is not known": [snap, "-timing", "detailed", "-timing-set", "pipe_depth=0"],
            "no timing parameter is called l3_bytes": [snap, "-timing", "reassemble", "-timing-set", "l3_bytes=3"],
            "-timing-json are for -timing": [snap, "-timing-set", "cores=3"],
            "-timing-from needs -timing MODEL": ["-timing-from", self.trace],
            "-timing-from takes the place of a snapshot": ["-timing-from", self.trace, "-timing", "reassemble", snap],
            "cannot read": ["-timing-from", self.out / "none", "-timing", "reassemble"],
            "it is no trace for time models": ["-timing-from", snap, "-timing", "reassemble"],
            "the trace is of Mali-G72": ["-timing-from", self.trace, "-timing", "reassemble", "-gpu", "t860"],
            "there is no GPU called g99": ["-timing-from", self.trace, "-timing", "reassemble", "-gpu", "g99"],
            "cannot write": [snap, "-trace-timing", self.out / "no/where"],
            "lines whose size is a power of two": [snap, "-report", self.out / "r", "-timing", "detailed", "-timing-set", "line_bytes=96"],
            "-report has warps of 4 lanes": [snap, "-report", self.out / "r", "-timing", "detailed", "-timing-set", "warp_width=8"],
        }
        for message, arguments in wrong.items():
            self.assertIn(message, run(*arguments, status=2))
        self.trace.write_bytes(data[:len(data) // 2])
        self.assertIn("the trace has no end: it was cut off", run("-timing-from", self.trace, "-timing", "reassemble", status=2))
        middle = len(data) // 2
        self.trace.write_bytes(data[:middle] + bytes(b ^ 0x55 for b in data[middle:middle + 64]) + data[middle + 64:])
        self.assertIn("job 1 of the trace", run("-timing-from", self.trace, "-timing", "reassemble", status=2))


if __name__ == "__main__":
    sys.exit(unittest.main(argv=[sys.argv[0], *REST]))
