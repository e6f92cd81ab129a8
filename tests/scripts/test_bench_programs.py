"""bench/programs/run with made packages and simulators that only say what they were given."""
import hashlib
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "bench/programs"
sys.path.insert(0, str(FOLDER))
import inputs  # noqa: E402
from programs import PROGRAMS  # noqa: E402


def script(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return path


class BenchPrograms(unittest.TestCase):
    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.work)
        names = sorted({name for program in PROGRAMS.values() for name in program.package.split(",")})
        digest = hashlib.sha256(" ".join(names).encode()).hexdigest()[:12]
        self.guest = self.work / f"cache/arm64-{digest}"
        self.guest.mkdir(parents=True)
        self.host = self.work / f"cache/amd64-{digest}"
        self.host.mkdir()
        self.tools = self.work / "tools"
        script(self.tools / "unshare", 'echo "$*" >"$0.said"\n')
        (self.work / "cache/inputs").mkdir()
        for name in inputs.MADE:
            (self.work / "cache/inputs" / name).touch()
        # Both answer with the words behind the program's folder, and with the folder that they run in.
        answer = 'while [ "$1" != -L ]; do shift; done; shift 3; echo "$(basename "$PWD") $*"\n'
        self.ours = script(self.work / "ours", answer)
        self.theirs = script(self.work / "theirs", f'[ "$1" = --version ] && echo made-up 1.0 && exit\n{answer}')

    def run_bench(self, *words, status=0):
        done = subprocess.run([sys.executable, "-B", FOLDER / "run", "--cache", self.work / "cache", "--user", self.ours, "--qemu",
                               self.theirs, "--repeat", "1", *words], capture_output=True, text=True, timeout=60, check=False,
                              env={**os.environ, "PATH": f"{self.tools}:{os.environ['PATH']}"})
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def test_rows_and_means(self):
        said = self.run_bench("bzip2", "flac")
        rows = [line.split()[0] for line in said.splitlines()[3:]]
        self.assertEqual(rows, ["bzip2", "flac", "all", "integer", "floating"], said)
        self.assertEqual((self.tools / "unshare.said").read_text(),
                         f"--map-root-user --fork --pid --mount-proc --root {self.host} --wd /inputs /usr/bin/flac -s -8 -c sound.wav\n")

    def test_another_output_is_an_error(self):
        self.theirs.write_text(self.theirs.read_text() + "echo and more\n")
        self.assertIn("bzip2: the outputs differ", self.run_bench("bzip2", status=1))

    def test_lines_that_tell_times_are_no_result(self):
        self.theirs.write_text(self.theirs.read_text() + "echo took 3 s\n")
        self.run_bench("ngspice")
        self.theirs.write_text(self.theirs.read_text() + "printf '1\\t2\\n'\n")
        self.assertIn("ngspice: the outputs differ", self.run_bench("ngspice", status=1))

    def test_a_simulator_that_fails(self):
        self.ours.write_text("#!/bin/sh\nexit 3\n")
        self.assertIn("status 3: ", self.run_bench("bzip2", status=1))

    def test_a_program_that_is_not_there(self):
        self.assertIn("no program is called ed; --list names them", self.run_bench("ed", status=2))

    def test_the_list(self):
        self.assertEqual([line.split()[0] for line in self.run_bench("--list").splitlines()], list(PROGRAMS))

    def test_inputs_are_alike_each_time(self):
        for name in ("pigeons.smt2", "transport.lp"):
            made = []
            for _ in range(2):
                with tempfile.TemporaryFile() as file:
                    inputs.MADE[name](file, random.Random(name))
                    file.seek(0)
                    made.append(file.read())
            self.assertEqual(made[0], made[1])
            self.assertGreater(len(made[0]), 1000)


if __name__ == "__main__":
    unittest.main()
