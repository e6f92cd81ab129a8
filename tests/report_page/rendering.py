#!/usr/bin/env python3
"""Pages of gencc-report: numbers worked out by hand, whole HTML and SVG, and nothing to load from elsewhere."""
import base64
import json
import pathlib
import re
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

from common import CASES, REST, Page, changed, drawn, png, program, raw
import bars
import colours
import comparison
import events
import layers
import page
import reading
import source_lines
import units
from views import flow, heat, memory, mix, occupancy, roof, system, timeline, waits

HOSTILE = '</script><img src="http://elsewhere.example/x">\'"&\x00\x1b\ud800'


def report(name="vecadd", *changes):
    return reading.check(changed(name, *changes))


def whole(text):
    """The numbers and words of a page, with one space between."""
    return " ".join(" ".join(Page(text).text).split())


class Numbers(unittest.TestCase):
    def test_units(self):
        self.assertEqual([units.count(n) for n in (0, 1234567, 0.25, 12.345, 123.45, 1234.5)], ["0", "1,234,567", "0.25", "12.35", "123.5", "1,234"])
        self.assertEqual([units.short(n) for n in (999, 9999, 12345, 123456, 1.5e6, 2e9)], ["999", "9,999", "12.3k", "123k", "1.5M", "2.0G"])
        self.assertEqual([units.size(n) for n in (0, 1023, 1536, 1 << 20, 3 << 30)], ["0 B", "1,023 B", "1.5 KiB", "1.0 MiB", "3.0 GiB"])
        self.assertEqual([units.percent(*n) for n in ((1, 3), (1, 30), (1, 3000), (0, 5), (5, 0))], ["33 %", "3.3 %", "< 0.1 %", "0 %", "0 %"])
        self.assertEqual([units.time(n) for n in (15, 1500, 50000, 2.5e9)], ["15 ns", "1.5 µs", "50 µs", "2.5 s"])
        self.assertEqual([units.energy(n) for n in (2.246818, 32070, 5e6)], ["2.247 µJ", "32.07 mJ", "5 J"])

    def test_summary(self):
        text = whole(page.render(report()))
        # 618 cycles at 746 MHz; 4,352 of 22,248 engine cycles issue.
        for words in ("618 100 % 0.83 1 16 18,432 100 % 20 % 61 0 load/store", "61 (of 64 with 384 threads per core)", "0.83 µs (618 cycles)",
                      "16 of 64 × 1 × 1", "shortest path 0.58 3.00 0.00 3 load/store", "all instructions once 0.58 3.00 0.00 3 load/store"):
            self.assertIn(words, text)
        self.assertIn("no bound: a loop's count depends on data", whole(page.render(report("reduce"))))
        self.assertIn("yes: 1 spill, 2 fills", whole(page.render(report("vecadd", (("kernels", 0, "code", "spills"), 1), (("kernels", 0, "code", "fills"), 2)))))

    def test_mix(self):
        counters = raw("vecadd")["kernels"][0]["counters"]
        self.assertEqual([row[1] for row in mix.instructions(counters)], [15360, 3072, 0, 0, 16384])
        self.assertEqual({name: n for name, n, _ in mix.accesses(counters)}, {
            "global memory": 3072, "local memory": 0, "thread memory (stack)": 0, "registers": 28672, "temporaries": 24576, "uniforms": 9216, "constants": 4096})
        self.assertEqual([row for row in mix.sizes(counters) if row[1]], [(5, 512), (7, 256)])
        # 512 of 768 clauses have five tuples, 256 have seven.
        self.assertIn("Executed clauses by their number of tuples kernel 1 2 3 4 5 6 7 8 mean vecadd 0 % 0 % 0 % 0 % 67 % 0 % 33 % 0 % 5.7", whole(mix.overview(report(), report()["kernels"])))
        self.assertIn("5.7 tuples on average", mix.render(report()["kernels"][0], report()))

    def test_roofline(self):
        r = report()
        kernel = r["kernels"][0]
        rate, intensity = roof.point(kernel, r)
        self.assertAlmostEqual(rate, 15360 / (618 / 746e6), places=0)
        # 768 requests, 128 lines of L2 and 128 of memory, 64 bytes each.
        self.assertEqual(intensity, {"L1": 0.3125, "L2": 1.875, "DRAM": 1.875})
        self.assertEqual(roof.roofs(r)[1]["L1"], 12 * 64 * 746e6)
        reached, (least, which) = roof.reach(kernel, r)
        self.assertEqual((which, round(least / 1e9, 2), round(reached / least, 2)), ("DRAM", 22.38, 0.83))

    def test_memory(self):
        kernel = report()["kernels"][0]
        self.assertEqual(memory.asked(kernel), (8192, 4096))
        text = whole(memory.render(kernel, report()))
        for words in ("768 requests of warps", "576 hits, 192 misses", "hit rate 75 %", "0 hits, 128 misses", "128 lines 8.0 KiB read", "8.0 KiB in 128 lines",
                      "argument 2 0xa018000 4,096 0 0 1,024 4,096 64 1", "192 lines, 3 pages"):
            self.assertIn(words, text)

    def test_heat_is_by_cost(self):
        kernel = report("reduce")["kernels"][0]
        costs = [sum(b.get("account", {}).values()) for b in kernel["bundles"]]
        self.assertEqual(waits.hottest(kernel, 1), [costs.index(max(costs))])
        lines, shares = heat.source_costs(kernel, costs)
        self.assertEqual(lines[0], "__kernel void reduce(__global const int *in, __global int *out, __local int *part)")
        self.assertAlmostEqual(sum(shares), sum(costs))
        # 9,436 of 20,184 engine cycles, of which 7,644 wait for memory.
        self.assertIn("47 % of engine cycles, mostly DRAM, 256 warps", heat.render(report()["kernels"][0], report()))

    def test_occupancy(self):
        steps = report()["gpu"]["registers"]
        self.assertEqual([occupancy.threads_of(steps, n) for n in (1, 32, 33, 64, 65)], [768, 768, 384, 384, 384])
        self.assertEqual([occupancy.resident(384, n, 4) for n in (0, 1, 6, 64, 256, 384, 512)], [0, 96, 288, 384, 256, 384, 0])
        # The mean of the run is in both pictures, at 10.222 warps of 4 threads, and no run has none.
        drawn = occupancy.render(report("reduce")["kernels"][0], report("reduce"))
        self.assertEqual((drawn.count("measured: 40.9 threads"), drawn.count("measured 41<")), (2, 2))
        self.assertNotIn("measured", occupancy.render(report("reduce", (("kernels", 0, "residency"), {}))["kernels"][0], report("reduce")))
        self.assertIn("Work-groups of 64 fill 384 of them (100 %). With 32 registers or fewer it would hold 768.", occupancy.render(report()["kernels"][0], report()))

    def test_source_lines(self):
        text = """// kernel void f(int a) { }
kernel void f(global int *a, global const int *b, local int *l)
{
    l[0] = b[0] /* b[9] */ + b[a[0]];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[1] += 2 == b[2];
    a[2] = a[3] == 1;
}
kernel void g(global int *a) { a[0] = 1; }
"""
        access = [{"bundle": n, "kind": kind, "name": name} for n, kind, name in ((0, "global_load", "b"), (2, "global_load", "b"), (4, "global_load", "b"),
                                                                                  (5, "global_store", "a"), (6, "global_store", "a"), (5, "global_load", "a"))]
        kernel = {"name": "f", "source": {"text": text}, "accesses": access,
                  "bundles": [{"text": "+BARRIER" if n == 2 else "+LOAD.i32", "barrier": n == 3} for n in range(7)]}
        # of three loads of `a` the code has one, so bundle 5 is known by its store alone
        self.assertEqual(source_lines.lines(kernel), {0: (4, 4, "by order"), 2: (4, 4, "by order"), 3: (5, 5, "certain"), 4: (6, 6, "by order"),
                                                      5: (6, 6, "by order"), 6: (7, 7, "by order")})
        self.assertEqual(source_lines.lines(kernel | {"name": "h"}), {})
        self.assertEqual(source_lines.lines(kernel | {"accesses": access[1:], "bundles": kernel["bundles"][:3]}), {5: (6, 6, "by order"), 6: (7, 7, "by order")})
        bare = {"source": {"text": text[text.index("kernel void g"):]}, "accesses": access[3:4], "bundles": kernel["bundles"]}
        self.assertEqual(source_lines.lines(bare)[5], (1, 1, "certain"))

    def test_lines_on_the_page(self):
        made = report()
        kernel = made["kernels"][0]
        kernel["source"] = {"name": "add.cl", "text": "kernel void vecadd(global float *a,\n global float *c) {\n int i = get_global_id(0);\n c[i] = a[i]; }"}
        for access, name in zip(kernel["accesses"], ("a", "b", "c")):
            access["name"] = name
        text = whole(heat.render(kernel, made))
        self.assertIn("2 of 3 clauses have a line of the source", text)
        self.assertEqual(text.count("line 4"), 2)

    def test_simulated_part(self):
        self.assertNotIn("The model ran", waits.render(report()["kernels"][0], report()))
        for error, said, shown in (0.043, "cycles are right to about 4.3\u00a0%", "(618 cycles ± 4.3 %)"), (0.7, "cycles are a rough guess", "(618 cycles ± 70 %)"):
            made = report("vecadd", *(((("kernels", 0, "timing", key), value) for key, value in (("simulated", 0.0123), ("error", error)))))
            text = waits.render(made["kernels"][0], made)
            self.assertIn("The model ran 1.2\u00a0% of what the kernel executed", text)
            self.assertIn(said, text)
            self.assertIn(shown, whole(page.render(made)))

    def test_waits(self):
        self.assertIn("The largest wait is DRAM, 65 % of engine time", waits.render(report()["kernels"][0], report()))

    def test_bars_add_up(self):
        for parts in [("a", 1, "blue"), ("b", 2, "red")], [("a", 0, "blue")], [("a", 1e-9, "blue"), ("b", 1e18, "grey")]:
            root = ElementTree.fromstring(bars.stack(parts, "t"))
            widths = [float(r.get("width")[:-1]) for r in root.iter("rect") if r.get("fill").startswith("var(--") and r.get("x") != "0"]
            self.assertAlmostEqual(sum(widths), 100 if any(p[1] for p in parts) else 0, places=2)


