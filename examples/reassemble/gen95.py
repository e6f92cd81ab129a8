"""The micro-benchmarks of seed 003 (H. Duarte, Intel's Gen9.5): its kernels as OpenCL C, 5 widths
by 5 operations per family. The kernels of private memory and the copies also as assembly for
Bifrost, for the model of a GPU of its shape (gpus.ac)."""
import itertools
import re
import struct
import subprocess
import sys

import traces

sys.path.insert(0, str(traces.ROOT / "scripts/pictures"))
import gpus

NAMES, CLOCK, SUBSLICES = {"sp": "gen95", "dp": "gen95double"}, 1.05, 3
WIDE = "gen95simd16"
WIDTHS = {"scalar": 1, "vect2": 2, "vect4": 4, "vect8": 8, "vect16": 16}
OPERATIONS = {"add": "{} + {}", "sub": "{} - {}", "mul": "{} * {}", "div": "{} / {}", "mad": "mad({}, {}, {})"}
CONSTANTS = ("0.5", "1.0")  # of a mad: the chain converges to 2
LOOPS, UNROLL, GROUP = 8192, 64, 256
# The thesis's algorithms 3 to 8. STEP works on a[i] and b[i], KEEP on temp and constants.
FAMILIES = {
    "single": "    a[i] = STEP;\n",
    "loop": "    for (int j = 0; j < n; j++)\n        a[i] = STEP;\n",
    "unroll": "    for (int j = 0; j < n / 64; j++) {\nMANY    }\n",
    "private": "    T temp = a[i];\n\n    for (int j = 0; j < n; j++)\n        temp = KEEP;\n    a[i] = temp;\n",
    "copy": "    for (int j = 0; j < n; j++)\n        b[i] = a[i];\n",
    "power": "    T temp = a[i];\n\n    for (int k = 0; k < m; k++)\n        for (int j = 0; j < n; j++)\n            temp = KEEP;\n"
             "    a[i] = temp;\n",
}

# The thesis's figures: peaks in GFLOP/s by precision and operation, with the measured ones.
PEAKS = {("sp", "add"): (201.6, 199.96), ("sp", "mad"): (403.2, 399.02), ("dp", "add"): (50.4, 49.98), ("dp", "mad"): (100.8, 99.99)}
BANDWIDTH = 201.6, 191.99  # GB/s: 192 bytes per cycle; with vect4


def versions():
    return list(itertools.product(WIDTHS, OPERATIONS))


def opencl(family, width, operation, precision="sp"):
    """The name of a kernel in the thesis."""
    kind = ("float" if precision == "sp" else "double") + (str(WIDTHS[width]) if WIDTHS[width] > 1 else "")
    form = OPERATIONS[operation]
    constants = [f"(T){c}{'f' if precision == 'sp' else ''}" for c in CONSTANTS]
    step = form.format("a[i]", "b[i]", "a[i]")
    body = FAMILIES[family].replace("MANY", "        a[i] = STEP;\n" * UNROLL).replace("STEP", step) \
        .replace("KEEP", form.format("temp", *constants))
    extension = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" if precision == "dp" else ""
    return (f"{extension}#define T {kind}\n\n__kernel void {width}_{precision}_{operation}_{family}_kernel(__global T *a, "
            f"__global T *b, int n, int m)\n{{\n    int i = get_global_id(0);\n\n{body}}}\n")


# ---- kernels for the model -------------------------------------------------------------------------------------

TUPLES, UNROLLED = 8, 512
# With constants of the step: x * 0.5 + 1, x + 0.5, x - 0.5, x * 0.5, and x / 0.5, which every
# compiler writes as x * 2. Doubles use the same instructions here; their longer times are in the
# description.
FORMS = {"mad": "FMA.f32 r{0}:t0, {1}, 0x3f000000, 0x3f800000", "add": "FADD.f32 r{0}:t0, {1}, 0x3f000000",
         "sub": "FADD.f32 r{0}:t0, {1}, 0xbf000000", "mul": "FMA.f32 r{0}:t0, {1}, 0x3f000000, 0x80000000",
         "div": "FMA.f32 r{0}:t0, {1}, 0x40000000, 0x80000000"}


def clause(head, *pairs):
    lines = [f"    *{fma}\n    +{add}" for fma, add in pairs]
    return f"{head}\n{{\n" + "\n".join(lines) + "\n}\n"


