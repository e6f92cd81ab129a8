#!/usr/bin/env python3
"""Boots Debian's kernel on the simulated Juno and judges what it prints."""
import hashlib
import json
import re
import shutil
import subprocess
import sys
import time

from bench import TROUBLE, run
from printed import expect, fail, refuse


def test_shell(bench):
    """The shell answers, and poweroff ends the simulator with status 0."""
    text, messages = bench.boot("shell.script")
    expect(text, r"Booting Linux on physical CPU 0x0000000000 \[0x410fd080\]",
           r"Machine model: ARM Juno development board \(r2\)", r"psci: PSCIv1\.0 detected",
           r"arch_timer: cp15 and mmio timer\(s\) running at 50\.00MHz", r"Run /init",
           r"^Linux guest 6\.\S+ .*aarch64 GNU/Linux", r"^processor\s*: 0", r"aes pmull sha1 sha2",
           r"arch_timer", r"uart-pl011", r"Jan  1 00:00:0\d UTC 2027", r"[0-9a-f]{64}  -",
           r"reboot: Power down")
    refuse(text, *TROUBLE)
    expect(messages, r"CPUs +1 x arm,cortex-a72", r"kernel +\S+vmlinuz-arm64 \(arm64 Image\)",
           r"device tree +\S+juno-r2\.dtb", r"console +serial@7ff80000", r"root +the initial RAM")


def test_smp(bench):
    """Six CPUs come up, and two runs print the same bytes, one with a timeline, which knows the tasks."""
    options = ("-smp", "6", "-m", "2G")
    text, _ = bench.boot("shell.script", *options)
    expect(text, r"CPU5: Booted secondary processor 0x0000000103 \[0x410fd033\]",
           r"smp: Brought up 1 node, 6 CPUs", r"^processor\s*: 5", r"CPU part\s*: 0xd03")
    refuse(text, *TROUBLE)
    again, _ = bench.boot("shell.script", *options, "-timeline", bench.work / "timeline")
    bench.compare(text, again, "two runs with the same script differ")
    bench.check_tasks(bench.work / "timeline")


def test_hotplug(bench):
    """A CPU is switched off and on again several times."""
    text, _ = bench.boot("hotplug.script", "-smp", "3")
    expect(text, r"^off 2", r"^off 2", r"^off 2", r"^on 3", r"^[0-9a-f]{64}  /bin/busybox")
    expect(text, *[r"psci: CPU1 killed", r"CPU1: Booted secondary processor"] * 3)
    refuse(text, *TROUBLE)


def test_reset(bench):
    """A reset starts the kernel again. (The test `stats` has -no-reboot.)"""
    text, _ = bench.boot("reset.script")
    expect(text, r"Booting Linux", r"^first", r"Restarting system|reboot:", r"Booting Linux",
           r"^second", r"Power down")


def test_variants(bench):
    """A gzipped kernel, more memory than the low bank has, another seed, the other boards."""
    image = bench.guest / "vmlinuz-arm64"
    bench.need("vmlinuz-arm64")
    packed = bench.work / "Image.gz"
    with open(packed, "wb") as out:
        subprocess.run(["gzip", "-1", "-c", image], stdout=out, check=True)
    text, messages = bench.boot("reset.script", "-no-reboot", "-m", "8G", "-seed", "2",
                                kernel=packed)
    expect(messages, r"gzipped arm64 Image")
    expect(text, r"mem 0x0000000880000000-0x00000009ffffffff", r"^first")
    refuse(text, *TROUBLE)
    text, _ = bench.boot("reset.script", "-no-reboot", "-smp", "2", dtb="juno-r1.dtb")
    expect(text, r"Machine model: ARM Juno development board \(r1\)",
           r"Booted secondary processor 0x0000000001 \[0x411fd071\]", r"^first")
    text, _ = bench.boot("reset.script", "-no-reboot", dtb="juno-r2-scmi.dtb")
    expect(text, r"^first")


