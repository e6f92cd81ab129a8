#!/usr/bin/env python3
"""GDB on malta or malta-be: symbols of an ELF file of that byte order, registers, words and bytes of memory, steps, a delay
slot, writes. GDB says the same of QEMU's board; the monitor's words are those of the program's source.

    board_gdb.py MALTA QEMU GDB AS LD -EB|-EL"""
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).with_name("board_gdb.s")
COMMANDS = r"""set pagination off
set confirm off
set remotetimeout 100
target remote TARGET
break *work
continue
printf "at work: %x, from %x, a0 %x\n", $pc, $ra, $a0
x/2xw &words
x/8xb &words
x/2xh &halves
x/3i $pc
info symbol $pc
stepi
stepi
printf "result %x\n", *(unsigned *)&result
MONITOR
break *over
continue
printf "v0 %x, at %x\n", $v0, $pc
set var *(unsigned *)&words = 0x0badcafe
x/4xb &words
set var *(unsigned short *)&halves = 0x0102
x/1xw &halves
set $t3 = 0x11223344
p/x $t3
"""


def drive(gdb, program, target, monitor=""):
    """Returns what GDB prints, and what the target's monitor does, which GDB sends to standard error."""
    script = program.with_name("commands")
    script.write_text(COMMANDS.replace("TARGET", target).replace("MONITOR\n", monitor))
    done = subprocess.run([gdb, "-nx", "-batch", "-x", script, program], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=120, check=False)
    if "0x11223344" not in done.stdout:
        sys.exit(f"GDB does not come to its last command:\n{done.stdout}{done.stderr}")
    return done.stdout, done.stderr


def on_ours(malta, gdb, program):
    """Returns drive() with commands of our monitor, which GDB's symbols lead to the data."""
    at = subprocess.run([gdb, "-nx", "-batch", "-ex", "p/x (unsigned)&words", program], capture_output=True, text=True,
                        check=True).stdout.split()[-1]
    monitor = f"monitor x /2xw {at}\nmonitor x /2xh {at}+8\nmonitor x /1i $PC\n"
    with subprocess.Popen([malta, "-m", "64", "-nographic", "-gdb", "tcp:127.0.0.1:0", "-S", "-kernel", program],
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as simulator:
        try:
            port = next(found[1] for line in simulator.stderr if (found := re.search(r"TCP port (\d+)", line)))
            return drive(gdb, program, f"127.0.0.1:{port}", monitor)
        finally:
            simulator.kill()


def in_program(text):
    """Returns what GDB prints from the program's breakpoint on: before it QEMU is in its boot loader."""
    return re.search(r"\nBreakpoint 1, .*?(?=\[Inferior|\Z)", text, re.S)[0]


def main(malta, qemu, gdb, assembler, linker, order):
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "program.elf"
        subprocess.run([assembler, "-mips32r2", order, "-o", program.with_suffix(".o"), SOURCE], check=True)
        subprocess.run([linker, order, "-Ttext-segment=0x80100000", "-e", "_start", "-o", program, program.with_suffix(".o")], check=True)
        want, _ = drive(gdb, program, f"| {qemu} -M malta -m 64 -nic none -vga none -display none -monitor none -serial null "
                                      f"-gdb stdio -S -kernel {program}")
        got, monitor = on_ours(malta, gdb, program)
    if in_program(got) != in_program(want):
        sys.exit(f"GDB says\n{got}\nand of QEMU\n{want}")
    if not re.search(r": 0x12345678 0x9abcdef0\n.*: 0x1122 0x3344\n.*:  jr\b", monitor):
        sys.exit(f"the monitor says\n{monitor}")
    print(in_program(got) + monitor)


main(*sys.argv[1:])
