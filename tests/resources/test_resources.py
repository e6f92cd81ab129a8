#!/usr/bin/env python3
"""The models and policies of scripts/resources: equations 4.1 to 4.8, 5.1 and 5.2 of seed 004, algorithm 1 and the rules of
5.2.2, by cases worked out by hand; and a small run of the whole, through mali-run."""
import argparse
import dataclasses
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile
import unittest
from xml.dom import minidom

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "examples/resources"))
import aging
import queues
import variation
from gpu import Gpu
from policies import Facts
from policies.aging_aware import AgingAware
from policies.aging_aware_pairs import AgingAwarePairs
from policies.algorithm1 import Algorithm1, Algorithm1OfApplications, select
from policies.all_cores import AllCores
from policies.allocation import allocate
from policies.concurrent import Concurrent, ConcurrentRegrown
from policies.fcfs import Fcfs, FcfsRegrown
from policies.gating import gated
from policies.ilp_smra import IlpSmra, split
from policies.pairing import pairs_of
from policies.partition import partition
from policies.performance_aging import PerformanceAging
from policies.profiling import Profiling
from profiles import Application, Kernel, Point, acceptable, best, class_of, kappa
from technology import BHARDWAJ, BOLTZMANN, CHARGE, DEVICE, PERMITTIVITY, SOURCES, VARIATION_SOURCES, Technology, Variation

ARGS = None
# Constants with which the equations can be followed on paper: v is 1, and w nearly so.
PLAIN = Technology(vdd=1.5, vth=0.5, r=-1.0, n=0.5, a_n=0.01, e_0=1.0, e_a=0.0, xi_1=1.0, xi_2=1.0, xi_3=0.0, xi_4=1.0, t_m=4.0,
                   hci_share=0.5, kelvin=300.0, years=1.0)


def points_of(ipcs, active=1.0, total=100.0):
    """Points of 1, 2, … cores, each active for a part of `total` cycles."""
    return tuple(Point(i + 1, ipc, (active * total,) * (i + 1), total) for i, ipc in enumerate(ipcs))


def application(name, ipcs, memory=0.0, cache=0.0, active=1.0):
    """One kernel of 1000 instructions."""
    points = tuple(Point(i + 1, ipc, (active * 1000 / ipc,) * (i + 1), 1000 / ipc) for i, ipc in enumerate(ipcs))
    return Application(name, (Kernel(name, 1000.0, points, memory, cache),))


