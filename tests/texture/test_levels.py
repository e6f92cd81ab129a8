"""Levels of detail: test_levels.py PROBE [SEED]."""
import itertools
import math
from fractions import Fraction

import case
from case import AXIS_NAMES
from mali import AXES, CUBE, FLAT, GRADIENT, LINEAR, SAMPLE, VOLUME, Sampler, Texture, bits
from model import Model


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

    def steps(self, texture, point, kind, level):
        """Operands of a quad whose pixels are 2 ** level texels apart along one of the screen's axes, and half
        as far along the other; of kind 2 they are the neighbours' places."""
        sides = [[Fraction(0)] * 3 for _ in range(2)]
        long, axis = self.rng.randrange(2), self.rng.randrange(AXES[texture.dimension])
        other = (axis + 1) % AXES[texture.dimension]
        sides[long][axis] = Fraction(2) ** level / texture.size[axis] * self.rng.choice((1, -1))
        sides[1 - long][other] = Fraction(2) ** (level - 1) / texture.size[other]
        return {f"{name}{AXIS_NAMES[k]}": float(side[k] + (point[k] if kind == 2 else 0))
                for name, side in zip(("d/dx ", "d/dy "), sides) for k in range(AXES[texture.dimension])}

    def test_computed(self):
        """In fragments the level is computed from the neighbours; the request's is added, and the bias."""
        for dimension, size in ((LINEAR, (64,)), (FLAT, (64, 32)), (VOLUME, (32, 16, 8))):
            texture = Texture.random(self.rng, "rgba16 float", dimension, size, levels=4)
            sampler = Sampler("edge", True, mipmap="trilinear", bias=Fraction(3, 8))
            points = self.points(texture, sampler, 80, reach=0)
            for thread in ("fragment", "compute"):
                extra = []
                for n, p in enumerate(points):
                    level, kind, biased = self.rng.randrange(-1, 4), 1 + n % 2, n // 2 % 2
                    more = Fraction(self.rng.randrange(-300, 300), 256)
                    lod = more + (level if thread == "fragment" else 0)
                    extra.append((dict(self.steps(texture, p, kind, level), computed=kind, biased=biased,
                                       lod=int(more * 256)), {"lod": lod, "biased": bool(biased)}))
                self.check_samples(texture, sampler, points, extra, (7,), 4e-6, thread)

    def test_computed_in_a_cube(self):
        """Places on the same face: its number is in the upper three bits of the coordinate."""
        texture = Texture.random(self.rng, "rgba16 float", CUBE, (16, 16), levels=4)
        sampler = Sampler("edge", True, mipmap="trilinear")
        points = [[Fraction(self.rng.randrange(24, 40), 64) for _ in range(2)] for _ in range(60)]
        extra = []
        for p in points:
            level, face = self.rng.randrange(-1, 3), self.rng.randrange(6)
            operands = self.steps(texture, p, 2, level)
            for name in ("d/dx x", "d/dy x"):
                operands[name] = bits(operands[name]) & 0x1fffffff | face << 29
            extra.append((dict(operands, computed=2, face=face), {"lod": Fraction(level), "face": face}))
        self.check_samples(texture, sampler, points, extra, (7,), 4e-6, "fragment")

    def check_footprint(self, texture, sampler, long, short, samples, level):
        """A pixel that is `long` texels along one of the screen's axes and `short` along the other is the mean of
        `samples` samples (EXT_texture_filter_anisotropic)."""
        model = Model(texture, sampler)
        requests, want = [], []
        for n in range(16):
            point = [Fraction(self.rng.randrange(200, 824), 1024) for _ in range(2)]
            side, axis = n % 2, n // 2 % 2
            steps = [[Fraction(0)] * 2 for _ in range(2)]
            steps[side][axis] = Fraction(long) / texture.size[axis]
            steps[1 - side][1 - axis] = Fraction(short) / texture.size[1 - axis]
            operands = {f"{name}{AXIS_NAMES[k]}": float(steps[i][k])
                        for i, name in enumerate(("d/dx ", "d/dy ")) for k in range(2)}
            requests.append((SAMPLE, self.operands(texture, point, computed=1, **operands)))
            at = [[p + s * (Fraction(i, samples + 1) - Fraction(1, 2)) for p, s in zip(point, steps[side])]
                  for i in range(1, samples + 1)] if samples > 1 else [point]
            parts = [model.sample(p, lod=Fraction(level)) for p in at]
            want.append([math.fsum(part[k] for part in parts) / len(parts) for k in range(4)])
        for got, v in zip(self.unit.ask(7, texture, sampler, requests, "fragment"), want):
            self.check_words(texture, got, v, f"{long} by {short}, {samples} samples", 5e-5)

    def test_anisotropy(self):
        texture = Texture.random(self.rng, "rgba16 float", FLAT, (64, 32), levels=5)
        for most, long, short, samples, level in ((16, 8, 1, 8, 0), (4, 8, 1, 4, 1), (2, 8, 1, 2, 2),
                                                  (16, 2, 2, 1, 1), (16, 7, 2, 4, None), (16, 4, 0, 16, -2),
                                                  (3, 12, 4, 3, 2), (1, 8, 1, 1, 3)):
            sampler = Sampler("repeat", True, mipmap="trilinear", anisotropy=most)
            if level is None:
                level = Fraction(round(math.log2(long / samples) * 256), 256)
            with self.subTest(most=most, long=long, short=short):
                self.check_footprint(texture, sampler, long, short, samples, level)

    def test_skipped(self):
        """Helpers need no results of some requests."""
        texture = self.texture()
        for thread, skips in itertools.product(("fragment", "helper"), (0, 1)):
            got = self.unit.ask(7, texture, Sampler(), [(SAMPLE, self.operands(texture, [0.5, 0.5], skips=skips))], thread)
            want = [0.0] * 4 if skips and thread == "helper" else texture.texel(10, 5, 0)
            self.check_words(texture, got[0], want, f"{thread} {skips}")

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