def test_aarch32(bench):
    """armhf programs, in A32 and T32 with floating point, run under the arm64 kernel."""
    text, _ = bench.boot("aarch32.script", "-smp", "2", programs="armhf")
    numbers = "".join(f"{number}\n" for number in range(1, 20001))
    value = 0.0
    for i in range(1, 40):
        value = value / 3 + i * 1.1
    expect(text, r"^Linux 6\.\S+-arm64 on ARM Juno", r"^ +127 +69 +76 +70 +1\r?$", r"^aarch64",
           rf"^{hashlib.sha256(numbers.encode()).hexdigest()}  -", rf"^{value:.9f}",
           r"reboot: Power down")
    refuse(text, *TROUBLE)
    interpreted, _ = bench.boot("aarch32.script", "-smp", "2", "-accel", "interp",
                                programs="armhf")
    bench.compare(interpreted, text, "translated, the guest prints something else")


def test_host_clock(bench):
    """Under -clock host a sleep of the guest takes the same time on the host."""
    command = bench.command("sleep.script", "-smp", "2", "-clock", "host")
    seen = {}
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL) as juno:
        for line in juno.stdout:
            for word in (b"begin", b"awake"):
                if line.startswith(word):
                    seen[word] = time.monotonic()
    if juno.returncode or len(seen) != 2:
        fail(f"status {juno.returncode}, seen {sorted(seen)}")
    if seen[b"awake"] - seen[b"begin"] < 2.5:
        fail(f"3 s took {seen[b'awake'] - seen[b'begin']:.1f} s")


def test_stats(bench):
    """Statistics and the log are written to the files that the options name. -no-reboot ends the simulator at a reset."""
    text, _ = bench.boot("reset.script", "-no-reboot", "-stats", bench.work / "stats", "-d", "firmware,unimp",
                         "-D", bench.work / "log")
    expect(text, r"^first")
    refuse(text, r"^second")
    expect((bench.work / "stats" / "stats.txt").read_text(), r"machine/virtual_ns +[1-9]")
    expect((bench.work / "log").read_text(), r"PSCI_VERSION", r"SYSTEM_RESET")
    stats = json.loads((bench.work / "stats" / "stats.json").read_text())
    system = json.loads((bench.work / "stats" / "system.json").read_text())
    executed, sampled = stats["cpu0"]["executed"], system["cpu"][0]["instructions"]
    if not 0.95 * executed <= sampled <= executed:
        fail(f"of {executed} instructions {sampled} are in system.json")
    for table in ("tasks", "symbols"):
        if sum(row["instructions"] for row in system[table]) != sampled and len(system[table]) < 300:
            fail(f"system.json: {table} have not all instructions")
    expect("\n".join(row["name"] for row in system["tasks"]), r"^init$", r"^kthreadd$")
    expect("\n".join(f"{row['symbol']} {row['where']}" for row in system["symbols"]), r"^\w*mem(set|cpy)\w* kernel$",
           r"^\(no symbol\) user: init$")


def test_gdb(bench):
    """A debugger stops in start_kernel, steps, reads registers, and lets the kernel boot."""
    gdb = shutil.which("gdb-multiarch")
    if not gdb:
        print("boot: gdb-multiarch is not installed")
        sys.exit(1)
    text, _ = bench.boot("gdb.script", "-no-kaslr")
    found = re.search(r"^(ffff[0-9a-f]{12}) \S start_kernel", text, re.MULTILINE)
    if not found:
        fail("/proc/kallsyms does not tell where start_kernel is")
    address = found.group(1)
    commands = bench.work / "commands"
    commands.write_text("\n".join([
        "set pagination off", "set confirm off", "set remotetimeout 100", "set architecture aarch64",
        "target remote 127.0.0.1:PORT",
        "printf \"entry %lx\\n\", $pc", f"break *0x{address}", "continue",
        "printf \"at %lx\\n\", $pc", "stepi", "printf \"then %lx\\n\", $pc",
        "printf \"x0 %lx\\n\", $x0", "printf \"sctlr %lx\\n\", $sctlr_el1",
        "info threads", "delete", "continue"]))
    text = bench.boot_with_gdb(gdb, commands)
    expect(text, r"^entry 80000000$", rf"^at {address}$", rf"^then {int(address, 16) + 4:x}$",
           r"^x0 [0-9a-f]+$", r"^sctlr [0-9a-f]*d$", r"CPU#0", r"CPU#1")


