#!/usr/bin/env python3
"""Lets a guest make, run and delete programs for long (maker.c), translated and interpreted at once.

What the two print has to be the same, bytes and times, as far as the slower one comes; the digest of
every round has to be that of an evaluation on the host; and the memory of the translating process,
without the guest's own, must not grow once it has warmed up. It is printed every minute.

    soak.py --juno build/bin/juno --guest cache/guest --minutes 30
"""
import argparse
import gzip
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
FLAGS = ["-std=gnu11", "-O2", "-ffp-contract=off"]
SOURCES = [os.path.join(HERE, name) for name in ("maker.c", "program.c")]
MEMORY_MB = 256
FOR_EVER = 10**9
# Memory of the last third of a run, as a multiple of the middle third's, that is allowed (and
# --growth).
GROWTH = 1.05


def fail(message):
    print(f"soak: {message}")
    sys.exit(1)


def compile_maker(gcc, output, *flags):
    subprocess.run([gcc, *FLAGS, *flags, *SOURCES, "-o", output], check=True)


def make_initrd(guest, folder, gcc):
    """Appends to busybox's initial RAM disk an archive with the maker, as the kernel permits."""
    os.mkdir(os.path.join(folder, "bin"))
    compile_maker(gcc, os.path.join(folder, "bin/maker"), "-static")
    archive = subprocess.run(["cpio", "-o", "-H", "newc", "--quiet"], cwd=folder,
                             input=b"bin/maker\n", stdout=subprocess.PIPE, check=True).stdout
    path = os.path.join(folder, "initrd")
    with open(path, "wb") as out, open(os.path.join(guest, "initramfs-arm64.cpio.gz"), "rb") as base:
        out.write(base.read() + gzip.compress(archive))
    return path


def write_script(folder, rounds):
    path = os.path.join(folder, "script")
    with open(path, "w", encoding="utf-8") as file:
        file.write("expect guest:~# \n"
                   f"send n=0; while [ $n -lt {rounds} ] && maker $n; do n=$((n+1)); done; "
                   "poweroff -f\\n\n")
    return path


class Run:
    """A running simulator, its output, and its memory over time."""

    def __init__(self, name, command, folder):
        self.output = os.path.join(folder, name + ".out")
        self.errors = os.path.join(folder, name + ".err")
        self.samples = []
        with open(self.output, "wb") as out, open(self.errors, "wb") as err:
            self.child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err)

    def sample(self):
        """Records the megabytes that the process has in memory, without the guest's RAM."""
        total = size = 0
        try:
            with open(f"/proc/{self.child.pid}/smaps", encoding="utf-8") as file:
                for line in file:
                    if line.startswith("Size:"):
                        size = int(line.split()[1])
                    elif line.startswith("Rss:") and size != MEMORY_MB * 1024:
                        total += int(line.split()[1])
        except (FileNotFoundError, ProcessLookupError):
            return
        if total:
            self.samples.append(total / 1024)

    def text(self):
        with open(self.output, "rb") as file:
            return file.read()

    def rounds(self):
        return re.findall(rb"^round (\d+) digest ([0-9a-f]{16}) at", self.text(), re.MULTILINE)

    def end(self, kill):
        """Ends the simulator, or waits for its end; only the status of one that was not killed
        counts."""
        killed = kill and self.child.poll() is None
        if killed:
            self.child.terminate()
        status = self.child.wait()
        if not killed and status:
            with open(self.errors, encoding="utf-8") as file:
                fail(f"status {status}: {file.read()}")


def watch(runs, end_time):
    """Samples memory until the time is over or both have ended."""
    start = last = time.monotonic()
    while time.monotonic() < end_time and any(r.child.poll() is None for r in runs):
        time.sleep(0.5)
        for run in runs:
            run.sample()
        if time.monotonic() - last >= 60:
            last = time.monotonic()
            print(f"{(last - start) / 60:4.0f} min: " +
                  "; ".join(f"{name} {len(run.rounds())} rounds, {run.samples[-1]:.0f} MB"
                            for name, run in zip(("jit", "interp"), runs) if run.samples),
                  flush=True)


