#!/usr/bin/env python3
"""Boots Debian with a GPU on the simulated Juno, and lets its driver and Mesa use it.

    gpu_guest.py --juno BIN --guest cache/guest --programs build/guest/arm64 TEST [GPU]

The guest runs a shell script out of a folder of the host, and leaves its results there.
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "boot"))
from expected import problems
from printed import expect, fail, refuse

APPEND = "console=ttyAMA0 root=/dev/vda rw"

# What Linux says of a board whose tree names no regulator for the GPU; a real Juno's log has it too.
REGULATOR = r".*no regulator \(mali\) found\n"

# Anything of this in the kernel's log is a failure, unless a test expects it.
TROUBLE = r"WARNING|BUG:|Oops|Kernel panic|rcu: INFO|panfrost.*(error|fault|timeout|failed|Unhandled)"


class Bench:
    def __init__(self, args, work):
        self.args, self.work = args, pathlib.Path(work)
        self.guest = pathlib.Path(args.guest)

    def command(self, gpu, options):
        image = self.guest / "rootfs-arm64-gpu.ext4"
        for path in (self.guest / "vmlinuz-arm64", image):
            if not path.exists():
                fail(f"{path} is missing: run scripts/fetch-guest")
        words = [self.args.juno, "-nographic", "-m", "2G", "-gpu", gpu,
                 "-kernel", self.guest / "vmlinuz-arm64", "-dtb", self.guest / "dtb/juno-r2.dtb",
                 "-initrd", self.guest / "initramfs-arm64-disk.cpio.gz", "-append", APPEND,
                 "-drive", f"file={image},format=raw,snapshot=on",
                 "-virtfs", f"local,path={self.work},mount_tag=work",
                 "-virtfs", f"local,path={self.args.programs},mount_tag=programs,readonly=on",
                 "-script", HERE / "run.script", "-limit", "3600", *options]
        return [str(word) for word in words]

    def run(self, gpu, lines, *options, timeout=1700):
        """Runs shell lines in the guest; returns what they printed and the kernel's log."""
        script = ["cd /mnt/programs", "export RUSTICL_ENABLE=panfrost", "{", *lines,
                  "} >/mnt/work/out 2>&1", "dmesg >/mnt/work/dmesg", "sync"]
        (self.work / "run.sh").write_text("\n".join(script) + "\n")
        done = subprocess.run(self.command(gpu, options), stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=timeout, check=False)
        out, log = self.read("out"), self.read("dmesg")
        if done.returncode:
            print(done.stdout.decode(errors="replace")[-3000:], done.stderr.decode()[-3000:], out)
            fail(f"the simulator ended with status {done.returncode}")
        return out, log

    def read(self, name):
        path = self.work / name
        return path.read_text(errors="replace") if path.exists() else ""


def test_opencl(bench, gpu):
    """The driver binds; OpenCL and GLES programs print right results."""
    out, log = bench.run(gpu, ["modprobe panfrost", "clinfo -l", "./vecadd", "./matmul",
                               "./gles_compute"])
    expect(log, r"panfrost 2d000000\.gpu: mali-\w+ id 0x\w+", r"Initialized panfrost")
    refuse(re.sub(REGULATOR, "", log), TROUBLE)
    expect(out, r"Mali-G\d+", r"vecadd: 4096 elements, 0 wrong.*ok", r"matmul: .*: ok",
           r"renderer: Mali-G\d+", r"gles_compute: 1024 elements, 0 wrong: ok")


def run_faulty(bench, gpu, what):
    """Runs a kernel that goes wrong and one that does not, as a program of its own and together.

    Mesa looks at a job's fate only when asked to: with `sync` it aborts the program."""
    out, log = bench.run(gpu, ["modprobe panfrost", f"PAN_MESA_DEBUG=sync ./faults {what}",
                               "echo status $?", f"./faults {what}"])
    expect(out, r"^status 134", r"next kernel: OpenCL status 0, 0 wrong: ok")
    return log


def test_wild(bench, gpu):
    """A wild pointer: the driver reports the page fault, the next kernel works."""
    log = run_faulty(bench, gpu, "wild")
    expect(log, r"panfrost 2d000000\.gpu: Unhandled Page fault in AS\d+ at VA 0x")


def test_endless(bench, gpu):
    """An endless kernel: the driver's time-out stops it, the next kernel works."""
    log = run_faulty(bench, gpu, "endless")
    expect(log, r"panfrost 2d000000\.gpu: gpu sched timeout")


def test_piglit(bench, gpu):
    """A slice of Piglit's OpenCL tests: each gives what expected.txt says."""
    piglit = bench.guest / "piglit-arm64"
    if not piglit.exists():
        fail(f"{piglit} is missing: run scripts/fetch-guest")
    shutil.copy(HERE / "piglit_cl.py", bench.work)
    words = bench.args.piglit.split()
    bench.run(gpu, ["modprobe panfrost",
                    f"python3 /mnt/work/piglit_cl.py /mnt/piglit /mnt/work/results {' '.join(words)}"],
              "-virtfs", f"local,path={piglit},mount_tag=piglit,readonly=on", timeout=20000)
    results = [json.loads(line) for line in bench.read("results").splitlines()]
    bad = problems({r["name"]: r["result"] for r in results}, bench.args.piglit,
                   (HERE / "expected.txt").read_text())
    counts = Counter(r["result"] for r in results)
    print("piglit:", ", ".join(f"{n} {what}" for what, n in sorted(counts.items())))
    for r in results:
        if r.get("text") and any(line.startswith(r["name"] + ":") for line in bad):
            print(f"{r['result']}: {r['name']}\n{r['text']}")
    print(*bad, sep="\n")
    if bench.args.results:
        shutil.copy(bench.work / "results", bench.args.results)
    if bad or not results:
        fail(f"{len(bad)} tests differ from tests/gpu_guest/expected.txt")


def main():
    tests = {name.removeprefix("test_"): function for name, function in globals().items()
             if name.startswith("test_")}
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--juno", required=True)
    parser.add_argument("--guest", required=True)
    parser.add_argument("--programs", required=True)
    parser.add_argument("--piglit", default="--every 7", help="options of piglit_cl.py")
    parser.add_argument("--results", help="keep Piglit's results in this file")
    parser.add_argument("test", choices=tests)
    parser.add_argument("gpu", nargs="?", default="g72")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="gpu-guest-") as work:
        tests[args.test](Bench(args, work), args.gpu)
    print(f"gpu_guest: {args.test} {args.gpu} passed")


if __name__ == "__main__":
    main()
