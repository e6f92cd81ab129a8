"""Pairing of applications (5.2.2): the queue is paired so that the slowdowns, as measured of their classes, are least in all,
and the pair with the least is the next."""
from functools import lru_cache

from policies.fcfs import Fcfs
from profiles import class_of

WINDOW = 10  # applications at the head of the queue that are paired: all pairings of them are tried


def pairs_of(classes, facts):
    """Pairs up applications, of which only the classes matter. Returns pairs of their places, the least slowdown first, and of
    equals the earliest; of an odd number one stays alone."""
    @lru_cache(maxsize=None)
    def least(left):
        if len(left) < 2:
            return 0.0, ()
        first, rest = left[0], left[1:]
        choices = []
        for other in rest:
            cost, pairs = least(tuple(x for x in rest if x != other))
            choices.append((cost + facts.of(classes[first], classes[other]), ((first, other),) + pairs))
        if len(left) % 2:
            choices.append(least(rest))
        return min(choices, key=lambda c: c[0])

    pairs = least(tuple(range(len(classes))))[1]
    return sorted(pairs, key=lambda p: (facts.of(classes[p[0]], classes[p[1]]), p))


class Pairing(Fcfs):
    """Only that: half of the cores each, as [29] of seed 004 begins."""
    name = "pairing"

    def __init__(self, facts):
        super().__init__(facts)
        self.facts = facts

    def pick(self, queue, gpu):
        if len(queue) < 2:
            return super().pick(queue, gpu)
        a, b = pairs_of(tuple(class_of(x) for x in queue[:WINDOW]), self.facts)[0]
        return super().pick([queue[a], queue[b]], gpu)
