"""Descriptors of textures and samplers as Mesa packs them (src/panfrost/lib/genxml/v6.xml, v7.xml,
pan_texture.c), the layouts of texels in memory, and the pipe to the texture unit."""
import struct
import subprocess

import texels

MEMORY = 0x10000  # BENCH_DATA of tests/gpu_core/bench.h
MEMORY_BYTES = 0x10000
SURFACE_BYTES = 16

CUBE, LINEAR, FLAT, VOLUME = range(4)  # dimensions
AXES = {CUBE: 2, LINEAR: 1, FLAT: 2, VOLUME: 3}
TILED, ROWS, AFBC = 1, 2, 12  # layouts
SAMPLE, FETCH, GATHER, GRADIENT, ADDRESS = range(5)

WRAPS = {"repeat": 8, "edge": 9, "border": 11, "mirrored repeat": 12, "mirrored edge": 13,
         "mirrored border": 15}
COMPARES = ["never", "less", "equal", "less equal", "greater", "not equal", "greater equal", "always"]
MIPMAPS = {"nearest": 0, "none": 1, "trilinear": 3}

# Operands of a request (enum gpu_texture_operand).
OPERANDS = {"texture": 0, "sampler": 1, "x": 2, "y": 3, "z": 4, "face": 5, "layer": 6, "level": 7,
            "lod": 8, "biased": 9, "offsets": 10, "reference": 11, "compares": 12, "format": 13,
            "clamp": 14, "component": 15, "d/dx x": 16, "d/dx y": 17, "d/dx z": 18, "d/dy x": 19,
            "d/dy y": 20, "d/dy z": 21, "unclamped": 22, "computed": 23, "skips": 24}
F16, F32, S32, U32, S16, U16 = range(6)  # formats of results


def bits(f):
    return struct.unpack("<I", struct.pack("<f", f))[0]


def number(word):
    return struct.unpack("<f", struct.pack("<I", word))[0]


class Fields:
    """Words of a descriptor, filled by word, bit and width."""

    def __init__(self, words):
        self.words = [0] * words

    def put(self, word, bit, width, value):
        assert 0 <= value < 1 << width, (word, bit, value)
        self.words[word] |= value << bit

    def bytes(self):
        return struct.pack(f"<{len(self.words)}I", *self.words)


def log2(n):
    return n.bit_length() - 1


