#!/usr/bin/env python3
"""The messages of `gencc build` on lane behaviours that it cannot make handlers of, and unique
names of handlers: build.py GENCC."""
import pathlib
import subprocess
import sys
import tempfile

ARCH = """AC_ARCH(small) {
    ac_wordsize 64;
    ac_lane_regspace(64) { bank R(uint32, 0, 16, 4, 1, 4, 4); }
    ARCH_CTOR(small) { ac_isa("isa.ac"); set_endian("little"); };
};
"""
ISA = """AC_ISA(small) {
    ac_fetchsize 12;
    ac_instr one "00 a:2 b:8" { }
    ISA_CTOR(small) { ac_execute("isa.genc"); };
};
"""
TWO = ISA.replace("ISA_CTOR", 'ac_instr one_plain "01 b:10" { behaviour two; }\n    ISA_CTOR')
HEAVY = " ".join(f"if (inst.a) {{ x = x * 3 + {i} / (x | 1); }}" for i in range(9))
MANY = " ".join(f"x = (x + inst.b * {0x1234567 + i}) ^ lane_id();" for i in range(30))

# Name, ISA, behaviours, expected message (None: it builds).
CASES = [
    ("varying selector", ISA, "execute(one) { write_result(read_source((uint8)lane_id())); }",
     "isa.genc:1:29: error: the selector of a source must be known when decoding"),
    ("varying staging", ISA, "execute(one) { write_result(read_staging_lane((uint8)lane_id(), 0)); }",
     "isa.genc:1:29: error: the number of another lane's staging register must be a constant below "
     "32"),
    ("impure helper", ISA, "helper uint32 f() noinline { return lane_id(); }\n"
                           "execute(one) { write_result(f()); }",
     "isa.genc:2:29: error: helper 'f' cannot be inlined here; only a pure one may be 'noinline' or "
     "large"),
    ("many operands", ISA, "execute(one) { uint32 x = 0; " + MANY + " write_result(x); }",
     "isa.ac:3:14: error: 'one' has 120 bytes of operands, more than the 96 there is room for"),
    ("pure helper", ISA, "helper uint32 f(uint32 x) noinline { return x * x; }\n"
                         "execute(one) { write_result(f(lane_id()) + f(inst.b)); }", None),
    ("names", TWO, "execute(one) { uint32 x = read_source(inst.b); " + HEAVY + " write_result(x); }\n"
                   "execute(two) { write_result(inst.b); }", None),
]


def run(gencc, isa, behaviours):
    """Returns the compiler's messages, and the handlers' names."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for file, text in (("arch.ac", ARCH), ("isa.ac", isa), ("isa.genc", behaviours + "\n")):
            (folder / file).write_text(text)
        done = subprocess.run([gencc, "build", "arch.ac", "-o", "out", "--parts", "1"], cwd=folder,
                              capture_output=True, text=True, timeout=60)
        code = folder / "out/small_exec_0.c"
        lines = code.read_text().splitlines() if code.exists() else []
        heads = [line for line in lines if line.startswith("static void h_")]
        return done.returncode, done.stderr, heads


def main(gencc):
    wrong = []
    for name, isa, behaviours, message in CASES:
        status, said, heads = run(gencc, isa, behaviours)
        if message and (status != 1 or message not in said.splitlines()):
            wrong.append(f"{name}: status {status}, {said}\n  expected {message}")
        if not message and (status or said or not heads or len(set(heads)) != len(heads)):
            wrong.append(f"{name}: status {status}, {said}, {heads}")
        if name == "names" and "static void h_one_plain_(GPU_HANDLER_ARGS)" not in heads:
            wrong.append(f"{name}: no handler of its own for the usual value: {heads}")
    print("\n".join(wrong) or f"{len(CASES)} descriptions")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
