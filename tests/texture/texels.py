"""Formats of texels, from the Khronos Data Format Specification (1.3: 10.1 to 10.4 floats of 16, 11
and 10 bits, 10.5 shared exponent, 13.3 sRGB) and OpenGL ES 3.2 (2.3.5 fixed point)."""
import math
import struct

ZERO, ONE = 4, 5


def unsigned_float(raw, mantissa):
    """Decodes a float without a sign and with 5 bits of exponent."""
    e, m = raw >> mantissa, raw & (1 << mantissa) - 1
    if e == 31:
        return math.nan if m else math.inf
    return math.ldexp((m | (1 << mantissa if e else 0)), (e or 1) - 15 - mantissa)


def to_linear(v):
    return v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4


def signed(raw, bits):
    return raw - (1 << bits) if raw >> bits - 1 else raw


def component(kind, raw, bits):
    if kind == "unorm":
        return raw / ((1 << bits) - 1)
    if kind == "snorm":
        return max(signed(raw, bits) / ((1 << bits - 1) - 1), -1.0)
    if kind == "uint":
        return raw
    if kind == "sint":
        return signed(raw, bits)
    if bits == 32:
        return struct.unpack("<f", struct.pack("<I", raw))[0]
    if bits == 16:
        return struct.unpack("<e", struct.pack("<H", raw))[0]
    return unsigned_float(raw, bits - 5)


class Format:
    """A format. widths: bits of the components in memory, from the least significant. rgba: which
    of them are red, green, blue, alpha. code and orders: the GPU's number of the format and, for
    version 7, its order of components."""

    def __init__(self, code, order, kind, widths, rgba, srgb=False):
        self.number, self.order, self.kind, self.widths = code, order, kind, widths
        self.rgba, self.srgb, self.bytes = rgba, srgb, sum(widths) // 8

    def code(self, version):
        order = self.order
        if version < 7:
            order = sum(channel << 3 * k for k, channel in enumerate(self.rgba))
        return order | self.number << 12 | self.srgb << 20

    def is_integer(self):
        return self.kind in ("uint", "sint")

    def parts(self, raw):
        value, at, out = int.from_bytes(raw, "little"), 0, []
        for width in self.widths:
            out.append(value >> at & (1 << width) - 1)
            at += width
        return out

    def decode(self, raw, linear_values=False):
        parts = self.parts(raw)
        if self.kind == "shared":  # 10.5: bias 15, 9 bits of mantissa, none implied
            return [math.ldexp(p, parts[3] - 15 - 9) for p in parts[:3]] + [1.0]
        out = []
        for k, channel in enumerate(self.rgba):
            if channel >= ZERO:
                out.append(float(channel - ZERO) if not self.is_integer() else channel - ZERO)
                continue
            v = component(self.kind, parts[channel], self.widths[channel])
            out.append(to_linear(v) if self.srgb and k < 3 and not linear_values else v)
        return out

    def random(self, rng, count):
        """Returns random texels; floats stay small, so that filtering can be told from rounding."""
        out = b""
        for _ in range(count):
            value, at = 0, 0
            for width in self.widths:
                part = rng.getrandbits(width)
                if self.kind == "float":
                    small = struct.pack("<e" if width <= 16 else "<f", rng.uniform(0, 1) if width < 16
                                        else rng.uniform(-1, 1))
                    part = int.from_bytes(small, "little") >> (15 - width if width < 16 else 0)
                if self.kind == "shared" and at == 27:
                    part = 10 + part % 8
                value |= part << at
                at += width
            out += value.to_bytes(self.bytes, "little")
        return out


RGBA, RGB1, BGRA, BGR1, R001, RG01 = ((0, 1, 2, 3), (0, 1, 2, ONE), (2, 1, 0, 3), (2, 1, 0, ONE),
                                      (0, ZERO, ZERO, ONE), (0, 1, ZERO, ONE))
# Orders of version 7: missing components read as 0 0 1 in any order.
O_RGBA, O_BGRA, O_RGB1, O_BGR1 = 0, 4, 16, 20

FORMATS = {
    "rgb565": Format(64, O_RGB1, "unorm", (5, 6, 5), RGB1),
    "bgr565": Format(64, O_BGR1, "unorm", (5, 6, 5), BGR1),
    "rgb5_a1": Format(65, O_RGBA, "unorm", (5, 5, 5, 1), RGBA),
    "bgr5_a1": Format(65, O_BGRA, "unorm", (5, 5, 5, 1), BGRA),
    "rgba4": Format(186, O_RGBA, "unorm", (4, 4, 4, 4), RGBA),
    "rgb10_a2": Format(67, O_RGBA, "unorm", (10, 10, 10, 2), RGBA),
    "bgr10_a2": Format(67, O_BGRA, "unorm", (10, 10, 10, 2), BGRA),
    "rgb10_a2ui": Format(71, O_RGBA, "uint", (10, 10, 10, 2), RGBA),
    "rgb10_a2i": Format(73, O_RGBA, "sint", (10, 10, 10, 2), RGBA),
    "r11f_g11f_b10f": Format(89, O_RGB1, "float", (11, 11, 10), RGB1),
    "rgb9_e5": Format(91, O_RGB1, "shared", (9, 9, 9, 5), RGB1),
    "srgb8": Format(179, O_RGB1, "unorm", (8, 8, 8), RGB1, srgb=True),
    "srgb8_a8": Format(187, O_RGBA, "unorm", (8, 8, 8, 8), RGBA, srgb=True),
    "bgra8": Format(187, O_BGRA, "unorm", (8, 8, 8, 8), BGRA),
    "z16": Format(75, O_RGB1, "unorm", (16,), R001),
}


def add_alike():
    """Adds formats with equal components: the GPU's number consists of kind, count and width."""
    kinds = {"snorm": (96, (8, 16)), "uint": (128, (8, 16, 32)), "unorm": (160, (8, 16)),
             "sint": (192, (8, 16, 32))}
    number = {8: 3, 16: 4, 32: 5}
    orders = {1: R001, 2: RG01, 3: RGB1, 4: RGBA}
    for count, rgba in orders.items():
        order = O_RGBA if count == 4 else O_RGB1
        for kind, (base, widths) in kinds.items():
            for width in widths:
                FORMATS[f"{'rgba'[:count]}{width} {kind}"] = Format(
                    base + 8 * (count - 1) + number[width], order, kind, (width,) * count, rgba)
        for width, base in ((32, 160), (16, 192)):
            FORMATS[f"{'rgba'[:count]}{width} float"] = Format(
                base + 8 * (count - 1) + 7, order, "float", (width,) * count, rgba)


add_alike()
