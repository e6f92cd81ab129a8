"""scripts/check-commits finds the faults of a commit's message."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts/check-commits"
GOOD = "runtime/dev: raise the interrupt on the edge\n\nLinux waits for the next one."
BODY = "\n\nBecause of this."


class Messages(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.git("init", "-q")
        self.commit("the first one, which nobody checks")
        self.base = self.git("rev-parse", "HEAD").strip()

    def git(self, *arguments):
        who = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_AUTHOR_NAME": "n", "GIT_AUTHOR_EMAIL": "e",
               "GIT_COMMITTER_NAME": "n", "GIT_COMMITTER_EMAIL": "e"}
        return subprocess.run(["git", *arguments], cwd=self.folder.name, env={**os.environ, **who}, check=True,
                              capture_output=True, text=True).stdout

    def commit(self, message):
        self.git("commit", "-q", "--allow-empty", "-m", message)

    def check(self, *messages, base=None):
        """The status of the script for commits with these messages, and what it printed."""
        for message in messages:
            self.commit(message)
        run = subprocess.run([sys.executable, "-B", SCRIPT, base or self.base], cwd=self.folder.name,
                             capture_output=True, text=True, check=False)
        return run.returncode, run.stdout + run.stderr

    def test_good_messages_pass(self):
        status, out = self.check(GOOD, "gencc/ir, gencc/emit: share what x86 needs" + BODY,
                                 "docs: address readers by task" + BODY)
        self.assertEqual((status, out), (0, "check-commits: 3 commits, 0 faults\n"))

    def test_each_fault_is_named(self):
        for message, fault in [
                ("raise the interrupt" + BODY, "is not \"room: what changes\""),
                ("dev: raise " + 62 * "x" + BODY, "has 73 columns"),
                ("dev: what raises it" + BODY, "'what' is not an imperative"),
                ("dev: raised the interrupt" + BODY, "'raised' is not an imperative"),
                ("dev: raises the interrupt" + BODY, "'raises' is not an imperative"),
                ("dev: raising the interrupt" + BODY, "'raising' is not an imperative"),
                ("dev: raise it", "no body"),
                ("dev: raise it\nnow\n\nBecause of this.", "second line is not blank"),
                ("dev: raise it\n\nBecause " + 13 * "of it ", "more than 72 columns"),
        ]:
            with self.subTest(message):
                status, out = self.check(message)
                self.assertEqual(status, 1)
                self.assertIn(fault, out)
                self.assertIn("1 commits, 1 faults", out)
                self.git("reset", "-q", "--hard", self.base)

    def test_the_longest_line_that_passes(self):
        self.assertEqual(self.check("dev: raise " + 61 * "x" + BODY)[0], 0)

    def test_an_address_in_the_body_cannot_be_wrapped(self):
        self.assertEqual(self.check("dev: raise it\n\nSee\n" + 80 * "x")[0], 0)

    def test_only_what_follows_the_base_is_checked(self):
        self.commit("bad")
        status, out = self.check(GOOD, base="HEAD~1")
        self.assertEqual((status, out), (0, "check-commits: 1 commits, 0 faults\n"))

    def test_an_unknown_base_is_an_error(self):
        status, out = self.check(base="0123456")
        self.assertEqual(status, 2)
        self.assertIn("no commit '0123456'", out)


if __name__ == "__main__":
    unittest.main()
