"""
tests/suites/SUITE.txt: all results that are not passes, and why.

    # a comment
    [fail, qemu passes] Why it is so, in one line.
    aarch64/name.O2
    aarch64/other*.O?
    [skip, qemu same, mode interp] Another reason.
    juno/timer: a check of it
    [checks] How many checks a case gives, where it gives several.
    17 juno/gicv2-mmio

A name is a result's, or a pattern: * and ? stand for anything but a line's end. What the referee does is `same` as
ours, `passes`, or `unknown`.
"""
import dataclasses
import fnmatch
import re

from suite.model import PASS, STATUSES, SuiteError

HEADING = re.compile(r"\[([^]]*)\]\s*(.*)")
REFEREE = ("same", "passes", "unknown")


@dataclasses.dataclass
class Row:
    """One line below a heading, with the properties of the heading."""
    pattern: str
    status: str
    referee: str
    mode: str | None
    reason: str
    used: bool = False

    def matches(self, result):
        # Square brackets are literal here, since names of checks contain them.
        escaped = self.pattern.replace("[", "[[]")
        return self.mode in (None, result.mode) and fnmatch.fnmatchcase(result.name, escaped)


@dataclasses.dataclass
class Expected:
    rows: list = dataclasses.field(default_factory=list)
    counts: dict = dataclasses.field(default_factory=dict)

    def find(self, result):
        """Returns the row for a result; None: it should pass. The first matching row of the file
        counts."""
        found = None
        for row in self.rows:
            if row.matches(result):
                row.used = True
                found = found or row
        return found


def read_heading(text, where):
    match = HEADING.fullmatch(text)
    words = [word.strip() for word in match[1].split(",")] if match else []
    if words == ["checks"]:
        return None
    row = Row("", "", "unknown", None, match[2] if match else "")
    for word in words:
        key, _, value = word.partition(" ")
        if word in STATUSES and word != PASS:
            row.status = word
        elif key == "qemu" and value in REFEREE:
            row.referee = value
        elif key == "mode" and value:
            row.mode = value
        else:
            raise SuiteError(f"{where}: '{word}' is no part of a heading")
    if not row.status or not row.reason:
        raise SuiteError(f"{where}: a heading is [STATUS, qemu same|passes|unknown] and a reason")
    return row


def read(path):
    """Reads what is expected; without a file, only passes are."""
    expected, heading, counting = Expected(), None, False
    for number, line in enumerate(path.read_text().splitlines() if path.exists() else [], 1):
        where = f"{path}:{number}"
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("["):
            heading = read_heading(line, where)
            counting = heading is None
        elif counting:
            count, _, name = line.partition(" ")
            if not count.isdigit():
                raise SuiteError(f"{where}: not a number of checks and a name")
            expected.counts[name] = int(count)
        elif heading is None:
            raise SuiteError(f"{where}: a name without a heading above")
        else:
            expected.rows.append(dataclasses.replace(heading, pattern=line.strip()))
    return expected
