#!/usr/bin/env python3
"""Threads that take turns stop at the same instruction in traces as in the interpreter.

The threads change a shared number without a lock, so its value tells where each turn ended. A turn
is a number of instructions, and many of them end inside of blocks for which an earlier head of the
trace takes the ticks. The program prints the number, a hash of all of its values, and the time,
which is made of instructions.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

PROGRAM = r"""
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { THREADS = 5, ROUNDS = 4000, BYTES = 4096 };
static volatile uint64_t shared, hash;
static uint8_t bytes[BYTES];

static int fib(int n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static unsigned length(const uint8_t *p)
{
    const uint8_t *end = p;

    while (*end)
        end++;
    return end - p;
}

static unsigned steps(unsigned n)
{
    unsigned count = 0;

    for (; n != 1; count++)
        n = n & 1 ? n * 3 + 1 : n >> 1;
    return count;
}

static void *run(void *arg)
{
    uintptr_t me = (uintptr_t)arg;

    for (unsigned n = 0; n < ROUNDS; n++) {
        uint64_t before = shared;
        unsigned sum = fib(n % 11) + length(bytes + (n * 37 & 2047));

        for (unsigned k = 0; k < (n & 31); k++)
            sum += steps(k * me + 7);
        shared = before + sum + me;
        hash = hash * 31 + shared + me;
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    struct timespec t;

    for (unsigned n = 0; n < BYTES; n++)
        bytes[n] = n % 97 ? 1 + (n * 7 & 63) : 0;
    for (uintptr_t n = 0; n < THREADS; n++)
        pthread_create(&threads[n], NULL, run, (void *)(n + 1));
    for (unsigned n = 0; n < THREADS; n++)
        pthread_join(threads[n], NULL);
    clock_gettime(CLOCK_MONOTONIC, &t);
    printf("%016lx %016lx %ld.%09ld\n", shared, hash, (long)t.tv_sec, t.tv_nsec);
    return 0;
}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--user", required=True)
    parser.add_argument("--gcc", required=True)
    o = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program")
        subprocess.run([o.gcc, "-O2", "-static", "-pthread", "-x", "c", "-", "-o", program],
                       input=PROGRAM.encode(), check=True)
        runs = [subprocess.run([o.user, "-clock", "virtual", *options, program], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, check=True)
                for options in (["-accel", "interp"],
                                ["-accel", "jit", "-jit-tier", "quick", "-jit-dump"],
                                ["-accel", "jit", "-jit-tier", "quick", "-jit-quick-threshold", "20"],
                                ["-accel", "jit", "-jit-tier", "quick", "-jit-quick-threshold", "20", "-jit-sync"])]
    if not re.search(rb"^ +\d+ head #[1-9a-f]$", runs[1].stderr, re.MULTILINE):
        sys.exit("each head of a block takes its own ticks")
    outputs = {run.stdout.decode() for run in runs}
    if len(outputs) != 1:
        sys.exit("traces end turns elsewhere than the interpreter:\n" + "".join(sorted(outputs)))


main()
