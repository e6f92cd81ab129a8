#!/usr/bin/env python3
"""Programs of a kernel's instructions on malta or malta-be, interpreted and translated, and on QEMU's board of that name:

    board_programs.py GENCC MALTA [--big] [--programs N] [--seed N] [--tiers TIER...]

A program takes over the vectors, executes random steps (registers of coprocessor 0, the TLB, mapped and
unmapped memory in three modes, exceptions in and out of delay slots, timer, PCI configuration, registers of the
bridge and of the FPGA), and logs what it reads and every exception. The log goes to the serial port, whose bytes must be the same."""
import argparse
import os
import pathlib
import random
import subprocess
import sys
import tempfile

MIPS = pathlib.Path(__file__).resolve().parents[2] / "descriptions/mips"
STEPS = 60
# Registers that are written and read: number, select, bits that may be random, bits that are always set. IntCtl.VS is not:
# QEMU lets programs write it, and uses it, though Config3 has no vectored interrupts.
WRITTEN = ((0, 0, 0x8000001f, 0), (2, 0, 0xffffffff, 0), (3, 0, 0xffffffff, 0), (4, 0, 0xffffffff, 0), (5, 0, 0x1fffe000, 0),
           (7, 0, 0x0000000f, 0), (10, 0, 0xffffffff, 0), (12, 2, 0, 0), (13, 0, 0x08800000, 0x800000),
           (14, 0, 0xffffffff, 0), (15, 1, 0, 0x80000000), (16, 0, 0x7, 0), (24, 0, 0xffffffff, 0), (26, 0, 0xffffffff, 0),
           (28, 0, 0xffffffff, 0), (30, 0, 0xffffffff, 0), (31, 0, 0xffffffff, 0), (12, 0, 0x3400ff00, 0), (6, 0, 0, 2))
# Not compared: Random, Count, Compare, LLAddr, watchpoints (QEMU has some), Debug, counters; Config1 says so.
READ = [(n, s) for n in range(32) for s in range(8)
        if n not in (1, 9, 11, 17, 18, 19, 21, 22, 23, 25) and (n not in (28, 29) or s < 2) and (n, s) not in ((16, 1), (15, 2), (15, 3), (13, 0), (5, 5), (5, 6), (5, 7), (6, 6))]
HEAD = """.global _start
_start: mtc0 $0, c0_status
lui $27, 0x8030
move $26, $27
lui $8, 0x8000
lui $9, refill >> 16
ori $9, $9, refill & 0xffff
li $11, 32
copy: lw $10, 0($9)
sw $10, 0($8)
lw $10, general - refill($9)
sw $10, 0x180($8)
sw $10, 0x200($8)
addiu $8, $8, 4
addiu $11, $11, -1
bnez $11, copy
addiu $9, $9, 4
li $8, 0
li $22, 0
clear: mtc0 $8, c0_index
sll $9, $8, 13
lui $10, 0x8000
or $9, $9, $10
mtc0 $9, c0_entryhi
mtc0 $0, c0_entrylo0
mtc0 $0, c0_entrylo1
mtc0 $0, c0_pagemask
tlbwi
addiu $8, $8, 1
li $9, 16
bne $8, $9, clear
nop
mtc0 $0, c0_entryhi
mtc0 $0, c0_cause
mtc0 $0, c0_context
mtc0 $0, c0_epc
li $8, 2
mtc0 $8, c0_wired
"""
# Logs the exception, and goes on in kernel mode at $23. $24 and $25 are the handler's; with $22 it leaves out the
# address.
TAIL = """lui $8, 0xb800
send: lbu $9, 0($26)
sb $9, 0x3f8($8)
addiu $26, $26, 1
bne $26, $27, send
nop
lui $8, 0xbf00
li $9, 0x42
sw $9, 0x500($8)
wait: b wait
nop
.balign 64
refill: mfc0 $24, c0_badvaddr
lui $25, 0x4000
sltu $25, $24, $25
beqz $25, general_now
srl $24, $24, 13
andi $24, $24, 0x3f
sll $24, $24, 7
lui $25, 0x8
or $24, $24, $25
ori $25, $24, 0x1e
mtc0 $25, c0_entrylo0
ori $25, $24, 0x5a
mtc0 $25, c0_entrylo1
mtc0 $0, c0_pagemask
tlbwr
eret
general_now: lui $24, 0x8000
ori $24, $24, 0x180
jr $24
nop
.balign 64
general: mfc0 $24, c0_cause
lui $25, 0xb080
ori $25, $25, 0x7c
and $24, $24, $25
sw $24, 0($27)
mfc0 $24, c0_epc
movn $24, $0, $22
sw $24, 4($27)
mfc0 $24, c0_badvaddr
sw $24, 8($27)
mfc0 $24, c0_status
sw $24, 12($27)
mfc0 $24, c0_context
sw $24, 16($27)
mfc0 $24, c0_entryhi
sw $24, 20($27)
addiu $27, $27, 24
mtc0 $0, c0_compare
li $25, -32
mfc0 $24, c0_status
and $24, $24, $25
ori $24, $24, 2
mtc0 $24, c0_status
mtc0 $23, c0_epc
eret
.balign 64
end: nop
"""


