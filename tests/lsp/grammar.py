#!/usr/bin/env python3
"""The TextMate grammar in editors/vscode is JSON, its expressions compile, and its words are the
scanner's:

    grammar.py SOURCE

The visible result is tested, too: how some texts are highlighted."""
import json
import re
import sys
import unittest
from pathlib import Path

SOURCE = Path(sys.argv[1])


def expressions(node):
    if isinstance(node, dict):
        for key, value in node.items():
            if key in ("match", "begin", "end"):
                yield value
            else:
                yield from expressions(value)
    elif isinstance(node, list):
        for value in node:
            yield from expressions(value)


def scanner_words():
    lists = re.findall(r"static const struct keyword \w+\[\] = \{(.*?)\n\};",
                       (SOURCE / "gencc/front/genc.l").read_text(), re.S)
    return {word for text in lists for word in re.findall(r'\{"(\w+)", TOK_', text)}


class Grammar(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.grammar = json.loads((SOURCE / "editors/vscode/genc.tmLanguage.json").read_text())
        cls.rules = cls.grammar["repository"]

    def words(self, *names):
        return {w for n in names for w in re.fullmatch(r"\\b\(([\w|]+)\)\\b", self.rules[n]["match"])[1].split("|")}

    def test_words_are_the_scanners(self):
        self.assertGreater(len(scanner_words()), 120)
        self.assertEqual(self.words("control", "type", "keyword"), scanner_words())

    def test_expressions_compile(self):
        found = list(expressions(self.grammar))
        self.assertGreater(len(found), 15)
        for one in found:
            re.compile(one)

    def test_includes_exist(self):
        names = re.findall(r'"include": "#(\w+)"', json.dumps(self.grammar))
        self.assertEqual(set(names) - set(self.rules), set())

    def test_what_is_marked(self):
        for rule, text, marked in (("number", "x = 0x1fUL;", "0x1fUL"), ("field", "f(inst.rd)", "inst.rd"),
                                   ("definition", "execute(add_imm)", "execute(add_imm"), ("call", "a + get(1)", "get"),
                                   ("type", "uint128 x", "uint128")):
            self.assertEqual(re.search(self.rules[rule]["match"], text)[0], marked)

    def test_other_files(self):
        for name in ("package.json", "language-configuration.json"):
            json.loads((SOURCE / "editors/vscode" / name).read_text())
        package = json.loads((SOURCE / "editors/vscode/package.json").read_text())
        for one in package["contributes"]["grammars"] + [{"path": package["main"]}]:
            self.assertTrue((SOURCE / "editors/vscode" / one["path"]).is_file())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
