#!/usr/bin/env python3
"""The reference of all shipped descriptions, as `gencc doc` writes it:

    pages.py GENCC DTB… -- FILE.ac…

Every page is well-formed XML (so every tag is closed and everything is escaped); ids are unique
within a page; every link, and every entry of the search, leads to an existing page and id; no
address is absolute or on another host. Every encoding (`gencc dump --stage model`) is on exactly
one page, once. Two runs write the same bytes, which contain no path of this machine. A description
whose texts are full of HTML is shown as text."""
import filecmp
import json
import posixpath
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path
from urllib.parse import urldefrag

GENCC = sys.argv[1]
ROOT = Path(__file__).resolve().parents[2]
MACHINES = sys.argv[2:sys.argv.index("--")]
FILES = sys.argv[sys.argv.index("--") + 1:]


def parse(name, text):
    try:
        return ET.fromstring(text)
    except ET.ParseError as error:
        line, column = error.position
        raise AssertionError(f"{name}: {error}: {text.splitlines()[line - 1][max(0, column - 60):column + 40]}") \
            from error


def write(folder, files):
    done = subprocess.run([GENCC, "doc", "-o", folder, *files], capture_output=True, text=True, timeout=120)
    if done.returncode or done.stderr:
        raise AssertionError(f"status {done.returncode}: {done.stderr}")


def encodings(path):
    """Returns {(architecture, ISA): names of forms} from the model."""
    text = subprocess.run([GENCC, "dump", "--stage", "model", path], capture_output=True, text=True,
                          timeout=60, check=True).stdout
    arch = re.match(r"architecture (\w+)", text)[1]
    found, isa = {}, None
    for line in text.splitlines():
        if line.startswith("isa "):
            isa = line.split()[1]
        form = re.match(r"  form (\w+) ", line)
        if form:
            found.setdefault((arch, isa), []).append(form[1])
    return found


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = Path(cls.folder.name) / "site"
        write(cls.root, [*FILES, *MACHINES])
        cls.texts = {str(p.relative_to(cls.root)): p.read_text() for p in cls.root.rglob("*.html")}
        cls.trees = {name: parse(name, text) for name, text in cls.texts.items()}
        cls.ids = {name: [e.get("id") for e in tree.iter() if e.get("id")]
                   for name, tree in cls.trees.items()}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_ids_are_unique(self):
        self.assertGreater(len(self.texts), 100)
        twice = [f"{name}#{i}" for name, ids in self.ids.items() for i, n in Counter(ids).items() if n > 1]
        self.assertEqual(twice[:20], [])

    def exists(self, path, anchor):
        if path.endswith(".html"):
            return path in self.ids and (not anchor or anchor in self.sets[path])
        return (self.root / path).is_file()

    def test_links_lead_somewhere(self):
        dead, count = [], 0
        self.sets = {name: set(ids) for name, ids in self.ids.items()}
        for name, tree in self.trees.items():
            for element in tree.iter():
                address = element.get("href") or element.get("src")
                if not address:
                    continue
                target, anchor = urldefrag(address)
                path = posixpath.normpath(posixpath.join(posixpath.dirname(name), target)) if target else name
                count += 1
                if path.startswith("..") or not self.exists(path, anchor):
                    dead.append(f"{name}: {address}")
        self.assertGreater(count, 10000)
        self.assertEqual(dead[:20], [])

    def test_search_leads_somewhere(self):
        self.sets = {name: set(ids) for name, ids in self.ids.items()}
        lines = (self.root / "assets/index.js").read_text().splitlines()
        entries = json.loads("[" + "".join(lines[1:-1]).rstrip(",") + "]")
        self.assertEqual([lines[0], lines[-1]], ["const entries = [", "];"])
        self.assertGreater(len(entries), 3000)
        self.assertEqual([e for e in entries if not self.exists(*urldefrag(e[3]))][:20], [])
        self.assertIn("add_imm", [e[0] for e in entries])

    def test_every_encoding_once(self):
        total = 0
        for path in FILES:
            if "AC_ARCH" not in Path(path).read_text():
                continue
            for (arch, isa), forms in encodings(path).items():
                shown = Counter(form for name, text in self.texts.items() if name.startswith(f"{arch}/{isa}/")
                                for form in re.findall(r'data-form="([^"]*)"', text))
                self.assertEqual(shown, Counter(forms), f"{arch} {isa}")
                total += len(forms)
        self.assertGreater(total, 5000)

    def test_timings_and_abi(self):
        """What ac_timing and ac_abi say, against numbers that are computed by hand."""
        rows = [["".join(c.itertext()) for c in row] for row in self.trees["mipsel/index.html"].iter("tr")]
        self.assertIn(["system", "cycles 2", "8"], rows)           # ticks 4
        self.assertIn(["load", "latency 2", "6"], rows)            # a slot of 4, half of a cycle
        self.assertIn("100 MHz, 4 ticks per cycle, issue 1.", self.texts["mipsel/index.html"])
        rows = [["".join(c.itertext()) for c in row] for row in self.trees["mipsel/abi.html"].iter("tr")]
        self.assertIn(["tls", "USER_LOCAL"], rows)
        self.assertIn(["arguments", "R4, R5, R6, R7"], rows)
        blocks = {e.get("id"): "".join(e.itertext()) for e in self.trees["mipsel/abi.html"].iter("section")}
        self.assertIn("fault 5 : SIGBUS code 1;", blocks["abi0exceptions"])

    def test_alone(self):
        """No content from another host, no path from the root, no script or style within a page."""
        bad = []
        for name, tree in self.trees.items():
            for e in tree.iter():
                address = e.get("href") or e.get("src") or ""
                if re.match(r"[a-z]+:|/", address) or (e.tag in ("script", "style") and (e.text or "").strip()):
                    bad.append(f"{name}: {e.tag} {address}")
        self.assertEqual(bad, [])
        assets = "".join(p.read_text() for p in (self.root / "assets").iterdir())
        self.assertNotRegex(assets.replace("https:\\u002f", ""), r"@import|\bfetch\(|url\(")

    def test_reproducible(self):
        again = Path(self.folder.name) / "elsewhere"
        write(again, [*FILES, *MACHINES])
        names = [str(p.relative_to(self.root)) for p in self.root.rglob("*") if p.is_file()]
        _, differ, missing = filecmp.cmpfiles(self.root, again, names, shallow=False)
        self.assertEqual((differ, missing), ([], []))
        self.assertEqual([n for n, text in self.texts.items() if str(ROOT) in text], [])

    def test_escapes(self):
        """Texts, comments and maps that contain characters of HTML."""
        folder = Path(self.folder.name) / "hostile"
        folder.mkdir()
        for name in ("rv64.ac", "rv64i.ac", "rv64i.genc"):
            text = (ROOT / "descriptions/tutorial" / name).read_text()
            text = text.replace('asm "addi ', '// <b>&amp;</i> "quoted" </script>\n        asm "<add&i> ')
            text = text.replace("execute(addi)", "// <script>alert(1)</script> & more\nexecute(addi)")
            text = "// <h1>Head</h1> & \"all\".\n" + text
            (folder / name).write_text(text)
        write(folder / "site", [folder / "rv64.ac"])
        pages = {p: parse(p, p.read_text()) for p in (folder / "site").rglob("*.html")}
        self.assertEqual([p for p, tree in pages.items() if tree.findall(".//main//script")], [])
        whole = "".join("".join(tree.itertext()) for tree in pages.values())
        self.assertIn("<add&i> ", whole)
        self.assertIn('<h1>Head</h1> & "all"', whole)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
