"""The other kernels of seed 003 as assembly for Bifrost: single, loop and unrolled loop (its algorithms 3 to 5), which work in
memory, the power kernel (algorithm 8), and reads of footprints that fit each level of memory. gen95.py has those of private
memory and the copies."""
import re
import struct

import gen95
import traces
from gen95 import GROUP, SUBSLICES, UNROLL, WIDTHS, access, beginning, clause, gpus

IN_MEMORY = {"single": (0, 1), "loop": (1, 1), "unroll": (1, UNROLL)}  # whether it loops, and steps per pass
STEPS = 64  # of loop and unroll
OUTER = 8  # passes of the power kernel's outer loop
A, B = 4, 20  # the registers that a[i] and b[i] are loaded into
# One step on memory: tuples of (FMA, ADD) with a and b.
STEP = {"add": [("FADD.f32 r{a}:t0, r{a}, r{b}", "NOP t1")], "sub": [("FADD.f32 r{a}:t0, r{a}, r{b}.neg", "NOP t1")],
        "mul": [("FMA.f32 r{a}:t0, r{a}, r{b}, 0x80000000", "NOP t1")], "mad": [("FMA.f32 r{a}:t0, r{a}, r{b}, r{a}", "NOP t1")],
        "div": [("NOP t0", "FRCP.f32 t1, r{b}"), ("FMA.f32 r{a}:t0, r{a}, t1, 0x80000000", "NOP t1")]}
NUMBERS = 2.0, 3.0  # what the thesis fills a and b with
FIDELITY = "detailed"


def quarters(lanes):
    return range(0, lanes, 4)


def load(lanes, k, buffer, register, follows):
    head = f"ds(0) nbb load ncph {'next_load ' if follows else ''}dwb(0)"
    return access("LOAD", head, lanes, k, buffer).replace(f"@r{4 + k}", f"@r{register + k}")


def step(lanes, operation, last):
    """a[i] = a[i] OP b[i] in memory; last: the program ends with it."""
    text = ""
    for k in quarters(lanes):
        text += load(lanes, k, "u0", A, True) + load(lanes, k, "u1", B, k + 4 < lanes)
    pairs = [(fma.format(a=A + k, b=B + k), add.format(a=A + k, b=B + k)) for k in range(lanes) for fma, add in STEP[operation]]
    for at in range(0, len(pairs), gen95.TUPLES):
        ends = at + gen95.TUPLES >= len(pairs)
        text += clause("ds(0) nbb ncph" + (" next_store" if ends else ""), *pairs[at:at + gen95.TUPLES])
    for k in quarters(lanes):
        final = last and k + 4 >= lanes
        text += access("STORE", "ds(0) eos store" if final else "ds(0) nbb store ncph " + ("next_store dwb(0)" if k + 4 < lanes else "dwb(0)"),
                       lanes, k, "u0")
    return text


END = clause("ds(0) eos", ("NOP t0", "NOP t1"))


def in_memory(family, width, operation):
    """a is argument 0, b argument 1, passes are argument 2."""
    lanes, (loops, steps) = WIDTHS[width], IN_MEMORY[family]
    text = beginning(lanes, "u2.w0")
    if not loops:
        return text + step(lanes, operation, True)
    return text + "loop:\n" + steps * step(lanes, operation, False) + gen95.END_OF_PASS + END


def power(width, operation):
    """The kernel of private memory in an outer loop; its passes are argument 2."""
    inner = gen95.assembly(width, operation)
    outer = clause("ds(0) nbb ncph", ("NOP t0", "IADD.s32 r3:t1, r3, 0xffffffff"), ("NOP t0", "BRANCHZ.i16.ne t1, t1.h0, outer"))
    begin, rest = inner.split("loop:\n")
    rest, end = rest.split(gen95.END_OF_PASS)
    return (begin + clause("ds(0) nbb ncph", ("MOV.i32 r3:t0, u2.w0", "NOP t1")) + "outer:\n" +
            clause("ds(0) nbb ncph", ("MOV.i32 r2:t0, u1.w0", "NOP t1")) + "loop:\n" + rest + gen95.END_OF_PASS + outer + end)


