#!/usr/bin/env python3
"""Compares the A64 description with qemu-aarch64, both with every feature, instruction by instruction.

Makes cases: random registers, flags, vector registers, FPCR and memory, and a few random
instructions of every group (data processing, loads and stores, exclusives, branches forward, FP,
Advanced SIMD, cryptography). They become one static program, which writes all registers and the
memory as each case leaves them. QEMU runs it; the same cases run on the evaluator (--evaluate),
and the same program on a simulator (--simulator). What they leave must be equal to the last bit.

Left out, because their results are not determined or not comparable: system instructions, literal
loads (the memory of the cases holds no code), what the manual calls UNPREDICTABLE, and DC ZVA, whose
block has another size on that CPU of QEMU's, and FCVTZS of halves to fixed point, which QEMU gets wrong
(tests/random/a64/max.rules).
"""
import argparse
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "disasm"))
from disasm import Picture, seed  # noqa: E402

# Without pointer authentication, whose hints have no effect on the description's CPU.
QEMU = ["qemu-aarch64", "-cpu", "max,pauth=off"]
TOOLS = "aarch64-linux-gnu-"
MEMORY, DATA, CODE = 0x10000000, 0x20000000, 0x400000
WORDS = 8                   # instructions per case
ROOM = 2048                 # bytes of memory per case
REGISTERS = 512 + 36 * 8    # V, X0 to X30, SP, NZCV, FPCR, FPSR, unused
NOP = 0xd503201f
ROUND = 10000                # cases per program

# Registers with a fixed use: random instructions change them only by write-back.
TARGET, BASE, ALIGNED, INDEX, UNSIGNED_INDEX, SIGNED_INDEX = 19, 20, 21, 22, 23, 24
RESERVED = range(TARGET, SIGNED_INDEX + 1)

LEFT_OUT = set("svc hvc smc brk hlt dcps1 dcps2 dcps3 udf eret drps wfe wfi yield sev sevl sys sysl "
               "msr mrs msr_spsel msr_daifset msr_daifclr msr_pan dc_zva fcvtzs_ih ldr_lit ldrsw_lit ldr_lit_v".split())
# Words of other forms that assemble to a form left out: FCVTZS of a scalar half to fixed point.
MISTAKEN = re.compile(r"\bfcvtzs\s+h\d+, h\d+, #")
BRANCHES = {"b": "imm26", "bl": "imm26", "b_cond": "imm19", "cbz": "imm19", "cbnz": "imm19",
            "tbz": "imm14", "tbnz": "imm14"}
INDIRECT = {"br", "blr", "ret"}
LOAD_EXCLUSIVE = {"ldxr": "stxr", "ldaxr": "stlxr", "ldxp": "stxp", "ldaxp": "stlxp"}
STORE_EXCLUSIVE = set(LOAD_EXCLUSIVE.values())
ORDERED = {"ldar", "stlr", "ldapr"}
ATOMIC = {"cas", "casp", "ld_atomic", "swp"}
MEMORY_FILES = ("load_store.ac", "simd_load_store.ac", "lse.ac", "rcpc.ac")
WRITES_SP = {"add_imm", "sub_imm", "and_imm", "orr_imm", "eor_imm", "add_ext", "sub_ext"}

INTEGERS = [0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff,
            1 << 32, (1 << 63) - 1, 1 << 63, (1 << 64) - 1, (1 << 64) - 2]
SINGLES = [0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001,
           0x7fc12345, 0xffa00001, 1, 0x80000001, 0x7fffff, 0x800000, 0x7f7fffff, 0x3f000000,
           0x40490fdb, 0x4f000000, 0xcf000000, 0x5f000000, 0x4b000001, 0x3effffff, 0x40200000]
