#!/usr/bin/env python3
"""Files call each other in one direction only.

In each room no files call each other in a circle, except those that CIRCLES lists. The list only
shrinks: a circle that is gone, or has lost a file, fails the test until the list says so.

The files of gencc/emit form layers, which docs/understand/compiler.md lists. A file includes
headers of its own layer and of lower ones; a header only of lower ones. Functions that a file
calls, or takes the address of, are defined in its own layer or a lower one, wherever they are
declared."""
import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EMIT = ROOT / "gencc/emit"
# The folders of gencc and of programs that have C files are rooms; in the runtime each folder with C files is one.
ROOMS = sorted({"common"} |
               {str(path.parent.relative_to(ROOT)) for room in ("gencc", "programs")
                for path in (ROOT / room).glob("*/CMakeLists.txt") if any(path.parent.rglob("*.c"))} |
               {str(path.parent.relative_to(ROOT)) for path in (ROOT / "runtime").rglob("*.c")})
# Alternative files, of which a program has only one, so that one name is defined in several.
ALTERNATIVES = re.compile(r"runtime/(jit/(off|without)|gpu/translate/off|user/abi_\w+)\.c$")
# Circles that are allowed, by room.
CIRCLES = {
    # Recursive descent over the syntax tree: an expression contains calls, a call instantiates a
    # function, a function contains statements, and a statement and a type contain expressions.
    "gencc/lower": [("builtin", "call", "defs", "expr", "func", "judge", "named", "record", "stmt", "sysreg", "types")],
}
# The tag of a type is a separate name: `enum f` does not use the function f.
TAG = re.compile(r"\b(?:enum|struct|union) \w+")
COMMENT_OR_STRING = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)
FUNCTION = re.compile(r"^(?!static\b|extern\b|typedef\b)\w[\w *]*?\b(\w+)\([^;{}]*\)\n\{", re.M)
OBJECT = re.compile(r"^const [\w *]*?\b(\w+)(?:\[\w*\])? = ", re.M)


def layers(page):
    """Returns the number of each file's layer, by its name without the ending, from the page's
    table."""
    table = page.split("## Layers of the emitter", 1)[1].split("\n\n", 2)[1]
    found = {}
    for number, row in enumerate(table.splitlines()[2:]):
        for name in re.findall(r"`(\w+)`", row.split("|")[1]):
            if name in found:
                raise ValueError(f"{name} stands in two layers")
            found[name] = number
    return found


def too_high(texts, layer):
    """Returns includes of a header from a higher layer, or by a header from its own layer."""
    return [f"{name} includes {other}.h" for name, text in texts.items()
            for other in re.findall(r'#include "gencc/emit/(\w+)\.h"', text)
            if Path(name).stem != other
            and layer[other] > layer[Path(name).stem] - name.endswith(".h")]


def uses(texts):
    """Returns for each .c file the others whose functions or objects it names: {file: {file:
    name}}."""
    bare = {name[:-2]: COMMENT_OR_STRING.sub(" ", text) for name, text in texts.items()
            if name.endswith(".c")}
    home = {name: file for file, text in bare.items()
            for name in FUNCTION.findall(text) + OBJECT.findall(text)}
    found = {file: {} for file in bare}
    for file, text in bare.items():
        for name in set(re.findall(r"\w+", TAG.sub(" ", text))) & set(home):
            if home[name] != file:
                found[file][home[name]] = name
    return found


def circles(graph):
    """Returns the sets of files that reach each other."""
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


def room_texts(room):
    """Returns the C files of a room, by their paths in it; subfolders in the runtime are rooms of
    their own."""
    folder = ROOT / room
    paths = folder.glob("*.[ch]") if room.startswith("runtime/") else folder.rglob("*.[ch]")
    return {str(path.relative_to(folder)): path.read_text() for path in sorted(paths)
            if not ALTERNATIVES.search(str(path.relative_to(ROOT)))}


def wrong_circles(room, found, allowed):
    """Returns what must be changed: circles that are not listed, and list entries that are gone."""
    return ([f"{room}: {', '.join(c)} call each other in a circle" for c in found if c not in allowed] +
            [f"{room}: the circle {', '.join(c)} is gone: take it off the list" for c in allowed
             if c not in found])


class Rooms(unittest.TestCase):
    def test_no_circle_but_those_listed(self):
        self.assertLessEqual(set(CIRCLES), set(ROOMS))
        for room in ROOMS:
            with self.subTest(room=room):
                texts = room_texts(room)
                self.assertTrue(texts)
                self.assertEqual(wrong_circles(room, circles(uses(texts)), CIRCLES.get(room, [])), [])

    def test_reads_calls(self):
        self.assertGreater(sum(map(len, uses(room_texts("gencc/ir")).values())), 50)

    def test_sees_what_is_bad(self):
        self.assertEqual(wrong_circles("r", [("a", "b")], [("a", "b")]), [])
        self.assertEqual(wrong_circles("r", [("a", "b")], []), ["r: a, b call each other in a circle"])
        self.assertEqual(wrong_circles("r", [], [("a", "b")]),
                         ["r: the circle a, b is gone: take it off the list"])
        self.assertEqual(len(wrong_circles("r", [("a", "b")], [("a", "b", "c")])), 2)
        texts = {"a.c": "int f(void)\n{\n    return g();\n}\n",
                 "b.c": "int g(void)\n{\n    return (enum f)0;\n}\n"}
        self.assertEqual(circles(uses(texts)), [])
        texts["b.c"] = texts["b.c"].replace("(enum f)0", "f()")
        self.assertEqual(circles(uses(texts)), [("a", "b")])


class Layers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.texts = {path.name: path.read_text() for path in sorted(EMIT.glob("*.[ch]"))}

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
