"""Default: each kernel gets all cores."""


class AllCores:
    name = "all cores"

    def __init__(self, facts=None):
        pass

    def choose(self, _application, _kernel, gpu):
        return list(range(gpu.cores))
