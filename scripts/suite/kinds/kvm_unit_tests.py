"""
kvm-unit-tests, on juno, vexpress and virt-riscv64.
FOLDER/{arm64,arm,riscv64}/*.flat are its programs, for the referee as they come. FOLDER/vexpress/*.elf are those of arm again,
linked at 0x80010000 and with the serial port at 0x1c090000, FOLDER/juno/*.flat those of arm64 with it at 0x7ff80000.
FOLDER/juno.dtb is the Juno's device tree, juno-r2.dtb of Debian.
"""
import re
import shutil
import subprocess
from pathlib import Path

from suite.model import Case, Check, FAIL, PASS, SKIP, SuiteError, TIMEOUT

MODES = ("jit",)
TREES = Path(__file__).resolve().parents[3] / "tests/suites"
END = r"\nEXIT: STATUS=(\d+)\s"
PASSED, FAILED, SKIPPED = 1, 3, 77      # (exit code << 1) | 1
LINE = re.compile(r"^(PASS|FAIL|SKIP|XFAIL|XPASS|KFAIL): (.*)$", re.M)
# A failure that the suite itself expects is not a check; a pass that it does not expect is one.
VERDICTS = {"PASS": PASS, "FAIL": FAIL, "SKIP": SKIP, "XFAIL": SKIP, "KFAIL": SKIP, "XPASS": FAIL}

# Name, program, CPUs, arguments. Not `sieve`, which checks nothing. No PCI, GICv3, ITS, MTE or
# migration: the boards have none. 0 CPUs: all that the board has.
ARM = [
    ("selftest-setup", "selftest", 2, "setup smp=2 mem=1024"),
    ("selftest-vectors-kernel", "selftest", 1, "vectors-kernel"),
    ("selftest-vectors-user", "selftest", 1, "vectors-user"),
    ("selftest-smp", "selftest", 0, "smp"),
    ("pmu-cycle-counter", "pmu", 1, "cycle-counter 0"),
    ("gicv2-ipi", "gic", 0, "ipi"),
    ("gicv2-mmio", "gic", 0, "mmio"),
    ("gicv2-mmio-up", "gic", 1, "mmio"),
    ("gicv2-mmio-3p", "gic", 3, "mmio"),
    ("gicv2-active", "gic", 0, "active"),
    ("psci", "psci", 0, ""),
    ("pl031", "pl031", 1, ""),
    ("spinlock", "spinlock-test", 0, ""),
]
ARM64 = ARM + [(f"pmu-{name}", "pmu", 1, f"pmu-{name}") for name in (
    "event-introspection", "event-counter-config", "basic-event-count", "mem-access", "mem-access-reliability", "sw-incr",
    "chained-counters", "chained-sw-incr", "chain-promotion", "overflow-interrupt")] + [
    ("timer", "timer", 1, ""),
    ("cache", "cache", 1, ""),
    ("debug-bp", "debug", 1, "bp"),
    ("debug-wp", "debug", 1, "wp"),
    ("debug-sstep", "debug", 1, "ss"),
    ("fpu-context", "fpu", 2, ""),
]
RISCV = [
    ("selftest", "selftest", 4, "foo bar baz"),
    ("sbi", "sbi", 3, ""),
]
QEMU_ARM64 = ["qemu-system-aarch64", "-M", "virt,gic-version=2", "-cpu", "cortex-a72"]
QEMU_ARM = ["qemu-system-arm", "-M", "virt,gic-version=2,highmem=off", "-cpu", "cortex-a15"]
QEMU_RISCV = ["qemu-system-riscv64", "-M", "virt"]


def judge(ended):
    end = re.search(END, ended.output)
    if end is None:
        own = Check("", TIMEOUT if ended.status is None else FAIL, f"no end, status {ended.status}")
    else:
        code = int(end[1])
        own = Check("", PASS if code in (PASSED, FAILED) else SKIP if code == SKIPPED else FAIL, f"ended with {code}")
    return [own] + [Check(steady(text), VERDICTS[word]) for word, text in LINE.findall(ended.output.replace("\r", ""))]


def steady(text):
    """Returns the name of a check without numbers that differ from run to run, which some tests
    print at its end."""
    return re.sub(r"\((?:0x)?[0-9a-f, ]+\)$", "", text).strip()


def own_tree(machine, kernel, folder):
    """Returns the device tree that a machine has without -dtb, with all CPUs on."""
    made = folder / f"{machine.name}.dtb"
    subprocess.run([machine, "-smp", "8", "-m", "1G", "-kernel", kernel, "-dump-dtb", made], check=True, stderr=subprocess.DEVNULL)
    return made


def tree(source, cpus, present, folder):
    """Returns a device tree with the first CPUs only: the tests count all CPUs in it, whatever
    their status."""
    made = folder / f"{source.stem}-{cpus}.dtb"
    if source.suffix == ".dts":
        subprocess.run(["dtc", "-q", "-I", "dts", "-O", "dtb", "-o", made, source], check=True)
    else:
        shutil.copyfile(source, made)
    for name in present[cpus:]:
        subprocess.run(["fdtput", "-r", made, f"/cpus/cpu@{name}"], check=True)
    return made


def board(group, rows, machine, trees, present, qemu, folders, ending):
    """Yields the cases of one board. `trees(smp)` returns its device tree for `smp` CPUs; `folders`
    are ours, and the referee's."""
    ours, theirs = folders
    if not ours.is_dir():
        return
    for name, program, smp, arguments in rows:
        file = ours / f"{program}{ending}"
        if not file.exists():
            raise SuiteError(f"{file} is missing")
        smp = min(smp or len(present), len(present))
        common = ["-nographic", "-m", "1G", "-smp", smp, "-append", arguments]
        command = [machine, *common, "-dtb", trees(smp), "-limit", "60", "-kernel", file]
        referee = [*qemu, *common, "-nodefaults", "-serial", "stdio", "-kernel", theirs / f"{program}.flat"]
        yield Case(f"{group}/{name}", command, referee if theirs.is_dir() else None, judge, seconds=300, until=END)


def cases(folder, programs, work):
    juno, vexpress, harts = ["0", "1", "100", "101", "102", "103"], ["0", "1"], list("01234567")
    virt = programs / "virt-riscv64"
    yield from board("juno", ARM64, programs / "juno", lambda smp: tree(folder / "juno.dtb", smp, juno, work), juno, QEMU_ARM64,
                     (folder / "juno", folder / "arm64"), ".flat")
    yield from board("vexpress", ARM, programs / "vexpress", lambda smp: tree(TREES / "kvm-vexpress.dts", smp, vexpress, work),
                     vexpress, QEMU_ARM, (folder / "vexpress", folder / "arm"), ".elf")
    yield from board("virt-riscv64", RISCV, virt, lambda smp: tree(own_tree(virt, folder / "riscv64/sbi.flat", work), smp, harts, work),
                     harts, QEMU_RISCV,
                     (folder / "riscv64", folder / "riscv64"), ".flat")
