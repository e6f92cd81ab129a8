#!/usr/bin/env python3
"""Files call each other in one direction only.

In each room no files call each other in a circle, except those that CIRCLES lists. The list only
shrinks: a circle that is gone, or has lost a file, fails the test until the list says so.

Nor is there a circle of files in several rooms: all rooms of the runtime are one graph, and so are
those of gencc. A table of functions that each host or architecture defines is an interface: its users
call what they do not depend on. Folders that use each other, though none of their files do in a
circle, are listed with the reason in FOLDERS, which only shrinks as well.

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
# Files that stand in for a room that is not built.
ALTERNATIVES = re.compile(r"runtime/(jit/(off|without)|gpu/translate/off)\.c$")
# Tables of functions, of which a program has one: per host of the quick tier.
INTERFACES = {"q_target"}
TREES = ["gencc", "runtime"]
# Folders of one room that use each other: the room's own files are above and below those of the folder.
FOLDERS = {
    # engine.c and installed.c choose between the tiers; below both are the memory for code (arena.c), isa.c and
    # gather.c.
    ("runtime/jit", "runtime/jit/quick"),
    # Job chains start shaders; below both are what a job is made of, and traces for the model of time.
    ("runtime/gpu", "runtime/gpu/shader"),
    # ir_arith() computes single values for the table of transfer functions, which range.c uses.
    ("gencc/ir", "gencc/ir/transfer"),
    # Jobs read descriptors and write snapshots; below both is the GPU's memory.
    # Job chains start frames, which read descriptors as jobs do.
    ("runtime/gpu", "runtime/gpu/graphics"),
    ("runtime/gpu", "runtime/gpu/texture"), ("runtime/gpu", "runtime/gpu/snapshot"),
    # Rows of lanes are handed to translated code, which begins as the interpreter does (start.c, decode.c).
    ("runtime/gpu/shader", "runtime/gpu/translate"),
}
# Circles that are allowed, by room.
CIRCLES = {
    # Recursive descent over the syntax tree: an expression contains calls, a call instantiates a
    # function, a function contains statements, and a statement and a type contain expressions.
    "gencc/lower": [("builtin", "call", "defs", "expr", "func", "judge", "named", "record", "stmt", "sysreg", "types")],
    # Symbolic execution: a value is computed by a call, a call executes a function, a function computes values.
    "gencc/export": [("symbolic", "symbolic_call", "symbolic_value")],
}
# The tag of a type is a separate name: `enum f` does not use the function f.
TAG = re.compile(r"\b(?:enum|struct|union) \w+")
COMMENT_OR_STRING = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)
FUNCTION = re.compile(r"^(?!static\b|extern\b|typedef\b)\w[\w *]*?\b(\w+)\([^;{}]*\)\n\{", re.M)
DECLARED = re.compile(r"\b(\w+)(?=\()|(?<=^extern const )[^;(]*?\b(\w+)(?:\[[^\]]*\])?;", re.M)
STATIC = re.compile(r"^static [\w *]*?\b(\w+)\(", re.M)
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


def uses(texts, visible=None):
    """Returns for each .c file the others whose functions or objects it names: {file: {file:
    name}}. A name of the file's own is not another's. With `visible`, a file uses only the names that
    are there for it."""
    bare = {name[:-2]: COMMENT_OR_STRING.sub(" ", text) for name, text in texts.items()
            if name.endswith(".c")}
    own = {file: set(FUNCTION.findall(text) + OBJECT.findall(text)) for file, text in bare.items()}
    homes = {}
    for file, names in own.items():
        for name in names - INTERFACES:
            homes.setdefault(name, []).append(file)
    found = {file: {} for file in bare}
    for file, text in bare.items():
        hidden = own[file] | set(STATIC.findall(text))
        words = set(re.findall(r"\w+", TAG.sub(" ", text)))
        for name in ((words & visible[file] if visible else words) & set(homes)) - hidden:
            for home in homes[name]:
                found[file][home] = name
    return found


def declared(texts):
    """Returns for each .c file, by its path, the names that headers declare which it includes, directly or not."""
    direct = {name: {other for other in re.findall(r'^#include "([^"]+)"', text, re.M) if other in texts}
              for name, text in texts.items()}
    names = {name: {word for words in DECLARED.findall(COMMENT_OR_STRING.sub(" ", text)) for word in words}
             for name, text in texts.items()}

    def reached(name):
        seen, todo = set(), [name]
        while todo:
            new = direct[todo.pop()] - seen
            seen |= new
            todo.extend(new)
        return set().union(*(names[header] for header in seen))

    return {name[:-2]: reached(name) for name in texts if name.endswith(".c")}


def uses_declared(texts):
    """Returns uses() of files by their paths, of what headers declare to them."""
    return uses(texts, declared(texts))


def mutual(graph):
    """Returns the pairs of folders whose files use each other."""
    pairs = {(str(Path(file).parent), str(Path(other).parent)) for file in graph for other in graph[file]}
    return {(a, b) for a, b in pairs if a < b and (b, a) in pairs}


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


def tree_texts(tree):
    """Returns the C files of a tree of rooms by their paths."""
    return {str(path.relative_to(ROOT)): path.read_text() for path in sorted((ROOT / tree).rglob("*.[ch]"))
            if not ALTERNATIVES.search(str(path.relative_to(ROOT)))}


def within_rooms(found):
    """Whether a circle of files, by their paths, is one of the list."""
    return any(found == tuple(f"{room}/{file}" for file in c) for room, listed in CIRCLES.items() for c in listed)


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

    def test_no_circle_across_rooms(self):
        folders = set()
        for tree in TREES:
            with self.subTest(tree=tree):
                graph = uses_declared(tree_texts(tree))
                self.assertGreater(len(graph), 100)
                self.assertEqual([c for c in circles(graph) if not within_rooms(c)], [])
                folders |= mutual(graph)
        self.assertEqual(folders, FOLDERS)

    def test_interfaces_exist(self):
        text = "".join(text for name, text in tree_texts("runtime").items() if name.endswith(".c"))
        for name in INTERFACES:
            self.assertIn(name, OBJECT.findall(text))

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
        texts["b.c"] = texts["b.c"].replace("int g", "static int f(void)\n{\n}\n\nint g")
        self.assertEqual(circles(uses(texts)), [])
        self.assertEqual(mutual({"r/a": {"r/s/b": "f"}, "r/s/c": {"r/d": "g"}, "r/d": {}, "r/s/b": {}}), {("r", "r/s")})
        table = {"a.c": "const struct t q_target = {f};\n", "b.c": "int g(void)\n{\n    q_target.f();\n}\n"}
        self.assertEqual(uses(table)["b"], {})
        tree = {"r/a.c": '#include "s/x.h"\nint f(void)\n{\n    g();\n}\n',
                "s/x.h": '#include "t/y.h"\n', "t/y.h": "int g(void);\n",
                "t/b.c": "int g(void)\n{\n    f();\n}\n"}
        self.assertEqual(uses_declared(tree), {"r/a": {"t/b": "g"}, "t/b": {}})


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
