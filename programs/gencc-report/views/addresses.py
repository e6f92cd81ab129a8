"""View 9: how the lanes of a warp address memory, and how soon lines are used again."""
import bars
import units
from facts import buffer_words, line_bytes
from markup import absent, cell, figure, link, paragraph, table, tag

NAME, TITLE = "addresses", "Address map"
ABOUT = ("For each load and store, over how many cache lines a warp's lanes spread; look for accesses with many lines per "
         "execution and for strides other than the element's size.")
SHAPES = [("same", "all lanes one address", "blue"), ("unit", "neighbours", "sky"), ("stride", "a fixed stride", "orange"),
          ("blocks", "blocks", "yellow"), ("list", "a list", "red")]
UNTRACED = "no access was traced: run with -report and a model of time (-timing detailed)"


def used(access, line):
    """The share of the moved lines' bytes that lanes asked for, at most all."""
    if not access.get("lines") or "lanes" not in access or "bytes" not in access:
        return None
    return min(1, access["lanes"] * access["bytes"] / (access["lines"] * line))


def lines_bar(access):
    found = access.get("lines_histogram", [])
    many = [("1 line", found[0] if found else 0, "blue"), ("2 lines", sum(found[1:2]), "sky"), ("3 or 4", sum(found[2:4]), "yellow"), ("5 or more", sum(found[4:]), "red")]
    return bars.stack(many, "lines per execution", high=16)


def row(kernel, access, line):
    bundle, times = kernel["bundles"][access["bundle"]], access.get("executions", 0)
    shapes = [(words, access.get("shapes", {}).get(key, 0), style) for key, words, style in SHAPES]
    share = used(access, line)
    strides = ", ".join(f"{stride:+,} B ({units.short(n)})" for stride, n in access.get("strides", [])[:3]) or "–"
    return [cell(("html", link(f"{kernel['id']}-b{access['bundle']}", bundle["name"])), "th"), cell(units.words_of(access["kind"])),
            cell(buffer_words(access) or "–"), cell(access.get("bytes", "–"), class_="n"), cell(units.count(times), class_="n"),
            cell(f"{access['lines'] / times:.2f}" if times and "lines" in access else "–", class_="n"), cell(("html", lines_bar(access)), class_="bar"),
            cell(units.percent(share) if share is not None else "–", class_="n"), cell(("html", bars.stack(shapes, "shapes of addresses", high=16)), class_="bar"), cell(strides)]


def accesses(kernel, report):
    found, line = kernel.get("accesses", []), line_bytes(kernel, report)
    if not found:
        return absent(UNTRACED if "timing" not in kernel else "the traced work-groups loaded and stored nothing")
    heads = [("line", ""), ("access", ""), ("buffer", ""), ("bytes", "n"), ("executions", "n"), ("lines each", "n"), ("lines per execution", ""), ("bytes used", "n"),
             ("shape", ""), ("strides (times)", "")]
    keys = tag("div", tag("p", "lines per execution:", class_="label") + bars.key([("1", "blue"), ("2", "sky"), ("3 or 4", "yellow"), ("5 or more", "red")]) +
               tag("p", "shape of a warp's addresses:", class_="label") + bars.key([(words, style) for _, words, style in SHAPES]), class_="keys")
    worst = [(access["lines"] / access["executions"], access) for access in found if access.get("executions") and "lines" in access]
    words = ""
    if worst:
        mean, access = max(worst, key=lambda pair: pair[0] * pair[1]["executions"])
        words = paragraph(f"Most lines are moved by the {units.words_of(access['kind'])} in {kernel['bundles'][access['bundle']]['name']}: {mean:.2f} lines per execution of a warp.")
    rows = [row(kernel, access, line) for access in sorted(found, key=lambda a: -a.get("lines", 0))]
    return words + keys + table("Accesses, those with most lines first", heads, rows)


def reuse(kernel):
    found = kernel.get("reuse")
    if not found or not found.get("histogram"):
        return ""
    # Number n counts distances from 2^(n - 1) to 2^n - 1; number 0, distance 0.
    values = [(units.short(2 ** (n - 1)) if n else "0", count) for n, count in enumerate(found["histogram"])]
    total = sum(n for _, n in values) + found.get("first_uses", 0)
    line = found.get("line_bytes", 64)
    picture = bars.histogram(values, "Reuse distances", "; ".join(f"{n} at {words}" for words, n in values), "other lines used between two uses of one: from", width=max(320, 34 * len(values)))
    words = f"{units.count(found.get('first_uses', 0))} of {units.count(total)} uses are a line's first; a fully associative cache of N lines of {line} bytes keeps those left of N."
    return figure("Distances between two uses of a line", picture) + paragraph(words, "note")


def render(kernel, report):
    out = accesses(kernel, report) + reuse(kernel)
    groups = {access.get("sampled_groups") for access in kernel.get("accesses", [])} - {None}
    return out + (paragraph(f"From a sample of up to {units.plural(max(groups), 'work-group')}.", "note") if groups else "")
