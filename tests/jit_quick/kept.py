#!/usr/bin/env python3
"""Traces that are kept for later runs (-jit-cache): with a folder that is empty, filled, of another program and
damaged, the output and the guest's statistics are those without one.

A second run translates nothing. A program whose functions have changed under the same name gets none of their old
traces: what it prints is what it prints without the folder. Traces made with the host's AVX-512 are not taken without it.
A folder that cannot be used is one clear line.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

FUNCTION = r"""
__attribute__((noinline)) static unsigned long f{n}(unsigned long a, unsigned rounds)
{{
    double d = {n};

    while (rounds--) {{
        if (a % {divisor} == 1)
            d += (double)(a >> 40) * 0.25;
        a = __builtin_aarch64_crc32cx((unsigned)a, a * 3 + {n}) + (a << 17) + (unsigned long)d;
    }}
    return a;
}}
"""
MAIN = r"""
int main(void)
{{
    unsigned long (*const functions[])(unsigned long, unsigned) = {{{names}}};
    unsigned long sum = 1;

    for (unsigned k = 0; k < 4000; k++)
        sum = functions[k % {count}](sum ^ k, 7 + k % 3);
    printf("%016lx\n", sum);
    return 0;
}}
"""
FUNCTIONS = 12


def source(seed):
    """Returns a program's source; programs of two seeds have the same functions but for a number in each."""
    text = ["#include <stdio.h>\n"]
    text += [FUNCTION.format(n=n + seed, divisor=n % 5 + 2) for n in range(FUNCTIONS)]
    names = ", ".join(f"f{n + seed}" for n in range(FUNCTIONS))
    return "".join(text) + MAIN.format(names=names, count=FUNCTIONS)


AVX512 = {f"avx512{name}" for name in ("vl", "bw", "dq", "cd", "vbmi", "_vbmi2", "_bitalg")} | {"gfni", "vaes", "vpclmulqdq"}


def has_avx512():
    """Returns whether the quick tier uses AVX-512 here."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return any(line.startswith("flags") and AVX512 <= set(line.split()) for line in file)


class Simulator:
    """Our user mode, with the program, the folder of traces and the faults found."""

    def __init__(self, o, folder):
        self.o, self.wrong = o, []
        self.program, self.stats, self.cache = (os.path.join(folder, name) for name in ("program", "stats", "cache"))

    def build(self, seed):
        """Makes the program."""
        subprocess.run([self.o.gcc, "-O1", "-static", "-march=armv8-a+crc", "-x", "c", "-", "-o", self.program],
                       input=source(seed), encoding="utf-8", check=True)

    def run(self, cache, *options):
        """Returns the output and the guest's counters, and those of translation."""
        done = subprocess.run([self.o.user, "-jit-sync", *options, "-jit-cache", cache, "-stats", self.stats, self.program],
                              stdout=subprocess.PIPE, timeout=60, check=True)
        with open(os.path.join(self.stats, "stats.json"), encoding="utf-8") as file:
            counters = json.load(file)
        jit = counters.pop("jit")
        del counters["host"]
        return (done.stdout, counters), jit

    def check(self, what, want, least, most):
        """Runs with the folder: as many traces as these are translated, and the rest is as wanted."""
        have, jit = self.run(self.cache)
        print(f"{what}: {jit['traces']} translated, {jit['kept_traces']} kept, {jit['kept_others']} of others")
        if have != want:
            self.wrong.append(f"{what}: the outcome is another one than without")
        if not least <= jit["traces"] <= most:
            self.wrong.append(f"{what}: {jit['traces']} traces are translated, not {least} to {most}")
        if most == 0 and not jit["kept_traces"]:
            self.wrong.append(f"{what}: no trace is a kept one")

    def file(self):
        """Returns the path of the only file in the folder."""
        names = os.listdir(self.cache)
        if len(names) != 1:
            sys.exit(f"the folder has {len(names)} files")
        return os.path.join(self.cache, names[0])


def change_file(path, change):
    """Writes what change() makes of a file's bytes."""
    with open(path, "rb") as file:
        content = bytearray(file.read())
    with open(path, "wb") as file:
        file.write(change(content))


def flip(content):
    """Changes one bit in the middle."""
    content[len(content) // 2] ^= 0x10
    return content


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--user", required=True)
    parser.add_argument("--gcc", required=True)
    o = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        s = Simulator(o, folder)
        s.build(0)
        first, jit = s.run("off")
        every = jit["traces"]
        s.check("cold", first, every, every)
        s.check("warm", first, 0, 0)
        for what, change in ("flipped", flip), ("cut", lambda content: content[:-1]), ("empty", lambda _: b""):
            change_file(s.file(), change)
            s.check(what, first, every, every)
            s.check(f"after {what}", first, 0, 0)
        s.build(1)
        other, jit = s.run("off")
        have, jit = s.run(s.cache)
        print(f"another program: {jit['traces']} translated, {jit['kept_traces']} kept")
        if have != other or other[0] == first[0] or jit["traces"] < FUNCTIONS:
            s.wrong.append("another program: the outcome is another one than without, or old traces were taken")
        if not jit["kept_traces"]:
            s.wrong.append("another program: no trace of the same instructions, of the C library, was taken")
        have, jit = s.run(s.cache, "-jit-base")
        print(f"without AVX-512: {jit['traces']} translated, {jit['kept_traces']} kept")
        if have != other or bool(jit["kept_traces"]) == has_avx512():
            s.wrong.append("without AVX-512: another outcome, or traces with it were taken")
        refused = subprocess.run([o.user, "-jit-cache", "/proc/self/none", s.program], stderr=subprocess.PIPE,
                                 check=False)
        if refused.returncode != 2 or refused.stderr.count(b"\n") != 1:
            s.wrong.append(f"a bad folder: status {refused.returncode}: {refused.stderr.decode()}")
    print("\n".join(s.wrong) or "good")
    return 1 if s.wrong else 0


sys.exit(main())
