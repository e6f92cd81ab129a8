#!/usr/bin/env python3
"""-timeline: what is written is what Perfetto's importer takes, the same in each run, and bounded.

What of a GPU is written comes from test_timeline.c; a guest with tasks is in tests/boot.
"""
import argparse
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

import trace_events

ARGS = None

# A64: 131,072 rounds of a loop, then PSCI's power off. mov x7, #0x20000; subs x7, x7, #1; b.ne .-4; mov w0, #0x84000008; smc #0
GUEST = [0xd2a00047, 0xf10004e7, 0x54ffffe1, 0x52b08000, 0x72800100, 0xd4000003]


class Timeline(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="gencc-timeline-")
        self.addCleanup(self.folder.cleanup)
        self.work = pathlib.Path(self.folder.name)

    def run_juno(self, *options):
        kernel = self.work / "kernel"
        kernel.write_bytes(struct.pack(f"<{len(GUEST)}I", *GUEST))
        return subprocess.run([ARGS.juno, "-kernel", kernel, "-dtb", ARGS.dtb, "-m", "64M", *[str(o) for o in options]],
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)

    def timeline(self, name, options=""):
        path = self.work / name
        done = self.run_juno("-timeline", f"{path}{options}")
        self.assertEqual(done.returncode, 0, done.stderr)
        return path.read_text(), done.stderr.decode()

    def test_cpu(self):
        text, _ = self.timeline("a")
        events = [e for e in trace_events.check(text) if e["ph"] == "X"]
        # No Linux, no tasks: that the CPU runs, from power-on to the end.
        self.assertEqual([(e["pid"], e["tid"], e["name"]) for e in events], [(1, 1, "running")])
        self.assertEqual(self.timeline("b")[0], text)

    def test_bounds(self):
        text, _ = self.timeline("a", ",from=1")
        self.assertEqual([e for e in trace_events.check(text) if e["ph"] != "M"], [])
        text, _ = self.timeline("a", ",from=0,for=0.000001")
        self.assertLessEqual(sum(trace_events.ns(e["dur"]) for e in trace_events.check(text) if e["ph"] == "X"), 1000)

    def test_gpu(self):
        path = self.work / "gpu"
        subprocess.run([ARGS.writer, path], check=True)
        events = trace_events.check(path.read_text())
        self.assertEqual({e["ph"] for e in events}, set("MXistfC"))
        self.assertEqual(sorted(e["id"] for e in events if e["ph"] in "sf"), [1, 1, 2, 2])

    def test_the_checker_sees(self):
        """What a reader would stumble over is found."""
        def event(**fields):
            return {"ph": "X", "pid": 1, "tid": 1, "name": "a", "ts": 1, "dur": 2, **fields}

        def metadata(what, /, **args):
            return {"ph": "M", "pid": 1, "tid": 1, "name": what, "args": args}

        def check(*events):
            names = [metadata("process_name", name="p"), metadata("thread_name", name="t")]
            trace_events.check(json.dumps({"otherData": {}, "traceEvents": [*names, *events]}))

        flow = {"cat": "flow", "id": 1, "bp": "e"}
        check(event(), event(ph="s", ts=1, **flow), event(ph="f", ts=2, **flow))
        for bad in ([event(ts=0.0001)], [event(ts=-1)], [event(ph="B")], [event(), event(ts=2, dur=5)],
                    [event(), event(ts=0)], [event(tid=3)], [event(ph="i")], [event(ph="i", s="x")],
                    [event(ph="s", ts=1, **flow), event(), event(ph="f", ts=2, **flow)],  # before its slice, at its time
                    [event(), event(ph="s", ts=1, **flow), event(ph="f", ts=3, **flow)],  # behind the end
                    [event(), event(ph="s", ts=1, **flow)], [event(), event(ph="f", ts=1, **flow)],
                    [event(ph="s", **flow), event(ph="f", ts=9, **flow)], [event(ph="C", args={"v": "x"})],
                    [metadata("thread_name")],
                    [{**metadata("process_name", name="p"), "tid": 0}, {**metadata("thread_name", name="t"), "tid": 0},
                     event(tid=0)]):
            with self.subTest(bad), self.assertRaises((AssertionError, KeyError)):
                check(*bad)

    def test_wrong(self):
        for text, value in (("needs a FILE", ""), ("takes seconds", "x,from=a"), ("takes seconds", "x,for=-1"),
                            ("from 1 to", "x,events=0"), ("-timeline takes FILE", "x,until=3"),
                            ("-timeline takes FILE", "x,y"), ("No such file", f"{self.work}/no/such")):
            with self.subTest(value):
                done = self.run_juno("-timeline", value)
                self.assertEqual(done.returncode, 2)
                self.assertIn(text, done.stderr.decode())
        self.assertIn("twice", self.run_juno("-timeline", "x", "-timeline", "y").stderr.decode())


def main():
    global ARGS
    parser = argparse.ArgumentParser()
    parser.add_argument("--juno", required=True)
    parser.add_argument("--dtb", required=True)
    parser.add_argument("--writer", required=True, help="test_machine_timeline")
    ARGS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
