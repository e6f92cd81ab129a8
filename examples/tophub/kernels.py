"""OpenCL C of a convolution as TVM's schedule for Malis has it: the input is packed by tiles (one thread per group), each
thread computes a tile of outputs, and the tiles become NCHW again. The log's time is that of these three kernels; the filter
is packed beforehand there.

A tile's sums are kept in registers (`registers`), or added to in memory at each step, as TVM's text has it (`memory`)."""
import itertools

import logs

FORMS = ("registers", "memory")
STEPS = ("pack", *FORMS, "unpack")  # kernels of a file
LANES = (2, 4, 8, 16)
WIDEST = 4  # what a register has; longer vectors are several, as each compiler splits them (Mesa's breaks down on float16)
AXES = ("rows", "columns", "outputs")  # a thread's loops; the log calls them axes 7, 8, 9


def packed_rows(r):
    return (r.schedule.rows.each - 1) * r.convolution.strides[0] + r.convolution.high


def packed_columns(r):
    return (r.schedule.columns.each - 1) * r.convolution.strides[1] + r.convolution.wide


def tiles(t):
    return t.blocks * t.threads


class Tiles:
    """The loops of a thread: extents, the axis whose elements are lanes of a vector, and the order of all."""

    def __init__(self, s):
        self.extent = {"rows": s.rows.each, "columns": s.columns.each, "outputs": s.outputs.each}
        self.stride = {"outputs": 1, "columns": s.outputs.each, "rows": s.outputs.each * s.columns.each}
        vectors = [a for a, kind in zip(AXES, s.spatial) if kind == "vec" and self.extent[a] in LANES]
        self.vector = vectors[0] if vectors else None
        self.lanes = min(self.extent[self.vector], WIDEST) if self.vector else 1
        self.order = [AXES[n - 7] for n in s.order]

    def steps(self):
        """Yields (row, column, output) of the first lane of each sum, in the schedule's order."""
        ranges = [range(0, self.extent[a], self.lanes if a == self.vector else 1) for a in self.order]
        for at in itertools.product(*ranges):
            by = dict(zip(self.order, at))
            yield by["rows"], by["columns"], by["outputs"]

    def lane(self, at, k):
        """The place of lane k of a sum."""
        return tuple(n + k if a == self.vector else n for a, n in zip(AXES, at))

    def offset(self, at):
        return sum(n * self.stride[a] for a, n in zip(AXES, at))

    def type(self):
        return f"float{self.lanes}" if self.lanes > 1 else "float"


def consecutive(places):
    return places == list(range(places[0], places[0] + len(places)))


def whole(tile, what, places):
    """Whether the places are one vector of an array whose vectors are aligned: of filter and sums, if outputs are lanes."""
    return tile.vector == "outputs" and what != "d" and consecutive(places)


def vector(tile, what, places):
    return f"((__global {'' if what == 'o' else 'const '}{tile.type()} *){what})[{places[0] // tile.lanes}]"


def value(tile, what, places):
    """Text of a load from `what`: of one number, of consecutive numbers, or of numbers that are gathered."""
    if len(set(places)) == 1:
        return f"{what}[{places[0]}]"
    if whole(tile, what, places):
        return vector(tile, what, places)
    if consecutive(places):
        return f"vload{tile.lanes}(0, {what} + {places[0]})"
    return f"({tile.type()})({', '.join(f'{what}[{p}]' for p in places)})"


def put(tile, what, places, text):
    if tile.lanes == 1:
        return [f"{what}[{places[0]}] = {text};"]
    if whole(tile, what, places):
        return [f"{vector(tile, what, places)} = {text};"]
    if consecutive(places):
        return [f"vstore{tile.lanes}({text}, 0, {what} + {places[0]});"]
    return [f"{what}[{p}] = ({text}).s{k:x};" for k, p in enumerate(places)]