DOUBLES = [0, 1 << 63, 0x3ff << 52, 0xbff << 52, 0x7ff << 52, 0xfff << 52, 0x7ff8 << 48,
           (0x7ff << 52) + 1, 0xfff4000000000001, 1, (1 << 52) - 1, 1 << 52, (0x7ff << 52) - 1,
           0x3fe << 52, 0x41e << 52, 0xc1e << 52, 0x43e << 52, 0x4330000000000001, 0x4004 << 48,
           0x36a << 52, 0x47f << 52]


def random_integer(rng):
    kind = rng.randrange(4)
    value = rng.choice(INTEGERS) if kind == 0 else rng.getrandbits(64)
    if kind == 1:
        value >>= rng.randrange(64)
    elif kind == 2:
        value = -(value >> rng.randrange(64))
    return value & (1 << 64) - 1


def random_vector(rng):
    kind = rng.randrange(6)
    if kind == 0:
        return rng.randbytes(16)
    if kind == 1:
        return struct.pack("<4I", *(rng.choice(SINGLES) for _ in range(4)))
    if kind == 2:
        return struct.pack("<2Q", *(rng.choice(DOUBLES) for _ in range(2)))
    if kind == 3:
        return struct.pack("<4f", *(rng.uniform(-1, 1) * 10.0 ** rng.randrange(-6, 7)
                                    for _ in range(4)))
    if kind == 4:
        return struct.pack("<2d", *(rng.uniform(-1, 1) * 10.0 ** rng.randrange(-6, 12)
                                    for _ in range(2)))
    return bytes(rng.choice([0, 1, 0x7f, 0x80, 0xff, rng.getrandbits(8)]) for _ in range(16))


class Instruction:
    """An instruction of the description, which makes random words of itself."""

    def __init__(self, name, picture, memory):
        self.name, self.picture = name, Picture(name, picture)
        self.memory = memory            # whether it belongs to a load and store group
        self.fields = {n: (32 - at - width, width) for n, at, width in self.picture.fields}

    def get(self, word, name):
        low, width = self.fields[name]
        return word >> low & (1 << width) - 1

    def put(self, word, name, value):
        low, width = self.fields[name]
        mask = (1 << width) - 1
        return word & ~(mask << low) | (value & mask) << low

    def word(self, rng):
        word = self.picture.word(rng, None)
        for name in ("rn", "rm", "ra", "rd", "rt", "rt2", "rs"):
            if name in self.fields and rng.randrange(12) == 0:
                word = self.put(word, name, 31)
        for name in ("rd", "rt", "rt2", "rs"):
            if name in self.fields and self.get(word, name) in RESERVED:
                word = self.put(word, name, self.get(word, name) - 8)
            if self.name == "casp" and name in self.fields and 2 * self.get(word, name) + 1 >= TARGET:
                word = self.put(word, name, self.get(word, name) - 8)   # number of a register pair
        if self.name in WRITES_SP and self.get(word, "rd") == 31:
            word = self.put(word, "rd", 30)
        if self.memory:
            word = self.memory_word(rng, word)
        if self.name == "hint":         # not WFI and similar hints
            word = self.put(word, "crm", rng.randint(1, 15))
        return word

    def memory_word(self, rng, word):
        limits = {"imm12": (0, 7), "imm9": (-32, 31), "imm7": (-4, 4)}
        for name, (low, high) in limits.items():
            if name in self.fields:
                word = self.put(word, name, rng.randint(low, high))
        aligned = self.name in ORDERED or self.name in STORE_EXCLUSIVE or \
            self.name in LOAD_EXCLUSIVE or self.name in ATOMIC
        if "rn" in self.fields:
            word = self.put(word, "rn", ALIGNED if aligned else rng.choice((BASE, BASE, 31)))
        if "rm" in self.fields:
            word = self.put(word, "rm", self.index(rng, word))
        if "rt2" in self.fields and self.get(word, "rt2") == self.get(word, "rt"):
            word = self.put(word, "rt2", (self.get(word, "rt") + 1) % 16)
        if self.name in STORE_EXCLUSIVE:    # Rs must differ from the registers stored
            used = {self.get(word, n) for n in ("rt", "rt2") if n in self.fields}
            word = self.put(word, "rs", next(r for r in (1, 2, 3) if r not in used))
        return word

    def index(self, rng, word):
        """Returns a register whose value is a small number after the instruction's extension."""
        option = self.get(word, "option") if "option" in self.fields else None
        if "uxtw" in self.name or option == 2:
            return UNSIGNED_INDEX
        if "sxtw" in self.name or option == 6:
            return SIGNED_INDEX
        if "option" in self.fields or "sx" in self.fields:
            return rng.choice((INDEX, SIGNED_INDEX, 31))
        return rng.choice((INDEX, 31))