class Ageing(unittest.TestCase):
    def test_supply(self):
        """4.4: 1 V of overdrive, E_0 of 1 V."""
        self.assertAlmostEqual(aging.u(PLAIN, 1.5), math.e)
        self.assertAlmostEqual(aging.u(PLAIN, 1.0), 0.5 * math.exp(0.5))

    def test_temperature(self):
        """4.5: e to the -1 where kT is E_a."""
        tech = dataclasses.replace(PLAIN, e_a=BOLTZMANN * 300, xi_4=2.0)
        self.assertAlmostEqual(aging.v(tech, 300), 2 / math.e)
        self.assertAlmostEqual(aging.v(tech, 600), 2 / math.sqrt(math.e))

    def test_recovery(self):
        """4.6, at n = 1/2 so that w is the quotient itself: (1 + sqrt(3 * (1 - d) * 4)) / (1 + sqrt(t))."""
        self.assertAlmostEqual(aging.w(PLAIN, 0.3, 300, 81.0), 1 / 10)
        tech = dataclasses.replace(PLAIN, xi_3=3.0)
        self.assertAlmostEqual(aging.w(tech, 0.25, 300, 81.0), 4 / 10)
        self.assertEqual(aging.w(tech, 0.25, 300, 1.0), 1.0)

    def test_nbti(self):
        """4.2 at n = 1/2: A u sqrt(d t_m) / w times the integral of sqrt(x), 2/3."""
        expected = 0.01 * math.e * math.sqrt(0.25 * 4) / (1 / 10) * 2 / 3
        self.assertAlmostEqual(aging.nbti(PLAIN, 0.25, 300, 81.0), expected, delta=expected / 1000)
        self.assertEqual(aging.nbti(PLAIN, 0.0, 300, 81.0), 0.0)

    def test_hci(self):
        """4.7: A_H makes it half of NBTI's shift at full activity; it goes with the root of each activity and of time."""
        year = aging.YEAR
        full = aging.hci(PLAIN, 1.0, 1.0, 1e9, 300, year, 1e9)
        self.assertAlmostEqual(full, aging.nbti(PLAIN, 1.0, 300, year) / 2)
        self.assertAlmostEqual(aging.hci(PLAIN, 0.25, 1.0, 1e9, 300, year, 1e9), full / 2)
        self.assertAlmostEqual(aging.hci(PLAIN, 0.25, 0.25, 1e9, 300, year, 1e9), full / 4)
        self.assertAlmostEqual(aging.hci(PLAIN, 1.0, 1.0, 1e9, 300, year / 4, 1e9), full / 2)
        self.assertAlmostEqual(aging.hci(PLAIN, 1.0, 1.0, 0.81e9, 300, year, 1e9), full * 0.9)

    def test_delay(self):
        """4.1: a fifth of the overdrive is lost, and r = -1: 1 / 0.8."""
        self.assertAlmostEqual(aging.delay_of_shift(PLAIN, 0.2), 0.25)
        self.assertAlmostEqual(aging.delay_of_shift(dataclasses.replace(PLAIN, r=-2.0), 0.2), 0.5625)

    def test_factors(self):
        """4.3 and 4.8."""
        self.assertEqual(aging.factor(25, 100), 0.25)
        self.assertEqual(aging.factor(0, 0), 0.0)

    def test_as_bhardwaj(self):
        """At one duty cycle, 4.2 without its integral is the long-term model that the constants come from."""
        tech, seconds, b = Technology(), 3 * aging.YEAR, BHARDWAJ
        over, t_ox = tech.vdd - tech.vth, DEVICE["t_ox"]
        c = math.exp(-b["E_a"] / (BOLTZMANN * 353)) / b["T_0"]
        k_v = (CHARGE * t_ox / PERMITTIVITY) ** 3 * b["K"] ** 2 * (PERMITTIVITY / t_ox) * over * math.sqrt(c) * math.exp(2 * over / t_ox / b["E_0"])
        for duty in (0.1, 0.5, 1.0):
            beta = 1 - (2 * b["xi_1"] * t_ox + math.sqrt(b["xi_2"] * c * (1 - duty) * tech.t_m)) / (2 * t_ox + math.sqrt(c * seconds))
            theirs = (math.sqrt(k_v ** 2 * duty * tech.t_m) / (1 - beta ** (1 / (2 * b["n"])))) ** (2 * b["n"])
            ours = (tech.a_n * aging.u(tech, tech.vdd) * (aging.v(tech, 353) * duty * tech.t_m) ** tech.n
                    / aging.w(tech, duty, 353, seconds) ** (2 * tech.n))
            self.assertAlmostEqual(ours, theirs, delta=1e-9)

    def test_monotone(self):
        delays = [aging.relative_delay(a / 10, 7e8, 7e8) for a in range(11)]
        self.assertEqual(delays[0], 0.0)
        self.assertEqual(delays, sorted(set(delays)))
        self.assertGreater(aging.relative_delay(0.5, 8e8, 7e8), aging.relative_delay(0.5, 7e8, 7e8))

    def test_lifetime(self):
        critical = aging.relative_delay(0.5, 7e8, 7e8, years=7)
        self.assertAlmostEqual(aging.lifetime(0.5, 7e8, 7e8, critical), 7, delta=0.01)
        self.assertGreater(aging.lifetime(0.4, 7e8, 7e8, critical), 7)

    def test_sources(self):
        self.assertEqual(set(SOURCES), {f.name for f in dataclasses.fields(Technology)})
        self.assertEqual(set(VARIATION_SOURCES), {f.name for f in dataclasses.fields(Variation)})


