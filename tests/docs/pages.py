#!/usr/bin/env python3
"""Keeps the manual whole: pages.py

Every link of a page leads to an existing file and heading, docs/index.md names every page of the
manual, no page but the language's has more than 400 lines, each page says in its first paragraph
who needs it, no heading is above an empty table, the files that docs/glossary.md names exist, and
so does every page that a file of the tree names as `docs/…` or `bench/results/…`."""
import importlib.machinery
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 400
LONGER = {"docs/describe/genc.md"}  # the language
LINK = re.compile(r"\]\(([^)\s]+)\)")
PAGE = re.compile(r"(?<![\w/.-])(?:docs|bench/results)/[\w/.-]*\.(?:md|svg|png)\b")
NOT_PROSE = ("#", "|", "    ", "```", "![", "- ", "<!--")
# Files in which page names are not checked: fuzz inputs kept as they were found, and names of other
# projects' pages.
LEFT_OUT = re.compile(r"tests/fuzz/corpus/|QEMU docs/|qemu's docs/")


def files():
    """Returns every file that git tracks or would add; of an unpacked archive, all but build
    outputs."""
    git = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True,
                         check=False)
    names = (git.stdout.splitlines() if git.returncode == 0 else
             (str(path.relative_to(ROOT)) for path in ROOT.rglob("*")))
    return [name for name in names
            if not re.match(r"(build|cache|\.git\b)", name) and (ROOT / name).is_file()]


def manual():
    return [name for name in files() if name.startswith("docs/") and name.endswith(".md")]


def pages():
    return [name for name in files() if name.endswith(".md")]


def without_code(text):
    """Returns the text with empty lines in place of code blocks."""
    return re.sub(r"^```.*?^```$|^    [^\n]*$", lambda m: "\n" * m[0].count("\n"), text, flags=re.M | re.S)


def anchors(text):
    """Returns the anchors of the headings, as GitHub makes them."""
    found = {}
    for heading in re.findall(r"^#+ (.*)$", without_code(text), re.M):
        name = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        name = re.sub(r"[^\w\- ]", "", name).replace(" ", "-")
        found[name] = found.get(name, -1) + 1
    return set(found) | {f"{name}-{n}" for name, count in found.items() for n in range(1, count + 1)}


