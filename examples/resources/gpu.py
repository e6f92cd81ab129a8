"""The GPU as a policy sees it: its cores, how active each has been, and how it ages by that."""
import statistics
from dataclasses import dataclass, field, replace

import aging
from technology import Technology


@dataclass
class Gpu:
    """`active` and `total` are cycles of the nominal clock, by core (the history that equation 4.8 takes). Copy it by
    copy() to try something."""
    cores: int
    mhz: float
    frequencies: list = None     # MHz by core (process variation); None: all have the nominal clock
    tech: Technology = Technology()
    active: list = field(default_factory=list)
    total: float = 0.0

    def __post_init__(self):
        self.frequencies = self.frequencies or [self.mhz] * self.cores
        self.active = list(self.active) or [0.0] * self.cores

    def copy(self):
        return replace(self, active=list(self.active))

    def speed(self, cores):
        """How fast work-groups that are dealt to these cores as they become free run, by the nominal clock."""
        return sum(self.frequencies[c] for c in cores) / (self.mhz * len(cores))

    def ran(self, cores, active, total):
        """Adds a kernel: the part active / total of its `total` cycles the cores were active (the i-th of `cores` with
        active[i]), the others were gated."""
        for core, cycles in zip(cores, active):
            self.active[core] += cycles
        self.total += total

    def activity(self, core):
        return aging.factor(self.active[core], self.total)

    def relative_delays(self):
        """By core, after as many years as the technology says, of the activity so far, to 1/10000."""
        return self.relative_delays_after(self.tech.years)

    def relative_delays_after(self, years):
        return [aging.relative_delay(round(self.activity(c), 4), self.frequencies[c] * 1e6, self.mhz * 1e6, self.tech, years)
                for c in range(self.cores)]

    def spread(self):
        """The deviation and the mean of the relative delays, which algorithm 1 compares."""
        delays = self.relative_delays()
        return statistics.pstdev(delays), statistics.fmean(delays)

    def least_active(self, n, among=None):
        """The n cores with the lowest activity, the lowest number first where they are equal."""
        return sorted(sorted(range(self.cores) if among is None else among, key=lambda c: (self.active[c], c))[:n])

    def least_aged_order(self, among=None):
        """Cores by relative delay, which the core's clock enters; then by activity, then by number."""
        delays = self.relative_delays()
        return sorted(range(self.cores) if among is None else among, key=lambda c: (delays[c], self.active[c], c))

    def least_aged(self, n, among=None):
        """The n least aged cores, by number."""
        return sorted(self.least_aged_order(among)[:n])
