"""Runs of a simulator to the end, from its start and from snapshots, and how they differ.

Counters of the simulator itself, which a snapshot does not hold, are left out.
"""
import itertools
import subprocess
import sys
from collections import Counter, namedtuple
from concurrent.futures import ThreadPoolExecutor

OWN = ("jit/", "host/")

Run = namedtuple("Run", "output counters disk errors status")
Load = namedtuple("Load", "saver loader name options disk")  # a disk's content before the load


class Simulator:
    """A simulator with its options, in a folder. Each run has a file of the disk's bytes of its own."""

    def __init__(self, command, work, status=0, disk=b""):
        self.command, self.work, self.status, self.disk = command, work, status, disk
        self.numbers = itertools.count()

    def start(self, *options, disk=None, drive=""):
        """The folder and the command of a run."""
        folder = self.work / f"run{next(self.numbers)}"
        folder.mkdir()
        command = [*self.command, *options, "-stats", folder]
        if self.disk:
            (folder / "disk").write_bytes(self.disk if disk is None else disk)
            command += ["-drive", f"file={folder / 'disk'},format=raw{drive}"]
        return folder, [*map(str, command)]

    def end(self, folder, status, output, errors):
        """What a run has left."""
        text, file = folder / "stats.txt", folder / "disk"
        lines = text.read_text().splitlines() if text.exists() else []
        counters = [line for line in lines if not line.startswith(OWN)]
        disk = file.read_bytes() if self.disk else b""
        file.unlink(missing_ok=True)
        return Run(output, counters, disk, errors.decode(errors="replace"), status)

    def run(self, *options, disk=None, drive="", want=True, seconds=1800):
        """Runs to the end; exits if that has another status than it must, unless WANT is false."""
        folder, command = self.start(*options, disk=disk, drive=drive)
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, check=False)
        run = self.end(folder, done.returncode, done.stdout, done.stderr)
        if want and run.status != self.status:
            sys.exit(f"snapshots: status {run.status} of {command}: {run.errors[-600:]}")
        return run


def difference(whole, rest):
    """How a run from a snapshot differs from the end of the whole run; None: in nothing."""
    if rest.status != whole.status:
        return f"status {rest.status}: {''.join(rest.errors.splitlines()[-1:])}"
    if not whole.output.endswith(rest.output):
        return f"other bytes: {rest.output[:200]!r}"
    if rest.counters != whole.counters:
        return f"other counters: {sorted(set(whole.counters) ^ set(rest.counters))[:6]}"
    return None if rest.disk == whole.disk else "another disk"


def run_loads(simulator, loads, jobs):
    """Runs from snapshots, some at a time; yields each load with its run."""
    with ThreadPoolExecutor(jobs) as pool:
        def run(load):
            return simulator.run(*load.options, "-loadvm", load.name, disk=load.disk, want=False)
        yield from zip(loads, pool.map(run, loads))


def check_loads(simulator, whole, loads, jobs):
    """Runs from snapshots end as the whole run; returns how many began in the midst of its output."""
    parts = 0
    for load, rest in run_loads(simulator, loads, jobs):
        wrong = difference(whole, rest)
        if wrong:
            sys.exit(f"snapshots: {load.saver} {load.name}, {load.loader}: {wrong}")
        parts += 0 < len(rest.output) < len(whole.output)
    return parts


def counts(loads):
    """How many were saved and loaded by which tier."""
    pairs = Counter((load.saver, load.loader) for load in loads)
    return ", ".join(f"{saver} to {loader} {n}" for (saver, loader), n in sorted(pairs.items()))