class Process(unittest.TestCase):
    def test_correlation(self):
        """5.1: three down and four across are five cells."""
        self.assertAlmostEqual(variation.correlation(0.2, (1, 1), (4, 5)), math.exp(-1))
        self.assertEqual(variation.correlation(0.2, (2, 3), (2, 3)), 1.0)
        constants = Variation()
        self.assertAlmostEqual(variation.correlation(constants.alpha, (0, 0), (0, 6)), 0.05)

    def test_cholesky(self):
        self.assertEqual(variation.lower([[4.0, 2.0], [2.0, 5.0]]), [[2.0], [1.0, 2.0]])

    def test_tiles(self):
        self.assertEqual([variation.columns_of(n) for n in (1, 4, 6, 12)], [1, 2, 3, 4])
        self.assertEqual(variation.cells_of(4, 3, 4), [(2, 2), (2, 3), (3, 2), (3, 3)])
        self.assertEqual(len({c for core in range(12) for c in variation.cells_of(12, core, 12)}), 144)

    def test_frequencies(self):
        """5.2: the slowest cell of a core's tile decides."""
        maps = variation.Maps(4, 600, Variation(grid=4))
        p = {cell: 1.0 for cell in maps.cells}
        p[2, 3] = 1.25
        p[0, 0] = 0.5
        self.assertEqual(maps.frequencies(p), [600, 600, 600, 480])

    def test_maps(self):
        maps = variation.Maps(4, 600, Variation(grid=4, sigma=0.1), seed=3)
        drawn = [maps.draw() for _ in range(1500)]
        near = statistics.correlation([p[0, 0] for p in drawn], [p[0, 1] for p in drawn])
        self.assertAlmostEqual(near, variation.correlation(maps.constants.alpha, (0, 0), (0, 1)), delta=0.06)
        self.assertAlmostEqual(statistics.pstdev(p[1, 2] for p in drawn), 0.1, delta=0.01)
        self.assertAlmostEqual(statistics.fmean(p[1, 2] for p in drawn), 1.0, delta=0.01)
        again = variation.Maps(4, 600, Variation(grid=4, sigma=0.1), seed=3)
        self.assertEqual(again.draw(), drawn[0])
        with self.assertRaises(ValueError):
            variation.Maps(5, 600, Variation(grid=12))


class Profiles(unittest.TestCase):
    def test_points(self):
        points = points_of([1, 4, 5, 5, 4.5])
        self.assertEqual(best(points).cores, 3)
        self.assertEqual(best(points_of([1, 4.96, 5])).cores, 2)
        self.assertEqual([p.cores for p in acceptable(points)], [5, 4, 3])
        self.assertEqual(kappa(points), 2)
        self.assertEqual(Kernel("k", 1, points).at(7).cores, 5)

    def test_application(self):
        a = Kernel("a", 100, (Point(1, 1, (100,), 100), Point(2, 2, (50, 40), 50)))
        b = Kernel("b", 200, (Point(1, 4, (50,), 50), Point(2, 4, (50, 0), 50)), memory=0.9)
        both = Application("both", (a, b.times(2))).points
        self.assertEqual([(p.cores, p.ipc, p.active, p.total) for p in both], [(1, 2.5, (200, ), 200), (2, 500 / 150, (150, 40), 150)])

    def test_classes(self):
        self.assertEqual([class_of(application("x", [1], m, c)) for m, c in ((0.95, 0), (0.3, 0.9), (0.1, 0.5), (0.1, 0.1))],
                         ["M", "MC", "C", "A"])


