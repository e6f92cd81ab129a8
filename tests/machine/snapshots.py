#!/usr/bin/env python3
"""The property of snapshots: saved at T and loaded in a new process, a run ends as if nothing had been.

A run to the end is compared with runs from its snapshots: console bytes, counters, and disk; saved by the interpreter
and loaded by translated code, and the other way round. Counters of the simulator's own caches, which a snapshot does
not hold, are left out. Then snapshots of other machines, and damaged ones, are refused by one line and status 2.

With --disk the machine has a disk whose file the guest writes. It is as after the whole run, whatever was in it at the load.
"""
import argparse
import pathlib
import random
import re
import subprocess
import sys
import tempfile

OWN = re.compile(r"^(jit/|cpu\d+/(tlb_misses|tlb_spaces|walks|blocks_decoded|block_lookups|code_writes) )")
TIERS = {"interpreted": ["-accel", "interp"], "translated": ["-jit-quick-threshold", "1"]}


DISK_BYTES = 1000448  # some sectors more than whole clusters


def fill_disk(args, seed, used=700000):
    """Writes a disk of random numbers, with a hole at its end."""
    if args.disk:
        args.disk.write_bytes(random.Random(seed).randbytes(used))
        with open(args.disk, "r+b") as file:
            file.truncate(DISK_BYTES)


def disk_of(args):
    return args.disk.read_bytes() if args.disk else b""


def run(command, folder, want=None, seconds=600):
    folder.mkdir()
    done = subprocess.run([*map(str, command), "-stats", folder], stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=seconds, check=False)
    if want is not None and done.returncode != want:
        sys.exit(f"snapshots: status {done.returncode} of {command}: {done.stderr.decode(errors='replace')}")
    text = folder / "stats.txt"
    counters = [line for line in text.read_text().splitlines() if not OWN.match(line)] if text.exists() else []
    return done, counters


def check_instants(args, work, tiers):
    """Runs from each snapshot end as the whole run does; returns how many were loaded."""
    loaded = parts = 0
    for saver, save in tiers.items():
        shots = work / saver
        fill_disk(args, 1)
        whole, counters = run([*args.command, *save], work / f"{saver}-whole", args.status)
        disk = disk_of(args)
        fill_disk(args, 1)
        saving, same = run([*args.command, *save, "-snapshot-every", args.every, "-snapshot-dir", shots],
                           work / f"{saver}-saving", args.status)
        if whole.stdout != saving.stdout or counters != same or disk_of(args) != disk:
            sys.exit("snapshots: saving changes the run")
        names = sorted(file.stem for file in shots.glob("*.gvm"))
        if not names:
            sys.exit("snapshots: none was written")
        for name in names[:: max(1, len(names) // args.count)][: args.count]:
            for loader, load in tiers.items():
                if loaded % 2:
                    fill_disk(args, loaded, DISK_BYTES)
                rest, after = run([*args.command, *load, "-snapshot-dir", shots, "-loadvm", name],
                                  work / f"{saver}-{loader}-{name}", args.status)
                if not whole.stdout.endswith(rest.stdout):
                    sys.exit(f"snapshots: {saver} {name}, {loader}: other bytes: {rest.stdout[:200]!r}")
                if counters != after:
                    differ = sorted(set(after) ^ set(counters))
                    sys.exit(f"snapshots: {saver} {name}, {loader}: other counters: {differ[:6]}")
                if disk_of(args) != disk:
                    sys.exit(f"snapshots: {saver} {name}, {loader}: another disk")
                loaded += 1
                parts += 0 < len(rest.stdout) < len(whole.stdout)
    if not parts:
        sys.exit("snapshots: none was taken in the midst of the console's output")
    return loaded


def refused(args, work, number, options, text):
    command = [*args.command, "-snapshot-dir", work, *options]
    done, _ = run(command, work / f"refused{number}")
    errors = done.stderr.decode(errors="replace").splitlines()
    if done.returncode != 2 or text not in errors[-1] or done.stdout:
        sys.exit(f"snapshots: wanted '{text}' of {options}, got {done.returncode}: {errors}")


def check_refusals(args, work):
    shots = sorted((work / "interpreted").glob("*.gvm"))
    whole = shots[0].read_bytes()
    bad = {"whole": whole, "orphan": shots[1].read_bytes(), "cut": whole[:-1], "flipped": bytearray(whole), "version": bytearray(whole), "empty": b""}
    bad["flipped"][len(whole) // 2] ^= 4
    bad["version"][8] = 9
    for name, content in bad.items():
        (work / f"{name}.gvm").write_bytes(content)
    wanted = [(["-loadvm", "cut"], "damaged"), (["-loadvm", "flipped"], "damaged"),
              (["-loadvm", "version"], "version 9"), (["-loadvm", "empty"], "not a snapshot"),
              (["-loadvm", "absent"], "No such file"), (["-loadvm", "../whole"], "a snapshot's name has"),
              (["-loadvm", "orphan"], "a parent of orphan"),
              (["-loadvm", "whole", "-m", "256M"], "its RAM is '128 MB'"),
              (["-loadvm", "whole", "-smp", "3"], "its CPUs is '2'"),
              (["-loadvm", "whole", "-icount", "ps=500"], "its picoseconds per tick is '0'")]
    for number, (options, text) in enumerate(wanted):
        refused(args, work, number, options, text)


def check_disk_refusals(args, work):
    """A snapshot is for a disk of the same size, to which the guest writes."""
    shot = next((work / "interpreted").glob("*.gvm"))
    for number, (options, size) in enumerate([(",readonly=on", DISK_BYTES), (",snapshot=on", DISK_BYTES), ("", 2 * DISK_BYTES)]):
        with open(args.disk, "r+b") as file:
            file.truncate(size)
        before, command = disk_of(args), args.command
        args.command = [*command[:-1], command[-1] + options]
        refused(args, work, f"disk{number}", ["-loadvm", shot.stem, "-snapshot-dir", work / "interpreted"], "its file of disk 0 is")
        args.command = command
        if disk_of(args) != before:
            sys.exit("snapshots: a load that is refused has changed the disk")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", default="0.001", help="virtual seconds between snapshots")
    parser.add_argument("--count", type=int, default=3, help="snapshots that are loaded")
    parser.add_argument("--status", type=int, default=0, help="status with which the guest ends")
    parser.add_argument("--refusals", action="store_true")
    parser.add_argument("--disk", action="store_true", help="a disk without snapshot=on")
    parser.add_argument("--tier", choices=TIERS, help="one tier only")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="the simulator and its options")
    args = parser.parse_args()
    args.command = args.command[1:] if args.command[:1] == ["--"] else args.command
    tiers = {args.tier: TIERS[args.tier]} if args.tier else TIERS
    with tempfile.TemporaryDirectory(prefix="gencc-snapshots-") as folder:
        work = pathlib.Path(folder)
        args.disk = work / "disk" if args.disk else None
        args.command += ["-drive", f"file={args.disk},format=raw"] if args.disk else []
        loaded = check_instants(args, work, tiers)
        if args.disk:
            check_disk_refusals(args, work)
        if args.refusals:
            check_refusals(args, work)
    print(f"snapshots: {loaded} runs from snapshots end as the whole run")


if __name__ == "__main__":
    main()
