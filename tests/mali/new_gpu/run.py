#!/usr/bin/env python3
"""Runs the snapshots of a G52 on a GPU that exists in study.ac alone."""
import argparse
import subprocess
import sys
from pathlib import Path


def run(mali_run, *words):
    return subprocess.run([mali_run, *map(str, words)], capture_output=True, text=True, check=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mali-run", required=True)
    parser.add_argument("--cases", type=Path, required=True)
    args = parser.parse_args()
    bad = []
    snaps = sorted(args.cases.glob("*.G52.snap.elf"))
    for snap in snaps:
        expect = snap.with_name(snap.name.replace(".snap.", ".expect."))
        done = run(args.mali_run, snap, "-expect", expect, "-gpu", "study", "-threads", "2")
        if done.returncode:
            bad.append(snap.name)
            print(f"{snap.name}: status {done.returncode}\n{done.stdout}{done.stderr}")
    unknown = run(args.mali_run, snaps[0], "-gpu", "nostudy") if snaps else None
    if unknown and unknown.returncode != 2:
        bad.append("an unknown GPU is no error")
    print(f"{len(snaps)} snapshots on a GPU of one file: {len(bad)} fail")
    sys.exit(bool(bad) or len(snaps) < 20)


if __name__ == "__main__":
    main()
