#!/usr/bin/env python3
"""Single floats stay in vector registers, and a result of floats has one trap.

A guest's scalar has zeros above it in its register. The trace of singles.s must not move a float through a
general register for that, neither a sum nor a lane, and an instruction that reads a result of another must not
trap for it once more. The exit status is QEMU's.
"""
import re

import nodes


def faults_of(dump, _source):
    """Returns what is wrong with a trace."""
    wrong = []
    traps = re.findall(r"^ +\d+ trap \w+ (%\d+) ", dump, re.MULTILINE)
    if not traps:
        wrong.append("no operation traps")
    if len(traps) != len(set(traps)):
        wrong.append(f"{len(traps)} traps of {len(set(traps))} results")
    for node in re.findall(r"^ +\d+ (?:bitcast|extract) u(?:32|64).*", dump, re.MULTILINE):
        wrong.append(f"a float becomes an integer: {node.split(maxsplit=1)[1]}")
    return wrong


nodes.judge(__doc__, faults_of)
