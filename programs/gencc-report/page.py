"""The page: head, table of all kernels, their pictures beside each other, then each kernel's views."""
import bars
import colours
import units
from facts import KIND_WORDS, cycles, lanes_active, microseconds, model_cycles, timing, title, total, account
from markup import absent, cell, escape, fold, link, paragraph, table, tag
from views import addresses, flow, frames, heat, memory, mix, occupancy, roof, summary, system, timeline, waits

VIEWS = [summary, mix, heat, waits, roof, memory, flow, occupancy, addresses]
BESIDE = 12  # kernels of the pictures that have all


def resource(name):
    """A file that lies beside this one, in the archive as well."""
    where = __file__[:-len("page.py")]
    return __loader__.get_data(where + name).decode("utf-8")


def document(name, body, script=True):
    """A whole page, with nothing to load from elsewhere."""
    head = (f'<meta charset="utf-8">\n<meta name="viewport" content="width=device-width,initial-scale=1">\n<title>{escape(name)}</title>\n'
            f'<link rel="icon" href="data:,">\n<style>\n{colours.css()}{resource("page.css")}</style>')
    tail = f'<script>\n{resource("page.js")}</script>' if script else ""
    return (f'<!DOCTYPE html>\n<html lang="en">\n<head>\n{head}\n</head>\n<body>\n<a class="skip" href="#main">to the content</a>\n'
            f"{colours.definitions()}\n{body}\n{tail}\n</body>\n</html>\n")


def section(name, title_, about, inside, level=2, id_=None):
    head = tag(f"h{level}", escape(title_)) + paragraph(about, "about")
    return tag("section", head + "\n" + inside, id=id_ or name, data_view=name) + "\n"


def ran(report):
    """One line on what was run."""
    gpu, run = report["gpu"], report.get("run", {})
    parts = [gpu.get("title") or gpu["name"]]
    if "cores" in gpu and "clock_mhz" in gpu:
        parts.append(f"{units.plural(gpu['cores'], 'core')} at {gpu['clock_mhz']:g} MHz")
    parts.append(f"{report['model']} model of time" if report.get("model") else "no model of time")
    if report.get("sampled"):
        parts.append("a sample of the work-groups was traced")
    if "program" in run:
        parts.append(f"{run['program']} of gencc {run.get('gencc', '?')}")
    return ", ".join(parts)


def active(kernel, report):
    """Mean share of active lanes over all bundles that warps executed."""
    bundles = [b for b in kernel.get("bundles", []) if b.get("warps") and lanes_active(b, report) is not None]
    warps = sum(b["warps"] for b in bundles)
    return sum(b["lanes"] for b in bundles) / (warps * report["gpu"]["warp_width"]) if warps else None


def kernel_row(kernel, report, whole):
    code, counters, n = kernel.get("code", {}), kernel.get("counters", {}), cycles(kernel)
    us, lanes, parts = microseconds(kernel, report), active(kernel, report), account(timing(kernel))
    issue = parts[0][1] / total(parts) if parts and total(parts) else None
    spills = code.get("spills", 0) + code.get("fills", 0) if "spills" in code or "fills" in code else None

    def number(value, words):
        return cell(words if value is not None else "–", sort=value if value is not None else "", class_="n")
    share = n / whole if n is not None and whole else None
    bar = bars.stack([(title(kernel), n or 0, "blue")], f"{title(kernel)}: share of all cycles", whole=whole or 1, high=14)
    return [cell(("html", link(kernel["id"], title(kernel))), "th"), number(n, units.count(n or 0)), cell(("html", bar), class_="bar", sort=n or 0),
            number(share, units.percent(share or 0)), number(us, f"{units.count(us or 0)}"), number(kernel.get("jobs"), units.count(kernel.get("jobs", 0))),
            number(kernel.get("groups"), units.count(kernel.get("groups", 0))),
            number(counters.get("lane_instructions"), units.count(counters.get("lane_instructions", 0))), number(lanes, units.percent(lanes or 0)),
            number(issue, units.percent(issue or 0)), number(code.get("registers"), units.count(code.get("registers", 0))), number(spills, units.count(spills or 0)),
            cell(KIND_WORDS.get(kernel.get("bound"), units.words_of(kernel.get("bound", "–"))))]


