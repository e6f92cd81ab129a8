"""ILP-SMRA ([29] of seed 004), as the thesis tells of it: pairs by class, half of the cores each, which are then moved between the
two so that the throughput is the highest. Here they are so from the beginning: what the moves cost is left out. Nothing is
done about age: the first cores are the first one's."""
from policies.pairing import Pairing


def split(a, b, total):
    """The numbers of cores of two applications with the highest sum of IPCs; of equals the most even."""
    def ipc(points, cores):
        return max((p.ipc for p in points if p.cores <= cores), default=0.0)
    return min(((n, total - n) for n in range(1, total)),
               key=lambda c: (-ipc(a, c[0]) - ipc(b, c[1]), abs(c[0] - c[1])))


class IlpSmra(Pairing):
    name = "ILP-SMRA"

    def pick(self, queue, gpu):
        picked = super().pick(queue, gpu)
        if len(picked) < 2:
            return picked
        a, b = (application for application, _ in picked)
        count, _ = split(a.points, b.points, gpu.cores)
        return [(a, list(range(count))), (b, list(range(count, gpu.cores)))]
