#!/usr/bin/env python3
"""Warps of another width from a trace of warps of four: predictions are exactly those from a trace of a GPU that has such warps.
Only a program whose threads repeat what another one undid (compare and exchange) executes something else.

    reform.py --mali-run PROGRAM --cases FOLDER        # a program that knows the GPUs of examples/reassemble/gpus.ac
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile
import unittest

PARSER = argparse.ArgumentParser()
PARSER.add_argument("--mali-run", required=True)
PARSER.add_argument("--cases", required=True, type=pathlib.Path)
ARGS, REST = PARSER.parse_known_args()
WIDTHS = {8: "g71wide", 12: "g71warp12", 16: "g71warp16", 32: "g71warp32"}
# Divergence, loops, barriers and local memory, stacks, atomics.
NAMES = ["diverge", "reduce", "glshared", "spillarr", "imix", "conv", "nestbrk", "varloop", "atoml"]


def run(*arguments):
    done = subprocess.run([ARGS.mali_run, *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False)
    if done.returncode:
        raise AssertionError(f"{arguments}: status {done.returncode}: {done.stderr}")
    return done.stdout


class Widths(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="gencc-reform-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def trace(self, name, gpu):
        path = self.folder / f"{name}.{gpu}"
        run(ARGS.cases / f"{name}.G71.snap.elf", "-gpu", gpu, "-trace-timing", path, "-timing-sample", 10 ** 9)
        return path

    def predicted(self, path, gpu, model):
        return run("-timing-from", path, "-timing", model, "-gpu", gpu)

    def test_as_executed(self):
        for name in NAMES:
            four = self.trace(name, "g71mp8")
            for gpu in WIDTHS.values():
                own = self.trace(name, gpu)
                for model in "reassemble", "detailed":
                    with self.subTest(name=name, gpu=gpu, model=model):
                        self.assertEqual(self.predicted(four, gpu, model), self.predicted(own, gpu, model))

    def test_one_that_depends_on_the_order(self):
        gpu = WIDTHS[32]
        self.assertNotEqual(self.predicted(self.trace("atomg", "g71mp8"), gpu, "reassemble"),
                            self.predicted(self.trace("atomg", gpu), gpu, "reassemble"))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *REST])
