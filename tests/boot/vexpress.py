#!/usr/bin/env python3
"""Boots Debian's armhf kernel on the simulated Versatile Express and judges what it prints."""
import shutil
import subprocess
import sys

from bench import HERE, TROUBLE, run
from printed import expect, fail, refuse

sys.path.insert(0, str(HERE.parent / "display"))
from display import read_png  # noqa: E402


def test_shell(bench):
    """Two CPUs come up, the shell answers, poweroff ends the simulator with status 0; the kernel's log is on the frame
    buffer's console, too. Two runs print and show the same."""
    options = ("-smp", "2", "-m", "1G", "-append", "console=tty0 console=ttyAMA0 rdinit=/init", "-screendump")
    one, two = bench.work / "one.png", bench.work / "two.png"
    text, messages = bench.boot("shell.script", *options, one)
    expect(text, r"Booting Linux on physical CPU 0x0", r"CPU: ARMv7 Processor \[412fc0f1\]",
           r"Machine model: V2P-CA15", r"arch_timer: cp15 timer\(s\) running at 24\.00MHz",
           r"SMP: Total of 2 processors activated", r"CPU: All CPU\(s\) started in SVC mode",
           r"VFP support v0\.3: implementor 41 architecture 4 part 30 variant f",
           r"hw-breakpoint: found 5 \(\+1 reserved\) breakpoint and 4 watchpoint registers",
           r"hw perfevents: enabled with armv7_cortex_a15 PMU driver, 7 ", r"Run /init",
           r"^Linux guest 6\.\S+-armmp .*armv7l GNU/Linux", r"^processor\s*: 1",
           r"Features\s*: .*vfpv4 idiva idivt", r"Jan  1 00:00:0\d UTC 2027", r"[0-9a-f]{64}  -",
           r"reboot: Power down")
    expect(text, r"simple-framebuffer .*mode=800x600x16", r"colour frame buffer device 100x37")
    refuse(text, *TROUBLE)
    expect(messages, r"CPUs +2 x arm,cortex-a15; .*secondary CPUs by SYS_FLAGS",
           r"kernel +\S+vmlinuz-armmp \(zImage\)")
    again, _ = bench.boot("shell.script", *options, two)
    bench.compare(text, again, "two runs with the same script differ")
    judge_screen(one)
    if one.read_bytes() != two.read_bytes():
        fail("two runs show different pictures")


def judge_screen(picture):
    """A picture of the whole screen with text on it, from the first line on."""
    lines = read_png(picture)
    lit = [sum(1 for pixel in line if pixel) for line in lines]
    if (len(lines), len(lines[0])) != (600, 800) or sum(lit) < 20000 or not any(lit[:40]):
        fail(f"the screen shows no text: {sum(lit)} pixels of {len(lines)} lines are lit")


def test_reset(bench):
    """A reset starts the kernel again, with the second CPU."""
    text, _ = bench.boot("reset.script", "-smp", "2")
    expect(text, r"processors activated", r"^first", r"Booting Linux", r"Total of 2 processors",
           r"^second", r"Power down")


def test_perf(bench):
    """perf_event_open() counts in user mode, exactly."""
    bench.perf("arm-linux-gnueabihf-gcc")


def test_gdb(bench):
    """A debugger steps through a program's T32 code with an IT block, and A32 code; -d in_asm lists
    the same."""
    gdb = shutil.which("gdb-multiarch")
    if not gdb:
        print("boot: gdb-multiarch is not installed")
        sys.exit(1)
    # at an address where no other program has code
    initrd = bench.initrd_with("instruction_sets.c", "arm-linux-gnueabihf-gcc",
                               "-Wl,-Ttext-segment=0x5000000")
    commands = bench.work / "commands"
    show = "printf \"at %d status %x r0 %d\\n\", $pc - (long)&of_t32, $cpsr & 0x0600fc20, $r0"
    commands.write_text("\n".join([
        "set pagination off", "set confirm off", "set remotetimeout 100", f"file {bench.work / 'instruction_sets'}",
        "target remote 127.0.0.1:PORT", "printf \"entry %x mode %x\\n\", $pc, $cpsr & 0x3f",
        "break *of_t32", "continue", "x/7i $pc", *["stepi", show] * 5,
        "break *(of_a32 + 4)", "continue", show, "x/2i $pc", *["stepi", show] * 2,
        "p/x $q0.u32[0]", "p/x $sctlr & 1", "p/x $l2ctlr", "p/x $cbar",
        "info threads", "delete", "continue"]))
    text = bench.boot_with_gdb(gdb, commands, "-d", "in_asm", "-D", bench.work / "log",
                               script="instruction_sets.script", initrd=initrd)
    expect(text, r"^entry 82000000 mode 13$", r"<of_t32>:\s+push\s+{r4, lr}",
           r"<of_t32\+4>:\s+ite\s+eq", r"<of_t32\+8>:\s+addne\.w\s+r0, r0, #40",
           r"^at 2 status 20 r0 2$", r"^at 4 status 20 r0 2$", r"^at 6 status c20 r0 2$",
           r"^at 8 status 1820 r0 2$", r"^at 12 status 20 r0 42$", r"^at 24 status 0 r0 42$",
           r"<of_a32\+4>:\s+addeq\s+r0, r0, #1", r"^at 28 status 0 r0 43$",
           r"^at 32 status 0 r0 43$", r"^\$1 = 0x2b$", r"^\$2 = 0x1$", r"^\$3 = 0x18\d{5}$",
           r"^\$4 = 0x2c000000$", r"CPU#0", r"CPU#1")
    expect((bench.work / "log").read_text(), r"^0x0000000082000000: +e2255a4d +eor r5, r5, #315392$",
           r": +2800 +cmp r0, #0$", r": +bf0c +ite eq$", r": +2001 +moveq r0, #1$",
           r": +f1000028 +addne\.w r0, r0, #40$", r": +02800001 +addeq r0, r0, #1$")


def test_gpu_clock(bench):
    """The GPU's clock is that of its model, in the tree and in the kernel's clock framework, without panfrost. Two GPUs are
    tried, so that neither clock can be the platform's own."""
    tree = bench.work / "tree"
    subprocess.run(bench.command("gpu_clock.script", "-gpu", "g72", "-dump-dtb", tree), check=True, capture_output=True)
    found = subprocess.run(["fdtget", tree, "/gpu-clock", "clock-frequency"], check=True, capture_output=True, text=True)
    expect(found.stdout, r"^746000000$")
    text, _ = bench.boot("gpu_clock.script", "-gpu", "g52")
    expect(text, rf"^tree {820000000:08x}\b", r"^clock 820000000\b")


TRACES = ("traces", "two CPUs", "shell.script", "-smp", "2", "-accel", "jit", "-jit-tier", "quick")
REGIONS = ("regions", "both tiers", "shell.script", "-smp", "2", "-accel", "jit", "-jit-tier", "both", "-jit-threshold", "200")


def test_quick(bench):
    """Translated by the quick tier, the kernel prints the same."""
    bench.compare_translated(TRACES)


def test_tiers(bench):
    """Translated by the quick tier, and by LLVM where code runs often, the kernel prints the same."""
    bench.compare_translated(TRACES, REGIONS)


run("vexpress", globals(), __doc__)
