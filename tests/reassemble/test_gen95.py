#!/usr/bin/env python3
"""Seed 003's micro-benchmarks on the model of a GPU of its shape: MAD kernels reach their peak, and counts of groups that the
subslices do not divide leave some idle. And the 25 versions a family."""
import argparse
import pathlib
import struct
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "examples/reassemble"))
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

    def share(self, code, width, groups):
        return self.bench.rate(code, width, "mad", groups) / gen95.peaks()["sp", "mad"]

    def test_peak(self):
        for width in "scalar", "vect4", "vect16":
            share = self.share(self.bench.assemble(width, "mad"), width, gen95.SUBSLICES)
            self.assertTrue(0.99 <= share <= 1, f"{width}: {share}")

    def test_saw_tooth(self):
        """Groups take turns of one a subslice; the last turn takes as long with one group as with all."""
        code = self.bench.assemble("scalar", "mad")
        full = self.share(code, "scalar", gen95.SUBSLICES)
        for groups in range(1, 3 * gen95.SUBSLICES + 1):
            turns = -(-groups // gen95.SUBSLICES)
            self.assertAlmostEqual(self.share(code, "scalar", groups) / full, groups / (turns * gen95.SUBSLICES), delta=0.005)

    def test_what_is_computed(self):
        """x/2 + 1 again and again goes to 2; from 0 it is 2 to the last bit after 25 steps."""
        _, left = self.bench.run(self.bench.assemble("vect2", "mad"), "vect2", 1, 1)
        self.assertEqual(set(struct.unpack(f"<{len(left) // 4}f", left)), {2.0})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mali-run", required=True, help="one that knows the GPUs of examples/reassemble/gpus.ac")
    parser.add_argument("--gencc", required=True)
    Model.options, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
