"""Coordinates outside of the image, and filters: test_samplers.py PROBE [SEED]."""
import itertools

import case
from mali import FLAT, LINEAR, TILED, VOLUME, WRAPS, Sampler, Texture

SIZES = {LINEAR: (13,), FLAT: (13, 7), VOLUME: (5, 4, 3)}


class Samplers(case.Case):
    def test_wraps(self):
        """All wrap modes, both filters, all dimensions."""
        for dimension, wrap, linear in itertools.product(SIZES, WRAPS, (False, True)):
            texture = Texture.random(self.rng, "rgba32 float", dimension, SIZES[dimension])
            sampler = Sampler(wrap, linear, border=(0.25, -2.0, 3.0, 0.5))
            with self.subTest(dimension=dimension, wrap=wrap, linear=linear):
                self.check_samples(texture, sampler, self.points(texture, sampler, 200))

    def test_axes_apart(self):
        """Each axis has its own wrap mode."""
        texture = Texture.random(self.rng, "rgba16 float", VOLUME, (4, 4, 4), layout=TILED)
        for wraps in itertools.permutations(WRAPS, 3):
            sampler = Sampler(wraps, True, border=(1.0, 2.0, 3.0, 4.0))
            self.check_samples(texture, sampler, self.points(texture, sampler, 10), versions=(7,))

    def test_unnormalized(self):
        for wrap, linear in itertools.product(("edge", "border"), (False, True)):
            texture = Texture.random(self.rng, "rgba32 float", FLAT, (13, 7))
            sampler = Sampler(wrap, linear, normalized=False)
            with self.subTest(wrap=wrap, linear=linear):
                self.check_samples(texture, sampler, self.points(texture, sampler, 200))

    def test_formats(self):
        """Filters mix the format's values: sRGB after conversion to linear, normalised integers as
        fractions."""
        for name in ("rgb565", "srgb8_a8", "r8 snorm", "rg16 unorm", "r11f_g11f_b10f", "rgb9_e5", "bgra8"):
            for linear_values in (False, True):
                texture = Texture.random(self.rng, name, FLAT, (6, 5), layout=TILED)
                sampler = Sampler("mirrored repeat", True, linear_values=linear_values)
                with self.subTest(format=name, linear_values=linear_values):
                    self.check_samples(texture, sampler, self.points(texture, sampler, 60))

    def test_integers(self):
        for name in ("rgba8 uint", "rg32 sint", "rgb10_a2ui", "r32 uint"):
            texture = Texture.random(self.rng, name, FLAT, (6, 5))
            sampler = Sampler("border", border=(7, 1 << 20, 0x7fffffff, -3))
            self.check_samples(texture, sampler, self.points(texture, sampler, 60))

    def test_border_of_formats(self):
        """Only components that the format has are taken from the border's colour."""
        for name in ("r8 unorm", "rgb565", "rg32 float"):
            texture = Texture.random(self.rng, name, FLAT, (3, 3))
            for linear in (False, True):
                sampler = Sampler("border", linear, border=(0.5, 0.25, 0.125, 0.75))
                self.check_samples(texture, sampler, self.points(texture, sampler, 40))

    def test_uncounted(self):
        """A sampler beyond the job's number of samplers works: Mesa's number is that of textures.
        """
        texture = Texture.random(self.rng, "rgba8 unorm", FLAT, (5, 4))
        sampler = Sampler("repeat", True, counted=False)
        self.check_samples(texture, sampler, self.points(texture, sampler, 20))

    def test_sizes(self):
        """A single texel, and sizes around a tile's."""
        for size in ((1, 1), (16, 16), (17, 15), (33, 2)):
            texture = Texture.random(self.rng, "rgba8 unorm", FLAT, size, layout=TILED)
            for wrap in WRAPS:
                sampler = Sampler(wrap, True, border=(0.0, 1.0, 0.0, 1.0))
                self.check_samples(texture, sampler, self.points(texture, sampler, 20), versions=(7,))


if __name__ == "__main__":
    case.main()
