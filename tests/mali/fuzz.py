#!/usr/bin/env python3
"""mali-run -fuzz: shader cores agree with the descriptions that they were built from, and a referee with another
description sees what is another."""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Check:
    def __init__(self, program):
        self.program, self.failed = program, False

    def fuzz(self, *arguments):
        done = subprocess.run([self.program, "-fuzz", *arguments], capture_output=True, text=True, timeout=300,
                              check=False)
        return done.returncode, done.stdout, done.stderr

    def expect(self, what, good, told=""):
        if not good:
            print(f"failed: {what}\n{told}")
            self.failed = True

    def agree(self, *arguments):
        """Returns the number of runs, and of those refused by both sides."""
        status, out, err = self.fuzz(*arguments)
        last = re.search(r": (\d+) runs of \d+ instructions; (\d+) refused alike.* 0 differences\n$", out)
        self.expect(f"{arguments}: no differences", status == 0 and last, out + err)
        return (int(last[1]), int(last[2])) if last else (0, 0)


def agreement(c, count):
    for isa, gpu in ("bifrost", "g72"), ("bifrost", "g52"), ("midgard", "t624"):
        runs, refused = c.agree(isa, "-gpu", gpu, "-count", str(count))
        c.expect(f"{isa}: most of {count} ran, {runs}, and not all were refused, {refused}",
                 runs > 0.9 * count and refused < 0.6 * count)
    c.expect("a feature's instructions run where it is", c.agree("bifrost_fma/IMUL_APPROX*", "-gpu", "g72approx",
                                                                 "-count", "300") == (300, 0))
    c.expect("and nowhere else", c.fuzz("bifrost_fma/IMUL_APPROX*", "-gpu", "g72")[0] == 2)
    c.expect("one instruction is one", c.agree("bifrost_fma/FMA_f32", "-count", "100") == (100, 0))


def another_description(c, scratch):
    """A description with the same encodings, in which a sum became a difference."""
    copy = scratch / "bifrost"
    shutil.copytree(ROOT / "descriptions/mali/bifrost", copy)
    path = copy / "fp_fma.genc"
    text = path.read_text()
    right = "write_result(clamped32(multiply_add(a, b, c, inst.round), inst.clamp));"
    c.expect("the line to change is there", text.count(right) == 1)
    path.write_text(text.replace(right, right.replace("b, c,", "b, -c,")))
    arch = ["-arch", str(copy / "bifrost.ac"), "-count", "200", "-seed", "5"]
    status, out, _ = c.fuzz("bifrost_fma/FMA_f32", *arch)
    c.expect("a difference has status 1 and is shown", status == 1 and "bifrost_fma/FMA_f32: " in out and
             "FMA.f32" in out and ", referee " in out, out)
    c.expect("the same seed is the same run", c.fuzz("bifrost_fma/FMA_f32", *arch)[1] == out)
    status, out, _ = c.fuzz("bifrost_fma/FADD_*", *arch)
    c.expect("others are as before", status == 0, out)


def wrong_options(c):
    for what, text, arguments in (
            ("no such instruction", "no instruction is called", ["bifrost/NONE"]),
            ("no GPU for it", "-gpu must say", ["all"]),
            ("no such GPU", "no GPU named", ["all", "-gpu", "voodoo"]),
            ("another description", "is no description of", ["bifrost", "-arch", str(ROOT / "tests/lane/toy.ac")]),
            ("no count", "-count", ["bifrost", "-count", "0"]),
            ("an unknown option", "unknown option", ["bifrost", "-frobnicate"])):
        status, _, err = c.fuzz(*arguments)
        c.expect(f"{what}: {err!r}", status == 2 and text in err)
    done = subprocess.run([c.program, "-gpu", "g52", "-fuzz", "all"], capture_output=True, text=True, check=False)
    c.expect("-fuzz stands first", done.returncode == 2 and "must be the first" in done.stderr)
    c.expect("help", c.fuzz("bifrost", "-h")[0] == 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mali-run", required=True)
    parser.add_argument("--count", type=int, default=2000)
    options = parser.parse_args()
    c = Check(options.mali_run)
    agreement(c, options.count)
    with tempfile.TemporaryDirectory(prefix="gencc-test-") as scratch:
        another_description(c, pathlib.Path(scratch))
    wrong_options(c)
    return 1 if c.failed else 0


if __name__ == "__main__":
    sys.exit(main())
