#!/usr/bin/env python3
"""Snapshots of Debian in the midst of GPU jobs, and between them, continue to the same bytes, counters and disk.

    snapshots.py --juno BIN --guest cache/guest --programs build/guest/arm64 [--count N] [--jobs N] [--timing] GPU

A script boots the userland, runs kernels of OpenCL, and writes their results to a disk. Coarse snapshots find the time in
which the GPU works; then both tiers, the interpreters of CPUs and shaders and what translates them, run through this time
and save often. Of each one's snapshots random ones are loaded by new processes, by the tiers in turn, and run to the end:
three of four hold unfinished work-groups.

A snapshot without one of the job's fields must end otherwise. One with forged work-groups, whose checksums are right, is
refused by a machine that continues as before.

With --timing the GPU has a time model, and jobs are not saved in their midst: the model's counters go on.
"""
import argparse
import os
import pathlib
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections import namedtuple

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "machine"))
import snapshot_files  # noqa: E402
from snapshot_runs import Load, Simulator, check_loads, counts, difference, run_loads  # noqa: E402

TIERS = {"interpreted": ["-accel", "interp", "-gpu-translate", "0"], "translated": []}
KERNELS = "churn churn.cl churn 128 64 words:129:1 u32:40000\n"
SCRIPT = """expect :~# 
send modprobe panfrost; cp /mnt/programs/launches /mnt/work/* .; umount -a -t 9p; mkdir out; echo co''pied\\n
expect copied
expect :~# 
send RUSTICL_ENABLE=panfrost ./launches . list -repeat 2 -out out; cat out/* >/dev/vdb; sync; sha256sum out/*; busybox poweroff -f\\n
"""
DISK_BYTES = 4 << 20
STEPS, EACH = (1, 0.05, 0.005), 5  # virtual seconds between snapshots; snapshots for one that is loaded

Shot = namedtuple("Shot", "name now jobs midst")


def fail(message):
    sys.exit(f"snapshots: {message}")


def guest(args, work):
    """The simulator with its guest, whose kernels and their list lie in a folder of the host."""
    folder, script = work / "kernels", work / "script"
    folder.mkdir()
    shutil.copy(pathlib.Path(__file__).resolve().parent / "churn.cl", folder)
    (folder / "list").write_text(KERNELS)
    script.write_text(SCRIPT)
    files = args.guest
    return Simulator([
        args.juno, "-nographic", "-smp", "2", "-m", "1G", "-gpu", args.gpu, "-kernel", files / "vmlinuz-arm64",
        "-dtb", files / "dtb/juno-r2.dtb", "-initrd", files / "initramfs-arm64-disk.cpio.gz",
        "-drive", f"file={files / 'rootfs-arm64-gpu.ext4'},format=raw,snapshot=on",
        "-virtfs", f"local,path={args.programs},mount_tag=programs,readonly=on",
        "-virtfs", f"local,path={folder},mount_tag=work,readonly=on",
        "-append", "console=ttyAMA0 root=/dev/vda rw", "-script", script, "-limit", "200",
        *(["-gpu-timing", "detailed"] if args.timing else [])], work, disk=bytes(DISK_BYTES))


# ---- snapshots of a folder -----------------------------------------------------------------------

def state_of(folder, name):
    return snapshot_files.sections(folder / f"{name}.gvm", "state")["state"]


def look_at(folder, name):
    state = state_of(folder, name)
    jobs = re.search(rb"gpu\tjobs_compute\t(\d+)", state)
    if not jobs:
        fail(f"{name} has no counter of the GPU's jobs")
    now = int.from_bytes(dict(snapshot_files.fields(state))[("clock", "now")], "little")
    return Shot(name, now / 1e9, int(jobs[1]), any(length for _, length in snapshot_files.groups(state)))


def shots_of(folder):
    """The automatic snapshots in the order of their times."""
    return sorted((look_at(folder, file.stem) for file in folder.glob("auto-*.gvm")), key=lambda shot: shot.now)


def last_idle(folder):
    """The latest snapshot in which the GPU has done nothing."""
    return [shot for shot in shots_of(folder) if not shot.jobs and not shot.midst][-1]


def find_jobs(simulator, folder):
    """Runs to the end, then from the last snapshot before the first job, and from the last one of those: returns the whole
    run, the last snapshot of all before the first job, and when the last job has ended."""
    whole = simulator.run("-snapshot-dir", folder, "-snapshot-every", STEPS[0])
    if b"churn: done\r\n" not in whole.output or not any(whole.disk):
        fail(f"the kernel fails: {whole.output[-300:]!r}")
    for every in STEPS[1:]:
        simulator.run("-snapshot-dir", folder, "-loadvm", last_idle(folder).name, "-snapshot-every", every)
    shots = shots_of(folder)
    jobs = max(shot.jobs for shot in shots)
    return whole, last_idle(folder), next(shot.now for shot in shots if shot.jobs == jobs)


def save_until(simulator, end, every, folder, *options):
    """Runs with a snapshot at each multiple of EVERY, up to the time END, or a little longer."""
    _, command = simulator.start(*options, "-snapshot-dir", folder, "-snapshot-every", f"{every:.9f}")
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
        while child.poll() is None:
            if any(int(file.stem[5:]) * every > end for file in folder.glob("auto-*.gvm")):
                child.terminate()
            time.sleep(0.2)


