"""Where a simulator's time goes, by perf: the shares of each room of the house.

Samples in a library of the runtime are put down to the room it belongs to, which the archives in the
build folder tell; those in translated code are told by the names that -jit-perf-map gives.
"""
import collections
import glob
import os
import re
import signal
import subprocess
import sys
import time

FREQUENCY = "499"
SAMPLE = re.compile(r"\s*(\d+)/(\d+)\s+[0-9a-f]+ (.*) \((.*)\)$")
# What perf calls memory with code of our own.
TRANSLATED = re.compile(r"perf-\d+\.map|JIT|anon|memfd")

# What the columns of a table are called, in their order.
ROOMS = ("interpreter", "quick code", "LLVM code", "dispatch", "quick translation", "LLVM", "memory",
         "FP, crypto", "devices, calls", "kernel", "other")

# Archive and member (as regular expressions), and where a sample in it belongs. The first that fits.
MEMBERS = (
    (r"libisa_", r"_jit", "quick translation"),
    (r"libisa_", r"", "interpreter"),
    (r"libruntime_cpu", r"^(tlb|memory)", "memory"),
    (r"libruntime_cpu", r"", "interpreter"),
    (r"libruntime_mem", r"", "memory"),
    (r"libruntime_fp", r"", "FP, crypto"),
    (r"libruntime_jit", r"^(slow|trap|fault)", "memory"),
    (r"libruntime_jit", r"^(dispatch|run|link|thunks)\b", "dispatch"),
    (r"libruntime_jit", r"^(region|build|compile|object|keep|llvm)", "LLVM"),
    (r"libruntime_jit", r"", "quick translation"),
    (r"libruntime_(dev|machine|time|user|gpu|obs)", r"", "devices, calls"),
)


def _room_of(archive, member):
    for in_archive, in_member, room in MEMBERS:
        if re.search(in_archive, archive) and re.search(in_member, member):
            return room
    return "other"


def symbols(binary):
    """The room of each function, as the archives of the binary's build folder have them."""
    build = os.path.dirname(os.path.dirname(os.path.abspath(binary)))
    archives = [*glob.glob(os.path.join(build, "runtime/**/lib*.a"), recursive=True),
                *glob.glob(os.path.join(build, "descriptions/**/lib*.a"), recursive=True)]
    if not archives:
        sys.exit(f"{build} holds no libraries: a profile needs the build folder")
    found = {}
    for archive in archives:
        text = subprocess.run(["nm", "--defined-only", archive], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, check=True).stdout.decode()
        room = "other"
        for line in text.splitlines():
            if line.endswith(":"):
                room = _room_of(os.path.basename(archive), line[:-1])
            elif re.search(r" [tTwW] ", line):
                found.setdefault(line.split()[-1], room)
    return found


def recording(path, command):
    """The command that runs another one and records it."""
    return ["perf", "record", "-q", "-F", FREQUENCY, "-o", path, "--", *command]


class Attached:
    """`with Attached(path, pid):` records a process that runs already, all threads."""

    def __init__(self, path, pid):
        self.command = ["perf", "record", "-q", "-F", FREQUENCY, "-o", path, "-p", str(pid)]

    def __enter__(self):
        self.perf = subprocess.Popen(self.command)
        time.sleep(0.5)  # it says nothing when it has begun

    def __exit__(self, *_):
        self.perf.send_signal(signal.SIGINT)
        self.perf.wait()


def _room(pid, tid, symbol, module, rooms):
    if module.startswith("[kernel") or module.startswith("[guest.kernel") or module == "[vdso]":
        return "kernel"
    if pid != tid or "libLLVM" in module:
        return "LLVM"
    if symbol.startswith("quick_") and TRANSLATED.search(module):
        return "quick code"
    if symbol.startswith("guest_") and TRANSLATED.search(module):
        return "LLVM code"
    if TRANSLATED.search(module):
        return "dispatch"
    return rooms.get(symbol.split(".")[0], rooms.get(symbol, "other"))


def shares(path, rooms, hottest=0):
    """Percent of the samples by room, and the `hottest` functions as text."""
    text = subprocess.run(["perf", "script", "-i", path, "-F", "pid,tid,ip,sym,dso"],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
    by_room, by_symbol = collections.Counter(), collections.Counter()
    for line in text.decode(errors="replace").splitlines():
        match = SAMPLE.match(line)
        if match:
            room = _room(*match.groups(), rooms)
            by_room[room] += 1
            by_symbol[f"{match.group(3)} ({room})"] += 1
    total = sum(by_room.values()) or 1
    return ([100 * by_room[room] / total for room in ROOMS],
            [f"{100 * n / total:.1f}% {name}" for name, n in by_symbol.most_common(hottest)])


class Report:
    """The table of shares, a row a piece of work."""

    def __init__(self, table, binary, hottest):
        self.rooms, self.hottest, self.table = symbols(binary), hottest, table
        self.notes = []

    def row(self, name, path):
        parts, functions = shares(path, self.rooms, self.hottest)
        self.table.row([name, *(f"{part:.1f}" for part in parts)])
        if functions:
            self.notes.append(f"\n{name}:\n" + "\n".join("- " + line for line in functions))

    def end(self):
        for note in self.notes:
            print(note)


def add_options(parser):
    parser.add_argument("--profile", action="store_true",
                        help="where ours spends its time, by perf, instead of times; the runner has "
                             "to lie in its build folder")
    parser.add_argument("--hottest", type=int, default=0, metavar="N",
                        help="list the N hottest functions too")