class Flow(unittest.TestCase):
    def test_sums(self):
        """The page says the counters' own numbers."""
        kernel = report("reduce")["kernels"][0]
        self.assertEqual(sum(b["count"] * b["warps"] for b in kernel["blocks"]), kernel["counters"]["bundles"])
        self.assertIn("4,648 clauses were executed by warps, and lanes diverged 16 times", flow.render(kernel, report("reduce")))

    def test_files(self):
        kernel = report("reduce")["kernels"][0]
        root = ElementTree.fromstring(flow.file(kernel, report("reduce")))
        words = [t.text for t in root.iter("{http://www.w3.org/2000/svg}text")]
        self.assertEqual(sum("◆ 16" in w for w in words), 2)
        dot = flow.dot(kernel, report("reduce"))
        self.assertEqual((dot.count(" -> "), dot.count("shape=oval"), dot.count("penwidth")), (len(kernel["edges"]), 2, 2))

    def test_layout(self):
        """Nodes do not overlap, nor do words of edges; an edge goes down unless it leads back."""
        edges = [(0, 1), (1, 2), (1, 3), (2, 4), (3, 4), (4, 1), (4, 5), (1, 5), (3, 3), (5, 6), (0, 6)]
        nodes, routes, wide, high = layers.arrange([(100, 40)] * 7, edges, [(60, 14)] * len(edges))
        places = [(n.x, n.y, n.width, n.height) for n in nodes] + [(*r.label, 60, 14) for r in routes if r and r.label]
        for k, (x1, y1, w1, h1) in enumerate(places):
            self.assertTrue(0 <= x1 - w1 / 2 and x1 + w1 / 2 <= wide + 0.01 and 0 <= y1 - h1 / 2 and y1 + h1 / 2 <= high + 0.01)
            for x2, y2, w2, h2 in places[:k]:
                self.assertTrue(abs(x1 - x2) >= (w1 + w2) / 2 - 0.01 or abs(y1 - y2) >= (h1 + h2) / 2 - 0.01, (places[k], (x2, y2)))
        self.assertEqual([r.up if r else None for r in routes], [False] * 5 + [True] + [False] * 2 + [None] + [False] * 2)

    def test_straight_line_is_straight(self):
        nodes, _, wide, _ = layers.arrange([(100, 40)] * 4, [(0, 1), (1, 2), (2, 3)], [(60, 14)] * 3)
        self.assertEqual({round(n.x, 3) for n in nodes}, {50})
        self.assertEqual(wide, 100)

    def test_a_large_graph_is_left_to_graphviz(self):
        n = flow.MOST + 1
        blocks = [{"first": 0, "count": 1, "warps": 1, "lanes": 4} for _ in range(n)]
        r = report("vecadd", (("kernels", 0, "blocks"), blocks), (("kernels", 0, "edges"), [{"from": k, "to": k + 1, "warps": 1} for k in range(n - 1)]))
        self.assertIsNone(flow.file(r["kernels"][0], r))
        self.assertIn("too large for a picture", flow.render(r["kernels"][0], r))
        self.assertEqual(flow.dot(r["kernels"][0], r).count(" -> "), n - 1)
        # Few blocks, but edges over all layers.
        n = 300
        edges = [{"from": k, "to": k + 1, "warps": 1} for k in range(n - 1)] + [{"from": k, "to": n - 1, "warps": 1} for k in range(n - 1)]
        r = report("vecadd", (("kernels", 0, "blocks"), blocks[:n]), (("kernels", 0, "edges"), edges))
        self.assertIsNone(flow.file(r["kernels"][0], r))


