"""Shared by the tests of the texture unit: coordinates, requests, comparison with the model."""
import math
import random
import sys
import unittest
from fractions import Fraction

import mali
from mali import F32, S32, SAMPLE, U32
from model import Model

AXIS_NAMES = "xyz"


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.unit = mali.Unit(PROBE)

    @classmethod
    def tearDownClass(cls):
        cls.unit.close()

    def setUp(self):
        self.rng = random.Random(SEED)

    def coordinate(self, n, normalized, reach=2):
        """Returns a fraction that fp32 represents, as its multiple by n as well, in and around 0 …
        n."""
        s = Fraction(self.rng.randrange(-reach * 1024, (reach + 1) * 1024), 1024)
        return s if normalized else s * n

    def points(self, texture, sampler, count, reach=2):
        axes = mali.AXES[texture.dimension]
        return [[self.coordinate(texture.size[k], sampler.normalized, reach) for k in range(axes)]
                for _ in range(count)]

    @staticmethod
    def operands(texture, coordinates, **more):
        kind = {"uint": U32, "sint": S32}.get(texture.format.kind, F32)
        out = {AXIS_NAMES[k]: float(c) for k, c in enumerate(coordinates)}
        return dict(out, format=kind, **more)

    def check_words(self, texture, got, want, what, tolerance=0.0):
        """Compares four words of a result with the four expected numbers."""
        self.assertIsInstance(got, tuple, f"{what}: refused: {got}")
        values = []
        for word, v in zip(got, want):
            if texture.format.is_integer():
                values.append(word - (1 << 32) if texture.format.kind == "sint" and word >> 31 else word)
            else:
                values.append(mali.number(word))
        for a, v in zip(values, want):
            if isinstance(v, float) and math.isnan(v):
                good = math.isnan(a)
            elif tolerance and not texture.format.is_integer():
                good = abs(a - v) <= tolerance
            else:
                good = a == (v if texture.format.is_integer() else mali.number(mali.bits(v)))
            if not good:
                self.fail(f"{what}: {values}, not {list(want)}")

    def check_samples(self, texture, sampler, points, extra=None, versions=(6, 7), tolerance=None,
                      thread="compute"):
        """Samples at the points; extra returns further operands and arguments of the model for each
        point."""
        model = Model(texture, sampler)
        extra = extra or [({}, {})] * len(points)
        requests = [(SAMPLE, self.operands(texture, p, **o)) for p, (o, _) in zip(points, extra)]
        exact = tolerance is None and not (sampler.magnify or sampler.minify)
        for version in versions:
            answers = self.unit.ask(version, texture, sampler, requests, thread)
            for p, (operands, arguments), got in zip(points, extra, answers):
                what = f"v{version} at {[str(c) for c in p]} {operands}"
                self.check_words(texture, got, model.sample(p, **arguments), what,
                                 0.0 if exact and not texture.format.srgb else tolerance or 2e-6)


def main():
    global PROBE, SEED
    PROBE = sys.argv.pop(1)
    SEED = int(sys.argv.pop(1)) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 1
    sys.modules["case"].PROBE, sys.modules["case"].SEED = PROBE, SEED
    print(f"seed {SEED}", flush=True)
    unittest.main()
