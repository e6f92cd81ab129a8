#!/usr/bin/env python3
"""Piglit's OpenGL tests on the simulated GPU, in user mode: each judges its own pixels.

expected_gl.txt names the GPUs in its first line; each other one has the result on each of them, and the
test: a program with its arguments. Another result is an error, a known failure that passes as well."""
import argparse
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
DISPLAY = ["-E", "EGL_PLATFORM=surfaceless", "-E", "PIGLIT_PLATFORM=surfaceless_egl", "-E", "MESA_SHADER_CACHE_DISABLE=true"]


def expected(text):
    """Returns [(GPU, words of the test, result)]."""
    lines = [line.split() for line in text.splitlines() if line and not line.startswith("#")]
    gpus = lines.pop(0)
    return [(gpu, words[len(gpus):], words[column])
            for words in lines for column, gpu in enumerate(gpus)]


def result_of(args, gpu, words):
    """Returns a test's result and its output."""
    command = [args.user, "-gpu", gpu, "-L", args.root, *DISPLAY, "-E", f"LD_LIBRARY_PATH={args.piglit / 'lib'}",
               args.piglit / "bin" / words[0], *words[1:], "-auto", "-fbo"]
    try:
        done = subprocess.run(command, check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=args.timeout)
    except subprocess.TimeoutExpired:
        return "timeout", ""
    out = done.stdout.decode(errors="replace")
    found = re.findall(r'PIGLIT: \{"result": "(\w+)"', out)
    return (found[-1] if found and done.returncode in (0, 1) else f"crash {done.returncode}"), out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, required=True, help="the folder of the userland")
    parser.add_argument("--piglit", type=Path, required=True, help="the folder that scripts/fetch-guest makes")
    parser.add_argument("--user", required=True, help="aarch64-user")
    parser.add_argument("--only", default="", help="a pattern that a GPU and a test, as `g52 fog-modes`, match")
    parser.add_argument("--timeout", type=int, default=120, help="seconds of a test")
    args = parser.parse_args()
    tests = [(gpu, words, result)
             for gpu, words, result in expected((HERE / "expected_gl.txt").read_text(encoding="utf-8"))
             if re.search(args.only, f"{gpu} {' '.join(words)}")]
    missing = sorted({words[0] for _, words, _ in tests if not (args.piglit / "bin" / words[0]).exists()})
    if missing:
        sys.exit(f"{args.piglit / 'bin'} lacks {', '.join(missing)}: run scripts/fetch-guest")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda test: result_of(args, *test[:2]), tests))
    wrong = 0
    for (gpu, words, wanted), (result, out) in zip(tests, results):
        if result != wanted:
            wrong += 1
            print(f"{gpu} {' '.join(words)}: {result}, the list says {wanted}; it said\n{out[-1500:]}")
    print(f"piglit_gl: {len(tests)} tests, {wrong} other than listed")
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
