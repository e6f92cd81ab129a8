"""Gating during kernels that matter little (5.2.2, kernel level tuning). Seed 004 does not print z and p."""
Z, P = 2, 0.9  # assumed


def gated(application, kernel, n, z=Z, p=P, least=1):
    """Returns to how many cores a kernel shrinks: if its IPC on n cores is at least z times lower than its application's, as
    many are gated as leave the part p of its IPC."""
    if z * kernel.at(n).ipc > _at(application, n).ipc:
        return n
    enough = [x.cores for x in kernel.points if least <= x.cores < n and x.ipc >= p * kernel.at(n).ipc]
    return min(enough, default=n)


def _at(application, n):
    return max((x for x in application.points if x.cores <= n), key=lambda x: x.cores)
