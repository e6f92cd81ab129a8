"""Arrays, cubes, samples of a texel, and further operands of requests: test_shapes.py PROBE [SEED].
"""
import itertools
from fractions import Fraction

import case
import mali
from mali import ADDRESS, COMPARES, CUBE, F32, FETCH, FLAT, GATHER, LINEAR, TILED, VOLUME, Sampler, Texture
from model import Model, fold


class Shapes(case.Case):
    def check_layers(self, texture, sampler, count=150):
        points = self.points(texture, sampler, count, reach=0 if texture.dimension == CUBE else 1)
        extra = []
        for _ in points:
            layer, face = self.rng.randrange(texture.layers + 1), self.rng.randrange(texture.faces)
            lod = Fraction(self.rng.randrange(-64, 256 * texture.levels), 256)
            extra.append(({"layer": layer, "face": face, "lod": int(lod * 256)},
                          {"layer": layer, "face": face, "lod": lod}))
        self.check_samples(texture, sampler, points, extra, tolerance=4e-6)

    def test_arrays(self):
        """Layers, each with its levels; a layer beyond the last one is the last."""
        for dimension, size in ((LINEAR, (9,)), (FLAT, (9, 6))):
            texture = Texture.random(self.rng, "rgba16 float", dimension, size, layers=4, levels=3)
            for linear in (False, True):
                self.check_layers(texture, Sampler("repeat", linear, mipmap="trilinear"))

    def test_cubes(self):
        """Faces, edges between them, corners; arrays of cubes. Wrap modes matter only without
        seamless filtering."""
        cases = ((True, "edge", 1), (True, "repeat", 2), (False, "edge", 1), (False, "repeat", 2),
                 (False, ("mirrored repeat", "border", "edge"), 1))
        for seamless, wrap, layers in cases:
            texture = Texture.random(self.rng, "rgba32 float", CUBE, (4, 4), layers=layers, levels=3)
            for linear in (False, True):
                sampler = Sampler(wrap, linear, mipmap="trilinear", seamless=seamless)
                with self.subTest(seamless=seamless, wrap=wrap, layers=layers, linear=linear):
                    self.check_layers(texture, sampler, 300)

    def test_corners(self):
        """At a corner three texels share the weight."""
        texture = Texture.random(self.rng, "rgba32 float", CUBE, (2, 2))
        corners = [Fraction(0), Fraction(1, 16), Fraction(15, 16), Fraction(1)]
        points = [list(p) for p in itertools.product(corners, corners)] * 6
        extra = [({"face": n // 16}, {"face": n // 16}) for n in range(96)]
        self.check_samples(texture, Sampler("edge", True), points, extra)

    def test_samples(self):
        """Samples of a texel are separate surfaces; a request's sample number is in the operand of
        offsets."""
        for layers in (1, 3):
            texture = Texture.random(self.rng, "rgba8 uint", FLAT, (5, 4), samples=4, layers=layers)
            places = [(x, y, layer, s) for x in range(5) for y in range(4) for layer in range(layers)
                      for s in range(4)]
            requests = [(FETCH, dict(self.operands(texture, []), x=x, y=y, layer=layer, offsets=s << 24))
                        for x, y, layer, s in places]
            for version in (6, 7):
                answers = self.unit.ask(version, texture, Sampler(), requests)
                for (x, y, layer, s), got in zip(places, answers):
                    want = texture.texel(x, y, 0, layer=layer, sample=s)
                    self.check_words(texture, got, want, f"v{version} {x},{y},{layer} sample {s}")

    def test_addresses(self):
        """Address and format of a texel; z is a plane, and outside of the texture there is no
        address."""
        for (dimension, size, layers), layout, version in itertools.product(
                ((FLAT, (21, 18), 3), (VOLUME, (5, 4, 3), 1), (CUBE, (17, 17), 2), (LINEAR, (9,), 2)), (TILED, mali.ROWS),
                (6, 7)):
            if dimension == LINEAR and layout == TILED:
                continue
            texture = Texture.random(self.rng, "rgba8 uint", dimension, size, layers=layers, layout=layout)
            w, h, d = texture.size
            planes = d if dimension == VOLUME else layers * texture.faces
            places = [(self.rng.randrange(w + 1), self.rng.randrange(h + 1), self.rng.randrange(planes + 1)) for _ in range(90)]
            answers = self.unit.ask(version, texture, Sampler(),
                                    [(ADDRESS, {"x": x, "y": y, "z": z}) for x, y, z in places])
            for (x, y, z), got in zip(places, answers):
                want = 0
                if x < w and (y < h or dimension == LINEAR) and z < planes:
                    layer, face = (0, 0) if dimension == VOLUME else divmod(z, texture.faces)
                    base, *strides = self.unit.placed[layer, face, 0, 0]
                    want = base + mali.texel_offset(x, 0 if dimension == LINEAR else y, z if dimension == VOLUME else 0,
                                                    *strides)
                self.assertEqual(got, (want & 0xffffffff, want >> 32, texture.format.code(version), 0),
                                 f"v{version} {dimension} {layout} {x},{y},{z}")

    def test_fetches(self):
        """Integer coordinates, a level, a layer, offsets."""
        for dimension, size, more in ((LINEAR, (9,), {"layers": 2}), (FLAT, (9, 6), {"layers": 3}),
                                      (VOLUME, (5, 4, 6), {}), (CUBE, (4, 4), {"layers": 2})):
            texture = Texture.random(self.rng, "rgba16 sint", dimension, size, levels=3, **more)
            requests, want = [], []
            for _ in range(150):
                level = self.rng.randrange(3)
                at = [self.rng.randrange(n) if k < mali.AXES[dimension] else 0
                      for k, n in enumerate(texture.level_size(level))]
                layer, face = self.rng.randrange(texture.layers), self.rng.randrange(texture.faces)
                by = [self.rng.randrange(-8, 8) for _ in at]
                words = {"xyz"[k]: at[k] - by[k] for k in range(mali.AXES[dimension])}
                offsets = sum((b & 0xff) << 8 * k for k, b in enumerate(by))
                requests.append((FETCH, dict(self.operands(texture, []), level=level, layer=layer,
                                             face=face, offsets=offsets, **words)))
                want.append(texture.texel(*at, layer=layer, face=face, level=level))
            for version in (6, 7):
                for request, got, v in zip(requests, self.unit.ask(version, texture, Sampler(), requests),
                                           want):
                    self.check_words(texture, got, v, f"v{version} {request}")

    def test_offsets(self):
        """Offsets move the sampled texels before the coordinate wraps."""
        texture = Texture.random(self.rng, "rgba32 float", FLAT, (8, 4))
        for wrap, linear in itertools.product(("repeat", "edge", "border"), (False, True)):
            sampler = Sampler(wrap, linear)
            points = self.points(texture, sampler, 40, reach=0)
            requests, want = [], []
            for p in points:
                by = [self.rng.randrange(-3, 4), self.rng.randrange(-3, 4)]
                offsets = sum((b & 0xff) << 8 * k for k, b in enumerate(by))
                requests.append((mali.SAMPLE, self.operands(texture, p, offsets=offsets)))
                moved = [c + Fraction(b, n) for c, b, n in zip(p, by, texture.size)]
                want.append(Model(texture, sampler).sample(moved))
            for got, v, p in zip(self.unit.ask(7, texture, sampler, requests), want, points):
                self.check_words(texture, got, v, f"{wrap} {p}", 2e-6)

    def test_gathers(self):
        """Texels 00, 10, 01 and 11 of a linear filter, one component each."""
        for name, component in itertools.product(("rgba32 float", "rgba8 uint"), range(4)):
            texture = Texture.random(self.rng, name, FLAT, (7, 5), layout=TILED)
            sampler = Sampler("repeat", True)
            points = self.points(texture, sampler, 30)
            requests = [(GATHER, self.operands(texture, p, component=component)) for p in points]
            for p, got in zip(points, self.unit.ask(7, texture, sampler, requests)):
                first = [(c * n - Fraction(1, 2)).__floor__() for c, n in zip(p, texture.size)]
                want = [texture.texel((first[0] + dx) % 7, (first[1] + dy) % 5, 0)[component]
                        for dy in range(2) for dx in range(2)]
                self.check_words(texture, got, want, f"{name}.{component} {p}")

    def test_gathers_of_cubes(self):
        """Texels over an edge are of another face; the one that a corner lacks is the mean of the other three."""
        for n in (1, 2):
            texture = Texture.random(self.rng, "rgba32 float", CUBE, (n, n))
            model, component = Model(texture, Sampler("edge", True)), n
            places = list(itertools.product(range(6), range(-1, n), range(-1, n)))
            requests = [(GATHER, self.operands(texture, [(x + 1) / n, (y + 1) / n], face=face, component=component))
                        for face, x, y in places]
            for (face, x, y), got in zip(places, self.unit.ask(7, texture, model.s, requests)):
                found = [fold(face, x + dx, y + dy, n) for dy in range(2) for dx in range(2)]
                where = {"layer": 0, "level": 0, "sample": 0}
                want = [at and model.value(at[1], at[2], 0, dict(where, face=at[0]))[component] for at in found]
                known = [v for v in want if v is not None]
                want = [sum(known) / len(known) if v is None else v for v in want]
                self.check_words(texture, got, want, f"{n} face {face} {x},{y}", 1e-6)

    def test_comparisons(self):
        """A texel is compared with the request's reference; a linear filter mixes the results."""
        for compare, linear in itertools.product(COMPARES, (False, True)):
            texture = Texture.random(self.rng, "z16", FLAT, (5, 5))
            sampler = Sampler("edge", linear, compare=compare)
            points = self.points(texture, sampler, 60, reach=0)
            extra = []
            for _ in points:
                raw = texture.data[0][0][0][0]
                at = 2 * self.rng.randrange(25)
                value = mali.number(mali.bits(int.from_bytes(raw[at:at + 2], "little") / 65535))
                reference = self.rng.choice((value, self.rng.randrange(1024) / 1024))
                extra.append(({"reference": reference, "compares": 1}, {"reference": reference}))
            with self.subTest(compare=compare, linear=linear):
                self.check_samples(texture, sampler, points, extra, versions=(7,), tolerance=2e-6)


if __name__ == "__main__":
    case.main()