def beginning(lanes, passes):
    """Computes r0: the address of a thread's numbers in a buffer; r2: passes, the first word of
    that argument."""
    shift = {1: 2, 2: 3, 4: 4, 8: 5, 16: 6}[lanes]
    return "start:\n" + clause("ds(0) nbb ncph dwb(0)", (f"LSHIFT_OR.i32 r0:t0, r60, #0, 0x{shift:08x}", "NOP t1"),
                               (f"MOV.i32 r2:t0, {passes}", "NOP t1"))


def access(what, head, lanes, k, buffer):
    """Loads or stores up to four of a thread's numbers, from k on."""
    return clause(head, ("NOP t0", f"IADD.s32 r1:t1, r0, 0x{4 * k:08x}"), ("NOP t0", f"IADD.s32 t1, {buffer}.w0, t1"),
                  ("NOP t0", f"{what}.i{32 * min(lanes, 4)} t1, t1, {buffer}.w1, @r{4 + k}"))


END_OF_PASS = clause("ds(0) nbb ncph", ("NOP t0", "IADD.s32 r2:t1, r2, 0xffffffff"), ("NOP t0", "BRANCHZ.i16.ne t1, t1.h0, loop"))


def assembly(width, operation):
    """UNROLLED operations per pass of the loop, on `width` registers in turn; passes are argument
    1, a is argument 0."""
    lanes = WIDTHS[width]
    text = beginning(lanes, "u1.w0")
    for k in range(0, lanes, 4):
        text += access("LOAD", "ds(0) nbb load ncph next_load dwb(0)", lanes, k, "u0")
    text += "loop:\n"
    steps = [4 + k % lanes for k in range(UNROLLED)]
    for at in range(0, UNROLLED, TUPLES):
        pairs = []
        for k in range(at, at + TUPLES):
            # The result of the tuple before is not in its register yet.
            source = "t0" if k > at and steps[k] == steps[k - 1] else f"r{steps[k]}"
            pairs.append((FORMS[operation].format(steps[k], source), "NOP t1"))
        text += clause("ds(0) nbb ncph", *pairs)
    text += END_OF_PASS
    for k in range(0, lanes, 4):
        last = k + 4 >= lanes
        text += access("STORE", "ds(0) eos store" if last else "ds(0) nbb store ncph next_store dwb(0)", lanes, k, "u0")
    return text


COPIES = 8  # per pass


def source(width, groups):
    """The content to copy: numbers from 0 on."""
    count = WIDTHS[width] * groups * GROUP
    return struct.pack(f"<{count}I", *range(count))


def copying(width):
    """COPIES times b[i] = a[i] per pass of the loop; passes are argument 2, a and b the arguments
    before."""
    lanes = WIDTHS[width]
    quarters = range(0, lanes, 4)
    one = "".join(access("LOAD", f"ds(0) nbb load ncph {'next_store' if k + 4 >= lanes else 'next_load'} dwb(0)", lanes, k, "u0")
                  for k in quarters)
    one += "".join(access("STORE", f"ds(0) nbb store ncph {'next_load' if k + 4 >= lanes else 'next_store'} dwb(0)", lanes, k, "u1")
                   for k in quarters)
    return beginning(lanes, "u2.w0") + "loop:\n" + COPIES * one + END_OF_PASS + clause("ds(0) eos", ("NOP t0", "NOP t1"))


class Bench:
    """A mali-run that has the GPU, and a folder for its input files."""

    def __init__(self, mali_run, gencc, work):
        self.mali_run, self.gencc, self.work = mali_run, gencc, work

    def assemble(self, width, operation):
        """operation: a key of FORMS, or a copy."""
        source, code = self.work / f"{width}_{operation}.s", self.work / f"{width}_{operation}.bin"
        source.write_text(copying(width) if operation == "copy" else assembly(width, operation))
        code.write_bytes(self.encode(source))
        return code

    def encode(self, source):
        return subprocess.run([self.gencc, "asm", "--isa", "bifrost", source], check=True, stdout=subprocess.PIPE, timeout=60).stdout

    def run(self, code, groups, arguments, left, gpu=NAMES["sp"], fidelity="reassemble"):
        """Returns the model's cycles, and the content of argument number `left` after the
        kernel."""
        dump = self.work / "dump"
        text = traces.tool(self.mali_run, "-kernel", code, "-gpu", gpu, *(w for a in arguments for w in ("-arg", a)),
                           "-global", groups * GROUP, "-local", GROUP, "-dump", f"{left}={dump}", "-timing", fidelity)
        return float(re.search(r"^  cycles +([\d.]+)", text, re.M)[1]), dump.read_bytes()

    def compute(self, code, width, groups, passes, precision="sp"):
        return self.run(code, groups, [f"zero:{4 * WIDTHS[width] * groups * GROUP}", f"u32:{passes}"], 0, NAMES[precision])

    def rate(self, code, width, operation, groups, precision="sp"):
        """Returns GFLOP/s. A thread does LOOPS steps on each of its numbers, whatever its width."""
        passes = LOOPS * WIDTHS[width] // UNROLLED
        cycles, _ = self.compute(code, width, groups, passes, precision)
        return (2 if operation == "mad" else 1) * groups * GROUP * passes * UNROLLED / cycles * CLOCK

    def copy(self, code, width, groups, passes=64):
        """Returns GB/s read and written, by the detailed model, and the content of the copy."""
        content, file = source(width, groups), self.work / "source"
        size = len(content)
        file.write_bytes(content)
        cycles, left = self.run(code, groups, [f"buffer={file}", f"zero:{size}", f"u32:{passes}"], 1, WIDE, "detailed")
        return 2 * size * passes * COPIES / cycles * CLOCK, left


