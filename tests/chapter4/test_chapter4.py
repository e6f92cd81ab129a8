#!/usr/bin/env python3
"""What scripts/chapter4 can be asked without a guest: what its programs must compute, sums of counters, what of the thesis holds
for given numbers, and pictures."""
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ET

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "examples/chapter4"))
import charts
import cross
import kfusion
import pruning
import real
import runs
import sgemm
import sources
import suite

ACCESSES = ("register_reads", "register_writes", "local_reads", "local_writes", "thread_memory_reads", "thread_memory_writes",
            "global_reads", "global_writes", "temporary_reads", "temporary_writes")


def counters(**given):
    return runs.with_sums({**dict.fromkeys((*ACCESSES, "lane_instructions", "arithmetic", "control"), 1), **given})


class Counters(unittest.TestCase):
    def test_a_threads_own_memory_is_main_memory(self):
        c = counters(global_reads=10, global_writes=2, thread_memory_reads=300, thread_memory_writes=40, local_reads=5)
        self.assertEqual((c["main"], c["spilled"], c["local"]), (352, 340, 6))

    def test_table(self):
        self.assertEqual(runs.table(["", "one"], [["name", 5], ["n", 1234]]), "       one\nname     5\nn     1234")


class Sgemm(unittest.TestCase):
    # By columns: A is ((1 3) (2 4)), B is ((5 7) (6 8)).
    A, B = [1, 2, 3, 4], [5, 6, 7, 8]

    def test_product(self):
        self.assertEqual(sgemm.product(self.A, self.B, 2, False), [23, 34, 31, 46])

    def test_product_of_b_transposed(self):
        self.assertEqual(sgemm.product(self.A, [5, 7, 6, 8], 2, True), [23, 34, 31, 46])

    def test_wrong_values_are_counted(self):
        def got(*values):
            return sgemm.wrong(struct.pack(f"<{len(values)}f", *values), [1.0, 2.0])
        self.assertEqual((got(1, 2.00001), got(1, 2.1), got(1, float("nan")), got(1, 2, 3)), (0, 1, 1, 1))

    def test_a_wrong_kernel_is_named(self):
        n = 2
        a, b = sgemm.floats(n * n, 1), sgemm.floats(n * n, 2)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for k in sgemm.SHAPES:
                values = sgemm.product(a, b, n, k in sgemm.TRANSPOSED)
                (folder / f"sgemm{k}_{n}.2").write_bytes(struct.pack("<4f", *values))
            (folder / f"transpose_{n}.1").write_bytes(struct.pack("<4f", b[0], b[2], b[1], b[3]))
            sgemm.check(n, folder)
            (folder / f"sgemm4_{n}.2").write_bytes(bytes(16))
            with self.assertRaisesRegex(runs.Trouble, "sgemm4: 4 of 4 values are wrong"):
                sgemm.check(n, folder)

    def test_threads_cover_the_matrix(self):
        for name, line in sgemm.lines(256).items():
            threads, group = (eval(word.replace("x", "*")) for word in line.split()[3:5])
            self.assertEqual((threads % group, group <= 256), (0, True), name)

    def test_what_is_published(self):
        def kernel(**more):
            return {**counters(**more), "reassemble": more["time"], "detailed": more["time"]}
        rest = {"lane_instructions": 90, "time": 150}
        found = {k: kernel(**rest) for k in (1, 2, 3)}
        found[4] = kernel(lane_instructions=40, time=50)
        found[5] = kernel(arithmetic=95, control=9, register_reads=98, local_reads=500, time=110, lane_instructions=90)
        found[6] = kernel(arithmetic=100, control=10, register_reads=101, global_reads=900, local_reads=50, time=200,
                          lane_instructions=100)
        self.assertEqual([holds for _, _, holds in sgemm.published(found)], [True] * 10)
        found[1]["detailed"] = 201
        self.assertEqual([holds for _, _, holds in sgemm.published(found)], [False] + [True] * 9)


