#!/usr/bin/env python3
"""Traces that go on in each other, with guest registers in host registers, leave the guest as QEMU does.

Each program is a random graph of blocks, which a random number in a register leads through, so that traces are left on all
sides, also by jumps to one of several addresses. In any of them it has a fault now and then: the signal's handler adds all registers as the kernel gives them, with the
PC and the flags, to a hash, and goes on. The last one writes them. So nothing may be lost that a trace has in registers.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

BLOCKS_RUN = 30000
DATA = 256

START = """        .globl _start
_start: mov     x0, #11
        ldr     x1, =action
        mov     x2, #0
        mov     x3, #8
        mov     x8, #134
        svc     #0
        ldr     x16, =0x9e3779b97f4a7c15
        ldr     x21, =6364136223846793005
        ldr     x22, =1442695040888963407
        ldr     x17, =%d
        ldr     x19, =data
        mov     x20, x19
        cmp     x17, #0
%s
        b       b0
handler:
        add     x19, x2, #184           // regs, sp and pc of the context
        ldr     x3, =hash
        ldr     x4, [x3]
        ldr     x5, =6364136223846793005
        mov     x6, #31
1:      ldr     x7, [x19], #8
        madd    x4, x4, x5, x7
        subs    x6, x6, #1
        b.ne    1b
        ldp     x6, x7, [x2, #440]      // pc, flags
        madd    x4, x4, x5, x6
        madd    x4, x4, x5, x7
        add     x19, x2, #480           // vregs, behind headers
        mov     x6, #64
2:      ldr     x7, [x19], #8
        madd    x4, x4, x5, x7
        subs    x6, x6, #1
        b.ne    2b
        str     x4, [x3]
        add     x19, x2, #184
        ldr     x4, [x19, #136]         // x17
        tbnz    x4, #63, last
        ldr     x4, =data
        str     x4, [x19, #184]         // x23
        mov     x8, #139
        svc     #0
last:   mov     x0, #1
        mov     x1, x19
        mov     x2, #248
        mov     x8, #64
        svc     #0
        mov     x0, #1
        add     x1, x19, #256
        mov     x2, #16
        svc     #0
        mov     x0, #1
        add     x1, x19, #296
        mov     x2, #512
        svc     #0
        mov     x0, #1
        ldr     x1, =data
        mov     x2, #264
        svc     #0
        mov     x0, #0
        mov     x8, #93
        svc     #0
        .ltorg
"""

END = """        .data
        .balign 16
action: .quad   handler, 4, 0, 0
data:
"""


def operation(r):
    """Returns one random instruction."""
    x = [f"x{r.randrange(16)}" for _ in range(3)]
    w = ["w" + n[1:] for n in x]
    v = [f"v{r.randrange(8)}" for _ in range(3)]
    d = ["d" + n[1:] for n in v]
    at = 8 * r.randrange(30)
    return r.choice([
        lambda: f"{r.choice(['add', 'sub', 'adds', 'subs', 'eor', 'and', 'orr', 'bics', 'mul'])} {', '.join(x)}",
        lambda: f"{r.choice(['add', 'subs', 'adds', 'eor', 'ands'])} {', '.join(w)}",
        lambda: f"{r.choice(['add', 'subs', 'adds'])} {x[0]}, {x[1]}, #{r.randrange(4096)}",
        lambda: f"{r.choice(['cmp', 'cmn', 'tst'])} {x[0]}, {x[1]}",
        lambda: f"{r.choice(['cmp', 'cmn', 'tst'])} {w[0]}, {w[1]}",
        lambda: f"ccmp {x[0]}, {x[1]}, #{r.randrange(16)}, {r.choice(['ne', 'ge', 'hi'])}",
        lambda: f"cmp {w[0]}, #{r.randrange(9)}\n        ccmp {w[1]}, {w[2]}, #{r.randrange(16)}, {r.choice(['eq', 'cs'])}",
        lambda: f"ccmp {w[0]}, #{r.randrange(9)}, #{r.randrange(16)}, {r.choice(['eq', 'lt'])}\n        cset {w[1]}, le",
        lambda: f"bic {', '.join(x)}\n        cmn {w[0]}, #{r.randrange(9)}",
        lambda: f"mov {x[0]}, {r.choice([x[1], 'x16', '#' + str(r.randrange(65536))])}",
        lambda: f"csel {', '.join(x)}, {r.choice(['eq', 'hi', 'lt', 'vs', 'mi', 'le'])}",
        lambda: f"cset {w[0]}, {r.choice(['ne', 'cs', 'gt', 'vc', 'ls'])}",
        lambda: f"lsr {x[0]}, {x[1]}, #{r.randrange(64)}",
        lambda: f"ldr {x[0]}, [x19, #{at}]",
        lambda: f"str {x[0]}, [x19, #{at}]",
        lambda: f"ldrb {w[0]}, [x19, #{at}]",
        lambda: f"ldr {d[0]}, [x19, #{at}]",
        lambda: f"str q{v[0][1:]}, [x19, #{at & 240}]",
        lambda: f"add {v[0]}.4s, {v[1]}.4s, {v[2]}.4s",
        lambda: f"eor {v[0]}.16b, {v[1]}.16b, {v[2]}.16b",
        lambda: f"scvtf {d[0]}, {w[0]}",
        lambda: f"scvtf s{d[0][1:]}, {w[0]}",
        lambda: f"scvtf {d[0]}, w16\n        fadd {d[0]}, {d[0]}, {d[0]}",
        lambda: f"scvtf {d[0]}, w16\n        ins {v[0]}.d[1], {x[0]}\n        fadd {d[1]}, {d[0]}, {d[0]}",
        # Of a denormal number where the block has its fault: this operation deoptimises.
        lambda: f"lsr x26, x25, #63\n        fmov d8, x26\n        fadd d9, d8, d8",
        lambda: f"ins {v[0]}.d[1], {x[0]}",
        lambda: f"umov {x[0]}, {v[0]}.d[{r.randrange(2)}]",
    ])()


def branch(r, to):
    """Returns the instructions that lead from a block to one of two others."""
    kind = r.randrange(4)
    if kind == 0:
        return f"tbz x16, #{r.randrange(40, 60)}, b{to[0]}\n        b b{to[1]}"
    if kind == 1:
        return f"ubfx x25, x16, #{r.randrange(36, 60)}, #{r.randrange(2, 4)}\n        cbz x25, b{to[0]}\n        b b{to[1]}"
    if kind == 2:
        return f"cmp w16, w{r.randrange(16)}\n        b.{r.choice(['lt', 'hi', 'vs', 'pl'])} b{to[0]}\n        b b{to[1]}"
    return f"b.{r.choice(['lt', 'ne', 'hi', 'cs', 'mi', 'vc'])} b{to[0]}\n        b b{to[1]}"


def jump(r, count):
    """Returns the instructions that lead from a block to one of up to eight others, by a table."""
    to = [r.randrange(count) for _ in range(r.randrange(1, 9))]
    table = ", ".join(f"b{r.choice(to)}" for _ in range(8))
    bits = r.randrange(36, 60)
    return (f"adr x25, 9f\n        ubfx x26, x16, #{bits}, #3\n        ldr x25, [x25, x26, lsl #3]\n"
            f"        {r.choice(['br', 'ret'])} x25\n        .balign 8\n9:      .quad {table}")


def blocks_with_upper_half(kind):
    """Returns blocks as random_blocks() does. The first computes a float, of which the host's register has something in its
    upper half; now and then it leads to the second, a loop that reads all of the guest's register."""
    return [
        (["eor v2.16b, v2.16b, v3.16b", f"fadd {kind}1, {kind}3, {kind}3"],
         "ubfx x25, x16, #36, #3\n        cbz x25, b1\n        b b2"),
        (["add v2.2d, v2.2d, v1.2d"], "tbz x16, #40, b2\n        b b1"),
        (["fmov v3.2d, #1.5"], "b b0"),
    ]


def random_blocks(r):
    """Returns what each block of a random program computes, and how it goes on."""
    count = r.randrange(2, 9)
    blocks = []
    for _ in range(count):
        body = [operation(r) for _ in range(r.randrange(0, 9))]
        if r.randrange(2):  # flags that only exits compute, of registers that nothing else may read
            body.insert(0, f"cmp x{r.randrange(16)}, x{r.randrange(16)}")
        blocks.append((body,
                       branch(r, [r.randrange(count), r.randrange(count)]) if r.randrange(4) else jump(r, count)))
    return blocks


def program(r, blocks):
    """Returns the source of a program of blocks, in each of which a fault is added."""
    values = [f"        mov     x{n}, #{r.randrange(65536)}\n        dup     v{n}.4s, w{n}" for n in range(16)]
    lines = [START % (r.randrange(BLOCKS_RUN // 2, BLOCKS_RUN), "\n".join(values))]
    for n, (body, end) in enumerate(blocks):
        at = r.randrange(len(body) + 1)
        lines.append("\n        ".join([
            f"b{n}:", "madd x16, x16, x21, x22", "sub x17, x17, #1", "ubfx x25, x16, #20, #8",
            "sub x25, x25, #1", "orr x25, x25, x17", "bic x23, x20, x25, asr #63",
            *body[:at], "ldr x24, [x23]", *body[at:], end]))
    data = [f"        .quad   {r.getrandbits(60)}" for _ in range(DATA // 8)]
    return "\n".join(lines) + "\n" + END + "\n".join(data) + "\nhash:   .quad   0\n"


def compare(o, what, source):
    """Compares a program's output with QEMU's; returns how many bridges were made."""
    with tempfile.TemporaryDirectory() as folder:
        text, file = os.path.join(folder, "p.s"), os.path.join(folder, "p")
        with open(text, "w", encoding="utf-8") as out:
            out.write(source)
        subprocess.run([o.gcc, "-nostdlib", "-static", text, "-o", file], check=True)
        want = subprocess.run([o.qemu, file], stdout=subprocess.PIPE, check=True).stdout
        for threshold, options in (("2", ["-stats", folder]), ("40", [])):
            ours = [o.user, "-accel", "jit", "-jit-tier", "quick", "-jit-sync", "-jit-quick-threshold", threshold, *options, file]
            have = subprocess.run(ours, stdout=subprocess.PIPE, check=False).stdout
            if len(want) != 1040 or have != want:
                wrong = [n for n in range(0, len(want), 8) if have[n:n + 8] != want[n:n + 8]]
                sys.exit(f"{what}, threshold {threshold}: {len(have)} bytes, wrong at {wrong}")
        with open(os.path.join(folder, "stats.json"), encoding="utf-8") as stats:
            return json.load(stats)["jit"]["bridges"]


def main():
    """Compares the outputs of random programs, and of programs for what these do not meet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--user", required=True)
    parser.add_argument("--qemu", required=True)
    parser.add_argument("--gcc", required=True)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("GENCC_SEED", "1")))
    o = parser.parse_args()
    for kind in "sd":
        compare(o, f"the upper half of {kind}1", program(random.Random(o.seed), blocks_with_upper_half(kind)))
    bridges = 0
    for seed in range(o.seed, o.seed + o.count):
        r = random.Random(seed)
        bridges += compare(o, f"seed {seed}", program(r, random_blocks(r)))
    if bridges < 2 * o.count:
        sys.exit(f"only {bridges} bridges in {o.count} programs")


if __name__ == "__main__":
    main()
