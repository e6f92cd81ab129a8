"""The frames that graphics jobs drew: size, bytes, overdraw, and what became of each draw."""
import base64

import bars
import units
from markup import absent, cell, escape, facts, fold, link, paragraph, table, tag

NAME, TITLE = "frames", "Frames"
ABOUT = ("What graphics jobs drew, frame by frame; look for pixels that are shaded many times, for draws with most fragments, and "
         "for fragments that were shaded and then killed.")
SIDE = 256  # pixels of the page to which the pictures of small frames are enlarged
STYLES = [("shaded and kept", "blue"), ("killed after shading", "red")]
COLUMNS = ("occluded", "helpers", "quads", "tiles", "primitives", "culled", "vertices")


def known(owner, key, show=units.count):
    """A cell with a number that may be absent."""
    return cell(show(owner[key]) if key in owner else "–", sort=owner.get(key, ""), class_="n")


def mean(frame):
    """Fragments per pixel; None: not known."""
    pixels = frame["width"] * frame["height"]
    return frame["fragments"] / pixels if pixels and "fragments" in frame else None


def mean_words(frame):
    found = mean(frame)
    return "–" if found is None else f"{found:,.2f}"


def picture(frame, n, png):
    """The picture of overdraw, with pixels that can be seen."""
    scale = max(1, SIDE // max(frame["width"], frame["height"], 1))
    about = f"Overdraw of frame {n}: {mean_words(frame)} fragments per pixel in the mean"
    image = f'<img src="data:image/png;base64,{base64.b64encode(png).decode()}" width="{frame["width"] * scale}" height="{frame["height"] * scale}" alt="{escape(about)}">'
    return tag("figure", image + tag("figcaption", "Fragments shaded per pixel: black none, white 8 or more"), class_="pixels")


def bar(draw, whole, what):
    killed = min(draw.get("killed", 0), draw.get("fragments", 0))
    parts = zip(STYLES, (draw.get("fragments", 0) - killed, killed))
    return bars.stack([(name, value, style) for (name, style), value in parts], f"{what}: fragments", whole=whole or 1, high=14)


def draw_row(draw, whole, shaders):
    name = f"draw {draw['draw']}" if "draw" in draw else "frame shader"
    shader, n = draw.get("shader", "–"), draw.get("fragments", 0)
    shader = "none" if shader == "0x0" else shader
    at = shaders.get(shader)
    return [cell(name, "th", sort=draw.get("draw", -1)), cell(draw.get("address", "–")), cell(("html", link(at, shader)) if at else shader),
            known(draw, "fragments"), cell(("html", bar(draw, whole, name)), class_="bar", sort=n), known(draw, "killed"),
            *(known(draw, key) for key in COLUMNS), known(draw, "input_bytes", units.size)]


def draws(frame, n, shaders):
    found = frame.get("draws", [])
    if not found:
        return absent("nothing was drawn in this frame, or its draws are not in the report")
    most = max(draw.get("fragments", 0) for draw in found)
    heads = [("draw", ""), ("descriptor", ""), ("shader", ""), ("fragments", "n"), ("relative to the largest", ""), ("killed", "n"), *((key, "n") for key in COLUMNS), ("input", "n")]
    left = frame.get("draw_count", 0) - len(found)
    more = paragraph(f"{units.plural(left, 'draw')} more are in draws.csv.", "note") if left > 0 else ""
    return bars.key(STYLES) + table(f"Draws of frame {n}", heads, [draw_row(draw, most, shaders) for draw in found], sortable=True) + more


def frame_part(frame, n, shaders, pictures, opened):
    size, png = f"{frame['width']} × {frame['height']}", pictures.get(frame.get("overdraw"))
    pairs = [("size", size + " pixels"), ("colour targets", frame.get("targets")), ("fragments per pixel, mean", mean_words(frame)),
             ("bytes written", units.size(frame["written_bytes"]) if "written_bytes" in frame else None), ("descriptor", frame.get("descriptor"))]
    out = facts([(name, value) for name, value in pairs if value is not None])
    if png:
        out = tag("div", picture(frame, n, png) + tag("div", out, class_="grow"), class_="columns")
    elif frame.get("fragments"):
        out += paragraph("There is no picture of its overdraw: it is large, not among the first, or its file is absent or damaged.", "note")
    head = escape(f"Frame {n}") + tag("span", escape(f"{size}, {units.plural(frame.get('draw_count', len(frame.get('draws', []))), 'draw')}"), class_="sub")
    return fold(("html", head), out + draws(frame, n, shaders), opened, f"frame.{n}", "frame")


def frame_row(frame, n, most):
    return [cell(("html", link(f"frame.{n}", f"frame {n}")), "th", sort=n), cell(f"{frame['width']} × {frame['height']}", class_="n", sort=frame["width"] * frame["height"]),
            known(frame, "targets"), known(frame, "draw_count"), known(frame, "fragments"),
            cell(("html", bars.stack([(f"frame {n}", frame.get("fragments", 0), "blue")], f"frame {n}: fragments", whole=most or 1, high=14)), class_="bar", sort=frame.get("fragments", 0)),
            cell(mean_words(frame), class_="n", sort=mean(frame) or 0), known(frame, "written_bytes", units.size)]


def render(report, shown, pictures):
    """Of all frames in the report; `shown` are kernels with views, `pictures` the files that frames name."""
    frames = report["frames"]
    addresses = [kernel.get("shader") for kernel in shown]
    shaders = {kernel["shader"]: kernel["id"] for kernel in shown if "shader" in kernel and addresses.count(kernel["shader"]) == 1}
    most = max(frame.get("fragments", 0) for frame in frames)
    heads = [("frame", ""), ("size", "n"), ("targets", "n"), ("draws", "n"), ("fragments", "n"), ("relative to the largest", ""), ("per pixel", "n"), ("written", "n")]
    out = table("Frames", heads, [frame_row(frame, n, most) for n, frame in enumerate(frames)], sortable=True)
    left = report.get("frame_count", 0) - len(frames)
    if left > 0:
        out += paragraph(f"{units.plural(left, 'frame')} more are in frames.csv.", "note")
    first = next(n for n, frame in enumerate(frames) if frame.get("fragments", 0) == most)
    return out + "".join(frame_part(frame, n, shaders, pictures, n == first) for n, frame in enumerate(frames))
