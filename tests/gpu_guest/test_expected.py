"""The comparison with the list of Piglit's results detects each way in which a run can differ."""
import unittest
from pathlib import Path

from expected import problems, read
from piglit_gl import expected

HERE = Path(__file__).resolve().parent
LIST = """
# comment
[--every 40]
pass a
skip b   # wants doubles
fail c
[the rest]
fail d
"""


class Expected(unittest.TestCase):
    def check(self, results, options, *found):
        self.assertEqual(problems(results, options, LIST), list(found))

    def test_as_listed(self):
        self.check({"a": "pass", "b": "skip", "c": "fail"}, "--every 40")

    def test_differences(self):
        self.check({"a": "fail", "b": "skip", "c": "fail"}, "--every 40",
                   "a: fail, the list says pass")
        self.check({"a": "pass", "b": "skip", "c": "pass"}, "--every 40",
                   "c: pass, the list says fail")
        self.check({"a": "skip", "b": "skip", "c": "timeout"}, "--every 40",
                   "a: skip, the list says pass", "c: timeout, the list says fail")
        self.check({"a": "pass", "b": "skip"}, "--every 40", "c: did not run")
        self.check({}, "--every 40", "a: did not run", "b: did not run", "c: did not run")
        self.check({"a": "pass", "b": "skip", "c": "fail", "e": "pass"}, "--every 40",
                   "e: pass, and not in the list")

    def test_other_options(self):
        self.check({"a": "pass", "d": "fail", "e": "pass", "f": "skip"}, "--every 7")
        self.check({"d": "pass", "e": "crash", "f": "fail"}, "--every 7",
                   "d: pass, the list says fail", "e: crash", "f: fail")

    def test_the_list(self):
        sections = read((HERE / "expected.txt").read_text())
        names = [name for section in sections.values() for name in section]
        self.assertEqual(len(names), len(set(names)))
        slice_ = list(sections["--every 40 --no-binaries"].values())
        self.assertGreater(slice_.count("pass"), len(slice_) / 2)
        for section in sections.values():
            self.assertLessEqual(set(section.values()), {"pass", "skip", "warn", "fail", "timeout"})

    def test_midgards_list(self):
        sections = read((HERE / "expected_midgard.txt").read_text())
        whole = sections["--every 7"]
        self.assertEqual(len(whole), 95 + 51)
        self.assertLessEqual(set(whole.values()), {"pass", "skip", "warn", "fail", "timeout"})
        for name, result in sections["--every 1 --only image|sampler"].items():
            self.assertEqual(whole.get(name, result), result)

    def test_a_list_by_gpus(self):
        text = "# comment\ng52 t720\npass skip draw -a 2\nfail pass mix *b\n"
        self.assertEqual(expected(text), [("g52", ["draw", "-a", "2"], "pass"), ("t720", ["draw", "-a", "2"], "skip"),
                                          ("g52", ["mix", "*b"], "fail"), ("t720", ["mix", "*b"], "pass")])

    def test_the_list_of_opengl(self):
        tests = expected((HERE / "expected_gl.txt").read_text())
        self.assertEqual({gpu for gpu, _, _ in tests}, {"g52", "t860", "t720"})
        self.assertEqual(len({(gpu, *words) for gpu, words, _ in tests}), len(tests))
        self.assertLessEqual({result for _, _, result in tests}, {"pass", "skip", "fail"})


if __name__ == "__main__":
    unittest.main()