class Suite(unittest.TestCase):
    SAID = "device: Mali-G71\nBFS: size 9, 2 launches, 0 wrong: ok\nURNG: size 9, 1 launches, 0 wrong: ok\n"
    # What is counted for vecadd; then two jobs of BFS, each with an interrupt; then one of URNG; then the end.
    HANDLED = """gpu:   5 read  JOB_IRQ_STATUS = 0x2
gpu:   6 write JOB_IRQ_MASK = 0x0
gpu:   7 write JOB_IRQ_CLEAR = 0x2
gpu:   8 write JOB_IRQ_MASK = 0x70007
"""
    JOB = "gpu:   4 write JS_COMMAND_NEXT[1] = 0x1 (command start)\ngpu: slot 1: compute job 1 at 0xa0 ends with 0x1 after 5 cycles\n"
    LOG = ("gpu:   1 write GPU_COMMAND = 0x1 (command soft_reset)\ngpu: reset\ngpu:   2 write JOB_IRQ_MASK = 0x70007\n" +
           (JOB + HANDLED) * 3 + "gpu:   9 read  GPU_ID = 0x1\ngpu:   9 read  JOB_IRQ_STATUS = 0x0\n" + JOB + HANDLED +
           "gpu:  10 read  GPU_ID = 0x1\n")

    def test_what_it_prints(self):
        self.assertEqual(suite.programs_run(self.SAID), [("BFS", 2), ("URNG", 1)])

    def test_a_wrong_result(self):
        with self.assertRaisesRegex(runs.Trouble, "^BFS: 7 values are wrong$"):
            suite.programs_run(self.SAID.replace("2 launches, 0 wrong: ok", "2 launches, 7 wrong: FAILED"))

    def test_nothing_ran(self):
        with self.assertRaisesRegex(runs.Trouble, "did not run: suite: no device"):
            suite.programs_run("suite: no device")

    def test_accesses_of_the_driver(self):
        """Reads, writes, interrupts; an interrupt status of zero is none."""
        self.assertEqual(suite.driver_accesses(self.LOG.splitlines(), [1, 2, 1]), [[1, 6, 1], [2, 8, 2], [3, 4, 1]])

    def counters(self, **given):
        names = [*suite.SIZES, "empty_slots", "load_store", "constant_reads", "uniform_reads", "pages_touched"]
        return runs.with_sums({**dict.fromkeys((*ACCESSES, *names, "lane_instructions", "arithmetic", "control"), 0), **given})

    def test_mix(self):
        c = self.counters(lane_instructions=80, arithmetic=50, load_store=20, control=6, empty_slots=20, local_reads=3, global_reads=1)
        self.assertEqual([round(100 * v) for v in suite.mix(c)], [50, 15, 5, 6, 4, 20])
        self.assertEqual([round(100 * v, 2) for v in suite.of_instructions(c)], [62.5, 18.75, 6.25, 7.5, 5])

    def test_clauses_and_accesses(self):
        c = self.counters(bundles_of_1_stage=1, bundles_of_8_stages=3, register_reads=6, local_writes=2)
        self.assertEqual((suite.clauses(c)[0], suite.clauses(c)[7]), (0.25, 0.75))
        self.assertEqual((suite.accesses(c)[0], suite.accesses(c)[5]), (0.75, 0.25))

    def test_jobs_are_summed(self):
        jobs = [dict(self.counters(arithmetic=2), shader="0x1"), dict(self.counters(arithmetic=3), shader="0x2")]
        self.assertEqual(suite.sums(jobs)["arithmetic"], 5)

    def test_what_is_published(self):
        def program(name, **given):
            return suite.Program(name, 1, self.counters(register_reads=1000, **given), 0, 0, 0)
        usual = {"lane_instructions": 70, "arithmetic": 50, "load_store": 10, "control": 10, "local_reads": 1}
        programs = [program("SobelFilter", **{**usual, "control": 2}, empty_slots=2, bundles_of_8_stages=1),
                    program("Reduction", **{**usual, "control": 20}, empty_slots=60, bundles_of_8_stages=1),
                    program("BinomialOption", **usual, empty_slots=30, bundles_of_2_stages=3, bundles_of_8_stages=1)]
        found = {sentence: holds for sentence, _, holds in suite.published(programs)}
        self.assertEqual([s for s, holds in found.items() if not holds], [])
        self.assertEqual(len(found), 9)
        programs[0] = program("SobelFilter", **usual, empty_slots=90, bundles_of_8_stages=1)
        found = {sentence: holds for sentence, _, holds in suite.published(programs)}
        self.assertEqual([found["SobelFilter has few empty slots"], found["SobelFilter has almost no control flow"]], [False, False])


