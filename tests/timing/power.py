#!/usr/bin/env python3
"""mali-run -power: parts and cores add up, clocks and voltages scale them, and the numbers of the T624 fit a thesis.

    power.py --mali-run BIN --cases DIR
"""
import argparse
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(*words, status=0):
    done = subprocess.run([str(w) for w in (ARGS.mali_run, *words)], capture_output=True, text=True, timeout=60, check=False)
    if done.returncode != status:
        raise AssertionError(f"{words}: status {done.returncode}: {done.stderr}")
    return done.stdout + done.stderr


def energies(text):
    """Returns the whole in uJ, the parts and the cores in pJ."""
    whole = float(re.search(r" W, ([\d.]+) uJ in ", text)[1])
    parts = {name: int(pj) for name, pj in re.findall(r"^  (\w+) +[\d.]+ W, (\d+) pJ", text, re.M)}
    cores = [int(pj) for pj in re.findall(r"^  core \d+ +[\d.]+ W, (\d+) pJ", text, re.M)]
    return whole, parts, cores


class Power(unittest.TestCase):
    def of(self, *words):
        return run(ARGS.cases / "sgemm.G72.snap.elf", "-timing", "detailed", "-power", *words)

    def test_sums(self):
        text = self.of()
        whole, parts, cores = energies(text)
        self.assertIn("at 746 MHz, 900 mV", text)
        self.assertEqual(len(cores), 12)
        self.assertAlmostEqual(sum(parts.values()) / 1e6, whole, 2)
        self.assertEqual(set(parts), {"instructions", "caches", "memory", "clocks", "leakage"})
        # A core has its groups' instructions and its clock; the shared clock is besides.
        self.assertGreater(sum(cores), parts["instructions"])
        self.assertLess(sum(cores), parts["instructions"] + parts["clocks"])
        self.assertEqual(text, self.of("-threads", 2))

    def test_clock(self):
        _, full, _ = energies(self.of("-gpu-clock", "746:900", "-timing-set", "l2_bytes=0", "-power-set", "l1_energy=1"))
        _, slow, _ = energies(self.of("-gpu-clock", "373:450", "-timing-set", "l2_bytes=0", "-power-set", "l1_energy=1"))
        self.assertEqual(slow["instructions"], full["instructions"] // 4)
        self.assertEqual(slow["caches"], full["caches"] // 4)
        self.assertLess(slow["leakage"], full["leakage"] / 2)

    def test_settings(self):
        _, before, _ = energies(self.of())
        _, after, _ = energies(self.of("-power-set", "arithmetic_energy=0", "-power-set", "core_leakage=0", "-power-set", "gpu_leakage=0"))
        self.assertLess(after["instructions"], before["instructions"])
        self.assertEqual(after["leakage"], 0)
        self.assertIn("an assumption", self.of("-power-set", "help"))
        self.assertIn("no power parameter is called l3",
                      run(ARGS.cases / "sgemm.G72.snap.elf", "-timing", "detailed", "-power-set", "l3=1", status=2))
        for word in (["-power"], ["-gpu-clock", "100"], ["-power-set", "help"]):
            self.assertIn("are for -timing", run(ARGS.cases / "sgemm.G72.snap.elf", *word, status=2))

    def test_fit(self):
        done = subprocess.run([ROOT / "scripts/gpu-power", "--quick", "--build", ARGS.mali_run.parents[1]], capture_output=True,
                              text=True, timeout=100, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stdout.count(" fit"), 4)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--mali-run", type=pathlib.Path, required=True)
    parser.add_argument("--cases", type=pathlib.Path, required=True)
    ARGS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
