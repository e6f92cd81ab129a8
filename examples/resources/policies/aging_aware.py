"""Aging-aware ([38] of seed 004): each application gets the fewest cores within 8 % of its best IPC, and fewer than the best
point has where there are some; the least aged ones."""
from profiles import acceptable, best

MARGIN = 0.92


class AgingAware:
    name = "aging-aware"

    def __init__(self, facts=None):
        pass

    def choose(self, application, _kernel, gpu):
        most = best(application.points).cores
        fewer = [p.cores for p in acceptable(application.points, MARGIN) if p.cores < most]
        return gpu.least_aged(min(fewer, default=most))
