#!/usr/bin/env python3
"""Runs a program under user mode (aarch64-user …) and under QEMU's: same output, same status.

A program's first lines may say what to do with it:
    // run: ARGUMENTS        once a line (default: once without any)
    // flags: COMPILER FLAGS  (default: none; -static or -static-pie is added)
    // options: OPTIONS      of both simulators; with -L the program is linked dynamically
    //= TEXT                 a line of the output, where QEMU cannot be the referee
"""
import argparse
import os
import shlex
import subprocess
import sys
import tempfile


def directives(path):
    runs, flags, options, want = [], [], [], ""
    with open(path, encoding="utf-8") as text:
        for line in text:
            if line.startswith("#"):
                break
            if line.startswith("//= "):
                want += line[4:]
            key, _, value = line[2:].strip().partition(":")
            if key == "run":
                runs.append(shlex.split(value))
            elif key == "flags":
                flags = shlex.split(value)
            elif key == "options":
                options = shlex.split(value)
    return runs or [[]], flags, options, want.encode()


def run(command, folder, seconds):
    environment = {"PATH": os.environ["PATH"], "USER_TEST": "from outside", "LC_ALL": "C"}
    if options := os.environ.get("TSAN_OPTIONS"):  # of the simulator, not of the program
        environment["TSAN_OPTIONS"] = options
    done = subprocess.run(command, cwd=folder, env=environment, timeout=seconds, check=False,
                          input=b"a line of input\n", stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    return done.returncode, done.stdout, done.stderr


def in_folder(command, seconds=120):
    with tempfile.TemporaryDirectory() as folder:
        return run(command, folder, seconds)


def ask_referee(command):
    """QEMU for MIPS sometimes waits for ever in `kernel`, so it gets three attempts."""
    for _ in range(2):
        try:
            return in_folder(command, 20)
        except subprocess.TimeoutExpired:
            pass
    return in_folder(command)


def compare(command, wanted, name):
    """Runs our simulator; returns whether status, output and errors are the referee's."""
    status, out, err = in_folder(command)
    want_status, want_out, want_err = wanted
    # QEMU reports a signal of its guest on standard error; our simulator does not.
    wrong = []
    if status != want_status:
        wrong.append(f"status {status}, not {want_status}")
    if out != want_out:
        wrong.append(f"output\n{out.decode(errors='replace')}not\n"
                     f"{want_out.decode(errors='replace')}")
    if want_status >= 0 and err != want_err:
        wrong.append(f"errors\n{err.decode(errors='replace')}not\n"
                     f"{want_err.decode(errors='replace')}")
    for text in wrong:
        print(f"{name}: {text}")
    if not wrong:
        print(f"{name}: the same, status {status}")
    return not wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--user", required=True)
    parser.add_argument("--qemu", required=True)
    parser.add_argument("--gcc", required=True, help="the compiler, with its options")
    parser.add_argument("--cpu", help="QEMU's CPU")
    parser.add_argument("--optimise", default="-O2")
    parser.add_argument("--ours", action="append", help="options of our simulator alone; each --ours is a run of its own")
    parser.add_argument("--under", default="", help="command that starts our simulator")
    parser.add_argument("--no-pie", action="store_true", help="instead of -static-pie: -static")
    parser.add_argument("source")
    o = parser.parse_args()
    runs, flags, options, want = directives(o.source)
    if o.no_pie:
        flags = [flag for flag in flags if flag != "-static-pie"]
    good = True
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, os.path.basename(o.source)[:-2])
        static = [] if "-static-pie" in flags or "-L" in options else ["-static"]
        subprocess.run([*shlex.split(o.gcc), "-std=gnu11", "-w", o.optimise, *static, *flags, o.source, "-o",
                        program, *([] if "-nostdlib" in o.gcc else ["-lm"])], check=True)
        referee = [o.qemu, *(["-cpu", o.cpu] if o.cpu else []), *options, program]
        for args in runs:
            wanted = (0, want, b"") if want else ask_referee(referee + args)
            for ours in o.ours or [""]:
                command = [*shlex.split(o.under), o.user, *shlex.split(ours), *options, program, *args]
                good &= compare(command, wanted, " ".join([os.path.basename(program), *args, f"({ours})"]))
    return 0 if good else 1


sys.exit(main())