class Pruning(unittest.TestCase):
    KERNELS = "reshape_to_columns", "gemm_reshape_rhs_matrix_t", "im2col3x3_nhwc", "gemm_mm_reshaped_only_rhs_t"

    def run_of(self, groups=("2x1x8", "1x1x8", "4x1x1", "1x1x8")):
        """What is said, and jobs, as the thesis has them, but of one job a gemm_mm."""
        said, jobs = [], []
        for n in pruning.GEMM:
            said += [f"begin gemm {n}", *(f"launch {name} 8x8 any" for name in self.KERNELS), f"end gemm {n}: 0 wrong: ok"]
            jobs += [pruning.RESHAPE[n], (5, 5), pruning.CONSTANT, pruning.theirs(n)]
        for n, group in zip(pruning.DIRECT, groups):
            said += [f"begin direct {n}", f"launch direct_convolution_nchw 28x28x{n} {group}", f"end direct {n}: 0 wrong: ok"]
            jobs.append((100 * n, 10 * n))
        return "\n".join(said), [{"arithmetic": a, "load_store": m} for a, m in jobs]

    def test_launches(self):
        found = pruning.launches(*self.run_of())
        self.assertEqual(found["direct", 92], [pruning.Launch("direct_convolution_nchw", "28x28x92", "4x1x1", 9200, 920)])
        self.assertEqual(pruning.of_kernel(found, 92, "gemm_mm"), (812720272, 41708016, 1))

    def test_one_job_more(self):
        said, jobs = self.run_of()
        with self.assertRaisesRegex(runs.Trouble, "^20 launches, and 21 jobs$"):
            pruning.launches(said, jobs + jobs[:1])

    def test_one_job_less(self):
        said, jobs = self.run_of()
        with self.assertRaisesRegex(runs.Trouble, "^more launches than 19 jobs$"):
            pruning.launches(said, jobs[:-1])

    def test_a_wrong_layer(self):
        said, jobs = self.run_of()
        with self.assertRaisesRegex(runs.Trouble, "^gemm 93: 4 values are wrong$"):
            pruning.launches(said.replace("gemm 93: 0 wrong: ok", "gemm 93: 4 wrong: FAILED"), jobs)

    def test_the_last_is_missing(self):
        said, jobs = self.run_of()
        with self.assertRaisesRegex(runs.Trouble, "^direct 93 did not end"):
            pruning.launches(said.replace("end direct 93", "killed"), jobs)

    def test_what_is_published(self):
        holds = [h for _, _, h in pruning.published(pruning.launches(*self.run_of()))]
        self.assertEqual(holds, [True] * 6 + [False, True, True])
        self.assertEqual([h for _, _, h in pruning.published(pruning.launches(*self.run_of(("8x4x1",) * 4)))][-1], False)


class KFusion(unittest.TestCase):
    SAID = "".join(f"{name}: begin after 1 launches, 2 iterations\n{name}: 9 frames, {n} launches, {n + 4} iterations, 0 wrong: ok\n"
                   for name, n in (("standard", 3), ("fast3", 2), ("express", 2), ("default", 2)))
    LOG = "".join(f"gpu: slot 1: compute job 1 at 0xa0 ends with 0x1 after {n} cycles\n" for n in (9999, 300, 35, 9999, 100, 9999, 43, 9999, 335))

    def jobs(self):
        names = ("empty_slots", "load_store", "pages_touched")
        counters = dict.fromkeys((*ACCESSES, *names, "lane_instructions", "arithmetic", "control"), 0)
        return [dict(counters, lane_instructions=n, arithmetic=n, load_store=n, control=n, local_reads=local)
                for n, local in ((9999, 999), (400, 40), (600, 60), (9999, 999), (70, 29), (9999, 999), (15, 19), (9999, 999), (500, 100))]

    def test_programs_have_their_jobs(self):
        found = kfusion.read(self.SAID, self.jobs(), self.LOG)
        self.assertEqual([(r.counters["arithmetic"], r.cycles) for r in found.values()], [(1000, 335), (70, 100), (15, 43), (500, 335)])
        self.assertEqual([(r.launches, r.iterations) for r in found.values()], [(2, 5), (1, 4), (1, 4), (1, 4)])

    def test_a_wrong_result(self):
        with self.assertRaisesRegex(runs.Trouble, "^fast3: 3 wrong$"):
            kfusion.read(self.SAID.replace("6 iterations, 0 wrong: ok", "6 iterations, 3 wrong: FAILED", 1), self.jobs(), self.LOG)

    def test_another_number_of_jobs(self):
        with self.assertRaisesRegex(runs.Trouble, "^9 launches, and 8 jobs$"):
            kfusion.read(self.SAID, self.jobs()[1:], self.LOG)

    def test_what_is_published(self):
        rows = kfusion.published(kfusion.read(self.SAID, self.jobs(), self.LOG))
        # Of the defaults, which have half the instructions here, fast3 and express have 14 and 3 %.
        self.assertEqual([holds for _, _, holds in rows], [True] * 7 + [False, True, True] * 2)
        worse = self.jobs()
        worse[4]["control"] = 90
        rows = kfusion.published(kfusion.read(self.SAID, worse, self.LOG))
        self.assertEqual([holds for _, _, holds in rows], [False] + [True] * 6 + [False, True, True] * 2)
        self.assertIn("9.0 % (control)", rows[0][1])


