"""Power and energy of a Mali-T624, as measured by seed 001 (M. Tsokkos, chapters 6 and 7), and an
estimate for kernels. Power is a base and a part per active core, both proportional to the clock;
time is the detailed model's."""
import re
import sys
from collections import namedtuple

import suite
import traces

sys.path.insert(0, str(traces.ROOT / "examples/t624"))
from model import cycles

MHZ, CORES = 600, 4
PER_CORE = 0.140          # 7.1: W per core, for each of the first four groups of 64
ALL, SLOWER = (600, 0.853, 26.5), (576, 0.809, 27.6)  # 6.4: MHz, W and s of four groups of 64
BASE = ALL[1] - CORES * PER_CORE
PER_CORE_RANGE = (0.1, 0.2)  # 7.3: W of one core, from few threads to many


def power(active, mhz=MHZ):
    """Watts: least, likely, most. The range is that of a core, since the thesis measured one kernel
    only."""
    return [(BASE + each * min(active, CORES)) * mhz / MHZ for each in (PER_CORE_RANGE[0], PER_CORE, PER_CORE_RANGE[1])]


# Launches for which an energy is estimated: the active cores, and the floating-point operations
# that their definition has (a function counts as one).
Work = namedtuple("Work", "name operations")
N = 64
WORKS = [Work("gemm_64", N * N * (1 + 3 * N)), Work("gemm1_64", 2 * N ** 3), Work("mm3_1_64", 2 * N ** 3),
         Work("gesummv_256", 256 * (4 * 256 + 3)), Work("gemver_1_256", 4 * 256 ** 2),
         Work("black_scholes_32", 4 * 32 * 32 * 70), Work("copy2Dfloat4_128", 0)]
LAUNCHES = [launch for launch in suite.KERNELS if launch.name in {w.name for w in WORKS}]


def size_of(text):
    out = 1
    for n in text.split("x"):
        out *= int(n)
    return out


def active_cores(launch):
    """Active cores by the rule of 000: a core receives groups until it has 64 threads."""
    group = size_of(launch.group)
    return min(CORES, max(1, size_of(launch.threads) // max(64, group)))


def show_rows():
    print(f"{'seed 001':44} {'thesis':>9} {'here':>9} {'error':>9}")

    def row(what, theirs, ours, unit):
        print(f"{what:44} {theirs:9.3f} {ours:9.3f} {100 * (ours / theirs - 1):+8.1f} %  {unit}")
    for n in range(2, 5):
        row(f"7.1 power, group {n} of 64 more than {n - 1}", PER_CORE, power(n)[1] - power(n - 1)[1], "W, a fit")
    row("7.1 power, groups 5 to 16 more than 4", 1, power(16)[1] / power(4)[1], "ratio")
    row("6.4 power, 4 groups of 64, 600 MHz", ALL[1], power(4)[1], "W, a fit")
    row("6.4 power, 576 MHz", SLOWER[1], power(4, 576)[1], "W")
    row("6.4 time, 576 MHz by 600 MHz", SLOWER[2] / ALL[2], 600 / 576, "ratio")
    row("6.4 energy, 600 MHz", ALL[1] * ALL[2], power(4)[1] * ALL[2], "J, a fit")
    row("6.4 energy, 576 MHz", SLOWER[1] * SLOWER[2], power(4, 576)[1] * ALL[2] * 600 / 576, "J")
    seconds = cycles(512, 2, 5, 38) * 1e6 / MHZ / 1e6
    low, likely, high = (p * seconds for p in power(4))
    print(f"energy of 000's last kernel (13.3, 533.33 ms here {1e3 * seconds * 1:.2f} ms): {likely:.3f} J, {low:.3f} to {high:.3f} J")


def show_kernels(build, folder):
    print(f"\n{'energy, T-624 at 600 MHz':26} {'cores':>5} {'us':>9} {'uJ':>8} {'from':>7} {'to':>7} {'GFLOP/s':>8} {'GFLOPS/W':>9} "
          f"{'from':>6} {'to':>6}")
    for launch in LAUNCHES:
        text = traces.tool(build / "bin/mali-run", "-timing-from", traces.path_of(folder, launch, 1), "-timing", "detailed",
                           "-gpu", traces.BOARD)
        us = sum(map(float, re.findall(r"^  cycles +([\d.]+)", text, re.M))) / MHZ
        watts = power(active_cores(launch))
        rate = next(w.operations for w in WORKS if w.name == launch.name) / us / 1e3
        row = [watts[1] * us, watts[0] * us, watts[2] * us, rate, rate / watts[1], rate / watts[2], rate / watts[0]]
        print(f"{launch.name:26} {active_cores(launch):5} {us:9.1f} {row[0]:8.1f} {row[1]:7.1f} {row[2]:7.1f} {row[3]:8.3f} {row[4]:9.3f} "
              f"{row[5]:6.3f} {row[6]:6.3f}")


def show(build, folder):
    show_rows()
    show_kernels(build, folder)
