"""The shape of report.json, and a check of a file against it. What is optional may be absent or null; keys that the shape
does not have are ignored, so that a newer collector's report is still read."""
import math
import re

from markup import clean
from trouble import Trouble

LARGEST = 1 << 64
ADDRESS, IDENTITY = re.compile(r"0x[0-9a-fA-F]{1,16}"), re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
SIDE = 1 << 16
KINDS = {str: "a string", bool: "true or false", int: "a number", float: "a number", list: "a list", dict: "an object",
         type(None): "null"}


def wrong(place, wanted, value):
    raise Trouble(f"{place}: {wanted} is expected, {KINDS[type(value)]} is there")


def whole(value, place):
    if isinstance(value, bool) or not isinstance(value, int):
        wrong(place, "a count", value)
    if not 0 <= value < LARGEST:
        raise Trouble(f"{place}: a count is out of range")
    return value


def number(value, place):
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        wrong(place, "a number", value)
    if not math.isfinite(value) or not 0 <= value < float(LARGEST):
        raise Trouble(f"{place}: a number is out of range")
    return value


def side(value, place):
    if whole(value, place) > SIDE:
        raise Trouble(f"{place}: more than {SIDE} pixels")
    return value


def text(value, place):
    if not isinstance(value, str):
        wrong(place, "a string", value)
    return clean(value)


def flag(value, place):
    if not isinstance(value, bool):
        wrong(place, "true or false", value)
    return value


def matching(pattern, wanted):
    def check(value, place):
        if not isinstance(value, str) or not pattern.fullmatch(value):
            raise Trouble(f"{place}: {wanted} is expected")
        return value
    return check


address = matching(ADDRESS, 'an address "0x…"')
identity = matching(IDENTITY, "an identity of letters, digits, - and _")


def many(of, most=None, exactly=None):
    def check(value, place):
        if not isinstance(value, list):
            wrong(place, "a list", value)
        if exactly is not None and len(value) != exactly or most is not None and len(value) > most:
            raise Trouble(f"{place}: {len(value)} entries are too many or too few")
        return [of(each, f"{place}[{n}]") for n, each in enumerate(value)]
    return check


def named(of):
    """An object whose keys are names that the report chooses."""
    def check(value, place):
        if not isinstance(value, dict):
            wrong(place, "an object", value)
        return {clean(key): of(each, f"{place}.{clean(key)[:40]}") for key, each in value.items() if each is not None}
    return check


def maybe(of):
    """Null is a value of its own here."""
    return lambda value, place: None if value is None else of(value, place)


def shape(**fields):
    """An object; a name that ends in _ is required, and `from_`, which Python cannot have otherwise, is `from`."""
    rows = {name.rstrip("_"): (of, name.endswith("_")) for name, of in fields.items()}

    def check(value, place):
        if not isinstance(value, dict):
            wrong(place, "an object", value)
        out = {}
        for name, (of, required) in rows.items():
            if value.get(name) is not None or required and name in ("from", "to"):
                out[name] = of(value.get(name), f"{place}.{name}" if place else name)
            elif required:
                raise Trouble(f"{place + ': ' if place else ''}{name} is missing")
        return out
    return check


def anything(value, _):
    return value


COUNTERS = named(whole)
TRIPLE = many(whole, exactly=3)
ACCOUNT = named(number)
PATH = shape(arithmetic=number, load_store=number, texture=number, bundles=number)
CODE = shape(**{name: whole for name in ("instructions", "stages", "bundles", "grains", "registers", "uniforms", "loops", "spills",
                                         "fills", "threads", "nops")},
             arithmetic=number, texture=number, load_store=number, half_percent=number, shader_db=text)
BUNDLE = shape(address=address, offset=whole, name_=text, block=whole, text_=text, warps_=whole, lanes=whole, divergent=whole,
               instructions=COUNTERS, stages=whole, barrier=flag, account=ACCOUNT, lines=many(whole, exactly=2))
BLOCK = shape(first_=whole, count_=whole, warps=whole, lanes=whole, depth=whole)
EDGE = shape(from_=maybe(whole), to_=maybe(whole), kind=text, warps=whole, lanes=whole, divergent=whole)
TIMING = shape(model_cycles=number, energy_uj=number, engine_cycles=ACCOUNT, line_bytes=whole, groups_for_one=whole,
               simulated=number, error=number,
               **{name: whole for name in ("l1_hits", "l1_misses", "l2_hits", "l2_misses", "l2_reads", "l2_writes", "dram_reads",
                                           "dram_writes", "requests")})
