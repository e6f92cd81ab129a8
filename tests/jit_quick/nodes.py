#!/usr/bin/env python3
"""A program's trace has nodes of some kinds as often as expected, and its exit status is QEMU's.

The expectations are comments of the source (// or #), "nodes COUNT REGEX": so many times the regex is in what -jit-dump
says of the first trace's first guest block; "trace COUNT REGEX": of the whole first trace. The status must tell what the
program computed.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile


def expectations(source, kind="nodes"):
    """Returns pairs of a number and a regular expression, of a source's comments of that kind."""
    with open(source, encoding="utf-8") as text:
        return re.findall(rf"^(?://|#) {kind} (\d+) (.*)$", text.read(), re.MULTILINE)


def faults_of(nodes, expected):
    """Returns which expectations the nodes of a trace do not meet."""
    counts = [(int(count), len(re.findall(regex, nodes, re.MULTILINE)), regex) for count, regex in expected]
    return [f"{have} nodes, not {want}, are: {regex}" for want, have, regex in counts if have != want]


def judge(text, faults, whole=False):
    """Runs the source of the command line, whose help is `text`, and fails with what faults(first trace, source) returns, or if
    the exit status is not QEMU's. `whole`: faults() gets all of the dump in place of the first trace."""
    parser = argparse.ArgumentParser(description=text)
    parser.add_argument("--user", required=True)
    parser.add_argument("--qemu", required=True)
    parser.add_argument("--gcc", required=True)
    parser.add_argument("source")
    o = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program")
        subprocess.run([o.gcc, "-nostdlib", "-static", f"-Wa,-I{os.path.dirname(o.source)}", o.source, "-o", program], check=True)
        want = subprocess.run([o.qemu, program], check=False).returncode
        have = subprocess.run([o.user, "-accel", "jit", "-jit-tier", "quick", "-jit-dump", program],
                              stderr=subprocess.PIPE, encoding="utf-8", check=False)
    traces = have.stderr.split("trace ")
    wrong = faults(have.stderr if whole else traces[1], o.source) if len(traces) > 1 else ["no trace"]
    if have.returncode != want:
        wrong.append(f"the exit status is {have.returncode}, not {want}")
    if wrong:
        sys.exit("\n".join(wrong))


def unexpected(trace, source):
    """Returns which expectations of the source the trace, or its first guest block, does not meet."""
    first, whole = expectations(source), expectations(source, "trace")
    if not first and not whole:
        return ["the source expects nothing"]
    return faults_of(trace.split("head #1")[0], first) + faults_of(trace, whole)


if __name__ == "__main__":
    judge(__doc__, unexpected)
