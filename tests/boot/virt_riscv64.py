#!/usr/bin/env python3
"""Boots Debian's kernel on virt-riscv64 and judges what it prints."""
import shutil
import sys

from bench import TROUBLE, run
from printed import expect, refuse


def test_shell(bench):
    """The shell answers, and poweroff ends the simulator with status 0."""
    text, messages = bench.boot("shell.script")
    expect(text, r"Machine model: RISC-V virt", r"SBI specification v2\.0 detected",
           r"SBI HSM extension detected", r"riscv-timer|riscv_clocksource",
           r"riscv-plic: .*mapped 96 interrupts", r"ttyS0 at MMIO 0x10000000 .* is a 16550A",
           r"goldfish_rtc .*setting system clock to 2027-01-01T00:00:0\d", r"Run /init",
           r"^Linux guest 6\.\S+ .*riscv64 GNU/Linux", r"^processor\s*: 0", r"mmu\s*: sv48",
           r"riscv-timer", r"SiFive PLIC +10 Edge +ttyS0", r"Jan  1 00:00:0\d UTC 2027",
           r"[0-9a-f]{64}  -", r"reboot: Power down")
    refuse(text, *TROUBLE)
    expect(messages, r"CPUs +1 x riscv; \S+, SBI 2\.0",
           r"kernel +\S+vmlinuz-riscv64 \(RISC-V Image\)", r"device tree +the platform's own",
           r"console +serial@10000000")


def test_smp(bench):
    """Four harts come up, and two runs print the same bytes, one with a timeline, which knows the tasks."""
    options = ("-smp", "4", "-m", "2G")
    text, _ = bench.boot("shell.script", *options)
    expect(text, r"smp: Brought up 1 node, 4 CPUs", r"^processor\s*: 3", r"^IPI0: .* Rescheduling")
    refuse(text, *TROUBLE)
    again, _ = bench.boot("shell.script", *options, "-timeline", bench.work / "timeline")
    bench.compare(text, again, "two runs with the same script differ")
    bench.check_tasks(bench.work / "timeline")


def test_hotplug(bench):
    """A hart is switched off and on again several times."""
    text, _ = bench.boot("hotplug.script", "-smp", "3")
    expect(text, r"^off 2", r"^off 2", r"^off 2", r"^on 3", r"^[0-9a-f]{64}  /bin/busybox")
    refuse(text, *TROUBLE)


def test_reset(bench):
    """A reset starts the kernel again; -no-reboot ends the simulator instead."""
    text, _ = bench.boot("reset.script")
    expect(text, r"Linux version", r"^first", r"Linux version", r"^second", r"Power down")
    text, _ = bench.boot("reset.script", "-no-reboot")
    expect(text, r"^first")
    refuse(text, r"^second")


QUICK = ("-accel", "jit", "-jit-tier", "quick")
TRACES = ("traces", "three harts", "hotplug.script", "-smp", "3", *QUICK)
REGIONS = ("regions", "both tiers", "hotplug.script", "-smp", "3", "-accel", "jit", "-jit-tier", "both", "-jit-threshold", "200")


def test_quick(bench):
    """By the quick tier alone."""
    bench.compare_translated(TRACES)


def test_tiers(bench):
    """By the quick tier alone, and by LLVM for code that the quick tier runs often."""
    bench.compare_translated(TRACES, REGIONS)


def test_gdb(bench):
    """A debugger stops at the kernel's entry, steps, and reads registers."""
    gdb = shutil.which("gdb-multiarch")
    if not gdb:
        print("boot: gdb-multiarch is not installed")
        sys.exit(1)
    commands = bench.work / "commands"
    commands.write_text("\n".join([
        "set pagination off", "set confirm off", "set remotetimeout 100", "set architecture riscv:rv64",
        "target remote 127.0.0.1:PORT", "printf \"entry %lx\\n\", $pc", "stepi",
        "printf \"then %lx\\n\", $pc", "printf \"a0 %lx\\n\", $a0", "info threads", "continue"]))
    text = bench.boot_with_gdb(gdb, commands)
    expect(text, r"^entry 80200000$", r"^then 80200002$", r"^a0 0$", r"CPU#0", r"CPU#1")


def test_rootfs(bench):
    """Debian's userland on the disk, with a network."""
    text, _ = bench.boot(
        "rootfs.script", "-smp", "2", "-drive", f"file={bench.rootfs()},format=raw,snapshot=on",
        "-nic", "user", "-clock", "virtual", disk=True)
    expect(text, r"EXT4-fs \(vda\): mounted", r"333328333350000", r"aes-128-cbc +\d+",
           r"round-2-trip", r"packages: 1\d\d",
           r"10\.0\.2\.2 .*lladdr .*52:55:0a:00:02:02", r"reboot: Power down")
    refuse(text, *TROUBLE)


run("virt-riscv64", globals(), __doc__)
