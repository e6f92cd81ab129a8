#!/usr/bin/env python3
"""More code than the quick tier may keep: traces go while the program runs, and come again.

The program has functions of many kinds that call each other directly and through pointers, so that
traces are connected in all ways when they go. Its output and its instructions are those of the
interpreter, and the longer it runs, the memory stays.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

FUNCTIONS = 1500
HEAD = r"""
#include <stdio.h>
#include <stdlib.h>
typedef unsigned long (*function)(unsigned long a, unsigned rounds);
extern const function functions[];
"""
FUNCTION = r"""
unsigned long f{n}(unsigned long a, unsigned rounds)
{{
    unsigned long b = {n};

    while (rounds--) {{
        if (a % {divisor} == 1)
            b ^= a >> 3;
        a = a * 3 + (b >> {shift}) + {n};
        b += a & 0xff{n};
    }}
    return {last};
}}
"""
MAIN = r"""
int main(int argc, char **argv)
{
    unsigned long sum = 0;

    for (int n = atoi(argv[argc - 1]); n--;) {
        for (unsigned k = 0; k < FUNCTIONS; k++)
            sum += functions[(k * 7 + k % 3) % FUNCTIONS](sum ^ k, 12);
        printf("%016lx\n", sum);
    }
    return 0;
}
"""


def source():
    """Returns the source: every function but some ends by calling another one."""
    text = [HEAD, f"#define FUNCTIONS {FUNCTIONS}\n"]
    for n in range(FUNCTIONS):
        last = "a + b" if n % 5 == 0 else f"f{n - 1}(a ^ b, 1)"
        text.append(FUNCTION.format(n=n, divisor=n % 13 + 2, shift=n % 17 + 1, last=last))
    names = ", ".join(f"f{n}" for n in range(FUNCTIONS))
    return "".join(text) + f"const function functions[] = {{{names}}};\n" + MAIN


def run(user, folder, options, program, rounds):
    """Returns the output, the statistics, and the largest memory in KB."""
    stats = os.path.join(folder, "stats")
    out = os.path.join(folder, "out")
    with open(out, "wb") as file:
        child = subprocess.Popen([user, *options, "-stats", stats, program, str(rounds)],
                                 stdout=file)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"{options}: status {child.returncode}")
    with open(os.path.join(stats, "stats.json"), encoding="utf-8") as file:
        counters = json.load(file)
    with open(out, "rb") as file:
        return file.read(), counters, usage.ru_maxrss


def differences(have, want):
    """Returns the statistics of the guest that differ from the interpreter's."""
    wrong = []
    for room in want.keys() - {"jit", "host"}:
        for name, value in want[room].items():
            if have[room][name] != value:
                wrong.append(f"{room}/{name}: {have[room][name]}, not {value}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--user", required=True)
    parser.add_argument("--gcc", required=True)
    o = parser.parse_args()
    quick = ["-accel", "jit", "-jit-tier", "quick", "-jit-sync", "-jit-quick-threshold", "2", "-jit-budget"]
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program")
        with open(program + ".c", "w", encoding="utf-8") as file:
            file.write(source())
        subprocess.run([o.gcc, "-O1", "-static", program + ".c", "-o", program], check=True)
        want, plain, _ = run(o.user, folder, ["-accel", "interp"], program, 12)
        _, _, before = run(o.user, folder, [*quick, "1"], program, 4)
        out, stats, after = run(o.user, folder, [*quick, "1"], program, 12)
    jit = stats["jit"]
    print(f"{jit['traces']} traces, {jit['killed']} gone, {jit['bytes']} bytes at the end, "
          f"{before} KB, then {after} KB")
    if out != want:
        wrong.append("the output differs")
    wrong += differences(stats, plain)
    if jit["failed"] or jit["killed"] < 2 * FUNCTIONS or jit["bytes"] > 1 << 20:
        wrong.append("the budget is not kept")
    if after > before + 4096:
        wrong.append("the memory grows")
    print("\n".join(wrong) or "good")
    return 1 if wrong else 0


sys.exit(main())
