"""Compares results with the expected ones, and with the referee's."""
import dataclasses

from suite.model import PASS


@dataclasses.dataclass
class Difference:
    what: str       # "new failure", "new pass", "other status", "other number of checks", "referee"
    name: str
    mode: str
    text: str


def compare_result(result, expected, referee):
    row = expected.find(result)
    want = row.status if row else PASS
    if result.status != want:
        kind = "new failure" if want == PASS else "new pass" if result.status == PASS else "other status"
        text = result.status if want == PASS else f"{result.status}, where {want} was expected: {row.reason}"
        yield Difference(kind, result.name, result.mode, f"{text} {result.detail}".strip())
    elif row and referee:
        does = "passes" if referee.status == PASS else "same" if referee.status == result.status else "unknown"
        if row.referee != does and "unknown" not in (row.referee, does):
            yield Difference("referee", result.name, result.mode,
                             f"QEMU: {referee.status}, where '{row.referee}' was expected: {row.reason}")


def compare_counts(results, expected, modes):
    counts = {}
    for result in results:
        case = result.name.split(": ", 1)[0]
        counts[case, result.mode] = counts.get((case, result.mode), 0) + (case != result.name)
    for (case, mode), count in counts.items():
        want = expected.counts.get(case, 0)
        if mode in modes and count != want:
            yield Difference("other number of checks", case, mode, f"{count}, where {want} were expected")


def compare(results, expected):
    """Returns all differences of our results, with the referee's beside them."""
    referee = {r.name: r for r in results if r.mode == "qemu"}
    ours = [r for r in results if r.mode != "qemu"]
    found = []
    for result in ours:
        found += compare_result(result, expected, referee.get(result.name))
    return found + list(compare_counts(ours, expected, {r.mode for r in ours}))


def unlike_referee(results):
    """Returns pairs (ours, the referee's) of which exactly one passes."""
    referee = {r.name: r for r in results if r.mode == "qemu"}
    return [(r, referee[r.name]) for r in results
            if r.mode != "qemu" and r.name in referee and (r.status == PASS) != (referee[r.name].status == PASS)]
