"""Snapshots and runs for the tests of the shader debugger."""
import pathlib
import subprocess
import tarfile
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ARCHIVE = HERE.parent / "mali/snapshots/checked/kernels.tar.xz"


class Kernels(unittest.TestCase):
    """Tests with the checked kernels."""

    MALI_RUN = None

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="gencc-debug-")
        with tarfile.open(ARCHIVE) as archive:
            archive.extractall(cls.folder.name)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def kernel(self, name, gpu):
        return str(pathlib.Path(self.folder.name) / f"{name}.{gpu}.snap.elf")

    def run_program(self, *words, text=None, status=0):
        done = subprocess.run([self.MALI_RUN, *words], input=text, capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout

    def debug(self, snapshot, *commands, words=()):
        """Runs commands in the debugger, and returns the answer to each; the first is where it stands at the start."""
        path = [snapshot] if isinstance(snapshot, str) else snapshot
        out = self.run_program(*path, "-debug", *words, text="".join(line + "\n" for line in commands))
        return out.split("(shader) ")
