#!/usr/bin/env python3
"""Each field of a snapshot is loaded, and this would be noticed of one that is not.

    snapshot_fields.py [--counters] [--dropped] [--runs] --every S --status N -- SIMULATOR OPTION…

Snapshots of a run are loaded by new processes, which save again before a CPU has run: each field of CPUs and devices must
have its value. A field that was not loaded keeps the value that it has after a reset. So it is found if it had another in
one of the snapshots; the others are counted, and named with --verbose.

With --counters each counter that is printed behind a load, but those of the simulator's own caches, must be as where the
machine was saved, at twice the time of --every.

With --dropped each field that had another value is taken out of a snapshot, and must then be found missing. With --runs the
run from there is also compared with the whole run: how many of these losses would change what the machine prints or counts.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import snapshot_files  # noqa: E402
from snapshot_runs import OWN, Simulator, difference  # noqa: E402

# Sections that are no fields of an object; fields of CPUs that a load makes again: pending work, and known tables of pages;
# flags of a clock that are counted up when it is looked at, which a load does.
NO_FIELDS = re.compile(r"(statistics|events) .*|cpu\d+ (attention|banks)|mc146818 .* (flags|looked)")
# Fields that a load also gets from elsewhere: the statistics, devices that drive their outputs again.
HELD_TWICE = re.compile(r"cpu\d+ (counters\.\w+|lines|ticks)|turn turns")


def text_of(key):
    return " ".join(key)


def is_field(key):
    return not NO_FIELDS.fullmatch(text_of(key))


def resaved(args, work, name, *options):
    """The state that a new process saves before its first turn, after it has loaded a snapshot (None: after a reset)."""
    load = [] if name is None else ["-loadvm", name]
    command = [*args.command, *options, "-snapshot-dir", work / "shots", *load, "-S", "-serial", "null", "-monitor", "stdio"]
    done = subprocess.run([*map(str, command)], input=b"savevm again\nquit\n", capture_output=True, timeout=600, check=False)
    file = work / "shots/again.gvm"
    if not file.exists():
        sys.exit(f"snapshot_fields: {name}: {done.stdout!r} {done.stderr!r}")
    fields = dict(snapshot_files.fields(snapshot_files.sections(file)["state"]))
    file.unlink()
    return fields


def differing(a, b):
    return sorted(key for key in set(a) | set(b) if a.get(key) != b.get(key) and is_field(key))


def check_loads(args, work, names):
    """Returns, for each field that ever had another value than after a reset, a snapshot with one."""
    reset, moved = resaved(args, work, None), {}
    for name in names:
        saved = dict(snapshot_files.fields(snapshot_files.sections(work / f"shots/{name}.gvm")["state"]))
        lost = differing(saved, resaved(args, work, name))
        if lost:
            sys.exit(f"snapshot_fields: {name}: not loaded: {', '.join(map(text_of, lost))}")
        for key in differing(saved, reset):
            moved.setdefault(key, name)
    still = [key for key in reset if key not in moved and is_field(key)]
    print(f"snapshot_fields: {len(moved)} fields are loaded in {len(names)} snapshots; {len(still)} never differ from a reset's")
    if args.verbose:
        print("never:", ", ".join(map(text_of, still)))
    return moved


def counters_of(args, work, commands, *options):
    """What commands of the monitor print of the counters; they come from a script, or to a machine that waits."""
    command = [*args.command, *options, "-snapshot-dir", work / "shots", "-serial", "null", "-stats", work / "stats"]
    done = subprocess.run([*map(str, command)], input=commands, capture_output=True, timeout=600, check=False)
    lines = re.findall(r"^\w\S*/\S+ +\d+$", done.stdout.decode(errors="replace").replace("\r", ""), re.M)
    if not lines:
        sys.exit(f"snapshot_fields: no counters: {done.stdout!r} {done.stderr!r}")
    return [line for line in lines if not line.startswith(OWN)]


def check_counters(args, work):
    script = work / "counted"
    script.write_text(f"wait {round(float(args.every) * 2000)}\nsend stop\\ninfo stats\\nsavevm counted\\nquit\\n\n")
    saved = counters_of(args, work, b"", "-monitor", f"script:{script}")
    loaded = counters_of(args, work, b"info stats\nquit\n", "-loadvm", "counted", "-S", "-monitor", "stdio")
    differ = sorted(set(saved) ^ set(loaded))
    if differ:
        sys.exit(f"snapshot_fields: counters that are not loaded: {differ}")
    (work / "shots/counted.gvm").unlink()
    counted = sum(not line.endswith(" 0") for line in saved)
    print(f"snapshot_fields: {len(saved)} counters are loaded, {counted} of them not 0")


def drop(work, key, name):
    """Writes the snapshot without a field as "dropped"; returns the fields that it had."""
    parts = snapshot_files.sections(work / f"shots/{name}.gvm")
    saved = dict(snapshot_files.fields(parts["state"]))
    parts["state"] = snapshot_files.without(parts["state"], key)
    snapshot_files.write(work / "shots/dropped.gvm", parts)
    return saved


def changes_run(args, work, simulator, whole):
    try:
        rest = simulator.run("-snapshot-dir", work / "shots", "-loadvm", "dropped", want=False, seconds=args.patience)
    except subprocess.TimeoutExpired:
        return True
    return difference(whole, rest) is not None


def check_dropped(args, work, moved, simulator, whole):
    silent, unmissed = [], []
    for key, name in sorted(moved.items()):
        if not HELD_TWICE.fullmatch(text_of(key)) and key not in differing(drop(work, key, name), resaved(args, work, "dropped")):
            unmissed.append(text_of(key))
        if args.runs and not changes_run(args, work, simulator, whole):
            silent.append(text_of(key))
    if unmissed:
        sys.exit(f"snapshot_fields: taken out of the file and not missed: {', '.join(unmissed)}")
    print("snapshot_fields: each of them is missed when it is taken out of the file")
    if args.runs:
        print(f"snapshot_fields: {len(moved) - len(silent)} losses change the run; these do not: {', '.join(silent)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", default="0.001", help="virtual seconds between snapshots")
    parser.add_argument("--count", type=int, default=10, help="snapshots that are loaded")
    parser.add_argument("--status", type=int, default=0, help="status with which the guest ends")
    parser.add_argument("--counters", action="store_true", help="compare the counters that are printed")
    parser.add_argument("--dropped", action="store_true", help="take each field out of a snapshot")
    parser.add_argument("--runs", action="store_true", help="also run the machine without each field")
    parser.add_argument("--patience", type=float, default=120, help="seconds after which a run is another")
    parser.add_argument("--verbose", action="store_true", help="name the fields that no snapshot tests")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="the simulator and its options")
    args = parser.parse_args()
    args.command = args.command[1:] if args.command[:1] == ["--"] else args.command
    with tempfile.TemporaryDirectory(prefix="gencc-fields-") as folder:
        work = pathlib.Path(folder)
        simulator = Simulator(args.command, work, args.status)
        whole = simulator.run("-snapshot-every", args.every, "-snapshot-dir", work / "shots")
        names = sorted(file.stem for file in (work / "shots").glob("*.gvm"))
        names = names[:: max(1, len(names) // args.count)][: args.count]
        moved = check_loads(args, work, names)
        if args.counters:
            check_counters(args, work)
        if args.dropped:
            check_dropped(args, work, moved, simulator, whole)


if __name__ == "__main__":
    main()
