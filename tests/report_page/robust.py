#!/usr/bin/env python3
"""gencc-report with a report that is broken or foreign: one clear line and status 2, or a page, never a traceback."""
import copy
import json
import pathlib
import random
import sys
import tempfile
import unittest

from common import REST, changed, drawn, main, raw
import comparison
import page
import reading
from trouble import Trouble
from views import flow

REMOVED = object()
VALUES = [None, -1, 0, 1 << 63, 1 << 70, "", "<b>\x00\ud800", [], {}, 1.5, True, 1e308, [0], "0x", REMOVED]


def paths(value, here=()):
    """Of all values; of lists the first two entries."""
    if here:
        yield here
    for key, inner in value.items() if isinstance(value, dict) else list(enumerate(value))[:2] if isinstance(value, list) else ():
        yield from paths(inner, here + (key,))


def put(report, path, value):
    for key in path[:-1]:
        report = report[key]
    if value is REMOVED:
        del report[path[-1]]
    else:
        report[path[-1]] = copy.deepcopy(value)


class Broken(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = pathlib.Path(folder.name)

    def refused(self, text, words, encoding="utf-8"):
        (self.out / "report.json").write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
        said = main(self.out, status=2)
        self.assertRegex(said, r"^gencc-report: [^\n]*\n$")
        self.assertIn(words, said)
        self.assertFalse((self.out / "index.html").exists())

    def test_no_json(self):
        self.assertIn("No such file", main(self.out / "none", status=2))
        self.assertIn("report.json: No such file", main(self.out, status=2))
        for text in "", "{", "[1,", '{"a": NaN}', "[" * 100000, b"\xff\xfe", '{"n": ' + "9" * 5000 + "}":
            self.refused(text, "report.json: not JSON")

    def test_foreign(self):
        for text in "[]", "{}", '{"traceEvents": []}', '{"format": "x", "version": 1}':
            self.refused(text, "not a report of gencc")
        self.refused(json.dumps(raw("vecadd") | {"version": 2}), "version 2 of the format is not known")

    def test_wrong_types_are_named(self):
        for path, value, words in (
                (("kernels", 0, "bundles", 2, "warps"), "9", "kernels[0].bundles[2].warps: a count is expected, a string is there"),
                (("kernels", 0, "bundles"), {}, "kernels[0].bundles: a list is expected, an object is there"),
                (("kernels", 0, "jobs"), 1.5, "kernels[0].jobs: a count is expected, a number is there"),
                (("kernels", 0, "jobs"), True, "kernels[0].jobs: a count is expected, true or false is there"),
                (("kernels", 0, "jobs"), -1, "kernels[0].jobs: a count is out of range"),
                (("kernels", 0, "timing", "model_cycles"), True, "model_cycles: a number is expected, true or false is there"),
                (("kernels", 0, "id"), "../../x", "kernels[0].id: an identity of letters"),
                (("kernels", 0, "blocks", 0, "count"), 4, "kernels[0].blocks[0]: 3 is beyond the last, 2"),
                (("kernels", 0, "edges", 0, "to"), 1, "kernels[0].edges[0].to: 1 is beyond the last, 0"),
                (("kernels", 0, "accesses", 0, "strides", 0, 0), "4", "strides[0]: a number of bytes"),
                (("gpu", "name"), REMOVED, "gpu: name is missing"), (("kernels",), REMOVED, "kernels is missing")):
            report = raw("vecadd")
            put(report, path, value)
            self.refused(json.dumps(report), words)
        self.refused(json.dumps(changed("vecadd", (("kernels",), [raw("vecadd")["kernels"][0]] * 2))), "kernels[1].id: k0 is there twice")

    def test_frames(self):
        for path, value, words in (
                (("frames", 1, "overdraw"), "overdraw-0.png", "frames[1].overdraw: overdraw-1.png is expected"),
                (("frames", 1, "overdraw"), "../overdraw-1.png", "frames[1].overdraw: overdraw-1.png is expected"),
                (("frames", 0, "width"), 65537, "frames[0].width: more than 65536 pixels"),
                (("frames", 0, "height"), REMOVED, "frames[0]: height is missing"),
                (("frames", 1, "draws", 1, "shader"), "<b>", "frames[1].draws[1].shader: an address"),
                (("frames", 1, "draws", 0, "fragments"), -1, "frames[1].draws[0].fragments: a count is out of range"),
                (("frames",), 257 * [{"width": 1, "height": 1}], "frames: 257 entries are too many")):
            report = drawn()
            put(report, path, value)
            self.refused(json.dumps(report), words)

    def test_timeline(self):
        (self.out / "report.json").write_text(json.dumps(raw("vecadd")))
        for events in {"traceEvents": [{"ph": "X", "ts": "now"}]}, {"traceEvents": 3}, [{"ph": 1}], {}:
            (self.out / "timeline.json").write_text(json.dumps(events))
            self.assertRegex(main(self.out, status=2), r"^gencc-report: \S+timeline\.json: traceEvents.*\n$")

    def test_out_of_order_values_make_a_page_or_trouble(self):
        """A sample of all values replaced by others, one at a time."""
        rng, pages = random.Random(31), 0
        for report, many, inside in (raw("vecadd"), 140, ()), (raw("reduce"), 40, ()), (drawn(), 60, ("frames",)):
            everywhere = [path for path in paths(report) if path[:len(inside)] == inside]
            for path in rng.sample(everywhere, min(many, len(everywhere))):
                broken = copy.deepcopy(report)
                put(broken, path, rng.choice(VALUES))
                try:
                    found = reading.check(broken)
                except Trouble:
                    continue
                pages += 1
                with self.subTest(path=path):
                    page.render(found).encode()
                    comparison.render([found, found], ["a", "b"]).encode()
                    for kernel in found["kernels"]:
                        (flow.file(kernel, found) or "").encode()
        self.assertGreater(pages, 30)


if __name__ == "__main__":
    sys.exit(unittest.main(argv=[sys.argv[0], *REST]))
