"""scripts/suites on a suite of shell scripts, with stand-ins for our simulators and for QEMU's."""
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from suite import compare, expected, report, runner  # noqa: E402
from suite.kinds import kvm_unit_tests  # noqa: E402
from suite.model import Case, Ended, Result, SuiteError  # noqa: E402

# Accepts options as a simulator of user mode does, derives the mode from $MODE, and runs the file.
SIMULATOR = """#!/bin/sh
MODE=jit
while :; do
    case "$1" in
    -accel) MODE=interp; shift 2;;
    -jit-quick-threshold) MODE=first; shift 2;;
    -jit-sync) shift;;
    *) break;;
    esac
done
export MODE
exec sh "$@"
"""
REFEREE = '#!/bin/sh\nMODE=qemu\nexport MODE\nexec sh "$@"\n'
TESTS = {
    "good.O2": "exit 0",
    "bad.O2": "echo one; echo why; exit 3",
    "killed.O2": "kill -SEGV $$",
    "interp.O2": '[ "$MODE" != interp ]',
    "ours.O2": '[ "$MODE" = qemu ]',
}
EXPECTED = """# a comment
[fail, qemu same] It is bad.
aarch64/bad.*
aarch64/killed.O2
[fail, qemu passes] Ours fails.
aarch64/ours.O2
[fail, qemu passes, mode interp] The interpreter fails.
aarch64/interp.O2
"""


def wait_for(condition, seconds=300):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(0.01)


def is_gone(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] in "ZX"
    except OSError:
        return True


