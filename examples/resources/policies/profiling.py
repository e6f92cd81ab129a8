"""Profiling ([30] of seed 004): each application gets the number of cores of its highest IPC, always the first ones."""
from profiles import best


class Profiling:
    name = "profiling"

    def __init__(self, facts=None):
        pass

    def choose(self, application, _kernel, _gpu):
        return list(range(best(application.points).cores))
