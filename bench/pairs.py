"""Two simulators on the same work, in turns: code that the scripts of this folder share.

Times are those of whole processes: `wall`, and `cpu` of all threads of the process, background
compilation included. Other work on the machine disturbs single runs, so the order changes from pair
to pair, and the best run of each side counts (or the median).
"""
import math
import os
import platform
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

import rooms

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PICK = {"best": min, "median": statistics.median}


class Times(NamedTuple):
    """Seconds of one run."""
    wall: float
    cpu: float


def timed(command, stdin=subprocess.DEVNULL):
    """Runs a command to its end; returns its times and its output."""
    start = time.monotonic()
    with subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE) as child:
        output = child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.monotonic() - start
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"status {child.returncode}: {shlex.join(map(str, command))}")
    return Times(wall, usage.ru_utime + usage.ru_stime), output


def in_turns(ours, theirs, repeat):
    """Calls both `repeat` times, each first in every other pair; returns the results as two
    lists."""
    results = {ours: [], theirs: []}
    for pair in range(repeat):
        for side in (ours, theirs) if pair % 2 == 0 else (theirs, ours):
            results[side].append(side())
    return results[ours], results[theirs]


def chosen(times, pick):
    """Picks one Times out of several; wall and CPU time are picked separately."""
    return Times(PICK[pick](t.wall for t in times), PICK[pick](t.cpu for t in times))


def ratios(ours, theirs):
    """Returns their time divided by ours: above 1 we are faster."""
    return Times(theirs.wall / ours.wall, theirs.cpu / ours.cpu)


def mean(values):
    """The geometric mean."""
    return math.exp(statistics.fmean(map(math.log, values)))


def means(ratio_list):
    return Times(mean([r.wall for r in ratio_list]), mean([r.cpu for r in ratio_list]))


# Columns of programs that run on the host itself, too, and cells of one: processor seconds of all threads; QEMU's and the
# host's divided by ours, of processor seconds and by the clock.
NATIVE_COLUMNS = ["ours s", "QEMU s", "host s", "ratio", "share", "by clock", "share"]


def native_cells(ours, theirs, native):
    """Returns the cells of a program, its ratios and its shares."""
    ratio, share = ratios(ours, theirs), ratios(ours, native)
    return [ours.cpu, theirs.cpu, native.cpu, ratio.cpu, share.cpu, ratio.wall, share.wall], ratio, share


def native_means(table, heads, some_ratios, some_shares):
    """Prints the row of geometric means. `heads` are the cells before NATIVE_COLUMNS."""
    ratio, share = means(some_ratios), means(some_shares)
    table.row([*heads, None, None, None, ratio.cpu, share.cpu, ratio.wall, share.wall])


def version(program):
    done = subprocess.run([program, "--version"], stdout=subprocess.PIPE, check=True)
    return done.stdout.decode().splitlines()[0]


def host():
    """Describes the machine: its processor, how many, and its load."""
    name = platform.machine()
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                name = line.partition(":")[2].strip()
    return f"{name}, {os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f} before"


def print_setting(o, *more):
    """Returns a line about what is measured, and where."""
    words = [host(), version(o.qemu), " ".join(["-accel", o.accel, *shlex.split(o.ours)])]
    if not o.profile:
        words.append(f"{o.pick} of {o.repeat}")
    print("; ".join([*words, *more]) + "\n", flush=True)


class Table:
    """Prints rows as they come, in columns or as Markdown. The first column is text."""

    def __init__(self, columns, markdown, first=14):
        self.widths = [first] + [max(9, len(c)) for c in columns[1:]]
        self.markdown = markdown
        self.row(columns)
        if markdown:
            print("|---|" + "---:|" * (len(columns) - 1), flush=True)

    def row(self, cells):
        """Prints numbers with two decimal places, and None as nothing."""
        texts = [f"{c:,}" if isinstance(c, int) else f"{c:.2f}" if isinstance(c, float) else c or ""
                 for c in cells]
        if self.markdown:
            line = "| " + " | ".join(texts) + " |"
        else:
            line = " ".join(t.rjust(w) if n else t.ljust(w)
                            for n, (t, w) in enumerate(zip(texts, self.widths)))
        print(line.rstrip(), flush=True)


def profile_report(binary, o):
    """Returns an empty table for the shares of `binary`'s time, in percent."""
    return rooms.Report(Table(["percent in", *rooms.ROOMS], o.markdown, first=20), binary,
                        o.hottest)


def profile(commands, binary, o):
    """Prints the shares of time per room of command lines of `binary`, a program of user mode, by their names."""
    report = profile_report(binary, o)
    with tempfile.TemporaryDirectory() as folder:
        data = os.path.join(folder, "perf.data")
        for name, (program, *rest) in commands.items():
            command = rooms.recording(data, [program, "-jit-perf-map", *rest])
            subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
            report.row(name, data)
    report.end()


def add_options(parser):
    """Adds the options that all scripts of this folder have."""
    rooms.add_options(parser)
    parser.add_argument("--accel", choices=("interp", "jit"), default="jit",
                        help="how ours runs instructions (default jit)")
    parser.add_argument("--ours", default="", metavar="OPTIONS",
                        help="further options for ours, as one word")
    parser.add_argument("--repeat", type=int, default=3, help="pairs of runs (default 3)")
    parser.add_argument("--pick", choices=sorted(PICK), default="best",
                        help="which of a side's runs counts (default best)")
    parser.add_argument("--markdown", action="store_true", help="print tables in Markdown")
    parser.add_argument("--json", metavar="FILE", help="write the numbers there too")
