"""Partition of the cores between two applications: the rules of 5.2.2."""
from profiles import best, kappa

LEAST = 5 / 60  # of all cores: 5 of 60, to which an application may shrink


def least_of(total):
    return max(1, round(LEAST * total))


def partition(a, b, total):
    """Returns the numbers of cores of two applications, by their points. Cores that none needs are left to be gated."""
    if best(a).ipc < best(b).ipc:
        n_b, n_a = partition(b, a, total)
        return n_a, n_b
    nu_a, nu_b, kappa_a, kappa_b = best(a).cores, best(b).cores, kappa(a), kappa(b)
    if nu_a + nu_b <= total:
        return nu_a, nu_b
    if nu_a + kappa_b <= total:
        return nu_a, total - nu_a
    if kappa_a + kappa_b <= total:
        return kappa_a, kappa_b
    least = least_of(total)
    if least + kappa_a <= total:
        return kappa_a, total - kappa_a
    return total - least, least