# ---- the runs ------------------------------------------------------------------------------------

def choose(args, shots):
    """Random ones: three of four in the midst of a job, unless there are none of these."""
    midst, between = ([shot for shot in shots if shot.midst == wanted] for wanted in (True, False))
    if args.timing and midst or not args.timing and not midst:
        fail(f"{len(midst)} snapshots were taken in the midst of a job")
    count = min(args.count, len(between)) if args.timing else min(args.count - args.count // 4, len(midst))
    return random.sample(between, count) if args.timing else random.sample(midst, count) + random.sample(
        between, min(args.count - count, len(between)))


def plan_loads(args, simulator, coarse, start, end):
    """Saves by each tier; returns which snapshots are loaded by which, and a text about where they lie."""
    loads, midst, there = [], 0, 0
    for saver, save in TIERS.items():
        folder = simulator.work / saver
        shutil.copytree(coarse, folder, copy_function=os.link)
        every = (end - start.now) / (args.count * EACH) * random.uniform(0.8, 1)
        save_until(simulator, end, every, folder, *save, "-loadvm", start.name)
        shots = [shot for shot in shots_of(folder) if start.now < shot.now < end]
        for number, shot in enumerate(choose(args, shots)):
            loader = [*TIERS][number % len(TIERS)]
            midst += shot.midst
            loads.append(Load(saver, loader, shot.name, [*TIERS[loader], "-snapshot-dir", folder], None))
        there += len(shots)
    return loads, f"{len(loads)} of {there} snapshots, {midst} of them in the midst of a job,"


# ---- snapshots that are not whole ----------------------------------------------------------------

def changed(load, name, change):
    """The load of a file with another state, and right checksums."""
    folder = load.options[-1]
    parts = snapshot_files.sections(folder / f"{load.name}.gvm")
    parts["state"] = change(parts["state"])
    snapshot_files.write(folder / f"{name}.gvm", parts)
    return load._replace(name=name)


def paths_of(state, wanted, *above):
    """The keys of the GPU's fields with a name, in sections of sections."""
    for name, _, body, end in snapshot_files.records(state):
        if name == wanted:
            yield (*above, name)
        elif not above and name.startswith("more of gpu") or above and re.fullmatch(r"bytes|slot\d+|model|job", name):
            yield from paths_of(state[body:end], wanted, *above, name)


def check_lost(simulator, whole, load, field, jobs):
    """Without one of its fields a snapshot ends otherwise."""
    keys = [*paths_of(state_of(load.options[-1], load.name), field)]
    if not keys:
        fail(f"{load.name} has no field {field}")
    lost = [changed(load, f"lost{n}", lambda state, key=key: snapshot_files.without(state, key)) for n, key in enumerate(keys)]
    for key, (_, rest) in zip(keys, run_loads(simulator, lost, jobs)):
        wrong = difference(whole, rest)
        if not wrong:
            fail(f"{load.name} ends as the whole run without {key}")
        print(f"snapshots: without {key[-2]}'s {key[-1]}: {wrong[:160]}", flush=True)


def forge(state):
    state = bytearray(state)
    offset, _ = next(place for place in snapshot_files.groups(bytes(state)) if place[1])
    state[offset:offset + 8] = b"\xff" * 8  # the index of a group
    return bytes(state)


def check_forged(simulator, whole, load):
    """A running machine refuses forged groups, and ends as if it had not been asked."""
    changed(load, "forged", forge)
    path = simulator.work / "monitor"
    folder, command = simulator.start(*load.options, "-loadvm", load.name, "-monitor", f"unix:{path},server=on,wait=on")
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        while not path.exists() and child.poll() is None:
            time.sleep(0.05)
        with socket.socket(socket.AF_UNIX) as monitor:
            monitor.connect(str(path))
            monitor.sendall(b"loadvm forged\n")
            output, errors = child.communicate(timeout=1200)
    rest = simulator.end(folder, child.returncode, output, errors)
    if rest.status or "not that of its descriptors" not in rest.errors or difference(whole, rest):
        fail(f"forged groups: {difference(whole, rest)}: {rest.errors[-300:]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--juno", required=True)
    parser.add_argument("--guest", type=pathlib.Path, required=True)
    parser.add_argument("--programs", type=pathlib.Path, required=True)
    parser.add_argument("--count", type=int, default=10, help="snapshots of each tier that are loaded")
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time")
    parser.add_argument("--timing", action="store_true", help="with the detailed time model of the GPU")
    parser.add_argument("gpu")
    args = parser.parse_args()
    random.seed(int(os.environ.get("GENCC_SEED", "1")))
    with tempfile.TemporaryDirectory(prefix="gencc-gpu-snapshots-", dir=".") as name:
        work = pathlib.Path(name).resolve()
        simulator, folder = guest(args, work), work / "coarse"
        whole, start, end = find_jobs(simulator, folder)
        loads, text = plan_loads(args, simulator, folder, start, end)
        check_loads(simulator, whole, loads, args.jobs)
        print(f"snapshots: {args.gpu}: {text} end as the whole run ({counts(loads)})", flush=True)
        if not args.timing:
            check_forged(simulator, whole, loads[0])
            print("snapshots: forged groups are refused", flush=True)
        for field in ["sum"] if args.timing else ["cycles", "sum"]:
            check_lost(simulator, whole, loads[0], field, args.jobs)


if __name__ == "__main__":
    main()
