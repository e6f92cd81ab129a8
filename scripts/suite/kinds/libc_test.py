"""
libc-test, the tests of musl, in user mode.
FOLDER/ISA/{functional,regression,math}/NAME.exe are its programs, ISA one of aarch64, a32, t32, riscv64: the static ones, NAME-static
where there is such a one, and all of them where FOLDER/ISA/lib has the interpreter of those that are dynamic.
"""

from suite import user
from suite.model import Case

MODES = ("jit",)
KINDS = ("functional", "regression", "math")


def cases(folder, programs, _work):
    for isa, below in user.isas(folder):
        dynamic = (below / "lib").is_dir()
        for kind in KINDS:
            for file in sorted((below / kind).glob("*.exe")):
                if not dynamic and (file.with_stem(f"{file.stem}-static").exists() or has_interpreter(file)):
                    continue
                ours, theirs = user.commands(isa, programs, file)
                if dynamic:
                    ours[1:1] = theirs[1:1] = ["-L", below]
                ours[1:1] = ["-clock", "host"]      # tests compare kernel times and clock
                yield Case(f"{isa}/{kind}/{file.stem}", ours, theirs, seconds=60)


def has_interpreter(file):
    """Only PT_INTERP contains the path of a loader in such a file."""
    return b"/lib/ld-" in file.read_bytes()[:4096]