QUICK = ("-accel", "jit", "-jit-tier", "quick")
BOTH = ("-accel", "jit", "-jit-tier", "both", "-jit-threshold", "200")
TRACES = (("traces", "one CPU", "shell.script", *QUICK),
          ("traces", "from the first execution on", "shell.script", *QUICK, "-jit-quick-threshold", "1"),
          ("traces", "from the first execution on, at once", "shell.script", *QUICK, "-jit-sync", "-jit-quick-threshold", "1"),
          ("traces", "a reset, and little memory for code", "early_reset.script", *QUICK, "-jit-budget", "1"))
REGIONS = (("regions", "LLVM alone", "shell.script", "-accel", "jit", "-jit-tier", "llvm"),
           ("regions", "three CPUs", "hotplug.script", "-smp", "3", *BOTH),
           ("regions", "a reset, and little memory for code", "early_reset.script", *BOTH, "-jit-budget", "1"))


def test_quick(bench):
    """By the quick tier alone."""
    bench.compare_translated(*TRACES)


def test_tiers(bench):
    """By the quick tier alone, and by LLVM, alone and for code that the quick tier runs often."""
    bench.compare_translated(*TRACES, *REGIONS)


def test_perf(bench):
    """perf_event_open() counts in user mode, exactly."""
    bench.perf("aarch64-linux-gnu-gcc")


def test_rootfs(bench):
    """Debian's userland on the disk; the guest's writes do not reach the file."""
    disk = bench.rootfs()
    before = hashlib.sha256(disk.read_bytes()).hexdigest()
    text, messages = bench.boot(
        "rootfs.script", "-smp", "2", "-drive", f"file={disk},format=raw,snapshot=on",
        "-nic", "user", "-clock", "virtual", disk=True)
    expect(messages, r"disks +vda = ", r"\(writes are forgotten\)")
    expect(text, r"EXT4-fs \(vda\): mounted", r"333328333350000", r"aes-128-cbc +\d+",
           r"round-2-trip", r"packages: 1\d\d",
           r"10\.0\.2\.2 .*lladdr .*52:55:0a:00:02:02", r"reboot: Power down")
    refuse(text, *TROUBLE)
    if hashlib.sha256(disk.read_bytes()).hexdigest() != before:
        fail("the disk's file has changed")


def test_features(bench):
    """Debian on CPUs with every feature: the kernel detects them, and uses LSE and PAN."""
    text, messages = bench.boot(
        "features.script", "-cpu", "max", "-smp", "2", "-drive",
        f"file={bench.rootfs()},format=raw,snapshot=on", "-clock", "virtual", disk=True)
    expect(messages, r"CPUs +2 x arm,cortex-a72 as max")
    features = re.search(r"Features\s*: (.*)", text).group(1).split()
    for name in "atomics fphp asimdhp asimdrdm lrcpc fcma asimddp".split():
        if name not in features:
            fail(f"the kernel does not list {name} among {features}")
    expect(text, r"CPU part\s*: 0x051")
    for what in (r"LSE atomic instructions", r"Privileged Access Never", r"RCpc load-acquire"):
        expect(text, rf"CPU features: detected: {what}")
    expect(text, r"333328333350000", r"round-2-trip", r"reboot: Power down")
    refuse(text, *TROUBLE)


run("juno", globals(), __doc__)
