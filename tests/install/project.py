#!/usr/bin/env python3
"""Installs gencc to a prefix, makes a project in an empty folder with `gencc new`, builds it
against the prefix, and runs its test; the man pages are installed and have the text of --help, the
manual is installed and its links lead to installed files.

The project also gets a program of user mode for the tutorial's CPU, with the ABI that the manual prints,
and a board of a device tree with that CPU; scripts/bare and scripts/mali of the prefix make their programs.

    project.py CMAKE BUILD
"""
import os
import pathlib
import re
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
add_platform(rv64-board ISA rv64i LIB isa_rv64 DTS board.dts)
"""
BOARD = """
/dts-v1/;

/include/ "gdb-riscv64.dtsi"

/ {
	#address-cells = <1>;
	#size-cells = <1>;
	compatible = "toy,board";

	gencc {
		summary = "a board for the tutorial's CPU";
		boards = "toy,board";
		argument-registers = "X10", "X11";
		boot { compatible = "linux,riscv"; };
		cpus { toy { compatible = "toy,rv64"; }; };
	};

	chosen { stdout-path = "/serial@10000000"; };
	memory@80000000 { device_type = "memory"; reg = <0x80000000 0x1000000>; };
	cpus {
		#address-cells = <1>;
		#size-cells = <0>;
		cpu@0 { device_type = "cpu"; compatible = "toy,rv64"; reg = <0>; };
	};
	serial@10000000 { compatible = "ns16550a"; reg = <0x10000000 0x100>; clock-frequency = <3686400>; };
	test@100000 { compatible = "sifive,test0"; reg = <0x100000 0x1000>; };
};
"""
# Prints "on" by the serial port, and ends the machine with status 5 by the test device.
BOARD_PROGRAM = """
    .global _start
_start:
    lui x5, 0x10000
    li x6, 'o'
    sb x6, 0(x5)
    li x6, 'n'
    sb x6, 0(x5)
    lui x5, 0x100
    lui x6, 0x53
    addi x6, x6, 0x333
    sw x6, 0(x5)
end: beq x0, x0, end
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
    (project / "board.s").write_text(BOARD_PROGRAM)
    (project / "board.dts").write_text(BOARD)
    with open(project / "CMakeLists.txt", "a", encoding="utf-8") as lists:
        lists.write(USER)


def run_user_mode(project, gencc, env):
    must(gencc, "asm", "--arch", "user/rv64.ac", "--isa", "rv64i", "--address", "0x10000", "-o", "hello.elf", "hello.s",
         cwd=project, env=env)
    done = subprocess.run([project / "build/rv64-user", project / "hello.elf"], capture_output=True, text=True,
                          timeout=60, check=False)
    if (done.returncode, done.stdout) != (6, "hello\n"):
        sys.exit(f"user mode: {done}")


def run_board(project, gencc, env):
    must(gencc, "asm", "--arch", "user/rv64.ac", "--isa", "rv64i", "--address", "0x80000000", "-o", "board.elf", "board.s",
         cwd=project, env=env)
    done = subprocess.run([project / "build/rv64-board", "-nographic", "-m", "16M", "-kernel", project / "board.elf"],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
    if (done.returncode, done.stdout) != (5, "on"):
        sys.exit(f"the board: {done}")


def run_scripts(folder, prefix, env):
    """scripts/bare and scripts/mali of the prefix, as the tutorials use them, and from a prefix that was moved."""
    moved = folder / "moved prefix"
    prefix.rename(moved)
    share = moved / "share/gencc"
    tutorial = share / "descriptions/tutorial"
    must(share / "scripts/bare", tutorial / "rv64.ac", "-o", folder / "run", env=env)
    must(moved / "bin/gencc", "asm", "--arch", tutorial / "rv64.ac", "--address", "0x1000", "-o", folder / "sum.bin",
         tutorial / "sum.s", env=env)
    if must(folder / "run", folder / "sum.bin", env=env) != "5050\n":
        sys.exit("the program of scripts/bare")
    must(share / "scripts/mali", share / "descriptions/mali/bifrost/bifrost.ac", "-o", folder / "mali-run", env=env)
    if "G72" not in must(folder / "mali-run", "-gpu", "help", env=env):
        sys.exit("the program of scripts/mali")
    objects = [path.name for path in (folder / "mali-run.c").glob("*.o")]
    if objects:
        sys.exit(f"scripts/mali compiled what did not change: {objects}")


def check_links(prefix):
    """Links of the manual to pages, descriptions and platforms lead to installed files."""
    share = prefix / "share/gencc"
    for page in [share / "README.md", *sorted((share / "docs").rglob("*.md"))]:
        for link in re.findall(r"\]\(((?:\.\./)*[\w./-]+\.(?:md|svg|dts|dtsi|ac|genc))", page.read_text()):
            if not (page.parent / link).is_file():
                sys.exit(f"{page.relative_to(share)}: {link} is not installed")


def main(cmake, build):
    # Only the prefix may be found.
    env = {k: v for k, v in os.environ.items() if k not in ("GENCC_DESCRIPTIONS", "DESTDIR")}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prefix = folder / "prefix"
        must(cmake, "--install", build, "--prefix", prefix, "--component", "compiler")
        check_manual(prefix)
        check_links(prefix)
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
        run_board(project, gencc, env)
        text = must(gencc, "explain", "--isa", "rv64i", "02a28313", cwd=folder, env=env)
        if "addi x6, x5, 42" not in text or f"{prefix}/" not in text.replace("/bin/..", ""):
            sys.exit(f"the installed descriptions are not found: {text}")
        again = subprocess.run([gencc, "new", NAME], cwd=folder, capture_output=True, text=True, check=False)
        if again.returncode != 2 or "File exists" not in again.stderr:
            sys.exit(f"a project that is there already: {again}")
        shutil.rmtree(project)
        run_scripts(folder, prefix, env)
    print("installed, made, built, tested")


if __name__ == "__main__":
    main(*sys.argv[1:])
