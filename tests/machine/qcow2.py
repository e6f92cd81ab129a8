#!/usr/bin/env python3
"""A guest uses qcow2 images that qemu-img makes as it uses the raw disk; what is not read or not written is refused by one line.

    qcow2.py QEMU_IMG SIMULATOR OPTION…

The guest is disk.c. An image that it has written has the raw disk's content, by `qemu-img convert`, and no faults, by
`qemu-img check`. Damaged images end no simulator: each byte of the tables of one is changed.
"""
import pathlib
import random
import subprocess
import sys
import tempfile

MADE = {"plain": [], "old": ["-o", "compat=0.10"], "small": ["-o", "cluster_size=512"], "large": ["-o", "cluster_size=2M"],
        "packed": ["-c"], "packed small": ["-c", "-o", "cluster_size=4k"]}
REFUSED = {"extended L2": ["-o", "extended_l2=on"],
           "another file": ["-o", "data_file=data,data_file_raw=on"], "zstd": ["-o", "compression_type=zstd"]}
WRITTEN = {**MADE, "zeroed": ["-o", "preallocation=metadata"]}
UNWRITTEN = {"snapshots": ([], ["snapshot", "-c", "one", "IMAGE"]), "counts": (["-o", "refcount_bits=8"], []),
             "bitmaps": ([], ["bitmap", "--add", "IMAGE", "one"])}
BYTES, CHANGES = 1000448, 60


