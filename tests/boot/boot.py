#!/usr/bin/env python3
"""Boots Debian's kernel on the simulated Juno and judges what it prints.

The guest's console is driven by a script at virtual times, so what a boot prints is one fixed text.
Fails, saying so, when the guest software was not fetched.
"""
import argparse
import hashlib
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

from printed import expect, fail, refuse

HERE = pathlib.Path(__file__).resolve().parent
SHELL = "console=ttyAMA0 rdinit=/init"
DISK = "console=ttyAMA0 root=/dev/vda rw"


class Bench:
    """The simulator, the guest software, and a folder for what a run leaves."""

    def __init__(self, args, work):
        self.juno, self.guest, self.work = args.juno, pathlib.Path(args.guest), pathlib.Path(work)

    def need(self, *names):
        for name in names:
            if not (self.guest / name).exists():
                print(f"boot: {self.guest / name} is missing: run scripts/fetch-guest")
                sys.exit(1)

    def command(self, script, *options, initrd="initramfs-arm64.cpio.gz", append=SHELL,
                kernel=None, dtb="juno-r2.dtb"):
        """The command line of a boot whose console `script` drives."""
        self.need("vmlinuz-arm64", "dtb/" + dtb, initrd)
        words = [self.juno, "-kernel", kernel or self.guest / "vmlinuz-arm64",
                 "-dtb", self.guest / "dtb" / dtb, "-initrd", self.guest / initrd,
                 "-append", append, "-script", HERE / script, "-limit", "600", *options]
        return [str(word) for word in words]

    def boot(self, script, *options, status=0, timeout=1500, **files):
        """Runs the simulator to its end; returns what the guest printed and the messages."""
        command = self.command(script, *options, **files)
        done = subprocess.run(command, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=timeout)
        text = done.stdout.decode(errors="replace")
        messages = done.stderr.decode(errors="replace")
        if done.returncode != status:
            print(text[-4000:], messages, sep="\n")
            fail(f"status {done.returncode} instead of {status}")
        return text, messages

    def boot_with_gdb(self, gdb, commands):
        """Boots under a debugger that runs `commands`; returns what the debugger printed."""
        command = self.command("gdb.script", "-smp", "2", "-no-kaslr", "-clock", "virtual",
                               "-gdb", "tcp:127.0.0.1:0", "-S")
        with subprocess.Popen(command, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as juno:
            try:
                port = next(found.group(1) for line in juno.stderr
                            if (found := re.search(r"TCP port (\d+)", line.decode())))
                commands.write_text(commands.read_text().replace("PORT", port))
                done = subprocess.run([gdb, "-nx", "-batch", "-x", commands], timeout=600,
                                      stdin=subprocess.DEVNULL, capture_output=True, check=False)
                status = juno.wait(timeout=60)
            finally:
                juno.kill()
        text = done.stdout.decode(errors="replace")
        if status:
            print(text, done.stderr.decode(errors="replace"), sep="\n")
            fail(f"under the debugger the simulator ended with status {status}")
        return text


TROUBLE = (r"Oops", r"Kernel panic", r"BUG:", r"WARNING: CPU", r"Unable to handle",
           r"rcu: INFO", r"segfault", r"Internal error", r"soft lockup")


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
    """Six CPUs come up, and two runs print the same bytes."""
    options = ("-smp", "6", "-m", "2G")
    text, _ = bench.boot("shell.script", *options)
    expect(text, r"CPU5: Booted secondary processor 0x0000000103 \[0x410fd033\]",
           r"smp: Brought up 1 node, 6 CPUs", r"^processor\s*: 5", r"CPU part\s*: 0xd03")
    refuse(text, *TROUBLE)
    again, _ = bench.boot("shell.script", *options)
    if text != again:
        (bench.work / "a").write_text(text)
        (bench.work / "b").write_text(again)
        subprocess.run(["diff", bench.work / "a", bench.work / "b"], check=False)
        fail("two runs with the same script differ")


def test_hotplug(bench):
    """A CPU is switched off and on again, several times."""
    text, _ = bench.boot("hotplug.script", "-smp", "3")
    expect(text, r"^off 2", r"^off 2", r"^off 2", r"^on 3", r"^[0-9a-f]{64}  /bin/busybox")
    expect(text, *[r"psci: CPU1 killed", r"CPU1: Booted secondary processor"] * 3)
    refuse(text, *TROUBLE)


def test_reset(bench):
    """A reset starts the kernel again; -no-reboot ends the simulator instead."""
    text, _ = bench.boot("reset.script")
    expect(text, r"Booting Linux", r"^first", r"Restarting system|reboot:", r"Booting Linux",
           r"^second", r"Power down")
    text, _ = bench.boot("reset.script", "-no-reboot")
    expect(text, r"^first")
    refuse(text, r"^second")


def test_variants(bench):
    """A gzipped kernel, more memory than the low bank, another seed, the other boards."""
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


def test_host_clock(bench):
    """Under -clock host a sleep of the guest takes as long outside."""
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
    """Statistics and the log are written where they are asked for."""
    bench.boot("reset.script", "-no-reboot", "-stats", bench.work / "stats", "-d", "firmware,unimp",
               "-D", bench.work / "log")
    expect((bench.work / "stats" / "stats.txt").read_text(), r"machine/virtual_ns +[1-9]")
    expect((bench.work / "log").read_text(), r"PSCI_VERSION", r"SYSTEM_RESET")


def test_gdb(bench):
    """A debugger breaks in start_kernel, steps, reads registers, and lets the kernel boot."""
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
        "set pagination off", "set confirm off", "set architecture aarch64",
        "target remote 127.0.0.1:PORT",
        "printf \"entry %lx\\n\", $pc", f"break *0x{address}", "continue",
        "printf \"at %lx\\n\", $pc", "stepi", "printf \"then %lx\\n\", $pc",
        "printf \"x0 %lx\\n\", $x0", "printf \"sctlr %lx\\n\", $sctlr_el1",
        "info threads", "delete", "continue"]))
    text = bench.boot_with_gdb(gdb, commands)
    expect(text, r"^entry 80000000$", rf"^at {address}$", rf"^then {int(address, 16) + 4:x}$",
           r"^x0 [0-9a-f]+$", r"^sctlr [0-9a-f]*d$", r"CPU#0", r"CPU#1")


