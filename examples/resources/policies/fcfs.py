"""First come, first served: the first two of the queue, with half of the cores each."""


class Fcfs:
    name = "FCFS"

    def __init__(self, facts=None):
        pass

    def pick(self, queue, gpu):
        if len(queue) == 1:
            return [(queue[0], list(range(gpu.cores)))]
        half = gpu.cores // 2
        return [(queue[0], list(range(half))), (queue[1], list(range(half, gpu.cores)))]

    def gate(self, _application, _kernel, cores, _gpu):
        return cores

    def alone(self, _application, cores, _gpu):
        return cores


class FcfsRegrown(Fcfs):
    """The same, and what is left of a pair gets all cores, which chapter 5 does not say."""
    name = "FCFS, regrown"

    def alone(self, _application, _cores, gpu):
        return list(range(gpu.cores))
