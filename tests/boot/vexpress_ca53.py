#!/usr/bin/env python3
"""Boots Debian's arm64 kernel on the simulated Versatile Express with two Cortex-A53."""
from bench import TROUBLE, run
from printed import expect, refuse


def test_shell(bench):
    """Two CPUs come up by PSCI, the shell answers, and two runs print the same."""
    options = ("-smp", "2", "-m", "1G")
    text, messages = bench.boot("shell.script", *options)
    expect(text, r"Booting Linux on physical CPU 0x0000000000 \[0x410fd033\]",
           r"Machine model: V2F-1XV7 Cortex-A53x2 SMM", r"psci: PSCIv1\.0 detected",
           r"arch_timer: cp15 timer\(s\) running at 24\.00MHz",
           r"CPU1: Booted secondary processor 0x0000000001 \[0x410fd033\]",
           r"enabled with armv8_cortex_a53 PMU driver, 7 ", r"Run /init",
           r"^Linux guest 6\.\S+ .*aarch64 GNU/Linux", r"^processor\s*: 1", r"uart-pl011",
           r"Jan  1 00:00:0\d UTC 2027", r"[0-9a-f]{64}  -", r"reboot: Power down")
    refuse(text, *TROUBLE)
    expect(messages, r"CPUs +2 x arm,cortex-a53; ", r"console +serial@90000")
    again, _ = bench.boot("shell.script", *options)
    bench.compare(text, again, "two runs with the same script differ")


def test_max(bench):
    """With -cpu max, which is no board's CPU, the kernel detects every feature."""
    text, messages = bench.boot("shell.script", "-cpu", "max", "-smp", "2", "-m", "1G")
    expect(messages, r"CPUs +2 x arm,cortex-a53 as max")
    expect(text, r"^Features\s*: .* atomics fphp asimdhp cpuid asimdrdm .*fcma .*lrcpc .*asimddp", r"reboot: Power down")
    refuse(text, *TROUBLE)


def test_reset(bench):
    """A reset starts the kernel again, with the second CPU."""
    text, _ = bench.boot("reset.script", "-smp", "2")
    expect(text, r"processors activated", r"^first", r"Booting Linux", r"Total of 2 processors",
           r"^second", r"Power down")


def test_rootfs(bench):
    """Debian's userland on a virtio disk given by -device, with a network."""
    text, messages = bench.boot(
        "rootfs.script", "-smp", "2", "-drive",
        f"if=none,id=root,file={bench.rootfs()},format=raw,snapshot=on",
        "-device", "virtio-blk-device,drive=root", "-nic", "user", "-clock", "virtual", disk=True)
    expect(messages, r"disks +vda = .*\(writes are forgotten\)")
    expect(text, r"EXT4-fs \(vda\): mounted", r"333328333350000", r"round-2-trip",
           r"10\.0\.2\.2 .*lladdr .*52:55:0a:00:02:02", r"reboot: Power down")
    refuse(text, *TROUBLE)


run("vexpress-ca53", globals(), __doc__)
