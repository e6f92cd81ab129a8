#!/usr/bin/env python3
"""Recorded runs repeat to the byte, in each tier; damaged recordings and other runs are refused by one line.

    replay.py ECHO SIMULATOR OPTION…

The guest, echo.S, prints when each byte came, by its own clock and count. Bytes are typed at random times of the host.
"""
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

TIERS = {"interpreted": ["-accel", "interp"], "translated": ["-jit-quick-threshold", "1"]}


def run(command, typed=None):
    """Runs the command; `typed` are pairs of seconds and bytes. Returns what it printed, and its end."""
    process = subprocess.Popen([*map(str, command)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    for seconds, text in typed or []:
        time.sleep(seconds)
        process.stdin.write(text)
        process.stdin.flush()
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err.decode(errors="replace")


def counters(folder):
    return [line for line in (folder / "stats.txt").read_text().splitlines() if not line.startswith(("jit/", "host/"))]


def check_repeats(base, work, draw):
    """A run that was recorded by one tier is the same in both."""
    for tier, options in TIERS.items():
        file, stats = work / f"{tier}.rr", work / f"{tier}-stats"
        typed = [(draw.uniform(0, 0.03), bytes(draw.choices(b"abcdefgh", k=draw.randint(1, 20)))) for _ in range(8)]
        status, out, err = run([*base, *options, "-record", file, "-stats", stats], [*typed, (0.01, b"q")])
        if status or out.count(b"\n") != sum(len(text) for _, text in typed) + 1:
            sys.exit(f"replay: the recorded run ended with {status}: {out!r} {err}")
        for other, choice in TIERS.items():
            again = work / f"{tier}-{other}"
            status, same, err = run([*base, *choice, "-replay", file, "-stats", again])
            if status or same != out:
                sys.exit(f"replay: recorded {tier}, replayed {other}: status {status}, {err}\n{out!r}\n{same!r}")
            if counters(stats) != counters(again):
                sys.exit(f"replay: other counters: {sorted(set(counters(stats)) ^ set(counters(again)))[:6]}")


def expect_refusal(command, text):
    status, _, err = run(command)
    lines = err.splitlines()
    if status != 2 or text not in lines[-1]:
        sys.exit(f"replay: wanted '{text}', got {status}: {err}")


def check_refusals(base, work, draw):
    whole = (work / "interpreted.rr").read_bytes()
    cut, flipped, version = work / "cut", work / "flipped", work / "version"
    cut.write_bytes(whole[: draw.randrange(100, len(whole))])
    place = draw.randrange(16, len(whole))
    flipped.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << draw.randrange(8)]) + whole[place + 1:])
    version.write_bytes(whole[:8] + b"\x09" + whole[9:])
    expect_refusal([*base, "-replay", cut], "the recording is damaged, or was not ended")
    expect_refusal([*base, "-replay", flipped], "the recording is damaged, or was not ended")
    expect_refusal([*base, "-replay", version], "version 9")
    expect_refusal([*base, "-replay", work / "absent"], "No such file")
    expect_refusal([*base, "-m", "256M", "-replay", work / "interpreted.rr"], "its RAM is '128 MB'")
    expect_refusal([*base, "-replay", cut, "-record", work / "new"], "exclude each other")
    expect_refusal([*base, "-icount", "rr=replay"], "with rrfile=FILE")


def check_divergence(base, work, echo):
    """A guest that does something else is found."""
    other = work / "other.elf"
    changed = [other if word == str(echo) else word for word in base]
    image = bytearray(echo.read_bytes())
    at = image.index(b"\x93\x84\x14\x00")
    image[at:at + 4] = b"\x6f\x00\x00\x00"  # it never asks
    other.write_bytes(image)
    expect_refusal([*changed, "-replay", work / "interpreted.rr"], "the replay is another run: the CPUs are in another state")


def check_qemu_words(base, work):
    file = work / "qemu.rr"
    status, out, err = run([*base, "-icount", f"shift=auto,rr=record,rrfile={file}"], [(0.05, b"xq")])
    again = run([*base, "-icount", f"shift=auto,rr=replay,rrfile={file}"])
    if status or again[:2] != (0, out):
        sys.exit(f"replay: by QEMU's options: {status} {err} {again}")


def main():
    echo, base = pathlib.Path(sys.argv[1]), sys.argv[2:]
    seed = int(os.environ.get("GENCC_SEED", "1"))
    draw = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="gencc-replay-") as folder:
        work = pathlib.Path(folder)
        check_repeats(base, work, draw)
        check_refusals(base, work, draw)
        check_divergence(base, work, echo)
        check_qemu_words(base, work)
    print("replay: recorded runs repeat to the byte")


main()