def instructions(folder, files):
    found = []
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".ac") or files and name[:-3] not in files:
            continue
        text = re.sub(r"//[^\n]*", "", open(os.path.join(folder, name)).read())
        for m in re.finditer(r"ac_instr\s+(\w+)\s*\"([^\"]+)\"", text):
            if m.group(1) not in LEFT_OUT:
                found.append(Instruction(m.group(1), m.group(2), name in MEMORY_FILES))
    return found


def sequence(rng, pool, by_name):
    """Returns the words of a case, each with the instruction that can make another word in its
    place."""
    words, makers, indirect = [], [], False
    while len(words) < WORDS:
        ins, left = rng.choice(pool), WORDS - len(words)
        word, maker = ins.word(rng), None
        if ins.name in BRANCHES:
            word = ins.put(word, BRANCHES[ins.name], rng.randint(1, left))
        elif ins.name in INDIRECT:
            # At most one per case: a second one could take the first one's target, and jump back.
            if left < 2 or indirect or "adr" not in by_name:
                continue
            indirect = True
            adr = by_name["adr"].picture.word(rng, "0")
            words.append(by_name["adr"].put(adr, "immhi", rng.randint(2, left)) | TARGET)
            word = ins.put(word, "rn", TARGET)
        elif ins.name in LOAD_EXCLUSIVE:
            if left < 2:
                continue
            # An exclusive pair of the same size, without a store in between.
            store = by_name[LOAD_EXCLUSIVE[ins.name]]
            words.append(word)
            word = store.word(rng)
            size = "size" if "size" in ins.fields else "sf"
            word = store.put(word, size, ins.get(words[-1], size))
        else:
            maker = ins
        words.append(word)
        makers += [None] * (len(words) - len(makers) - 1) + [maker]
    return list(zip(words, makers))


def write_words(path, words):
    with open(path, "wb") as f:
        f.write(struct.pack("<%dI" % len(words), *words))


def defined(rng, command, pairs, folder):
    """Returns the words and their texts. Words that the description leaves undefined or QEMU gets
    wrong are replaced, after some attempts by a no-operation."""
    path = os.path.join(folder, "defined.bin")
    words = [word for word, _ in pairs]
    for attempt in range(5):
        write_words(path, words)
        out = subprocess.run(command + [path], stdout=subprocess.PIPE, check=True)
        lines = out.stdout.decode().splitlines()
        for i, line in enumerate(lines):
            if ".inst" in line or MISTAKEN.search(line):
                maker = pairs[i][1]
                words[i] = maker.word(rng) if maker and attempt < 3 else NOP
    return words, lines


def random_state(rng, number, end):
    x = [random_integer(rng) for _ in range(31)]
    x[TARGET] = end             # target of a branch whose ADR was jumped over
    middle = MEMORY + number * ROOM + ROOM // 2
    x[BASE], x[ALIGNED], x[INDEX] = middle + rng.randrange(16), middle, rng.randrange(16)
    x[UNSIGNED_INDEX] = rng.randrange(16) | rng.getrandbits(32) << 32
    x[SIGNED_INDEX] = -rng.randrange(16) & (1 << 64) - 1
    fpcr = rng.getrandbits(5) << 22 | rng.getrandbits(1) << 19 if rng.randrange(2) else 0
    return b"".join(random_vector(rng) for _ in range(32)) + struct.pack(
        "<31Q5Q", *x, middle, rng.getrandbits(4) << 28, fpcr, 0, 0)


