"""The system around the GPU: CPUs, symbols, tasks, and how driver and GPU talked."""
import re

import bars
import units
from markup import absent, cell, figure, paragraph, table, tag
from svg import line, text

NAME, TITLE = "system", "System"
ABOUT = ("What the CPUs did while the GPU worked, and how driver and GPU talked; look for time in the driver or compiler, for many "
         "interrupts per job, and for faults.")
STYLES = {"program": "blue", "compiler": "purple", "driver": "orange", "kernel": "grey", "gpu": "green"}
WORDS = {"program": "program and its libraries", "compiler": "compiler", "driver": "driver", "kernel": "rest of the kernel", "gpu": "GPU"}
PREFIX = re.compile(r"_ZN[VK]*")
SERIES = ["jobs", "register reads", "register writes", "interrupts", "pages"]


def parts_of(found):
    """The parts as pictures take them, in one order; those that this page does not know come last."""
    return [(WORDS.get(name, name), found[name], STYLES.get(name, "yellow")) for name in sorted(found, key=lambda n: ([*STYLES].index(n) if n in STYLES else 99, n))]


def phases(system):
    """Time of CPUs and of the GPU by part, of the run and of each task."""
    found = system.get("phases")
    if not found:
        return ""
    parts = [(name, value / 1e6, style) for name, value, style in parts_of(found)]
    out = figure("How much of the run was program, compiler, driver and GPU", bars.stack(parts, "phases of the run", high=28, unit="\u00a0ms") + bars.legend(parts, "\u00a0ms"))
    tasks_of = [(task["name"], parts_of(task["phases"])) for task in system.get("tasks", []) if sum(task.get("phases", {}).values())][:12]
    rows = [[cell(name, "th"), cell(units.time(sum(value for _, value, _ in own)), class_="n"),
             cell(("html", bars.stack(own, f"{name}: parts", high=16)), class_="bar")] for name, own in tasks_of]
    return out + (table("The same of each task, without the GPU", [("task", ""), ("time of CPUs", "n"), ("parts", "")], rows) if rows else "")


def plain(symbol):
    """A C++ function's name without its arguments: as the ABI of Itanium packs it, names with their lengths."""
    start, names = PREFIX.match(symbol), []
    at = start.end() if start else 2 if symbol.startswith("_Z") else len(symbol)
    while length := re.match(r"\d+", symbol[at:]):
        at += length.end()
        names.append(symbol[at:at + int(length[0])])
        at += int(length[0])
        if not start:
            break
    return "::".join(names) or symbol


def cpus(system):
    rows = [[cell(c["name"], "th")] + [cell(units.count(c[key]) if key in c else "–", class_="n") for key in ("instructions", "kernel", "user")] +
            [cell(units.time(c["idle_ns"]) if "idle_ns" in c else "–", class_="n"),
             cell(("html", bars.stack([("kernel", c.get("kernel", 0), "orange"), ("user", c.get("user", 0), "blue")], f"{c['name']}: kernel and user", high=16)), class_="bar")]
            for c in system.get("cpu", [])]
    heads = [("CPU", ""), ("instructions", "n"), ("in the kernel", "n"), ("of users", "n"), ("idle", "n"), ("kernel and user", "")]
    return bars.key([("kernel", "orange"), ("user", "blue")]) + table("CPUs", heads, rows) if rows else ""


def symbols(system):
    whole = sum(s.get("instructions", 0) for s in system.get("symbols", []))
    rows = [[cell(plain(s["symbol"]), "th"), cell(s.get("where", "–")), cell(units.count(s["instructions"]) if "instructions" in s else "–", class_="n"),
             cell(units.percent(s["share"] if "share" in s else s.get("instructions", 0) / (whole or 1)), class_="n")] for s in system.get("symbols", [])[:50]]
    return table("Symbols that CPUs spent most in", [("symbol", ""), ("where", ""), ("instructions", "n"), ("share", "n")], rows) if rows else ""


def tasks(system):
    values = [(t["name"], t.get("instructions", 0)) for t in system.get("tasks", [])[:20]]
    return bars.rows("Tasks by instructions", values) if values else ""


def talk(system):
    """Table 4.3's numbers."""
    gpu = system.get("gpu", {})
    rows = [(words, gpu.get(key)) for words, key in (("compute jobs", "jobs"), ("pages touched", "pages"), ("register reads", "register_reads"), ("register writes", "register_writes"))]
    rows += [(f"interrupts, {kind}", n) for kind, n in gpu.get("interrupts", {}).items()]
    rows += [(f"MMU faults, address space {n}", times) for n, times in enumerate(gpu.get("faults", [])) if times]
    if gpu.get("faults") and not any(gpu["faults"]):
        rows.append(("MMU faults", 0))
    body = [[cell(words, "th"), cell(units.count(n), class_="n")] for words, n in rows if n is not None]
    return table("How driver and GPU talked", [("what", ""), ("count", "n")], body) if body else ""


def spark(name, points):
    """One counter over time: steps, with the most and the span."""
    wide, high, base = 300, 84, 62
    start, end = points[0][0], points[-1][0]
    most, step = max(v for _, v in points), (wide - 16) / ((end - start) or 1)
    path = " ".join(f"{'M' if n == 0 else 'L'}{8 + (t - start) * step:.1f},{base - 40 * v / (most or 1):.1f}" for n, (t, v) in enumerate(points))
    parts = [text(8, 14, f"{name}: at most {units.count(most)}", "start", 11, 'font-weight="600"'), line(8, base, wide - 8, base, "var(--axis)"),
             f'<path d="{path}" fill="none" stroke="var(--blue)" stroke-width="1.75"/>', text(8, base + 15, units.time(start), "start", 10), text(wide - 8, base + 15, units.time(end), "end", 10)]
    return bars.picture(wide, high, parts, f"{name} over time", f"{len(points)} points, at most {most}")


def with_pauses(rows, window):
    """The rows, and zeros at both ends of each pause: windows in which nothing happened are not in the report."""
    out = []
    for row in rows:
        if window and out and row[0] - out[-1][0] > window:
            nothing = [0] * (len(row) - 1)
            out += [[at, *nothing] for at in sorted({out[-1][0] + window, row[0] - window})]
        out.append(row)
    return out


def over_time(system):
    rows = system.get("gpu", {}).get("over_time", [])
    if len(rows) < 2 or any(a[0] > b[0] for a, b in zip(rows, rows[1:])):
        return ""
    rows = with_pauses(rows, system["gpu"].get("window_ns"))
    stride = -(-len(rows) // 600)
    parts = [rows[n:n + stride] for n in range(0, len(rows), stride)]
    pictures = "".join(spark(name, [(part[0][0], max(row[k] for row in part)) for part in parts]) for k, name in enumerate(SERIES, 1))
    return figure("Over time", tag("div", pictures, class_="panels"))


def render(report):
    system = report.get("system")
    if not system:
        return absent("mali-run has no system around the GPU; a board's -report does")
    out = "".join(part(system) for part in (phases, talk, over_time, cpus, symbols, tasks))
    return out or paragraph("The report's system is empty.", "absent")