def peaks():
    """The description's peak in single precision; double has half of a unit's rate, on one of an
    EU's two units."""
    gpu = gpus.read(NAMES["sp"], [traces.HERE / "gpus.ac"])
    single = {"add": gpu.peak(1), "mad": gpu.peak(2)}
    return {(p, o): rate / (4 if p == "dp" else 1) for p in ("sp", "dp") for o, rate in single.items()}


def show_peaks(bench):
    print(f"{'seed 003':28} {'thesis':>9} {'description':>12} {'measured':>9} {'of peak':>8} {'model':>9} {'of peak':>8}")
    for (precision, operation), rate in peaks().items():
        theirs, measured = PEAKS[precision, operation]
        here = bench.rate(bench.assemble("vect4", operation), "vect4", operation, 2 * SUBSLICES, precision)
        print(f"peak {precision} {operation:20} {theirs:9.2f} {rate:12.2f} {measured:9.2f} {100 * measured / theirs:6.2f} % {here:9.2f} "
              f"{100 * here / rate:6.2f} %")


def show_versions(bench):
    """Prints GFLOP/s of the 25 versions of the private-memory kernel, in both precisions."""
    for precision in NAMES:
        print(f"\n{'GFLOP/s, ' + precision + ', ' + str(2 * SUBSLICES) + ' groups':20}" + "".join(f"{width:>9}" for width in WIDTHS))
        for operation in OPERATIONS:
            rates = [bench.rate(bench.assemble(width, operation), width, operation, 2 * SUBSLICES, precision) for width in WIDTHS]
            print(f"{operation:20}" + "".join(f"{r:9.2f}" for r in rates), flush=True)


def show_saw_tooth(bench):
    top = peaks()["sp", "mad"]
    print(f"\n{'mad, groups of 256':20}" + "".join(f"{n:>7}" for n in range(1, 13)))
    for width in WIDTHS:
        code = bench.assemble(width, "mad")
        shares = [100 * bench.rate(code, width, "mad", n) / top for n in range(1, 13)]
        print(f"{width + ', % of peak':20}" + "".join(f"{s:7.1f}" for s in shares), flush=True)


def show_bandwidth(bench):
    theirs, measured = BANDWIDTH
    print(f"\nbandwidth: {roof():.1f} GB/s by the description ({theirs} there), {measured} measured with vect4: {100 * measured / theirs:.1f} %")
    print(f"{'copies, groups of 256':22}" + "".join(f"{n:>7}" for n in range(1, 13)))
    for width in WIDTHS:
        code = bench.assemble(width, "copy")
        print(f"{width + ', % of roof':22}" + "".join(f"{100 * bench.copy(code, width, n)[0] / roof():7.1f}" for n in range(1, 13)), flush=True)


def roof():
    """The description's bandwidth between L3 and subslices, in GB/s."""
    return gpus.read(WIDE, [traces.HERE / "gpus.ac"])["l2_bandwidth"] * CLOCK


def show(mali_run, gencc, work):
    bench = Bench(mali_run, gencc, work)
    show_peaks(bench)
    show_versions(bench)
    show_saw_tooth(bench)
    show_bandwidth(bench)
    print(f"energy: {PEAKS['sp', 'mad'][1]:.2f} GFLOP/s at 11.45 W are {PEAKS['sp', 'mad'][1] / 11.45:.1f} GFLOPS/W (it says 35)")
