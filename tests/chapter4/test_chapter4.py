#!/usr/bin/env python3
"""What scripts/chapter4 can be asked without a guest: what its programs must compute, sums of counters, what of the thesis holds
for given numbers, and pictures."""
import pathlib
import struct
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ET

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "examples/chapter4"))
import charts
import runs
import sgemm

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