class Program:
    """The text of a random program for a CPU of a byte order."""

    def __init__(self, rng, order="little"):
        self.rng, self.order, self.lines, self.labels = rng, order, [], 0

    def label(self):
        self.labels += 1
        return f"l{self.labels}"

    def load(self, register, value):
        self.lines += [f"lui {register}, {value >> 16}", f"ori {register}, {register}, {value & 0xffff}"]

    def log(self, register):
        self.lines += [f"sw {register}, 0($27)", "addiu $27, $27, 4"]

    def risky(self, *words):
        """Appends instructions of which one may end in the handler, which goes on behind them."""
        after = self.label()
        self.lines += [f"lui $23, {after} >> 16", f"ori $23, $23, {after} & 0xffff", *words, f"{after}:"]

    def in_slot(self, word):
        """Appends an instruction, by itself or in a delay slot. QEMU sees none behind a branch that its registers alone
        decide not to take, such as bnez $0."""
        if self.rng.randrange(2):
            self.risky(word)
        else:
            over = self.label()
            self.risky(self.rng.choice((f"b {over}", f"beqz $27, {over}", f"beql $0, $0, {over}", f"j {over}", f"bal {over}")),
                       word, "nop", f"{over}: nop")

    def read(self, number, select):
        self.risky(f"mfc0 $8, ${number}, {select}")
        self.log("$8")

    def write(self):
        number, select, mask, always = self.rng.choice(WRITTEN)
        self.load("$8", self.rng.getrandbits(32) & mask | always)
        self.lines.append(f"mtc0 $8, ${number}, {select}")
        if number != 13:    # the lines of QEMU's other devices
            self.read(number, select)

    def address(self):
        """Returns an address: of pages that the refill handler maps, or of each segment."""
        rng = self.rng
        base = rng.choice((0x1000, 0x4000, 0x6000, 0x7fffe000, 0x40002000, 0x80c00000, 0xa0c00000, 0xc0000000, 0xe0004000))
        return base + rng.randrange(0, 0x1000, 4) + rng.choice((0, 0, 0, 1, 2))

    def access(self):
        name = self.rng.choice(("lb", "lbu", "lh", "lw", "sb", "sh", "sw", "ll"))
        self.load("$9", self.address())
        self.load("$10", self.rng.getrandbits(32))
        self.in_slot(f"{name} $10, 0($9)")
        self.log("$10")

    def tlb(self):
        """Writes an entry of a page that it then uses, looks it up, and reads it."""
        rng = self.rng
        mask = rng.choice((0, 0, 0, 0x6000, 0x1e000))
        page = rng.choice((0x60000000, 0x50000000, 0xc0000000)) + rng.randrange(0, 0x100000, 0x20000)
        self.load("$8", page | rng.randrange(4))
        self.load("$9", rng.choice((0, 2, 3, 7)) | 0x28000 | rng.choice((0, 0x400)))
        self.load("$10", rng.choice((0, 3, 6, 7)) | 0x29000 | rng.choice((0, 0x400)))
        self.load("$11", mask)
        self.lines += ["mtc0 $8, c0_entryhi", "mtc0 $9, c0_entrylo0", "mtc0 $10, c0_entrylo1", "mtc0 $11, c0_pagemask",
                       f"li $12, {rng.randrange(2)}", "mtc0 $12, c0_index", "tlbwi"]
        for _ in range(rng.randrange(1, 4)):
            self.load("$9", page + rng.randrange(0, 2 * (mask + 0x2000) >> 1, 4))
            self.in_slot(f"{rng.choice(('lw', 'sw'))} $10, 0($9)")
            self.log("$10")
        if rng.randrange(2):
            self.lines += [f"li $12, {rng.randrange(2)}", "mtc0 $12, c0_index", "tlbr"]
        else:
            self.lines += ["mtc0 $8, c0_entryhi", "tlbp"]
            self.read(0, 0)
        for number in (2, 3, 5, 10):
            self.read(number, 0)
        self.lines += ["mtc0 $0, c0_entryhi", "mtc0 $0, c0_pagemask"]

    def trap(self):
        self.lines += ["lui $9, 0x7fff", "ori $9, $9, 0xffff", "lui $10, 0x8000"]
        self.in_slot(self.rng.choice(("syscall", "break", "teq $0, $0", "tnei $9, 3", "add $10, $9, $9", "addi $10, $9, 1",
                                      "sub $10, $10, $9", ".word 0x0000000e", ".word 0x7c00ffff", "tlt $10, $9")))
        self.log("$10")

    def unusable(self):
        """Floating point, with and without leave."""
        self.lines += ["mfc0 $8, c0_status", f"lui $9, {self.rng.choice((0, 0x2000))}", "lui $11, 0xdfff",
                       "ori $11, $11, 0xffff", "and $8, $8, $11", "or $8, $8, $9", "mtc0 $8, c0_status", "nop"]
        self.in_slot(self.rng.choice(("mtc1 $9, $f2", "add.s $f2, $f2, $f4", "movf $8, $9, $fcc1", "ldc1 $f4, 0($26)",
                                      "c.eq.d $fcc2, $f2, $f2", "ctc1 $0, $31")))

    def enabled(self):
        """A floating-point exception that FCSR enables."""
        self.lines += ["mfc0 $8, c0_status", "lui $9, 0x2000", "or $8, $8, $9", "mtc0 $8, c0_status", "nop"]
        self.load("$9", self.rng.choice((0x7fc00000, 0x3f800000, 0x00000001, 0x7f7fffff)))
        self.load("$10", self.rng.choice((0, 0x40400000, 0x7f7fffff)))
        self.load("$11", self.rng.randrange(32) << 7)
        self.lines += ["mtc1 $9, $f2", "mtc1 $10, $f4", "ctc1 $11, $31"]
        self.in_slot(self.rng.choice(("div.s $f6, $f2, $f4", "mul.s $f6, $f2, $f4", "add.s $f6, $f2, $f4", "cvt.w.s $f6, $f2",
                                      "c.olt.s $f2, $f4", "sqrt.s $f6, $f2")))
        self.lines += ["cfc1 $8, $31", "ctc1 $0, $31"]
        self.log("$8")

    def mode(self):
        """One instruction in user or supervisor mode, on the page at 0x8000, which the refill handler maps."""
        rng = self.rng
        word = rng.choice(("mfc0 $10, c0_status", "mtc0 $0, c0_epc", "tlbwi", "eret", "di", "cache 0x1, 0($0)", "syscall",
                           "lw $10, 0($9)", "sw $10, 0($9)", "lb $10, 1($9)", "rdhwr $10, hwr_ccres", "rdhwr $10, $29",
                           "rdhwr $10, hwr_cpunum", "jr $9"))
        start = self.label()
        self.load("$9", self.address() if word != "jr $9" else rng.choice((0x80001000, 0x5001, 0x40002000)))
        self.lines += [f"b {start}_behind", "nop", f"{start}: {word}", "syscall", f"{start}_behind:",
                       f"lui $12, {start} >> 16", f"ori $12, $12, {start} & 0xffff", "lw $13, 0($12)", "lw $14, 4($12)"]
        self.load("$12", 0x82008000)
        self.load("$15", 0x00008000)
        self.lines += ["sw $13, 0($12)", "sw $14, 4($12)", "sw $0, 8($12)", "synci 0($12)"]
        self.load("$16", rng.choice((0x10, 0x10, 0x08)))
        self.lines += ["mfc0 $8, c0_status", "lui $11, 0x2fff", "ori $11, $11, 0xffe0", "and $8, $8, $11", "or $8, $8, $16", "ori $8, $8, 2",
                       "mtc0 $8, c0_status", "mtc0 $15, c0_epc"]
        self.risky("eret", "nop")

    def timer(self):
        """An interrupt of the timer, for which the CPU waits: 1 ms on QEMU, whose time is the host's."""
        again = self.label()
        self.lines += ["li $22, 1", f"{again}: mfc0 $8, c0_count", "lui $9, 2", "addu $8, $8, $9", "mtc0 $8, c0_compare",
                       "mfc0 $10, c0_count", "subu $10, $10, $8", f"bgez $10, {again}", "mfc0 $9, c0_status",
                       "lui $10, 0xffff", "ori $10, $10, 0x00e0", "and $9, $9, $10", "ori $9, $9, 0x8001"]
        self.risky("mtc0 $9, c0_status", "wait", f"{again}_loop: b {again}_loop", "nop")
        self.lines += ["mfc0 $9, c0_status", "li $10, -2", "and $9, $9, $10", "mtc0 $9, c0_status", "li $22, 0"]

    def software(self):
        """An interrupt that software raises."""
        bit = self.rng.randrange(2)
        self.lines += ["mfc0 $9, c0_status", "lui $10, 0xffff", "ori $10, $10, 0x00e0", "and $9, $9, $10",
                       f"ori $9, $9, {0x101 << bit & 0x300 | 1}", f"lui $8, {self.rng.choice((0, 0x80))}",
                       f"ori $8, $8, {0x100 << bit}"]
        self.risky("mtc0 $9, c0_status", "mtc0 $8, c0_cause", "nop", "nop", "nop")
        self.lines += ["mtc0 $0, c0_cause", "mfc0 $9, c0_status", "li $10, -2", "and $9, $9, $10", "mtc0 $9, c0_status"]

    def bridge(self, name, register, offset, number=0):
        """Accesses a register of the bridge, which is little-endian."""
        if name == "sw":
            self.load(register, int.from_bytes(number.to_bytes(4, "little"), self.order))
        self.lines.append(f"{name} {register}, {offset}($13)")

    def bridge_register(self):
        """Registers of the bridge, with the CPU's byte order and with the other."""
        swapped = self.rng.randrange(2)
        little = 0x1000 if self.order == "little" else 0
        self.load("$13", 0xbbe00000)
        if swapped:
            self.bridge("sw", "$8", 0, little ^ 0x1000)
        for offset in (0, 0xc00, self.rng.choice((0x48, 0x50, 0x58, 0x60, 0x80, 0x88))):
            self.bridge("lw", "$8", offset)
            self.log("$8")
        if swapped:
            self.load("$8", 0x00100000 if little else 0)
            self.lines.append("sw $8, 0($13)")
            self.bridge("lw", "$8", 0)
            self.log("$8")

    def pci(self):
        """Configuration of a function, with and without swaps in the bridge. Of narrower reads of its words QEMU returns more
        bits than were asked for."""
        rng = self.rng
        address = 0x80000000 | rng.choice((0x0000, 0x0008, 0x5000, 0x5300, 0x5308, 0x5800))
        self.load("$13", 0xbbe00000)
        self.bridge("sw", "$8", 0xc00, rng.choice((0, 0x10001, 1)))
        self.bridge("sw", "$8", 0xcf8, address)
        for offset in (0xcfc, 0xcf8, 0xc00):
            self.bridge("lw", "$8", offset)
            self.log("$8")

    def fpga(self):
        """Registers of the FPGA and of its UART, which have the CPU's byte order, as has the board's revision; and a UART of
        PCI's, which has bytes."""
        self.load("$13", 0xbf000000)
        self.load("$14", 0xbfc00000)
        self.load("$15", 0xb8000000)
        self.load("$8", self.rng.randrange(256))
        self.lines += ["sw $8, 0x408($13)", "sw $8, 0x938($13)", "sb $8, 0x3ff($15)"]
        for place in ("0x208($13)", "0x210($13)", "0x408($13)", "0x938($13)", "0x10($14)"):
            self.lines.append(f"lw $8, {place}")
            self.log("$8")
        self.lines.append("lbu $8, 0x3ff($15)")
        self.log("$8")

    def text(self):
        for number, select in READ:
            self.read(number, select)
        steps = (self.write, self.write, self.access, self.access, self.tlb, self.tlb, self.trap, self.unusable, self.enabled,
                 self.mode, self.mode, self.software, self.bridge_register, self.pci, self.fpga)
        once = {STEPS // 2: self.timer, 1: self.bridge_register, 2: self.pci, 3: self.fpga}
        for step in range(STEPS):
            once.get(step, self.rng.choice(steps))()
            if self.rng.randrange(4) == 0:
                self.read(*self.rng.choice(READ))
        return HEAD + "\n".join(self.lines) + "\n" + TAIL


UNENDED = "it did not end"


def tiers_of(tiers):
    yield "interp", ["-accel", "interp"]
    for tier in tiers:
        yield tier, ["-accel", "jit", "-jit-tier", tier, "-jit-sync", "-jit-threshold", "2", "-jit-quick-threshold", "2"]


def output(command, folder, seconds=60):
    """Returns what a board's serial port sends, and its messages."""
    path = folder / "serial"
    path.unlink(missing_ok=True)
    try:
        done = subprocess.run([*command, "-m", "64", "-kernel", folder / "program.elf", "-display", "none", "-no-reboot",
                               "-serial", f"file:{path}"], stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, check=False)
        messages = done.stderr.decode()
    except subprocess.TimeoutExpired:
        messages = UNENDED
    return path.read_bytes() if path.exists() else b"", messages


def check(o, rng, folder, again=True):
    """Runs one program everywhere; returns what is wrong, as a line, or None. A program that QEMU does not end says nothing
    about us: another is drawn, once."""
    order = "big" if o.big else "little"
    text = Program(rng, order).text()
    (folder / "program.s").write_text(text)
    subprocess.run([o.gencc, "asm", "--arch", MIPS / ("mips.ac" if o.big else "mipsel.ac"), "--address", "0x80100000", "-o",
                    folder / "program.elf", folder / "program.s"], check=True)
    want, messages = output(["qemu-system-mips" if o.big else "qemu-system-mipsel", "-M", "malta", "-nic", "none", "-vga", "none", "-monitor", "none"], folder, 20)
    if messages == UNENDED and again:
        return check(o, rng, folder, again=False)
    if len(want) < 4 * len(READ) + 24:
        return f"QEMU logs {len(want)} bytes: {messages}"
    for tier, options in tiers_of(o.tiers):
        got, messages = output([o.malta, *options], folder)
        if got != want:
            at = next((i for i, (a, b) in enumerate(zip(got, want)) if a != b), min(len(got), len(want))) // 4
            near = [f"{int.from_bytes(data[4 * i:4 * i + 4], order):08x}" for data in (got, want) for i in range(at - 3, at + 4)]
            return f"{tier}: word {at} of {len(want) // 4} differs: {near[:7]}, QEMU {near[7:]} {messages}\n{text}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gencc")
    parser.add_argument("malta")
    parser.add_argument("--big", action="store_true", help="MALTA is big-endian")
    parser.add_argument("--programs", type=int, default=5)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("GENCC_SEED", random.randrange(1 << 32))))
    parser.add_argument("--tiers", nargs="*", default=[])
    o = parser.parse_args()
    print(f"seed {o.seed}")
    rng, wrong = random.Random(o.seed), []
    with tempfile.TemporaryDirectory() as name:
        for _ in range(o.programs):
            line = check(o, rng, pathlib.Path(name))
            wrong += [line] if line else []
    print("\n".join(wrong[:1]) or f"{o.programs} programs, {len(o.tiers) + 1} ways: as on QEMU")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
