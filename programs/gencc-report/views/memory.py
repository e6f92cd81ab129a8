"""View 5: what goes between lanes, L1, L2 and memory; and the buffers."""
import bars
import units
from facts import NO_TIME, buffer_words, line_bytes, timing, title
from markup import absent, cell, figure, paragraph, table, tag
from svg import rect, text

NAME, TITLE = "memory", "Memory"
ABOUT = ("Requests, lines, hits and bytes between lanes, L1, L2 and DRAM, and which buffers they belong to; look for low hit "
         "rates, and for many more bytes moved than lanes asked for.")
WIDE, BOX, HIGH, STEP = 340, 190, 72, 148


def box(y, name, lines):
    x = (WIDE - BOX) / 2
    out = [rect(x, y, BOX, HIGH, "var(--panel)", 'stroke="var(--axis)" rx="6"'),
           text(WIDE / 2, y + 18, name, size=13, more='font-weight="600"')]
    return out + [text(WIDE / 2, y + 33 + 14 * n, words, size=11) for n, words in enumerate(lines)]


def arrow(x, y1, y2):
    head = 5 if y2 > y1 else -5
    return (f'<path d="M{x},{y1} V{y2 - head} M{x - 5},{y2 - 2 * head} L{x},{y2 - head / 2} L{x + 5},{y2 - 2 * head}" fill="none" '
            f'stroke="var(--ink)" stroke-width="1.75"/>')


def between(y, up, down):
    """Two arrows from y down to the next box: what comes up on the left (reads), what goes down on the right (writes)."""
    top, bottom = y + HIGH + 4, y + STEP - 4
    middle = (top + bottom) / 2
    out = []
    for x, start, end, anchor, side, lines in ((WIDE / 2 - 14, bottom, top, "end", -8, up), (WIDE / 2 + 14, top, bottom, "start", 8, down)):
        if lines:
            out.append(arrow(x, start, end))
            out += [text(x + side, middle - 10 + 14 * n, words, anchor, 11) for n, words in enumerate(lines)]
    return out


def rate(hits, misses):
    return f"{units.count(hits)} hits of {units.count(hits + misses)}: {units.percent(hits, hits + misses)}" if hits + misses else "no access"


def asked(kernel):
    """Bytes that lanes read and wrote, of accesses that the report has; None without any."""
    rows = [(access["kind"], access["lanes"] * access["bytes"]) for access in kernel.get("accesses", []) if "lanes" in access and "bytes" in access]
    return None if not rows else (sum(n for kind, n in rows if not kind.endswith("store")), sum(n for kind, n in rows if kind.endswith("store")))


def chart(kernel, report):
    t, counters, line = timing(kernel), kernel.get("counters", {}), line_bytes(kernel, report)
    reads = sum(counters.get(k, 0) for k in ("global_reads", "local_reads", "thread_memory_reads"))
    writes = sum(counters.get(k, 0) for k in ("global_writes", "local_writes", "thread_memory_writes"))
    want, y = asked(kernel), 6
    parts = box(y, "lanes", [f"{units.count(reads)} reads", f"{units.count(writes)} writes"])
    parts += between(y, ["read"], ["written"]) if want is None else between(y, [units.size(want[0]), "read"], [units.size(want[1]), "written"])
    y += STEP
    parts += box(y, "L1 of the cores", [f"{units.count(t['requests'])} requests of warps" if "requests" in t else "requests unknown",
                                        f"{units.count(t.get('l1_hits', 0))} hits, {units.count(t.get('l1_misses', 0))} misses",
                                        f"hit rate {units.percent(t.get('l1_hits', 0), t.get('l1_hits', 0) + t.get('l1_misses', 0))}"])
    parts += moved(y, t, "l2", line)
    y += STEP
    parts += box(y, "L2", [f"lines of {line} bytes", f"{units.count(t.get('l2_hits', 0))} hits, {units.count(t.get('l2_misses', 0))} misses",
                           f"hit rate {units.percent(t.get('l2_hits', 0), t.get('l2_hits', 0) + t.get('l2_misses', 0))}"])
    parts += moved(y, t, "dram", line)
    y += STEP
    n = t.get("dram_reads", 0) + t.get("dram_writes", 0)
    parts += box(y, "DRAM", [f"{units.size(n * line)} in {units.count(n)} lines", share_of_peak(kernel, report, n * line)])
    about = (f"{units.count(t.get('requests', 0))} requests; L1 {rate(t.get('l1_hits', 0), t.get('l1_misses', 0))}; "
             f"L2 {rate(t.get('l2_hits', 0), t.get('l2_misses', 0))}; DRAM {units.size(n * line)}")
    return bars.picture(WIDE, y + HIGH + 8, parts, f"Memory chart of {title(kernel)}", about)


def moved(y, t, level, line):
    """Lines and bytes read and written between two boxes."""
    reads, writes = t.get(f"{level}_reads", 0), t.get(f"{level}_writes", 0)
    return between(y, [f"{units.count(reads)} lines", units.size(reads * line), "read"], [f"{units.count(writes)} lines", units.size(writes * line), "written"])


def share_of_peak(kernel, report, n):
    peak, cycles, clock = report["gpu"].get("roofs", {}).get("dram"), timing(kernel).get("model_cycles"), report["gpu"].get("clock_mhz")
    return f"{units.percent(n * clock * 1e6 / cycles, peak)} of its bandwidth" if peak and cycles and clock else ""


def buffers(kernel):
    found = kernel.get("buffers", [])
    if not found:
        return absent("no traced access was to a buffer whose address is among the uniforms")
    whole, rows = sum(b.get("bytes_read", 0) + b.get("bytes_written", 0) for b in found), []
    for b in found:
        n = b.get("bytes_read", 0) + b.get("bytes_written", 0)
        name = buffer_words(b) or b.get("address", "unknown")
        bar = bars.stack([("read", b.get("bytes_read", 0), "blue"), ("written", b.get("bytes_written", 0), "orange")], f"{name}: read and written", whole=whole or 1, high=14)
        rows.append([cell(name, "th"), cell(("html", tag("code", b.get("address", "–"))))] +
                    [cell(units.count(b[key]) if key in b else "–", class_="n") for key in ("bytes", "reads", "bytes_read", "writes", "bytes_written", "lines", "pages")] +
                    [cell(("html", bar), class_="bar")])
    heads = [("buffer", ""), ("address", "")] + [(w, "n") for w in ("bytes", "reads", "bytes read", "writes", "bytes written", "lines", "pages")] + [("share of bytes", "")]
    pages, lines = (sum(b.get(key, 0) for b in found) for key in ("pages", "lines"))
    words = f"Footprint of the traced work-groups: {units.count(lines)} lines, {units.count(pages)} pages."
    if any("argument" not in b for b in found):
        words += (" Pointers are numbered as they stand among the uniforms. Which arguments they are is known with the source "
                  "(-report-source FILE), if the kernel uses all of its buffers.")
    foot = paragraph(words, "note")
    return bars.key([("read", "blue"), ("written", "orange")]) + table("Buffers", heads, rows) + foot


def render(kernel, report):
    t = timing(kernel)
    left = figure(None, chart(kernel, report)) if "l1_hits" in t else absent(NO_TIME)
    return tag("div", left + tag("div", tag("h4", "Footprint by buffer", id=f"{kernel['id']}-buffers") + buffers(kernel), class_="grow"), class_="columns")
