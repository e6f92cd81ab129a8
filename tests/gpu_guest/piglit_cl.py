#!/usr/bin/env python3
"""Runs Piglit's OpenCL tests in the guest: every Nth program test, and the binaries.

    piglit_cl.py PIGLIT OUT [--every N] [--first K] [--only PATTERN] [--no-binaries] [--timeout S]

PIGLIT is the folder that scripts/fetch-guest makes. OUT gets a line of JSON per test: its name, its
result (pass, fail, skip, crash, timeout) and, unless it passed, the end of its output."""
import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

INSTALLED = Path("/usr/lib/aarch64-linux-gnu/piglit")

# Programs that are not tests by themselves, or need a display.
LEFT_OUT = {"cl-program-tester", "cl-interop-egl_khr_cl_event2", "template_program.program_test"}


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("piglit", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--every", type=int, default=7)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=None)
    parser.add_argument("--only", default="", help="a pattern that names of tests match")
    parser.add_argument("--no-binaries", action="store_true")
    parser.add_argument("--timeout", type=int, default=60)
    return parser.parse_args()


def tests(args):
    """Returns (name, command) of each test, in a fixed order."""
    programs = [path for folder in ("tests/cl", "generated_tests/cl")
                for path in (args.piglit / folder).rglob("*")
                if path.suffix in (".cl", ".program_test") and is_test(path)
                and path.name not in LEFT_OUT and re.search(args.only, path.name)]
    programs = sorted(programs)[args.first::args.every][:args.count]
    tester = args.piglit / "bin/cl-program-tester"
    for path in programs:
        yield str(path.relative_to(args.piglit)), [tester, path]
    if not args.no_binaries:
        for path in sorted((args.piglit / "bin").glob("cl-*")):
            if path.name not in LEFT_OUT and re.search(args.only, path.name):
                yield path.name, [path]


def is_test(path):
    """A program without tests of its own belongs to a .program_test in the same folder."""
    text = path.read_text(errors="replace")
    return path.suffix == ".program_test" or "[test]" in text or "[config]" in text


def result_of(done):
    found = re.findall(r'PIGLIT: \{"result": "(\w+)"', done.stdout)
    if found:
        return found[-1]
    return "crash" if done.returncode < 0 else "fail"


def run(command, timeout):
    """Returns the result of one test, and the end of its output."""
    try:
        done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace",
                              stdin=subprocess.DEVNULL, timeout=timeout, check=False)
    except subprocess.TimeoutExpired as error:
        return "timeout", (error.stdout or b"").decode(errors="replace")[-1500:]
    return result_of(done), done.stdout[-1500:]


def install(piglit):
    """The tests search for their libraries where the package would have installed them."""
    if not INSTALLED.exists():
        INSTALLED.symlink_to(piglit)
    os.environ["PIGLIT_SOURCE_DIR"] = str(piglit)
    # Mesa's other OpenCL has no devices here, which Piglit would count as failures.
    os.environ["OCL_ICD_VENDORS"] = "/etc/OpenCL/vendors/rusticl.icd"


def main():
    args = arguments()
    install(args.piglit)
    counts = {}
    with open(args.out, "w", encoding="utf-8") as out:
        for name, command in tests(args):
            result, text = run(command, args.timeout)
            counts[result] = counts.get(result, 0) + 1
            entry = {"name": name, "result": result}
            if result != "pass":
                entry["text"] = text
            print(json.dumps(entry), file=out, flush=True)
            print(f"piglit: {result:7} {name}", flush=True)
    print("piglit:", ", ".join(f"{n} {what}" for what, n in sorted(counts.items())))
    sys.exit(0)


if __name__ == "__main__":
    main()
