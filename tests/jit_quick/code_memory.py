#!/usr/bin/env python3
"""No address of a simulator that translates is writable and executable at once.

A guest is run until it is translated, and then waits: a program of Linux, for its input; a bare one, for
an interrupt that does not come. Meanwhile /proc/PID/maps of the simulator tells what is mapped how.
With --cc, a host that does not let memory be mapped twice is played too: the guest is interpreted, and
it is said why; and a host without large pages, of which each is asked for once. Where the host has large
pages for such memory, megabytes of code are in them.
"""
import argparse
import ctypes
import mmap
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

# Runs 40,000 blocks 1,000 times, so that the thread that translates keeps up on a busy host, too.
LONG = r"""
#include <stdio.h>
int main(void)
{
    unsigned long x = 0;
    for (int n = 0; n < 1000; n++)
        __asm__ volatile(".rept 40000\n add %0, %0, 1\n cbz %0, 1f\n1:\n .endr" : "+r"(x));
    printf("%lu\n", x);
    fflush(stdout);
    getchar();
    return 0;
}
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

# Stands for a host without large pages, and prints which are asked for.
ASKED = r"""
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
int madvise(void *at, size_t size, int advice)
{
    if (advice == 25)
        fprintf(stderr, "asked %p %zu\n", at, size);
    errno = EINVAL;
    return -1;
}
"""

MADV_COLLAPSE, MAP_FIXED = 25, 0x10  # of Linux
LARGE = 2 << 20

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


def has_large_pages():
    """Returns whether the host gives a large page to shared memory that asks for one."""
    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_void_p
    kind = mmap.MAP_SHARED | mmap.MAP_ANONYMOUS
    room = libc.mmap(None, ctypes.c_size_t(2 * LARGE), 0, kind, -1, ctypes.c_long(0))
    page = ctypes.c_void_p((room + LARGE - 1) // LARGE * LARGE)
    libc.mmap(page, ctypes.c_size_t(LARGE), mmap.PROT_READ | mmap.PROT_WRITE, kind | MAP_FIXED, -1,
              ctypes.c_long(0))
    ctypes.memset(page, 1, 1)
    return libc.madvise(page, ctypes.c_size_t(LARGE), MADV_COLLAPSE) == 0


def check_large(user, program):
    if not has_large_pages():
        print("large pages: this host has none for shared memory, which is not tested")
        return True
    with subprocess.Popen([user, "-jit-quick-threshold", "4", program], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as run:
        run.stdout.read(1)
        end = time.monotonic() + 30
        large = 0
        while large < LARGE and time.monotonic() < end:
            with open(f"/proc/{run.pid}/smaps", encoding="utf-8") as file:
                parts = re.split(r"^(?=[0-9a-f]+-)", file.read(), flags=re.MULTILINE)
            large = sum(int(re.search(r"ShmemPmdMapped: *(\d+) kB", part)[1]) * 1024
                        for part in parts if re.match(r"\S+ r-xs", part))
            time.sleep(0.05)
        run.communicate(b"\n")
    print(f"large pages: {large >> 20} MB of code")
    return large >= LARGE


def with_shim(o, folder, text):
    """Returns the environment in which a program calls this code's functions in place of the host's."""
    shim = os.path.join(folder, "shim.so")
    subprocess.run([o.cc, "-shared", "-fPIC", "-x", "c", "-", "-o", shim], input=text.encode(), check=True)
    return {**os.environ, "LD_PRELOAD": shim}


def check_asked(o, program, folder):
    """Each large page of code is asked for once, and the program runs without them."""
    done = subprocess.run([o.user, "-jit-quick-threshold", "4", program], env=with_shim(o, folder, ASKED), input=b"\n",
                          timeout=60, capture_output=True, check=False)
    asked = re.findall(rb"^asked (0x[0-9a-f]+) (\d+)$", done.stderr, re.MULTILINE)
    print(f"large pages: {len(asked)} asked for")
    return (len(asked) >= 2 and len(set(asked)) == len(asked) and done.stdout == b"40000000\n" and
            all(int(at, 16) % LARGE == 0 and int(size) == LARGE for at, size in asked))


def check_refused(o, program, folder):
    environment = with_shim(o, folder, REFUSE)
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
        subprocess.run([o.gcc, "-O2", "-static", "-x", "c", "-", "-o", program], input=LONG.encode(),
                       check=True)
        good &= check_large(o.user, program)
        if o.cc:
            good &= check_asked(o, program, folder)
            good &= check_refused(o, program, folder)
    return 0 if good else 1


sys.exit(main())
