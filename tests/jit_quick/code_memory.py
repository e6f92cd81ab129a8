#!/usr/bin/env python3
"""No address of a simulator that translates is writable and executable at once.

A guest is run until it is translated, and then waits: a program of Linux, for its input; a bare one, for
an interrupt that does not come. Meanwhile /proc/PID/maps of the simulator tells what is mapped how.
With --cc, a host that does not let memory be mapped twice is played too: the guest is interpreted, and
it is said why.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
import time

USER = r"""
#include <stdio.h>
static unsigned hot(unsigned n) { unsigned x = 1; while (n--) x = x * 3 + n; return x; }
int main(void)
{
    unsigned x = hot(1000000);
    printf("%u\n", x);
    fflush(stdout);
    getchar();
    return 0;
}
"""

# Writes a character to the console of tests/machine/mini.dts after the loop, then waits.
BARE = """
    .globl _start
_start:
    ldr     x1, =1000000
hot:
    subs    x1, x1, #1
    b.ne    hot
    ldr     x1, =0x7ff80000
    mov     w0, #'!'
    str     w0, [x1]
wait:
    wfi
    b       wait
"""

# Stands for a host that permits only the first of two mappings of the same memory.
REFUSE = r"""
#include <errno.h>
#include <stddef.h>
void *mremap(void *old, size_t old_size, size_t size, int flags, ...)
{
    (void)old, (void)old_size, (void)size, (void)flags;
    errno = EPERM;
    return (void *)-1;
}
int memfd_create(const char *name, unsigned flags)
{
    (void)name, (void)flags;
    errno = EPERM;
    return -1;
}
"""

JIT = ["-accel", "jit", "-jit-sync", "-jit-quick-threshold", "4", "-jit-threshold", "50"]


def maps_of(command):
    """Returns the mappings at the time of the first byte of output."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL) as run:
        try:
            if not run.stdout.read(1):
                return []
            with open(f"/proc/{run.pid}/maps", encoding="utf-8") as maps:
                return maps.read().splitlines()
        finally:
            run.kill()


def check(name, command):
    rows = [row.split(maxsplit=5) for row in maps_of(command)]
    both = [row for row in rows if "w" in row[1] and "x" in row[1]]
    # Translated code is not in any file that exists.
    code = [row for row in rows if "x" in row[1] and
            (len(row) < 6 or row[5] == "/dev/zero (deleted)")]
    for row in both:
        print(f"{name}: {' '.join(row)}")
    print(f"{name}: {len(rows)} mappings, {len(code)} of translations, {len(both)} writable and "
          "executable")
    return bool(code) and not both


def check_refused(o, program, folder):
    shim = os.path.join(folder, "refuse.so")
    subprocess.run([o.cc, "-shared", "-fPIC", "-x", "c", "-", "-o", shim], input=REFUSE.encode(),
                   check=True)
    environment = {**os.environ, "LD_PRELOAD": shim}
    good = True
    for options, want_status in ([], 0), (["-accel", "jit"], 1):
        done = subprocess.run([o.user, *options, program], env=environment, input=b"\n", timeout=60,
                              capture_output=True, check=False)
        says = done.stderr.decode().strip()
        print(f"refused, {options}: status {done.returncode}: {says}")
        good &= (done.returncode != 0) == (want_status != 0)
        good &= says.count("\n") == 0 and "no memory for code" in says
        good &= bool(re.fullmatch(rb"\d+\n", done.stdout)) == (want_status == 0)
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("user", "juno", "dtb", "gcc"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--cc")
    parser.add_argument("tiers", nargs="+")
    o = parser.parse_args()
    good = True
    with tempfile.TemporaryDirectory() as folder:
        program, kernel = os.path.join(folder, "program"), os.path.join(folder, "kernel")
        subprocess.run([o.gcc, "-O2", "-static", "-x", "c", "-", "-o", program], input=USER.encode(),
                       check=True)
        subprocess.run([o.gcc, "-nostdlib", "-static", "-Wl,-Ttext-segment=0x80080000", "-x",
                        "assembler", "-", "-o", kernel], input=BARE.encode(), check=True)
        for tier in o.tiers:
            options = [*JIT, "-jit-tier", tier]
            good &= check(f"aarch64-user, {tier}", [o.user, *options, program])
            good &= check(f"juno, {tier}", [o.juno, *options, "-kernel", kernel, "-dtb", o.dtb, "-m",
                                            "128M", "-nographic"])
        if o.cc:
            good &= check_refused(o, program, folder)
    return 0 if good else 1


sys.exit(main())