def broken_links(name, text):
    out = []
    for link in LINK.findall(without_code(text)):
        if re.match(r"\w+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (ROOT / name).parent / path if path else ROOT / name
        if not target.exists():
            out.append(f"{name}: {link} leads nowhere")
        elif anchor and anchor not in anchors(target.read_text()):
            out.append(f"{name}: {link}: there is no such heading")
    return out


def first_paragraph(text):
    """Returns the first block after the title, if it is a paragraph."""
    for block in text.split("\n\n")[1:2]:
        return "" if block.startswith(NOT_PROSE) else block
    return ""


def empty_tables(text):
    """Returns headings of tables without rows, and marks with nothing between them."""
    return (re.findall(r"^\|.*\n\|[-|: ]+\n(?!\|)", text, re.M) +
            re.findall(r"<!-- [\w-]+ -->\n<!-- /[\w-]+ -->", text))


# What scripts/fetch-guest makes of a kind for arm64, as a beginning of a file's name.
GUEST_FILES = {"kernel-arm64": "vmlinuz-arm64", "dtb-arm64": "dtb/juno", "initramfs-arm64": "initramfs-arm64.cpio.gz",
               "initramfs-disk-arm64": "initramfs-arm64-disk.cpio.gz", "rootfs-gpu-arm64": "rootfs-arm64-gpu.ext4"}


def missing_when_used(text, kinds, programs):
    """Goes through the commands of a page, with these kinds of guest software and programs to begin with. Returns what a
    command uses before another one makes it."""
    commands = re.findall(r"^    (.*)$", text.replace("\\\n", " "), re.M)
    missing, packages = [], False
    for command in commands:
        packages |= "scripts/setup" in command
        if "cmake --build build" in command:
            missing += [] if packages else ["scripts/setup"]
            programs = None
        if fetched := re.match(r"scripts/fetch-guest(?: --only (\S+))?", command):
            kinds = [*kinds, *(fetched[1] or ",".join(GUEST_FILES)).split(",")]
        missing += [name for name in re.findall(r"build/bin/([\w-]+)", command) if programs is not None and name not in programs]
        missing += [name for name in re.findall(r"cache/guest/(\S+)", command)
                    if not any(name.startswith(GUEST_FILES[kind]) for kind in kinds)]
    return missing


class Pages(unittest.TestCase):
    def test_links(self):
        texts = {name: (ROOT / name).read_text() for name in pages()}
        self.assertGreater(sum(len(LINK.findall(text)) for text in texts.values()), 100)
        self.assertEqual([b for name, text in texts.items() for b in broken_links(name, text)], [])

    def test_index_has_all(self):
        index = (ROOT / "docs/index.md").read_text()
        links = {os.path.normpath(f"docs/{link.partition('#')[0]}") for link in LINK.findall(index)}
        self.assertEqual(sorted(set(manual()) - links - {"docs/index.md"}), [])

    def test_no_page_is_too_long(self):
        lines = {name: len((ROOT / name).read_text().splitlines()) for name in manual()}
        self.assertEqual({name: n for name, n in lines.items() if n > LONGEST and name not in LONGER}, {})

    def test_first_paragraph_says_who_needs_it(self):
        wrong = [name for name in manual()
                 if not re.search(r"\b[Ff]or (anyone|those who|users|readers)\b", first_paragraph((ROOT / name).read_text()))]
        self.assertEqual(wrong, [])

    def test_no_empty_table(self):
        self.assertEqual([name for name in pages() if empty_tables((ROOT / name).read_text())], [])

    def test_tables_that_the_report_fills(self):
        marks = re.findall(r"<!-- ([\w-]+) -->", "".join((ROOT / name).read_text() for name in files()
                                                        if name.startswith("bench/results/") and name.endswith(".md")))
        loader = importlib.machinery.SourceFileLoader("report", str(ROOT / "bench/report"))
        report = importlib.util.module_from_spec(importlib.util.spec_from_loader("report", loader))
        loader.exec_module(report)
        self.assertEqual(sorted(marks), sorted(report.SECTIONS))

    def test_glossary_names_files(self):
        names = re.findall(r"`((?:\w+/)+[\w.]*)`", (ROOT / "docs/glossary.md").read_text())
        self.assertGreater(len(names), 50)
        self.assertEqual([name for name in names if not (ROOT / name).exists()], [])

    def test_pages_that_files_name(self):
        missing = []
        for name in files():
            if (ROOT / name).suffix in (".png", ".gz", ".elf", ".bin"):
                continue
            for number, line in enumerate((ROOT / name).read_text(errors="replace").splitlines(), 1):
                if not LEFT_OUT.search(f"{name}: {line}"):
                    missing += [f"{name}:{number}: {page}" for page in PAGE.findall(line) if not (ROOT / page).exists()]
        self.assertEqual(missing, [])

    def test_commands_after_the_demo(self):
        next_steps = (ROOT / "README.md").read_text().partition("## What you can do next")[2]
        demo = re.search(r"fetch-guest --only (\S+)", (ROOT / "scripts/demo").read_text())[1].split(",")
        self.assertIn("build/bin/juno", next_steps)
        self.assertEqual(missing_when_used(next_steps, demo, {"gencc", "juno", "gencc-report"}), [])

    def test_sees_what_no_command_has_made(self):
        text = ("    build/bin/juno -kernel cache/guest/vmlinuz-arm64 \\\n        -initrd cache/guest/initramfs-arm64.cpio.gz\n"
                "    build/bin/mali-run a\n    cmake --build build\n    build/bin/mali-run a\n")
        self.assertEqual(missing_when_used(text, ["kernel-arm64"], {"juno"}),
                         ["initramfs-arm64.cpio.gz", "mali-run", "scripts/setup"])

    def test_picture_of_the_demo(self):
        """The picture is drawn from what the demo prints; the present one says that the programs'
        results are right."""
        script = ROOT / "docs/pictures/demo.py"
        log = ("boot\r\ndemo: loading the GPU's driver\r\n[ 2.1] a <b>\r\n[ 2.1] a <b>\r\n\x1b[1mvecadd: ok\x1b[0m\r\n"
               "report: x/index.html\n\ndemo: kernel k0: 1 work-groups\ndemo: all that the GPU did is in x/index.html\n")
        with tempfile.NamedTemporaryFile("w", newline="") as file:
            file.write(log)
            file.flush()
            drawn = subprocess.run([sys.executable, "-B", script, file.name], capture_output=True, text=True, check=True).stdout
        lines = [element.text for element in ElementTree.fromstring(drawn).iter() if element.tag.endswith("text")]
        self.assertEqual(lines, ["demo: loading the GPU's driver", "[ 2.1] a <b>", "vecadd: ok",
                                 "demo: kernel k0: 1 work-groups", "demo: all that the GPU did is in x/index.html"])
        there = (ROOT / "docs/pictures/demo.svg").read_text()
        ElementTree.fromstring(there)
        self.assertRegex(there, "vecadd: 4096 elements, 0 wrong.*: ok")

    def test_sees_what_is_bad(self):
        self.assertEqual(anchors("# A *b*, `c`: d\n\n    # no\n\n## Two\n\n## Two\n"), {"a-b-c-d", "two", "two-1"})
        self.assertEqual(broken_links("README.md", "[a](none.md) [b](#none) [c](https://x.example/) [d](README.md)"),
                         ["README.md: none.md leads nowhere", "README.md: #none: there is no such heading"])
        self.assertEqual(first_paragraph("# T\n\n    code\n"), "")
        self.assertEqual(first_paragraph("# T\n\nFor users.\n\nMore.\n"), "For users.")
        self.assertEqual(len(empty_tables("| a |\n|---|\n\n<!-- b -->\n<!-- /b -->\n")), 2)
        self.assertEqual(empty_tables("| a |\n|---|\n| 1 |\n"), [])


if __name__ == "__main__":
    unittest.main()
