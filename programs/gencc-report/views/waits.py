"""View 3: where the engines' time went, top down."""
import bars
import units
from facts import CAUSES, NO_TIME, account, costs, timing, title, total
from markup import absent, cell, escape, figure, link, paragraph, table, tag

NAME, TITLE = "waits", "Why it waits"
ABOUT = ("Where the execution engines' time went in the model, first of the whole kernel, then of its hottest lines; the longest "
         "part that is not issue is what to work on.")
HOTTEST = 10


def advice(parts, causes=CAUSES):
    """One sentence on the largest part that is not issue."""
    whole = total(parts)
    waits = [(value, name) for name, value, _ in parts if name != "issue"]
    if not whole or not waits or max(waits)[0] == 0:
        return "Engines issue all the time."
    value, name = max(waits)
    meaning = next((about for _, words, _, about in causes if words == name), "")
    return f"The largest wait is {name}, {units.percent(value, whole)} of engine time: {meaning}."


def hottest(kernel, most=HOTTEST):
    """Numbers of the bundles that cost most, dearest first."""
    found, _ = costs(kernel)
    return sorted((n for n, cost in enumerate(found) if cost), key=lambda n: (-found[n], n))[:most]


def lines(kernel):
    found, _ = costs(kernel)
    whole = sum(found) or 1
    rows = []
    for n in hottest(kernel):
        bundle = kernel["bundles"][n]
        parts = account(bundle)
        if not parts:
            continue
        cause = max((value, name) for name, value, _ in parts)[1]
        bar = bars.stack(parts, f"{bundle['name']}: why its time passes", whole=found[hottest(kernel, 1)[0]], high=16)
        rows.append([cell(("html", link(f"{kernel['id']}-b{n}", bundle["name"])), "th"), cell(units.percent(found[n], whole), class_="n"),
                     cell(("html", bar), class_="bar"), cell(cause)])
    return table("The hottest lines, and why their time passes", [("line", ""), ("share", "n"), ("engine cycles by cause", ""), ("most of it", "")], rows) if rows else ""


def simulated(time):
    """A note on what the model ran of the kernel, and how wrong its cycles may be because of that."""
    part, error = time.get("simulated", 1), time.get("error", 0)
    if part >= 1:
        return ""
    wrong = f"cycles are right to about {100 * error:.2g}\u00a0%" if error < 0.5 else "cycles are a rough guess"
    return paragraph(f"The model ran {100 * part:.2g}\u00a0% of what the kernel executed, and takes the rest to be like the second half of "
                     f"that. As far as the time per execution varied there, {wrong}.", "note")


def render(kernel, report):
    parts = account(timing(kernel))
    if not parts:
        return absent(NO_TIME)
    many = timing(kernel).get("groups_for_one", 1)
    out = bars.stack(parts, f"Engine time of {title(kernel)} by cause", high=30) + bars.legend(parts, " engine cycles")
    out = paragraph(advice(parts)) + figure(None, out) + lines(kernel)
    if many > 1:
        out += paragraph(f"One work-group of {many} was traced; numbers are those of all groups.", "note")
    out += simulated(timing(kernel))
    meanings = "".join(tag("div", tag("dt", escape(words)) + tag("dd", escape(about))) for _, words, _, about in CAUSES)
    return out + tag("details", tag("summary", "What the causes mean") + tag("dl", meanings, class_="meanings"))


def overview(report, kernels):
    rows = []
    for kernel in kernels:
        parts = account(timing(kernel))
        if parts:
            rows.append(tag("li", f'<a class="name" href="#{kernel["id"]}-waits">{escape(title(kernel))}</a>' + bars.stack(parts, f"Engine time of {title(kernel)} by cause")))
    if not rows:
        return ""
    key = bars.key([(words, style) for _, words, style, _ in CAUSES])
    return figure("Engine time by cause", key + tag("ul", "".join(rows), class_="rows wide"))