def compare_translated(bench, counter, runs):
    """Translated, the guest prints what it prints interpreted, byte for byte."""
    for name, script, *options in runs:
        split = options.index("-accel")
        want, _ = bench.boot(script, *options[:split], "-accel", "interp")
        stats = bench.work / "stats"
        text, _ = bench.boot(script, *options, "-stats", stats)
        if text != want:
            (bench.work / "a").write_text(want)
            (bench.work / "b").write_text(text)
            subprocess.run(["diff", bench.work / "a", bench.work / "b"], check=False)
            fail(f"{name}: translated, the guest prints something else")
        expect((stats / "stats.txt").read_text(), rf"jit/{counter} +[1-9]", r"jit/failed +0$")


def test_quick(bench):
    """In the quick tier alone."""
    quick = ("-accel", "jit", "-jit-tier", "quick")
    compare_translated(bench, "traces", (
        ("one CPU", "shell.script", *quick),
        ("from the first execution on", "shell.script", *quick, "-jit-quick-threshold", "1"),
        ("little memory for code", "reset.script", *quick, "-jit-budget", "1")))


def test_jit(bench):
    """With LLVM, alone and for what the quick tier finds to run often."""
    compare_translated(bench, "regions", (
        ("LLVM alone", "shell.script", "-accel", "jit", "-jit-tier", "llvm"),
        ("three CPUs", "hotplug.script", "-smp", "3", "-accel", "jit", "-jit-tier", "both",
         "-jit-threshold", "200"),
        ("a reset, and little memory for code", "reset.script", "-accel", "jit",
         "-jit-tier", "both", "-jit-threshold", "200", "-jit-budget", "1")))


def test_rootfs(bench):
    """Debian's userland on the disk; what the guest writes does not reach the file."""
    bench.need("rootfs-arm64.ext4")
    disk = bench.guest / "rootfs-arm64.ext4"
    before = hashlib.sha256(disk.read_bytes()).hexdigest()
    text, messages = bench.boot(
        "rootfs.script", "-smp", "2", "-drive", f"file={disk},format=raw,snapshot=on",
        "-nic", "user", "-clock", "virtual", initrd="initramfs-arm64-disk.cpio.gz", append=DISK)
    expect(messages, r"disks +vda = ", r"\(writes are forgotten\)")
    expect(text, r"EXT4-fs \(vda\): mounted", r"333328333350000", r"aes-128-cbc +\d+",
           r"round-2-trip", r"packages: 1\d\d",
           r"10\.0\.2\.2 .*lladdr .*52:55:0a:00:02:02", r"reboot: Power down")
    refuse(text, *TROUBLE)
    if hashlib.sha256(disk.read_bytes()).hexdigest() != before:
        fail("the disk's file has changed")


def main():
    tests = {name[5:]: fn for name, fn in globals().items() if name.startswith("test_")}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--juno", required=True, help="the simulator")
    parser.add_argument("--guest", required=True, help="the folder of the guest software")
    parser.add_argument("test", choices=sorted(tests))
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="gencc-boot-") as work:
        tests[args.test](Bench(args, work))
    print(f"boot: {args.test} passed")


if __name__ == "__main__":
    main()
