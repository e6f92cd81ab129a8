"""Pictures that two implementations of OpenGL ES draw by the same program: scripts/compare-shaders and compare-scenes.

The program takes the words of several pictures, draws one after another, and says of each in a line `NAME: drawn`, or
`NAME: ` and why not. A picture is a file of four bytes per pixel, the lowest row first.
"""
import pathlib
import shlex
import struct
import subprocess
import zlib
from collections import namedtuple

PROGRAMS = pathlib.Path(__file__).resolve().parents[2] / "build/guest/arm64"
COMPONENTS = 4
MISSING = "not offered: "    # how a line begins of what an implementation may lack
NOT_COMPARED = "not compared"    # how a line begins of pictures that not both have drawn

# What to draw: the name in the program's line, the words that the program gets before the picture's file, and where that is.
Wanted = namedtuple("Wanted", "name words picture")


def compare(one, other, tolerance):
    """(pixels that differ by more than the tolerance, the largest difference) of two pictures."""
    if one == other:
        return 0, 0
    most = [max(abs(a - b) for a, b in zip(one[i:i + COMPONENTS], other[i:i + COMPONENTS]))
            for i in range(0, len(one), COMPONENTS)]
    return sum(difference > tolerance for difference in most), max(most)


def run(words, limit):
    """(what the program printed, what its end was) of one process, which is ended after `limit` seconds."""
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                              timeout=limit, check=False)
    except subprocess.TimeoutExpired as error:
        return (error.stdout or b"").decode(errors="replace"), f"more than {limit:g} seconds"
    words = done.stderr.strip().splitlines()
    return done.stdout, f"status {done.returncode}: {words[-1] if words else 'says nothing'}"


def draw(command, wanted, limit):
    """Draws pictures by as few processes as it takes: one that ends early is at fault for the picture that it was drawing.

    Returns for each what the program said, and the picture or None.
    """
    drawn, left = [], list(wanted)
    while left:
        out, end = run([*command, *(str(word) for one in left for word in (*one.words, one.picture))], limit)
        lines = out.splitlines()[:len(left)]
        for one, line in zip(left, lines):
            said = line.removeprefix(f"{one.name}: ")
            drawn.append((said, one.picture.read_bytes() if said == "drawn" else None))
        if len(lines) < len(left):
            drawn.append((end, None))
        left = left[len(lines) + 1:]
    return drawn


def judge(gpu, referee, args):
    """(whether the two drew alike, what to print of it), of what draw() returned of a picture for each."""
    (gpu_said, picture), (referee_said, expected) = gpu, referee
    if picture and expected and len(picture) != len(expected):
        return False, f"{len(picture)} bytes, and the referee's picture has {len(expected)}"
    if picture and expected:
        count, most = compare(picture, expected, args.tolerance)
        return count <= args.pixels, f"{count} of {len(expected) // COMPONENTS} pixels differ, by at most {most}"
    missing = [said for said in (gpu_said, referee_said) if said.startswith(MISSING)]
    if missing or not picture and not expected:
        return True, f"{NOT_COMPARED}: {(missing or [referee_said])[0]}"
    return False, f"gpu: {gpu_said}" if not picture else f"referee: {referee_said}"


def compare_chunk(wanted, options, args, scratch):
    """Draws some pictures with both, and yields (name, whether they are alike, what to print, the GPU's, the referee's).

    `options` are the program's first arguments. Pictures of both are written below `scratch`, one after the other.
    """
    drawn = []
    for command, program in ((args.gpu, args.gpu_program), (args.referee, args.referee_program)):
        placed = [Wanted(name, words, scratch / f"{i}.rgba") for i, (name, words) in enumerate(wanted)]
        drawn.append(draw([*shlex.split(command), str(program), *options], placed, args.limit))
    for (name, _), gpu, referee in zip(wanted, *drawn):
        good, line = judge(gpu, referee, args)
        yield name, good, line, gpu[1], referee[1]


def write_png(path, pixels, width):
    """A PNG file of a picture."""
    row = width * COMPONENTS
    rows = [b"\0" + pixels[i:i + row] for i in range(0, len(pixels), row)]

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", width, len(rows), 8, 6, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) +
                     chunk(b"IDAT", zlib.compress(b"".join(reversed(rows)))) + chunk(b"IEND", b""))


def add_arguments(parser, program, pictures):
    """The options that both scripts have. `pictures` says what a process draws."""
    parser.add_argument("--gpu", required=True, metavar="COMMAND")
    parser.add_argument("--referee", required=True, metavar="COMMAND")
    parser.add_argument("--gpu-program", type=pathlib.Path, default=PROGRAMS / program, metavar="FILE")
    parser.add_argument("--referee-program", type=pathlib.Path, default=PROGRAMS / program, metavar="FILE")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--chunk", type=int, default=10, help=f"{pictures} per process (default 10)")
    parser.add_argument("--tolerance", type=int, default=8, help="of a colour, of 255 (default 8)")
    parser.add_argument("--pixels", type=int, default=20, help="that may differ by more (default 20)")
    parser.add_argument("--limit", type=float, default=300, help="seconds per process (default 300)")
