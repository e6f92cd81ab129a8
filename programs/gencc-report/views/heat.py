"""View 2: annotated disassembly with bars, and the source beside it."""
import bars
import source_lines
import units
from facts import account, costs, lanes_active, words
from markup import absent, escape, fold, link, paragraph, scroll, tag
from views.waits import hottest

NAME, TITLE = "heat", "Heat"
ABOUT = ("The disassembly with what each line costs; look at the longest bars first, then at lines with few active lanes or with "
         "divergence.")
PART = 20  # bundles of a part
SHORT, FEW = 12, 40  # a listing of so few bundles is all open; of so few, its warm parts


def meter(cost, most, words_):
    return bars.stack([("cost", cost, "red" if most and cost >= most / 2 else "orange")], words_, whole=most or 1, high=12)


def line_of(kernel, report, n, found, unit, note=None):
    """A bundle: its bar and numbers, and its text."""
    bundle, most, whole = kernel["bundles"][n], max(found), sum(found) or 1
    active = lanes_active(bundle, report)
    parts = account(bundle)
    cause = f", mostly {max((value, name) for name, value, _ in parts)[1]}" if found[n] and parts else ""
    facts = [f"{units.percent(found[n], whole)} of {unit}{cause}", f"{units.count(bundle['warps'])} warps"]
    if active is not None:
        facts.append(f"{100 * active:.0f}\u00a0%\u00a0of\u00a0lanes")
    diverged = f' <span class="diverged">◆ {units.count(bundle["divergent"])} diverged</span>' if bundle.get("divergent") else ""
    name = link(f"{kernel['id']}-b{n}", bundle["name"]) if note else tag("b", escape(bundle["name"]))
    place = f" <code>{escape(bundle['address'])}</code>" if "address" in bundle and not note else ""
    source = ""
    if kernel.get("source") and "lines" in bundle and not note:
        first, last = bundle["lines"]
        by_order = " (by order)" if bundle.get("lines_are") == source_lines.BY_ORDER else ""
        source = " " + link(f"{kernel['id']}-s{first}", (f"line {first}" if first == last else f"lines {first}–{last}") + by_order)
    head = tag("div", tag("div", name + place + source) + meter(found[n], most, f"{bundle['name']}: {facts[0]}") +
               tag("div", escape(", ".join(facts)) + diverged, class_="numbers"), class_="cost")
    cold = " cold" if not bundle["warps"] else ""
    return tag("div", head + tag("pre", escape(bundle["text"])), class_="line" + cold, id=None if note else f"{kernel['id']}-b{n}")


def parts_of(kernel):
    """Runs of bundles of one block, at most PART each."""
    runs = []
    for n, bundle in enumerate(kernel["bundles"]):
        block = bundle.get("block")
        if runs and runs[-1][0] == block and len(runs[-1][1]) < PART:
            runs[-1][1].append(n)
        else:
            runs.append((block, [n]))
    return runs


def listing(kernel, report, found, unit):
    """Every line; of long kernels in parts that are folded."""
    whole, name, few = sum(found) or 1, words(report)["bundle"], len(kernel["bundles"])
    out = []
    for block, run in parts_of(kernel):
        cost = sum(found[n] for n in run)
        first, last = (kernel["bundles"][n]["name"] for n in (run[0], run[-1]))
        where = f"block {block}: " if block is not None else ""
        title = f"{where}{first}{' to ' + last if first != last else ''} ({units.plural(len(run), name)})"
        head = tag("span", escape(title), class_="what") + meter(cost, whole, f"{title}: {units.percent(cost, whole)}") + tag("span", units.percent(cost, whole), class_="share")
        out.append(fold(("html", head), "".join(line_of(kernel, report, n, found, unit) for n in run),
                        opened=few <= SHORT or few <= FEW and cost >= whole / 50, class_="part"))
    return tag("div", "".join(out), class_="listing")


def source_costs(kernel, found):
    """What each line of the source costs: a bundle's cost in equal shares to its lines."""
    lines = kernel["source"]["text"].split("\n")
    shares = [0] * (len(lines) + 1)
    for bundle, cost in zip(kernel["bundles"], found):
        first, last = bundle.get("lines", (0, -1))
        last = min(last, len(lines))
        for n in range(max(first, 1), last + 1):
            shares[n] += cost / (last - max(first, 1) + 1)
    return lines, shares


