"""Shares of a simulator's time per room of the tree, by perf.

A sample in a library of the runtime counts for the room of that library, which the archives in the
build folder name. Samples in translated code have the names that -jit-perf-map gives.
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
PAGE = 4096
SAMPLE = re.compile(r"\s*(\d+)/(\d+)\s+([0-9a-f]+) (.*?)(?:\+0x([0-9a-f]+))? \((.*)\)$")
# Names that perf gives memory with generated code.
TRANSLATED = re.compile(r"perf-\d+\.map|JIT|anon|memfd")

# Names of a table's columns, in order.
ROOMS = ("interpreter", "quick code", "LLVM code", "dispatch", "quick translation", "LLVM", "memory",
         "FP, crypto", "devices, calls", "kernel", "other")

# Regular expressions for archive and member, and the room of a sample there. The first match
# counts.
MEMBERS = (
    (r"libisa_", r"_jit", "quick translation"),
    (r"libisa_", r"", "interpreter"),
    (r"libruntime_cpu", r"^(tlb|memory)", "memory"),
    (r"libruntime_cpu", r"", "interpreter"),
    (r"libruntime_mem", r"", "memory"),
    (r"libruntime_fp", r"", "FP, crypto"),
    (r"libruntime_jit", r"^(slow|trap|fault)", "memory"),
    (r"libruntime_jit", r"^(dispatch|run|link|thunks)\.", "dispatch"),
    (r"libruntime_jit", r"^(region|build|compile|object|keep|llvm)", "LLVM"),
    (r"libruntime_jit", r"", "quick translation"),
    (r"libruntime_(dev|machine|time|user|gpu|obs)", r"", "devices, calls"),
)


def _room_of(archive, member):
    for in_archive, in_member, room in MEMBERS:
        if re.search(in_archive, archive) and re.search(in_member, member):
            return room
    return "other"


def _lines(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          check=True).stdout.decode().splitlines()


class Symbols:
    """The room of each function of a binary, from the archives of its build folder.

    Several files may have a static function of the same name. Then the function's offset in its
    page identifies the file, by the binary's symbol table."""

    def __init__(self, binary):
        build = os.path.dirname(os.path.dirname(os.path.abspath(binary)))
        archives = [found for room in ("runtime", "descriptions")
                    for found in glob.glob(os.path.join(build, room, "**/lib*.a"), recursive=True)]
        if not archives:
            sys.exit(f"{build} holds no libraries: a profile needs the build folder")
        self.rooms = collections.defaultdict(dict)  # name: {file: room}
        for archive in archives:
            self._read_archive(archive)
        self.files = self._read_binary(binary)  # (name, offset in the page): file

    def _read_archive(self, archive):
        member = ""
        for line in _lines("nm", "--defined-only", archive):
            if line.endswith(":"):
                member = line[:-len(".o:")]
            elif re.search(r" [tTwW] ", line):
                self.rooms[line.split()[-1]][member] = _room_of(os.path.basename(archive), member)

    @staticmethod
    def _read_binary(binary):
        found, file = {}, ""
        for line in _lines("readelf", "-sW", binary):
            words = line.split()
            if len(words) == 8 and words[3] == "FILE":
                file = words[7]
            elif len(words) == 8 and words[3] == "FUNC":
                found[words[7], int(words[1], 16) % PAGE] = file
        return found

    def room(self, name, address):
        by_file = self.rooms.get(name, {})
        if len(set(by_file.values())) > 1:
            file = self.files.get((name, address % PAGE))
            return by_file.get(file, "other")
        return next(iter(by_file.values()), "other")


def recording(path, command):
    """Returns the command that records another command."""
    return ["perf", "record", "-q", "-F", FREQUENCY, "-o", path, "--", *command]


class Attached:
    """`with Attached(path, pid):` records a running process, with all its threads."""

    def __init__(self, path, pid):
        self.command = ["perf", "record", "-q", "-F", FREQUENCY, "-o", path, "-p", str(pid)]

    def __enter__(self):
        self.perf = subprocess.Popen(self.command)
        time.sleep(0.5)  # perf does not say when it has begun

    def __exit__(self, *_):
        self.perf.send_signal(signal.SIGINT)
        self.perf.wait()


def _room(sample, symbols):
    """Returns the room of one line of perf's, and its function."""
    pid, tid, address, name, offset, module = sample.groups()
    if module.startswith("[kernel") or module == "[vdso]":
        return "kernel", name
    if pid != tid or "libLLVM" in module:
        return "LLVM", name
    if TRANSLATED.search(module):
        kind = name.partition("_")[0]
        return {"quick": "quick code", "guest": "LLVM code"}.get(kind, "dispatch"), name
    return symbols.room(name, int(address, 16) - int(offset or "0", 16)), name


def shares(path, symbols, hottest=0):
    """Percent of the samples per room, and the `hottest` functions as text."""
    by_room, by_function = collections.Counter(), collections.Counter()
    maps = set()
    for line in _lines("perf", "script", "-i", path, "-F", "pid,tid,ip,sym,symoff,dso"):
        sample = SAMPLE.match(line)
        if sample:
            room, name = _room(sample, symbols)
            by_room[room] += 1
            maps.add(f"/tmp/perf-{sample.group(1)}.map")
            by_function[f"{name} ({room})"] += 1
    for file in filter(os.path.exists, maps):
        os.remove(file)
    total = sum(by_room.values()) or 1
    return ([100 * by_room[room] / total for room in ROOMS],
            [f"{100 * n / total:.1f}% {name}" for name, n in by_function.most_common(hottest)])


class Report:
    """The table of shares, with a row per piece of work."""

    def __init__(self, table, binary, hottest):
        self.symbols, self.hottest, self.table = Symbols(binary), hottest, table
        self.notes = []

    def row(self, name, path):
        parts, functions = shares(path, self.symbols, self.hottest)
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
