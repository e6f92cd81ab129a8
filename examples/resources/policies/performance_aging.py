"""Performance/Aging aware ([8] of seed 004), as the thesis tells of it: throughput and even ageing, without process variation and
without looking at kernels. Pairs and partition are the proposed ones; cores go by their activity, which no map enters."""
from policies.concurrent import Concurrent
from policies.pairing import WINDOW, pairs_of
from policies.partition import partition
from profiles import best, class_of


class PerformanceAging(Concurrent):
    name = "performance/aging"

    def pick(self, queue, gpu):
        if len(queue) == 1:
            return [(queue[0], gpu.least_active(best(queue[0].points).cores))]
        both = [queue[i] for i in pairs_of(tuple(class_of(x) for x in queue[:WINDOW]), self.facts)[0]]
        counts = partition(both[0].points, both[1].points, gpu.cores)
        factors = [next(p.factor for p in reversed(x.points) if p.cores <= n) for x, n in zip(both, counts)]
        order = sorted(range(gpu.cores), key=lambda c: (gpu.active[c], c))
        more = 0 if factors[0] >= factors[1] else 1
        chosen = [None, None]
        chosen[more], chosen[1 - more] = sorted(order[:counts[more]]), sorted(order[gpu.cores - counts[1 - more]:])
        return list(zip(both, chosen))

    def gate(self, _application, _kernel, cores, _gpu):
        return cores
