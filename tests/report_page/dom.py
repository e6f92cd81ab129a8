#!/usr/bin/env python3
"""Pages of gencc-report in Chromium: no error, every link leads somewhere, each view shows its data, and nothing is wider
than the page at three widths, light, dark and printed. The browser has no network here, and asks for nothing.
"""
import json
import pathlib
import sys
import tempfile
import unittest

from browser import Browser
from common import ARGS, CASES, REST, changed, drawn, main, png, raw

WIDTHS = (390, 800, 1600)
VIEWS = ["kernels", "overview", "timeline", "system", "summary", "mix", "heat", "waits", "roofline", "memory", "flow", "occupancy", "addresses"]
# What is wider than the window and in no box that scrolls by itself.
TOO_WIDE = """
const inside = e => { for (let p = e; p; p = p.parentElement) if (["auto", "scroll", "hidden"].includes(getComputedStyle(p).overflowX)) return true; };
return [document.documentElement.scrollWidth - innerWidth, [...document.querySelectorAll("main *, header *")].filter(e => {
  const r = e.getBoundingClientRect();
  return r.width > 0 && (r.right > innerWidth + 1 || r.left < -1) && !e.closest("svg *") && !inside(e); }).slice(0, 5).map(e => e.outerHTML.slice(0, 120))];
"""
# Pairs of words of a picture that lie on each other, as ["picture", "words", "words"].
OVERLAPS = """
const out = [];
for (const picture of document.querySelectorAll(".picture svg")) {
  const all = [...picture.querySelectorAll("text")].map(t => [t, t.getBoundingClientRect()]).filter(([t, r]) => r.width && !t.getAttribute("transform"));
  for (let a = 0; a < all.length; a++) for (let b = 0; b < a; b++) {
    const [s, q] = [all[a][1], all[b][1]];
    if (Math.min(s.right, q.right) - Math.max(s.left, q.left) > 2 && Math.min(s.bottom, q.bottom) - Math.max(s.top, q.top) > 4)
      out.push([picture.querySelector("title").textContent, all[a][0].textContent, all[b][0].textContent]);
  }
}
return out;
"""
CUT = """
return [...document.querySelectorAll(".picture svg")].flatMap(picture => { const box = picture.getBoundingClientRect();
  return [...picture.querySelectorAll("text")].filter(t => { const r = t.getBoundingClientRect();
    return r.left < box.left - 1 || r.right > box.right + 1 || r.bottom > box.bottom + 1; }).map(t => picture.querySelector("title").textContent + ": " + t.textContent); });
"""
# What a view draws, by the titles of its pictures or by words that it shows.
SHOWN = {
    "system": ["phases of the run", "matmul: parts", "jobs over time"],
    "summary": ["2.247 µJ (1.65 W in the mean)"],
    "heat": ["barrier(CLK_LOCAL_MEM_FENCE)"],
    "occupancy": ["Threads per core by work registers, reduce", "measured 41", "Resident warps per core over time, reduce", "core 11: resident warps"],
}
FIND = """
return arguments[0].filter(([view, words]) => ![...document.querySelectorAll(`[data-view="${view}"]`)].some(v => v.textContent.includes(words)));
"""
DATA = """
return Object.fromEntries([...document.querySelectorAll("[data-view]")].map(v => [v.dataset.view, [
  (v.innerText.match(/\\d/g) || []).length, v.querySelectorAll("svg").length, v.querySelectorAll(".absent").length]]));
"""


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.out = pathlib.Path(cls.folder.name)
        cls.browser = Browser(ARGS.driver, ARGS.chromium)
        cls.addClassCleanup(cls.browser.close)
        for name in "vecadd", "reduce":
            (cls.out / name).mkdir()
            (cls.out / name / "report.json").write_bytes((CASES / f"{name}.json").read_bytes())
        # Three hundred bundles in one loop, and a second kernel.
        kernel, clause = raw("reduce")["kernels"][0], raw("reduce")["kernels"][0]["bundles"][3]
        long = {"id": "k1", "name": "long", "counters": kernel["counters"], "bundles": [clause | {"name": f"clause_{n}", "block": 0, "address": hex(16 * n)} for n in range(300)],
                "blocks": [{"first": 0, "count": 300, "warps": 5, "lanes": 20}], "timing": kernel["timing"],
                "edges": [{"from": None, "to": 0, "warps": 4, "lanes": 16}, {"from": 0, "to": 0, "warps": 1, "lanes": 2, "divergent": 1}, {"from": 0, "to": None, "warps": 4, "lanes": 16}]}
        (cls.out / "long").mkdir()
        (cls.out / "long/report.json").write_text(json.dumps(changed("reduce", (("kernels",), [long, kernel]), (("jobs", 0, "end_ns"), 800))))
        (cls.out / "drawn").mkdir()
        (cls.out / "drawn/report.json").write_text(json.dumps(drawn()))
        (cls.out / "drawn/overdraw-1.png").write_bytes(png(8, 4))
        for name in "vecadd", "reduce", "long", "drawn":
            main(cls.out / name)
        main("diff", cls.out / "vecadd", cls.out / "reduce", "-o", cls.out / "diff.html")

    def open(self, name, width=1600, dark=False):
        self.browser.media(dark)
        self.browser.width(width)
        self.browser.open(self.out / name)

    def unfold(self):
        self.browser.run("document.querySelectorAll('details').forEach(d => { d.open = true; })")

    def test_each_view_has_its_data(self):
        for width in WIDTHS:
            self.open("reduce/index.html", width)
            self.unfold()
            found = self.browser.run(DATA)
            self.assertEqual(sorted(found), sorted(VIEWS))
            for view, (digits, pictures, absent) in found.items():
                self.assertGreater(digits, 5, view)
                self.assertGreater(pictures, 0 if view != "summary" else -1, view)
                self.assertEqual(absent, 0, view)
            self.assertEqual(self.browser.run(FIND, [[view, words] for view, all_words in SHOWN.items() for words in all_words]), [])
            self.assertEqual(self.browser.log(), [])

    def test_nothing_is_too_wide_cut_or_covered(self):
        for name in "reduce/index.html", "long/index.html", "drawn/index.html", "diff.html":
            self.open(name)
            self.unfold()
            with self.subTest(name=name):
                self.assertEqual(self.browser.run(OVERLAPS), [])
                self.assertEqual(self.browser.run(CUT), [])
                for width in WIDTHS:
                    self.browser.width(width)
                    self.assertEqual([width, *self.browser.run(TOO_WIDE)], [width, 0, []])
                self.assertEqual(self.browser.log(), [])

    def test_links(self):
        for name in "diff.html", "long/index.html", "drawn/index.html", "reduce/index.html":
            self.open(name)
            missing = self.browser.run("return [...document.querySelectorAll('a[href^=\"#\"]')].map(a => a.getAttribute('href').slice(1)).filter(id => !document.getElementById(id))")
            self.assertEqual(missing, [])
        files = self.browser.run("return [...document.querySelectorAll('a[href]:not([href^=\"#\"])')].map(a => a.getAttribute('href'))")
        self.assertEqual([(self.out / "reduce" / f).exists() for f in files], [True, True])
        self.assertEqual(self.browser.run("return performance.getEntriesByType('resource').map(r => r.name)"), [])

    def test_a_link_unfolds(self):
        self.open("long/index.html")
        self.assertEqual(self.browser.run("return document.getElementById('k1-b299').checkVisibility()"), False)
        self.browser.run("location.hash = '#k1-b299'")
        self.assertEqual(self.browser.run("return document.getElementById('k1-b299').checkVisibility()"), True)
        self.assertEqual(self.browser.run("return document.querySelectorAll('#k1-heat > .listing')[0].children.length"), 10)

    def test_sorting(self):
        self.open("long/index.html")
        names = "return [...document.querySelectorAll('#kernels tbody tr')].map(r => r.cells[0].textContent)"
        before = self.browser.run(names)
        self.assertEqual(sorted(before), ["long", "reduce"])
        self.browser.run("document.querySelectorAll('#kernels th button')[0].click()")
        first = self.browser.run(names)
        self.browser.run("document.querySelectorAll('#kernels th button')[0].click()")
        self.assertEqual([first, self.browser.run(names)], [["reduce", "long"], ["long", "reduce"]])
        self.assertEqual(self.browser.run("return document.querySelector('#kernels th').getAttribute('aria-sort')"), "ascending")

    def test_frames(self):
        """The picture shows, enlarged, and draws can be sorted by fragments."""
        self.open("drawn/index.html")
        self.assertEqual(self.browser.run("const i = document.querySelector('#frames img'); return [i.naturalWidth, i.naturalHeight, i.width, i.height]"), [8, 4, 256, 128])
        self.browser.run("[...document.querySelectorAll('[id=\"frame.1\"] th button')].find(b => b.textContent == 'fragments').click()")
        self.assertEqual(self.browser.run("return [...document.querySelectorAll('[id=\"frame.1\"] tbody th')].map(h => h.textContent)"), ["draw 0", "frame shader", "draw 1"])
        self.assertEqual(self.browser.log(), [])

    def test_without_script(self):
        self.browser.devtools("Emulation.setScriptExecutionDisabled", value=True)
        self.addCleanup(self.browser.devtools, "Emulation.setScriptExecutionDisabled", value=False)
        self.open("reduce/index.html")
        self.browser.devtools("Emulation.setScriptExecutionDisabled", value=False)
        self.assertEqual(self.browser.run("return [document.querySelectorAll('th button').length, document.getElementById('k0-heat').checkVisibility()]"), [0, True])

    def test_dark_and_paper(self):
        ground = "return getComputedStyle(document.body).backgroundColor"
        self.open("reduce/index.html", dark=True)
        dark = self.browser.run(ground)
        self.open("reduce/index.html")
        light = self.browser.run(ground)
        self.assertEqual([dark, light], ["rgb(20, 24, 29)", "rgb(255, 255, 255)"])
        self.browser.width(760)
        self.open("long/index.html", 760)
        self.browser.media(dark=True, name="print")
        self.assertEqual(self.browser.run(ground), light)
        self.assertEqual(self.browser.run("return document.getElementById('k0-summary').checkVisibility({contentVisibilityAuto: true})"), True)
        self.browser.media()
        pdf = self.out / "page.pdf"
        self.browser.paper(pdf)
        self.assertEqual(pdf.read_bytes()[:5], b"%PDF-")


if __name__ == "__main__":
    sys.exit(unittest.main(argv=[sys.argv[0], *REST]))
