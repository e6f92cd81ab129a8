#!/usr/bin/env python3
"""mali-run -report: the same bytes on any number of host threads, interpreted or as host code; numbers that add up to
the counters of -stats; what can be known of small shaders by hand.

    run.py --mali-run PROGRAM --cases FOLDER
"""
import argparse
import csv
import json
import math
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "mali"))
from pictures import read_png

PARSER = argparse.ArgumentParser()
PARSER.add_argument("--mali-run", required=True)
PARSER.add_argument("--cases", required=True, type=pathlib.Path)
ARGS, REST = PARSER.parse_known_args()
# Loops, branches, barriers, memory of threads; warps of 4 and 8 lanes, and scalar threads.
NAMES = ["varloop.G72", "nestbrk.G71", "nestbrk.G52", "reduce.G72", "spillarr.G72", "sgemm.G52", "transc.G72", "varloop.T860"]
COMPARED = ["varloop.G72", "nestbrk.G52", "reduce.G72", "varloop.T860"]
POINTERS = ["sgemm.G72", "saxpy.G72", "sgemm.T860", "reduce.G52", "nestbrk.G72", "args.G72", "ids.G71", "intw.G72"]
SAMPLED = ["vecadd.G72", "nestbrk.G71", "reduce.G72"]
FILES = ["report.json", "kernels.csv", "bundles.csv", "jobs.csv", "draws.csv", "frames.csv"]
LINES = {
    "sgemm.G52": "45 inst, 38 tuples, 9 clauses, 3.000000 cycles, 1.458333 arith, 0.000000 texture, 0.000000 vary, "
                 "3.000000 ldst, 37 quadwords, 2 threads, 0 preloads, 1 loops",
    "reduce.G72": "60 inst, 56 tuples, 17 clauses, 8.000000 cycles, 1.958333 arith, 0.000000 texture, 0.000000 vary, "
                  "8.000000 ldst, 60 quadwords, 1 threads, 1 loops",
    "sgemm.T860": "28 inst, 16 bundles, 22 quadwords, 2 registers, 4 threads, 1 loops",
}
WAYS = [("0", "1"), ("1", "1"), ("1", "2")]  # -translate, -threads


