"""Reads logs of AutoTVM, of which TopHub publishes one per kind of device: a line of JSON per operation, with the fastest
schedule that a search found and the time that it took on the device."""
import json
from collections import namedtuple

SPATIAL_PACK = "conv2d_nchw_spatial_pack.mali"

# A convolution: channels, rows and columns of the input; channels of the output; rows and columns of the filter; strides;
# rows and columns of zeros around the input (top, left, bottom, right).
Convolution = namedtuple("Convolution", "inputs rows columns outputs high wide strides padding")
# Blocks, threads and elements per thread of one axis.
Tile = namedtuple("Tile", "blocks threads each")
# tiles of outputs, rows and columns; whether the reduction loops over rows and columns of the filter are unrolled; what is
# done with the loops over a thread's rows, columns and outputs: none, unroll or vec; the order of these loops.
Schedule = namedtuple("Schedule", "outputs rows columns reduction spatial order")
Record = namedtuple("Record", "convolution schedule seconds target type line")


class Trouble(Exception):
    """An error, as one message."""


def out_rows(c):
    return (c.rows + c.padding[0] + c.padding[2] - c.high) // c.strides[0] + 1


def out_columns(c):
    return (c.columns + c.padding[1] + c.padding[3] - c.wide) // c.strides[1] + 1


def products(c):
    """Multiplications of a convolution."""
    return c.inputs * c.outputs * c.high * c.wide * out_rows(c) * out_columns(c)


def name_of(r):
    """A name that tells all records of a log apart."""
    c, s = r.convolution, r.schedule
    return (f"c{c.inputs}x{c.rows}x{c.columns}_{c.outputs}x{c.high}x{c.wide}_s{c.strides[0]}_p{''.join(map(str, c.padding))}"
            f"_t{s.outputs.each}x{s.rows.each}x{s.columns.each}_l{r.line}")


def four(padding):
    """Padding of older logs is the same on opposite sides."""
    return tuple(padding) if len(padding) == 4 else (padding[0], padding[1], padding[0], padding[1])


def fields_of(entry):
    """Target, task, arguments, entities and result of a line, whose format has two versions."""
    if "input" in entry:
        target, task, arguments = entry["input"][:3]
        return target, task, arguments, entry["config"]["entity"], entry["result"]
    target, task, arguments, _, _, config = entry["i"]
    return target, task, arguments, config["e"] if config.get("t") == "direct" else [], entry["r"]


def direct(task, arguments, entities):
    """Whether a task is a convolution in tiles of NCHW, not one by Winograd, nor of each channel alone."""
    if task not in (SPATIAL_PACK, "topi_nn_conv2d"):
        return False
    names = {e[0] for e in entities}
    dilation = arguments[4] if isinstance(arguments[4], list) else [1, 1]  # older logs have none
    return {"tile_co", "tile_oh", "tile_ow"} <= names and dilation == [1, 1]


def read_line(text, number):
    """A Record, or None: another operation, or a failed measurement."""
    try:
        target, task, arguments, entities, result = fields_of(json.loads(text))
        if not direct(task, arguments, entities) or result[1]:
            return None
        (_, (batch, inputs, rows, columns), kind), (_, (outputs, _, high, wide), _) = arguments[0], arguments[1]
        by = {e[0]: e[2] for e in entities}
        schedule = Schedule(*(Tile(*by[axis]) for axis in ("tile_co", "tile_oh", "tile_ow")), tuple(by["ann_reduce"]),
                            tuple(by["ann_spatial"]), tuple(by["reorder_0"][-3:]))
    except (KeyError, ValueError, TypeError, IndexError) as error:
        raise Trouble(f"line {number}: not a record of AutoTVM: {error!r}") from error
    c = Convolution(inputs, rows, columns, outputs, high, wide, tuple(arguments[2]), four(arguments[3]))
    whole = [(schedule.outputs, outputs), (schedule.rows, out_rows(c)), (schedule.columns, out_columns(c))]
    if batch != 1 or any(t.blocks * t.threads * t.each != n for t, n in whole):
        raise Trouble(f"line {number}: tiles that are not those of the convolution")
    return Record(c, schedule, sum(result[0]) / len(result[0]), target, kind, number)


def read(path):
    """Records of the direct convolutions of a log."""
    found = []
    for number, text in enumerate(path.read_text().splitlines(), 1):
        if text.strip() and not text.startswith("#"):
            record = read_line(text, number)
            if record:
                found.append(record)
    return found
