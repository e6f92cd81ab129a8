"""What profiling tells of kernels and applications: chapters 4.2.1 and 5.2.1 of seed 004."""
from dataclasses import dataclass, replace
from functools import cached_property

ACCEPTABLE = 0.9   # 4.2.1: part of the best IPC that an operating point must reach
EQUAL = 0.03       # IPCs that differ by less than this part are equal: tails of sampled jobs make as much
IDEAL_LOSS = 0.2   # 5.2.1: part of the best IPC that kappa cores may lose


@dataclass(frozen=True)
class Point:
    """A kernel on `cores` cores: instructions per cycle, cycles during which each core was active, all cycles, and the energy
    in uJ, of which the other cores, whose clocks are gated, have their part."""
    cores: int
    ipc: float
    active: tuple
    total: float
    energy: float = 0.0

    @property
    def factor(self):
        """The cores' mean activity factor."""
        return sum(self.active) / len(self.active) / self.total if self.total else 0.0


def highest(points):
    return max(p.ipc for p in points)


def best(points):
    """The optimal operating point: of those with the highest IPC, the one with the fewest cores."""
    return min((p for p in points if p.ipc >= (1 - EQUAL) * highest(points)), key=lambda p: p.cores)


def acceptable(points, margin=ACCEPTABLE):
    """lst of 4.2.1: the acceptable points, the largest number of cores first."""
    least = margin * highest(points)
    return sorted((p for p in points if p.ipc >= least), key=lambda p: -p.cores)


def kappa(points, loss=IDEAL_LOSS):
    """The fewest cores that lose at most `loss` of the best IPC."""
    return min(p.cores for p in points if p.ipc >= (1 - loss) * highest(points))


@dataclass(frozen=True)
class Kernel:
    """A launch. `points` are by rising number of cores, from 1 or from the least that was profiled."""
    name: str
    instructions: float
    points: tuple
    memory: float = 0.0     # bytes of DRAM per cycle at the best point, by what DRAM can
    cache: float = 0.0      # bytes from L2 to L1 likewise, by what L2 can
    messages: float = 0.0   # memory instructions per arithmetic instruction
    hashes: tuple = ()      # of its shaders, as -gpu-cores takes them

    def at(self, cores):
        """The point of this number of cores, or the next lower one that was profiled."""
        return max((p for p in self.points if p.cores <= cores), key=lambda p: p.cores)


    def times(self, launches):
        """The kernel launched so many times, as one."""
        points = tuple(Point(p.cores, p.ipc, tuple(a * launches for a in p.active), p.total * launches, p.energy * launches)
                       for p in self.points)
        return replace(self, instructions=self.instructions * launches, points=points)


@dataclass(frozen=True)
class Application:
    """Kernels in the order in which they are launched. Points of an application are sums over them."""
    name: str
    kernels: tuple

    @property
    def instructions(self):
        return sum(k.instructions for k in self.kernels)

    @cached_property
    def points(self):
        out = []
        for cores in sorted({p.cores for k in self.kernels for p in k.points}):
            each = [k.at(cores) for k in self.kernels]
            total = sum(p.total for p in each)
            active = tuple(sum(p.active[i] if i < len(p.active) else 0.0 for p in each) for i in range(cores))
            out.append(Point(cores, self.instructions / total, active, total, sum(p.energy for p in each)))
        return tuple(out)

    def weighted(self, name):
        """A kernel's attribute, averaged over the cycles of their best points."""
        totals = [best(k.points).total for k in self.kernels]
        return sum(getattr(k, name) * t for k, t in zip(self.kernels, totals)) / sum(totals)


# The four classes of seed 004's reference [29] (4.3.2). It names the quantities, not the limits: these are ours.
CLASSES = ("M", "MC", "C", "A")
MEMORY, MEMORY_CACHE, CACHE = 0.9, 0.25, 0.25


def class_of(application):
    """M: much memory bandwidth; MC: some, and caches; C: caches; A: arithmetic."""
    memory, cache = application.weighted("memory"), application.weighted("cache")
    if memory >= MEMORY:
        return "M"
    if memory >= MEMORY_CACHE:
        return "MC"
    return "C" if cache >= CACHE else "A"
