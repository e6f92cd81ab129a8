#!/usr/bin/env python3
"""What gencc says of a wrong ac_abi: the manual's ABI of the tutorial's CPU (docs/describe/user-mode.md) with one
statement changed, and the message with its line. The ABI itself is right.

    abi.py GENCC
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/describe/user-mode.md").read_text(encoding="utf-8")
GOOD = textwrap.dedent(PAGE.split("`tests/install` builds it so:\n\n")[1].split("\n\n`gencc check")[0]) + "\n"

# Text of the ABI, what stands there instead, and the message.
CASES = [
    ('machine "rv64";', "", "the ABI has no statement 'machine'"),
    ('machine "rv64";', "machine rv64;", "expected a text in quotes, not 'rv64'"),
    ('machine "rv64";', 'machine "a"; machine "b";', "there are two statements 'machine'"),
    ('machine "rv64";', 'machine "a" { }', "this statement has no block"),
    ('machine "rv64";', 'machine "a" 5;', "expected ';', not '5'"),
    ('machine "rv64";', 'machin "a";', "there is no statement 'machin'; did you mean 'machine'?"),
    ("elf machine 243;", "elf machine 70000;", "expected a number from 1 to 65535"),
    ("elf machine 243;", "elf machine;", "expected a number behind 'machine'"),
    ("elf machine 243;", "elf machine 0x1ffffffffffffffff;", "this number does not fit into 64 bits"),
    ("number X17;", "number Y17;", "the description has no register 'Y17'"),
    ("number X17;", "number X32;", "the description has no register 'X32'"),
    ("X10, X11, X12", "X10, 5, X12", "expected a name, not '5'"),
    ("call exception 0 bytes 4;", "call exception 0;", "expected 'bytes' behind '0'"),
    ("page { at 0 :", "page { from 0 :", "expected 'at', not 'from'"),
    ("frame align 16 return 0 {", "frame plain align 16 return 0 {", "the ABI has no frame for handlers with siginfo"),
    ("frame align 16 return 0 {", "frame align 16 return 0 { } frame align 16 return 0 {", "expected one frame of this kind"),
    ("    gap 16;", "    gap 70000;", "expected a number from 1 to 65535"),
    ("    pc;", "    pcc;", "expected an item of a frame, not 'pcc'"),
    ("    pc;", "    pc bytes 3;", "expected a power of 2 as bytes"),
    ("    pc;", "    list 64 { record 1 { list 8 { } } }", "expected no list inside of a record"),
    ("registers X1 count 31;", "registers X1 count 32;", "the description has no 32 registers from 'X1'"),
    ("registers X1 count 31;", "gap 65000; gap 900;", "expected a frame of at most 65535 bytes"),
    ("place info;", "place inf;", "there is no label 'inf'; did you mean 'info'?"),
    ("calls { include(", "calls { 5 : writ; include(", "there is no system call 'writ'; did you mean 'write'?"),
    ("calls { include(", "calls { 64 : read; include(", "call 64 has two names"),
    ("calls { include(", "calls { 1 : read (9); include(", "expected a number from 0 to 7"),
    ("calls { include(", "calls { 1 : read (0, 1, 2, 3, 4, 5, 6); include(", "expected at most six arguments"),
    ("calls { include(", "calls { 1 : read (7, next); include(", "expected at most eight words of arguments"),
    ("calls-generic.ac", "calls-nobody.ac", "there is no file"),
    ("tls X4;", "tls X4; table errno { EWHAT = 5; }", "there is no errno 'EWHAT'"),
    ("tls X4;", "tls X4; table errnos { }", "there is no table 'errnos'; did you mean 'errno'?"),
    ("tls X4;", "tls X4; table errno;", "this statement needs a block in braces"),
    ("tls X4;", "tls X4; exceptions { 3 : SIGWHAT code 1; }", "there is no signal 'SIGWHAT'"),
    ("tls X4;", "tls X4; struct stat { size : 9; }", "expected a number from 1 to 8"),
    ("tls X4;", "tls X4; struct stat { weight : 4; }", "there is no member 'weight'"),
    ("tls X4;", "tls X4; struct state { }", "there is no structure 'state'; did you mean 'stat'?"),
]


class Description:
    def __init__(self, gencc, folder):
        self.gencc, self.folder = gencc, pathlib.Path(folder) / "cpu"
        shutil.copytree(ROOT / "descriptions/tutorial", self.folder)
        shutil.copytree(ROOT / "descriptions/linux", self.folder.parent / "linux")
        arch = self.folder / "rv64.ac"
        arch.write_text(arch.read_text().replace('ac_isa("rv64i.ac");', 'ac_isa("rv64i.ac"); ac_abi("abi.ac");'))

    def compile(self, text, command=("abi", "-o", "abi.c")):
        (self.folder / "abi.ac").write_text(text)
        return subprocess.run([self.gencc, command[0], "rv64.ac", *command[1:]], cwd=self.folder, text=True, timeout=60,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)


def main(gencc):
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        d = Description(gencc, folder)
        for command in ("abi", "-o", "abi.c"), ("check",):
            done = d.compile(GOOD, command)
            if done.returncode:
                wrong.append(f"the manual's ABI: {done.stdout}")
        for old, new, message in CASES:
            assert GOOD.count(old) == 1, old
            for command in ("abi", "-o", "abi.c"), ("check",):
                done = d.compile(GOOD.replace(old, new), command)
                if done.returncode not in (1, 2) or message not in done.stdout:
                    wrong.append(f"{new}: status {done.returncode}, not '{message}':\n{done.stdout}")
        bare = subprocess.run([gencc, "abi", ROOT / "descriptions/tutorial/rv64.ac", "-o", d.folder / "x.c"], text=True,
                              capture_output=True, timeout=60, check=False)
        if bare.returncode != 1 or "names no ABI with ac_abi()" not in bare.stderr:
            wrong.append(f"no ABI: {bare}")
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{len(CASES)} wrong ABIs")


if __name__ == "__main__":
    main(*[str(pathlib.Path(a).resolve()) for a in sys.argv[1:]])
