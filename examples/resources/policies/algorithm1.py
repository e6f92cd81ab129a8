"""The proposed policy of chapter 4: algorithm 1 chooses the configuration of each kernel, and the least active cores run it."""
import math

from profiles import acceptable


def select(points, gpu):
    """Algorithm 1. Of the acceptable points, as they are listed: the one that will leave the least deviation of relative delay;
    among equals the least mean; among equals the highest IPC. Returns its number of cores."""
    deviation = mean = math.inf
    config, most = 0, 0.0
    for point in points:
        tried = gpu.copy()
        tried.ran(tried.least_active(point.cores), point.active, point.total)
        new_deviation, new_mean = tried.spread()
        if (new_deviation < deviation or (new_deviation == deviation and
                                          (new_mean < mean or (new_mean == mean and point.ipc > most)))):
            deviation, mean, config, most = new_deviation, new_mean, point.cores, point.ipc
    return config


class Algorithm1:
    name = "algorithm 1"

    def __init__(self, facts=None):
        pass

    def choose(self, _application, kernel, gpu):
        return gpu.least_active(select(acceptable(kernel.points), gpu))


class Algorithm1OfApplications(Algorithm1):
    """Performance- and aging-aware ([85] of seed 004): the same for whole applications."""
    name = "algorithm 1 of applications"

    def choose(self, application, _kernel, gpu):
        return gpu.least_active(select(acceptable(application.points), gpu))
