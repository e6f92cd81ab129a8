"""The ISAs of a CPU are generated in parallel where there are processors for it: the result,
messages included, is the same as with one processor.

    apart.py GENCC
"""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GENCC = sys.argv.pop(1)
CPU = "descriptions/arm/armv7a/armv7a.ac"


class Apart(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.out = Path(scratch.name)

    def build(self, name, processors):
        """Returns the status, the messages, and the files by name."""
        folder = self.out / name
        done = subprocess.run([GENCC, "build", CPU, "-o", folder, "--jit", "--parts", "2"], cwd=ROOT, text=True,
                              stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                              preexec_fn=lambda: os.sched_setaffinity(0, processors))
        files = {file.name: file.read_text() for file in folder.iterdir() if file.is_file()}
        return done.returncode, done.stderr.replace(str(folder), "OUT"), files

    def both(self):
        all_processors = os.sched_getaffinity(0)
        return self.build("one", {min(all_processors)}), self.build("all", all_processors)

    def test_the_same_files(self):
        one, several = self.both()
        self.assertEqual(one[0], 0)
        self.assertIn("armv7a_t32_jit_1.c", one[2])
        self.assertEqual(one[:2], several[:2])
        self.assertEqual(one[2].keys(), several[2].keys())
        self.assertEqual([name for name, text in one[2].items() if text != several[2][name]], [])

    def test_the_same_messages(self):
        for folder in ("one", "all"):
            for name in ("armv7a_a32_decode.c", "armv7a_t32_disasm.c"):
                (self.out / folder / name).mkdir(parents=True)
        one, several = self.both()
        self.assertEqual(one[0], 1)
        self.assertEqual(one[1].count("armv7a_a32_decode.c"), 1)
        self.assertEqual(one[:2], several[:2])


if __name__ == "__main__":
    unittest.main()