def check_results(jit, interp, host):
    """Checks that the outputs agree with each other and with the host's evaluation. Returns the
    numbers of rounds."""
    ours, want = jit.text(), interp.text()
    common = min(len(ours), len(want))
    if ours[:common] != want[:common]:
        at = next(n for n in range(common) if ours[n] != want[n])
        fail(f"translated and interpreted differ:\n{ours[max(0, at - 300):at + 80].decode()}\n"
             f"---- interpreted:\n{want[max(0, at - 300):at + 80].decode()}")
    if re.search(rb"is wrong|^process \d+ left", ours, re.MULTILINE):
        fail("a program's result is wrong:\n" + ours[-2000:].decode())
    rounds = jit.rounds()
    done = subprocess.run([host, "-e", "0", str(len(rounds))], stdout=subprocess.PIPE, check=True)
    expected = re.findall(rb"^round (\d+) digest ([0-9a-f]{16})$", done.stdout, re.MULTILINE)
    for got, right in zip(rounds, expected):
        if got != right:
            fail(f"digest {got}, evaluated {right}")
    return len(rounds), len(interp.rounds())


def check_memory(samples, growth):
    third = len(samples) // 3
    middle, last = max(samples[third:2 * third]), max(samples[2 * third:])
    print(f"memory besides the guest's: first third up to {max(samples[:third]):.0f} MB, second "
          f"{middle:.0f} MB, last {last:.0f} MB")
    if last > middle * GROWTH + growth:
        fail("it grows")


def check_statistics(folder):
    """Checks that a run that ended by itself has made and dropped translations."""
    with open(os.path.join(folder, "stats.json"), encoding="utf-8") as file:
        jit = json.load(file)["jit"]
    print("translated: " + ", ".join(f"{k} {v}" for k, v in jit.items()))
    if not jit["regions"] + jit.get("traces", 0) or not jit["killed"]:
        fail("nothing was translated, or nothing dropped")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--juno", required=True, help="the simulator")
    parser.add_argument("--guest", required=True, help="the folder of the guest software")
    parser.add_argument("--gcc", default="aarch64-linux-gnu-gcc")
    parser.add_argument("--cc", default="cc", help="the host's compiler")
    parser.add_argument("--minutes", type=float, default=30, help="how long (default 30)")
    parser.add_argument("--rounds", type=int,
                        help="end after so many, in both, instead of after a time")
    parser.add_argument("--growth", type=float, default=8, metavar="MB",
                        help="by how much more than 5%% the last third of a run may exceed the "
                             "middle third's memory (default 8)")
    parser.add_argument("--options", default="-jit-budget 16",
                        help="of the translating run (default: %(default)s)")
    return parser.parse_args()


def main():
    o = arguments()
    for name in ("vmlinuz-arm64", "dtb/juno-r2.dtb", "initramfs-arm64.cpio.gz"):
        if not os.path.exists(os.path.join(o.guest, name)):
            fail(f"{o.guest}/{name} is missing: run scripts/fetch-guest")
    with tempfile.TemporaryDirectory(prefix="gencc-soak-") as folder:
        host, stats = os.path.join(folder, "maker-host"), os.path.join(folder, "stats")
        compile_maker(o.cc, host)
        command = [o.juno, "-m", f"{MEMORY_MB}M", "-kernel", os.path.join(o.guest, "vmlinuz-arm64"),
                   "-dtb", os.path.join(o.guest, "dtb/juno-r2.dtb"),
                   "-initrd", make_initrd(o.guest, folder, o.gcc),
                   "-append", "console=ttyAMA0 rdinit=/init quiet",
                   "-script", write_script(folder, o.rounds or FOR_EVER)]
        jit = Run("jit", [*command, "-accel", "jit", *shlex.split(o.options), "-stats", stats], folder)
        interp = Run("interp", [*command, "-accel", "interp"], folder)
        try:
            watch((jit, interp), time.monotonic() + (3600 if o.rounds else o.minutes * 60))
        finally:
            for run in (jit, interp):
                run.end(not o.rounds or sys.exc_info()[0] is not None)
        counts = check_results(jit, interp, host)
        print(f"rounds: {counts[0]} translated, {counts[1]} interpreted, all alike")
        if min(counts) < (o.rounds or 1):
            fail("too few:\n" + jit.text()[-1000:].decode(errors="replace"))
        check_memory(jit.samples, o.growth)
        if o.rounds:
            check_statistics(stats)
    print("soak: passed")


if __name__ == "__main__":
    main()
