#!/usr/bin/env python3
"""The parts of scripts/reassemble that need no traces: tables as the thesis prints them, peaks,
measures of agreement, and the expected results of its kernels, by cases worked out by hand."""
import math
import pathlib
import struct
import sys
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "examples/reassemble"))
import bound
import gen95
import learning
import power
import score
import space
import suite
import thesis


class Tables(unittest.TestCase):
    """Values read from the thesis's pages."""

    def test_variants(self):
        numbers = [v.number for t in thesis.TABLES for v in t.variants]
        self.assertEqual(numbers, list(range(1, 121)))

    def test_rows(self):
        rows = {v.number: tuple(v[1:]) for t in thesis.TABLES for v in t.variants}
        self.assertEqual(rows[1], (1, 1, 1, 1, 1.35))
        self.assertEqual(rows[9], (.5, 1, .87, 1, 1.46))
        self.assertEqual(rows[14], (.3, .67, .67, .72, 1.74))
        self.assertEqual(rows[15], (.3, .4, .8, .8, 1.65))
        self.assertEqual(rows[91], (1, 1, 1, .8, .23))
        self.assertEqual(rows[105], (.5, .67, .8, .4, .33))

    def test_gemms(self):
        by_cycles = sorted(thesis.GEMMS, key=lambda g: g.cycles)
        self.assertEqual([g.rank for g in by_cycles], list(range(1, 12)))
        self.assertEqual("".join(g.version for g in by_cycles), "IADBJHKCEFG")

    def test_a_variant_in_the_space(self):
        text = space.space(pathlib.Path("."), [])
        self.assertIn("point v14 cores=12 engines=3 warp_width=4 line_bytes=64 arithmetic_latency=*0.3 l1_hit_latency=*0.67 "
                      "l1_miss_latency=*0.67 l2_miss_latency=*0.72\n", text)
        self.assertEqual(text.count("\npoint v"), 120)


class Bound(unittest.TestCase):
    """Points of the study of what bounds the speed-ups."""

    def test_a_reading_in_the_space(self):
        launch = suite.strided(256, 17, 4096)
        text = bound.text_of(pathlib.Path("/t"), [launch], ["engine_warps=1"])
        self.assertTrue(text.startswith("gpu g71mp8\ntiming reassemble\nset engine_warps=1\ntrace strided_17 /t/strided_17.4.trace\npoint p0 "))
        self.assertEqual(text.count("\npoint p"), len(bound.CHANGES) + len(bound.ENGINES) + 2 * len(bound.WARPS))

    def test_caches_grow_with_engines_and_warps(self):
        rows = dict(bound.grown())
        self.assertEqual(rows["5.9: 6 engines"], "engines=6 l1_bytes=*2 l2_bytes=*2")
        self.assertEqual(rows["5.10: warps of 12, lines of 96"], "warp_width=12 line_bytes=96 l1_bytes=*3 l2_bytes=*3")

    def test_the_thesis_numbers(self):
        said = {panel.parameter: panel.said for panel in thesis.FIGURE}
        for what, point, number in bound.CHANGES:
            name, _, value = point.partition("=")
            if number and name in said and " " not in point:
                self.assertEqual(said[name][float(value.lstrip("*"))], number, what)

    def test_those_that_wait(self):
        class Found:
            gains = {"1": {"a": 1.1, "b": 1.9}}

            def named(self, label):
                return {"p0": {"point": "1"}}[label]
        self.assertEqual(bound.waiting(Found(), ["a", "b"]), ["a"])


class Learning(unittest.TestCase):
    """Counts of a launch of 20 work-groups, two of whose warps diverged in 400 bundles."""
    NAMES = [what for what, _ in learning.ATTRIBUTES]

    def row(self):
        counters = {name: 1 for _, names in learning.ATTRIBUTES for name in names or []}
        counters.update(jobs=1, work_groups=20, divergent_branches=2, bundles=400, global_reads=30, global_writes=10)
        bundles = [{"text": "BARRIER", "warps": 7}, {"text": "NOP", "warps": 9}, {"text": "*NOP\n+BARRIER", "warps": 5}]
        return learning.counts({"kernels": [{"counters": counters, "bundles": bundles}]})

    def value(self, row, what):
        return row[self.NAMES.index(what)]

    def test_twenty(self):
        self.assertEqual(len(self.row()), 20)

    def test_counts(self):
        for what, wanted in {"Global Load/Store Instructions": 40, "Barriers Hit": 12, "Divergent Warps": 2, "Divergence Percentage": 0.5,
                             "Number of Interrupts": 1}.items():
            self.assertEqual(self.value(self.row(), what), wanted, what)

    def test_equation_5_2(self):
        """Eight cores take 20 groups in three turns: 40 accesses / 20 groups * 3."""
        made = learning.adjusted(self.row())
        self.assertEqual(self.value(made, "Global Load/Store Instructions"), 6)
        self.assertEqual(self.value(made, "Number of Workgroups"), 20)
        self.assertEqual(self.value(made, "Divergence Percentage"), 0.5)


class Peaks(unittest.TestCase):
    def test_as_seed_003(self):
        got = gen95.peaks()
        for key, wanted in {("sp", "add"): 201.6, ("sp", "mad"): 403.2, ("dp", "add"): 50.4, ("dp", "mad"): 100.8}.items():
            self.assertAlmostEqual(got[key], wanted, places=9)


