#!/usr/bin/env python3
"""The analytic models of two theses of the Mali-T624: time of a kernel by 000, chapter 13, and words of a loop by 001,
chapter 8.

    model.py --items 512 --group 2 --words 5 --passes 1e6 [--mhz 600] [--depth 38] [--as-printed]
    model.py --scalar 6 --vector 6 [--depth 37]

The first prints milliseconds. Two errata of 000 are mended: the threads of a core are those of the batch (as printed,
38 groups of one take 291.43 ms where 108.57 were measured), and the example of 13.3 has 512 work-items. --as-printed
leaves the first as it is. The second prints the words and cycles of a pass with so many additions.
"""
import argparse


def up(a, b):
    return -(-a // b)


def busy(items, group, depth=38, as_printed=False):
    """Per batch: cycles that a word takes."""
    batch = min(1024, 256 * group)
    out = []
    for i in range(up(items, batch)):
        here = min(batch, items - i * batch)
        core = 64 * (batch // 256) + min(64, items % 256) if as_printed else 64 * (here // 256) + min(64, here % 256)
        out.append(max(core / min(group, 2), depth))
    return out


def cycles(items, group, words, depth=38, exposed=0, as_printed=False):
    """Cycles of a pass, summed over batches; `exposed` is the additional time of a load or a store
    that nothing hides."""
    return sum(max(words * depth + exposed, words * word) for word in busy(items, group, depth, as_printed))


def milliseconds(items, group, words, passes, mhz=600, depth=38, as_printed=False):
    return cycles(items, group, words, depth, as_printed=as_printed) * passes / mhz / 1000


def words(scalar, vector):
    """The one rule that fits figs 8.2, 8.6 and 8.9 of 001: the first word counts; four additions
    fit into a word, or two of vectors."""
    return 1 + max(up(scalar + vector + 1, 4), up(vector, 2))


def spill(pairs):
    """Additional cycles per pass of a chain with that number of pairs, because of registers on the
    stack. A fit of two numbers to 13 rows (000 fig. 11.2, 001 figs A.5 and A.8): 5 + 2 * pairs
    registers are needed, 16 exist."""
    beyond = 5 + 2 * pairs - 16
    return 56 + 5 * beyond if beyond > 0 else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, help="work-items in all")
    parser.add_argument("--group", type=int, default=1, help="of a work-group")
    parser.add_argument("--words", type=int, help="of a pass")
    parser.add_argument("--passes", type=float, default=1e6)
    parser.add_argument("--mhz", type=float, default=600)
    parser.add_argument("--depth", type=int, help="of the pipe: 38 (000), 37 (001)")
    parser.add_argument("--scalar", type=int, default=0, help="additions a pass")
    parser.add_argument("--vector", type=int, default=0, help="of int4")
    parser.add_argument("--as-printed", action="store_true")
    o = parser.parse_args()
    if o.items and o.words:
        print(f"{milliseconds(o.items, o.group, o.words, o.passes, o.mhz, o.depth or 38, o.as_printed):.2f} ms")
    elif o.scalar or o.vector:
        n = words(o.scalar, o.vector)
        print(f"{n} words, {n * (o.depth or 37)} cycles")
    else:
        parser.error("either --items and --words, or --scalar and --vector")


if __name__ == "__main__":
    main()