class Choosing(unittest.TestCase):
    """Algorithm 1, on a GPU of four cores."""

    def gpu(self, *active, total=1000.0):
        return Gpu(4, 600, active=list(active), total=total)

    def test_deviation_first(self):
        """Cores 2 and 3 have done nothing: two cores leave all alike, four do not, although their IPC is higher."""
        gpu = self.gpu(100, 100, 0, 0)
        points = (Point(4, 10, (100,) * 4, 100), Point(2, 9, (100,) * 2, 100))
        self.assertEqual(select(points, gpu), 2)
        self.assertEqual(Algorithm1().choose(None, Kernel("k", 1, points), gpu), [2, 3])
        self.assertEqual(gpu.active, [100, 100, 0, 0])

    def test_mean_next(self):
        """From nothing, points of all cores leave no deviation; the less active one has the lower mean."""
        points = (Point(4, 10, (90,) * 4, 100), Point(4, 9, (50,) * 4, 100))
        gpu = self.gpu(0, 0, 0, 0, total=0.0)
        self.assertEqual(select(points, gpu), 4)
        class Alike(Gpu):
            """The mean is told by how long the kernel takes."""

            def spread(self):
                return 0.0, self.total
        points = (Point(4, 9, (50,) * 4, 100), Point(3, 8, (50,) * 3, 80), Point(2, 10, (50,) * 2, 120))
        self.assertEqual(select(points, Alike(4, 600)), 3)
        self.assertEqual(select(points[::-1], Alike(4, 600)), 3)

    def test_throughput_last(self):
        """Of two that leave equal cores, the one with the higher IPC."""
        points = (dataclasses.replace(points_of([1, 2, 3, 4])[3], ipc=5), points_of([1, 2, 3, 7])[3])
        tried = []

        class Noted(Gpu):
            def spread(self):
                tried.append(self.total)
                return 0.0, 0.0
        self.assertEqual(select((Point(2, 5, (1, 1), 10), Point(3, 7, (1, 1, 1), 10), Point(4, 6, (1,) * 4, 10)), Noted(4, 600)), 3)
        self.assertEqual(select(points, Noted(4, 600)), 4)
        self.assertEqual(tried[:3], [10, 10, 10])

    def test_only_acceptable(self):
        """One core would level the GPU out, but has half of the IPC."""
        gpu = self.gpu(100, 100, 100, 0)
        kernel = Kernel("k", 1, points_of([5, 9.5, 10, 10]))
        self.assertGreaterEqual(len(Algorithm1().choose(None, kernel, gpu)), 2)
        self.assertIn(3, Algorithm1().choose(None, kernel, gpu))

    def test_others(self):
        gpu = self.gpu(100, 0, 50, 0)
        app = application("x", [1, 9.5, 10, 8])
        self.assertEqual(AllCores().choose(app, app.kernels[0], gpu), [0, 1, 2, 3])
        self.assertEqual(Profiling().choose(app, app.kernels[0], gpu), [0, 1, 2])
        self.assertEqual(AgingAware().choose(app, app.kernels[0], gpu), [1, 3])
        self.assertIn(1, Algorithm1OfApplications().choose(app, app.kernels[0], gpu))

    def test_history(self):
        gpu = self.gpu(0, 0, 0, 0, total=0.0)
        gpu.ran([1, 3], (30, 20), 100)
        gpu.ran([3], (100,), 100)
        self.assertEqual([gpu.activity(c) for c in range(4)], [0, 0.15, 0, 0.6])
        self.assertEqual(gpu.least_active(3), [0, 1, 2])
        self.assertEqual(gpu.least_aged_order(), [0, 2, 1, 3])
        slow = Gpu(2, 600, [600, 300])
        self.assertEqual(slow.speed([0, 1]), 0.75)


