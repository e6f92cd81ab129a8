#!/usr/bin/env python3
"""A guest reads qcow2 images that qemu-img makes as it reads the raw disk; what is not read is refused by one line.

    qcow2.py QEMU_IMG SIMULATOR OPTION…

The guest is disk.c. Damaged images end no simulator: each byte of the tables of one is changed.
"""
import pathlib
import random
import subprocess
import sys
import tempfile

MADE = {"plain": [], "old": ["-o", "compat=0.10"], "small": ["-o", "cluster_size=512"], "large": ["-o", "cluster_size=2M"],
        "packed": ["-c"], "packed small": ["-c", "-o", "cluster_size=4k"]}
REFUSED = {"a backing file": ["-b", "raw", "-F", "raw"], "extended L2": ["-o", "extended_l2=on"],
           "another file": ["-o", "data_file=data,data_file_raw=on"], "zstd": ["-o", "compression_type=zstd"]}
BYTES, CHANGES = 1000448, 60


def run(command, drive):
    done = subprocess.run([*command, "-drive", drive], stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace").splitlines()[-1:]


def check_refusals(tool, command, work):
    for text, options in REFUSED.items():
        image = work / "refused"
        size = [] if "-b" in options else [str(BYTES)]
        subprocess.run([tool, "create", "-q", "-f", "qcow2", *options, image, *size], check=True, cwd=work)
        status, _, line = run(command, f"file={image},snapshot=on")
        if status != 2 or text not in line[0]:
            sys.exit(f"qcow2: {text}: status {status}, {line}")
    for drive, text in [(f"file={work / 'plain'}", "snapshot=on"), (f"file={work / 'raw'},format=qcow2,snapshot=on", "no qcow2 image")]:
        status, _, line = run(command, drive)
        if status != 2 or text not in line[0]:
            sys.exit(f"qcow2: {drive}: status {status}, {line}")


def check_damage(command, work, draw):
    """Header and tables are at the front of an image without preallocation."""
    whole, ends = (work / "packed small").read_bytes(), set()
    for _ in range(CHANGES):
        bad = bytearray(whole)
        for _ in range(draw.randint(1, 4)):
            bad[draw.choice([draw.randrange(112), draw.randrange(5 * 4096), draw.randrange(len(bad))])] = draw.randrange(256)
        (work / "bad").write_bytes(bad[:draw.choice([len(bad), draw.randrange(len(bad))])])
        status, _, line = run(command, f"file={work / 'bad'},snapshot=on")
        if status not in (0, 2, 124):
            sys.exit(f"qcow2: a damaged image: status {status}, {line}")
        ends.add(status)
    if ends < {0, 2}:
        sys.exit(f"qcow2: damaged images all end by status {ends}")


def main():
    tool, *command = sys.argv[1:]
    draw = random.Random(1)
    with tempfile.TemporaryDirectory(prefix="gencc-qcow2-") as folder:
        work = pathlib.Path(folder)
        content = bytes(4096) + draw.randbytes(200000) + b"text " * 40000
        (work / "raw").write_bytes(content + bytes(BYTES - len(content)))
        right = run(command, f"file={work / 'raw'},format=raw,snapshot=on")
        if right[0] or b"!" in right[1]:
            sys.exit(f"qcow2: the raw disk: {right}")
        for name, options in MADE.items():
            image = work / name
            subprocess.run([tool, "convert", "-q", "-f", "raw", "-O", "qcow2", *options, work / "raw", image], check=True)
            before = image.read_bytes()
            got = run(command, f"file={image},snapshot=on")
            if got[:2] != right[:2]:
                sys.exit(f"qcow2: {name}: {got}, raw: {right}")
            if image.read_bytes() != before:
                sys.exit(f"qcow2: {name}: the image has changed")
        check_refusals(tool, command, work)
        check_damage(command, work, draw)
    print(f"qcow2: {len(MADE)} images are read as the raw disk, {len(REFUSED)} others are refused")


if __name__ == "__main__":
    main()
