"""Allocation by age (5.2.2): the most aged cores go to the application with the lower activity factor."""


def allocate(factors, counts, gpu):
    """Returns the cores of two applications, given their activity factors and numbers of cores. The least aged cores go to the
    one with the higher factor, the most aged to the other; between them are those that are gated."""
    order = gpu.least_aged_order()
    more, less = (0, 1) if factors[0] >= factors[1] else (1, 0)
    out = [None, None]
    out[more] = sorted(order[:counts[more]])
    out[less] = sorted(order[len(order) - counts[less]:])
    return out
