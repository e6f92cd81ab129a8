"""The proposed policy of chapter 5: pairing by class, partition by the rules of 5.2.2, allocation by age, gating by kernel."""
from policies.allocation import allocate
from policies.gating import gated
from policies.pairing import WINDOW, pairs_of
from policies.partition import least_of, partition
from profiles import best, class_of


class Concurrent:
    name = "proposed"

    def __init__(self, facts):
        self.facts = facts

    def pick(self, queue, gpu):
        if len(queue) == 1:
            return [(queue[0], gpu.least_aged(best(queue[0].points).cores))]
        places = pairs_of(tuple(class_of(x) for x in queue[:WINDOW]), self.facts)[0]
        both = [queue[i] for i in places]
        counts = partition(both[0].points, both[1].points, gpu.cores)
        factors = [next(p.factor for p in reversed(x.points) if p.cores <= n) for x, n in zip(both, counts)]
        return list(zip(both, allocate(factors, counts, gpu)))

    def gate(self, application, kernel, cores, gpu):
        return gpu.least_aged(gated(application, kernel, len(cores), least=least_of(gpu.cores)), cores)

    def alone(self, _application, cores, _gpu):
        return cores


class ConcurrentRegrown(Concurrent):
    """The same, and what is left of a pair gets as many cores as it is best on, which chapter 5 does not say: there it keeps
    its own until the next pair begins."""
    name = "proposed, regrown"

    def alone(self, application, cores, gpu):
        return gpu.least_aged(max(len(cores), best(application.points).cores))
