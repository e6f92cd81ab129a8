"""Captures the kernels of a log's records in Debian's guest, and makes traces and a table for mali-tune of them."""
import hashlib
import pathlib
import struct
import sys
import tempfile

import kernels
import logs

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "examples/gpu"))
from capture import Guest, Trouble, tool  # noqa: E402  (it lies in another folder)

GPU = "t860"
AT_ONCE = 12  # records of a boot; snapshots are deleted when they have left traces
CHECKED = 8  # results of a launch that are compared
TOLERANCE = 1e-3


def choose(records, count, most):
    """`count` records of 32-bit floats with at most `most` products, evenly spaced by their number."""
    able = sorted((r for r in records if r.type == "float32" and logs.products(r.convolution) <= most),
                  key=lambda r: (logs.products(r.convolution), r.line))
    count = min(count, len(able))
    return [able[k * len(able) // count] for k in range(count)]


# ---- results ---------------------------------------------------------------------------------------------

def number(seed, k):
    """Number k of the buffer floats:N:SEED of examples/gpu/launches.c, of which the states before are skipped."""
    a, c, bits = 1664525, 1013904223, 1 << 32
    power = pow(a, k + 1, (a - 1) * bits)
    return ((power * (seed * 2654435761 + 1) + c * ((power - 1) // (a - 1))) % bits >> 8) * 2.0 ** -24


def wanted(r, step, k):
    """What a kernel must leave in number k of its last buffer."""
    c, s = r.convolution, r.schedule
    rows, columns = kernels.packed_rows(r), kernels.packed_columns(r)
    if step == "unpack":
        z, y, x = k // (logs.out_rows(c) * logs.out_columns(c)), k // logs.out_columns(c) % logs.out_rows(c), k % logs.out_columns(c)
        tile = (z // s.outputs.each * kernels.tiles(s.rows) + y // s.rows.each) * kernels.tiles(s.columns) + x // s.columns.each
        inside = (y % s.rows.each * s.columns.each + x % s.columns.each) * s.outputs.each + z % s.outputs.each
        return number(4, tile * s.outputs.each * s.rows.each * s.columns.each + inside)
    if step == "pack":
        h, v, i, tile = k % columns, k // columns % rows, k // (rows * columns) % c.inputs, k // (rows * columns * c.inputs)
        row = tile // kernels.tiles(s.columns) * s.rows.each * c.strides[0] + v - c.padding[0]
        column = tile % kernels.tiles(s.columns) * s.columns.each * c.strides[1] + h - c.padding[1]
        inside = 0 <= row < c.rows and 0 <= column < c.columns
        return number(1, (i * c.rows + row) * c.columns + column) if inside else 0.0
    z, x, y = k % s.outputs.each, k // s.outputs.each % s.columns.each, k // (s.outputs.each * s.columns.each) % s.rows.each
    tile = k // (s.outputs.each * s.columns.each * s.rows.each)
    place, block = tile % (kernels.tiles(s.rows) * kernels.tiles(s.columns)), tile // (kernels.tiles(s.rows) * kernels.tiles(s.columns))
    return sum(number(2, ((place * c.inputs + i) * rows + y * c.strides[0] + v) * columns + x * c.strides[1] + h) *
               number(3, (((block * c.inputs + i) * c.high + v) * c.wide + h) * s.outputs.each + z)
               for i in range(c.inputs) for v in range(c.high) for h in range(c.wide))


def check(r, step, content):
    count = len(content) // 4
    for k in range(0, count, max(count // CHECKED, 1)):
        got, want = struct.unpack_from("<f", content, 4 * k)[0], wanted(r, step, k)
        if not abs(got - want) <= TOLERANCE * max(abs(want), 1):
            raise Trouble(f"{logs.name_of(r)}.{step}: value {k} is {got}, not {want}")


# ---- traces ----------------------------------------------------------------------------------------------

def trace_of(folder, r, step):
    return folder / f"{logs.name_of(r)}.{step}.trace"


def made_of(r):
    return hashlib.sha256("\n".join([kernels.source(r), *kernels.lines(r)]).encode()).hexdigest()


def stale(records, folder):
    def fresh(r):
        note = folder / f"{logs.name_of(r)}.from"
        return note.exists() and note.read_text() == made_of(r) and all(trace_of(folder, r, step).exists() for step in kernels.STEPS)
    return [r for r in records if not fresh(r)]


def capture(records, build, files, folder, said=print):
    """Makes the missing traces, a few records per boot of the guest; returns their number."""
    late = stale(records, folder)
    folder.mkdir(parents=True, exist_ok=True)
    for at in range(0, len(late), AT_ONCE):
        some = late[at:at + AT_ONCE]
        with tempfile.TemporaryDirectory(prefix="gencc-tophub-") as work:
            run(some, build, files, folder, pathlib.Path(work))
        said(f"{at + len(some)} of {len(late)} captured", flush=True)
    return len(late)


def run(records, build, files, folder, work):
    sources = work / "sources"
    sources.mkdir()
    for r in records:
        (sources / f"{logs.name_of(r)}.cl").write_text(kernels.source(r))
    launches = [(r, step) for r in records for step in kernels.STEPS]
    (work / "guest").mkdir()
    snapshots, _ = Guest(build, files, GPU).run(sources, [line for r in records for line in kernels.lines(r)], work / "guest", results=True)
    for (r, step), snapshot in zip(launches, snapshots):
        last = 2 if step in kernels.FORMS else 1
        check(r, step, (work / f"guest/results/{logs.name_of(r)}.{step}.{last}").read_bytes())
        tool(build / "bin/mali-run", snapshot, "-trace-timing", trace_of(folder, r, step))
        snapshot.unlink()
    for r in records:
        (folder / f"{logs.name_of(r)}.from").write_text(made_of(r))


def table(records, form, folder, steps):
    """A table for mali-tune: it is tuned to the third of the records with the smallest traces, so that this is quick; the others
    are held out."""
    lines = ["name,trace,us,set"]
    small = sorted(records, key=lambda r: trace_of(folder, r, form).stat().st_size)[:max(len(records) // 3, 1)]
    for r in records:
        traces = ";".join(trace_of(folder, r, step or form).name for step in steps)
        lines.append(f"{logs.name_of(r)},{traces},{r.seconds * 1e6:.3f},{'train' if r in small else 'test'}")
    return "\n".join(lines) + "\n"
