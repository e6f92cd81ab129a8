"""Limits for CI: how much a kernel's numbers may grow over a baseline."""
import argparse
import difflib
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import measures
import reading
import schema
import units
from facts import costs, model_cycles
from trouble import Trouble

ABOUT = """\
gencc-report check: compares kernels with a baseline and fails, with status 1, when one of their numbers grew beyond its
limit. An argument is a folder with report.json, or a snapshot, which the mali-run beside this program runs first."""
DEFAULTS = {"cycles": (5, True), "registers": (0, False), "spills": (0, False)}
MOST_PAIRS = 4000000  # of bundles before and now that are compared by text
LIMIT = re.compile(r"(\w+)=(\d+(?:\.\d+)?)(%?)")
BASELINE = schema.shape(format_=schema.text, version_=schema.whole, kernels_=schema.named(schema.shape(
    measures_=schema.named(schema.number), bundles=schema.many(schema.shape(name_=schema.text, text_=schema.text, cost_=schema.number, line=schema.whole)))))


def limit(word):
    found = LIMIT.fullmatch(word)
    names = [name for name, _, _ in measures.MEASURES]
    if not found or found[1] not in names:
        raise argparse.ArgumentTypeError(f"{word}: NAME=N or NAME=N%, where NAME is one of {', '.join(names)}")
    return found[1], (float(found[2]), bool(found[3]))


def is_snapshot(path):
    with open(path, "rb") as f:
        return f.read(4) == b"\x7fELF"


def mali_run():
    beside = pathlib.Path(sys.argv[0]).resolve().parent / "mali-run"
    found = str(beside) if beside.exists() else shutil.which("mali-run")
    if not found:
        raise Trouble("there is no mali-run beside gencc-report or in PATH to run snapshots with")
    return found


def report_of_snapshot(path):
    with tempfile.TemporaryDirectory(prefix="gencc-report-") as folder:
        done = subprocess.run([mali_run(), str(path), "-report", folder, "-timing", "detailed"], capture_output=True, text=True, check=False)
        if done.returncode:
            raise Trouble(f"{path}: mali-run ended with status {done.returncode}: {done.stderr.strip()[-300:]}")
        return reading.report(folder)


def source_of(path):
    """The report that an argument means, and the name for kernels that have none."""
    if path.is_file() and path.suffix != ".json" and is_snapshot(path):
        return report_of_snapshot(path), re.sub(r"(\.snap)?\.elf$", "", path.name)
    return reading.report(path), path.resolve().name if path.is_dir() else path.resolve().parent.name


def fingerprint(text):
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]


def entry(kernel, report):
    """What a baseline keeps of a kernel."""
    bundles = []
    for bundle, cost in zip(kernel.get("bundles", []), costs(kernel)[0]):
        row = {"name": bundle["name"], "text": fingerprint(bundle["text"]), "cost": cost}
        bundles.append(row | ({"line": bundle["lines"][0]} if "lines" in bundle else {}))
    found = measures.of(kernel, report)
    # Without a model there are rough cycles, which a limit of the model's must not be compared with.
    if model_cycles(kernel) is None:
        found.pop("cycles", None)
    return {"measures": found, "bundles": bundles}


def in_order(report):
    """Kernels by their first job: an order that does not depend on how long they take."""
    first = {}
    for n, job in enumerate(report.get("jobs", [])):
        first.setdefault(job.get("kernel"), n)
    return sorted(report["kernels"], key=lambda kernel: first.get(kernel["id"], len(first)))


def kernels_of(paths):
    """{name: entry} of all arguments. A kernel without a name has that of its snapshot or folder, and a number."""
    found = {}
    for path in paths:
        report, stem = source_of(path)
        for n, kernel in enumerate(in_order(report), 1):
            name = f"{report['gpu']['name']}/{kernel['name']}" if kernel.get("name") else f"{stem}#{n}"
            if name in found:
                name = f"{stem}/{name}"
            if name in found:
                raise Trouble(f"{path}: the kernel {name} is there twice")
            found[name] = entry(kernel, report)
    return found


def read_baseline(path):
    raw = reading.parse(path)
    if not isinstance(raw, dict) or raw.get("format") != "gencc-report-baseline" or raw.get("version") != 1:
        raise Trouble(f"{path}: not a baseline of gencc-report check --update")
    try:
        return BASELINE(raw, "")["kernels"]
    except Trouble as trouble:
        raise Trouble(f"{path}: {trouble}") from trouble


def write_baseline(path, kernels):
    # A line per number and per bundle, so that a change of a kernel is a short difference in a commit.
    def lines(entry):
        rows = ['"measures": ' + json.dumps(entry["measures"], indent=3), '"bundles": [\n   ' + ",\n   ".join(json.dumps(b) for b in entry.get("bundles", [])) + "]"]
        return "{\n  " + ",\n  ".join(rows) + "}"
    body = ",\n ".join(f"{json.dumps(name)}: {lines(kernels[name])}" for name in sorted(kernels))
    path.write_text('{"format": "gencc-report-baseline", "version": 1, "kernels": {\n ' + body + "}}\n", encoding="utf-8")


