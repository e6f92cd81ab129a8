"""Levels of detail: test_levels.py PROBE [SEED]."""
import itertools
import math
from fractions import Fraction

import case
from case import AXIS_NAMES
from mali import AXES, FLAT, GRADIENT, LINEAR, VOLUME, Sampler, Texture


class Levels(case.Case):
    def lods(self, count, low=-3, high=7):
        return [Fraction(self.rng.randrange(low * 256, high * 256), 256) for _ in range(count)]

    def check(self, texture, sampler, lods, biased=False, versions=(6, 7)):
        points = self.points(texture, sampler, len(lods), reach=0)
        extra = [({"lod": int(lod * 256), "biased": int(biased)}, {"lod": lod, "biased": biased})
                 for lod in lods]
        self.check_samples(texture, sampler, points, extra, versions, tolerance=4e-6)

    def texture(self, **more):
        return Texture.random(self.rng, "rgba32 float", FLAT, (21, 10), levels=5, **more)

    def test_modes(self):
        """Between levels: none, the nearest, or two mixed; different filters."""
        texture = self.texture()
        for mipmap, magnify, minify in itertools.product(("none", "nearest", "trilinear"), (False, True),
                                                         (False, True)):
            sampler = Sampler("repeat", magnify, minify, mipmap=mipmap)
            with self.subTest(mipmap=mipmap, magnify=magnify, minify=minify):
                self.check(texture, sampler, self.lods(150))

    def test_halfway(self):
        """The finer one of two equally near levels; at whole levels only one."""
        texture = self.texture()
        lods = [Fraction(n, 256) for k in range(6) for n in (256 * k + 127, 256 * k + 128, 256 * k + 129,
                                                             256 * k, 256 * k + 1, 256 * k - 1)]
        for mipmap in ("nearest", "trilinear"):
            self.check(texture, Sampler("edge", True, mipmap=mipmap), lods)

    def test_limits(self):
        """The sampler's limits also decide on the filter, the texture's do not."""
        for low, high in ((0, 31), (1, 3), (Fraction(3, 2), 2), (0, 0), (2, 2)):
            for mipmap in ("nearest", "trilinear"):
                sampler = Sampler("edge", False, True, mipmap=mipmap, lods=(low, high))
                self.check(self.texture(), sampler, self.lods(40))
                sampler = Sampler("edge", False, True, mipmap=mipmap)
                self.check(self.texture(lods=(low, high)), sampler, self.lods(40))

    def test_cutoff(self):
        """The level at which minification begins: 0, or 0.5."""
        lods = [Fraction(n, 256) for n in (-1, 0, 1, 127, 128, 129, 255, 256)]
        for cutoff in (False, True):
            self.check(self.texture(), Sampler("edge", False, True, cutoff=cutoff), lods)

    def test_bias(self):
        for bias in (Fraction(3, 2), Fraction(-5, 4), Fraction(1, 256)):
            sampler = Sampler("edge", True, mipmap="trilinear", bias=bias)
            self.check(self.texture(), sampler, self.lods(40), biased=True)
            self.check(self.texture(), sampler, self.lods(40), biased=False)

    def test_volume(self):
        texture = Texture.random(self.rng, "rgba16 float", VOLUME, (9, 6, 5), levels=4)
        self.check(texture, Sampler("edge", True, mipmap="trilinear"), self.lods(100))

    def check_gradients(self, texture, sampler, clamped):
        axes = AXES[texture.dimension]
        requests, want = [], []
        for _ in range(60):
            sides = [[self.rng.uniform(-1, 1) * 2.0 ** self.rng.randrange(-8, 3) for _ in range(axes)]
                     for _ in range(2)]
            operands = {f"{name}{AXIS_NAMES[k]}": v for name, side in zip(("d/dx ", "d/dy "), sides)
                        for k, v in enumerate(side)}
            requests.append((GRADIENT, dict(operands, biased=1, unclamped=int(not clamped))))
            scale = texture.size if sampler.normalized else (1, 1, 1)
            rho = max(math.hypot(*(v * n for v, n in zip(side, scale))) for side in sides)
            lod = math.log2(rho) + float(sampler.bias)
            want.append(min(max(lod, sampler.lods[0]), sampler.lods[1]) if clamped else lod)
        for got, lod in zip(self.unit.ask(7, texture, sampler, requests), want):
            value = got[0] - (1 << 16) if got[0] >> 15 else got[0]
            self.assertLessEqual(abs(value - lod * 256), 1, f"{value / 256}, not {lod}")

    def test_gradients(self):
        for dimension, size in ((LINEAR, (64,)), (FLAT, (64, 48)), (VOLUME, (32, 8, 16))):
            texture = Texture.random(self.rng, "r8 unorm", dimension, size)
            for normalized in (True, False):
                for clamped in (True, False):
                    sampler = Sampler("edge", True, normalized=normalized, lods=(0, 4),
                                      bias=Fraction(1, 2))
                    self.check_gradients(texture, sampler, clamped)


if __name__ == "__main__":
    case.main()
