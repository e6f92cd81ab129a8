"""scripts/fetch-suite from folders, archives and git repositories of a made suite."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

FETCH = pathlib.Path(__file__).resolve().parents[2] / "scripts/fetch-suite"


class FetchSuite(unittest.TestCase):
    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.work)
        self.source = self.work / "there/gpu-rodinia"
        for path in ("opencl/bfs/Kernels.cl", "opencl/nn/nearestNeighbor_kernel.cl", "opencl/nn/main.c"):
            (self.source / path).parent.mkdir(parents=True, exist_ok=True)
            (self.source / path).write_text(path)

    def fetch(self, *words, status=0):
        done = subprocess.run([sys.executable, "-B", FETCH, *map(str, words), *(["--to", self.work / "to"] if words else [])],
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout + done.stderr

    def check_rodinia(self, said):
        self.assertIn("2 programs: bfs, nn\n", said)
        self.assertEqual((self.work / "to/rodinia/opencl/nn/main.c").read_text(), "opencl/nn/main.c")
        self.assertEqual([p.name for p in (self.work / "to").iterdir()], ["rodinia"])

    def test_names(self):
        self.assertEqual([line.split()[0] for line in self.fetch().splitlines()], ["rodinia", "parboil", "shoc", "polybench"])

    def test_a_folder(self):
        self.check_rodinia(self.fetch("rodinia", self.source))

    def test_an_archive_with_one_folder_and_again(self):
        archive = shutil.make_archive(str(self.work / "rodinia_3.1"), "gztar", self.work / "there")
        self.fetch("rodinia", archive)
        self.check_rodinia(self.fetch("rodinia", archive))

    def test_a_repository_and_a_commit(self):
        def git(*words):
            return subprocess.run(["git", "-C", self.source, "-c", "user.name=n", "-c", "user.email=e", *words], check=True,
                                  capture_output=True, text=True).stdout.strip()
        git("init", "-q")
        git("add", ".")
        git("commit", "-qm", "first")
        first = git("rev-parse", "HEAD")
        git("rm", "-rq", "opencl/bfs")
        git("commit", "-qm", "second")
        self.assertIn("1 programs: nn\n", self.fetch("rodinia", self.source))
        self.check_rodinia(self.fetch("rodinia", self.source, "--commit", first))

    def test_another_suite(self):
        self.assertIn("this is not SHOC: it has no src/opencl", self.fetch("shoc", self.source, status=1))
        self.assertEqual(list((self.work / "to").iterdir()), [])

    def test_no_mirror(self):
        self.assertIn("A mirror is missing", self.fetch("shoc", status=2))

    def test_nothing_to_build(self):
        self.assertIn("rodinia is missing: where from?", self.fetch("rodinia", "--build", status=1))

    def test_no_image_to_build_with(self):
        said = self.fetch("rodinia", self.source, "--build", "--files", self.work, status=1)
        self.assertRegex(said, "2 programs: bfs, nn\\n(?s:.)*rootfs-arm64-gpu.ext4")

    def test_a_mirror_that_is_not_there(self):
        self.assertIn("git clone", self.fetch("shoc", self.work / "nothing", status=1))


if __name__ == "__main__":
    unittest.main()
