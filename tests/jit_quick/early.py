#!/usr/bin/env python3
"""Blocks that run rarely get a trace after fewer executions than others.

A program calls one function 60 times, a million instructions apart, and another one 60 times in a row. Both are called less
often than makes code hot; only the first has a trace, unless the guest waits for traces or the threshold is given.
"""
import argparse
import os
import subprocess
import sys
import tempfile

PROGRAM = r"""
#include <stdint.h>
#include <unistd.h>

volatile uint32_t x;

__attribute__((noinline)) void rare(void) { x += 3; }
__attribute__((noinline)) void dense(void) { x += 5; }
__attribute__((noinline)) void call_rare(void) { rare(); x += 7; }
__attribute__((noinline)) void call_dense(void) { dense(); x += 9; }

int main(void)
{
    for (int n = 0; n < 60; n++) {
        call_rare();
        for (int k = 0; k < 250000; k++)
            x ^= x << 1;
        usleep(5000); /* the thread makes room in its queue */
    }
    for (int n = 0; n < 60; n++)
        call_dense();
    for (int n = 0; n < 60; n++) /* a finished trace is installed between two blocks */
        usleep(10000);
    return 0;
}
"""


def functions(nm, program):
    """Returns the addresses of each function's code, by its name."""
    lines = subprocess.run([nm, "-S", program], stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout.splitlines()
    rows = [line.split() for line in lines]
    return {row[3]: range(int(row[0], 16), int(row[0], 16) + int(row[1], 16)) for row in rows if len(row) == 4}


def traces(user, program, options):
    """Returns the guest addresses at which traces begin."""
    run = subprocess.Popen([user, "-accel", "jit", "-jit-tier", "quick", "-jit-perf-map", *options, program])
    path = f"/tmp/perf-{run.pid}.map"
    status = run.wait()
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    os.remove(path)
    if status:
        sys.exit(f"the status is {status}")
    return {int(line.split("_")[-1], 16) for line in lines if "quick_" in line}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--user", required=True)
    parser.add_argument("--gcc", required=True)
    o = parser.parse_args()
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program")
        subprocess.run([o.gcc, "-O2", "-static", "-x", "c", "-", "-o", program], input=PROGRAM.encode(), check=True)
        at = functions(o.gcc.replace("gcc", "nm"), program)
        has_thread = len(os.sched_getaffinity(0)) > 1
        for name, options, early in (("as it is", [], has_thread), ("the guest waits", ["-jit-sync"], False),
                                     ("a threshold", ["-jit-quick-threshold", "150"], False)):
            found = traces(o.user, program, options)
            for function, expected in (("rare", early), ("dense", False)):
                if any(pc in at[function] or pc in at["call_" + function] for pc in found) != expected:
                    wrong.append(f"{name}: {function}() has {'no' if expected else 'a'} trace")
    if wrong:
        sys.exit("\n".join(wrong))


main()