class Texture:
    """An image with all its levels, layers, faces and samples.

    data[layer][face][level][sample] are the texels' bytes, z slowest, x fastest."""

    def __init__(self, fmt, dimension, size, data, levels=1, layers=1, samples=1, layout=ROWS,
                 swizzle=(0, 1, 2, 3), lods=(0, 31)):
        self.format, self.dimension, self.data = texels.FORMATS[fmt], dimension, data
        self.size = tuple(size) + (1,) * (3 - len(size))
        self.levels, self.layers, self.samples, self.layout = levels, layers, samples, layout
        self.swizzle, self.lods, self.faces = swizzle, lods, 6 if dimension == CUBE else 1

    @classmethod
    def random(cls, rng, fmt, dimension, size, **more):
        self = cls(fmt, dimension, size, None, **more)
        self.data = [[[[self.format.random(rng, self.count(level)) for _ in range(self.samples)]
                       for level in range(self.levels)] for _ in range(self.faces)]
                     for _ in range(self.layers)]
        return self

    def level_size(self, level):
        return tuple(max(n >> level, 1) for n in self.size)

    def count(self, level):
        w, h, d = self.level_size(level)
        return w * h * d

    def texel(self, x, y, z, layer=0, face=0, level=0, sample=0):
        """Returns red, green, blue and alpha, before the texture's swizzle."""
        w, h, _ = self.level_size(level)
        size, raw = self.format.bytes, self.data[layer][face][level][sample]
        at = (x + w * (y + h * z)) * size
        return self.format.decode(raw[at:at + size])

    def surfaces(self, version):
        """Yields (layer, face, level, sample) in the order of the descriptors' array."""
        r = [range(n) for n in (self.layers, self.faces, self.levels, self.samples)]
        if version >= 7:  # pan_texture.c: the level varies fastest
            return [(a, f, l, s) for a in r[0] for f in r[1] for s in r[3] for l in r[2]]
        return [(a, f, l, s) for a in r[0] for l in r[2] for f in r[1] for s in r[3]]

    def lay_out(self, _version, raw, size):
        """Returns a level's bytes in memory, and its surface: low bits of the pointer, bytes per row (of
        tiles) and per plane."""
        w, h, _ = size
        tiled, bytes_ = self.layout == TILED, self.format.bytes
        row = (w + 15) // 16 * 256 * bytes_ if tiled else w * bytes_ + 8
        plane = row * ((h + 15) // 16 if tiled else h) + 64
        return lay_out(raw, size, bytes_, tiled, row, plane), 0, row, plane

    @staticmethod
    def entry(pointer, flags, row, plane):
        """Returns the surface's descriptor."""
        return struct.pack("<QII", pointer | flags, row, plane)

    def descriptor(self, version, surfaces):
        d = Fields(8)
        d.put(0, 0, 4, 2)
        d.put(0, 4, 2, self.dimension)
        d.put(0, 10, 22, self.format.code(version))
        d.put(1, 0, 16, self.size[0] - 1)
        d.put(1, 16, 16, self.size[1] - 1)
        for k, channel in enumerate(self.swizzle):
            d.put(2, 3 * k, 3, channel)
        d.put(2, 12, 4, self.layout)
        d.put(2, 16, 5, self.levels - 1)
        d.put(3, 0, 13, int(self.lods[0] * 256))
        d.put(3, 13, 3, log2(self.samples))
        d.put(3, 16, 13, int(self.lods[1] * 256))
        d.put(4, 0, 32, surfaces)
        d.put(6, 0, 16, self.layers - 1)
        d.put(7, 0, 16, self.size[2] - 1)
        return d.bytes()


def quadrant(x, y, half):
    """Returns the number of a texel in a square of u-interleaved texels: quadrants are in circular
    order, at each size."""
    if not half:
        return 0
    turn = {(0, 0): 0, (1, 0): 1, (1, 1): 2, (0, 1): 3}[(x >= half, y >= half)]
    return turn * half * half + quadrant(x % half, y % half, half // 2)


def texel_offset(x, y, z, bytes_, tiled, row_bytes, plane_bytes):
    """Returns the offset of a texel in its level."""
    if tiled:
        return row_bytes * (y // 16) + bytes_ * (256 * (x // 16) + quadrant(x % 16, y % 16, 8)) + plane_bytes * z
    return row_bytes * y + bytes_ * x + plane_bytes * z


def lay_out(raw, size, bytes_, tiled, row_bytes, plane_bytes):
    """Returns a level's texels in their order in memory."""
    w, h, d = size
    out = bytearray(b"\xa5" * (plane_bytes * d))
    for z in range(d):
        for y in range(h):
            for x in range(w):
                at = texel_offset(x, y, z, bytes_, tiled, row_bytes, plane_bytes)
                n = (x + w * (y + h * z)) * bytes_
                out[at:at + bytes_] = raw[n:n + bytes_]
    return bytes(out)


class Sampler:
    def __init__(self, wrap="edge", linear=False, minify=None, normalized=True, mipmap="nearest",
                 lods=(0, 31), bias=0, border=(0, 0, 0, 0), compare="never", seamless=True,
                 linear_values=False, cutoff=False, counted=True, anisotropy=1):
        self.wrap = (wrap,) * 3 if isinstance(wrap, str) else wrap
        self.magnify, self.minify = linear, linear if minify is None else minify
        self.normalized, self.mipmap, self.lods, self.bias = normalized, mipmap, lods, bias
        self.border, self.compare, self.seamless = border, compare, seamless
        self.linear_values, self.cutoff, self.anisotropy = linear_values, cutoff, anisotropy
        self.counted = counted  # whether the job's number of samplers includes this one

    def descriptor(self):
        d = Fields(8)
        d.put(0, 0, 4, 1)
        for k, bit in enumerate((16, 12, 8)):
            d.put(0, bit, 4, WRAPS[self.wrap[k]])
        d.put(0, 22, 1, self.linear_values)
        d.put(0, 23, 1, self.seamless)
        d.put(0, 25, 1, self.normalized)
        d.put(0, 27, 1, not self.minify)
        d.put(0, 28, 1, not self.magnify)
        d.put(0, 29, 1, self.cutoff)
        d.put(0, 30, 2, MIPMAPS[self.mipmap])
        d.put(1, 0, 13, int(self.lods[0] * 256))
        d.put(1, 13, 3, COMPARES.index(self.compare))
        d.put(1, 16, 13, int(self.lods[1] * 256))
        d.put(2, 0, 16, int(self.bias * 256) & 0xffff)
        d.put(2, 16, 5, self.anisotropy - 1)
        d.put(2, 24, 2, 3 if self.anisotropy > 1 else 0)
        for k in range(4):
            word = self.border[k]
            d.put(4 + k, 0, 32, bits(word) if isinstance(word, float) else word & 0xffffffff)
        return d.bytes()


class Unit:
    """The simulator's texture unit, behind a pipe."""

    def __init__(self, probe):
        # the last texture's surface: address, bytes per texel, tiled, bytes per row, bytes per
        # plane
        self.placed = {}
        self.pipe = subprocess.Popen([probe], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def close(self):
        self.pipe.stdin.close()
        self.pipe.stdout.close()
        assert self.pipe.wait() == 0

    def ask(self, version, texture, sampler, requests, thread="compute"):
        """Returns each request's four words, or a text that says what is refused.

        A request is (operation, {operand: value}); floats and integers are told apart by their
        type."""
        lines, top = [f"version {version}", f"thread {thread}"], MEMORY

        def place(data):
            nonlocal top
            at, top = top, (top + len(data) + 63) & ~63
            assert top <= MEMORY + MEMORY_BYTES, "the test's memory is full"
            lines.append(f"put {at} {data.hex()}")
            return at

        array, self.placed = b"", {}
        for layer, face, level, sample in texture.surfaces(version):
            raw = texture.data[layer][face][level][sample]
            data, flags, row, plane = texture.lay_out(version, raw, texture.level_size(level))
            pointer = place(data)
            self.placed[layer, face, level, sample] = (pointer, texture.format.bytes,
                                                       texture.layout == TILED, row, plane)
            array += texture.entry(pointer, flags, row, plane)
        lines += [f"textures 1 {place(texture.descriptor(version, place(array))):x}",
                  f"samplers {int(sampler.counted)} {place(sampler.descriptor()):x}"]
        for operation, operands in requests:
            words = (f"{OPERANDS[k]}={bits(v) if isinstance(v, float) else v & 0xffffffff:x}"
                     for k, v in operands.items())
            lines.append(f"ask {operation} " + " ".join(words))
        self.pipe.stdin.write("\n".join(lines) + "\nrun\n")
        self.pipe.stdin.flush()
        answers = []
        for line in iter(self.pipe.stdout.readline, "done\n"):
            assert line and line != "failed\n", f"the probe: {line}"
            answers.append(line[8:-1] if line.startswith("refused") else
                           tuple(int(w, 16) for w in line.split()))
        assert len(answers) == len(requests)
        return answers
