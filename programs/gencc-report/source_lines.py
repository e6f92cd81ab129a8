"""Lines of OpenCL C beside bundles, where they can be known without debug information.

Accesses to an argument by its subscript, and barriers, stand in code and in source in some order. Where both have
equally many of a kind, the first of the code is taken for the first of the source, and so on. Where their numbers
differ (unrolled loops, merged or removed accesses, macros, functions), no line is given. One of a kind is certain; of
several, the compiler may have changed the order.
"""
import argparse
import json
import pathlib
import re

import reading

CERTAIN, BY_ORDER = "certain", "by order"
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"", re.DOTALL)
KERNEL = re.compile(r"\b(?:__)?kernel\b(?:\s+__attribute__\s*\(\(.*?\)\))?\s+void\s+(\w+)\s*\(", re.DOTALL)
BARRIER = re.compile(r"\b(?:work_group_)?barrier\s*\(")
PAIRS = {"(": ")", "{": "}", "[": "]"}
STORES = re.compile(r"\s*(?:(=)(?!=)|([-+*/%&|^]|<<|>>)=|(\+\+|--))")


def blanked(text):
    """The text with blanks for comments and strings, so that lines keep their places."""
    return COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def behind(text, at):
    """The place behind the bracket that closes the one at `at`, or the end."""
    close, depth = PAIRS[text[at]], 0
    for n in range(at, len(text)):
        depth += (text[n] == text[at]) - (text[n] == close)
        if not depth:
            return n + 1
    return len(text)


def body(text, name):
    """Where the kernel's body begins and ends; None where it is not found. Without a name it is the only kernel."""
    kernels = [found for found in KERNEL.finditer(text) if name is None or found[1] == name]
    if len(kernels) != 1:
        return None
    begin = text.find("{", behind(text, kernels[0].end() - 1))
    return (begin, behind(text, begin)) if begin >= 0 else None


def uses(text, begin, end, names):
    """The source's accesses and barriers in order: {(kind, name): [line, …]}."""
    found = {}

    def add(kind, name, at):
        found.setdefault((kind, name), []).append(text.count("\n", 0, at) + 1)

    for barrier in BARRIER.finditer(text, begin, end):
        add("barrier", None, barrier.start())
    for name in names:
        for use in re.compile(rf"\b{re.escape(name)}\s*\[").finditer(text, begin, end):
            store = STORES.match(text, behind(text, use.end() - 1), end)
            if not store or not store[1]:
                add("global_load", name, use.start())
            if store:
                add("global_store", name, use.start())
    return found


def code(kernel):
    """The same of the code: {(kind, name): [bundle, …]}."""
    found = {}
    for access in kernel.get("accesses", []):
        if "name" in access:
            found.setdefault((access["kind"], access["name"]), set()).add(access["bundle"])
    barriers = {n for n, bundle in enumerate(kernel["bundles"]) if bundle.get("barrier")}
    if barriers:
        found["barrier", None] = barriers
    return {key: sorted(bundles) for key, bundles in found.items()}


def lines(kernel):
    """{bundle: (first line, last line, CERTAIN or BY_ORDER)} of the bundles whose lines are known."""
    text = blanked(kernel.get("source", {}).get("text", ""))
    place, there = body(text, kernel.get("name")), code(kernel)
    if place is None:
        return {}
    here, found = uses(text, *place, sorted({name for _, name in there if name})), {}
    for key, bundles in there.items():
        if len(here.get(key, [])) != len(bundles):
            continue
        for bundle, line in zip(bundles, here[key]):
            first, last, how = found.get(bundle, (line, line, CERTAIN))
            found[bundle] = min(first, line), max(last, line), CERTAIN if how == CERTAIN and len(bundles) == 1 else BY_ORDER
    return found


def known(kernel):
    """The known lines of a kernel as members of JSON."""
    return [{"address": kernel["bundles"][bundle]["address"], "first": first, "last": last, "certain": how == CERTAIN}
            for bundle, (first, last, how) in sorted(lines(kernel).items())]


def main(arguments):
    """gencc-report lines DIR: the lines of a report's kernels, for debuggers."""
    parser = argparse.ArgumentParser(prog="gencc-report lines", description="Prints as JSON which lines of OpenCL C "
                                     "stand for which bundles of a report's kernels, as far as they are known.")
    parser.add_argument("folder", metavar="DIR", type=pathlib.Path)
    report = reading.report(parser.parse_args(arguments).folder)
    print(json.dumps([{"shader": kernel["shader"], "name": kernel.get("name"), "lines": known(kernel)}
                      for kernel in report["kernels"]]))
    return 0
