#!/usr/bin/env python3
"""scripts/bare with C code for the description's external functions; and with a wrong description,
after which the previous program must be gone.

    script.py BUILD
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TUTORIAL = ROOT / "descriptions/tutorial"
PROGRAM = "li x5, 7\naddw x10, x5, x5\nli x17, 0\necall\n"
EXTERNAL = "external uint64 triple(uint64 a);\nexecute(addw) { set(inst.rd, triple(get(inst.rs1))); }\n"
HEADER = "#include <stdint.h>\nuint64_t triple(uint64_t a);\n"
SOURCE = "#include \"more.h\"\nuint64_t triple(uint64_t a)\n{\n    return 3 * a;\n}\n"


def bare(build, folder, *options):
    return subprocess.run([ROOT / "scripts/bare", "--build", build, folder / "rv64.ac", "-o", folder / "run", *options],
                          capture_output=True, text=True, timeout=100, check=False)


def main(build):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for file in TUTORIAL.iterdir():
            shutil.copy(file, folder)
        behaviours = (folder / "rv64i.genc").read_text()
        text = behaviours[:behaviours.index("execute(addw)")] + EXTERNAL
        (folder / "rv64i.genc").write_text(text)
        (folder / "more.h").write_text(HEADER)
        (folder / "more.c").write_text(SOURCE)
        with open(folder / "a.bin", "wb") as out:
            subprocess.run([pathlib.Path(build) / "bin/gencc", "asm", "--arch", folder / "rv64.ac", "-"], check=True,
                           input=PROGRAM.encode(), stdout=out)
        made = bare(build, folder, "--external", folder / "more.c")
        if made.returncode or made.stdout or made.stderr:
            sys.exit(f"status {made.returncode}: {made.stdout}{made.stderr}")
        status = subprocess.run([folder / "run", folder / "a.bin"], timeout=60, check=False).returncode
        if status != 21:
            sys.exit(f"the program ends with {status}, not with 21")
        (folder / "rv64i.genc").write_text(text + "execute(nobody) {}\n")
        failed = bare(build, folder, "--external", folder / "more.c")
        if failed.returncode != 1 or "nobody" not in failed.stderr or (folder / "run").exists():
            sys.exit(f"a wrong description: status {failed.returncode}, run {(folder / 'run').exists()}")
    print("one program with a function of its own; none of a wrong description")


main(*sys.argv[1:])
