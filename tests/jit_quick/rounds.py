#!/usr/bin/env python3
"""A trace that is no loop is made again, as a loop, when the guest goes round it; and a loop's trace ends with its way
round. The exit status is QEMU's.
"""
import re

import nodes


def faults(dump):
    """Returns what is wrong with the traces of a -jit-dump."""
    wrong = []
    again = re.findall(r"^trace (0x[0-9a-f]+) ends: \w+: the guest goes round", dump, re.MULTILINE)
    if len(again) != 1:
        return [f"{len(again)} traces, not 1, are made again as loops"]
    loop = dump.rsplit(f"trace {again[0]}\n", 1)[1].split("\ntrace ")[0]
    heads, ways = loop.count(" head #"), len(re.findall(r" guard ne s32 .*", loop))
    if heads < 8:
        wrong.append(f"the loop is {heads} times in its trace")
    if ways != heads:
        wrong.append(f"{ways} of {heads} rounds go on in the trace")
    return wrong


if __name__ == "__main__":
    nodes.judge(__doc__, lambda traces, _: faults(traces), whole=True)
