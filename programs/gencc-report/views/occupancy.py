"""View 8: threads of a core against work registers and against the size of work-groups."""
import bars
import units
from colours import PageFrame
from facts import NO_TIME, title
from markup import absent, cell, figure, paragraph, table, tag
from svg import line, text

NAME, TITLE = "occupancy", "Occupancy"
ABOUT = ("How many threads a core holds, by the kernel's work registers and by the size of its work-groups, and how many it held in the mean; "
         "look for a step just below the kernel's number, for group sizes that leave threads unused, and for a mean far below.")


def threads_of(steps, n):
    return next((step["threads"] for step in steps if n <= step["up_to"]), steps[-1]["threads"] if steps else 0)


def resident(limit, group, width):
    """Threads of whole groups that fit; a group takes whole warps."""
    taken = -(-group // width) * width
    return limit // taken * group if taken else 0


def here(x, y, words, frame):
    """The kernel's own place: a ring, and words on the side with room."""
    left = x > frame.left + frame.width * 0.6
    return (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6" fill="none" stroke="var(--hot)" stroke-width="3"/>' +
            text(x + (-11 if left else 11), y - 9, words, "end" if left else "start", 11, 'font-weight="600" stroke="var(--page)" stroke-width="3" paint-order="stroke"'))


def measured_point(x, y, threads, frame, over_bars=False):
    """The mean of the run: a diamond, and words beside it, or over bars at the frame's top."""
    left, low = x > frame.left + frame.width * 0.6, y > frame.top + frame.height - 18
    at = frame.top + 10 if over_bars else y - 4 if low else y + 14
    return (f'<path d="M{x:.1f},{y - 5:.1f}l5,5l-5,5l-5,-5z" fill="var(--ink)" stroke="var(--page)"><title>measured: {threads:.1f} threads</title></path>' +
            text(x + (6 if over_bars else -11) if left else x + (-6 if over_bars else 11), at, f"{'◆ ' if over_bars else ''}measured {threads:,.0f}", "end" if left else "start", 11,
                 'stroke="var(--page)" stroke-width="3" paint-order="stroke"'))


def axis(frame, values):
    return [text(frame.x(v), frame.top + frame.height + 15, units.count(v), size=10) for v in values]


def by_registers(steps, n, mean, name):
    most = steps[-1]["up_to"]
    frame = PageFrame(52, 16, 270, 170, (0, most * 1.02), (0, max(s["threads"] for s in steps) * 1.2))
    parts, last = frame.draw("", "work registers", ""), 0
    for k, step in enumerate(steps):
        y = frame.y(step["threads"])
        parts.append(line(frame.x(last), y, frame.x(step["up_to"]), y, "var(--blue)", 3))
        if k + 1 < len(steps):
            parts.append(line(frame.x(step["up_to"]), y, frame.x(step["up_to"]), frame.y(steps[k + 1]["threads"]), "var(--blue)", 1))
        last = step["up_to"]
    parts += axis(frame, [0] + [s["up_to"] for s in steps])
    if n is not None:
        parts.append(here(frame.x(min(n, most)), frame.y(threads_of(steps, n)), f"{n} registers", frame))
    if n is not None and mean is not None:
        parts.append(measured_point(frame.x(min(n, most)), frame.y(mean), mean, frame))
    about = "; ".join(f"up to {s['up_to']} registers: {s['threads']} threads" for s in steps)
    return bars.picture(340, 226, parts, f"Threads per core by work registers, {name}", about)


def by_group(limit, group, width, mean, name):
    sizes = sorted({n for n in (1, 2, 4, 8, 16, 32, 48, 64, 96, 128, 192, 256, 320, 384, 512, 768, 1024) if n <= limit} | ({group} if group and group <= limit else set()))
    frame = PageFrame(52, 16, 270, 170, (0, len(sizes)), (0, limit * 1.2))
    parts, slot, point = frame.draw("", "threads of a work-group", ""), frame.width / max(len(sizes), 1), ""
    parts.append(line(frame.left, frame.y(limit), frame.left + frame.width, frame.y(limit), "var(--axis)"))
    for k, size in enumerate(sizes):
        n, x = resident(limit, size, width), frame.left + k * slot
        own = size == group
        parts.append(f'<rect x="{x + 1:.1f}" y="{frame.y(n):.1f}" width="{slot - 2:.1f}" height="{frame.top + frame.height - frame.y(n):.1f}" '
                     f'fill="var(--{"hot" if own else "blue"})" stroke="{"var(--ink)" if own else "none"}" stroke-width="2"><title>{size}: {n} threads</title></rect>')
        if own or len(sizes) < 9 or k % 3 == 0 and abs(k - (sizes.index(group) if group in sizes else -9)) > 1:
            parts.append(text(x + slot / 2, frame.top + frame.height + 15, size, size=10, more='font-weight="700"' if own else ""))
        if own and mean is not None:
            point = measured_point(x + slot / 2, frame.y(mean), mean, frame, over_bars=True)
    parts.append(point)
    about = "; ".join(f"{size}: {resident(limit, size, width)}" for size in sizes)
    return bars.picture(340, 226, parts, f"Threads per core by size of work-groups, {name}", about)


def over_time(found, limit, name):
    """Draws the resident warps per core in each part of the longest job."""
    values, most = found["over_time"], max([limit or 0, *found["over_time"], 1])
    frame = PageFrame(52, 16, 270, 170, (0, len(values)), (0, most * 1.15))
    parts, slot = frame.draw("", "time of the job", ""), frame.width / len(values)
    for k, value in enumerate(values):
        top = frame.y(value)
        parts.append(f'<rect x="{frame.left + k * slot:.1f}" y="{top:.1f}" width="{slot:.1f}" height="{frame.top + frame.height - top:.1f}" fill="var(--blue)">'
                     f"<title>{100 * k / len(values):.0f}\u00a0%: {value:.1f} warps</title></rect>")
    parts += [text(frame.x(len(values) * share), frame.top + frame.height + 15, f"{100 * share:.0f}\u00a0%", size=10) for share in (0, 0.5, 1)]
    if limit:
        parts.append(line(frame.left, frame.y(limit), frame.left + frame.width, frame.y(limit), "var(--hot)", 2))
        parts.append(text(frame.left + frame.width, frame.y(limit) - 5, f"room for {limit:g}", "end", 11))
    about = "; ".join(f"{value:.1f}" for value in values)
    return bars.picture(340, 226, parts, f"Resident warps per core over time, {name}", about)


def by_core(kernel):
    """Makes a table of the use of each core."""
    rows = kernel["residency"].get("by_core", [])
    if not rows:
        return ""
    most = max(row.get("resident", 0) for row in rows) or 1
    cells = [[cell(f"core {n}", "th"), cell(units.count(row.get("groups", 0)), class_="n"), cell(units.count(row.get("warps", 0)), class_="n"),
              cell(f"{row.get('resident', 0):.1f}", class_="n"),
              cell(("html", bars.stack([("resident warps", row.get("resident", 0), "blue")], f"core {n}: resident warps", whole=most, high=12)), class_="bar")]
             for n, row in enumerate(rows)]
    return tag("details", tag("summary", "By core: traced groups and warps") +
               table("By core", [("core", ""), ("groups", "n"), ("warps", "n"), ("resident warps", "n"), ("", "")], cells))


def measured(kernel, limit, width):
    """Makes the text and the picture on resident warps."""
    found = kernel.get("residency", {})
    if not found.get("over_time"):
        return paragraph("How many warps were resident is not known: " + NO_TIME + ".", "note"), ""
    room = limit // width if limit else 0
    words = f"In the model a core held {found.get('warps', 0):.1f} warps in the mean"
    words += f" of {units.count(room)} that there is room for ({units.percent(found.get('warps', 0), room)})." if room else "."
    return paragraph(words), figure("Resident warps of a core over the longest job's time", over_time(found, room, title(kernel)))


def render(kernel, report):
    steps = sorted((s for s in report["gpu"].get("registers", []) if s["up_to"] and s["threads"]), key=lambda s: s["up_to"])
    if not steps:
        return absent("the report does not say how registers bound the threads of a core")
    n, local, width = kernel.get("code", {}).get("registers"), kernel.get("local"), report["gpu"].get("warp_width", 1) or 1
    limit = threads_of(steps, n or 0)
    group = local[0] * local[1] * local[2] if local else None
    words = [f"A core holds up to {units.count(limit)} threads of this kernel" + (f", which uses {units.plural(n, 'work register')}." if n is not None else ".")]
    if group:
        held = resident(limit, group, width)
        words.append(f"Work-groups of {units.count(group)} fill {units.count(held)} of them ({units.percent(held, limit)}).")
    mean = kernel["residency"].get("warps", 0) * width if kernel.get("residency", {}).get("over_time") else None
    better = [s for s in steps if n is not None and s["threads"] > limit and n > s["up_to"]]
    if better:
        words.append(f"With {better[-1]['up_to']} registers or fewer it would hold {units.count(better[-1]['threads'])}.")
    out = figure("Threads per core by work registers", by_registers(steps, n, mean, title(kernel)))
    out += figure(f"Threads per core by size of work-groups, of {units.count(limit)}", by_group(limit, group, width, mean, title(kernel)))
    says, picture = measured(kernel, limit, width)
    return paragraph(" ".join(words)) + says + tag("div", out + picture, class_="panels") + (by_core(kernel) if picture else "") + paragraph("Local memory and barriers may bound the groups further.", "note")
