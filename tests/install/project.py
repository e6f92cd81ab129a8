#!/usr/bin/env python3
"""Installs gencc to a prefix, makes a project in an empty folder with `gencc new`, builds it
against the prefix, and runs its test; the man pages are installed and have the text of --help.

    project.py CMAKE BUILD
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

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
        must(cmake, "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={prefix}", "-G", "Ninja", env=env)
        must(cmake, "--build", project / "build", env=env)
        tested = must("ctest", "--test-dir", project / "build", env=env)
        if "100% tests passed, 0 tests failed out of 1" not in tested:
            sys.exit(tested)
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
