"""The parts of a suite: cases, each one run of a program, and the results of a case."""
import dataclasses
from typing import Callable

PASS, FAIL, SKIP, TIMEOUT = "pass", "fail", "skip", "timeout"
STATUSES = (PASS, FAIL, SKIP, TIMEOUT)

# Options for each way to execute instructions. "first" translates each block before its first
# execution.
MODES = {
    "jit": [],
    "first": ["-jit-quick-threshold", "1", "-jit-sync"],
    "interp": ["-accel", "interp"],
}


class SuiteError(Exception):
    """A wrong folder, option or file of expectations, as one line."""


@dataclasses.dataclass
class Ended:
    """How a process ended. `status` is its exit status; negative: -(number of the signal); None:
    out of time."""
    status: int | None
    output: str
    seconds: float


@dataclasses.dataclass
class Check:
    """One verdict. `name` is "" for that of the case itself."""
    name: str
    status: str
    detail: str = ""


def by_exit_status(ended):
    """Judges a program whose exit status alone says whether it passed."""
    if ended.status is None:
        return [Check("", TIMEOUT, f"after {ended.seconds:.0f} s")]
    if ended.status == 0:
        return [Check("", PASS)]
    last = ended.output.strip().splitlines()[-1:] or [""]
    what = f"signal {-ended.status}" if ended.status < 0 else f"status {ended.status}"
    return [Check("", FAIL, f"{what} {last[0][:120]}".strip())]


@dataclasses.dataclass
class Case:
    """
    One run. `name` is GROUP/REST, where the group is an ISA or a board. `command` starts one of our programs; options of
    a mode are put behind its first word. `referee` is QEMU's command, None: it has nothing to compare with.
    `until`: a regular expression; the process is ended once its output has a match.
    """
    name: str
    command: list
    referee: list | None = None
    judge: Callable = by_exit_status
    seconds: float = 30
    megabytes: int = 4096
    until: str | None = None


@dataclasses.dataclass
class Result:
    """The verdict on one check of one case. `name` is the case's, or "CASE: CHECK". `mode` is
    "qemu" for the referee."""
    name: str
    mode: str
    status: str
    detail: str = ""
    seconds: float = 0

    @property
    def group(self):
        return self.name.split("/", 1)[0]