def source(kernel, found):
    lines, shares = source_costs(kernel, found)
    if not any(shares):
        text = "".join(f'<tr><td class="n">{n}</td><td><code>{escape(line)}</code></td></tr>' for n, line in enumerate(lines, 1))
        return scroll(tag("table", tag("caption", escape(kernel["source"].get("name", "source"))) + tag("tbody", text), class_="source"), "source")
    most, whole, rows = max(shares), sum(shares) or 1, []
    for n, text in enumerate(lines, 1):
        bar = meter(shares[n], most, f"line {n}: {units.percent(shares[n], whole)}") if shares[n] else ""
        rows.append(f'<tr id="{kernel["id"]}-s{n}"><td class="n">{n}</td><td class="bar">{bar}</td>'
                    f'<td class="n">{units.percent(shares[n], whole) if shares[n] else ""}</td><td><code>{escape(text)}</code></td></tr>')
    head = "<thead><tr><th scope=col>line</th><th scope=col>cost</th><th scope=col>share</th><th scope=col>text</th></tr></thead>"
    return scroll(tag("table", tag("caption", escape(kernel["source"].get("name", "source"))) + head + tag("tbody", "".join(rows)), class_="source"), "source")


def with_lines(kernel, name):
    """The kernel whose bundles have lines where these can be known, and a note on which have none."""
    bundles = kernel["bundles"]
    if any("lines" in bundle for bundle in bundles):
        return kernel, ""
    known = source_lines.lines(kernel)
    bundles = [bundle | ({"lines": list(known[n][:2]), "lines_are": known[n][2]} if n in known else {}) for n, bundle in enumerate(bundles)]
    note = (f"{units.count(len(known))} of {units.plural(len(bundles), name)} have a line of the source: those with a barrier or an access to an argument, "
            "where code and source have equally many of that kind. Where there are several, the first is taken for the first, which the "
            "compiler may have changed (by order). The others have none, and their cost is in no line.")
    return kernel | {"bundles": bundles}, paragraph(note, "note")


def found_note(kernel):
    """What is known of a source that was found in the guest's memory, or why there is none."""
    found = kernel.get("found")
    if not found:
        return "" if kernel.get("source") else paragraph("No source: run with -report-source FILE to see OpenCL C beside it.", "note")
    fitting, kernels = found.get("fitting", []), len(found.get("kernels", []))
    where = f"The program that has this code mapped has OpenCL C of {units.plural(kernels, 'kernel')} in its memory"
    if len(fitting) == 1:
        how = "whose buffers and barriers are those of the code" if kernels == 1 else "and no other has the buffers and barriers of the code"
        return paragraph(f"{where}: the source is that of {fitting[0]}, {how}. The text in memory need not be the one that was compiled.", "note")
    if not fitting:
        return paragraph(f"No source: {where[0].lower()}{where[1:]}, and none has the buffers and barriers of the code. Use -report-source FILE.", "note")
    return paragraph(f"No source: {where[0].lower()}{where[1:]}, and several have the buffers and barriers of the code: {', '.join(fitting)}. "
                     "Use -report-source FILE and -gpu-names FILE.", "note")


def render(kernel, report):
    if not kernel.get("bundles"):
        return absent("the report has no code of this kernel")
    found, unit = costs(kernel)
    name = words(report)["bundle"]
    out = note = ""
    if kernel.get("source"):
        kernel, note = with_lines(kernel, name)
    if len(kernel["bundles"]) > FEW:
        top = hottest(kernel)
        share = units.percent(sum(found[n] for n in top), sum(found) or 1)
        out += tag("h4", f"The ten hottest {escape(name)}s: {share} of the cost") if top else ""
        out += tag("div", "".join(line_of(kernel, report, n, found, unit, note=True) for n in top), class_="listing")
        out += tag("h4", f"All {units.count(len(found))} {escape(name)}s, in parts to unfold")
    code = listing(kernel, report, found, unit)
    if kernel.get("source"):
        code = note + tag("div", code + source(kernel, found), class_="beside")
    return out + found_note(kernel) + code