READS = 8  # per pass


def reading():
    """READS loads of 16 bytes per pass, each a stride after the one before, in a footprint. Arguments: the buffer, passes,
    the stride, and the footprint less 16, both in bytes."""
    one = clause("ds(0) nbb load ncph next_load dwb(0)", ("LSHIFT_AND.i32 r1:t0, r0, u3.w0, #0", "NOP t1"),
                 ("NOP t0", "IADD.s32 r0:t1, r0, u2.w0"), ("NOP t0", "IADD.s32 t1, u0.w0, r1"), ("NOP t0", "LOAD.i128 t1, t1, u0.w1, @r4"))
    return beginning(4, "u1.w0") + "loop:\n" + READS * one + gen95.END_OF_PASS + END


class Bench(gen95.Bench):
    def made(self, name, text):
        source, code = self.work / f"{name}.s", self.work / f"{name}.bin"
        if not code.exists():
            source.write_text(text)
            code.write_bytes(self.encode(source))
        return code

    def family(self, family, width, operation, groups, precision="sp"):
        """GFLOP/s of a version, and what it leaves in a."""
        lanes = WIDTHS[width]
        count = lanes * groups * GROUP
        per = 2 if operation == "mad" else 1
        if family == "power":
            code = self.made(f"{width}_{operation}_power", power(width, operation))
            cycles, left = self.run(code, groups, self.outer(width, groups), 0, gen95.NAMES[precision])
            return per * count * (gen95.LOOPS // 2) / cycles * gen95.CLOCK, left
        loops, each = IN_MEMORY[family]
        passes = STEPS // each if loops else 1
        a, b = (self.file(name, value, count) for name, value in zip("ab", NUMBERS))
        code = self.made(f"{width}_{operation}_{family}", in_memory(family, width, operation))
        cycles, left = self.run(code, groups, [f"buffer={a}", f"buffer={b}", f"u32:{passes}"], 0, gen95.WIDE, FIDELITY)
        return per * count * passes * each / cycles * gen95.CLOCK, left

    @staticmethod
    def outer(width, groups):
        """Arguments of the power kernel, of which each number has half of gen95.LOOPS steps."""
        passes = gen95.LOOPS // 2 * WIDTHS[width] // gen95.UNROLLED // OUTER
        return [f"zero:{4 * WIDTHS[width] * groups * GROUP}", f"u32:{passes}", f"u32:{OUTER}"]

    def watts(self, width, groups, precision="sp"):
        """GFLOP/s and W of the power kernel with mad."""
        code = self.made(f"{width}_mad_power", power(width, "mad"))
        text = traces.tool(self.mali_run, "-kernel", code, "-gpu", gen95.NAMES[precision],
                           *(w for a in self.outer(width, groups) for w in ("-arg", a)), "-global", groups * GROUP, "-local", GROUP,
                           "-timing", "reassemble", "-power")
        found = re.search(r"mV: ([\d.]+) W, [\d.]+ uJ in ([\d.]+) us", text)
        return 2 * WIDTHS[width] * groups * GROUP * (gen95.LOOPS // 2) / float(found[2]) / 1000, float(found[1])

    def file(self, name, value, count):
        path = self.work / f"{name}.{count}"
        path.write_bytes(struct.pack("<f", value) * count)
        return path

    def read(self, gpu, footprint, groups, passes):
        """Bytes per cycle that a GPU's cores read of a footprint, a power of two."""
        code, stride = self.made("read", reading()), 16 * groups * GROUP
        cycles, _ = self.run(code, groups, [f"zero:{footprint}", f"u32:{passes}", f"u32:{stride % footprint}", f"u32:{footprint - 16}"], 0, gpu,
                             FIDELITY)
        return groups * GROUP * 16 * READS * passes / cycles


# ---- tables ----------------------------------------------------------------------------------------------

FAMILIES = [*IN_MEMORY, "power"]
WATTS = {"sp": (399.02, 11.45), "dp": (99.99, 11.72)}  # GFLOP/s and W in the thesis; the watts are a mean of its versions
LEVELS = {"L1": 1 << 15, "L2": 1 << 19, "memory": 1 << 23}  # footprints in bytes
LAUNCH = 10500  # cycles: 10 us, an assumption


def show_versions(bench):
    for family in FAMILIES:
        print(f"\n{'GFLOP/s, ' + family:20}" + "".join(f"{width:>9}" for width in WIDTHS))
        for operation in gen95.OPERATIONS:
            rates = [bench.family(family, width, operation, 2 * SUBSLICES)[0] for width in WIDTHS]
            print(f"{operation:20}" + "".join(f"{r:9.2f}" for r in rates), flush=True)


def shares(bench, width, rounds, launch):
    """Per cent of the peak with 1 to 12 groups, whose threads do so many rounds on each of their numbers."""
    code, passes, top = bench.assemble(width, "mad"), rounds * WIDTHS[width] // gen95.UNROLLED, gen95.peaks()["sp", "mad"]
    for n in range(1, 13):
        cycles = bench.compute(code, width, n, passes)[0] + launch
        yield 100 * 2 * n * GROUP * rounds * WIDTHS[width] / cycles * gen95.CLOCK / top


def show_rounds(bench):
    """The saw-tooth with fewer rounds, and with the time that a launch takes added to each."""
    print(f"\n{'mad, % of peak':38}" + "".join(f"{n:>7}" for n in range(1, 13)))
    for width, rounds, launch in [("scalar", 1024, 0), ("scalar", 1024, LAUNCH), ("scalar", gen95.LOOPS, 0), ("scalar", gen95.LOOPS, LAUNCH),
                                  ("vect4", gen95.LOOPS, LAUNCH), ("vect16", gen95.LOOPS, LAUNCH)]:
        print(f"{f'{width}, {rounds} rounds, {launch / gen95.CLOCK / 1000:.0f} us of launch':38}" +
              "".join(f"{s:7.1f}" for s in shares(bench, width, rounds, launch)), flush=True)


def show_power(bench):
    print(f"\n{'power, mad':24} {'003: W':>8} {'here':>8} {'error':>8} {'003: GFLOPS/W':>14} {'here':>8}")
    for precision, (rate, watts) in WATTS.items():
        for width in WIDTHS:
            ours, taken = bench.watts(width, 2 * SUBSLICES, precision)
            print(f"{precision + ', ' + width:24} {watts:8.2f} {taken:8.2f} {100 * (taken / watts - 1):+7.1f} % {rate / watts:14.2f} {ours / taken:8.2f}",
                  flush=True)
    print(f"{'groups of 256, vect4':24}" + "".join(f"{n:>7}" for n in range(1, 13)))
    found = [bench.watts("vect4", n) for n in range(1, 13)]
    print(f"{'W':24}" + "".join(f"{w:7.2f}" for _, w in found))
    print(f"{'GFLOPS/W':24}" + "".join(f"{r / w:7.2f}" for r, w in found), flush=True)


def show_levels(bench):
    print(f"\n{'reads, bytes per cycle':24}" + "".join(f"{f'{name}, {size >> 10} KB':>16}" for name, size in LEVELS.items()))
    for gpu in gen95.WIDE, "g72", "g52", "g31":
        cores = int(gpus.read(gpu, [traces.HERE / "gpus.ac"])["cores"])
        print(f"{gpu:24}" + "".join(f"{bench.read(gpu, size, 2 * cores, 32):16.2f}" for size in LEVELS.values()), flush=True)


def show(mali_run, gencc, work):
    bench = Bench(mali_run, gencc, work)
    show_versions(bench)
    show_rounds(bench)
    show_power(bench)
    show_levels(bench)