class Timeline(unittest.TestCase):
    EVENTS = [{"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "CPUs"}}, {"ph": "M", "name": "thread_name", "pid": 1, "tid": 2, "args": {"name": "cpu0"}},
              {"ph": "X", "name": "matmul", "pid": 1, "tid": 2, "ts": 1.5, "dur": 2}, {"ph": "B", "name": "outer", "pid": 2, "tid": 1, "ts": 1},
              {"ph": "B", "name": "inner", "pid": 2, "tid": 1, "ts": 2}, {"ph": "E", "pid": 2, "tid": 1, "ts": 3}, {"ph": "E", "pid": 2, "tid": 1, "ts": 4},
              {"ph": "E", "pid": 2, "tid": 1, "ts": 5}, {"ph": "i", "name": "interrupt", "pid": 2, "tid": 1, "ts": 6},
              {"ph": "C", "name": "pages", "pid": 1, "tid": 2, "ts": 2, "args": {"value": 7}}, {"ph": "C", "name": "pages", "pid": 1, "tid": 2, "ts": 3, "args": {"value": "x"}},
              {"ph": "s", "id": 1, "pid": 1, "tid": 2, "ts": 2}, {"ph": "f", "id": 1, "pid": 2, "tid": 1, "ts": 6}, {"ph": "s", "id": 2, "pid": 1, "tid": 2, "ts": 2}]

    def test_events(self):
        tracks, flows = events.of_trace(reading.schema.events(self.EVENTS, "traceEvents"))
        self.assertEqual(tracks, [events.Track("CPUs: cpu0", [(1500, 3500, "matmul")]), events.Track("CPUs: cpu0 pages", points=[(2000, 7), (3000, 0)]),
                                  events.Track("1", [(1000, 4000, "outer"), (2000, 3000, "inner")], [(6000, "interrupt")])])
        self.assertEqual(flows, [[(2000, 0), (6000, 2)]])
        text = timeline.render(report(), self.EVENTS)
        self.assertEqual([text.count(words) for words in ("matmul, 2 µs from 1.5 µs", "at most 7", "<title>interrupt</title>", "stroke-dasharray", "opens in Perfetto")], [1] * 5)

    def test_the_picture_is_of_when_the_gpu_worked(self):
        cpu = events.Track("CPUs: cpu0", [(0, 5000, "boot"), (5000, 6100, "matmul"), (7000, 9000, "idle")], [(10, "a"), (6050, "b")], [(1000, 4), (6000, 5), (8000, 6)])
        gpu = events.Track("GPU job slots: slot 1", [(6000, 6100, "matmul"), (6900, 7000, "matmul")])
        self.assertEqual(events.window([cpu, gpu]), (5900, 7100))
        self.assertEqual(events.window([cpu]), (0, 9000))
        self.assertEqual(events.cut(cpu, 5900, 7100), events.Track("CPUs: cpu0", [(5900, 6100, "matmul"), (7000, 7100, "idle")], [(6050, "b")], [(5900, 4), (6000, 5)]))

    def test_hostile_names_stay_words(self):
        hostile = [{"ph": ph, "name": HOSTILE, "pid": 1, "tid": n, "ts": n, "dur": 5, "args": {"name": HOSTILE, "value": 3}, "id": HOSTILE} for n, ph in enumerate("MXiCCsftBE")]
        for name in "process_name", "thread_name":
            hostile.append({"ph": "M", "name": name, "pid": 1, "tid": 1, "args": {"name": HOSTILE}})
        made = Page(timeline.render(report(), reading.schema.events(hostile, "traceEvents")))
        timeline.render(report(), hostile).encode("utf-8")
        self.assertEqual([tag for tag, _ in made.tags if tag in ("img", "script")], [])
        self.assertNotIn("\x00", "".join(made.text))

    def test_an_outer_span_is_drawn_first(self):
        spans = [{"ph": "X", "name": name, "ts": 1, "dur": long} for name, long in (("inner", 1), ("outer", 5))]
        self.assertEqual([name for _, _, name in events.of_trace(spans)[0][0].spans], ["outer", "inner"])

    def test_jobs_without_a_guest_stand_end_to_end(self):
        jobs = [{"kernel": "k0", "model_cycles": 746.0}, {"kernel": "k0", "model_cycles": 1492.0}]
        r = report("vecadd", (("jobs",), jobs))
        self.assertEqual(events.of_jobs(r), [events.Track("vecadd", [(0, 1000, "vecadd"), (1000, 3000, "vecadd")])])
        self.assertIn("end to end", timeline.render(r, None))
        self.assertNotIn("end to end", timeline.render(report(), None))

    def test_many_short_spans_are_few_marks(self):
        scale = timeline.Scale(0, 100000)
        self.assertLess(len(timeline.visible([(n, n + 1, "x") for n in range(100000)], scale)), 1500)
        nested = timeline.visible([(0, 90000, "a"), (10, 40000, "b"), (20, 30000, "c"), (50000, 60000, "d")], scale)
        self.assertEqual([depth for _, _, depth, _, _ in nested], [0, 1, 2, 1])


class Whole(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = pathlib.Path(folder.name)

    def check_page(self, text, files=()):
        made = Page(text)
        self.assertEqual(len(made.ids), len(set(made.ids)), "identities are there twice")
        self.assertEqual(sorted(set(made.links) - set(made.ids)), [], "links lead nowhere")
        self.assertEqual([load for load in made.loads if load[2] not in {"data:,", *files}], [])
        self.assertNotRegex(text, r"@import|https?://")
        pictures = [attrs for tag, attrs in made.tags if tag == "svg" and attrs.get("aria-hidden") != "true"]
        self.assertTrue(all(attrs.get("role") == "img" for attrs in pictures))
        self.assertEqual(len(pictures), text.count("<desc>") + len(re.findall(r"<svg [^>]*role=\"img\"[^>]*><title>[^<]*</title>(?!<desc>)", text)))
        return made

    def test_page_and_files(self):
        for name in "vecadd", "reduce":
            (self.out / "report.json").write_bytes((CASES / f"{name}.json").read_bytes())
            self.assertEqual(program(self.out), "")
            text = (self.out / "index.html").read_text()
            made = self.check_page(text, {"cfg-k0.svg", "cfg-k0.dot"})
            self.assertEqual(set(made.views), {"kernels", "overview", "timeline", "system", "summary", "mix", "heat", "waits", "roofline", "memory", "flow", "occupancy", "addresses"})
            ElementTree.parse(self.out / "cfg-k0.svg")
            self.assertEqual(text, page.render(report(name)))
        # Only a board has a system; both have all else.
        self.assertNotIn("No data", text)
        self.assertNotIn(None, [attrs.get("lang") for tag, attrs in made.tags if tag == "html"])

    def test_frames(self):
        """Frames with their numbers, and the picture in the page itself; a report without frames has no such view."""
        (self.out / "report.json").write_text(json.dumps(drawn()))
        (self.out / "overdraw-1.png").write_bytes(png(8, 4))
        program(self.out)
        source = "data:image/png;base64," + base64.b64encode(png(8, 4)).decode()
        made = self.check_page((self.out / "index.html").read_text(), {"cfg-k0.svg", "cfg-k0.dot", source})
        images = [attrs for tag, attrs in made.tags if tag == "img"]
        self.assertEqual([(attrs["src"], attrs["width"], attrs["height"], attrs["alt"]) for attrs in images],
                         [(source, "256", "128", "Overdraw of frame 1: 1.50 fragments per pixel in the mean")])
        text = " ".join(made.views["frames"].split())
        for words in ("frame 0 8 × 4 1 0 0 0.00 0 B", "frame 1 8 × 4 2 5 48 1.50 3.0 KiB", "68 frames more are in frames.csv", "2 draws more are in draws.csv",
                      "frame shader – 0xa003000 16 4 – – 4 – – – – –", "32 0 5 7 12 3 2 1 6 2.0 KiB", "draw 1 0xa00c400 none 0 – –"):
            self.assertIn(words, text)
        self.assertEqual([attrs["id"] for tag, attrs in made.tags if tag == "details" and attrs.get("class") == "frame" and "open" in attrs], ["frame.1"])
        self.assertIn('<a href="#k0">0xa003', (self.out / "index.html").read_text())
        self.assertNotIn("frames", Page(page.render(report())).views)

    def test_damaged_pictures(self):
        """A picture that is absent, a link, of another size, too large or no PNG is left out."""
        checked, path = reading.check(drawn()), self.out / "overdraw-1.png"
        path.write_bytes(png(8, 4))
        self.assertEqual(reading.pictures(self.out, checked), {"overdraw-1.png": png(8, 4)})
        for bad in png(4, 8), b"", b"GIF89a", png(8, 4)[:20], b"<svg/>", png(8, 4) + bytes(1 << 21):
            path.write_bytes(bad)
            self.assertEqual(reading.pictures(self.out, checked), {})
        path.rename(self.out / "other.png")
        (self.out / "other.png").write_bytes(png(8, 4))
        path.symlink_to(self.out / "other.png")
        self.assertEqual(reading.pictures(self.out, checked), {})
        path.unlink()
        path.mkdir()
        self.assertEqual(reading.pictures(self.out, checked), {})
        huge = reading.check(drawn())
        huge["frames"][1].update(width=4096, height=4096)
        path.rmdir()
        path.write_bytes(png(4096, 4096))
        self.assertEqual(reading.pictures(self.out, huge), {})
        self.assertIn("There is no picture of its overdraw", whole(page.render(checked)))

    def test_system(self):
        """The parts of the run in one order, those of a task, and C++ functions by their names."""
        made = Page(page.render(report("reduce", (("system", "symbols", 0, "symbol"), "_ZNK4llvm5Value7getNameEv"), (("system", "symbols", 1, "symbol"), "_Z3addi"))))
        text = " ".join(made.views["system"].split())
        self.assertRegex(text, "program and its libraries 100.*compiler 600.*driver 200.*rest of the kernel 50.*GPU 50")
        self.assertIn("matmul 850 ms", text)
        self.assertRegex(text, "llvm::Value::getName .* add ")
        self.assertEqual(system.with_pauses([[0, 5], [1, 6], [3, 7], [9, 8]], 1), [[0, 5], [1, 6], [2, 0], [3, 7], [4, 0], [8, 0], [9, 8]])
        self.assertEqual(system.with_pauses([[0, 5], [9, 8]], None), [[0, 5], [9, 8]])
        self.assertEqual([system.plain(name) for name in ("cos", "_Z", "_ZN", "_ZN3abc", "_ZN9a")], ["cos", "_Z", "_ZN", "abc", "a"])

    def test_absent_data_say_why(self):
        bare = {"format": "gencc-report", "version": 1, "gpu": {"name": "g72"}, "kernels": [{"id": "k0"}]}
        made = self.check_page(page.render(reading.check(bare)))
        for view, why in (("waits", "timing detailed"), ("roofline", "timing detailed"), ("memory", "timing detailed"), ("flow", "-report"), ("addresses", "-report"),
                          ("occupancy", "does not say"), ("system", "a board's -report"), ("timeline", "model of time"), ("summary", "no code"), ("mix", "no counters"), ("heat", "no code")):
            self.assertRegex(" ".join(made.views[view].split()), f"No data: .*{re.escape(why)}")
        self.check_page(page.render(reading.check(bare | {"kernels": []})))

    def test_hostile_words_stay_words(self):
        places = [("kernels", 0, "name"), ("kernels", 0, "hash"), ("kernels", 0, "bound"), ("kernels", 0, "code", "shader_db"), ("kernels", 0, "bundles", 0, "name"),
                  ("kernels", 0, "bundles", 0, "text"), ("kernels", 0, "source", "text"), ("kernels", 0, "source", "name"), ("kernels", 0, "accesses", 0, "kind"),
                  ("kernels", 0, "edges", 0, "kind"), ("gpu", "title"), ("gpu", "words", "bundle"), ("gpu", "words", "stage"), ("run", "program"), ("run", "gencc"), ("run", "arguments", 0),
                  ("system", "tasks", 0, "name"), ("system", "symbols", 0, "symbol"), ("system", "symbols", 0, "where"), ("system", "cpu", 0, "name"), ("model",)]
        r = report("reduce", *[(place, HOSTILE) for place in places])
        r["system"]["phases"] = {HOSTILE.replace("\ud800", ""): 1}
        plain = Page(page.render(report("reduce")))
        made = Page(page.render(r))
        self.assertEqual([t for t, _ in made.tags if t == "img"], [])
        self.assertEqual(sum(t == "script" for t, _ in made.tags), sum(t == "script" for t, _ in plain.tags))
        self.assertEqual([load for load in made.loads if load not in plain.loads], [])
        page.render(r).encode("utf-8")
        ElementTree.fromstring(flow.file(r["kernels"][0], r))
        Page(comparison.render([r, r], [HOSTILE, "b"]))

    def test_styles(self):
        """Each colour is there for light and dark, and text on it is readable: a contrast of 4.5 at least."""
        def light(colour):
            parts = [int(colour[n:n + 2], 16) / 255 for n in (1, 3, 5)]
            r, g, b = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
            return 0.2126 * r + 0.7152 * g + 0.0722 * b

        def contrast(a, b):
            high, low = sorted((light(a), light(b)), reverse=True)
            return (high + 0.05) / (low + 0.05)
        for mode, at in ((colours.LIGHT, 0), (colours.DARK, 1)):
            for name, row in colours.STYLES.items():
                self.assertGreaterEqual(contrast(mode[row[2]], row[at]), 4.5, (name, at))
            for ink in "ink", "soft", "link":
                for paper in "page", "panel", "row":
                    self.assertGreaterEqual(contrast(mode[ink], mode[paper]), 4.5, (ink, paper, at))
        told = [row[3] for row in colours.STYLES.values()]
        self.assertLessEqual(max(told.count(p) for p in told), 2)

    def test_comparison(self):
        a, b = report(), report("vecadd", (("kernels", 0, "timing", "model_cycles"), 309.0), (("kernels", 0, "code", "registers"), 70))
        made = self.check_page(comparison.render([a, b], ["a", "b"]))
        text = " ".join(" ".join(made.text).split())
        self.assertIn("vecadd 618 309 0.500", text)
        self.assertIn("work registers 61 70 1.148", text)

    def test_comparison_matches_kernels(self):
        names = lambda *of: reading.check(changed("vecadd", (("kernels",), [raw("vecadd")["kernels"][0] | {"id": f"k{n}", "name": name} for n, name in enumerate(of)])))
        self.assertEqual([(t, [bool(k) for k in ks]) for t, ks in comparison.matched([names("a", "b"), names("b", "c")])], [("a", [1, 0]), ("b", [1, 1]), ("c", [0, 1])])
        self.assertEqual([t for t, _ in comparison.matched([names("step1"), names("step2")])], ["step1 / step2"])
        self.assertEqual(comparison.names_of(["/x/one/report", "/x/two/report"]), ["one/report", "two/report"])

    def test_comparison_program(self):
        for name in "vecadd", "reduce":
            (self.out / name).mkdir()
            (self.out / name / "report.json").write_bytes((CASES / f"{name}.json").read_bytes())
        program("diff", self.out / "vecadd", self.out / "reduce", "-o", self.out / "made/here.html")
        self.check_page((self.out / "made/here.html").read_text())
        program("diff", self.out / "vecadd", self.out / "reduce", self.out / "vecadd", "-o", self.out / "folder")
        self.check_page((self.out / "folder/index.html").read_text())
        self.assertIn("two reports", program("diff", self.out / "vecadd", "-o", self.out / "x", status=2))


if __name__ == "__main__":
    sys.exit(unittest.main(argv=[sys.argv[0], *REST]))
