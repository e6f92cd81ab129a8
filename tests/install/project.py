#!/usr/bin/env python3
"""Installs gencc to a prefix, makes a project in an empty folder with `gencc new`, builds it
against the prefix, and runs its test; the man pages are installed and have the text of --help.

The project also gets a program of user mode for the tutorial's CPU, with the ABI that the manual prints.

    project.py CMAKE BUILD
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import textwrap

NAME = "my_cpu"


def must(*command, cwd=None, env=None):
    done = subprocess.run([str(c) for c in command], cwd=cwd, env=env, text=True, timeout=250,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout}")
    return done.stdout


def check_manual(prefix):
    pages = prefix / "share/man/man1"
    for name, line in (("gencc", "compiles architecture descriptions (GenC) into simulators"), ("gencc\\-asm", "assemble text")):
        text = (pages / (name.replace("\\", "") + ".1")).read_text()
        if f".SH NAME\n{name} \\- {line}\n.SH DESCRIPTION" not in text or "usage: gencc" not in text:
            sys.exit(f"man page: {text[:300]}")


# The file of docs/describe/user-mode.md, and a program for it.
ABI = (pathlib.Path(__file__).resolve().parents[2] / "docs/describe/user-mode.md").read_text()
PROGRAM = """
    .global _start
_start:
    li x10, 1           // write(1, text, 6)
    auipc x11, 0
    addi x11, x11, 32
    li x12, 6
    li x17, 64
    ecall
    mv x10, x10
    li x17, 93          // exit(what write() has returned)
    ecall
text: .ascii "hello\\n"
"""
USER = """
add_isa(rv64 ARCH user/rv64.ac ISA rv64i)
add_user(rv64-user DESCRIPTION user/rv64.ac ISA rv64)
"""


def add_user_mode(project, prefix):
    """The tutorial's CPU gets the manual's ABI, and a program of user mode in the project."""
    descriptions = prefix / "share/gencc/descriptions"
    user = project / "user"
    shutil.copytree(descriptions / "tutorial", user)
    shutil.copytree(descriptions / "linux", project / "linux")
    text = ABI.split("`tests/install` builds it so:\n\n")[1].split("\n\n`gencc check")[0]
    (user / "abi.ac").write_text(textwrap.dedent(text) + "\n")
    arch = user / "rv64.ac"
    arch.write_text(arch.read_text().replace('ac_isa("rv64i.ac");', 'ac_isa("rv64i.ac"); ac_abi("abi.ac");'))
    isa = user / "rv64i.ac"
    isa.write_text(isa.read_text().replace('ac_execute(', 'assembler.set_elf(243, 64, 0); ac_execute('))
    (project / "hello.s").write_text(PROGRAM)
    with open(project / "CMakeLists.txt", "a", encoding="utf-8") as lists:
        lists.write(USER)


def run_user_mode(project, gencc, env):
    must(gencc, "asm", "--arch", "user/rv64.ac", "--isa", "rv64i", "--address", "0x10000", "-o", "hello.elf", "hello.s",
         cwd=project, env=env)
    done = subprocess.run([project / "build/rv64-user", project / "hello.elf"], capture_output=True, text=True,
                          timeout=60, check=False)
    if (done.returncode, done.stdout) != (6, "hello\n"):
        sys.exit(f"user mode: {done}")


def main(cmake, build):
    # Only the prefix may be found.
    env = {k: v for k, v in os.environ.items() if k not in ("GENCC_DESCRIPTIONS", "DESTDIR")}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prefix = folder / "prefix"
        must(cmake, "--install", build, "--prefix", prefix, "--component", "compiler")
        check_manual(prefix)
        gencc = prefix / "bin/gencc"
        must(gencc, "new", NAME, cwd=folder, env=env)
        project = folder / NAME
        add_user_mode(project, prefix)
        must(cmake, "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={prefix}", "-G", "Ninja", env=env)
        must(cmake, "--build", project / "build", env=env)
        tested = must("ctest", "--test-dir", project / "build", env=env)
        if "100% tests passed, 0 tests failed out of 1" not in tested:
            sys.exit(tested)
        run_user_mode(project, gencc, env)
        text = must(gencc, "explain", "--isa", "rv64i", "02a28313", cwd=folder, env=env)
        if "addi x6, x5, 42" not in text or f"{prefix}/" not in text.replace("/bin/..", ""):
            sys.exit(f"the installed descriptions are not found: {text}")
        again = subprocess.run([gencc, "new", NAME], cwd=folder, capture_output=True, text=True, check=False)
        if again.returncode != 2 or "File exists" not in again.stderr:
            sys.exit(f"a project that is there already: {again}")
        shutil.rmtree(project)
    print("installed, made, built, tested")


if __name__ == "__main__":
    main(*sys.argv[1:])
