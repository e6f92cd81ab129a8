#!/usr/bin/env python3
"""Runs the snapshots of a GPU on one that exists in a file of this folder alone."""
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
    parser.add_argument("--gpu", required=True)
    parser.add_argument("--like", required=True, help="GPU of the snapshots")
    parser.add_argument("--wrong", type=Path, required=True, help="which ones Mesa's compiler gets wrong")
    parser.add_argument("--other", required=True, help="a GPU whose shader ISA was not built in")
    args = parser.parse_args()
    bad = []
    wrong = [line.split()[0] for line in args.wrong.read_text().splitlines()
             if not line.startswith("#") and args.like in line.split()[1].split(",")]
    snaps = sorted(snap for snap in args.cases.glob(f"*.{args.like}.snap.elf")
                   if snap.name.split(".")[0] not in wrong)
    for snap in snaps:
        expect = snap.with_name(snap.name.replace(".snap.", ".expect."))
        done = run(args.mali_run, snap, "-expect", expect, "-gpu", args.gpu, "-threads", "2")
        if done.returncode:
            bad.append(snap.name)
            print(f"{snap.name}: status {done.returncode}\n{done.stdout}{done.stderr}")
    unknown = run(args.mali_run, snaps[0], "-gpu", "no" + args.gpu) if snaps else None
    if unknown and unknown.returncode != 2:
        bad.append("an unknown GPU is no error")
    other = run(args.mali_run, args.cases / f"vecadd.{args.other}.snap.elf")
    if other.returncode != 2 or other.stderr.count("\n") != 1 or "is not modelled" not in other.stderr:
        bad.append("a GPU without a shader model is no error")
    print(f"{len(snaps)} snapshots on a GPU of one file: {len(bad)} fail")
    sys.exit(bool(bad) or len(snaps) < 16)


if __name__ == "__main__":
    main()
