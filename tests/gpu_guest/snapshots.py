#!/usr/bin/env python3
"""Snapshots of Debian in the midst of GPU jobs continue to the same bytes and counters.

    snapshots.py --juno BIN --guest cache/guest --programs build/guest/arm64 [--count N] [--every S] [--timing] GPU

A script boots the userland and multiplies matrices by OpenCL, with a snapshot per virtual second. From the last one
in which the GPU has done nothing, many are taken; of those that hold unfinished work-groups, COUNT are loaded by new processes and run to
the end. Then one with forged work-groups, whose checksums are right, is refused by a machine that continues as before.

With --timing the GPU has a time model, and snapshots are taken between its jobs: the model's counters go on.
"""
import argparse
import pathlib
import os
import random
import re
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "machine"))
import snapshot_files

# Counters of the simulator's own caches begin empty.
OWN = re.compile(r"^(jit/|cpu\d+/(tlb_misses|tlb_spaces|walks|blocks_decoded|block_lookups|code_writes) )")
SCRIPT = """expect :~# 
send modprobe panfrost; cp /mnt/programs/matmul /root; umount -a -t 9p; echo co''pied\\n
expect copied
expect :~# 
send RUSTICL_ENABLE=panfrost ./matmul SIZE; poweroff -f\\n
"""


def fail(message):
    sys.exit(f"snapshots: {message}")


class Runs:
    def __init__(self, args, work):
        guest = args.guest
        self.work, self.number = work, 0
        script = work / "script"
        script.write_text(SCRIPT.replace("SIZE", str(args.size)))
        self.command = [
            args.juno, "-nographic", "-smp", "2", "-m", "1G", "-gpu", args.gpu, "-kernel", guest / "vmlinuz-arm64",
            "-dtb", guest / "dtb/juno-r2.dtb", "-initrd", guest / "initramfs-arm64-disk.cpio.gz",
            "-drive", f"file={guest / 'rootfs-arm64-gpu.ext4'},format=raw,snapshot=on",
            "-virtfs", f"local,path={args.programs},mount_tag=programs,readonly=on",
            "-append", "console=ttyAMA0 root=/dev/vda rw", "-script", script, "-limit", "200",
            *(["-gpu-timing", "detailed"] if args.timing else [])]

    def run(self, *options):
        """Runs to the end; returns what it printed, and its counters."""
        self.number += 1
        folder = self.work / f"stats{self.number}"
        command = [*map(str, self.command), *map(str, options), "-stats", str(folder)]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=1200, check=False)
        if done.returncode:
            fail(f"status {done.returncode} with {options}: {done.stderr.decode(errors='replace')[-400:]}")
        lines = (folder / "stats.txt").read_text().splitlines()
        return done.stdout, [line for line in lines if not OWN.match(line)]


def names(folder):
    return sorted(file.stem for file in folder.glob("auto-*.gvm"))


def is_midst(file):
    state = snapshot_files.sections(file)["state"]
    return any(length for _, length in snapshot_files.groups(state))


def has_worked(file):
    """Whether the GPU has run a job."""
    found = re.search(rb"gpu\tjobs_compute\t(\d+)", snapshot_files.sections(file)["state"])
    if not found:
        fail("a snapshot has no counter of the GPU's jobs")
    return int(found[1]) > 0


def same(whole, rest, what):
    if not whole[0].endswith(rest[0]) or not rest[0]:
        fail(f"{what}: other bytes: {rest[0][-200:]!r}")
    if whole[1] != rest[1]:
        fail(f"{what}: other counters: {sorted(set(whole[1]) ^ set(rest[1]))[:6]}")


def check_forged(runs, folder, name, whole):
    """A running machine refuses forged groups, and ends as if it had not been asked."""
    parts = snapshot_files.sections(folder / f"{name}.gvm")
    state = bytearray(parts["state"])
    offset, _ = next(place for place in snapshot_files.groups(bytes(state)) if place[1])
    state[offset:offset + 8] = b"\xff" * 8  # the index of a group
    parts["state"] = bytes(state)
    snapshot_files.write(folder / "forged.gvm", parts)
    path = runs.work / "monitor"
    command = [*map(str, runs.command), "-snapshot-dir", str(folder), "-loadvm", name, "-monitor",
               f"unix:{path},server=on,wait=on", "-stats", str(runs.work / "forged")]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        while not path.exists():
            time.sleep(0.05)
        with socket.socket(socket.AF_UNIX) as monitor:
            monitor.connect(str(path))
            monitor.sendall(b"loadvm forged\n")
            out, errors = child.communicate(timeout=1200)
    lines = (runs.work / "forged/stats.txt").read_text().splitlines()
    if child.returncode or b"not that of its descriptors" not in errors:
        fail(f"forged groups: status {child.returncode}: {errors.decode(errors='replace')[-300:]}")
    same(whole, (out, [line for line in lines if not OWN.match(line)]), "forged groups")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--juno", required=True)
    parser.add_argument("--guest", type=pathlib.Path, required=True)
    parser.add_argument("--programs", type=pathlib.Path, required=True)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--every", default="0.01", help="virtual seconds between snapshots")
    parser.add_argument("--size", type=int, default=512, help="of the matrices")
    parser.add_argument("--timing", action="store_true", help="with the detailed time model of the GPU")
    parser.add_argument("gpu")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="gencc-gpu-snapshots-", dir=".") as folder:
        work = pathlib.Path(folder).resolve()
        runs = Runs(args, work)
        shots = work / "shots"
        whole = runs.run("-snapshot-every", "1", "-snapshot-dir", shots)
        if b": ok\r\n" not in whole[0]:
            fail(f"the program fails: {whole[0][-300:]!r}")
        idle = [name for name in names(shots) if not has_worked(shots / f"{name}.gvm")]
        runs.run("-snapshot-dir", shots, "-loadvm", idle[-1], "-snapshot-every", args.every)
        chosen = [name for name in names(shots) if name not in idle and (args.timing or is_midst(shots / f"{name}.gvm"))]
        if not chosen:
            fail("none was taken in the midst of a job, or after one")
        total = len(chosen)
        chosen = random.Random(int(os.environ.get("GENCC_SEED", "1"))).sample(chosen, min(args.count, total))
        for name in chosen:
            same(whole, runs.run("-snapshot-dir", shots, "-loadvm", name), name)
        if args.timing:
            print(f"snapshots: {len(chosen)} of {total} after a job end as the whole run, with the same times")
            return
        check_forged(runs, shots, chosen[0], whole)
        print(f"snapshots: {len(chosen)} of {total} in the midst of a job end as the whole run; forged groups are refused")


main()
