"""Output of a run: differences, a table, and results as JSON."""
import json

from suite.model import PASS, SuiteError

HEADINGS = ("suite", "group", "mode", "passes", "as QEMU")


def say_differences(differences, limit=200):
    for d in differences[:limit]:
        print(f"{d.what}: {d.name} ({d.mode}): {d.text}")
    if len(differences) > limit:
        print(f"… and {len(differences) - limit} more")


def say_unlike(pairs, limit=200):
    for ours, theirs in pairs[:limit]:
        print(f"unlike QEMU: {ours.name} ({ours.mode}): {ours.status}, QEMU: {theirs.status} "
              f"{ours.detail or theirs.detail}".rstrip())


def expectations(results):
    """Returns all results that are not passes, in the format of tests/suites; the user must add the
    reasons."""
    referee = {r.name: r.status for r in results if r.mode == "qemu"}
    ours = [r for r in results if r.mode != "qemu"]
    modes = {r.mode for r in ours}
    groups = {}
    for r in ours:
        if r.status != PASS:
            theirs = referee.get(r.name)
            does = "unknown" if theirs is None else "passes" if theirs == PASS else "same"
            groups.setdefault((r.status, does), {}).setdefault(r.name, []).append(r.mode)
    for (status, does), names in sorted(groups.items()):
        print(f"[{status}, qemu {does}] ?")
        for name, seen in names.items():
            print(name if set(seen) == modes else f"{name}      # only {', '.join(seen)}")
    counts = {}
    for r in ours:
        case, _, check = r.name.partition(": ")
        counts.setdefault(case, set()).update({check} - {""})
    if any(counts.values()):
        print("[checks] How many checks each case gives.")
    for case, checks in counts.items():
        if checks:
            print(len(checks), case)


def table_rows(suite, results):
    referee = {r["name"]: r["status"] for r in results if r["mode"] == "qemu"}
    rows = {}
    for r in results:
        if r["mode"] != "qemu":
            rows.setdefault((r["name"].split("/", 1)[0], r["mode"]), []).append(r)
    for (group, mode), found in rows.items():
        passes = sum(r["status"] == PASS for r in found)
        known = [r for r in found if r["name"] in referee]
        same = sum((r["status"] == PASS) == (referee[r["name"]] == PASS) for r in known)
        yield suite, group, mode, f"{passes} of {len(found)}", f"{same} of {len(known)}" if known else "–"


def table(reports):
    """Returns a Markdown table of one or several reports, as `as_json` makes them."""
    rows = [row for report in reports for row in table_rows(report["suite"], report["results"])]
    lines = ["| " + " | ".join(HEADINGS) + " |", "|" + "---|" * len(HEADINGS)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def as_json(suite, results, differences):
    return {"suite": suite, "results": [vars(r) for r in results], "differences": [vars(d) for d in differences]}


def write_json(path, report):
    path.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n")


def read_json(path):
    try:
        return json.loads(path.read_text())
    except ValueError as error:
        raise SuiteError(f"{path}: {error}") from error
