#!/usr/bin/env python3
"""The files of gencc/emit stand in layers, which docs/understand/compiler.md lists; none calls a higher one.

A file includes headers of its own layer and of lower ones; a header, of lower ones. What a file calls,
or takes the address of, is defined in its own layer or a lower one, wherever that is declared. And
no files call each other in a circle, within a layer neither.
"""
import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EMIT = ROOT / "gencc/emit"
COMMENT_OR_STRING = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)
FUNCTION = re.compile(r"^(?!static\b|extern\b|typedef\b)\w[\w *]*?\b(\w+)\([^;{}]*\)\n\{", re.M)
OBJECT = re.compile(r"^const [\w *]*?\b(\w+)(?:\[\w*\])? = ", re.M)


def layers(page):
    """The number of each file's layer, by its name without the ending, from the page's table."""
    table = page.split("## Layers of the emitter", 1)[1].split("\n\n", 2)[1]
    found = {}
    for number, row in enumerate(table.splitlines()[2:]):
        for name in re.findall(r"`(\w+)`", row.split("|")[1]):
            if name in found:
                raise ValueError(f"{name} stands in two layers")
            found[name] = number
    return found


def too_high(texts, layer):
    """Includes of a header from a higher layer, or by a header from its own."""
    return [f"{name} includes {other}.h" for name, text in texts.items()
            for other in re.findall(r'#include "gencc/emit/(\w+)\.h"', text)
            if Path(name).stem != other
            and layer[other] > layer[Path(name).stem] - name.endswith(".h")]


def uses(texts):
    """For each .c file the others whose functions or objects it names: {file: {file: name}}."""
    bare = {Path(name).stem: COMMENT_OR_STRING.sub(" ", text) for name, text in texts.items()
            if name.endswith(".c")}
    home = {name: file for file, text in bare.items()
            for name in FUNCTION.findall(text) + OBJECT.findall(text)}
    found = {file: {} for file in bare}
    for file, text in bare.items():
        for name in set(re.findall(r"\w+", text)) & set(home):
            if home[name] != file:
                found[file][home[name]] = name
    return found


def circles(graph):
    """Sets of files that reach each other."""
    def reached(start):
        seen, todo = set(), [start]
        while todo:
            for other in set(graph[todo.pop()]) - seen:
                seen.add(other)
                todo.append(other)
        return seen

    reach = {file: reached(file) for file in graph}
    return sorted({tuple(sorted(other for other in reach[file] if file in reach[other]))
                   for file in graph if file in reach[file]})


class Layers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.texts = {path.name: path.read_text() for path in sorted(EMIT.glob("*.[ch]"))}

    def test_no_circle(self):
        graph = uses(self.texts)
        self.assertGreater(sum(map(len, graph.values())), 50)
        self.assertEqual(circles(graph), [])

    def test_none_calls_a_higher_layer(self):
        layer = layers((ROOT / "docs/understand/compiler.md").read_text())
        self.assertEqual(sorted(layer), sorted({Path(name).stem for name in self.texts}))
        self.assertEqual(too_high(self.texts, layer), [])
        self.assertEqual([f"{file} uses {name} of {other}" for file, others in uses(self.texts).items()
                          for other, name in others.items() if layer[other] > layer[file]], [])

    def test_sees_what_is_bad(self):
        low = 'void low(void)\n{\n    high(1);\n}\n'
        high = 'int high(int x,\n         int y)\n{\n    return x;\n}\n'
        texts = {"low.c": low, "high.c": high + 'void up(void)\n{\n    low(); /* mid */\n}\n',
                 "mid.c": 'const struct d mid = {0};\n'}
        self.assertEqual(uses(texts)["low"], {"high": "high"})
        self.assertEqual(circles(uses(texts)), [("high", "low")])
        self.assertEqual(circles({"a": {"b": "f"}, "b": {}}), [])
        include = '#include "gencc/emit/high.h"\n'
        self.assertEqual(too_high({"low.c": include}, {"low": 0, "high": 1}), ["low.c includes high.h"])
        self.assertEqual(too_high({"low.c": include}, {"low": 1, "high": 1}), [])
        self.assertEqual(too_high({"low.h": include}, {"low": 1, "high": 1}), ["low.h includes high.h"])
        with self.assertRaises(ValueError):
            layers("## Layers of the emitter\n\n| a | b |\n|---|---|\n| `x` | |\n| `x` | |\n\n")


if __name__ == "__main__":
    if len(sys.argv) > 1 and Path(sys.argv[1]).is_dir():
        EMIT = Path(sys.argv.pop(1))
    unittest.main()
