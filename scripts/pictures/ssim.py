"""How alike two pictures are: PNG files of 8 bits per colour, as -screendump writes them.

Structural similarity after Z. Wang et al., "Image quality assessment: from error visibility to structural similarity"
(2004), formula 13, of luma, as the mean over squares of 8 by 8 pixels whose corners are 4 pixels apart.
"""
import struct
import zlib
from collections import namedtuple

SIDE, STEP = 8, 4
C1, C2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
CHANNELS = {0: 1, 2: 3, 6: 4}    # by PNG's colour type

Picture = namedtuple("Picture", "width height channels rows")


def paeth(left, above, corner):
    estimate = left + above - corner
    return min((left, above, corner), key=lambda v: abs(estimate - v))


def unfilter(kind, line, above, step):
    """Undoes PNG's filter of a line, in place."""
    for i, value in enumerate(line):
        left, corner = (line[i - step], above[i - step]) if i >= step else (0, 0)
        line[i] = value + (0, left, above[i], (left + above[i]) // 2, paeth(left, above[i], corner))[kind] & 255


def read_png(path):
    with open(path, "rb") as file:
        data = file.read()
    at, packed, head = 8, b"", None
    while at < len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        body = data[at + 8:at + 8 + length]
        at += 12 + length
        if kind == b"IHDR":
            head = struct.unpack(">IIBBBBB", body)
        if kind == b"IDAT":
            packed += body
    if not head or head[2] != 8 or head[3] not in CHANNELS or head[6]:
        raise ValueError(f"{path}: no PNG of 8 bits per colour without interlace")
    width, height, channels = head[0], head[1], CHANNELS[head[3]]
    pixels, rows, above = zlib.decompress(packed), [], bytes(width * channels)
    for y in range(height):
        start = y * (1 + width * channels)
        line = bytearray(pixels[start + 1:start + 1 + width * channels])
        if pixels[start]:
            unfilter(pixels[start], line, above, channels)
        rows.append(line)
        above = line
    return Picture(width, height, channels, rows)


def luma(picture):
    n = picture.channels
    if n == 1:
        return picture.rows
    return [[(299 * r + 587 * g + 114 * b) / 1000 for r, g, b in zip(row[::n], row[1::n], row[2::n])]
            for row in picture.rows]


def similarity_of(a, b, x, y):
    """The similarity of two squares of luma."""
    one = [v for row in a[y:y + SIDE] for v in row[x:x + SIDE]]
    two = [v for row in b[y:y + SIDE] for v in row[x:x + SIDE]]
    count = len(one)
    mean = sum(one) / count, sum(two) / count
    variance = (sum(v * v for v in one) / count - mean[0] ** 2, sum(v * v for v in two) / count - mean[1] ** 2)
    covariance = sum(v * w for v, w in zip(one, two)) / count - mean[0] * mean[1]
    return ((2 * mean[0] * mean[1] + C1) * (2 * covariance + C2) /
            ((mean[0] ** 2 + mean[1] ** 2 + C1) * (variance[0] + variance[1] + C2)))


def ssim(a, b):
    """1: the pictures are equal. They have the same size."""
    one, two = luma(a), luma(b)
    parts = [similarity_of(one, two, x, y) for y in range(0, a.height - SIDE + 1, STEP)
             for x in range(0, a.width - SIDE + 1, STEP)]
    return sum(parts) / len(parts)


def differing(a, b, tolerance):
    """Number of pixels of which a colour differs by more than `tolerance`."""
    count = 0
    for one, two in zip(a.rows, b.rows):
        if one == two:
            continue
        far = [abs(v - w) > tolerance for v, w in zip(one, two)]
        count += sum(any(far[i:i + a.channels]) for i in range(0, len(far), a.channels))
    return count