def run(*arguments, status=0, path="/nowhere"):
    """Runs mali-run; gencc-report cannot start without Python in the path, so that most reports cost no page."""
    done = subprocess.run([ARGS.mali_run, *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False,
                          env={"PATH": path})
    if done.returncode != status:
        raise AssertionError(f"{arguments}: status {done.returncode}: {done.stderr}")
    return done.stdout if status == 0 else done.stderr


def snapshot(name):
    return ARGS.cases / f"{name}.snap.elf"


def scene(name):
    """The snapshot of a scene that Mesa drew."""
    return ARGS.cases.parent / "scenes" / f"{name}.snap.elf"


def picture(name):
    """The snapshot of a frame made by hand."""
    return ARGS.cases.parent / "gfx" / f"{name}.snap.elf"


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.dir = pathlib.Path(self.folder.name)

    def report(self, name, *options):
        return self.report_of(snapshot(name), *options)

    def report_of(self, path, *options):
        run(path, "-report", self.dir / "r", *options)
        return json.loads((self.dir / "r/report.json").read_text())

    def levels(self, frame):
        """Grey levels of a frame's picture of overdraw, by rows."""
        width, height, rows = read_png(self.dir / "r" / frame["overdraw"])
        self.assertEqual((width, height), (frame["width"], frame["height"]))
        return [[pixel[0] for pixel in row] for row in rows]

    def table(self, name):
        with open(self.dir / "r" / name, newline="") as f:
            return list(csv.DictReader(f))


class Same(Folder):
    """The bytes of all files do not depend on how the host runs shaders, nor on where files lie."""

    def test_bytes(self):
        for name in COMPARED:
            with self.subTest(name):
                found = set()
                for translate, threads in WAYS:
                    run(snapshot(name), "-report", self.dir / f"{translate}{threads}", "-translate", translate, "-threads", threads)
                    found.add(b"".join((self.dir / f"{translate}{threads}" / file).read_bytes() for file in FILES))
                self.assertEqual(len(found), 1)

    def test_frames(self):
        found = set()
        for translate, threads in WAYS:
            run(scene("cover.G52"), "-report", self.dir / f"{translate}{threads}", "-translate", translate, "-threads", threads)
            found.add(b"".join(file.read_bytes() for file in sorted((self.dir / f"{translate}{threads}").iterdir())))
        self.assertEqual(len(found), 1)

    def test_sample(self):
        """Groups without a trace run in host code in other ways than those with one."""
        for name in SAMPLED:
            with self.subTest(name):
                found = []
                for translate, threads in WAYS:
                    r = self.report(name, "-timing-sample", 1, "-translate", translate, "-threads", threads)
                    self.assertTrue(r["sampled"])
                    for k in r["kernels"]:
                        Sums.check_flow(self, k)
                    found.append([(self.dir / "r" / file).read_bytes() for file in FILES])
                self.assertTrue(all(files == found[0] for files in found))


class Sums(Folder):
    """Everything that is counted in two places is the same."""

    def check_flow(self, k, scalar=False):
        bundles, blocks, edges = k["bundles"], k["blocks"], k["edges"]
        self.assertEqual(sum(b["count"] for b in blocks), len(bundles))
        self.assertEqual(sum(b["count"] * b["warps"] for b in blocks), k["counters"]["bundles"])
        self.assertEqual(sum(b["divergent"] for b in bundles), k["counters"]["divergent_branches"])
        for n, block in enumerate(blocks):
            for b in bundles[block["first"]:block["first"] + block["count"]]:
                self.assertEqual((b["block"], b["warps"], b["lanes"]), (n, block["warps"], block["lanes"]))
            out, into = [e for e in edges if e["from"] == n], [e for e in edges if e["to"] == n]
            self.assertEqual(sum(e["lanes"] for e in out), block["lanes"])
            self.assertEqual(sum(e["lanes"] for e in into), block["lanes"])
            last = bundles[block["first"] + block["count"] - 1]
            # A warp that ends in part takes two ways as well, and a row of scalar threads does not diverge.
            if not scalar and all(e["to"] is not None for e in out):
                self.assertEqual(sum(e["warps"] for e in out), block["warps"] + last["divergent"])
            self.assertEqual(sum(e["divergent"] for e in out), 2 * last["divergent"])
        start = [e for e in edges if e["from"] is None]
        self.assertEqual([(e["to"], e["lanes"]) for e in start], [(0, k["counters"]["threads"])])
        self.assertEqual(sum(e["lanes"] for e in edges if e["to"] is None), k["counters"]["threads"])

    def check_counters(self, k):
        c = k["counters"]
        for of, name in (("arithmetic", "arithmetic"), ("load_store", "load_store"), ("control", "control"),
                         ("attribute", "attribute"), ("empty", "empty_slots")):
            self.assertEqual(sum(b["lanes"] * b["instructions"][of] for b in k["bundles"]), c[name])
        self.assertEqual(sum(b["warps"] * b["stages"] for b in k["bundles"]), c["stages"])

    def check_time(self, k, gpu):
        time = k["timing"]
        all_engines = time["model_cycles"] * gpu["cores"] * gpu["engines"]
        self.assertTrue(math.isclose(sum(time["engine_cycles"].values()), all_engines, rel_tol=1e-9))
        for cause, cycles in time["engine_cycles"].items():
            by_bundle = sum(b["account"][cause] for b in k["bundles"])
            if cause in ("imbalance", "launch"):
                self.assertLessEqual(by_bundle, cycles)
            else:
                self.assertTrue(math.isclose(by_bundle, cycles, rel_tol=1e-9, abs_tol=1e-6), (cause, by_bundle, cycles))

    def check_residency(self, k, gpu):
        """The parts have the mean of the whole; cores have all groups and warps; no core has more threads than it can."""
        r = k["residency"]
        self.assertEqual(len(r["by_core"]), gpu["cores"])
        self.assertEqual(sum(core["groups"] for core in r["by_core"]), k["groups"])
        if gpu["warp_width"] > 1:
            self.assertEqual(sum(core["warps"] for core in r["by_core"]), k["counters"]["warps"])
        mean = sum(core["resident"] for core in r["by_core"]) / gpu["cores"]
        self.assertTrue(math.isclose(mean, r["warps"], rel_tol=1e-9))
        if k["jobs"] == 1:
            self.assertTrue(math.isclose(sum(r["over_time"]) / len(r["over_time"]), r["warps"], rel_tol=1e-2))
        self.assertLessEqual(max(r["over_time"]) * gpu["warp_width"], gpu["registers"][0]["threads"] * 1.01)
        self.assertEqual(k["timing"]["simulated"], 1)

    def check_accesses(self, k):
        lanes = {}
        for a in k["accesses"]:
            lanes[a["kind"]] = lanes.get(a["kind"], 0) + a["lanes"]
            self.assertEqual(sum(a["lines_histogram"]), a["executions"])
            self.assertEqual(sum(n * (i + 1) for i, n in enumerate(a["lines_histogram"])), a["lines"])
            self.assertEqual(sum(a["shapes"].values()), a["executions"])
            self.assertLessEqual(a["executions"], a["lanes"])
        buffers = sum(b["reads"] + b["writes"] for b in k["buffers"])
        self.assertLessEqual(buffers, sum(lanes.get(kind, 0) for kind in ("global_load", "global_store", "atomic")))
        return lanes

    def test_sums(self):
        for name in NAMES:
            with self.subTest(name):
                r = self.report(name, "-stats", self.dir / "stats")
                stats = json.loads((self.dir / "stats/gpu_shaders.json").read_text())
                self.assertEqual(r["total"], stats["total"])
                self.assertEqual(r["job_count"], r["total"]["jobs"])
                self.assertFalse(r["sampled"])
                for k in r["kernels"]:
                    self.check_flow(k, r["gpu"]["warp_width"] == 1)
                    self.check_counters(k)
                    self.check_time(k, r["gpu"])
                    self.check_residency(k, r["gpu"])
                    self.check_accesses(k)
                for counter, value in r["total"].items():
                    self.assertEqual(sum(k["counters"][counter] for k in r["kernels"]), value)
                    self.assertEqual(sum(j["counters"][counter] for j in r["jobs"]), value)

    def test_energy(self):
        """The energy of a kernel is that of its jobs as mali-run -power prints it."""
        for name in "nestbrk.G71", "varloop.T860":
            r = self.report(name)
            printed = run(snapshot(name), "-timing", "detailed", "-power")
            jobs = [float(uj) for uj in re.findall(r" W, ([\d.]+) uJ in ", printed)]
            self.assertEqual(len(jobs), r["job_count"])
            self.assertAlmostEqual(sum(k["timing"]["energy_uj"] for k in r["kernels"]), sum(jobs), 2)
            self.assertGreater(sum(jobs), 0)

    def test_tables(self):
        r = self.report("nestbrk.G71")
        kernels, bundles, jobs = (self.table(f) for f in FILES[1:4])
        self.assertEqual([k["kernel"] for k in kernels], [k["id"] for k in r["kernels"]])
        for row, k in zip(kernels, r["kernels"]):
            self.assertEqual(int(row["bundles"]), k["counters"]["bundles"])
            self.assertAlmostEqual(float(row["model_cycles"]), k["timing"]["model_cycles"])
            mine = [b for b in bundles if b["kernel"] == k["id"]]
            self.assertEqual([(int(b["warps"]), b["address"]) for b in mine], [(b["warps"], b["address"]) for b in k["bundles"]])
        self.assertEqual([int(j["threads"]) for j in jobs], [j["counters"]["threads"] for j in r["jobs"]])


    def test_frames(self):
        """report.json has what the tables of frames and draws have, and the picture has the fragments of all draws."""
        for path in scene("cover.G52"), scene("logic.G52"), picture("depth.G52"), picture("clear.G72"), picture("flat.T860"):
            r = self.report_of(path)
            with self.subTest(path.name):
                rows, draws = self.table("frames.csv"), self.table("draws.csv")
                self.assertEqual([r["frame_count"]] + [f["draw_count"] for f in r["frames"]],
                                 [len(rows)] + [sum(d["frame"] == row["frame"] for d in draws) for row in rows])
                for frame, row in zip(r["frames"], rows, strict=True):
                    mine = [d for d in draws if d["frame"] == row["frame"]]
                    self.assertEqual({key: str(frame[key]) for key in row if key != "frame"} | {"frame": row["frame"]}, row)
                    self.assertEqual([{"draw": "frame shader", "address": ""} | {key: str(v) for key, v in d.items()} for d in frame["draws"]],
                                     [{key: d[key] for key in d if key != "frame"} for d in mine])
                    self.assertEqual(frame["fragments"], sum(int(d["fragments"]) for d in mine))
                    self.assertEqual("overdraw" in frame, frame["fragments"] > 0)
                    if "overdraw" in frame:
                        self.assertEqual(sum(map(sum, self.levels(frame))), 32 * frame["fragments"])

    def test_few_frames(self):
        """The first 64 frames are in report.json, and the first 16 with fragments have a picture."""
        r = self.report_of(picture("flat.G72"), "-repeat", 70)
        self.assertEqual((len(self.table("frames.csv")), r["frame_count"], len(r["frames"])), (70, 70, 64))
        self.assertEqual([f.get("overdraw") for f in r["frames"]], [f"overdraw-{n}.png" for n in range(16)] + 48 * [None])
        self.assertEqual(len(list((self.dir / "r").glob("*.png"))), 16)

    def test_earlier_pictures(self):
        """A folder has no pictures of an earlier report, but keeps files that are no part of one."""
        self.report_of(picture("flat.G72"), "-repeat", 3)
        (self.dir / "r/overdraw-mine.png").touch()
        self.report_of(picture("flat.G72"))
        self.assertEqual({p.name for p in (self.dir / "r").glob("*.png")}, {"overdraw-0.png", "overdraw-mine.png"})


class Known(Folder):
    """What a look at the shader says."""

    def test_overdraw(self):
        """A triangle shades the pixels that it changes, once. Sixteen logic operations on 16 x 16 pixels each take a draw of
        the ground and four draws on it, which for the sixth, that does nothing, have no shader. Half of a frame with four
        samples is shaded per sample."""
        run(picture("flat.G72"), "-png", self.dir / "a.png")
        rows = read_png(self.dir / "a.png")[2]
        self.assertEqual(self.levels(self.report_of(picture("flat.G72"))["frames"][0]), [[32 * (pixel != rows[0][0]) for pixel in row] for row in rows])
        self.assertEqual(self.levels(self.report_of(scene("logic.G52"))["frames"][0]),
                         [[32 if 16 <= x < 32 and 16 <= y < 32 else 64 for x in range(64)] for y in range(64)])
        self.assertEqual(self.levels(self.report_of(scene("cover.G52"))["frames"][1])[32:], 32 * [64 * [4 * 32]])

    def test_loop(self):
        k = self.report("varloop.G72")["kernels"][0]
        back = [e for e in k["edges"] if e["from"] is not None and e["to"] is not None and e["to"] <= e["from"]]
        self.assertEqual(k["code"]["loops"], len(back))
        self.assertNotIn("longest", k["paths"])
        self.assertTrue(all(k["blocks"][e["to"]]["depth"] for e in back))
        self.assertLess(k["paths"]["shortest"]["bundles"], k["paths"]["measured"]["bundles"])
        self.assertIn("branch", {e["kind"] for e in back})

    def test_barriers(self):
        """Known from the description; the text of both families has the word. A barrier counts as control."""
        for name, count in ("reduce.G72", 2), ("reduce.T860", 2), ("vecadd.G72", 0):
            found = [b for b in self.report(name)["kernels"][0]["bundles"] if b.get("barrier")]
            with self.subTest(name=name):
                self.assertEqual([b["name"] for b in found], [b["name"] for b in self.report(name)["kernels"][0]["bundles"] if "BARRIER" in b["text"]])
                self.assertEqual([(b["instructions"]["control"], b["instructions"]["arithmetic"]) for b in found], count * [(1, 0)])

    def test_straight(self):
        r = self.report("vecadd.G72")
        k = r["kernels"][0]
        self.assertEqual(len(k["blocks"]), 1)
        self.assertEqual(k["paths"]["shortest"], k["paths"]["longest"])
        for name, number in k["paths"]["measured"].items():
            self.assertAlmostEqual(number, k["paths"]["longest"][name])
        self.assertEqual(sorted((b["pointer"], b["reads"] > 0, b["writes"] > 0) for b in k["buffers"]),
                         [(0, True, False), (1, True, False), (2, False, True)])
        for b in k["buffers"]:
            self.assertEqual(b["bytes"], 4 * k["counters"]["threads"])
            self.assertEqual(b["lines"], b["bytes"] // 64)
        for a in k["accesses"]:  # a warp of four reads 16 bytes behind each other
            self.assertEqual((a["shapes"]["unit"], a["strides"], a["lines"]), (a["executions"], [[4, a["executions"]]], a["executions"]))
        used = sum(b["lines"] for b in k["buffers"])
        self.assertEqual(k["reuse"]["first_uses"], used)
        self.assertEqual(sum(k["reuse"]["histogram"]) + used, sum(a["lines"] for a in k["accesses"]))

    def test_registers(self):
        self.assertEqual(self.report("vecadd.G52")["gpu"]["registers"], [{"up_to": 32, "threads": 768}, {"up_to": 64, "threads": 384}])
        self.assertEqual(self.report("vecadd.G72")["gpu"]["registers"], [{"up_to": 64, "threads": 384}])
        self.assertEqual(self.report("vecadd.T860")["gpu"]["registers"],
                         [{"up_to": 4, "threads": 256}, {"up_to": 8, "threads": 128}, {"up_to": 16, "threads": 64}])

    def test_shader_db(self):
        """As Mesa has it: a barrier is no arithmetic, and 128 bytes from the last bundle on belong to the code."""
        for name, line in LINES.items():
            code = self.report(name)["kernels"][0]["code"]
            self.assertEqual(code["shader_db"], f"MESA_SHADER_KERNEL shader: {line}, 0:0 spills:fills")
        self.assertEqual(self.report("sgemm.G52")["kernels"][0]["code"]["threads"], 768)  # its job asks for 32 registers
        k = self.report("img.G72")["kernels"][0]  # reads a texture twice
        self.assertEqual((k["code"]["texture"], k["paths"]["shortest"]["texture"]), (2, 1))
        self.assertIn("1.000000 texture", k["code"]["shader_db"])
        code = self.report("spillarr.G72")["kernels"][0]["code"]  # an array in private memory
        self.assertEqual((code["spills"], code["fills"]), (3, 3))

    def test_one_kernel(self):
        """Jobs of the same code are one kernel, with the sums of both."""
        once, twice = self.report("sgemm.G72"), self.report("sgemm.G72", "-repeat", 2)
        self.assertEqual([k["hash"] for k in once["kernels"]], [k["hash"] for k in twice["kernels"]])
        self.assertEqual([(2 * k["jobs"], 2 * k["counters"]["bundles"]) for k in once["kernels"]],
                         [(k["jobs"], k["counters"]["bundles"]) for k in twice["kernels"]])
        self.assertEqual(once["kernels"][0]["paths"]["measured"], twice["kernels"][0]["paths"]["measured"])


def arguments_of(name):
    """The arguments that the snapshot's own note has: (index, kind, address)."""
    body = snapshot(name).read_bytes()
    offset = struct.unpack_from("<Q", body, 64 + 8)[0]  # of the first segment, which is the note
    size = struct.unpack_from("<I", body, offset + 4)[0]
    return [(a["index"], a["kind"], a.get("va")) for a in json.loads(body[offset + 20:offset + 20 + size])["args"]]


class Arguments(Folder):
    """Buffers are those of the kernel's arguments. The snapshot's note is the referee."""

    def test_pointers(self):
        for name in POINTERS:
            with self.subTest(name):
                wanted = [va for _, kind, va in arguments_of(name) if kind in ("in", "out")]
                found = {b["pointer"]: b["address"] for b in self.report(name)["kernels"][0]["buffers"]}
                self.assertEqual({n: int(str(va), 0) for n, va in enumerate(wanted)}, {n: int(va, 16) for n, va in found.items()})

    def test_source(self):
        """A source gives arguments their numbers and names; one that does not fit gives none."""
        source = self.dir / "sgemm.cl"
        head = "/* kernel void old(global int *a) */\n__attribute__((x(1))) void f(global int *b);\n"
        good = "kernel __attribute__((reqd_work_group_size(8, 8, 1)))\nvoid sgemm(uint n, __global const float *a, // global int *z\n" \
            "  __constant float *b, local float *t, global float4 *restrict c, float alpha) { }\n"
        for text, wanted in ((head + good, {0: (1, "a"), 1: (2, "b"), 2: (4, "c")}),
                             (good.replace("global float4", "global const float4"), {}),  # it is written
                             (good.replace("__constant float *b, ", ""), {}),  # two buffers, and three pointers
                             (good + "kernel void other(global int *a) { }", {})):
            source.write_text(text)
            k = self.report("sgemm.G72", "-report-source", source)["kernels"][0]
            for list_ in ("buffers", "accesses"):
                found = {b["pointer"]: (b["argument"], b["name"]) for b in k[list_] if "argument" in b}
                self.assertEqual(found, wanted, text)
            self.assertEqual({b["pointer"] for b in k["buffers"]}, {0, 1, 2})


class Options(Folder):
    def test_source(self):
        source = self.dir / 'a "b".cl'
        source.write_text('kernel void f(global int *a) { *a = 1; } // "\\ \u00fc\n')
        k = self.report("vecadd.G72", "-report-source", source)["kernels"][0]
        self.assertEqual(k["source"], {"name": source.name, "text": source.read_text()})

    def test_model(self):
        self.assertEqual(self.report("vecadd.G72")["model"], "detailed")
        self.assertEqual(self.report("vecadd.G72", "-timing", "reassemble")["model"], "reassemble")
        r = self.report("vecadd.G72", "-timing-set", "cores=2")
        self.assertEqual(r["gpu"]["cores"], 2)
        r = self.report("sgemm.G72", "-timing-sample", 4)
        self.assertTrue(r["sampled"])
        self.assertEqual(r["kernels"][0]["timing"]["groups_for_one"], 4)
        Sums.check_flow(self, r["kernels"][0])

    def test_arguments(self):
        r = self.report("vecadd.G72", "-threads", 2, "--translate=0", "-timing-set", "cores=2")
        self.assertEqual(r["run"]["arguments"], ["vecadd.G72.snap.elf", "-timing-set", "cores=2"])

    def test_page(self):
        text = run(snapshot("vecadd.G72"), "-report", self.dir / "r", path=os.environ["PATH"])
        self.assertIn(f"report: {self.dir}/r/index.html", text)
        self.assertIn("<svg", (self.dir / "r/index.html").read_text())

    def test_blend_shader(self):
        """A blend shader that lies below the shader that calls it has no offset, and the page is made."""
        text = run(scene("cover.G52"), "-report", self.dir / "r", path=os.environ["PATH"])
        self.assertIn(f"report: {self.dir}/r/index.html", text)
        kernels = json.loads((self.dir / "r/report.json").read_text())["kernels"]
        far = [(int(b["address"], 16) - int(k["shader"], 16), b) for k in kernels for b in k["bundles"]]
        below = [(offset, b) for offset, b in far if offset < 0]
        self.assertTrue(below)
        self.assertEqual([b["name"] for offset, b in below], [f"clause_-{-offset // 16}" for offset, b in below])
        self.assertEqual([b.get("offset") for _, b in far], [offset if offset >= 0 else None for offset, _ in far])

    def test_folders_above_are_made(self):
        run(snapshot("vecadd.G72"), "-report", self.dir / "of" / "a" / "kernel")
        self.assertTrue((self.dir / "of/a/kernel/report.json").exists())
        (self.dir / "file").write_text("")
        self.assertIn("Not a directory", run(snapshot("vecadd.G72"), "-report", self.dir / "file" / "r", status=2))

    def test_no_page(self):
        text = run(snapshot("vecadd.G72"), "-report", self.dir / "r")
        self.assertIn(f"report: {self.dir}/r/report.json; `gencc-report {self.dir}/r` makes a page of it", text)
        self.assertFalse((self.dir / "r/index.html").exists())

    def test_refused(self):
        (self.dir / "file").write_text("")
        self.assertIn("it is no folder", run(snapshot("vecadd.G72"), "-report", self.dir / "file", status=2))
        self.assertIn("cannot read", run(snapshot("vecadd.G72"), "-report", self.dir, "-report-source", self.dir / "none", status=2))
        self.assertIn("-report-source is for -report", run(snapshot("vecadd.G72"), "-report-source", self.dir / "file", status=2))
        self.assertIn("-timing-set (also for -report)", run(snapshot("vecadd.G72"), "-timing-set", "cores=2", status=2))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *REST])
