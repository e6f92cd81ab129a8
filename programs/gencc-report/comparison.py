"""View 10: runs beside each other, the first as the baseline."""
import argparse
import pathlib

import bars
import measures
import page
import reading
import units
from facts import CAUSES, account, model_cycles, timing, title, total
from markup import absent, cell, escape, figure, paragraph, table, tag
from trouble import Trouble

ABOUT = ("gencc-report diff: compares runs, GPUs, compilers or versions of kernels; A is the baseline, and more than one report may be "
         "compared with it. Kernels are the same when their names are, or else the hashes of their code; where each report has one "
         "kernel, these are compared whatever their names.")
STYLES = ["grey", "blue", "orange", "green", "purple", "sky", "red", "yellow"]


def key_of(kernel):
    return kernel.get("name") or kernel.get("hash") or kernel["id"]


def matched(reports):
    """[(title, [kernel or None of each report])], the baseline's order first."""
    if all(len(report["kernels"]) == 1 for report in reports):
        kernels = [report["kernels"][0] for report in reports]
        names = dict.fromkeys(title(kernel) for kernel in kernels)
        return [(" / ".join(names), kernels)]
    tables = []
    for report in reports:
        found = {}
        for kernel in report["kernels"]:
            found.setdefault(key_of(kernel), kernel)
        tables.append(found)
    keys = dict.fromkeys(key for found in tables for key in found)
    return [(title(next(found[key] for found in tables if key in found)), [found.get(key) for found in tables]) for key in keys]


def ratio(base, now):
    if base is None or now is None:
        return None
    return now / base if base else (1.0 if not now else None)


def shown(value):
    return units.count(value) if value is not None else "–"


def ratio_cell(base, now):
    r = ratio(base, now)
    if r is None:
        return cell("–" if base is None or now is None else "from none", class_="n")
    change = "worse" if r > 1.0005 else "better" if r < 0.9995 else "same"
    return cell(("html", tag("span", f"{r:.3f}", class_=change)), sort=r, class_="n")


def numbers(caption, rows, names):
    """Of (words, [value of each run])."""
    heads = [("measure", "")] + [(name, "n") for name in names] + [(f"{name} / {names[0]}", "n") for name in names[1:]]
    body = [[cell(words, "th")] + [cell(shown(v), class_="n") for v in values] + [ratio_cell(values[0], v) for v in values[1:]]
            for words, values in rows if any(v is not None for v in values)]
    return table(caption, heads, body, sortable=True)


def relative(caption, rows, names):
    """Bars relative to the baseline, in the shape of figures 4.11 and 4.12 of the thesis."""
    most = max((ratio(values[0], v) or 0 for _, values in rows for v in values), default=1) or 1
    out = []
    for words, values in rows:
        lines = ""
        for n, (name, v) in enumerate(zip(names, values)):
            r = ratio(values[0], v)
            if r is None:
                continue
            style = STYLES[n % len(STYLES)]
            bar = bars.stack([(name, r, style)], f"{words} of {name} relative to {names[0]}", whole=max(most, 1), high=10)
            lines += tag("div", bar + tag("span", f"{100 * r:.1f} %", class_="value"))
        out.append(tag("li", tag("span", escape(words), class_="name") + tag("div", lines)))
    key = bars.key([(name, STYLES[n % len(STYLES)]) for n, name in enumerate(names)])
    return figure(caption, key + tag("ul", "".join(out), class_="rows pairs"))


def waits(kernels, names):
    """Engine time of each run on one scale."""
    stacks = [account(timing(kernel)) if kernel else [] for kernel in kernels]
    if not any(stacks):
        return ""
    most = max(total(parts) for parts in stacks) or 1
    rows = "".join(tag("li", tag("span", escape(name), class_="name") + bars.stack(parts, f"engine time of {name}", whole=most)) for name, parts in zip(names, stacks) if parts)
    key = bars.key([(words, style) for _, words, style, _ in CAUSES])
    return figure("Engine cycles by cause, on one scale", key + tag("ul", rows, class_="rows wide"))


