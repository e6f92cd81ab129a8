"""A model of samplers: OpenCL 3.0, section 8 (addressing and filtering), and, for features that
OpenCL lacks (mirrors, levels, cubes, comparisons), OpenGL ES 3.2, section 8.14, and
EXT_texture_mirror_clamp_to_edge.

Coordinates are fractions and weights are exact; only texels are floats."""
import math
from fractions import Fraction
from itertools import product

import mali


def address(mode, s, n, linear, normalized):
    """Returns the texels along an axis as [(number, or None for the border; weight)]."""
    if mode == "repeat" and normalized:
        u = (s - math.floor(s)) * n
    else:
        u = s * n if normalized else s
    if linear:
        first = math.floor(u - Fraction(1, 2))
        weight = u - Fraction(1, 2) - first
        pairs = [(first, 1 - weight), (first + 1, weight)]
    else:
        pairs = [(math.floor(u), Fraction(1))]
    return [(place(mode, i, n), w) for i, w in pairs if w]


def mirror(i):
    return i if i >= 0 else -(1 + i)


def place(mode, i, n):
    if mode == "repeat":  # OpenCL: the coordinate was folded before
        return i + n if i < 0 else i - n if i >= n else i
    if mode == "mirrored repeat":
        # OpenGL's formula. OpenCL folds the coordinate, and therefore gives the other one of two
        # texels if a mirrored coordinate is exactly between them.
        return n - 1 - mirror(i % (2 * n) - n)
    if mode == "edge":
        return min(max(i, 0), n - 1)
    if mode == "border":
        return i if 0 <= i < n else None
    if mode == "mirrored edge":
        return min(mirror(i), n - 1)
    return mirror(i) if mirror(i) < n else None


# OpenGL ES, table 8.19: the directions of s, t and the main axis for each face.
FACES = [((0, 0, -1), (0, -1, 0), (1, 0, 0)), ((0, 0, 1), (0, -1, 0), (-1, 0, 0)),
         ((1, 0, 0), (0, 0, 1), (0, 1, 0)), ((1, 0, 0), (0, 0, -1), (0, -1, 0)),
         ((1, 0, 0), (0, -1, 0), (0, 0, 1)), ((-1, 0, 0), (0, -1, 0), (0, 0, -1))]


def fold(face, x, y, n):
    """Returns the texel beyond a face's edge, on the adjacent face; None at a corner."""
    s, t = Fraction(2 * x + 1, n) - 1, Fraction(2 * y + 1, n) - 1
    if abs(s) > 1 and abs(t) > 1:
        return None
    if abs(s) <= 1 and abs(t) <= 1:
        return face, x, y
    over = s if abs(s) > 1 else t
    down = 1 - (abs(over) - 1)  # distance below the edge
    s, t = (max(min(v, 1), -1) for v in (s, t))
    point = [s * a + t * b + down * m for a, b, m in zip(*FACES[face])]
    for other, axes in enumerate(FACES):
        s, t, main = (sum(p * a for p, a in zip(point, axis)) for axis in axes)
        if main == 1:
            return other, int((s + 1) * n / 2), int((t + 1) * n / 2)
    raise AssertionError("a texel on no face")


COMPARE = {"never": lambda a, b: False, "less": lambda a, b: a < b, "equal": lambda a, b: a == b,
           "less equal": lambda a, b: a <= b, "greater": lambda a, b: a > b,
           "not equal": lambda a, b: a != b, "greater equal": lambda a, b: a >= b,
           "always": lambda a, b: True}


class Model:
    def __init__(self, texture, sampler):
        self.t, self.s = texture, sampler

    def swizzled(self, v):
        return [(v + [0, 1])[c if c < 4 else c] for c in self.t.swizzle]

    def value(self, x, y, z, where):
        """Returns a texel as a filter reads it; the border if a coordinate is None."""
        t, f = self.t, self.t.format
        if None in (x, y, z):
            v = list(f.decode(bytes(f.bytes)))
            for k, channel in enumerate(f.rgba):
                if channel < 4:
                    v[k] = self.s.border[k] & 0xffffffff if f.kind == "uint" else self.s.border[k]
        else:
            w, h, _ = t.level_size(where["level"])
            raw = t.data[where["layer"]][where["face"]][where["level"]][where["sample"]]
            at = (x + w * (y + h * z)) * f.bytes
            v = f.decode(raw[at:at + f.bytes], self.s.linear_values)
        if "reference" in where:
            passed = COMPARE[self.s.compare](mali.number(mali.bits(v[0])), where["reference"])
            return [float(passed)] * 4
        return self.swizzled(v)

    def cube_texels(self, where, coordinates, linear):
        n, texels = self.t.level_size(where["level"])[0], []
        axes = [raw_address(c, n, linear) for c in coordinates]
        for (x, wx), (y, wy) in product(*axes):
            at = fold(where["face"], x, y, n)
            if at:
                texels.append((wx * wy, self.value(at[1], at[2], 0, dict(where, face=at[0]))))
        return texels

    def texels(self, where, coordinates, linear):
        """Returns [(weight, four components)] whose sum is the result."""
        if self.t.dimension == mali.CUBE and self.s.seamless:
            return self.cube_texels(where, coordinates, linear)
        size = self.t.level_size(where["level"])
        axes = [[(0, Fraction(1))]] * 3
        for k in range(mali.AXES[self.t.dimension]):
            axes[k] = address(self.s.wrap[k], coordinates[k], size[k], linear, self.s.normalized)
        return [(wx * wy * wz, self.value(x, y, z, where))
                for (z, wz), (y, wy), (x, wx) in product(axes[2], axes[1], axes[0])]

    def filtered(self, where, coordinates, linear):
        texels = self.texels(where, coordinates, linear)
        total = sum(w for w, _ in texels)
        return [math.fsum(float(w / total) * v[k] for w, v in texels) for k in range(4)]

    def sample(self, coordinates, lod=Fraction(0), biased=False, layer=0, face=0, reference=None,
               sample=0):
        t, s = self.t, self.s
        where = {"layer": min(max(layer, 0), t.layers - 1), "face": face, "sample": sample, "level": 0}
        if reference is not None:
            where["reference"] = reference
        lod = min(max(lod + (s.bias if biased else 0), s.lods[0]), s.lods[1])
        magnified = lod <= (Fraction(1, 2) if s.cutoff else 0)
        linear = s.magnify if magnified else s.minify
        lod = min(max(lod, t.lods[0]), t.lods[1])
        if magnified or s.mipmap == "none":
            return self.filtered(where, coordinates, linear)
        last = t.levels - 1
        if s.mipmap == "nearest":  # 8.14.3: the finer one of two equally close levels
            where["level"] = min(max(math.ceil(lod + Fraction(1, 2)) - 1, 0), last)
            return self.filtered(where, coordinates, linear)
        low = math.floor(lod)
        part = float(lod - low)
        a = self.filtered(dict(where, level=min(low, last)), coordinates, linear)
        b = self.filtered(dict(where, level=min(low + 1, last)), coordinates, linear)
        return [(1 - part) * x + part * y for x, y in zip(a, b)]


def raw_address(s, n, linear):
    """Returns numbers of texels, also beyond the face, with their weights."""
    u = s * n - (Fraction(1, 2) if linear else 0)
    first = math.floor(u)
    if not linear:
        return [(min(first, n - 1), Fraction(1))]
    return [(i, w) for i, w in ((first, 1 - (u - first)), (first + 1, u - first)) if w]