class Together(unittest.TestCase):
    """The rules of 5.2.2, for twelve cores: the least is one."""

    def shapes(self, nu, kappa_of, ipc):
        """Points with these nu and kappa: IPC rises to kappa with the number of cores, then little, up to nu."""
        return tuple(Point(n, ipc * (0.85 + 0.1 * n / nu if kappa_of <= n < nu else 1.0 if n >= nu else 0.79 * n / kappa_of), (1,) * n, 10)
                     for n in range(1, 13))

    def test_shapes(self):
        points = self.shapes(8, 5, 10)
        self.assertEqual((best(points).cores, kappa(points)), (8, 5))

    def test_partition(self):
        cases = [
            ((6, 3), (6, 3), (6, 6)),     # both ideal
            ((4, 3), (5, 3), (4, 5)),     # both ideal, three are left
            ((9, 5), (6, 3), (9, 3)),     # the one with the higher IPC is ideal, the other gets the rest
            ((8, 5), (6, 3), (8, 4)),
            ((12, 6), (8, 6), (6, 6)),    # both kappa
            ((12, 9), (8, 6), (9, 3)),    # the other shrinks
            ((12, 12), (8, 6), (11, 1)),  # to the least; then the first, too
        ]
        for a, b, expected in cases:
            self.assertEqual(partition(self.shapes(*a, 20), self.shapes(*b, 10), 12), expected, (a, b))
            self.assertEqual(partition(self.shapes(*b, 10), self.shapes(*a, 20), 12), expected[::-1], (b, a))

    def test_allocation(self):
        """Six cores; 0, 3 and 5 are the most aged."""
        gpu = Gpu(6, 600, active=[90, 10, 20, 80, 0, 70], total=100)
        self.assertEqual(allocate((0.9, 0.2), (2, 3), gpu), [[1, 4], [0, 3, 5]])
        self.assertEqual(allocate((0.2, 0.9), (2, 3), gpu), [[0, 3], [1, 2, 4]])
        faster = Gpu(2, 600, [610, 590], active=[50, 50], total=100)
        self.assertEqual(allocate((0.9, 0.2), (1, 1), faster), [[1], [0]])

    def test_gating(self):
        slow = Kernel("slow", 100, points_of([3.5, 3.8, 3.9, 4]))
        fast = Kernel("fast", 10000, points_of([5, 10, 15, 20]))
        app = Application("app", (slow, dataclasses.replace(fast, points=tuple(dataclasses.replace(p, total=10000 / p.ipc) for p in fast.points))))
        self.assertEqual(gated(app, slow, 4, z=2, p=0.9), 2)
        self.assertEqual(gated(app, slow, 4, z=2, p=0.8), 1)
        self.assertEqual(gated(app, slow, 4, z=2, p=0.8, least=3), 3)
        self.assertEqual(gated(app, slow, 4, z=100), 4)
        self.assertEqual(gated(app, fast, 4), 4)

    def test_pairs(self):
        """A-M and A-M slow less in all than A-A and M-M; where they do not, the pairs are those."""
        facts = Facts({("A", "A"): 1.0, ("A", "M"): 1.1, ("M", "M"): 1.5})
        self.assertEqual(pairs_of(("A", "A", "M", "M"), facts), [(0, 2), (1, 3)])
        facts = Facts({("A", "A"): 1.0, ("A", "M"): 1.3, ("M", "M"): 1.5})
        self.assertEqual(pairs_of(("M", "A", "M", "A"), facts), [(1, 3), (0, 2)])
        self.assertEqual(pairs_of(("M", "A", "A"), facts), [(1, 2)])

    def test_policies(self):
        m, a = application("m", [4, 5] + [5] * 10, 0.9, active=0.3), application("a", [n + 1 for n in range(12)])
        gpu, facts = Gpu(12, 600), Facts({("M", "M"): 2.0})
        (x, xs), (y, ys) = Fcfs().pick([m, a, m], gpu)
        self.assertEqual((x, xs, y, ys), (m, list(range(6)), a, list(range(6, 12))))
        self.assertEqual(AgingAwarePairs().gate(m, m.kernels[0], xs, gpu), [0, 1])
        picked = Concurrent(facts).pick([m, m, a], gpu)
        self.assertEqual([p[0] for p in picked], [m, a])
        self.assertEqual([len(p[1]) for p in picked], [1, 10])
        self.assertFalse(set(picked[0][1]) & set(picked[1][1]))