class Agreement(unittest.TestCase):
    """Five pairs, of whose ten orders two are reversed."""
    A, B = [1, 2, 3, 4, 5], [2, 1, 3, 5, 4]

    def test_spearman(self):
        self.assertAlmostEqual(score.spearman(self.A, self.B), 1 - 6 * 4 / (5 * 24))

    def test_kendall(self):
        self.assertAlmostEqual(score.kendall(self.A, self.B), (8 - 2) / 10)

    def test_equal_values_share_their_rank(self):
        self.assertEqual(score.ranks([3, 1, 3]), [2.5, 1, 2.5])

    def test_mape(self):
        self.assertAlmostEqual(score.mape([110, 80], [100, 100]), 15)


class Power(unittest.TestCase):
    def test_in_proportion_to_the_clock(self):
        self.assertAlmostEqual(power.power(4, 300)[1], power.power(4)[1] / 2)

    def test_a_core_more(self):
        self.assertAlmostEqual(power.power(3)[1] - power.power(2)[1], 0.140)
        self.assertEqual(power.power(5), power.power(4))


def gemm(launch, alpha, beta):
    """Returns the bytes of c that a kernel with these factors would leave for a launch's matrices
    a, b and c."""
    a, b, c = (m.values() for m in launch.arguments[:3])
    n = math.isqrt(len(c))
    out = [beta * c[i * n + j] + sum(alpha * a[i * n + k] * b[k * n + j] for k in range(n)) for i in range(n) for j in range(n)]
    if isinstance(c[0], int):
        return struct.pack(f"<{n * n}I", *(v % 2 ** 32 for v in out))
    return struct.pack(f"<{n * n}f", *out)


class Needs(unittest.TestCase):
    """The launches that commands need."""

    def test_all(self):
        self.assertEqual(len(suite.needed(["capture"])), 142)
        self.assertEqual(len({launch.name for launch in suite.EVERYTHING}), 142)

    def test_some(self):
        self.assertEqual(suite.needed(["capture", "micro"]), suite.MICRO)
        self.assertEqual(len(suite.needed(["space", "gemm", "learn"])), 60)
        self.assertEqual(suite.needed(["gen95", "power"]), [])


class Kernels(unittest.TestCase):
    """The definitions with which the guest's results are compared."""

    def test_product(self):
        self.assertEqual(suite.product([1, 2, 3, 4], [5, 6, 7, 8], 2), [19, 22, 43, 50])

    def test_a_gemm_of_integers(self):
        """3 a b + 2 c in signed 32 bits."""
        self.assertEqual(suite.variant("I", 1, form="int").wanted([2 ** 31], [1], [3]), {2: [6 - 2 ** 31]})

    def test_a_gemm_of_vectors(self):
        """1.25 a b + 0.75 c, for each lane separately."""
        self.assertEqual(suite.variant("F", 1, form="float4").wanted([1, 2, 3, 4], [1, 1, 2, 2], [0, 0, 0, 4]), {2: [1.25, 2.5, 7.5, 13]})

    def test_products_of_polybench(self):
        """1.25 a b and 0.75 c, where PolyBench's definitions have them."""
        launches = {launch.kernel: launch for launch in suite.products(2, "1x1")}
        a, b, c, t = [1, 2, 3, 4], [5, 6, 7, 8], [100, 200, 300, 400], [0] * 4
        self.assertEqual(launches["gemm"].wanted(a, b, c), {2: [98.75, 177.5, 278.75, 362.5]})
        self.assertEqual(launches["mm2_kernel1"].wanted(t, a, b), {0: [23.75, 27.5, 53.75, 62.5]})
        self.assertEqual(launches["mm2_kernel2"].wanted(a, b, c), {2: [94, 172, 268, 350]})
        self.assertEqual(launches["mm3_kernel1"].wanted(a, b, t), {2: [19, 22, 43, 50]})

    def test_a_kernel_that_leaves_out_a_factor_is_seen(self):
        """With the launches' own matrices and factors a missing factor exceeds the tolerance."""
        products = {launch.kernel: launch for launch in suite.products(8, "8x8")}
        for launch, alpha, beta in ((products["gemm"], 1.25, 0.75), (suite.variant("A", 8), 1.25, 0.75),
                                    (suite.variant("I", 8, form="int"), 3, 2)):
            self.assertIsNone(suite.differs(launch, 2, gemm(launch, alpha, beta)), launch.name)
            self.assertIsNotNone(suite.differs(launch, 2, gemm(launch, 1, beta)), f"{launch.name} without alpha")
            self.assertIsNotNone(suite.differs(launch, 2, gemm(launch, alpha, 1)), f"{launch.name} without beta")

    def test_lines_of_the_microbenchmark(self):
        """Listing 5.1: lane 0 of each warp of four adds lines that no other warp touches."""
        launch = suite.misses(2, 2)
        data = list(range(16 * 8 * 3))
        self.assertEqual(launch.wanted(data), {1: [16 * (0 + 8), 0, 0, 0, 16 * (4 + 12), 0, 0, 0]})

    def test_strided(self):
        self.assertEqual(suite.strided(4, 3, 8).wanted(list(range(8)), None, 3, 7), {1: [0, 3, 6, 1]})

    def test_by_columns(self):
        self.assertEqual(suite.by_columns([1, 2, 3, 4], [10, 1]), [13, 24])

    def test_normal(self):
        self.assertAlmostEqual(suite.normal(1.96), 0.9750021, places=6)

    def test_a_call_and_a_put(self):
        """Their difference is the price minus the present value of the strike."""
        (call,), (put,) = suite.options_of([0.0])
        self.assertAlmostEqual(call - put, 100 - 99 * math.exp(-0.05 * 10))

    def test_convolution_at_a_corner(self):
        image, mask = [1, 2, 3, 4], [1, 1, 1, 1, 2, 1, 1, 1, 1]
        self.assertEqual(suite.convolved(image, mask, 2, 2, 3), [11, 12, 13, 14])


if __name__ == "__main__":
    unittest.main()
