#!/usr/bin/env python3
"""`gencc fmt`: all shipped descriptions are formatted; its changes to a text that is not; and for
any text, formatting the result again changes nothing, and the words stay the same.

    fmt.py GENCC FOLDER
"""
import random
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

GENCC, FOLDER = sys.argv[1], Path(sys.argv[2])
BEFORE = """AC_ISA(x) {
  ac_asm_map m {   \n\t"a" = 0;
      }
\t//            bits
\tac_instr one "0 rd:7" { asm "one"; }
\tac_instr fourteen "1 rd:7" {
asm "fourteen %m{rd}"
   if (rd == 0);
}

\tac_instr alone   "1 rd:7" ;
};


"""
AFTER = """AC_ISA(x) {
    ac_asm_map m {
        "a" = 0;
    }
    //                 bits
    ac_instr one      "0 rd:7" { asm "one"; }
    ac_instr fourteen "1 rd:7" {
        asm "fourteen %m{rd}"
           if (rd == 0);
    }

    ac_instr alone   "1 rd:7" ;
};
"""
CODE = """helper void f(uint8 x)
{
  switch (x) {
    case 1: {
  g();
      }
  case 2:
      /* kept
   as it is */
      if (x) {
g("} ; {");
      }
  default: break;
  }
}
"""
CODE_AFTER = """helper void f(uint8 x)
{
    switch (x) {
    case 1: {
        g();
    }
    case 2:
        /* kept
   as it is */
        if (x) {
            g("} ; {");
        }
    default: break;
    }
}
"""


def words(text):
    return re.findall(r'"[^"\n]*"|\S+', text)


class Fmt(unittest.TestCase):
    def run_fmt(self, *arguments, status=0):
        done = subprocess.run([GENCC, "fmt", *arguments], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (status, ""))
        return done.stdout

    def check(self, text):
        """Formats the text; --check reports before whether that changes it, and after that nothing
        does."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "text.ac"
            path.write_text(text)
            said = subprocess.run([GENCC, "fmt", "--check", path], capture_output=True, text=True, timeout=60)
            self.assertEqual(path.read_text(), text)
            self.run_fmt(path)
            after = path.read_text()
            self.assertEqual((said.returncode, said.stdout), (0, "") if after == text else (1, f"{path}\n"))
            self.assertEqual(self.run_fmt("--check", path), "", repr(text))
            return after

    def test_shipped(self):
        files = [p for p in sorted(FOLDER.rglob("*")) if p.suffix in (".ac", ".genc")]
        self.assertGreater(len(files), 100)
        self.assertEqual(self.run_fmt("--check", *files), "")

    def test_pictures(self):
        self.assertEqual(self.check(BEFORE), AFTER)

    def test_code(self):
        self.assertEqual(self.check(CODE), CODE_AFTER)

    def test_any_text(self):
        rng = random.Random(3)
        pieces = ["{", "}", "(", ")", ";", "\n", "\n", "\n\n", "  ", "\t", '"', "// x", "/* y", "*/", "case 1:", "default:",
                  'ac_instr a "01"', 'ac_instr abc  "0 x:3" {', "//        legend", "// ---- heading ----", "é", "name"]
        for _ in range(200):
            text = "".join(rng.choice(pieces) for _ in range(rng.randrange(60)))
            self.assertEqual(words(self.check(text)), words(text), repr(text))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
