#!/usr/bin/env python3
"""The property of snapshots: saved at T and loaded in a new process, a run ends as if nothing had been.

A run to the end is compared with runs from its snapshots: console bytes, counters, and disk; saved by the interpreter
and loaded by translated code, and the other way round. Counters of the simulator's own caches, which a snapshot does
not hold, are left out. Then snapshots of other machines, and damaged ones, are refused by one line and status 2.

With --disk the machine has a disk whose file the guest writes. It is as after the whole run, whatever was in it at the load.
"""
import argparse
import os
import pathlib
import random
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from snapshot_runs import Load, Simulator, check_loads, counts, difference  # noqa: E402

TIERS = {"interpreted": ["-accel", "interp"], "translated": ["-jit-quick-threshold", "1"]}

DISK_BYTES = 1000448  # some sectors more than whole clusters


def make_disk(seed, used=700000):
    """A disk of random numbers, with a hole at its end."""
    return random.Random(seed).randbytes(used) + bytes(DISK_BYTES - used)


def save(args, simulator, tier, shots):
    """Runs to the end with and without saving; returns the run, and the names of the snapshots that will be loaded."""
    whole = simulator.run(*args.tiers[tier])
    saving = simulator.run(*args.tiers[tier], "-snapshot-every", args.every, "-snapshot-dir", shots)
    wrong = difference(whole, saving)
    if wrong or len(saving.output) < len(whole.output):
        sys.exit(f"snapshots: saving changes the run: {wrong}")
    names = sorted(file.stem for file in shots.glob("*.gvm"))
    if not names:
        sys.exit("snapshots: none was written")
    if args.random:
        return whole, random.Random(int(os.environ.get("GENCC_SEED", "1"))).sample(names, min(args.count, len(names)))
    return whole, names[:: max(1, len(names) // args.count)][: args.count]


def check_files(work, tiers):
    """Each tier saves the same bytes at the same time."""
    for first, other in zip(tiers, tiers[1:]):
        for shot in (work / first).glob("*.gvm"):
            if shot.read_bytes() != (work / other / shot.name).read_bytes():
                sys.exit(f"snapshots: {shot.name} is another file {first} than {other}")


def check_instants(args, work, simulator):
    """Runs from each snapshot end as the whole run does; returns how many were loaded, and by which tiers."""
    tiers = list(args.tiers)
    every, parts = [], 0
    for saver in tiers:
        whole, names = save(args, simulator, saver, work / saver)
        loads = []
        for number, name in enumerate(names):
            for loader in tiers if not args.random else [tiers[number % len(tiers)]]:
                options = [*args.tiers[loader], "-snapshot-dir", work / saver]
                other = make_disk(len(loads), DISK_BYTES) if simulator.disk and len(loads) % 2 else None
                loads.append(Load(saver, loader, name, options, other))
        every += loads
        parts += check_loads(simulator, whole, loads, args.jobs)
    check_files(work, tiers)
    if not parts:
        sys.exit("snapshots: none was taken in the midst of the console's output")
    return f"{len(every)} runs ({counts(every)})"


def refused(simulator, text, *options, **disk):
    run = simulator.run(*options, **disk, want=False)
    errors = run.errors.splitlines()
    if run.status != 2 or not errors or text not in errors[-1] or run.output:
        sys.exit(f"snapshots: wanted '{text}' of {options}, got {run.status}: {errors}")
    return run


def check_refusals(simulator, work):
    shots = sorted((work / "interpreted").glob("*.gvm"))
    whole = shots[0].read_bytes()
    bad = {"whole": whole, "orphan": shots[1].read_bytes(), "cut": whole[:-1], "flipped": bytearray(whole), "version": bytearray(whole), "empty": b""}
    bad["flipped"][len(whole) // 2] ^= 4
    bad["version"][8] = 9
    for name, content in bad.items():
        (work / f"{name}.gvm").write_bytes(content)
    for name, text, *options in [
            ("cut", "damaged"), ("flipped", "damaged"), ("version", "version 9"), ("empty", "not a snapshot"),
            ("absent", "No such file"), ("../whole", "a snapshot's name has"), ("orphan", "a parent of orphan"),
            ("whole", "its RAM is '128 MB'", "-m", "256M"), ("whole", "its CPUs is '2'", "-smp", "3"),
            ("whole", "its picoseconds per tick is '0'", "-icount", "ps=500")]:
        refused(simulator, text, "-snapshot-dir", work, "-loadvm", name, *options)


def check_disk_refusals(simulator, shots):
    """A snapshot is for a disk of the same size, to which the guest writes."""
    name, other = next(shots.glob("*.gvm")).stem, make_disk(2)
    for drive, disk in [(",readonly=on", other), (",snapshot=on", other), ("", other * 2)]:
        run = refused(simulator, "its file of disk 0 is", "-snapshot-dir", shots, "-loadvm", name, drive=drive, disk=disk)
        if run.disk != disk:
            sys.exit("snapshots: a load that is refused has changed the disk")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", default="0.001", help="virtual seconds between snapshots")
    parser.add_argument("--count", type=int, default=3, help="snapshots of each tier that are loaded")
    parser.add_argument("--random", action="store_true", help="random ones, each loaded by one tier, in turn, instead of by all")
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time")
    parser.add_argument("--status", type=int, default=0, help="status with which the guest ends")
    parser.add_argument("--refusals", action="store_true")
    parser.add_argument("--disk", action="store_true", help="a disk without snapshot=on")
    parser.add_argument("--tier", choices=TIERS, help="one tier only")
    parser.add_argument("--hot", action="store_true", help="translate what runs often, instead of all")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="the simulator and its options")
    args = parser.parse_args()
    command = args.command[1:] if args.command[:1] == ["--"] else args.command
    args.tiers = {args.tier: TIERS[args.tier]} if args.tier else dict(TIERS)
    if args.hot:
        args.tiers["translated"] = []
    with tempfile.TemporaryDirectory(prefix="gencc-snapshots-") as folder:
        work = pathlib.Path(folder)
        simulator = Simulator(command, work, args.status, make_disk(1) if args.disk else b"")
        loaded = check_instants(args, work, simulator)
        if args.disk:
            check_disk_refusals(simulator, work / "interpreted")
        if args.refusals:
            check_refusals(simulator, work)
    print(f"snapshots: {loaded} from snapshots end as the whole run")


if __name__ == "__main__":
    main()