def costs_before(before, now):
    """{number of a bundle now: its cost before}. Bundles are the same where their text is, in order; between these, as many
    bundles of other text stand for those of before. Very long codes are compared by names only."""
    if len(before) * len(now) > MOST_PAIRS:
        named = {bundle["name"]: bundle["cost"] for bundle in before}
        return {n: named[bundle["name"]] for n, bundle in enumerate(now) if bundle["name"] in named}
    out = {}
    matcher = difflib.SequenceMatcher(None, [b["text"] for b in before], [b["text"] for b in now], autojunk=False)
    for kind, a1, a2, b1, b2 in matcher.get_opcodes():
        if kind == "equal" or kind == "replace" and a2 - a1 == b2 - b1:
            out.update((b1 + k, before[a1 + k]["cost"]) for k in range(a2 - a1))
    return out


def grown_most(before, now):
    """The bundle whose cost grew most: (name, cost before, cost now, line or None). A new one grew from nothing."""
    old = costs_before(before, now)
    grown = [(bundle["cost"] - old.get(n, 0), n) for n, bundle in enumerate(now)]
    most, n = max(grown, key=lambda pair: (pair[0], -pair[1]), default=(0, 0))
    return (now[n]["name"], old.get(n, 0), now[n]["cost"], now[n].get("line")) if most > 0 else None


def beyond(before, now, bound):
    most, in_percent = bound
    allowed = before * (1 + most / 100) if in_percent else before + most
    return now > allowed + 1e-9 * max(abs(allowed), 1)


def where(old, new):
    found = grown_most(old.get("bundles", []), new.get("bundles", []))
    if not found:
        return ""
    name, before, now, line = found
    place = f" (source line {line})" if line is not None else ""
    return f"; {name}{place} grew most, from {units.count(before)} to {units.count(now)}"


def judge(name, old, new, limits):
    """A line for each measure beyond its limit."""
    out = []
    for measure, bound in limits.items():
        before, now = old["measures"].get(measure), new["measures"].get(measure)
        if before is None:
            continue
        if now is None:
            out.append(f"{name}: {measure} is in the baseline, {units.count(before)}, and not in the report")
        elif beyond(before, now, bound):
            change = f"{100 * (now / before - 1):+.1f} %, " if before else ""
            out.append(f"{name}: {measure} grew from {units.count(before)} to {units.count(now)} ({change}limit {bound[0]:g}{' %' if bound[1] else ''}){where(old, new)}")
    return out


def compare(baseline, kernels, limits):
    """Failures and notes."""
    failures, notes = [], []
    for name, old in baseline.items():
        if name in kernels:
            failures += judge(name, old, kernels[name], limits)
        else:
            failures.append(f"{name}: in the baseline, and in no report")
    for name in kernels:
        if name not in baseline:
            notes.append(f"{name}: not in the baseline; --update adds it")
    return failures, notes


def main(arguments):
    parser = argparse.ArgumentParser(prog="gencc-report check", description=ABOUT, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("baseline", metavar="BASELINE.json", type=pathlib.Path)
    parser.add_argument("inputs", metavar="DIR|SNAPSHOT", nargs="+", type=pathlib.Path)
    parser.add_argument("--limit", metavar="MEASURE=N[%]", action="append", default=[], type=limit,
                        help="how much a measure may grow: a number, or a share; by default cycles=5%%, registers=0 and spills=0. "
                        "MEASURE is one of " + ", ".join(name for name, _, _ in measures.MEASURES))
    parser.add_argument("--update", action="store_true", help="write the baseline from the reports; kernels of other reports stay")
    o = parser.parse_args(arguments)
    kernels = kernels_of(o.inputs)
    if o.update:
        old = read_baseline(o.baseline) if o.baseline.exists() else {}
        write_baseline(o.baseline, old | kernels)
        print(f"{o.baseline}: {units.plural(len(kernels), 'kernel')} written")
        return 0
    if not o.baseline.exists():
        raise Trouble(f"{o.baseline} is not there yet; the same command with --update writes it")
    baseline = read_baseline(o.baseline)
    failures, notes = compare(baseline, kernels, DEFAULTS | dict(o.limit))
    for words in notes + failures:
        print(words)
    missing = len(baseline.keys() - kernels.keys())
    found = [f"{units.plural(len(failures) - missing, 'number')} beyond a limit"] * (len(failures) > missing)
    found += [f"{units.plural(missing, 'kernel')} of the baseline missing"] * (missing > 0)
    print(f"{units.plural(len(kernels), 'kernel')}, " + (", ".join(found) or "all within their limits"))
    return 1 if failures else 0
