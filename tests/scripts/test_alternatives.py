"""scripts/guest/alternatives.py makes the links of Debian's own postinst files; update-alternatives
can read its records."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts/guest"))
import alternatives  # noqa: E402

# Calls as in dh's and in hand-written scripts of Debian.
SCRIPTS = {
    "libblas3:arm64": """#!/bin/sh
set -e
update-alternatives --install /usr/lib/aarch64-linux-gnu/libblas.so.3 \\
                    libblas.so.3-aarch64-linux-gnu /usr/lib/aarch64-linux-gnu/blas/libblas.so.3 10
""",
    "less": """case "$1" in
  configure)
    update-alternatives --quiet --install /usr/bin/pager pager \\
      /usr/bin/less 77 --slave /usr/share/man/man1/pager.1.gz \\
      pager.1.gz /usr/share/man/man1/less.1.gz
  ;;
esac
""",
    "util-linux": """update-alternatives --install /usr/bin/pager pager /bin/more 50 \\
\t--slave /usr/share/man/man1/pager.1.gz pager.1.gz \\
\t/usr/share/man/man1/more.1.gz
""",
    "xz-utils": """update-alternatives --install /usr/bin/lzma lzma /usr/bin/xz 20 $(
\tslave /usr/bin unlzma unxz
\t)
""",
    "bash": "update-alternatives --install /usr/share/man/b.gz b.gz /usr/share/man/nowhere.gz 10 || true\n",
    "computed": 'update-alternatives --install "$BIN" name /usr/bin/less 10\n'
                "update-alternatives --remove pager /usr/bin/less\n"
                "echo 'a quotation of\nupdate-alternatives\n'\n",
}
FILES = ["usr/lib/aarch64-linux-gnu/blas/libblas.so.3", "usr/bin/less", "usr/bin/more", "usr/bin/xz",
         "usr/share/man/man1/less.1.gz"]


class Alternatives(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = Path(scratch.name)
        for name in FILES:
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(name)
        (self.root / "bin").symlink_to("usr/bin")
        info = self.root / "var/lib/dpkg/info"
        info.mkdir(parents=True)
        for name, text in SCRIPTS.items():
            (info / f"{name}.postinst").write_text(text)
        alternatives.set_up(self.root)

    def target(self, link):
        """Returns the target of a link in the guest, through /etc/alternatives."""
        middle = os.readlink(self.root / link)
        self.assertTrue(middle.startswith("/etc/alternatives/"), middle)
        return os.readlink(self.root / middle.lstrip("/"))

    def test_library(self):
        self.assertEqual(self.target("usr/lib/aarch64-linux-gnu/libblas.so.3"),
                         "/usr/lib/aarch64-linux-gnu/blas/libblas.so.3")

    def test_the_highest_priority_wins(self):
        self.assertEqual(self.target("usr/bin/pager"), "/usr/bin/less")
        self.assertEqual(self.target("usr/share/man/man1/pager.1.gz"), "/usr/share/man/man1/less.1.gz")

    def test_what_the_shell_computes_is_left_out(self):
        self.assertEqual(self.target("usr/bin/lzma"), "/usr/bin/xz")
        self.assertFalse((self.root / "usr/bin/unlzma").is_symlink())

    def test_only_what_is_there(self):
        self.assertFalse((self.root / "usr/share/man/b.gz").is_symlink())
        self.assertEqual(sorted(path.name for path in (self.root / "etc/alternatives").iterdir()),
                         ["libblas.so.3-aarch64-linux-gnu", "lzma", "pager", "pager.1.gz"])

    def test_files_of_packages_stay(self):
        (self.root / "usr/bin/lzma").unlink()
        (self.root / "usr/bin/lzma").write_text("a program")
        alternatives.set_up(self.root)
        self.assertEqual((self.root / "usr/bin/lzma").read_text(), "a program")

    def test_update_alternatives_reads_the_record(self):
        tool = shutil.which("update-alternatives")
        self.assertIsNotNone(tool, "update-alternatives is a part of dpkg")
        done = subprocess.run([tool, "--root", str(self.root), "--query", "pager"],
                              capture_output=True, text=True, check=True)
        self.assertIn("Link: /usr/bin/pager\n", done.stdout)
        self.assertIn("Best: /usr/bin/less\n", done.stdout)
        self.assertIn("Value: /usr/bin/less\n", done.stdout)
        self.assertIn("Alternative: /bin/more\nPriority: 50\n", done.stdout)


if __name__ == "__main__":
    unittest.main()
