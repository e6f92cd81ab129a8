#!/usr/bin/env python3
"""The headers that `gencc constants` writes, and the constants that it refuses:

    constants.py GENCC COMPILER

The header of a file with all kinds of constants is compiled as strict C11 with all warnings,
together with assertions on its values, alone and included twice. Comments stay with their names. A
constant that C cannot hold, or would not see, is an error at its place."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

GENCC = COMPILER = None

GOOD = r"""// A heading, which is nobody's.
typename colour = uint32;  // what is seen: /* by day */
const colour RED = 1;      // ends in a backslash \
const colour GREEN = RED << 4 | 0x3;
const colour LAST = (colour)0x7fffffff;   /* no line comment */

typename empty_text = uint32;
const colour BLUE = GREEN + 1;   // of the enumeration above
const empty_text NOTHING = BLUE > GREEN ? 7 : 8;
"""

CHECKS = """#include "toy_board.h"
#include "toy_board.h"
_Static_assert(RED == 1 && GREEN == 0x13 && LAST == 2147483647 && BLUE == 0x14 && NOTHING == 7, "");
enum colour colour_of(enum empty_text text);
enum colour colour_of(enum empty_text text) { return text == NOTHING ? BLUE : RED; }
"""

HEADER = """
// what is seen: /* by day */
enum colour {
    RED = 1, // ends in a backslash
    GREEN = 19,
    LAST = 2147483647,
    BLUE = 20, // of the enumeration above
};

enum empty_text {
    NOTHING = 7,
};
"""

# A file, and the place and beginning of each message.
BAD = [
    ("const uint32 A = 1;", ['1:7: error: the type of "A" is no typename']),
    ("typename t = uint32;\nconst t A = 0x80000000;",
     ["2:13: error: this constant does not fit into an enumeration, which has 31 bits"]),
    ("typename t = uint32;\nconst t A = -1;", ["2:13: error: this constant does not fit"]),
    ("typename t = uint32;\nconst t A = B;", ['2:13: error: unknown constant "B"']),
    ("typename t = uint32;\nconst t A = A + 1;",
     ['2:13: error: constant "A" is defined by itself']),
    ("typename t = uint32;\nconst t A = 1 / 0;", ["2:15: error: division by zero"]),
    ("typename t = uint32;\nconst t A = 1;\nconst t A = 2;",
     ['3:9: error: "A" is defined twice', "2:9: note: the first definition is here"]),
    ("typename t = uint32;\nconst t t = 1;", ['2:9: error: unexpected the type name "t"']),
    ("typename t = uint64;\nconst t A = 1;", ["1:14: error: the type of an enumeration is uint32"]),
    ("typename t = uint32;", ['1:10: error: enumeration "t" has no constants']),
    ("typename t = uint32;\nconst t A = 1;\nhelper void f() { }",
     ["3:13: error: a file of constants holds `typename` and `const` only"]),
    ("typename t = uint32;\nconst t A 1;", ["2:11: error: unexpected number"]),
    ("const nowhere A = 1;", ['1:7: error: unexpected "nowhere", expected a type']),
]


def constants(folder, text):
    (folder / "toy.genc").write_text(text)
    return subprocess.run([GENCC, "constants", "toy.genc", "-o", "toy_board.h"], cwd=folder,
                          capture_output=True, text=True, timeout=60, check=False)


class Constants(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def test_the_header_has_the_values(self):
        done = constants(self.folder, GOOD)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        (self.folder / "toy.c").write_text(CHECKS)
        built = subprocess.run([COMPILER, "-std=c11", "-pedantic", "-Wall", "-Wextra", "-Werror", "-c",
                                "toy.c"], cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(built.returncode, 0, built.stderr)

    def test_names_keep_their_comments(self):
        constants(self.folder, GOOD)
        self.assertIn(HEADER, (self.folder / "toy_board.h").read_text())

    def test_a_word_of_c_gets_an_underscore(self):
        done = constants(self.folder, "typename t = uint32;\nconst t register = 1;")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("    register_ = 1,\n", (self.folder / "toy_board.h").read_text())

    def test_a_header_that_is_right_is_left_alone(self):
        constants(self.folder, GOOD)
        header = self.folder / "toy_board.h"
        before = header.stat().st_mtime_ns
        self.assertEqual(constants(self.folder, GOOD).returncode, 0)
        self.assertEqual(header.stat().st_mtime_ns, before)

    def test_what_is_no_enumeration_is_refused(self):
        for text, messages in BAD:
            with self.subTest(text=text):
                done = constants(self.folder, text)
                self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
                said = [line for line in done.stderr.splitlines() if line.startswith("toy.genc:")]
                for line, message in zip(said, messages, strict=True):
                    self.assertTrue(line.startswith("toy.genc:" + message), line)
                self.assertFalse((self.folder / "toy_board.h").exists())


if __name__ == "__main__":
    GENCC, COMPILER = str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2]
    unittest.main(argv=sys.argv[:1])
