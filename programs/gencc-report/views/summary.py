"""View 1: the kernel in the shape of Arm's offline compiler, and Mesa's line beside it."""
import re

import units
from facts import KIND_WORDS, microseconds, model_cycles, timing, title, words
from markup import absent, cell, escape, facts, paragraph, scroll, table, tag

NAME, TITLE = "summary", "Summary"
ABOUT = ("What the compiler made of the kernel and which pipe bounds it; look for spilling, for registers that halve the "
         "threads, and for a measured path far from the shortest.")
PIPES = ("arithmetic", "load_store", "texture")
# Cycles of a pipe if each instruction runs once, in Mesa's line.
ONCE = {"arithmetic": re.compile(r"\b(\d+(?:\.\d+)?) arith\b"), "load_store": re.compile(r"\b(\d+(?:\.\d+)?) ldst\b"),
        "texture": re.compile(r"\b(\d+(?:\.\d+)?) texture\b")}


def about(kernel):
    """How wrong the model's cycles may be because it ran a part of the kernel."""
    error = timing(kernel).get("error", 0)
    return f" ± {units.percent(error, 1)}" if error else ""



def energy(kernel, us):
    """Energy and mean power at the GPU's own clock, by the power model; None: not known."""
    found = timing(kernel).get("energy_uj")
    return None if found is None else units.energy(found) + (f" ({found / us:,.3g} W in the mean)" if us else "")


def registers(code, report):
    steps = sorted(report["gpu"].get("registers", []), key=lambda step: step["up_to"])
    n = code.get("registers")
    if n is None:
        return None
    step = next((s for s in steps if n <= s["up_to"]), None)
    return f"{n} (of {step['up_to']} with {units.count(step['threads'])} threads per core)" if step else str(n)


def spilling(code):
    if "spills" not in code and "fills" not in code:
        return None
    spills, fills = code.get("spills", 0), code.get("fills", 0)
    return "none" if not spills + fills else f"yes: {units.plural(spills, 'spill')}, {units.plural(fills, 'fill')}"


def rows_of(kernel, report):
    code, name = kernel.get("code", {}), words(report)
    us, local = microseconds(kernel, report), kernel.get("local")
    sizes = [(name["bundle"] + "s", "bundles"), (name["stage"] + "s", "stages"), ("instructions", "instructions"), ("empty slots", "nops")]
    pairs = [("work registers", registers(code, report)), ("uniform registers", code.get("uniforms")), ("stack spilling", spilling(code)),
             ("16-bit arithmetic", f"{code['half_percent']:.0f} %" if "half_percent" in code else None),
             ("code", ", ".join(f"{units.count(code[key])} {words_}" for words_, key in sizes if key in code) or None),
             ("loops", code.get("loops")), ("jobs", units.count(kernel["jobs"]) if "jobs" in kernel else None),
             ("work-groups", units.count(kernel["groups"]) + (f" of {' × '.join(map(str, local))}" if local else "") if "groups" in kernel else None),
             ("predicted time", f"{units.count(us)} µs ({units.count(model_cycles(kernel))} cycles{about(kernel)})" if us is not None else None),
             ("predicted energy", energy(kernel, us)),
             ("shader", kernel.get("shader")), ("hash of the code", kernel.get("hash"))]
    return [(key, value) for key, value in pairs if value is not None]


def bound_of(path):
    pipes = [(path[pipe], pipe) for pipe in PIPES if path.get(pipe)]
    return KIND_WORDS.get(max(pipes)[1]) if pipes else "–"


def once(code):
    """The path on which each instruction runs once, as Mesa's line has it; None without."""
    found = {pipe: float(m[1][:40]) for pipe, of in ONCE.items() if (m := of.search(code.get("shader_db", "")))}
    return found | ({"bundles": code["bundles"]} if "bundles" in code else {}) if found else None


def paths(kernel, report):
    code, found = kernel.get("code", {}), kernel.get("paths", {})
    lines = [("all instructions once", once(code)), ("shortest path", found.get("shortest")), ("longest path", found.get("longest")),
             ("measured, mean of a warp", found.get("measured"))]
    out = []
    for name, path in lines:
        row = [cell(name, "th")]
        if not path:
            why = "no bound: a loop's count depends on data" if name == "longest path" else "not known"
            row.append(f'<td colspan="5">{escape(why)}</td>')
        else:
            row += [cell(f"{path[key]:,.2f}" if key in path else "–", class_="n") for key in PIPES]
            row += [cell(units.count(path["bundles"]) if "bundles" in path else "–", class_="n"), cell(bound_of(path))]
        out.append(row)
    heads = [("path", ""), ("arithmetic", "n"), ("load/store", "n"), ("texture", "n"), (words(report)["bundle"] + "s", "n"), ("bound", "")]
    return table("Cycles per thread by pipe", heads, out)


def render(kernel, report):
    rows = rows_of(kernel, report)
    if not rows:
        return absent("the report has no code of this kernel")
    out = facts(rows)
    if kernel.get("bound"):
        out += tag("p", f"{escape(title(kernel))} is bound by <strong>{escape(KIND_WORDS.get(kernel['bound'], units.words_of(kernel['bound'])))}</strong>.")
    out += paths(kernel, report)
    line = kernel.get("code", {}).get("shader_db")
    if line:
        out += paragraph("The same code as Mesa's shader-db prints it:", "label") + scroll(tag("pre", escape(line)), "Mesa's shader-db line")
    return out