ACCESS = shape(bundle_=whole, kind_=text, bytes=whole, pointer=whole, argument=whole, name=text, executions=whole,
               lanes=whole, lines=whole,
               lines_histogram=many(whole, most=4096), shapes=COUNTERS, strides=many(many(anything, exactly=2), most=64),
               sampled_groups=whole)
REUSE = shape(line_bytes=whole, histogram=many(whole, most=64), first_uses=whole)
BUFFER = shape(pointer=whole, argument=whole, name=text, address=address, bytes=whole, reads=whole, writes=whole, bytes_read=whole, bytes_written=whole,
               lines=whole, pages=whole)
KERNEL = shape(id_=identity, hash=text, name=text, shader=address, jobs=whole, groups=whole, local=TRIPLE, counters=COUNTERS, code=CODE,
               paths=shape(shortest=PATH, longest=PATH, measured=PATH), bound=text, bundles=many(BUNDLE), blocks=many(BLOCK),
               edges=many(EDGE), timing=TIMING, accesses=many(ACCESS), reuse=REUSE, residency=shape(warps=number, over_time=many(number, most=4096),
                     by_core=many(shape(groups=whole, warps=whole, resident=number), most=4096)), buffers=many(BUFFER),
               source=shape(name=text, text_=text), found=shape(kernels=many(text), fitting=many(text)))
JOB = shape(kernel=identity, header=address, groups=TRIPLE, local=TRIPLE, counters=COUNTERS, model_cycles=number, begin_ns=number,
            end_ns=number)
SYSTEM = shape(cpu=many(shape(name_=text, instructions=whole, kernel=whole, user=whole, idle_ns=whole)),
               symbols=many(shape(symbol_=text, where=text, instructions=whole, share=number)),
               tasks=many(shape(name_=text, instructions=whole, phases=named(number))), phases=named(number),
               gpu=shape(register_reads=whole, register_writes=whole, interrupts=COUNTERS, pages=whole, jobs=whole,
                         faults=many(whole, most=64), window_ns=whole, over_time=many(many(whole, exactly=6))))
DRAW = shape(draw=whole, address=address, shader=address,
             **{name: whole for name in ("vertices", "primitives", "culled", "tiles", "quads", "occluded", "fragments", "helpers", "killed", "input_bytes")})
FRAME = shape(descriptor=address, width_=side, height_=side, targets=whole, written_bytes=whole, fragments=whole, draw_count=whole,
              draws=many(DRAW, most=4096), overdraw=text)
GPU = shape(name_=text, title=text, family=text, clock_mhz=number, cores=whole, engines=whole, warp_width=whole,
            words=shape(bundle=text, stage=text), parameters=named(anything), registers=many(shape(up_to_=whole, threads_=whole), most=64),
            roofs=named(number))
REPORT = shape(format_=text, version_=whole, run=shape(program=text, gencc=text, arguments=many(text), virtual_ns=number), gpu_=GPU,
               model=text, sampled=flag, total=COUNTERS, kernels_=many(KERNEL), jobs=many(JOB), job_count=whole, frames=many(FRAME, most=256), frame_count=whole,
               system=SYSTEM)
EVENT = shape(name=text, ph_=text, id=anything, ts=number, dur=number, pid=number, tid=number, args=named(anything))
NUMBERS = ("ts", "dur", "pid", "tid")


def events(value, place):
    """Events of a Chrome trace. There may be a million: those that are plainly right are neither copied nor named."""
    if not isinstance(value, list):
        wrong(place, "a list", value)
    out = []
    for n, event in enumerate(value):
        good = type(event) is dict and type(event.get("ph")) is str and type(event.get("name", "")) is str and type(event.get("args", {})) is dict
        if good:
            for name in NUMBERS:
                v = event.get(name, 0)
                good = good and (type(v) is int or type(v) is float) and 0 <= v < 1e18
        out.append(event if good else EVENT(event, f"{place}[{n}]"))
    return out