class Queues(unittest.TestCase):
    def test_single(self):
        """4.2: 2000 instructions in 2 * 100 cycles; on cores of half the clock in twice the time."""
        app = application("x", [5, 10])
        self.assertEqual(queues.run_single(AllCores(), [app, app], Gpu(2, 600)).throughput, 10)
        self.assertEqual(queues.run_single(AllCores(), [app, app], Gpu(2, 600, [300, 300])).throughput, 5)
        result = queues.run_single(Profiling(), [application("y", [10, 9])], Gpu(2, 600))
        self.assertEqual(result.activities, [1, 0])
        self.assertEqual(result.activity_deviation, 0.5)
        self.assertGreater(result.delays[0], result.delays[1])

    def test_pairs(self):
        """x takes 100 cycles on any cores, y 200. Side by side both are slowed to half of their speed: x ends at 200; y, with
        half of its work left, needs 100 more alone."""
        x, y = application("x", [10, 10]), Application("y", (Kernel("y", 1000, points_of([5, 5], 1.0, 200)),))
        result = queues.run_pairs(Fcfs(), [x, y], Gpu(2, 600), lambda *_: (2.0, 2.0))
        self.assertAlmostEqual(result.gpu.total, 300)
        self.assertAlmostEqual(result.throughput, 2000 / 300)
        self.assertAlmostEqual(result.gpu.active[0], 200)
        self.assertAlmostEqual(result.gpu.active[1], 300)
        # with both cores from then on, where it takes 100, y needs 50 more
        y = Application("y", (Kernel("y", 1000, (Point(1, 5, (200,), 200), Point(2, 10, (100, 100), 100))),))
        result = queues.run_pairs(FcfsRegrown(), [x, y], Gpu(2, 600), lambda *_: (2.0, 2.0))
        self.assertAlmostEqual(result.gpu.total, 250)
        self.assertAlmostEqual(result.gpu.active[0], 250)
        self.assertEqual(ConcurrentRegrown(None).alone(y, [1], Gpu(2, 600)), [0, 1])

    def test_queues(self):
        apps = [application(f"{c}{i}", [1], m, k) for c, m, k in (("m", 0.9, 0), ("mc", 0.4, 0), ("c", 0, 0.9), ("a", 0, 0)) for i in range(3)]
        found = queues.queues_of(apps, 10, seed=5)
        self.assertEqual(list(found), ["M", "MC", "C", "A", "mix 1", "mix 2", "mix 3"])
        for c in ("M", "MC", "C", "A"):
            self.assertGreaterEqual(sum(class_of(x) == c for x in found[c]), 6)
        self.assertEqual(found, queues.queues_of(apps, 10, seed=5))