def kernels_table(report):
    kernels = report["kernels"]
    if not kernels:
        return absent("no compute job ran")
    whole = sum(cycles(kernel) or 0 for kernel in kernels)
    heads = [("kernel", ""), ("cycles", "n"), ("share of cycles", ""), ("share", "n"), ("µs", "n"), ("jobs", "n"), ("groups", "n"), ("lane instructions", "n"), ("lanes active", "n"),
             ("engines issue", "n"), ("registers", "n"), ("spills", "n"), ("bound", "")]
    kind = "the model" if any(model_cycles(k) is not None for k in kernels) else "a rough count"
    return table(f"Kernels by cycles of {kind}", heads, [kernel_row(k, report, whole) for k in kernels], sortable=True)


def views_of(kernel, report):
    return "".join(section(view.NAME, view.TITLE, view.ABOUT, view.render(kernel, report), 3, f"{kernel['id']}-{view.NAME}") for view in VIEWS)


def kernel_part(kernel, report, opened):
    n = cycles(kernel)
    sub = ", ".join(filter(None, [f"{units.count(n)} cycles" if n is not None else None, units.plural(kernel["jobs"], "job") if "jobs" in kernel else None]))
    head = escape(title(kernel)) + tag("span", escape(sub), class_="sub")
    jump = tag("p", " ".join(link(f"{kernel['id']}-{view.NAME}", view.TITLE) for view in VIEWS), class_="jump")
    return fold(("html", head), jump + "\n" + views_of(kernel, report), opened, kernel["id"], "kernel") + "\n"


def contents(report, shown):
    rows = [link("kernels", "Kernels"), link("overview", "Side by side"), link("timeline", "Timeline"), link("system", "System")]
    rows += [link("frames", frames.TITLE)] if report.get("frames") else []
    rows += [link(kernel["id"], title(kernel)) for kernel in shown]
    return tag("nav", tag("ul", "".join(tag("li", row) for row in rows)), aria_label="contents")


def overview(report):
    kernels = report["kernels"][:BESIDE]
    out = mix.overview(report, kernels) + waits.overview(report, kernels) + roof.overview(report, kernels)
    left = len(report["kernels"]) - len(kernels)
    return (out or absent("no kernel ran")) + (paragraph(f"The {left} kernels with fewest cycles are left out here.", "note") if left > 0 else "")


def render(report, events=None, most=30, pictures=None):
    """The page of a report; `events` of its timeline, `most` kernels with all views, `pictures` that its frames name."""
    shown = report["kernels"][:most]
    name = f"Report of {report['run']['program']} on {report['gpu'].get('title') or report['gpu']['name']}" if report.get("run", {}).get("program") else f"Report of {report['gpu']['name']}"
    head = tag("header", tag("h1", escape(name)) + paragraph(ran(report), "about") + contents(report, shown) + tag("div", "", id="tools", class_="tools"))
    body = section("kernels", "Kernels", "All kernels that ran, by cycles; the names lead to their views below. Begin with the one that has the largest share.", kernels_table(report))
    body += section("overview", "Kernels side by side", "Mix, waits and roofline of all kernels; look for the one that is unlike the others.", overview(report))
    body += section(timeline.NAME, timeline.TITLE, timeline.ABOUT, timeline.render(report, events))
    body += section(system.NAME, system.TITLE, system.ABOUT, system.render(report))
    if report.get("frames"):
        body += section(frames.NAME, frames.TITLE, frames.ABOUT, frames.render(report, shown, pictures or {}))
    body += "".join(kernel_part(kernel, report, n == 0) for n, kernel in enumerate(shown))
    if len(report["kernels"]) > len(shown):
        body += paragraph(f"{len(report['kernels']) - len(shown)} kernels more are in the table only; --kernels N shows more.", "note")
    foot = tag("footer", f"Made by gencc-report from report.json. Arguments: <code>{escape(' '.join(report.get('run', {}).get('arguments', [])) or 'none')}</code>")
    return document(name, head + tag("main", body, id="main") + foot)