def run(command, drive):
    done = subprocess.run([*command, "-drive", drive], stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace").splitlines()[-1:]


def check_refusals(tool, command, work):
    for text, options in REFUSED.items():
        image = work / "refused"
        subprocess.run([tool, "create", "-q", "-f", "qcow2", *options, image, str(BYTES)], check=True, cwd=work)
        status, _, line = run(command, f"file={image},snapshot=on")
        if status != 2 or text not in line[0]:
            sys.exit(f"qcow2: {text}: status {status}, {line}")
    subprocess.run([tool, "create", "-q", "-f", "qcow2", "-o", "cluster_size=2M", image, "200P"], check=True)
    for more in "", ",snapshot=on":
        status, _, line = run(command, f"file={image}{more}")
        if status != 2 or "larger than 16 TB" not in line[0]:
            sys.exit(f"qcow2: 200 PB{more}: status {status}, {line}")
    status, _, line = run(command, f"file={work / 'raw'},format=qcow2,snapshot=on")
    if status != 2 or "no qcow2 image" not in line[0]:
        sys.exit(f"qcow2: a raw file: status {status}, {line}")


def check_unwritten(tool, command, work):
    """What is read, but not written, is refused without snapshot=on, and stays as it is."""
    image = work / "unwritten"
    for text, (options, then) in UNWRITTEN.items():
        subprocess.run([tool, "create", "-q", "-f", "qcow2", *options, image, str(BYTES)], check=True)
        if then:
            subprocess.run([tool, *[word.replace("IMAGE", str(image)) for word in then]], check=True)
        before = image.read_bytes()
        status, _, line = run(command, f"file={image}")
        if status != 2 or text not in line[0] or image.read_bytes() != before:
            sys.exit(f"qcow2: {text}: status {status}, {line}")


def check_writes(tool, command, work):
    """The guest writes each image, and one without clusters; twice, so that it finds its own clusters again."""
    for empty in (False, True):
        source = work / ("zeros" if empty else "raw")
        source.write_bytes(bytes(BYTES) if empty else source.read_bytes())
        for name, options in WRITTEN.items():
            raw, image, back = work / "raw written", work / "written", work / "back"
            raw.write_bytes(source.read_bytes())
            subprocess.run([tool, "convert", "-q", "-f", "raw", "-O", "qcow2", *options, source, image], check=True)
            for turn in range(2):
                right, got = run(command, f"file={raw},format=raw"), run(command, f"file={image}")
                if got[:2] != right[:2]:
                    sys.exit(f"qcow2: writing {name}: {got}, raw: {right}")
                check = subprocess.run([tool, "check", "-f", "qcow2", image], capture_output=True, text=True, check=False)
                subprocess.run([tool, "convert", "-f", "qcow2", "-O", "raw", image, back], check=True)
                if check.returncode or back.read_bytes() != raw.read_bytes():
                    sys.exit(f"qcow2: {name}, written {turn + 1} times: {check.stdout}{check.stderr}")
            if raw.read_bytes() == source.read_bytes():
                sys.exit("qcow2: the guest has written nothing")


def make_chain(tool, work, what):
    """Images in two folders of which each has what the one before it has not, from a raw file; returns the last's path."""
    below, size = work / "below", str(BYTES)
    below.mkdir(exist_ok=True)
    raw = (work / "raw").read_bytes()
    (below / "base").write_bytes({"shorter": raw[:300032], "longer": raw + bytes(range(256)) * 400}.get(what, raw))
    if what == "packed":
        subprocess.run([tool, "convert", "-q", "-c", "-f", "raw", "-O", "qcow2", below / "base", below / "middle"], check=True)
    else:
        subprocess.run([tool, "create", "-q", "-f", "qcow2", "-b", "base", "-F", "raw", "-o", "cluster_size=512", below / "middle", size], check=True)
    old = ["-o", "compat=0.10,cluster_size=4k"] if what == "old" else []
    subprocess.run([tool, "create", "-q", "-f", "qcow2", "-b", "below/middle", "-F", "qcow2", *old, work / "top", size], check=True, cwd=work)
    return work / "top"


def check_backing(tool, command, work):
    """Reads come from behind, and writes stay in the last image, which qemu-img then finds as the raw disk is."""
    for what in "same", "packed", "old", "shorter", "longer":
        top, raw, back = make_chain(tool, work, what), work / "raw written", work / "back"
        subprocess.run([tool, "convert", "-f", "qcow2", "-O", "raw", top, raw], check=True)
        before = [(work / "below" / name).read_bytes() for name in ("base", "middle")]
        first = top.read_bytes()
        right, got = run(command, f"file={raw},format=raw,snapshot=on"), run(command, f"file={top},snapshot=on")
        if right[0] or got[:2] != right[:2] or top.read_bytes() != first:
            sys.exit(f"qcow2: behind {what}: {got}, raw: {right}")
        for turn in range(2):
            right, got = run(command, f"file={raw},format=raw"), run(command, f"file={top}")
            check = subprocess.run([tool, "check", "-f", "qcow2", top], capture_output=True, text=True, check=False)
            subprocess.run([tool, "convert", "-f", "qcow2", "-O", "raw", top, back], check=True)
            if right[0] or got[:2] != right[:2] or check.returncode or back.read_bytes() != raw.read_bytes():
                sys.exit(f"qcow2: over {what}, written {turn + 1} times: {got}, raw: {right}, {check.stdout}{check.stderr}")
        if [(work / "below" / name).read_bytes() for name in ("base", "middle")] != before:
            sys.exit(f"qcow2: over {what}: what is behind has changed")


def check_backing_refusals(tool, command, work):
    top = make_chain(tool, work, "same")

    def refused(text):
        for more in "", ",snapshot=on":
            status, _, line = run(command, f"file={top}{more}")
            if status != 2 or text not in line[0]:
                sys.exit(f"qcow2: {text}: status {status}, {line}")

    def rebase(image, name, kind):
        subprocess.run([tool, "rebase", "-u", "-f", "qcow2", "-b", name, *(["-F", kind] if kind else []), image], check=True, cwd=work)

    rebase(work / "below/middle", "../top", "qcow2")
    refused("its own backing file")
    rebase(work / "below/middle", "none", "raw")
    refused("No such file")
    rebase(work / "below/middle", "nbd:localhost:1", "raw")
    refused("neither a raw file nor a qcow2 image")
    rebase(work / "below/middle", "base", "vmdk")
    refused("neither a raw file nor a qcow2 image")
    damaged = bytearray(top.read_bytes())
    damaged[16:20] = (2000).to_bytes(4, "big")
    top.write_bytes(damaged)
    refused("name of its backing file is damaged")
    last = "below/base"
    for n in range(70):
        subprocess.run([tool, "create", "-q", "-u", "-f", "qcow2", "-b", last, "-F", "qcow2" if n else "raw", f"deep{n}", str(BYTES)], check=True, cwd=work)
        last = f"deep{n}"
    top = work / last
    refused("behind more than 64 others")


def check_snapshots(tool, command, work, what):
    """A machine that is continued brings its image to where it was, whatever is in it, and ends as the whole run. The file
    of a packed image is much smaller than the disk."""
    image, back, shots = work / "saved", work / "back", ["-snapshot-dir", str(work / f"shots {what}")]
    (work / "full").write_bytes(random.Random(2).randbytes(BYTES))
    (work / "text").write_bytes(b"texts" * (BYTES // 5 + 1))
    with open(work / "text", "r+b") as file:
        file.truncate(BYTES)
    if what == "packed":
        subprocess.run([tool, "convert", "-q", "-c", "-f", "raw", "-O", "qcow2", work / "text", image], check=True)
    else:
        subprocess.run([tool, "create", "-q", "-f", "qcow2", "-o", "preallocation=metadata", image, str(BYTES)], check=True)
    whole = run([*command, *shots, "-snapshot-every", "0.00005"], f"file={image}")
    subprocess.run([tool, "convert", "-f", "qcow2", "-O", "raw", image, back], check=True)
    right, names = back.read_bytes(), sorted(file.stem for file in (work / f"shots {what}").glob("*.gvm"))
    others = [["convert", "-q", "-c", "-f", "raw", "-O", "qcow2", work / "full"],
              *(["create", "-q", "-f", "qcow2", "-b", "full", "-F", "raw", "-o", f"compat={version}"] for version in ("1.1", "0.10"))]
    for number, name in enumerate(names[::max(1, len(names) // 3)]):
        subprocess.run([tool, *others[number % 3], image], check=True)
        rest = run([*command, *shots, "-loadvm", name], f"file={image}")
        subprocess.run([tool, "convert", "-f", "qcow2", "-O", "raw", image, back], check=True)
        subprocess.run([tool, "check", "-q", "-f", "qcow2", image], check=True)
        if rest[0] or not whole[1].endswith(rest[1]) or back.read_bytes() != right:
            sys.exit(f"qcow2: {what}, from {name} of {names}: {rest}, whole {whole}")
    if not names:
        sys.exit("qcow2: no snapshots")


def check_damage(command, work, draw):
    """Header and tables are at the front of an image without preallocation."""
    whole, ends = (work / "packed small").read_bytes(), set()
    for _ in range(CHANGES):
        bad = bytearray(whole)
        for _ in range(draw.randint(1, 4)):
            bad[draw.choice([draw.randrange(112), draw.randrange(5 * 4096), draw.randrange(len(bad))])] = draw.randrange(256)
        (work / "bad").write_bytes(bad[:draw.choice([len(bad), draw.randrange(len(bad))])])
        for option in ",snapshot=on", "":  # the second run may damage it more
            status, _, line = run(command, f"file={work / 'bad'}{option}")
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
        check_unwritten(tool, command, work)
        check_writes(tool, command, work)
        check_backing(tool, command, work)
        check_backing_refusals(tool, command, work)
        for what in "empty", "packed":
            check_snapshots(tool, command, work, what)
        check_damage(command, work, draw)
    print(f"qcow2: {len(MADE)} images are read as the raw disk, {len(WRITTEN)} written as it; {len(REFUSED) + len(UNWRITTEN)} others are refused")


if __name__ == "__main__":
    main()