# ---- the program --------------------------------------------------------------------------------

def macro():
    """The macro CASE i w0 …: loads the registers of case i, runs the words, and stores the
    registers. Returns its text, the address of the first case's words, and the bytes per case."""
    address = " movz x30, #(%d + \\i * %d) & 0xffff\n movk x30, #(%d + \\i * %d) >> 16, lsl #16\n" \
        % (DATA, REGISTERS, DATA, REGISTERS)
    special = (("sp", 248), ("nzcv", 256), ("fpcr", 264), ("fpsr", 272))
    load, store = [" clrex\n", address], [" msr tpidr_el0, x30\n", address]
    for i in range(0, 32, 2):
        load.append(" ldp q%d, q%d, [x30, #%d]\n" % (i, i + 1, 16 * i))
        store.append(" stp q%d, q%d, [x30, #%d]\n" % (i, i + 1, 16 * i))
    for lines in (load, store):
        lines.append(" add x30, x30, #512\n")
    for name, at in special:
        load.append(" ldr x0, [x30, #%d]\n" % at)
        load.append(" mov sp, x0\n" if name == "sp" else " msr %s, x0\n" % name)
    for i in range(0, 30, 2):
        load.append(" ldp x%d, x%d, [x30, #%d]\n" % (i, i + 1, 8 * i))
        store.append(" stp x%d, x%d, [x30, #%d]\n" % (i, i + 1, 8 * i))
    load.append(" ldr x30, [x30, #240]\n")
    store.append(" mrs x0, tpidr_el0\n str x0, [x30, #240]\n")
    for name, at in special:
        store.append(" mov x0, sp\n" if name == "sp" else " mrs x0, %s\n" % name)
        store.append(" str x0, [x30, #%d]\n" % at)
    before, after = "".join(load).count("\n"), "".join(store).count("\n")
    words = "".join(" .inst \\w%d\n" % i for i in range(WORDS))
    text = ".macro CASE i %s\n%s%s%s.endm\n" % (" ".join("w%d" % i for i in range(WORDS)),
                                                "".join(load), words, "".join(store))
    return text, CODE + 4 * before, 4 * (before + WORDS + after)


def write_out(address, size):
    return """ ldr x1, =%d
 ldr x2, =%d
1: mov x0, #1
 mov x8, #64
 svc #0
 cmp x0, #0
 b.le 2f
 add x1, x1, x0
 subs x2, x2, x0
 b.ne 1b
2:
""" % (address, size)


def build(folder, text, words, states, memory):
    cases = len(states) // REGISTERS
    with open(os.path.join(folder, "states.bin"), "wb") as f:
        f.write(states)
    with open(os.path.join(folder, "memory.bin"), "wb") as f:
        f.write(memory)
    with open(os.path.join(folder, "t.s"), "w") as f:
        f.write(text)
        f.write('.section .data\n.incbin "states.bin"\n.section .memory, "aw"\n'
                '.incbin "memory.bin"\n.text\n.globl _start\n_start:\n')
        for i in range(cases):
            f.write("CASE %d %s\n" % (i, " ".join("0x%08x" % w
                                                  for w in words[WORDS * i:WORDS * (i + 1)])))
        f.write(write_out(DATA, len(states)) + write_out(MEMORY, len(memory)))
        f.write(" mov x0, #0\n mov x8, #94\n svc #0\n .ltorg\n")
    subprocess.run([TOOLS + "as", "-march=armv8-a+crc+crypto", "t.s", "-o", "t.o"], cwd=folder,
                   check=True)
    subprocess.run([TOOLS + "ld", "t.o", "-o", "t", "--section-start=.text=0x%x" % CODE,
                    "--section-start=.data=0x%x" % DATA, "--section-start=.memory=0x%x" % MEMORY],
                   cwd=folder, check=True)


