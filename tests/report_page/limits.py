#!/usr/bin/env python3
"""gencc-report check: what grew beyond a limit is named, with the line that grew most."""
import json
import os
import pathlib
import re
import stat
import sys
import tempfile
import unittest

from common import ARGS, CASES, REST, ROOT, changed, main, program, raw
import checking
import measures


def dearer(bundle, factor):
    """The case with one bundle that costs `factor` times as much, and the kernel with it."""
    report = raw("vecadd")
    kernel = report["kernels"][0]
    account, whole = kernel["bundles"][bundle]["account"], kernel["timing"]["engine_cycles"]
    more = {cause: value * (factor - 1) for cause, value in account.items()}
    for cause, value in more.items():
        account[cause] += value
        whole[cause] += value
    kernel["timing"]["model_cycles"] += sum(more.values()) / 36
    return report


class Check(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = pathlib.Path(folder.name)
        self.baseline = self.out / "baseline.json"
        self.put("a", raw("vecadd"))
        self.assertEqual(main("check", self.baseline, self.out / "a", "--update"), f"{self.baseline}: 1 kernel written\n")

    def put(self, name, report):
        (self.out / name).mkdir(exist_ok=True)
        (self.out / name / "report.json").write_text(json.dumps(report))
        return self.out / name

    def check(self, report, *more, status=1):
        return main("check", self.baseline, self.put("b", report), *more, status=status)

    def test_nothing_grew(self):
        self.assertEqual(self.check(raw("vecadd"), status=0), "1 kernel, all within their limits\n")
        self.assertEqual(self.check(dearer(1, 0.5), status=0), "1 kernel, all within their limits\n")

    def test_cycles(self):
        # 8,184 engine cycles more on 36 engines: 618 + 227.3 cycles.
        said = self.check(dearer(1, 2))
        self.assertIn("g72/vecadd: cycles grew from 618 to 845.3 (+36.8 %, limit 5 %); clause_6 grew most, from 8,184 to 16,368\n", said)
        self.assertIn("1 kernel, 1 number beyond a limit", said)
        self.check(dearer(1, 2), "--limit", "cycles=40%", status=0)
        self.check(dearer(1, 2), "--limit", "cycles=228", status=0)
        self.check(dearer(1, 2), "--limit", "cycles=227")
        self.check(dearer(1, 1.13), status=0)

    def test_registers_and_spills(self):
        said = self.check(changed("vecadd", (("kernels", 0, "code", "registers"), 62), (("kernels", 0, "code", "spills"), 2)))
        self.assertRegex(said, r"registers grew from 61 to 62 \(\+1.6 %, limit 0\)\n.*spills grew from 0 to 2 \(limit 0\)\n")
        self.check(changed("vecadd", (("kernels", 0, "code", "registers"), 62)), "--limit", "registers=1", status=0)

    def test_a_new_line_is_named(self):
        report = dearer(2, 3)
        kernel = report["kernels"][0]
        new = {"name": "clause_99", "text": "{\n    *NOP t0\n}", "warps": 256, "lanes": 1024, "block": 0, "account": {"issue": 9000.0}, "lines": [12, 12]}
        kernel["bundles"].insert(1, new)
        kernel["blocks"][0]["count"] = 4
        self.assertIn("clause_99 (source line 12) grew most, from 0 to 9,000", self.check(report))

    def test_a_changed_line_is_compared_with_the_one_in_its_place(self):
        report = dearer(1, 2)
        report["kernels"][0]["bundles"][1]["text"] += " "
        self.assertIn("clause_6 grew most, from 8,184 to 16,368", self.check(report))

    def test_very_long_code_is_compared_by_names(self):
        before = [{"name": f"clause_{n}", "text": "same", "cost": 10} for n in range(3000)]
        now = [bundle | {"cost": 10 + (bundle["name"] == "clause_2999")} for bundle in before]
        self.assertEqual(checking.grown_most(before, now), ("clause_2999", 10, 11, None))
        self.assertEqual(checking.grown_most(before, before), None)

    def test_kernels_that_come_and_go(self):
        other = raw("vecadd")
        other["kernels"][0]["name"] = "other"
        said = self.check(other)
        self.assertIn("g72/other: not in the baseline; --update adds it\n", said)
        self.assertIn("g72/vecadd: in the baseline, and in no report\n", said)
        self.assertTrue(said.endswith("1 kernel, 1 kernel of the baseline missing\n"), said)
        self.assertIn("1 kernel written", main("check", self.baseline, self.out / "b", "--update"))
        main("check", self.baseline, self.out / "a", self.out / "b")

    def test_kernels_without_names_are_counted(self):
        report = raw("vecadd")
        del report["kernels"][0]["name"]
        self.assertIn("b#1: not in the baseline", self.check(report))

    def test_without_a_model_cycles_are_missed(self):
        report = raw("vecadd")
        del report["kernels"][0]["timing"]
        self.assertIn("cycles is in the baseline, 618, and not in the report", self.check(report))

    def test_a_snapshot_is_run(self):
        """By the mali-run beside the program: here one that copies a report."""
        bin_, log = self.out / "bin", self.out / "log"
        bin_.mkdir()
        (bin_ / "gencc-report").write_bytes(pathlib.Path(ARGS.program).read_bytes())
        run = bin_ / "mali-run"
        run.write_text(f'#!/bin/sh\necho "$@" > {log}\nwhile [ "$1" != -report ]; do shift; done\ncp {CASES}/vecadd.json "$2/report.json"\n')
        run.chmod(run.stat().st_mode | stat.S_IXUSR)
        snapshot = self.out / "vecadd.G72.snap.elf"
        snapshot.write_bytes(b"\x7fELF")
        old, ARGS.program = ARGS.program, bin_ / "gencc-report"
        self.addCleanup(setattr, ARGS, "program", old)
        self.assertIn("all within", program("check", self.baseline, snapshot))
        self.assertRegex(log.read_text(), rf"^{re.escape(str(snapshot))} -report \S+ -timing detailed\n$")
        run.write_text("#!/bin/sh\necho no such GPU >&2\nexit 2\n")
        self.assertIn("mali-run ended with status 2: no such GPU", program("check", self.baseline, snapshot, status=2))

    def test_a_beginner_is_told(self):
        none = self.out / "none.json"
        self.assertEqual(main("check", none, self.out / "a", status=2), f"gencc-report: {none} is not there yet; the same command with --update writes it\n")
        said = main("check", "--help", status=0)
        for name, _, _ in measures.MEASURES:
            self.assertIn(name, said)

    def test_errors(self):
        for text in "", "{}", '{"format": "gencc-report-baseline", "version": 1, "kernels": []}', '{"format": "gencc-report-baseline", "version": 1, "kernels": {"a": 1}}':
            self.baseline.write_text(text)
            self.assertRegex(main("check", self.baseline, self.out / "a", status=2), r"^gencc-report: \S+baseline\.json: [^\n]+\n$")
        for limit in "cycles", "cycles=x", "nothing=1", "cycles=-1":
            self.assertIn("NAME=N or NAME=N%", main("check", self.baseline, self.out / "a", "--limit", limit, status=2))

    def test_the_example_of_ci(self):
        """The workflow calls check as it is called here, with files that are named in it."""
        text = (ROOT / "examples/ci/workflow.yml").read_text()
        command = re.search(r"gencc-report check (\S+) (\S+)(.*)", text)
        self.assertEqual(program("check", self.baseline, self.out / "a", *command[3].split()), "1 kernel, all within their limits\n")
        self.assertIn("cmake --preset release", text)
        for script in re.findall(r"gencc/(scripts/\S+)", text):
            self.assertTrue(os.access(ROOT / script, os.X_OK), script)


if __name__ == "__main__":
    sys.exit(unittest.main(argv=[sys.argv[0], *REST]))
