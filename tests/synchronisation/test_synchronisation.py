#!/usr/bin/env python3
"""The check of linearity on histories by hand, and the structures of examples/synchronisation: histories of all
methods are linear, no element is lost, and the lock breaks down."""
import argparse
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "examples/synchronisation"))
from linear import EXTRACT, INSERT, faults
from runs import HERE, METHODS, STRUCTURES, Machine

ALONE = [(0, INSERT, 1, 0, 1), (0, INSERT, 2, 2, 3), (0, EXTRACT, 1, 4, 5), (0, EXTRACT, 2, 6, 7)]


class Linear(unittest.TestCase):
    def test_order_of_elements(self):
        self.assertEqual(list(faults(ALONE, "queue")), [])
        self.assertEqual(len(list(faults(ALONE, "stack"))), 2)
        self.assertEqual(list(faults([*ALONE[:2], (0, EXTRACT, 2, 4, 5), (0, EXTRACT, 1, 6, 7), (0, EXTRACT, 0, 8, 9)],
                                     "stack")), [])

    def test_ends_and_priorities(self):
        """Core 1 uses the tail of a deque, core 0 the head."""
        row = [(0, INSERT, 5, 0, 1), (0, INSERT, 9, 2, 3), (1, INSERT, 7, 4, 5)]
        took = [(1, EXTRACT, 7, 6, 7), (0, EXTRACT, 9, 8, 9), (1, EXTRACT, 5, 10, 11)]
        self.assertEqual(list(faults(row + took, "deque")), [])
        self.assertTrue(list(faults(row + took, "heap")))
        took = [(1, EXTRACT, 9, 6, 7), (0, EXTRACT, 7, 8, 9), (1, EXTRACT, 5, 10, 11)]
        self.assertEqual(list(faults(row + took, "heap")), [])
        self.assertTrue(list(faults(row + took, "deque")))

    def test_lost_and_twice(self):
        self.assertTrue(list(faults([ALONE[0], (1, EXTRACT, 0, 2, 3)], "queue")))
        self.assertTrue(list(faults([ALONE[0], (1, EXTRACT, 1, 2, 3), (2, EXTRACT, 1, 2, 3)], "queue")))
        self.assertTrue(list(faults([ALONE[0], (1, INSERT, 1, 0, 1)], "queue")))

    def test_order_of_time(self):
        early, late = (0, INSERT, 1, 0, 5), (1, INSERT, 2, 6, 9)
        self.assertEqual(list(faults([early, late], "queue")), [])
        self.assertEqual(len(list(faults([late, early], "queue"))), 1)
        self.assertEqual(list(faults([late, early], "queue", asynchronous=True)), [])
        self.assertEqual(list(faults([(1, INSERT, 2, 5, 9), early], "queue")), [])
        self.assertEqual(len(list(faults([(0, INSERT, 2, 6, 9), early], "queue", asynchronous=True))), 1)


class Runs(unittest.TestCase):
    build = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="gencc-test-")
        self.addCleanup(folder.cleanup)
        self.machine = Machine(self.build, folder.name)

    def test_histories(self):
        for structure in STRUCTURES:
            for method in METHODS:
                with self.subTest(structure=structure, method=method):
                    sums, history = self.machine.sync(method, structure, 8, pairs=56, think=0, history=True)
                    self.assertEqual(sums["inserted"], sums["extracted"])
                    self.assertEqual(len(history), sums["requests"])
                    self.assertGreater(len({row[0] for row in history}), 5)
                    self.assertEqual(list(faults(history, structure, method == "message passing")), [])

    def test_lock_breaks_down_and_messages_do_not(self):
        cycles = {(method, n): self.machine.sync(method, "queue", n, pairs=168)[0]["cycles"]
                  for method in ("single lock", "message passing") for n in (2, 4, 8)}
        self.assertGreater(cycles["single lock", 8], 1.5 * cycles["single lock", 4])
        self.assertLess(cycles["message passing", 8], 1.1 * cycles["message passing", 4])
        self.assertLess(3 * cycles["message passing", 8], cycles["single lock", 8])

    def test_wrong_trees(self):
        elf, text = self.machine.compiled("terms", {}), (HERE / "mesh8.dts").read_text()
        tree = pathlib.Path(self.machine.folder) / "wrong.dts"
        for right, wrong, message in (("node-size = <0x10000>", "node-size = <0x30000>", "node-size must divide"),
                                      ("turn-ticks = <4>", "turn-ticks = <0>", "turn-ticks must be at least 1"),
                                      ("translate-ns = <40>", "", "must be 0 to 100000"),
                                      ("mesh-width = <4>", "mesh-width = <0>", "mesh-width must be")):
            tree.write_text(text.replace(right + ";", wrong + ";" if wrong else ""))
            subprocess.run(["dtc", "-q", "-O", "dtb", "-o", tree.with_suffix(".dtb"), tree], check=True)
            done = subprocess.run([self.machine.simulator, "-nographic", "-m", "256M", "-cpu-timing", "-dtb",
                                   tree.with_suffix(".dtb"), "-kernel", elf], capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL, timeout=60, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn(message, done.stderr)

    def test_terms(self):
        """A read: the load's cycle, 4 to translate, 2 hops of 2 cycles for each of distance, 4 at the port."""
        terms = self.machine.terms()
        for hops in range(5):
            self.assertEqual(terms[f"read{hops}"], 9 + 4 * hops)
            self.assertEqual(terms[f"write{hops}"], 10 + 2 * hops)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    options, rest = parser.parse_known_args()
    Runs.build = options.build
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