class CommandLine(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.work = Path(self.temporary.name)
        self.program("build/bin/aarch64-user", SIMULATOR)
        self.program("path/qemu-aarch64", REFEREE)
        for name, text in TESTS.items():
            self.program(f"suite/aarch64/{name}", text + "\n")
        self.expect(EXPECTED)

    def program(self, path, text):
        file = self.work / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(0o755)

    def expect(self, text):
        (self.work / "expected.txt").write_text(text)

    def run_suites(self, *options, folder="suite"):
        command = [sys.executable, "-B", ROOT / "scripts/suites", "gcc-torture", self.work / folder, "--build", self.work / "build",
                   "--expected", self.work / "expected.txt", "--jobs", "4", *options]
        path = f"{self.work}/path:{os.environ['PATH']}"
        return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False, env={**os.environ, "PATH": path})

    def test_as_expected(self):
        done = self.run_suites("--referee")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertIn("| gcc-torture | aarch64 | jit | 2 of 5 | 4 of 5 |\n", done.stdout)
        self.assertIn("| gcc-torture | aarch64 | interp | 1 of 5 | 3 of 5 |\n", done.stdout)
        self.assertIn("unlike QEMU: aarch64/ours.O2 (first): fail, QEMU: pass status 1\n", done.stdout)
        self.assertIn("0 differences from what is expected\n", done.stdout)
        self.assertNotIn("name nothing", done.stdout)

    def test_differences(self):
        self.expect("[fail] Not so.\naarch64/good.O2\naarch64/killed.O2\naarch64/gone.O2\n[timeout] Not so either.\naarch64/ours.*\n")
        done = self.run_suites("--modes", "jit")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout.splitlines()[:3], [
            "new failure: aarch64/bad.O2 (jit): fail status 3 why",
            "new pass: aarch64/good.O2 (jit): pass, where fail was expected: Not so.",
            "other status: aarch64/ours.O2 (jit): fail, where timeout was expected: Not so either. status 1"])
        self.assertIn("3 differences from what is expected\n1 lines of what is expected name nothing", done.stdout)

    def test_referee_changed(self):
        self.expect(EXPECTED.replace("[fail, qemu same]", "[fail, qemu passes]"))
        done = self.run_suites("--referee", "--modes", "jit", "--only", "*/bad*")
        self.assertEqual(done.returncode, 1)
        self.assertIn("referee: aarch64/bad.O2 (jit): QEMU: fail, where 'passes' was expected: It is bad.\n", done.stdout)

    def test_results_and_table(self):
        self.run_suites("--results", self.work / "r.json", "--only", "aarch64/good*", "--only", "aarch64/k*")
        found = json.loads((self.work / "r.json").read_text())
        self.assertEqual({(r["name"], r["mode"], r["status"]) for r in found["results"]},
                         {(f"aarch64/{n}.O2", m, s) for n, s in (("good", "pass"), ("killed", "fail")) for m in ("jit", "first", "interp")})
        done = subprocess.run([sys.executable, "-B", ROOT / "scripts/suites", "--table", self.work / "r.json"],
                              capture_output=True, text=True, timeout=600, check=True)
        self.assertIn("| gcc-torture | aarch64 | jit | 1 of 2 | – |\n", done.stdout)

    def test_printed_expectations_are_read(self):
        done = self.run_suites("--referee", "--print-expected", "--expected", "/dev/null")
        lines = [line.split("      #")[0].replace("] ?", "] ?!") for line in done.stdout.splitlines() if line[:1] == "[" or line[:5] == "aarch"]
        self.expect("\n".join(lines))
        rows = expected.read(self.work / "expected.txt").rows
        self.assertEqual({(row.pattern, row.referee) for row in rows},
                         {("aarch64/bad.O2", "same"), ("aarch64/killed.O2", "same"), ("aarch64/ours.O2", "passes"),
                          ("aarch64/interp.O2", "passes")})

    def test_wrong_use(self):
        (self.work / "empty").mkdir()
        for options, folder, text in (((), "none", "is no folder"), ((), "empty", "holds nothing of gcc-torture"),
                                      (("--modes", "fast"), "suite", "no mode 'fast'"), (("--only", "x"), "suite", "no case has"),
                                      (("--build", "none"), "suite", "is not built")):
            done = self.run_suites(*options, folder=folder)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(text, done.stderr)

    def test_being_ended_ends_what_runs(self):
        self.program("suite/aarch64/long.O2", f"echo $$ > {self.work}/pid; exec sleep 600\n")
        command = [sys.executable, "-B", ROOT / "scripts/suites", "gcc-torture", self.work / "suite", "--build", self.work / "build",
                   "--only", "*/long*", "--modes", "jit,first,interp", "--jobs", "1"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
            wait_for(lambda: (self.work / "pid").exists() and (self.work / "pid").read_text().strip())
            process.terminate()
            self.assertEqual(process.wait(300), 130)
        wait_for(lambda: is_gone((self.work / "pid").read_text().strip()))

    def test_each_suite_is_told_of(self):
        done = subprocess.run([sys.executable, "-B", ROOT / "scripts/suites"], capture_output=True, text=True, timeout=600, check=True)
        for file in (ROOT / "scripts/suite/kinds").glob("[a-z]*.py"):
            self.assertIn(f"{file.stem.replace('_', '-')}\n    ", done.stdout)


class Runs(unittest.TestCase):
    def run_shell(self, script, **more):
        with tempfile.TemporaryDirectory() as work:
            return runner.run_command(["sh", "-c", script], Case("a/b", [], **more), work)

    def test_time(self):
        ended = self.run_shell("echo begun; sleep 600", seconds=0.5)
        self.assertEqual((ended.status, ended.output), (None, "begun\n"))
        self.assertLess(ended.seconds, 300)

    def test_memory(self):
        code = "x = bytearray(500 << 20)"
        self.assertEqual(self.run_shell(f"{sys.executable} -c '{code}' 2>/dev/null").status, 0)
        self.assertNotEqual(self.run_shell(f"sleep 0.2; {sys.executable} -c '{code}' 2>/dev/null", megabytes=200).status, 0)

    def test_output_is_bounded(self):
        ended = self.run_shell(f"head -c {runner.OUTPUT_LIMIT * 2} /dev/zero")
        self.assertEqual((ended.status, len(ended.output)), (0, runner.OUTPUT_LIMIT))

    def test_children_end_too(self):
        start = time.monotonic()
        ended = self.run_shell("sleep 600 & echo $!; exit 4")
        self.assertEqual(ended.status, 4)
        self.assertLess(time.monotonic() - start, 300)
        wait_for(lambda: is_gone(ended.output.strip()))     # the kill takes effect shortly after

    def test_until(self):
        ended = self.run_shell("echo the END 5; sleep 600", until=r"END \d")
        self.assertEqual(ended.status, 0)
        self.assertLess(ended.seconds, 300)

    def test_until_a_whole_number(self):
        """A serial port prints a status digit by digit: the first digit does not end it."""
        ended = self.run_shell(r"printf '\nEXIT: STATUS=7'; sleep 0.2; printf '7\r\n'; sleep 600", until=kvm_unit_tests.END)
        self.assertEqual([check.status for check in kvm_unit_tests.judge(ended)], ["skip"])


class Checks(unittest.TestCase):
    OUTPUT = "\r\nPASS: a: one\r\nINFO: x\r\nFAIL: a: two [3]\r\nSKIP: three\r\nPASS: a: one\r\nXFAIL: four\r\n\r\nEXIT: STATUS=3\r\n"

    def judge(self, output, status=0):
        checks = runner.number(kvm_unit_tests.judge(Ended(status, output, 1)))
        return {check.name: check.status for check in checks}

    def test_kvm_unit_tests(self):
        self.assertEqual(self.judge(self.OUTPUT), {"": "pass", "a: one": "pass", "a: two [3]": "fail", "three": "skip",
                                                   "a: one #2": "pass", "four": "skip"})
        self.assertEqual(self.judge("\nEXIT: STATUS=77\n"), {"": "skip"})
        self.assertEqual(self.judge("\nEXIT: STATUS=127\n"), {"": "fail"})
        self.assertEqual(self.judge("PASS: x\n", 124), {"": "fail", "x": "pass"})
        self.assertEqual(self.judge("", None), {"": "timeout"})

    def test_number_of_checks(self):
        results = [Result("juno/a", "jit", "pass"), Result("juno/a: one", "jit", "pass")]
        found = compare.compare(results, expected.Expected(counts={"juno/a": 2}))
        self.assertEqual([(d.what, d.name, d.text) for d in found], [("other number of checks", "juno/a", "1, where 2 were expected")])
        self.assertEqual(compare.compare(results, expected.Expected(counts={"juno/a": 1})), [])

    def test_brackets_are_no_pattern(self):
        row = expected.Row("juno/a: two [3]*", "fail", "same", None, "")
        self.assertTrue(row.matches(Result("juno/a: two [3]", "jit", "fail")))
        self.assertFalse(row.matches(Result("juno/a: two 3", "jit", "fail")))

    def test_wrong_expectations(self):
        with tempfile.TemporaryDirectory() as work:
            for text in ("name\n", "[fail]\nname\n", "[pass] why\n", "[fail, qemu maybe] why\n", "[checks]\nmany juno/a\n", "[fail\n"):
                file = Path(work) / "e.txt"
                file.write_text(text)
                with self.assertRaises(SuiteError, msg=text):
                    expected.read(file)

    def test_ours_can_be_read(self):
        for file in (ROOT / "tests/suites").glob("*.txt"):
            self.assertTrue((ROOT / "scripts/suite/kinds" / f"{file.stem.replace('-', '_')}.py").exists(), file)
            expected.read(file)

    def test_table_of_no_results(self):
        self.assertEqual(report.table([]), "| suite | group | mode | passes | as QEMU |\n|---|---|---|---|---|")


if __name__ == "__main__":
    unittest.main()