class Compared(unittest.TestCase):
    """The two methods that chapter 5 compares with, and what is printed of energy, plans and parts of the ideal IPC."""

    def test_split(self):
        """12 IPC at most: of 4 cores the first gets three; equal ones get half each."""
        steep, flat = points_of([4, 8, 12, 16]), points_of([3, 3, 3, 3])
        self.assertEqual(split(steep, flat, 4), (3, 1))
        self.assertEqual(split(flat, steep, 4), (1, 3))
        self.assertEqual(split(flat, flat, 4), (2, 2))

    def test_pairs(self):
        both = [application("a", [4, 8, 12, 16]), application("b", [3, 3, 3, 3], active=0.5)]
        self.assertEqual([cores for _, cores in IlpSmra(Facts()).pick(both, Gpu(4, 100.0))], [[0, 1, 2], [3]])
        gpu = Gpu(4, 100.0)
        gpu.ran([0, 1], [90.0, 50.0], 100.0)
        picked = dict((x.name, cores) for x, cores in PerformanceAging(Facts()).pick(both, gpu))
        self.assertEqual(picked["b"], [0])  # the most active core for the application that is active less
        self.assertEqual(picked["a"], [1, 2, 3])

    def test_energy(self):
        """Two launches of 5 uJ in 200 cycles at 100 MHz, 2 us each: 2.5 W."""
        kernel = Kernel("k", 1000.0, (Point(1, 5.0, (200.0,), 200.0, 5.0),))
        result = queues.run_single(AllCores(), [Application("a", (kernel, kernel))], Gpu(1, 100.0))
        self.assertEqual((result.energy, result.watts), (10.0, 2.5))
        self.assertEqual(kernel.times(3).points[0].energy, 15.0)
        self.assertEqual(Application("a", (kernel, kernel)).points[0].energy, 10.0)

    def test_plan(self):
        """Each kernel on one of two cores, the less active one; a snapshot may have several shaders."""
        kernels = [Kernel(n, 1000.0, points_of([5.0, 5.0]), hashes=h) for n, h in (("x", ("0a", "0b")), ("y", ("0c",)))]
        self.assertEqual(queues.plan(AgingAware(), kernels, Gpu(2, 100.0)), ["kernel 0a 0x1  # x", "kernel 0b 0x1  # x", "kernel 0c 0x2  # y"])

    def test_parts(self):
        """Alone on half of the cores an application has half of its IPC of all."""
        one = application("a", [1.0, 2.0, 3.0, 4.0])
        result = queues.run_pairs(Fcfs(Facts()), [one, one], Gpu(4, 100.0), lambda *_: (1.0, 1.0))
        self.assertEqual([round(p, 6) for p in result.parts["a"]], [0.5, 0.5])


class Whole(unittest.TestCase):
    """Three small kernels through mali-run."""

    def run_it(self, *arguments, status=0):
        done = subprocess.run([sys.executable, "-B", str(ROOT / "scripts/resources"), *map(str, arguments)], capture_output=True,
                              text=True, timeout=100, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout + done.stderr

    def test_run(self):
        cases = [ROOT / f"tests/mali/snapshots/cases/{n}.G72.snap.elf" for n in ("sgemm", "vecadd")]
        with tempfile.TemporaryDirectory() as work:
            same = ["--mali-run", ARGS.mali_run, "--work", work, "--snapshots", *cases, "--set", "cores=2", "--maps", 2, "--length", 4]
            before = self.run_it(*same, "--svg", work)
            self.assertRegex(before, r"(?m)^vecadd +[MCA]+ +[12] +[12] ")
            for policy in ("algorithm 1", "proposed"):
                self.assertRegex(before, rf"(?m)^{policy} +[0-9.]+ +[-+][0-9.]+ % ")
            for name in ("ipc", "single-throughput", "single-delay", "concurrent-throughput", "concurrent-delay"):
                minidom.parse(str(pathlib.Path(work) / f"resources-{name}.svg"))
            self.assertRegex(before, r"(?m)^mean by all cores +1.000 ")
            self.assertRegex(before, r"(?m)^sgemm +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+$")
            self.assertEqual(self.run_it(*same), before)
            self.assertRegex(self.run_it("plan", *same), r"(?m)^kernel 5bff58eabd254248 0x[123]  # sgemm$")

    def test_constants(self):
        self.assertRegex(self.run_it("constants"), r"(?m)^e_a +0.49 +eV, Bhardwaj 2006$")

    def test_errors(self):
        with tempfile.TemporaryDirectory() as work:
            self.assertIn("no snapshots", self.run_it("--work", work, "--gpu", "g31", "--kernels", "none", status=2))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--mali-run", required=True)
    ARGS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
