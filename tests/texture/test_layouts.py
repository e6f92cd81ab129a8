"""Compressed surfaces (AFBC), textures of compressed blocks, video: test_layouts.py PROBE [SEED]."""
import itertools
import struct

import case
from mali import AFBC, FETCH, FLAT, ROWS, SAMPLE, TILED, VOLUME, Sampler, Texture, quadrant
from texels import O_RGBA, RGBA, Format

WIDE, TILED_HEADERS = 4, 8  # low bits of a surface's pointer


def morton(x, y):
    return sum((x >> b & 1) << 2 * b | (y >> b & 1) << 2 * b + 1 for b in range(3))


class Compressed(Texture):
    """A texture whose surfaces are stored as blocks without compression, but those of `solid` colour."""
    wide = tiled = False
    solid = ()

    def lay_out(self, version, raw, size):
        w, h, d = size
        width, height = (32, 8) if self.wide else (16, 16)
        across, down = -(-w // width), -(-h // height)
        stride = across
        if version >= 7:  # rows of blocks, or of tiles of 8 by 8, are as long as their surface says
            stride = (across + 7) // 8 * 8 if self.tiled else across + 2
        rows = (down + 7) // 8 * 8 if self.tiled else down
        number, bytes_ = stride * rows, self.format.bytes
        planes = []
        for z in range(d):
            headers, body, place_of = bytearray(16 * number), bytearray(), {}
            for y, x in itertools.product(range(h), range(w)):
                bx, by = x // width, y // height
                block = by * stride + bx
                if self.tiled:
                    block = by // 8 * stride * 8 + bx // 8 * 64 + morton(bx % 8, by % 8)
                n = (x + w * (y + h * z)) * bytes_
                if (bx, by) in self.solid:
                    headers[16 * block:16 * block + 16] = bytes(8) + raw[:bytes_] + bytes(8 - bytes_)
                    continue
                if block not in place_of:
                    place_of[block] = len(body)
                    body += bytes(256 * bytes_)
                    struct.pack_into("<Q", headers, 16 * block, 16 * number + place_of[block])
                at = place_of[block] + (y % height * width + x % width) * bytes_
                body[at:at + bytes_] = raw[n:n + bytes_]
            planes.append(bytes(headers) + bytes(body) + bytes(-len(headers + body) % 64))
        row = 16 * stride * (8 if self.tiled else 1)
        return b"".join(planes), WIDE * self.wide | TILED_HEADERS * self.tiled, row, len(planes[0])


class Blocks(Texture):
    """A texture of ASTC blocks, each of one colour: that of the first texel in it."""
    block, flags = (4, 4, 1), 0

    def lay_out(self, _version, raw, size):
        w, h, d = size
        across, down, deep = (-(-n // b) for n, b in zip(size, self.block))
        row = 16 * ((across + 3) // 4 * 16 if self.layout == TILED else across) + 32
        plane = row * ((down + 3) // 4 if self.layout == TILED else down) + 64
        out = bytearray(plane * deep)
        for bz, by, bx in itertools.product(range(deep), range(down), range(across)):
            x, y, z = (n * b for n, b in zip((bx, by, bz), self.block))
            n = 4 * (x + w * (y + h * z))
            at = bz * plane + by * row + bx * 16
            if self.layout == TILED:
                at = bz * plane + by // 4 * row + 16 * (bx // 4 * 16 + quadrant(bx % 4, by % 4, 2))
            color = struct.pack("<4H", *(c * 257 for c in raw[n:n + 4]))
            low = 0xfffffffffffffdfc  # one colour, in no part of the texture
            out[at:at + 16] = struct.pack("<Q", low) + color
        return bytes(out), self.flags, row, plane

    def color_at(self, at):
        return self.texel(*(n // b * b for n, b in zip(at, self.block)))


class Video(Texture):
    """Luma of a byte per texel, and chroma of half the size: pairs, or a plane each."""
    chroma_rows, planes = 2, 2

    def lay_out(self, _version, raw, size):
        w, h, _ = size
        out, chroma = bytearray(0x800), (w // 2) * (h // self.chroma_rows)
        for y in range(h):
            out[40 * y:40 * y + w] = raw[w * y:w * y + w]
        for n in range(chroma):
            y, x = divmod(n, w // 2)
            u, v = raw[w * h - 1 - n], raw[n] ^ 0x55
            if self.planes == 2:
                out[0x400 + 24 * y + 2 * x:0x400 + 24 * y + 2 * x + 2] = bytes((u, v))
            else:
                out[0x400 + 24 * y + x], out[0x600 + 24 * y + x] = u, v
        return bytes(out), 0, 40, 24

    @staticmethod
    def entry(pointer, _flags, row, plane):
        return struct.pack("<QIIQQ", pointer, row, plane, pointer + 0x400, pointer + 0x600)

    def parts_at(self, x, y):
        w, h, _ = self.size
        raw = self.data[0][0][0][0]
        n = y // self.chroma_rows * (w // 2) + x // 2
        return [raw[w * y + x] / 255, raw[w * h - 1 - n] / 255, (raw[n] ^ 0x55) / 255, 1.0]


class Layouts(case.Case):
    def fetch_places(self, texture, version, places):
        requests = [(FETCH, dict(self.operands(texture, []), x=x, y=y, z=z)) for x, y, z in places]
        return self.unit.ask(version, texture, Sampler(), requests)

    def places(self, texture, count=80):
        return [[self.rng.randrange(n) for n in texture.size] for _ in range(count)]

    def test_compressed_surfaces(self):
        """Blocks of both forms, headers in rows and tiles, with strides of their own since version 7."""
        for wide, tiled, (size, dimension) in itertools.product(
                (False, True), (False, True), (((150, 20), FLAT), ((20, 140), FLAT), ((20, 12, 2), VOLUME))):
            for name, version in itertools.product(("rgba8 uint", "rg16 uint"), (6, 7)):
                if tiled and version == 6:
                    continue
                texture = Compressed.random(self.rng, name, dimension, size, layout=AFBC)
                texture.wide, texture.tiled = wide, tiled
                places = self.places(texture)
                for at, got in zip(places, self.fetch_places(texture, version, places)):
                    self.check_words(texture, got, texture.texel(*at), f"v{version} {wide} {tiled} {at}")

    def test_solid_blocks(self):
        """A block whose header has no offset has one colour, behind it in the header."""
        texture = Compressed.random(self.rng, "rgba16 uint", FLAT, (40, 20), layout=AFBC)
        texture.solid = ((1, 0), (2, 1))
        places = self.places(texture)
        for at, got in zip(places, self.fetch_places(texture, 7, places)):
            solid = (at[0] // 16, at[1] // 16) in texture.solid
            self.check_words(texture, got, texture.texel(*((0, 0, 0) if solid else at)), str(at))

    def test_blocks(self):
        """ASTC in rows and tiles; the pointer's low bits say how large blocks are."""
        for layout, version, (number, dimension, size, block, flags) in itertools.product((ROWS, TILED), (6, 7), (
                (22, FLAT, (37, 23), (4, 4, 1), 0), (22, FLAT, (37, 23), (6, 5, 1), 2 | 1 << 3),
                (22, FLAT, (50, 30), (12, 10, 1), 7 | 6 << 3), (20, VOLUME, (11, 9, 7), (4, 4, 4), 0),
                (20, VOLUME, (13, 11, 7), (6, 5, 5), 2 | 1 << 2 | 1 << 4))):
            texture = Blocks.random(self.rng, "rgba8 unorm", dimension, size, layout=layout)
            texture.format = Format(number, O_RGBA, "unorm", (8, 8, 8, 8), RGBA)
            texture.block, texture.flags = block, flags
            places = self.places(texture)
            for at, got in zip(places, self.fetch_places(texture, version, places)):
                self.check_words(texture, got, texture.color_at(at), f"v{version} {layout} {block} {at}")

    def test_depth_in_a_block(self):
        """Black to white with the weights of a block's eight corners, of which only the last one is white: a third of
        the way to it the weight is 20 of 64."""
        texture = Blocks("rgba8 unorm", VOLUME, (4, 4, 8), [[[[bytes(4 * 4 * 4 * 8)]]]])
        texture.format = Format(20, O_RGBA, "unorm", (8, 8, 8, 8), RGBA)
        block = (0x13 | 255 << 25 | 7 << 104).to_bytes(16, "little")
        texture.lay_out = lambda *_: (block + bytes(48) + block, 0, 16, 64)
        places = [(3, 3, z) for z in range(8)] + [(3, 0, 3)]
        for at, got in zip(places, self.fetch_places(texture, 7, places)):
            grey = (0, 80 / 255, None, 1)[at[2] % 4] if at[1] else 0
            if grey is not None:
                self.check_words(texture, got, [float(grey)] * 3 + [1.0], str(at))

    def test_blocks_of_srgb(self):
        """Colours of blocks become linear unless the sampler says otherwise; alpha does not."""
        texture = Blocks.random(self.rng, "srgb8_a8", FLAT, (8, 8))
        texture.format = Format(22, O_RGBA, "unorm", (8, 8, 8, 8), RGBA, srgb=True)
        for linear_values in (False, True):
            sampler = Sampler(linear_values=linear_values)
            raw = texture.data[0][0][0][0]
            got = self.unit.ask(7, texture, sampler, [(SAMPLE, self.operands(texture, [0.75, 0.25]))])[0]
            self.check_words(texture, got, texture.format.decode(raw[16:20], linear_values), "sRGB", 1e-6)

    def test_video(self):
        """Texels share chroma with their neighbours; the lower bits of the format order luma and chroma."""
        orders = ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 1, 0), (2, 0, 1))
        for (number, planes, rows), order in itertools.product(((38, 2, 2), (39, 3, 2), (36, 2, 1), (37, 3, 1)),
                                                               range(6)):
            texture = Video.random(self.rng, "r8 unorm", FLAT, (16, 12))
            texture.format = Format(number, order, "unorm", (8,), RGBA)
            texture.planes, texture.chroma_rows = planes, rows
            places = self.places(texture, 30)
            for at, got in zip(places, self.fetch_places(texture, 7, places)):
                parts = texture.parts_at(*at[:2])
                self.check_words(texture, got, [parts[k] for k in orders[order]] + [1.0], f"{number} {order} {at}")


if __name__ == "__main__":
    case.main()
