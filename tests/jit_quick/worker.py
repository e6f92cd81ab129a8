#!/usr/bin/env python3
"""Traces are made by a thread while the guest changes the code that they are made of.

A program writes a function again and again, and calls each one 9 to 40 times: a little more often than makes code hot. So
the traces of the loop around it lose the function's code before, while and after they are made. What the functions compute is computed here, too. The host
counts the threads of its process: there is a second one unless the guest waits for traces, by -jit-sync or because it may
use one processor only. The program, which counts them too, sees its own only. Runs that print the same have the same statistics, except of the groups jit and host.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

ROUNDS = 4000
PROGRAM = r"""
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

typedef uint32_t function(uint32_t x);

static void write_function(uint32_t *code, uint32_t n)
{
    code[0] = 0x11000000 | (n & 0xfff) << 10; /* add w0, w0, #n */
    code[1] = 0x4ac01c00;                     /* eor w0, w0, w0, ror #7 */
    code[2] = 0xd65f03c0;                     /* ret */
    __builtin___clear_cache((char *)code, (char *)(code + 3));
}

static int threads(void)
{
    DIR *folder = opendir("/proc/self/task");
    int count = -2; /* . and .. */

    while (folder && readdir(folder))
        count++;
    return count;
}

int main(void)
{
    uint32_t *code = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    function *changed = (function *)code, *same = (function *)(code + 512);
    uint32_t x = 1;

    write_function(code + 512, 99);
    for (uint32_t n = 0; n < ROUNDS; n++) {
        write_function(code, n);
        for (uint32_t calls = n * 7 % 32 + 9; calls; calls--)
            x = same(changed(x));
    }
    printf("%08x\n%d\n", x, threads());
    fflush(stdout);
    getchar(); /* the host counts threads meanwhile */
}
"""


def step(x, n):
    """Returns what a function of the program computes."""
    x = (x + n) & 0xffffffff
    return x ^ (x >> 7 | x << 25 & 0xffffffff)


def result():
    """Returns what the program computes."""
    x = 1
    for n in range(ROUNDS):
        for _ in range(n * 7 % 32 + 9):
            x = step(step(x, n & 0xfff), 99)
    return f"{x:08x}"


def run(command):
    """Runs the program. Returns what it prints, and the threads that the host sees when it has printed that."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8") as process:
        printed = process.stdout.readline() + process.stdout.readline()
        threads = len(os.listdir(f"/proc/{process.pid}/task"))
        printed += process.communicate("\n")[0]
    if process.returncode:
        sys.exit(f"{command} ended with {process.returncode}")
    return printed, threads


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--user", required=True)
    parser.add_argument("--gcc", required=True)
    o = parser.parse_args()
    processors = os.sched_getaffinity(0)
    first = {min(processors)}
    wrong, counted = [], {}
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program")
        subprocess.run([o.gcc, "-O2", "-static", f"-DROUNDS={ROUNDS}", "-x", "c", "-", "-o", program], input=PROGRAM.encode(), check=True)
        for name, allowed, options in (("as it is", processors, []), ("soon", processors, ["-jit-quick-threshold", "8"]),
                                       ("at once", processors, ["-jit-quick-threshold", "2"]),
                                       ("the guest waits", processors, ["-jit-sync", "-jit-quick-threshold", "8"]),
                                       ("one processor", first, ["-jit-quick-threshold", "8"])):
            os.sched_setaffinity(0, allowed)
            printed, threads = run([o.user, "-accel", "jit", "-jit-tier", "quick", *options, "-stats", folder, program])
            waits = "-jit-sync" in options or len(allowed) == 1
            with open(os.path.join(folder, "stats.json"), encoding="utf-8") as file:
                counters = json.load(file)
            jit = counters.pop("jit")
            del counters["host"]
            print(f"{name}: {jit['traces']} traces, {jit['killed']} killed")
            if counted.setdefault(printed, counters) != counters:
                wrong.append(f"{name}: counters of the guest differ from those of another run")
            if printed.split() != [result(), "1"]:
                wrong.append(f"{name}: {printed.split()}, not {result()} and one thread")
            if threads != (1 if waits else 2):
                wrong.append(f"{name}: the host has {threads} threads")
            if "-jit-quick-threshold" in options and (not jit["traces"] or jit["killed"] < ROUNDS / 8):
                wrong.append(f"{name}: few traces are made")
    if wrong:
        sys.exit("\n".join(wrong))


main()
