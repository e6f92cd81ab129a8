#!/usr/bin/env python3
"""Debian's Mesa on the simulated GPU without a boot: programs of examples/gpu in aarch64-user -gpu.

    user_mode.py unpack …    unpacks the userland, once for each image
    user_mode.py run …       runs the programs, which judge their results by arithmetic

A kernel that fails ends for Mesa as with Linux: the next one works, and with PAN_MESA_DEBUG=sync,
which lets Mesa look at the job's status, the program is aborted.
"""
import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts" / "guest"))

import unpack  # noqa: E402

MESA = ["-E", "RUSTICL_ENABLE=panfrost", "-E", "EGL_PLATFORM=surfaceless"]
ABORTED = -6


def run(args, gpu, program, *words, options=(), status=0, said):
    """Runs a program, whose output must have each of the patterns of `said`."""
    command = [args.user, "-gpu", gpu, "-d", "guest_errors", "-L", args.root, *MESA, *options, program, *words]
    done = subprocess.run(command, check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=300)
    out = done.stdout.decode(errors="replace")
    missing = [pattern for pattern in said if not re.search(pattern, out)]
    if done.returncode == status and not missing:
        print(f"{gpu} {Path(program).name}: as expected")
        return True
    print(f"{' '.join(map(str, command))}\nstatus {done.returncode}, not {status}; missing {missing}; said\n{out}")
    return False


def run_all(args):
    def ours(name):
        return args.programs / name

    good = run(args, "g52", args.root / "usr/bin/clinfo", "-l", said=[r"Device #0: Mali-G52 \(Panfrost\)"])
    good &= run(args, "t860", ours("gles_compute"), said=["renderer: Mali-T860", "gles_compute: 1024 elements, 0 wrong: ok"])
    good &= run(args, "g72", ours("faults"), "wild", said=["gpu: job at .*: page fault", "next kernel: OpenCL status 0, 0 wrong: ok"])
    good &= run(args, "g52", ours("faults"), "endless", options=["-E", "PAN_MESA_DEBUG=sync"], status=ABORTED,
                said=["gpu: job at .*: has not ended after 500 ms"])
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["unpack", "run"])
    parser.add_argument("--root", type=Path, required=True, help="the folder of the userland")
    parser.add_argument("--guest", type=Path, help="cache/guest")
    parser.add_argument("--user", help="aarch64-user")
    parser.add_argument("--programs", type=Path, help="build/guest/arm64")
    args = parser.parse_args()
    if args.what == "run":
        sys.exit(not run_all(args))
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    print("unpacked" if unpack.unpack(args.guest / "rootfs-arm64-gpu.ext4", args.root) else "is there")


if __name__ == "__main__":
    main()