class Real(unittest.TestCase):
    """Programs from their own sources: what is compared with the CPU's, and which jobs are whose."""
    STENCIL = 4, 3, 3, 2

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_nearest(self):
        real.nearest_data(self.folder, 50)
        lines = (self.folder / "db").read_text().splitlines()
        self.assertEqual((len(lines), {len(line) for line in lines}), (50, {48}))
        away = sorted(((float(line[28:33]) - 30) ** 2 + (float(line[33:38]) - 90) ** 2) ** 0.5 for line in lines)
        said = [f"{'':48} --> Distance={v:f}" for v in away[:5]]
        self.assertTrue(real.nearest_check(self.folder, 50, "\n".join(said)))
        self.assertFalse(real.nearest_check(self.folder, 50, "\n".join(said[1:])))
        self.assertFalse(real.nearest_check(self.folder, 50, "\n".join([*said[1:], f"Distance={away[5]}"])))

    def test_stencil(self):
        real.stencil_data(self.folder, self.STENCIL)
        values = list(struct.unpack("<36f", (self.folder / "in").read_bytes()))
        for _ in range(2):  # two points are inside
            inner = {at: sum(values[at + d] for d in (1, -1, 4, -4, 12, -12)) / 36 - values[at] / 6 for at in (17, 18)}
            values = [inner.get(at, v) for at, v in enumerate(values)]
        (self.folder / "out").write_bytes(struct.pack("<I36f", 36, *values))
        self.assertTrue(real.stencil_check(self.folder, self.STENCIL, ""))
        values[18] += 1e-4
        (self.folder / "out").write_bytes(struct.pack("<I36f", 36, *values))
        self.assertFalse(real.stencil_check(self.folder, self.STENCIL, ""))

    def test_a_program_and_its_result(self):
        p = real.Program("Stencil", "parboil", "", "x {size}", real.nothing, lambda *_: self.right)
        self.assertIn(" x 32 32 8 3 >../Stencil.said", real.command_of(p, "small"))
        said = self.folder / "Stencil.said"
        for text, right, why in (("launch a 1\nlaunch b 1\nstatus 0\n", True, None), ("launch a 1\nstatus 0\n", False, "result is wrong"),
                                 ("launch a 1\nstatus 1\n", True, "did not run"), ("none\nstatus 0\n", True, "did not run")):
            self.right = right
            said.write_text(text)
            if why:
                with self.assertRaisesRegex(runs.Trouble, why):
                    real.result_of(p, "small", self.folder)
            else:
                self.assertEqual(real.result_of(p, "small", self.folder), (2, True))

    def test_jobs_are_each_programs(self):
        p = real.Program("Stencil", "parboil", "", "", real.nothing, None)
        jobs = [{key: n for key in ACCESSES} for n in (1, 10, 100)]
        found = real.split([("Stencil", 1)], [(p, 2, False)], jobs)
        self.assertEqual([(r.of, r.jobs, r.counters["local_reads"], r.checked) for r in found],
                         [("rewritten", 1, 1, True), ("parboil", 2, 110, False)])
        with self.assertRaisesRegex(runs.Trouble, "^3 launches, and 2 jobs$"):
            real.split([("Stencil", 1)], [(p, 2, False)], jobs[1:])

    def test_none_was_built(self):
        o = type("Options", (), {"suites": self.folder, "only": None, "scale": "small"})
        with self.assertRaisesRegex(runs.Trouble, "fetch-suite rodinia MIRROR --build"):
            real.prepare(o, self.folder)


