#!/usr/bin/env python3
"""Boots Debian's kernel on malta, and on QEMU's machine of that name; judges what it prints."""
import re
import shutil
import subprocess
import sys

from bench import HERE, TROUBLE, run
from printed import expect, fail, refuse

# What both boards must say alike: CPU, memory's use by the kernel, PCI, serial ports.
ALIKE = (r"Linux version .*", r"CPU0 revision is: .*", r"FPU revision is: .*", r"MIPS: machine is .*",
         r"Primary (?:instruction|data) cache .*", r"Memory: \S+ \(.*kernel code", r"pci_bus 0000:00: root bus .*",
         r"pci 0000:00:0[0a]\.[03]: \[[0-9a-f]{4}:.*", r"pci 0000:00:0a\.3: quirk: .*", r"Serial: 8250.*",
         r"serial8250.*: ttyS\d at .*", r"Initialise system trusted.*", r"^Linux guest 6\.\S+ .*",
         r"^cpu model\s*: .*", r"^isa\s*: .*", r"^tlb_entries\s*: .*", r"^Options implemented.*")


def test_shell(bench):
    """The shell answers, and poweroff ends the simulator with status 0. QEMU's malta prints the same of the hardware that
    both have."""
    qemu = shutil.which("qemu-system-mipsel")
    if not qemu:
        print("boot: qemu-system-mipsel is not installed")
        sys.exit(1)
    text, messages = bench.boot("shell.script", "-m", "256")
    expect(text, r"MIPS: machine is mti,malta", r"CPU frequency 100\.00 MHz", r"ttyS0 at I/O 0x3f8 .* is a 16550A",
           r"rtc_cmos .*setting system clock to 2027-01-01T00:00:\d\d", r"Run /init",
           r"^Linux guest 6\.\S+ .*mips GNU/Linux", r"^cpu model\s*: MIPS 24Kc V0\.0  FPU V0\.0",
           r"XT-PIC +4 +ttyS0", r"MIPS +7 +timer", r"Jan  1 00:0\d:\d\d UTC 2027", r"[0-9a-f]{64}  -",
           r"reboot: Power down")
    refuse(text, *TROUBLE)
    expect(messages, r"CPUs +1 x mti,24kf", r"kernel +\S+vmlinuz-4kc-malta \(ELF\)", r"console +serial@180003f8")
    want, got = printed_alike(drive(bench, qemu, HERE / "shell.script")), printed_alike(text)
    if len(want) < 20:
        fail("QEMU printed little:\n" + "\n".join(want))
    bench.compare("\n".join(want), "\n".join(got), "QEMU's board prints something else")


def printed_alike(text):
    """Returns the lines that boards must share, without the kernel's times, carriage returns and repeats."""
    text = re.sub(r"^\[ *\d+\.\d+\] ", "", text.replace("\r", ""), flags=re.M)
    return [line for pattern in ALIKE for line in sorted(set(re.findall(pattern, text, re.M)))]


def drive(bench, qemu, script):
    """Returns what the same kernel prints on QEMU, whose console a script drives. Its cards' ROMs are in packages that nothing
    else needs, so it has no cards."""
    command = [qemu, "-M", "malta", "-nographic", "-nic", "none", "-vga", "none", "-m", "256", "-kernel", bench.guest / bench.board.kernel,
               "-initrd", bench.guest / f"initramfs-{bench.board.architecture}.cpio.gz",
               "-append", "console=ttyS0 rdinit=/init"]
    typed = [line[5:].replace("\\n", "\n") for line in script.read_text().splitlines()
             if line.startswith("send ")]
    text = ""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as guest:
        try:
            for line in typed:
                while not text.endswith("guest:~# "):
                    byte = guest.stdout.read(1)
                    if not byte:
                        fail("QEMU ended early:\n" + text[-2000:])
                    text += byte.decode(errors="replace")
                text += "\n"
                guest.stdin.write(line.encode())
                guest.stdin.flush()
            text += guest.stdout.read().decode(errors="replace")
            guest.wait(timeout=60)
        finally:
            guest.kill()
    return text


def test_reset(bench):
    """A reset starts the kernel again; -no-reboot ends the simulator instead."""
    text, _ = bench.boot("reset.script", "-m", "256", "-no-reboot")
    expect(text, r"^first")
    refuse(text, r"^second")


def test_quick(bench):
    """By the quick tier alone."""
    bench.compare_translated("traces", (("one CPU", "shell.script", "-m", "256", "-accel", "jit", "-jit-tier", "quick"),))


run("malta", globals(), __doc__)
