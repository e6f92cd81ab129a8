#!/usr/bin/env python3
"""mali-run -check finds the mistake of each kernel of faulty.cl, and none in right.cl and the open snapshots.

tests/mali/snapshots/checked/kernels.tar.xz has what Mesa 25.0.7 submitted for the launches of `list`, on two GPUs:

    scripts/gpu-capture tests/check/list --gpu g72 --out FOLDER
    scripts/gpu-capture tests/check/list --gpu t860 --out FOLDER
    tests/check/run.py --mali-run build/bin/mali-run --pack FOLDER
"""
import argparse
import io
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ARCHIVE = HERE.parent / "mali/snapshots/checked/kernels.tar.xz"
KINDS = {"race in": "race", "race of work-groups": "groups", "local memory is read": "unwritten",
         "private memory is read": "unwritten", "access beside": "outside", "misaligned": "misaligned",
         "divergent barrier": "barrier"}
OPTIONS = None


def check(path, *words):
    """Returns the exit status, the kinds that were found, and the text."""
    done = subprocess.run([OPTIONS.mali_run, path, "-check", *words], capture_output=True, text=True, timeout=120,
                          check=False)
    kinds = {kind for line in done.stdout.splitlines() for begin, kind in KINDS.items()
             if line.startswith(f"check: {begin}")}
    return done.returncode, kinds, done.stdout + done.stderr


def expectations():
    """Returns per name the kinds that must be found, and those that may."""
    out = {}
    for line in (HERE / "expected").read_text().splitlines():
        if line and not line.startswith("#"):
            name, *kinds = line.split()
            must = {kind for kind in kinds if not kind.startswith("[")}
            out[name] = must, must | {kind.strip("[]") for kind in kinds}
    return out


class Kernels(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="gencc-check-")
        with tarfile.open(ARCHIVE) as archive:
            archive.extractall(self.folder.name)
        self.files = sorted(pathlib.Path(self.folder.name).glob("*.snap.elf"))

    def tearDown(self):
        self.folder.cleanup()

    def test_kernels(self):
        expected = expectations()
        self.assertGreater(len(self.files), 170)
        for path in self.files:
            name, gpu = path.name.split(".")[:2]
            must, may = expected.get(f"{name}.{gpu}", expected.get(name, (set(), set())))
            with self.subTest(kernel=name, gpu=gpu):
                self.assertTrue(name.startswith("right_") or name in expected)
                status, kinds, text = check(path)
                self.assertTrue(must <= kinds <= may, f"{sorted(kinds)} for {sorted(must)}\n{text[:2000]}")
                self.assertEqual(status, 1 if must else 0, text)

    def test_places(self):
        text = check(pathlib.Path(self.folder.name) / "read_behind.g72.snap.elf")[2]
        self.assertIn("work-item (255,0,0) reads 4 bytes", text)
        self.assertIn("that ends 4 bytes behind argument 0, which has 1024 bytes", text)
        text = check(pathlib.Path(self.folder.name) / "early_return.g72.snap.elf")[2]
        self.assertRegex(text, r"work-item \(200,0,0\) does not reach it")
        text = check(pathlib.Path(self.folder.name) / "half_written.g72.snap.elf")[2]
        self.assertRegex(text, r"byte 252 of local memory")
        self.assertRegex(text, r"128 times, in 4 of 4 work-groups")

    def test_threads(self):
        """What is found does not depend on host threads."""
        for name in "global_histogram", "scan_in_place", "barrier_of_odd":
            path = pathlib.Path(self.folder.name) / f"{name}.g72.snap.elf"
            self.assertEqual(check(path)[2], check(path, "-threads", "4")[2])


class Snapshots(unittest.TestCase):
    def test_open_snapshots(self):
        files = [path for gpu in ("G72", "T860") for path in sorted(OPTIONS.cases.glob(f"*.{gpu}.snap.elf"))]
        self.assertGreater(len(files), 50)
        for path in files:
            with self.subTest(path=path.name):
                status, kinds, text = check(path)
                self.assertEqual((status, kinds), (0, set()), text[:2000])
                self.assertIn("check: 0 findings", text)

    def test_options(self):
        path = OPTIONS.cases / "reduce.G72.snap.elf"
        for other in (["-repeat", "2"], ["-report", "x"], ["-timing", "detailed"]):
            status, _, text = check(path, *other)
            self.assertEqual(status, 2, text)
            self.assertRegex(text, "-check is not for")


def pack(folder):
    """Makes the archive of a folder's snapshots."""
    with tarfile.open(ARCHIVE, "w:xz", preset=9) as archive:
        for path in sorted(folder.glob("*.snap.elf")):
            entry = tarfile.TarInfo(path.name)
            body = path.read_bytes()
            entry.size = len(body)
            archive.addfile(entry, io.BytesIO(body))
    print(f"{ARCHIVE}: {ARCHIVE.stat().st_size} bytes")


def main():
    global OPTIONS
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mali-run", required=True)
    parser.add_argument("--cases", type=pathlib.Path, help="open snapshots")
    parser.add_argument("--pack", metavar="FOLDER", type=pathlib.Path, help="make kernels.tar.xz of this folder")
    OPTIONS, rest = parser.parse_known_args()
    if OPTIONS.pack:
        return pack(OPTIONS.pack)
    return unittest.main(argv=sys.argv[:1] + rest)


if __name__ == "__main__":
    sys.exit(main())
