"""Queues of applications, and how they run under a policy."""
import random
import statistics
from dataclasses import dataclass, field

import aging
from profiles import CLASSES, Application, best, class_of

# Applications out of the kernels of cache/kernels, as programs have them one after the other.
APPLICATIONS = {
    "add": ("vecadd",), "axpy": ("saxpy",), "blas1": ("vecadd", "saxpy", "reduction"), "convert": ("half_conversion", "vecadd"),
    "sum": ("reduction",), "heat": ("stencil3d",), "edges": ("sobel",), "vision": ("sobel", "transpose", "histogram"),
    "counts": ("histogram", "reduction"), "turn": ("transpose",), "gemm": ("transpose", "matmul_tiled"), "gemm4": ("matmul_vec4",),
    "gemm1": ("matmul_naive",), "stars": ("nbody",), "fractal": ("mandelbrot",), "sort": ("bitonic",),
    "options": ("black_scholes", "reduction"), "words": ("integer_ops",), "branches": ("divergent",),
}
SECONDS = 0.01  # a kernel is launched so often that it takes about this time at its best point


def applications_of(kernels, mhz):
    """The applications whose kernels were all profiled. `kernels` is by name."""
    def launched(name):
        kernel = kernels[name]
        return kernel.times(max(1, round(SECONDS * mhz * 1e6 / best(kernel.points).total)))
    return [Application(name, tuple(launched(k) for k in parts)) for name, parts in APPLICATIONS.items()
            if all(k in kernels for k in parts)]


def queues_of(applications, length=20, seed=1, part=0.6):
    """Queues by name: for each class one of which `part` is of it, and three random mixes."""
    draw = random.Random(seed)
    by_class = {c: [a for a in applications if class_of(a) == c] for c in CLASSES}
    out = {}
    for c in CLASSES:
        if by_class[c]:
            chosen = [draw.choice(by_class[c]) for _ in range(round(part * length))]
            chosen += [draw.choice(applications) for _ in range(length - len(chosen))]
            draw.shuffle(chosen)
            out[c] = chosen
    for i in range(1, 4):
        out[f"mix {i}"] = [draw.choice(applications) for _ in range(length)]
    return out


@dataclass
class Result:
    """What came of a queue: instructions per cycle (4.2), and the state of the GPU; the energy in uJ (of single applications), and
    per application that ran the part of its ideal IPC that it had (of pairs)."""
    policy: str
    throughput: float
    gpu: object
    energy: float = 0.0
    parts: dict = field(default_factory=dict)

    @property
    def activities(self):
        return [self.gpu.activity(c) for c in range(self.gpu.cores)]

    @property
    def activity_deviation(self):
        return statistics.pstdev(self.activities)

    @property
    def watts(self):
        return self.energy * self.gpu.mhz / self.gpu.total

    @property
    def delays(self):
        return self.gpu.relative_delays()

    def lifetime(self, critical):
        """Years until the first core has the relative delay `critical`."""
        g = self.gpu
        return min(aging.lifetime(round(g.activity(c), 4), g.frequencies[c] * 1e6, g.mhz * 1e6, critical, g.tech) for c in range(g.cores))


def run_single(policy, queue, gpu):
    """Runs applications one after the other, kernel by kernel."""
    instructions = energy = 0.0
    for application in queue:
        for kernel in application.kernels:
            cores = policy.choose(application, kernel, gpu)
            point, slower = kernel.at(len(cores)), 1 / gpu.speed(cores)
            gpu.ran(cores, [a * slower for a in point.active], point.total * slower)
            instructions += kernel.instructions
            energy += point.energy
    return Result(policy.name, instructions / gpu.total, gpu, energy)


def plan(policy, kernels, gpu):
    """The cores that a policy chooses for each kernel, one after the other: lines of a file for -gpu-cores."""
    lines = []
    for kernel in kernels:
        cores = policy.choose(Application(kernel.name, (kernel,)), kernel, gpu)
        point = kernel.at(len(cores))
        gpu.ran(cores, point.active, point.total)
        lines += [f"kernel {shader} {sum(1 << c for c in cores):#x}  # {kernel.name}" for shader in kernel.hashes]
    return lines


class Lane:
    """An application that runs on its cores."""

    def __init__(self, application, cores, policy, gpu):
        self.application, self.cores, self.policy, self.gpu = application, cores, policy, gpu
        self.waiting = list(application.kernels)
        self.since = gpu.total
        self.begin()

    def begin(self):
        """Begins the next kernel; self.kernel is None if there is none."""
        self.kernel = self.waiting.pop(0) if self.waiting else None
        self.left = 1.0
        if self.kernel:
            self.use()

    def use(self):
        """Chooses those of its cores that the kernel gets."""
        self.used = self.policy.gate(self.application, self.kernel, self.cores, self.gpu)
        self.point = self.kernel.at(len(self.used))

    def leave_alone(self):
        """The other of the pair has ended. A kernel is many launches, so that its cores may change at once."""
        self.cores = self.policy.alone(self.application, self.cores, self.gpu)
        self.use()

    def part(self):
        """The IPC since it began, by that of its best point."""
        return self.application.instructions / (self.gpu.total - self.since) / best(self.application.points).ipc

    def cycles(self, slowdown):
        """Cycles of the whole kernel at this slowdown."""
        return self.point.total * slowdown / self.gpu.speed(self.used)

    def advance(self, cycles, slowdown):
        for core, active in zip(self.used, self.point.active):
            self.gpu.active[core] += cycles * active / self.point.total
        self.left -= cycles / self.cycles(slowdown)
        if self.left < 1e-9:
            self.begin()


def run_pairs(policy, queue, gpu, slowdowns):
    """Runs applications as the policy pairs them: a pair ends before the next begins. slowdowns(kernel, cores, kernel, cores) is
    how much each is slowed by the other; it holds until one of the kernels ends."""
    waiting, instructions, parts = list(queue), sum(a.instructions for a in queue), {}
    while waiting:
        lanes = [Lane(application, cores, policy, gpu) for application, cores in policy.pick(waiting, gpu)]
        for lane in lanes:
            del waiting[next(i for i, a in enumerate(waiting) if a is lane.application)]
        while True:
            running = [lane for lane in lanes if lane.kernel]
            if not running:
                break
            each = [1.0]
            if len(running) == 2:
                a, b = running
                each = slowdowns(a.kernel.name, len(a.used), b.kernel.name, len(b.used))
            step = min(lane.left * lane.cycles(s) for lane, s in zip(running, each))
            gpu.total += step
            for lane, s in zip(running, each):
                lane.advance(step, s)
            for lane in running:
                if not lane.kernel:
                    parts.setdefault(lane.application.name, []).append(lane.part())
            left = [lane for lane in running if lane.kernel]
            if len(left) < len(running) and left:
                left[0].leave_alone()
    return Result(policy.name, instructions / gpu.total, gpu, parts=parts)


def class_slowdowns(applications, cores, slowdowns):
    """Facts.slowdown: kernels of each pair of classes side by side on half of the cores, on average."""
    sums = {}
    kernels = {k.name: class_of(Application(k.name, (k,))) for a in applications for k in a.kernels}
    names = sorted(kernels)
    for i, a in enumerate(names):
        for b in names[i:]:
            key = tuple(sorted((kernels[a], kernels[b])))
            sums.setdefault(key, []).append(statistics.fmean(slowdowns(a, cores // 2, b, cores // 2)))
    return {key: statistics.fmean(values) for key, values in sums.items()}
