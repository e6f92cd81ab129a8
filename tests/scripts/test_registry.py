"""scripts/guest/registry.py: the source of the index if a registry is out of step."""
import contextlib
import io
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts/guest"))
import registry  # noqa: E402

STALE = ("E: Failed to fetch file://user:secret@host/Packages.xz  File has unexpected size "
         "(9246492 != 9246996). Mirror sync in progress?\n")
OFFLINE = "E: Could not resolve 'host'\n"


class Index(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = scratch.name
        self.asked, self.naps = [], []

    def apt(self, said, codename):
        """An apt-get whose `update` prints said(suite), or writes the lists of codename(suite)."""
        def run(command, **_):
            folder = Path(re.match("-c=(.*)/apt.conf", command[1])[1])
            suite = re.search("Suites: (.*)", (folder / "guest.sources").read_text())[1]
            self.asked.append((suite, any("No-Cache" in word for word in command)))
            error = said(suite)
            for file in (folder / "state/lists").glob("*_dists_*"):
                file.unlink()
            if not error:
                name = folder / f"state/lists/host_debian_dists_{suite}"
                Path(f"{name}_InRelease").write_text(f"Codename: {codename(suite)}\n")
                Path(f"{name}_main_binary-armhf_Packages.lz4").touch()
            return subprocess.CompletedProcess(command, 100 if error else 0, stderr=error)
        return run

    def refresh(self, said, codename=lambda _: "trixie", use=registry.Registry.refresh,
                suite="trixie"):
        out = io.StringIO()
        with mock.patch.object(registry.subprocess, "run", self.apt(said, codename)), \
                mock.patch.object(registry.time, "sleep", self.naps.append), \
                mock.patch.object(registry, "find_registry",
                                  lambda: ("file://user:secret@host/debian", None)), \
                contextlib.redirect_stdout(out):
            use(registry.Registry(self.scratch, "armhf", suite))
        return out.getvalue()

    def test_delivered(self):
        self.assertEqual(self.refresh(lambda _: ""), "")
        self.assertEqual((self.asked, self.naps), ([("trixie", False)], []))

    def test_another_name_has_the_earlier_publication(self):
        self.refresh(lambda suite: STALE if suite == "trixie" else "")
        self.assertEqual((self.asked, self.naps), ([("trixie", False), ("stable", False)], []))
        self.refresh(lambda _: OFFLINE, use=registry.Registry.ensure_index)
        self.assertEqual(len(self.asked), 2, "what is kept is used, under the name it has")

    def test_backports_have_their_own_names_and_folder(self):
        self.refresh(lambda _: "")
        self.refresh(lambda suite: STALE if suite == "trixie-backports" else "",
                     lambda _: "trixie-backports", registry.Registry.ensure_index,
                     "trixie-backports")
        self.assertEqual([suite for suite, _ in self.asked],
                         ["trixie", "trixie-backports", "stable-backports"])

    def test_another_name_of_another_release_is_not_taken(self):
        with self.assertRaisesRegex(registry.RegistryError, "armhf.*unexpected size"):
            self.refresh(lambda suite: STALE if suite == "trixie" else "", lambda _: "forky")
        self.refresh(lambda suite: STALE if suite == "trixie" else "",
                     {"stable": "forky", "oldstable": "trixie"}.get)
        self.assertEqual(self.asked[-1][0], "oldstable")

    def test_asked_again_past_the_caches(self):
        left = [STALE] * len(registry.SUITE_NAMES)
        said = self.refresh(lambda _: left.pop() if left else "")
        self.assertEqual(self.naps, [registry.PATIENCE[1]])
        self.assertEqual(self.asked[-1], ("trixie", True))
        self.assertIn("asked again in 15 s", said)

    def test_patience_ends(self):
        with self.assertRaisesRegex(registry.RegistryError, "armhf.*unexpected size") as error:
            self.refresh(lambda _: STALE)
        self.assertNotIn("secret", str(error.exception))
        self.assertEqual(self.naps, list(registry.PATIENCE[1:]))

    def test_no_network_is_said_at_once(self):
        with self.assertRaisesRegex(registry.RegistryError, "Could not resolve"):
            self.refresh(lambda _: OFFLINE)
        self.assertEqual((len(self.asked), self.naps), (1, []))


if __name__ == "__main__":
    unittest.main()
