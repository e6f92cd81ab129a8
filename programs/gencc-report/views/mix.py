"""View 1, second part: instruction mix with empty slots, accesses by kind, sizes of bundles."""
import re

import bars
import units
from facts import SHADES, title, words
from markup import absent, cell, escape, figure, paragraph, table, tag

NAME, TITLE = "mix", "Instruction mix"
ABOUT = ("What lanes executed, where their data lay, and how long the executed bundles are; look for empty slots, for a large "
         "share of memory accesses, and for many short bundles.")
ACCESSES = [("global memory", ("global_reads", "global_writes"), "red"), ("local memory", ("local_reads", "local_writes"), "orange"),
            ("thread memory (stack)", ("thread_memory_reads", "thread_memory_writes"), "purple"),
            ("registers", ("register_reads", "register_writes"), "blue"), ("temporaries", ("temporary_reads", "temporary_writes"), "sky"),
            ("uniforms", ("uniform_reads",), "green"), ("constants", ("constant_reads",), "yellow"), ("special", ("special_reads",), "grey")]
SIZE = re.compile(r"bundles_of_(\d+)_stages?")


def instructions(counters):
    return [(units.words_of(key).replace("load store", "load/store"), counters[key], style) for key, style in SHADES.items() if key in counters]


def accesses(counters):
    rows = [(name, sum(counters.get(key, 0) for key in keys), style) for name, keys, style in ACCESSES if any(k in counters for k in keys)]
    return [row for row in rows if row[1] or "memory" in row[0]]


def sizes(counters):
    return sorted((int(m[1]), n) for key, n in counters.items() if (m := SIZE.fullmatch(key)))


def size_picture(counters, report, of):
    found, name = sizes(counters), words(report)
    if not found:
        return ""
    mean = sum(n * k for n, k in found) / (sum(k for _, k in found) or 1)
    about = "; ".join(f"{units.count(k)} of {n}" for n, k in found)
    picture = bars.histogram([(str(n), k) for n, k in found], f"Sizes of executed {name['bundle']}s of {of}", about, f"{name['stage']}s of a {name['bundle']}")
    return figure(f"Executed {name['bundle']}s by size: {mean:.1f} {name['stage']}s on average", picture)


def whole(caption, parts):
    return figure(caption, bars.stack(parts, caption) + bars.legend(parts))


def render(kernel, report):
    counters = kernel.get("counters", {})
    mix, kinds = instructions(counters), accesses(counters)
    if not mix:
        return absent("the report has no counters of this kernel")
    out = whole("Lane instructions, and slots left empty", mix) + whole("Accesses of lanes by what they reach", kinds)
    out += size_picture(counters, report, title(kernel))
    return tag("div", out, class_="panels") + paragraph("Numbers are exact: each is a sum over lanes that were active, or over warps for sizes.", "note")


def shade(share):
    """A cell's ground: the larger the share, the more blue, so far that words on it stay readable."""
    return f"background:color-mix(in srgb,var(--blue) {55 * share:.0f}%,transparent)"


def sizes_table(report, kernels):
    """Sizes of executed bundles: a row per kernel, whose cells are shares."""
    found = [(kernel, dict(sizes(kernel.get("counters", {})))) for kernel in kernels]
    columns, name = sorted({n for _, row in found for n in row})[:64], words(report)
    rows = []
    for kernel, row in found:
        total = sum(row.values())
        cells = [cell(units.percent(row.get(n, 0), total), class_="n", style=shade(row.get(n, 0) / total)) for n in columns] if total else []
        if cells:
            mean = sum(n * times for n, times in row.items()) / total
            rows.append([cell(("html", f'<a href="#{kernel["id"]}-mix">{escape(title(kernel))}</a>'), "th")] + cells + [cell(f"{mean:.1f}", class_="n")])
    heads = [("kernel", "")] + [(str(n), "n") for n in columns] + [("mean", "n")]
    return table(f"Executed {name['bundle']}s by their number of {name['stage']}s", heads, rows) if rows else ""


def overview(report, kernels):
    """All kernels beside each other, in the shape of the figures of the thesis."""
    out = []
    for caption, parts_of in (("Instruction mix", instructions), ("Accesses by kind", accesses)):
        styles, rows = {}, []
        for kernel in kernels:
            parts = parts_of(kernel.get("counters", {}))
            styles.update((name, style) for name, _, style in parts)
            if parts:
                rows.append(tag("li", f'<a class="name" href="#{kernel["id"]}-mix">{escape(title(kernel))}</a>' + bars.stack(parts, f"{caption} of {title(kernel)}")))
        if rows:
            out.append(figure(caption, bars.key(styles.items()) + tag("ul", "".join(rows), class_="rows wide")))
    return tag("div", "".join(out), class_="panels two") + sizes_table(report, kernels)
