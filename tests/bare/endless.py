#!/usr/bin/env python3
"""A behaviour with an endless loop: gencc warns of it, and the bare runner ends with a message.

    endless.py BUILD
"""
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
ARCH = """AC_ARCH(loops) {
    ac_wordsize 32;
    ac_mem Data(32, 8, little, 0);
    ac_regspace(8) { slot PC (uint32, 4, 0) PC; slot A (uint32, 4, 4); }
    ARCH_CTOR(loops) { ac_isa("loops.ac"); };
};
"""
ISA = """AC_ISA(loops) {
    ac_fetchsize 8;
    ac_instr put  "0000 x:4" { asm "put %u{x}"; end_of_block; }
    ac_instr hang "00010000" { asm "hang"; }
    ISA_CTOR(loops) { ac_execute("isa.genc"); };
};
"""
BEHAVIOURS = """execute(put) { take_exception(1, 48 + inst.x); }
execute(hang)
{
    while (1) {
        write_register(A, read_register(A) + 1);
    }
}
"""


def main(build):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for file, text in (("arch.ac", ARCH), ("loops.ac", ISA), ("isa.genc", BEHAVIOURS)):
            (folder / file).write_text(text)
        (folder / "program").write_bytes(bytes([0x03, 0x05, 0x10]))
        made = subprocess.run([ROOT / "scripts/bare", "--build", build, folder / "arch.ac", "-o",
                               folder / "run"], check=False, capture_output=True, text=True)
        if made.returncode:
            sys.exit(made.stderr)
        done = subprocess.run([folder / "run", "-limit", "100", folder / "program"], timeout=120,
                              capture_output=True, text=True, check=False)
    wrong = []
    if "isa.genc:4:5: warning: this loop cannot end" not in made.stderr:
        wrong.append(f"no warning: {made.stderr}")
    if (done.returncode, done.stdout) != (1, "35"):
        wrong.append(f"status {done.returncode}, output {done.stdout!r}")
    if "has not ended after 10 s" not in done.stderr or "0x1002" not in done.stderr:
        wrong.append(f"said {done.stderr!r}")
    print("\n".join(wrong) or "ended, and said so")
    return 1 if wrong else 0


sys.exit(main(*sys.argv[1:]))
