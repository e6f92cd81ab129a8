#!/usr/bin/env python3
"""Seed 003's micro-benchmarks on the model of a GPU of its shape: MAD kernels reach their peak in either precision, copies that
of the L3, and counts of groups that the subslices do not divide leave some idle. And the 25 versions a family."""
import argparse
import pathlib
import struct
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "examples/reassemble"))
import families
import gen95


class Versions(unittest.TestCase):
    def test_25_a_family(self):
        for family in gen95.FAMILIES:
            made = {gen95.opencl(family, width, operation) for width, operation in gen95.versions()}
            self.assertEqual(len(made), 25, family)

    def test_a_name_and_a_type(self):
        text = gen95.opencl("private", "vect4", "mad", "dp")
        self.assertIn("#define T double4\n", text)
        self.assertIn("__kernel void vect4_dp_mad_private_kernel(", text)
        self.assertIn("temp = mad(temp, (T)0.5, (T)1.0);", text)


class Model(unittest.TestCase):
    options = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="gencc-gen95-")
        self.addCleanup(folder.cleanup)
        self.bench = gen95.Bench(self.options.mali_run, self.options.gencc, pathlib.Path(folder.name))

    def share(self, code, width, groups, precision="sp"):
        return self.bench.rate(code, width, "mad", groups, precision) / gen95.peaks()[precision, "mad"]

    def test_peak(self):
        for width in "scalar", "vect4", "vect16":
            code = self.bench.assemble(width, "mad")
            for precision in "sp", "dp":
                share = self.share(code, width, gen95.SUBSLICES, precision)
                self.assertTrue(0.99 <= share <= 1, f"{width}, {precision}: {share}")

    def test_bandwidth(self):
        """Sixteen lanes of up to four floats fill the lines of a message; of eight floats, a
        message moves half a line."""
        for width, least, most in ("scalar", 0.93, 1), ("vect4", 0.99, 1), ("vect8", 0.49, 0.5):
            share = self.bench.copy(self.bench.assemble(width, "copy"), width, gen95.SUBSLICES)[0] / gen95.roof()
            self.assertTrue(least <= share <= most, f"{width}: {share}")

    def test_what_is_copied(self):
        for width in gen95.WIDTHS:
            _, left = self.bench.copy(self.bench.assemble(width, "copy"), width, 1, 1)
            self.assertEqual(left, gen95.source(width, 1), width)

    def test_saw_tooth(self):
        """Groups run in waves of one per subslice; the last wave takes as long with one group as
        with all."""
        code = self.bench.assemble("scalar", "mad")
        full = self.share(code, "scalar", gen95.SUBSLICES)
        for groups in range(1, 3 * gen95.SUBSLICES + 1):
            turns = -(-groups // gen95.SUBSLICES)
            self.assertAlmostEqual(self.share(code, "scalar", groups) / full, groups / (turns * gen95.SUBSLICES), delta=0.005)

    def test_what_is_computed(self):
        """Starts at 0. x/2 + 1 converges to 2, exactly after 25 steps; each of 2 numbers has 256
        steps per pass."""
        for operation, wanted in {"mad": 2, "add": 128, "sub": -128, "mul": 0, "div": 0}.items():
            _, left = self.bench.compute(self.bench.assemble("vect2", operation), "vect2", 1, 1)
            self.assertEqual(set(struct.unpack(f"<{len(left) // 4}f", left)), {wanted}, operation)


class Families(unittest.TestCase):
    """Kernels that work in memory, the power kernel, and reads by level."""
    options = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="gencc-gen95-")
        self.addCleanup(folder.cleanup)
        self.bench = families.Bench(self.options.mali_run, self.options.gencc, pathlib.Path(folder.name))

    def values(self, *version):
        left = self.bench.family(*version, 1)[1]
        return {round(v, 4) for v, in struct.iter_unpack("<f", left)}

    def test_what_is_computed(self):
        """a is 2, b is 3."""
        for operation, wanted in {"add": 5, "sub": -1, "mul": 6, "div": 0.6667, "mad": 8}.items():
            self.assertEqual(self.values("single", "vect2", operation), {wanted}, operation)
        self.assertEqual(self.values("single", "vect16", "mad"), {8})
        for family in "loop", "unroll":
            self.assertEqual(self.values(family, "vect2", "add"), {2 + 3 * families.STEPS}, family)
        self.assertEqual(self.values("power", "vect2", "sub"), {-gen95.LOOPS / 4})

    def test_memory_falls_short(self):
        """Algorithms 3 to 5 stay below a tenth of the peak; a single step below the loops."""
        top = gen95.peaks()["sp", "mad"]
        single, loop, unroll = (self.bench.family(f, "vect4", "mad", gen95.SUBSLICES)[0] / top for f in families.IN_MEMORY)
        self.assertLess(single, loop / 4)
        self.assertLess(loop, 0.1)
        self.assertAlmostEqual(unroll / loop, 1, delta=0.05)

    def test_power(self):
        """The fit; a double's energy follows its time; power has the saw-tooth."""
        rate, watts = self.bench.watts("vect4", gen95.SUBSLICES)
        self.assertAlmostEqual(watts, families.WATTS["sp"][1], delta=0.2)
        self.assertAlmostEqual(rate / watts, 34.85, delta=0.5)
        self.assertAlmostEqual(self.bench.watts("vect4", gen95.SUBSLICES, "dp")[1], families.WATTS["dp"][1], delta=0.4)
        self.assertLess(self.bench.watts("vect4", gen95.SUBSLICES + 1)[1], watts - 2)

    def test_levels(self):
        l1, l2, memory = (self.bench.read("g72", size, 24, 8) for size in families.LEVELS.values())
        self.assertGreater(l1, 4 * l2)
        self.assertGreater(l2, 2 * memory)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mali-run", required=True, help="one that knows the GPUs of examples/reassemble/gpus.ac")
    parser.add_argument("--gencc", required=True)
    Model.options, rest = parser.parse_known_args()
    Families.options = Model.options
    unittest.main(argv=[sys.argv[0], *rest])