class Convolve:
    """The kernel of the sums."""

    def __init__(self, r, form):
        self.r, self.c, self.s, self.form, self.tile = r, r.convolution, r.schedule, form, Tiles(r.schedule)

    def sum_at(self, at):
        return "s" + "_".join(map(str, at))

    def product(self, at, high, wide):
        lanes = [self.tile.lane(at, k) for k in range(self.tile.lanes)]
        across = packed_columns(self.r)
        data = [(y * self.c.strides[0] + high) * across + x * self.c.strides[1] + wide for y, x, _ in lanes]
        taps = [(high * self.c.wide + wide) * self.s.outputs.each + z for _, _, z in lanes]
        return f"{value(self.tile, 'd', data)} * {value(self.tile, 'w', taps)}"

    def step(self, at, high, wide):
        places = [self.tile.offset(self.tile.lane(at, k)) for k in range(self.tile.lanes)]
        text = self.product(at, high, wide)
        if self.form == "registers":
            return [f"{self.sum_at(at)} += {text};"]
        return put(self.tile, "o", places, f"{value(self.tile, 'o', places)} + {text}")

    def body(self):
        """One channel: loops over the filter that the schedule leaves are loops here, all else is text."""
        unrolled = [kind == "unroll" for kind in self.s.reduction]
        loops, highs, wides = [], range(self.c.high), range(self.c.wide)
        across, each = packed_columns(self.r), self.s.outputs.each
        if not unrolled[0] and self.c.high > 1:
            loops.append((self.c.high, across, self.c.wide * each))
            highs = range(1)
        if not unrolled[1] and self.c.wide > 1:
            loops.append((self.c.wide, 1, each))
            wides = range(1)
        lines = [line for high in highs for wide in wides for at in self.tile.steps() for line in self.step(at, high, wide)]
        for count, data, taps in reversed(loops):
            lines = [f"for (int k = 0; k < {count}; k++, d += {data}, w += {taps}) {{"] + \
                ["    " + line for line in lines] + [f"}} d -= {count * data}; w -= {count * taps};"]
        return lines

    def begin(self, at):
        places = [self.tile.offset(self.tile.lane(at, k)) for k in range(self.tile.lanes)]
        if self.form == "registers":
            return [f"{self.tile.type()} {self.sum_at(at)} = 0;"]
        return put(self.tile, "o", places, f"({self.tile.type()})(0)")

    def end(self, at):
        places = [self.tile.offset(self.tile.lane(at, k)) for k in range(self.tile.lanes)]
        return put(self.tile, "o", places, self.sum_at(at)) if self.form == "registers" else []

    def text(self):
        c, s, steps = self.c, self.s, list(self.tile.steps())
        plane, taps = packed_rows(self.r) * packed_columns(self.r), c.high * c.wide * s.outputs.each
        each = s.outputs.each * s.rows.each * s.columns.each
        lines = [f"__kernel void {self.form}(__global const float *restrict data, __global const float *restrict filter, "
                 "__global float *restrict sums)", "{",
                 "    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);",
                 f"    __global const float *d = data + (y * {tiles(s.columns)} + x) * {c.inputs * plane};",
                 f"    __global const float *w = filter + z * {c.inputs * taps};",
                 f"    __global float *o = sums + ((z * {tiles(s.rows)} + y) * {tiles(s.columns)} + x) * {each};"]
        lines += ["    " + line for at in steps for line in self.begin(at)]
        lines += [f"    for (int i = 0; i < {c.inputs}; i++, d += {plane}, w += {taps}) {{"]
        lines += ["        " + line for line in self.body()] + ["    }"]
        lines += ["    " + line for at in steps for line in self.end(at)] + ["}"]
        return "\n".join(lines) + "\n"


def pack(r):
    c, s = r.convolution, r.schedule
    rows, columns = packed_rows(r), packed_columns(r)
    lines = ["__kernel void pack(__global const float *restrict in, __global float *restrict data)", "{",
             "    int i = get_global_id(0), x = get_global_id(1), y = get_global_id(2);",
             f"    __global float *d = data + ((y * {tiles(s.columns)} + x) * {c.inputs} + i) * {rows * columns};"]
    lines += [f"    for (int v = 0; v < {rows}; v++)", f"        for (int h = 0; h < {columns}; h++) {{",
              f"            int row = y * {s.rows.each * c.strides[0]} + v - {c.padding[0]};",
              f"            int column = x * {s.columns.each * c.strides[1]} + h - {c.padding[1]};"]
    inside = [f"row >= 0 && row < {c.rows} && column >= 0 && column < {c.columns} ? " if any(c.padding) else "",
              f"in[(i * {c.rows} + row) * {c.columns} + column]", " : 0" if any(c.padding) else ""]
    return "\n".join(lines + [f"            d[v * {columns} + h] = {''.join(inside)};", "        }", "}"]) + "\n"


def unpack(r):
    s = r.schedule
    place = "0"
    for index, t in (("z", s.outputs), ("y", s.rows), ("x", s.columns)):
        place = f"({place}) * {tiles(t)} + {index} / {t.each}"
    for index, t in (("y", s.rows), ("x", s.columns), ("z", s.outputs)):
        place = f"({place}) * {t.each} + {index} % {t.each}"
    rows, columns = logs.out_rows(r.convolution), logs.out_columns(r.convolution)
    return ("__kernel void unpack(__global const float *restrict sums, __global float *restrict out)\n{\n"
            "    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n"
            f"    out[(z * {rows} + y) * {columns} + x] = sums[{place}];\n}}\n")


def source(r):
    return "".join([pack(r), *(Convolve(r, form).text() for form in FORMS), unpack(r)])


def sizes(r, step):
    """Threads and threads per group of a kernel, by axis."""
    c, s = r.convolution, r.schedule
    group = [s.columns.threads, s.rows.threads, s.outputs.threads]
    if step == "pack":
        return [c.inputs, tiles(s.columns), tiles(s.rows)], [1, 1, 1]
    if step == "unpack":
        return [logs.out_columns(c), logs.out_rows(c), c.outputs], group
    return [tiles(s.columns), tiles(s.rows), tiles(s.outputs)], group


def counts(r):
    """Numbers in each buffer."""
    c, s = r.convolution, r.schedule
    return {"in": c.inputs * c.rows * c.columns,
            "data": c.inputs * tiles(s.rows) * tiles(s.columns) * packed_rows(r) * packed_columns(r),
            "filter": c.inputs * c.outputs * c.high * c.wide,
            "out": c.outputs * logs.out_rows(c) * logs.out_columns(c)}


def lines(r):
    """The launches of a record, in the format of examples/gpu/launches.c."""
    n, name = counts(r), logs.name_of(r)
    arguments = {"pack": f"floats:{n['in']}:1 zero:{4 * n['data']}", "unpack": f"floats:{n['out']}:4 zero:{4 * n['out']}"}
    for form in FORMS:
        arguments[form] = f"floats:{n['data']}:2 floats:{n['filter']}:3 zero:{4 * n['out']}"
    for step in STEPS:
        threads, group = ("x".join(map(str, size)) for size in sizes(r, step))
        yield f"{name}.{step} {name}.cl {step} {threads} {group} {arguments[step]}"
