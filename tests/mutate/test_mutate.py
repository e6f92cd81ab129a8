#!/usr/bin/env python3
"""The mutation runner itself: test_mutate.py BUILD PART. BUILD is a build folder of the tree; PART is `tables`, or `runner`,
which is all the rest.

Tests which mutants are made, that a bench tells killed from survived ones, and that the tables name
existing files and tests."""
import sys
import tempfile
import unittest
from pathlib import Path

from bench import Bench, BenchError, read_tests
from equivalents import read_equivalents
from mutants import mutants_of

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]

PROJECT = """cmake_minimum_required(VERSION 3.25)
project(sample C)
enable_testing()
add_library(sample STATIC sample.c)
add_executable(judge judge.c)
target_link_libraries(judge PRIVATE sample)
add_test(NAME sample.judge COMMAND judge)
add_test(NAME sample.five COMMAND judge)
set_tests_properties(sample.five PROPERTIES LABELS quick ENVIRONMENT "COUNT=5" TIMEOUT 60)
"""
SAMPLE = """int steps(int n)
{
    int i = 0;
    while (i < n)
        i += 1;
    return i;
}
"""
JUDGE = """#include <stdlib.h>
int steps(int n);
int main(void)
{
    int count = getenv("COUNT") ? atoi(getenv("COUNT")) : 3;
    return steps(count) != count;
}
"""


def changes(text):
    """Returns the changed lines of a function with a single line."""
    head, tail = "void f(void)\n{\n", "\n}\n"
    return [m.apply(head + text + tail)[len(head):-len(tail)] for m in mutants_of(head + text + tail)]


class Mutants(unittest.TestCase):
    def test_operators(self):
        self.assertIn("return a - b;", changes("return a + b;"))
        self.assertIn("return a <= b;", changes("return a < b;"))
        self.assertIn("return a || b;", changes("return a && b;"))
        self.assertIn("a->b &= c;", changes("a->b |= c;"))
        self.assertEqual(changes("return -a;"), [])
        self.assertEqual(changes("return *a;"), [])

    def test_constants(self):
        self.assertEqual(changes("return 7u;"), ["return 0u;", "return 8u;"])
        self.assertEqual(changes("return 0x10;"), ["return 0;", "return 17;"])
        self.assertEqual(changes("return true;"), ["return false;"])
        self.assertEqual(changes("return a / 2;"), ["return a * 2;", "return a / 1;", "return a / 3;"])

    def test_statements(self):
        self.assertIn(";", changes("f(a, b);"))
        self.assertIn(";", changes("a->b[2] = c;"))
        self.assertIn("if (a) ;", changes("if (a) break;"))
        self.assertEqual(changes("struct a b;"), [])
        self.assertEqual(changes("type *a = b;"), [])

    def test_conditions(self):
        self.assertEqual(changes("if (a) return;"), ["if (!(a)) return;"])

    def test_what_is_left_as_it_is(self):
        self.assertEqual(changes('log_printf(log, 1, "a");'), [])
        self.assertEqual(changes("/* a + 1 */ // b < 2"), [])
        self.assertEqual(changes('return "1 + 1";'), [])
        self.assertEqual(mutants_of('#include "1+1.h"\n#if A > 1\n#endif\n'), [])

    def test_a_change_is_known_by_its_lines(self):
        text = "void f(void)\n{\n    a = 1;\n}\n"
        lines = [m.changed(text) for m in mutants_of(text)]
        self.assertIn(("a = 1;", "a = 2;"), lines)
        self.assertIn(("a = 1;", ";"), lines)


class Judging(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        root = Path(scratch.name) / "tree"
        root.mkdir()
        for name, text in (("CMakeLists.txt", PROJECT), ("sample.c", SAMPLE), ("judge.c", JUDGE)):
            (root / name).write_text(text)
        cls.bench = Bench(root, root / "build", scratch.name)
        cls.bench.build(["sample.judge"])
        cls.judge = cls.bench.judge("sample.c", ["sample.judge"])

    def outcome(self, before, after):
        self.assertIn(before, SAMPLE)
        return self.judge.outcome(SAMPLE.replace(before, after))

    def test_a_test_that_fails_kills(self):
        self.assertEqual(self.outcome("i < n", "i <= n"), "killed")

    def test_what_no_test_sees_survives(self):
        self.assertEqual(self.outcome("i < n", "i != n"), "survived")

    def test_a_test_that_does_not_end_kills(self):
        self.assertEqual(self.outcome("i += 1", "i *= 1"), "killed")

    def test_what_compiles_to_the_same_is_no_mutant(self):
        self.assertEqual(self.outcome("i += 1", "i += 1 + 0"), "same")

    def test_what_does_not_compile_is_no_mutant(self):
        self.assertEqual(self.outcome("i += 1", "i += none"), "broken")

    def test_tests_have_their_environment(self):
        always_three = SAMPLE.replace("return i;", "return 3;")
        self.assertEqual(self.judge.outcome(always_three), "survived")
        self.assertEqual(self.bench.judge("sample.c", ["sample.five"]).outcome(always_three), "killed")

    def test_a_test_must_pass_without_a_change(self):
        with self.assertRaisesRegex(BenchError, "no test"):
            self.bench.build(["sample.none"])
        with self.assertRaisesRegex(BenchError, "not in"):
            self.bench.judge("other.c", ["sample.judge"])


class Tables(unittest.TestCase):
    def test_judges_name_files_and_tests(self):
        tests = set()
        for file in BUILD.rglob("CTestTestfile.cmake"):
            tests |= set(read_tests(file.read_text()))
        rows = [row.split() for row in (HERE / "judges.txt").read_text().splitlines()
                if row and not row.startswith("#")]
        self.assertGreater(len(rows), 20)
        for pattern, *names in rows:
            self.assertTrue(list(ROOT.glob(pattern)), pattern)
            self.assertTrue(names, pattern)
            self.assertLessEqual(set(names), tests, pattern)

    def test_equivalents_are_mutants_of_today(self):
        for path, known in read_equivalents((HERE / "equivalent.txt").read_text()).items():
            text = (ROOT / path).read_text()
            found = {m.changed(text) for m in mutants_of(text)}
            for change, reason in known.items():
                self.assertTrue(change in found, f"{path}: {change} is no mutant of it today")
                self.assertGreater(len(reason), 20, change)

    def test_equivalents_are_read(self):
        text = "# head\na.c\n- x\n+ y\n  why\n  so\n- p\n- q\n+ r\n  w\nb.c\n- x\n+ y\n  z\n"
        self.assertEqual(read_equivalents(text),
                         {"a.c": {("x", "y"): "why so", ("p\nq", "r"): "w"}, "b.c": {("x", "y"): "z"}})


if __name__ == "__main__":
    BUILD, part = Path(sys.argv.pop(1)), sys.argv.pop(1)
    unittest.main(defaultTest=["Tables"] if part == "tables" else ["Mutants", "Judging"])
