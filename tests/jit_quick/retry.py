#!/usr/bin/env python3
"""Floats that were left to handlers, since they trapped, are translated plainly again later. The exit status is QEMU's."""
import re

import nodes


def faults(dump):
    """Returns what is wrong with the traces of a -jit-dump."""
    wrong = []
    loop = re.search(r"^trace (0x[0-9a-f]+)\n", dump, re.MULTILINE)[1]
    before, last = dump.rsplit(f"trace {loop}\n", 1)
    last = last.split("\ntrace ")[0]
    if "fmul_f_1 is left to its handler" not in before:
        wrong.append("the product of denormal numbers is never left to its handler")
    if not re.search(r" binary mul f64 .*\n +\d+ trap ", last) or " handler " in last:
        wrong.append("in the last trace the product does not trap itself")
    return wrong


if __name__ == "__main__":
    nodes.judge(__doc__, lambda traces, _: faults(traces), whole=True)
