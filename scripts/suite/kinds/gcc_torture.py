"""
GCC's execution tests of C (gcc.c-torture/execute), in user mode.
FOLDER/ISA/NAME.OPTION is a test linked statically, ISA one of aarch64, a32, t32, riscv64.
"""
from suite import user
from suite.model import Case

MODES = ("jit", "first", "interp")


def cases(folder, programs, _work):
    for isa, below in user.isas(folder):
        for file in sorted(below.iterdir()):
            yield Case(f"{isa}/{file.name}", *user.commands(isa, programs, file), seconds=60)