class Sources(unittest.TestCase):
    """Suites are built by compilers that only note what they are asked to do."""
    COMPILER = """#!/bin/sh
echo "$(basename "$0") $*" >>"$NOTES"
out=
while [ $# -gt 0 ]; do
    case $1 in
    -o) out=$2; shift;;
    *broken*) echo "broken.c:1: error: no" >&2; exit 1;;
    esac
    shift
done
printf '\\177ELF\\2\\1\\1\\0\\0\\0\\0\\0\\0\\0\\0\\0\\3\\0\\267\\0' >"$out"
"""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "tools").mkdir()
        for name in "gcc", "g++":
            (self.folder / "tools" / name).write_text(self.COMPILER.replace("$NOTES", f"{self.folder}/notes"))
            (self.folder / "tools" / name).chmod(0o755)

    def builder(self, files):
        for name, text in files.items():
            (self.folder / "suite" / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / "suite" / name).write_text(text)
        return sources.Builder(self.folder / "suite", self.folder / "tools")

    def test_own_makefiles(self):
        made = "p.out: p.c\n\tgcc p.c -o p.out -lOpenCL\n"
        failed = self.builder({"opencl/p/Makefile": made, "opencl/p/p.c": "", "opencl/q/Makefile": "q: broken.c\n\tgcc broken.c -o q\n",
                               "opencl/q/broken.c": ""}).rodinia()
        self.assertEqual(failed, {"opencl/q": "broken.c:1: error: no"})
        self.assertTrue(sources.is_program(self.folder / "suite/opencl/p/p.out"))
        self.assertFalse(sources.is_program(self.folder / "suite/opencl/p/Makefile"))

    def test_listed_sources(self):
        failed = self.builder({"benchmarks/stencil/src/opencl_base/Makefile": "LANGUAGE=opencl\nSRCDIR_OBJS=main.o file.o #other.o\n",
                               **{f"benchmarks/stencil/src/opencl_base/{name}": "" for name in ("main.c", "file.cc", "other.c", "main.cl")},
                               "common/src/parboil_opencl.c": ""}).parboil()
        self.assertEqual(failed, {})
        notes = (self.folder / "notes").read_text()
        self.assertEqual(re.findall(r"(\S+\.(?:c|cc|cl))\b", re.sub(r"\S*/", "", notes)), ["main.c", "parboil_opencl.c", "file.cc"])
        self.assertTrue(sources.is_program(self.folder / "suite/benchmarks/stencil/stencil"))

    def test_kernels_as_strings(self):
        self.builder({"src/opencl/level1/scan/scan.cl": 'a "b" \\\nc\n', "src/opencl/level1/scan/Scan.cpp": "",
                      "src/opencl/common/main.cpp": "", "src/common/Timer.cpp": ""}).shoc()
        self.assertEqual((self.folder / "suite/src/opencl/level1/scan/scan_cl.cpp").read_text(),
                         'const char *cl_source_scan = "a \\"b\\" \\\\\\n"\n"c\\n"\n"";\n')
        self.assertIn("main.shared.o", (self.folder / "notes").read_text().splitlines()[-1])


class Cross(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        libraries = self.folder / "root" / cross.LIBRARIES[1:]
        libraries.mkdir(parents=True)
        (libraries / "libthing.so.1.2").write_text("code")
        (libraries / "libthing.so.1").symlink_to("libthing.so.1.2")
        self.image = self.folder / "image"
        subprocess.run([cross.program("mke2fs", "e2fsprogs"), "-q", "-t", "ext4", "-d", self.folder / "root", self.image, "2M"], check=True, capture_output=True)

    def test_a_library_of_an_image(self):
        cross.library_of_image(self.image, self.folder, "libthing")
        self.assertEqual((self.folder / "libthing.so").read_text(), "code")
        with self.assertRaisesRegex(runs.Trouble, "has no libother"):
            cross.library_of_image(self.image, self.folder, "libother")

    def test_what_is_missing(self):
        with self.assertRaisesRegex(runs.Trouble, "no-such-compiler is missing: apt-get install g"):
            cross.program("no-such-compiler", "g")
        with self.assertRaisesRegex(runs.Trouble, "image.*No such file"):
            cross.of_image(self.folder / "image2", ["ls"])

    def test_only_what_is_older_is_made(self):
        self.assertFalse(cross.newer(self.folder / "none", self.image))
        self.assertTrue(cross.newer(self.image, self.image))


class Pictures(unittest.TestCase):
    NAMES = ["one", "two < 3"]

    def boxes(self, svg):
        return [e for e in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}rect")
                if e.find("{http://www.w3.org/2000/svg}title") is not None]

    def test_heights_are_numbers(self):
        drawn = self.boxes(charts.beside("title", "axis", [("group", [1, 0.5])], ["one", "two"], 2))
        self.assertEqual([float(e.get("height")) for e in drawn[:2]], [charts.HEIGHT / 2, charts.HEIGHT / 4])

    def test_higher_bars_are_cut(self):
        drawn = self.boxes(charts.beside("title", "axis", [("group", [9])], ["one"], 2))
        self.assertEqual(float(drawn[0].get("height")), charts.HEIGHT)

    def test_shares_stand_upon_each_other(self):
        drawn = self.boxes(charts.upon("title", "axis", [("group", [0.25, 0.75])], ["one", "two"]))
        low, high = drawn[:2]
        self.assertEqual(float(low.get("y")), float(high.get("y")) + float(high.get("height")))
        self.assertEqual(float(high.get("y")), charts.TOP)


if __name__ == "__main__":
    unittest.main()
