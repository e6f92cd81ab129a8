"""Reads report.json and timeline.json, which may come from anywhere: what is wrong is one line of Trouble."""
import json
import pathlib
import struct

import schema
from trouble import Trouble

LARGEST_FILE, LARGEST_PICTURE, MOST_PIXELS = 1 << 30, 1 << 21, 1 << 22


def refuse(constant):
    raise ValueError(f"{constant} is no number of JSON")


def parse(path):
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise Trouble(f"{path}: larger than 1 GiB")
        return json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse)
    except OSError as e:
        raise Trouble(f"{path}: {e.strerror}") from e
    except (ValueError, RecursionError) as e:
        raise Trouble(f"{path}: not JSON: {str(e)[:120] or type(e).__name__}") from e


def same(kernels):
    seen = set()
    for n, kernel in enumerate(kernels):
        if kernel["id"] in seen:
            raise Trouble(f"kernels[{n}].id: {kernel['id']} is there twice")
        seen.add(kernel["id"])


def inside(n, limit, place):
    if n is not None and n >= limit:
        raise Trouble(f"{place}: {n} is beyond the last, {limit - 1}")


def check_indexes(kernel, place):
    """Numbers of bundles and blocks name some that exist."""
    bundles, blocks = len(kernel.get("bundles", [])), kernel.get("blocks", [])
    for n, block in enumerate(blocks):
        inside(block["first"] + max(block["count"], 1) - 1, bundles, f"{place}.blocks[{n}]")
    for n, bundle in enumerate(kernel.get("bundles", []) if blocks else []):
        inside(bundle.get("block"), len(blocks), f"{place}.bundles[{n}].block")
    for n, edge in enumerate(kernel.get("edges", [])):
        inside(edge["from"], len(blocks), f"{place}.edges[{n}].from")
        inside(edge["to"], len(blocks), f"{place}.edges[{n}].to")
    for n, access in enumerate(kernel.get("accesses", [])):
        inside(access["bundle"], bundles, f"{place}.accesses[{n}].bundle")
        for k, (stride, times) in enumerate(access.get("strides", [])):
            if isinstance(stride, bool) or not isinstance(stride, int) or abs(stride) >= schema.LARGEST:
                raise Trouble(f"{place}.accesses[{n}].strides[{k}]: a number of bytes is expected")
            schema.whole(times, f"{place}.accesses[{n}].strides[{k}]")


def check(raw):
    if not isinstance(raw, dict) or raw.get("format") != "gencc-report":
        raise Trouble('not a report of gencc: "format": "gencc-report" is missing')
    if raw.get("version") != 1:
        raise Trouble(f"version {str(raw.get('version'))[:20]} of the format is not known, version 1 is")
    report = schema.REPORT(raw, "")
    same(report["kernels"])
    for n, kernel in enumerate(report["kernels"]):
        check_indexes(kernel, f"kernels[{n}]")
    for n, frame in enumerate(report.get("frames", [])):
        # A name that the report chooses could be that of any file.
        if frame.get("overdraw", f"overdraw-{n}.png") != f"overdraw-{n}.png":
            raise Trouble(f"frames[{n}].overdraw: overdraw-{n}.png is expected")
    return report


def report_path(path):
    path = pathlib.Path(path)
    return path / "report.json" if path.is_dir() else path


def report(path):
    """The checked report of a folder, or of the file itself."""
    path = report_path(path)
    try:
        return check(parse(path))
    except Trouble as trouble:
        raise trouble if str(trouble).startswith(str(path)) else Trouble(f"{path}: {trouble}") from trouble


def is_picture(png, frame):
    """Whether a file begins as a PNG of the frame's size, which bounds what showing it takes."""
    size = frame["width"], frame["height"]
    return size[0] * size[1] <= MOST_PIXELS and png.startswith(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", *size))


def pictures(folder, report):
    """The pictures that the frames name, by their names. A file that is absent, a link, large or no such picture is left out."""
    found = {}
    for frame in report.get("frames", []):
        name = frame.get("overdraw")
        path = folder / (name or "")
        if not name or path.is_symlink() or not path.is_file() or path.stat().st_size > LARGEST_PICTURE:
            continue
        png = path.read_bytes()
        if is_picture(png, frame):
            found[name] = png
    return found


def timeline(path):
    """The events of a Chrome trace, or None where there is no such file."""
    if not path.exists():
        return None
    raw = parse(path)
    events = raw.get("traceEvents") if isinstance(raw, dict) else raw
    try:
        return schema.events(events, "traceEvents")
    except Trouble as trouble:
        raise Trouble(f"{path}: {trouble}") from trouble
