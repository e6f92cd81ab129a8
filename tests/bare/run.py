#!/usr/bin/env python3
"""Runs programs of the tutorials' CPUs on the bare runner, interpreted and translated: output,
status and registers must be the same, and code that can be translated must be.

    run.py BUILD [TIER…]
"""
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TUTORIAL = ROOT / "descriptions/tutorial"
# By description: sources, each with its output without registers, its status and messages.
PROGRAMS = {"rv64.ac": (
    (ROOT / "descriptions/tutorial/sum.s", "5050\n", 0, ""),
    (ROOT / "tests/bare/modify.s", "", sum(range(1, 201)) & 0xff, ""),
    (ROOT / "tests/bare/outside.s", "", 1, "write to 0x4000000 at 0x1008: there is no memory\n"),
), "be32.ac": (
    (ROOT / "descriptions/tutorial/slots.s", "", 36, ""),
    (ROOT / "tests/bare/slots.s", "", 121, ""),
)}
SOON = ["-jit-sync", "-jit-threshold", "2", "-jit-quick-threshold", "2"]


def run(program, options, binary):
    done = subprocess.run([program, *options, binary], capture_output=True, text=True, timeout=60,
                          check=False)
    return done.returncode, done.stdout, done.stderr


def translations(folder):
    """Returns the number of translations by any tier."""
    jit = json.loads((folder / "stats.json").read_text()).get("jit", {})
    return jit.get("regions", 0) + jit.get("traces", 0)


def check(runner, binary, want_text, want_status, want_errors, tiers, folder):
    """Returns what is wrong, as lines."""
    status, text, errors = run(runner, ["-registers"], binary)
    if status != want_status or not text.startswith(want_text) or errors != want_errors:
        yield f"interpreted: status {status}, {text!r}, {errors!r}"
    for tier in tiers:
        stats = folder / f"{binary.stem}-{tier}"
        options = ["--accel", "jit", "-jit-tier", tier, *SOON, "-stats", str(stats)]
        got = run(runner, ["-registers", *options], binary)
        if got != (status, text, errors):
            yield f"{tier}: {got} instead of {(status, text, errors)}"
        elif not translations(stats):
            yield f"{tier}: nothing was translated"


def check_all(build, arch, programs, tiers, folder):
    """Returns what is wrong with the programs of a description, and its runner."""
    runner, wrong = folder / f"{arch}-run", []
    subprocess.run([ROOT / "scripts/bare", "--build", build, TUTORIAL / arch, "-o", runner], check=True)
    for source, text, status, errors in programs:
        binary = folder / (source.stem + ".bin")
        with open(binary, "wb") as out:
            subprocess.run([pathlib.Path(build) / "bin/gencc", "asm", "--arch", TUTORIAL / arch,
                            "--address", "0x1000", source], stdout=out, check=True)
        wrong += [f"{source.name}: {line}"
                  for line in check(runner, binary, text, status, errors, tiers, folder)]
    return wrong, runner


def main(build, *tiers):
    wrong = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for arch, programs in PROGRAMS.items():
            found, runner = check_all(build, arch, programs, tiers, folder)
            wrong += found
        bad = run(runner, [], folder)
        if bad[0] != 2 or "Is a directory" not in bad[2]:
            wrong.append(f"a folder as the program: {bad}")
        bad = run(runner, ["-accel", "nonsense"], folder / "sum.bin")
        if bad[0] != 2 or "nonsense" not in bad[2]:
            wrong.append(f"-accel nonsense: {bad}")
    print("\n".join(wrong) or f"{len(PROGRAMS)} programs, {len(tiers)} tiers: alike")
    return 1 if wrong else 0


sys.exit(main(*sys.argv[1:]))