def run_program(command, folder, size):
    out = subprocess.run(command + [os.path.join(folder, "t")], stdout=subprocess.PIPE, timeout=600)
    if out.returncode or len(out.stdout) != size:
        raise SystemExit("%s: status %d, %d bytes of %d" % (command[0], out.returncode,
                                                            len(out.stdout), size))
    return out.stdout


# ---- comparing ----------------------------------------------------------------------------------

NAMES = ["v%d" % i for i in range(32)] + ["x%d" % i for i in range(31)] + \
    ["sp", "nzcv", "fpcr", "fpsr"]


def values(state):
    vectors = [int.from_bytes(state[16 * i:16 * i + 16], "little") for i in range(32)]
    return vectors + list(struct.unpack("<35Q", state[512:512 + 35 * 8]))


def compare(who, got, want, lines, cases, show):
    failures = 0
    for i in range(cases):
        at, room = i * REGISTERS, cases * REGISTERS + i * ROOM
        if got[at:at + REGISTERS] == want[at:at + REGISTERS] and \
                got[room:room + ROOM] == want[room:room + ROOM]:
            continue
        failures += 1
        if failures > show:
            continue
        print("case %d, %s:" % (i, who))
        for line in lines[WORDS * i:WORDS * (i + 1)]:
            print("    " + line.split(None, 1)[1])
        for name, a, b in zip(NAMES, values(got[at:at + REGISTERS]),
                              values(want[at:at + REGISTERS])):
            if a != b:
                print("  %s is %x, should be %x" % (name, a, b))
        for k in range(ROOM):
            if got[room + k] != want[room + k]:
                print("  memory %+d is %02x, should be %02x"
                      % (k - ROOM // 2, got[room + k], want[room + k]))
    print("%s: %d of %d cases differ" % (who, failures, cases))
    return failures


def test_round(rng, args, pool, cases):
    by_name = {ins.name: ins for ins in pool}
    disassemble = [args.gencc, "disasm", "--arch", args.arch, "--isa", "a64"]
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        def path(name):
            return os.path.join(folder, name)

        pairs = [p for _ in range(cases) for p in sequence(rng, pool, by_name)]
        words, lines = defined(rng, disassemble, pairs, folder)
        write_words(path("words.bin"), words)
        text, first, stride = macro()
        states = b"".join(random_state(rng, i, first + i * stride + 4 * WORDS)
                          for i in range(cases))
        memory = rng.randbytes(cases * ROOM)
        build(folder, text, words, states, memory)
        want = run_program(QEMU, folder, len(states) + len(memory))
        if args.evaluate:
            subprocess.run([args.evaluate, args.arch, path("states.bin"), path("words.bin"),
                            path("memory.bin"), hex(first), str(stride), path("out.bin")],
                           check=True)
            failures += compare("evaluator", open(path("out.bin"), "rb").read(), want, lines,
                                cases, args.show)
        if args.simulator:
            failures += compare("simulator",
                                run_program(args.simulator.split(), folder, len(want)), want,
                                lines, cases, args.show)
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--arch", required=True, help="the architecture file")
    parser.add_argument("--gencc", required=True)
    parser.add_argument("--evaluate", help="the program evaluate")
    parser.add_argument("--simulator", help="runs a static Linux program")
    parser.add_argument("--cases", type=int, default=2000, help="of %d instructions each" % WORDS)
    parser.add_argument("--files", default="", help="only these description files, by comma")
    parser.add_argument("--seed", type=int, default=seed.default())
    parser.add_argument("--show", type=int, default=5, help="how many failures to print")
    args = parser.parse_args()
    print("seed %d" % args.seed, flush=True)
    rng = random.Random(args.seed)
    pool = instructions(os.path.dirname(args.arch), [f for f in args.files.split(",") if f])
    failures = 0
    for start in range(0, args.cases, ROUND):
        failures += test_round(rng, args, pool, min(ROUND, args.cases - start))
    print("%d instructions of %d kinds" % (args.cases * WORDS, len(pool)))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
