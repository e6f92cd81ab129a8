"""examples/clients/deqp.py counts every kind of result of a stub program, goes on after crashes and hangs, and compares.

    test_deqp.py DEQP.PY
"""
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

STUB = Path(__file__).resolve().parent / "stub_deqp.py"


class Deqp(unittest.TestCase):
    """Each test has a folder with the stub as deqp-gles2, two levels down, beside its data."""

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        module = self.folder / "build" / "gles2"
        module.mkdir(parents=True)
        shutil.copy(STUB, module / "deqp-gles2")
        (module / "data_of_gles2").touch()

    def write(self, name, *lines):
        """A file in the folder; its path."""
        path = self.folder / name
        path.write_text("".join(f"{line}\n" for line in lines))
        return str(path)

    def run_deqp(self, *arguments):
        """The status and the lines of a run by Python as the runner."""
        done = subprocess.run([sys.executable, SCRIPT, "--runner", sys.executable, *arguments], capture_output=True,
                              text=True, timeout=60)
        return done.returncode, (done.stdout + done.stderr).splitlines()

    def cases(self, *names, file="cases.txt"):
        """A file with names of cases of the stub's module."""
        return self.write(file, *("dEQP-GLES2." + name for name in names))

    def every_case(self):
        """A list of the stub's cases that end, in another order than the stub's, and one that it does not have."""
        return self.cases("c.silent", "c.pass", "b.terminated", "b.pass", "b.crash", "a.unsupported", "a.quality",
                          "a.fail", "a.pass", "d.unknown")

    def test_all_results(self):
        for chunk in ("100", "2"):
            status, lines = self.run_deqp("--chunk", chunk, str(self.folder), self.every_case())
            self.assertEqual(status, 1)
            counts = lines[-1].partition(": ")[2].partition(": ")
            self.assertEqual(counts[0], "10 cases")
            self.assertEqual(sorted(counts[2].partition(";")[0].split(", ")),
                             ["1 Crash", "1 Fail", "1 InternalError", "1 Missing", "1 NotSupported", "1 QualityWarning",
                              "1 Timeout", "3 Pass"])
            self.assertTrue(lines[-1].endswith("; 5 unexpected"), lines[-1])
            self.assertIn("deqp: dEQP-GLES2.a.fail: Fail (Image mismatch), expected Pass", lines)
            self.assertTrue(any(line.startswith("deqp: dEQP-GLES2.b.crash: Crash (status -6") for line in lines), lines)

    def test_hang(self):
        # Longer than a busy machine needs to start the stub, and no work for it.
        status, lines = self.run_deqp("--timeout", "5", str(self.folder), self.cases("c.hang", "c.pass"))
        self.assertEqual((status, lines), (1, ["deqp: dEQP-GLES2.c.hang: Timeout (no progress for 5 s), expected Pass",
                                               "deqp: 2 cases: 1 Timeout, 1 Pass; 1 unexpected"]))

    def test_several_at_a_time(self):
        status, lines = self.run_deqp("--jobs", "4", "--chunk", "2", str(self.folder), "dEQP-GLES2.a.*", "dEQP-GLES2.b.*")
        self.assertEqual((status, lines[-1].partition(": ")[2].partition(":")[0]), (1, "7 cases"))
        # In a guest the programs' folder is read-only.
        self.assertEqual(sorted(path.name for path in (self.folder / "build" / "gles2").iterdir()), ["data_of_gles2", "deqp-gles2"])

    def test_expected(self):
        cases = self.cases("a.pass", "a.fail", "b.crash")
        known = self.write("known.txt", "# The blender rounds", "# to zero.", "dEQP-GLES2.a.fail,Fail", "",
                           "# Not ours.", "dEQP-GLES2.b.crash,Crash")
        status, lines = self.run_deqp("--expected", known, str(self.folder), cases)
        self.assertEqual(status, 0, lines)
        self.assertEqual(lines[0], "deqp: dEQP-GLES2.a.fail: Fail, as expected: The blender rounds to zero.")
        self.assertEqual(lines[1], "deqp: dEQP-GLES2.b.crash: Crash, as expected: Not ours.")
        known = self.write("known.txt", "dEQP-GLES2.a.pass,Fail", "dEQP-GLES2.a.fail,Crash", "dEQP-GLES2.b.crash,Crash")
        status, lines = self.run_deqp("--expected", known, str(self.folder), cases)
        self.assertEqual(status, 1)
        self.assertIn("deqp: dEQP-GLES2.a.pass: Pass (Passed), expected Fail", lines)
        self.assertIn("deqp: dEQP-GLES2.a.fail: Fail (Image mismatch), expected Crash", lines)
        self.assertTrue(lines[-1].endswith("; 2 unexpected"), lines[-1])

    def test_going_on(self):
        results = self.write("results", "dEQP-GLES2.a.fail,Pass")
        status, lines = self.run_deqp("--results", results, str(self.folder), self.cases("a.pass", "a.fail"))
        self.assertEqual((status, lines), (0, ["deqp: 2 cases: 2 Pass; 0 unexpected"]))
        self.assertEqual(Path(results).read_text().split(), ["dEQP-GLES2.a.fail,Pass", "dEQP-GLES2.a.pass,Pass"])

    def test_slices(self):
        status, lines = self.run_deqp("--every", "2", "--first", "1", str(self.folder), self.cases("a.fail", "a.pass", "b.crash"))
        self.assertEqual((status, lines), (0, ["deqp: 1 cases: 1 Pass; 0 unexpected"]))

    def test_limit(self):
        results = self.folder / "results"
        status, lines = self.run_deqp("--limit", "5", "--chunk", "2", "--results", str(results), str(self.folder),
                                      self.cases("a.pass", "c.hang", "c.pass"))
        self.assertEqual((status, lines), (0, ["deqp: 1 cases: 1 Pass; 0 unexpected",
                                               "deqp: the limit is over: 2 cases have no result"]))
        self.assertEqual(results.read_text(), "dEQP-GLES2.a.pass,Pass\n")

    def test_shuffled(self):
        results = self.folder / "results"
        self.run_deqp("--shuffle", "7", "--chunk", "1", "--results", str(results), str(self.folder),
                      self.cases("a.pass", "a.fail", "a.unsupported", "a.quality"),
                      self.cases("b.pass", "c.pass", "c.silent", file="second.txt"))
        # Python's generator with this seed takes the four of the first list as 3 1 0 2, and the second's three as 2 0 1.
        self.assertEqual([line.partition(",")[0].partition(".")[2] for line in results.read_text().split()],
                         ["a.quality", "a.fail", "a.pass", "a.unsupported", "c.silent", "b.pass", "c.pass"])

    def test_wrong_use(self):
        folder = str(self.folder)
        for arguments, text in (
                ((folder, self.write("bad.txt", "KHR-GLES2.a")), "deqp: 'KHR-GLES2.a' is no name of a case of OpenGL ES"),
                ((folder, "none.txt"), "deqp: none.txt is neither a file nor a pattern of cases"),
                ((folder, self.write("three.txt", "dEQP-GLES3.a.b")), f"deqp: {folder} has no program deqp-gles3"),
                ((folder, "dEQP-GLES2.z.*"), "deqp: no case is called dEQP-GLES2.z.*: it printed nothing"),
                ((folder, self.cases("z.z", file="none.txt")), "deqp: no case ran: status 0: it printed nothing"),
                ((folder, self.cases("a.pass"), "--expected", self.write("known.txt", "a.pass")),
                 f"deqp: {folder}/known.txt:1: expected NAME,RESULT")):
            status, lines = self.run_deqp(*arguments)
            self.assertEqual((status, lines[-1]), (2, text))


if __name__ == "__main__":
    SCRIPT = sys.argv.pop(1)
    unittest.main()