def rows_of(found):
    return [(words, [values.get(name) for values in found]) for name, words, _ in measures.MEASURES]


def kernel_part(n, name, kernels, reports, names):
    found = [measures.of(kernel, report) if kernel else {} for kernel, report in zip(kernels, reports)]
    rows = rows_of(found)
    out = relative(f"Relative to {names[0]}", [row for row in rows if row[1][0]], names) if kernels[0] else absent(f"{names[0]} has no such kernel")
    beside = tag("div", waits(kernels, names) + numbers(f"Numbers of {name}", rows, names))
    return page.section(f"c{n}", name, "Bars beyond 100 % are more than the baseline; look for what grew.", tag("div", out + beside, class_="panels two"))


def summary(pairs, reports, names):
    """A row per kernel: cycles and their ratios."""
    heads = [("kernel", "")] + [(f"cycles, {name}", "n") for name in names] + [(f"{name} / {names[0]}", "n") for name in names[1:]]
    rows = []
    for n, (name, kernels) in enumerate(pairs):
        values = [measures.of(kernel, report).get("cycles") if kernel else None for kernel, report in zip(kernels, reports)]
        rows.append([cell(("html", f'<a href="#c{n}">{escape(name)}</a>'), "th")] + [cell(shown(v), sort=v if v is not None else "", class_="n") for v in values] +
                    [ratio_cell(values[0], v) for v in values[1:]])
    return table("Kernels", heads, rows, sortable=True)


def warnings(reports):
    rough = [model_cycles(kernel) is not None for report in reports for kernel in report["kernels"]]
    return paragraph("Some runs have no model of time: their cycles are a rough count and are not comparable with the model's.", "absent") if any(rough) and not all(rough) else ""


def render(reports, names):
    pairs = matched(reports)
    head = tag("header", tag("h1", escape(f"{' and '.join(names[1:])} compared with {names[0]}")) +
               tag("ul", "".join(tag("li", f"<b>{escape(name)}</b>: {escape(page.ran(report))}") for name, report in zip(names, reports))))
    rows = rows_of([measures.of_total(report) for report in reports])
    body = warnings(reports)
    body += page.section("kernels", "Kernels", "Cycles of each kernel and their ratios to the baseline; ▲ is more, ▼ is less.", summary(pairs, reports, names))
    body += page.section("total", "All kernels together", "Sums over all kernels; of registers the most that a kernel has.",
                         tag("div", relative(f"Relative to {names[0]}", [row for row in rows if row[1][0]], names) + tag("div", numbers("Sums", rows, names)), class_="panels two"))
    body += "".join(kernel_part(n, name, kernels, reports, names) for n, (name, kernels) in enumerate(pairs[:30]))
    return page.document(f"Comparison with {names[0]}", head + tag("main", body, id="main"))


def names_of(paths):
    """Short names that differ: the last parts of the paths."""
    parts = [pathlib.Path(path).resolve().parts for path in paths]
    if any(path.is_file() for path in map(pathlib.Path, paths)):
        parts = [p[:-1] if p[-1] == "report.json" else p for p in parts]
    for depth in range(1, max(map(len, parts)) + 1):
        names = ["/".join(p[-depth:]) for p in parts]
        if len(set(names)) == len(names):
            return names
    return [f"{name} ({n})" for n, name in enumerate(names, 1)]


def main(arguments):
    parser = argparse.ArgumentParser(prog="gencc-report diff", usage="gencc-report diff A B [C...] -o OUT", description=ABOUT)
    parser.add_argument("reports", metavar="A B", nargs="+", type=pathlib.Path, help="folders with report.json, or such files")
    parser.add_argument("-o", dest="out", metavar="OUT", type=pathlib.Path, required=True, help="the page: a file .html, or a folder for index.html")
    o = parser.parse_args(arguments)
    if len(o.reports) < 2:
        raise Trouble("diff takes two reports at least")
    text = render([reading.report(path) for path in o.reports], names_of(o.reports))
    out = o.out if o.out.suffix == ".html" else o.out / "index.html"
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(text, encoding="utf-8")
    print(out)
    return 0
