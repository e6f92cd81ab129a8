"""scripts/guest/registry.py finds the archive in apt's sources, in both of their formats."""
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts/guest"))
import registry  # noqa: E402

DEB822 = """\
# comment
Enabled: no
Types: deb
URIs: http://disabled.example/debian
Suites: bookworm

Types: deb-src
URIs: http://source.example/debian
Suites: bookworm

Types: deb
URIs: http://security.example/debian-security
Suites: bookworm-security
Components: main

Types: deb deb-src
URIs: http://mirror.example/debian
Suites: bookworm bookworm-updates
Components: main
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 mQINB
"""

ONE_LINE = """\
# deb http://commented.example/debian bookworm main
deb-src http://source.example/debian bookworm main
deb http://security.example/debian-security bookworm-security main
  deb [arch=amd64 signed-by=/usr/share/keyrings/k.gpg] http://mirror.example/debian bookworm main
"""


class Sources(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.directory = Path(self.folder.name)
        (self.directory / "sources.list.d").mkdir()
        codename = mock.patch.object(registry, "system_codename", return_value="bookworm")
        codename.start()
        self.addCleanup(codename.stop)

    def write(self, name, text):
        (self.directory / name).write_text(text)

    def test_deb822(self):
        self.write("sources.list.d/debian.sources", DEB822)
        uri, keyring = registry.find_registry(self.directory)
        self.assertEqual(uri, "http://mirror.example/debian")
        self.assertEqual(keyring, "\n -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n mQINB")

    def test_one_line(self):
        self.write("sources.list", ONE_LINE)
        self.assertEqual(registry.find_registry(self.directory),
                         ("http://mirror.example/debian", "/usr/share/keyrings/k.gpg"))

    def test_without_options(self):
        self.write("sources.list", "deb http://mirror.example/debian stable main\n")
        self.assertEqual(registry.find_registry(self.directory),
                         ("http://mirror.example/debian", None))

    def test_other_files_do_not_count(self):
        self.write("sources.list.d/old.list.disabled", ONE_LINE)
        with self.assertRaises(registry.GuestError):
            registry.find_registry(self.directory)

    def test_passwords_are_not_shown(self):
        self.assertEqual(registry.hide_password("at http://user:secret@host.example/debian"),
                         "at http://host.example/debian")


if __name__ == "__main__":
    unittest.main()
