"""Aging-aware ([38] of seed 004) for two applications, as chapter 5.3 tunes it: the first two of the queue, half of the cores
each, of which an application uses as many as its highest IPC needs; the others are gated."""
from policies.fcfs import Fcfs
from profiles import best


class AgingAwarePairs(Fcfs):
    name = "aging-aware"

    def gate(self, application, _kernel, cores, gpu):
        within = [p for p in application.points if p.cores <= len(cores)]
        return gpu.least_aged(best(within).cores, cores)
