"""Texels of all formats, linear and tiled: test_formats.py PROBE [SEED]."""
import struct
import case
import mali
import texels
from mali import AFBC, F16, F32, FETCH, FLAT, ROWS, S16, TILED, Sampler, Texture, U16, U32


class Formats(case.Case):
    def fetch_all(self, texture, version, **more):
        w, h, _ = texture.size
        places = [(x, y) for y in range(h) for x in range(w)]
        requests = [(FETCH, dict(self.operands(texture, []), x=x, y=y, **more)) for x, y in places]
        return places, self.unit.ask(version, texture, Sampler(), requests)

    def check_fetches(self, texture, name, versions=(6, 7)):
        tolerance = 1e-6 if texture.format.srgb else 0
        for version in versions:
            for (x, y), got in zip(*self.fetch_all(texture, version)):
                self.check_words(texture, got, texture.texel(x, y, 0), f"{name} v{version} {x},{y}",
                                 tolerance)

    def test_random_texels(self):
        for name, f in texels.FORMATS.items():
            for layout in (ROWS, TILED) if f.bytes != 3 else (ROWS,):
                texture = Texture.random(self.rng, name, FLAT, (19, 18), layout=layout)
                texture.data[0][0][0][0] = bytes(f.bytes) + b"\xff" * f.bytes + \
                    texture.data[0][0][0][0][2 * f.bytes:]
                with self.subTest(format=name, layout=layout):
                    self.check_fetches(texture, name)

    def check_each(self, name, bits, shift=0, step=1):
        """Checks values of one component, or of the whole texel."""
        f, values = texels.FORMATS[name], range(0, 1 << bits, step)
        for first in range(0, len(values), 4096):
            raw = b"".join((v << shift).to_bytes(f.bytes, "little") for v in values[first:first + 4096])
            texture = Texture(name, FLAT, (len(raw) // f.bytes, 1), [[[[raw]]]])
            self.check_fetches(texture, name, (7,))

    def test_each_word(self):
        """Every 13th word of 16 bits, which includes each value of each component."""
        for name in ("rgb565", "bgr5_a1", "rgba4", "r16 snorm", "r16 float"):
            self.check_each(name, 16, step=13)

    def test_each_short_float(self):
        for bits, shift in ((11, 0), (11, 11), (10, 22)):
            self.check_each("r11f_g11f_b10f", bits, shift)

    def test_each_shared_exponent(self):
        self.check_each("rgb9_e5", 5, 27)
        f = texels.FORMATS["rgb9_e5"]
        raw = b"".join((e << 27 | 0x155 << 18 | 0x1ff << 9 | 1).to_bytes(f.bytes, "little")
                       for e in range(32))
        self.check_fetches(Texture("rgb9_e5", FLAT, (32, 1), [[[[raw]]]]), "rgb9_e5")

    def test_each_srgb(self):
        self.check_each("srgb8_a8", 8, 8)

    def test_registers(self):
        """Halves and short integers: two per register; integers saturate."""
        texture = Texture("rgba32 sint", FLAT, (1, 1), [[[[b"".join(
            v.to_bytes(4, "little", signed=True) for v in (-5, 40000, -40000, 7))]]]])
        for kind, want in ((S16, (0x7ffffffb, 0x00078000)), (U16, (0x9c400000, 0x00070000))):
            got = self.unit.ask(7, texture, Sampler(), [(FETCH, {"format": kind})])[0]
            self.assertEqual(got[:2], want)
        texture = Texture("rgba32 float", FLAT, (1, 1), [[[[b"".join(
            mali.bits(v).to_bytes(4, "little") for v in (1.0, -2.0, 0.5, 65536.0))]]]])
        got = self.unit.ask(7, texture, Sampler(), [(FETCH, {"format": F16})])[0]
        self.assertEqual(got[:2], (0xc0003c00, 0x7c003800))
        for clamp, want in ((1, (1.0, 0.0, 0.5, 65536.0)), (2, (1.0, -1.0, 0.5, 1.0)),
                            (3, (1.0, 0.0, 0.5, 1.0))):
            got = self.unit.ask(7, texture, Sampler(), [(FETCH, {"format": F32, "clamp": clamp})])[0]
            self.check_words(texture, got, want, f"clamp {clamp}")

    def test_swizzle(self):
        """The texture's swizzle, applied after the format's; 4 is zero and 5 is one."""
        for swizzle in ((2, 1, 0, 3), (3, 3, 0, 1), (4, 5, 0, 4), (0, 0, 0, 5)):
            for name in ("bgra8", "rgb565", "rg16 uint"):
                texture = Texture.random(self.rng, name, FLAT, (4, 1), swizzle=swizzle)
                for (x, y), got in zip(*self.fetch_all(texture, 7)):
                    v = texture.texel(x, y, 0) + [0, 1]
                    self.check_words(texture, got, [v[c] for c in swizzle], f"{name} {swizzle}")

    def test_refused_by_name(self):
        """Features that are not modelled are refused by name."""
        texture = Texture("rgba4", FLAT, (1, 1), [[[[bytes(2)]]]])
        texture.format = texels.Format(32, 0, "unorm", (4, 4, 4, 4), texels.RGBA)
        self.assertEqual(self.fetch_all(texture, 7)[1][0], "yuv8")

    def test_compressed(self):
        """Compressed blocks: of one colour, and with an offset of texels behind the header."""
        colors = struct.pack("<12I", *(0x01010101 * i for i in range(12)))
        headers = (bytes(16), 0), (struct.pack("<IIII", 0, 0, 0x05050505, 0), 5), (struct.pack("<I12x", 16), 11)
        for header, want in headers:
            data = header + colors + bytes(16 * 16 * 4 - 64)
            texture = Texture("rgba8 uint", FLAT, (16, 16), [[[[data]]]], layout=AFBC)
            got = self.unit.ask(7, texture, Sampler(), [(FETCH, {"x": 11, "format": U32})])[0]
            self.assertEqual(got, (want,) * 4)

    def test_outside(self):
        """A fetch outside of the texture reads zeros."""
        texture = Texture.random(self.rng, "rgba8 unorm", FLAT, (5, 3))
        places = [{"x": 5}, {"x": -1}, {"y": 3}, {"y": -1}, {"level": 1}, {"x": 1 << 31}, {"texture": 1}]
        for got in self.unit.ask(7, texture, Sampler(), [(FETCH, dict(p, format=F32)) for p in places]):
            self.assertEqual(got, (0, 0, 0, 0))


if __name__ == "__main__":
    case.main()
