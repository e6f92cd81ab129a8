#!/usr/bin/env python3
"""Compiles each header of the tree by itself: headers.py ROOT [LEFT_OUT...] -- COMPILER FLAG...

LEFT_OUT are headers that need a library which this machine does not have.

A header that depends on what its users include before it fails here. Each is included twice, so
that a header without a guard fails as well."""
import concurrent.futures
import os
import subprocess
import sys
from pathlib import Path

ROOMS = ("common", "gencc", "runtime", "programs", "tests", "bench", "descriptions", "platforms")


def compile_alone(header, root, compiler):
    """Returns the compiler's messages about a header; empty if there are none."""
    line = f'#include "{header.relative_to(root)}"\n'
    run = subprocess.run([*compiler, f"-I{root}", "-fsyntax-only", "-x", "c", "-"], cwd=root,
                         input=line * 2, text=True, capture_output=True, check=False)
    return "" if run.returncode == 0 else f"{header.relative_to(root)}:\n{run.stderr}"


def main():
    split = sys.argv.index("--")
    root, compiler = Path(sys.argv[1]).resolve(), sys.argv[split + 1:]
    left_out = {root / name for name in sys.argv[2:split]}
    headers = sorted(h for room in ROOMS for h in (root / room).rglob("*.h") if h not in left_out)
    if not headers:
        sys.exit("headers: no header was found")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        complaints = [c for c in pool.map(lambda h: compile_alone(h, root, compiler), headers) if c]
    print(f"{len(headers)} headers, {len(complaints)} do not compile alone")
    sys.exit("\n".join(complaints) or None)


if __name__ == "__main__":
    main()
