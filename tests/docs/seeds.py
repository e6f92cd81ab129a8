#!/usr/bin/env python3
"""docs/seeds.md: each claim has a verdict of its list, with a reason where the page says so, and its command exists."""
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
WITH_REASON = ("differs", "not applicable")
VERDICTS = ("reproduced", "background", *WITH_REASON)
FOLDERS = ("scripts", "bench", "examples", "descriptions", "tests", "docs", "runtime")


def rows(text):
    """Yields the line numbers and cells of the tables behind the first seed's heading."""
    claims = False
    for number, line in enumerate(text.splitlines(), 1):
        claims = claims or line.startswith("## Seed")
        if claims and line.startswith("|") and not re.match(r"\|(---|\s*where\s*\|)", line):
            yield number, [cell.strip() for cell in line.strip("| ").split(" | ")]


def complaint(cells):
    """Returns what is wrong with a row, or None."""
    if len(cells) != 6:
        return f"{len(cells)} columns of 6"
    verdict = re.match("|".join(VERDICTS), cells[5])
    if not verdict:
        return f"no verdict: '{cells[5]}'"
    if verdict[0] in WITH_REASON and not re.match(r"(differs[\w ,]*|not applicable): \S", cells[5]):
        return f"no reason: '{cells[5]}'"
    for path in re.findall(rf"`((?:{'|'.join(FOLDERS)})/[\w./-]+)", cells[2]):
        if not (ROOT / path).exists():
            return f"no file {path}"
    return None


def main():
    found = list(rows((ROOT / "docs/seeds.md").read_text()))
    wrong = [f"docs/seeds.md:{number}: {text}" for number, cells in found if (text := complaint(cells))]
    if len(found) < 250:
        wrong.append(f"docs/seeds.md: only {len(found)} rows were found")
    print(f"{len(found)} rows")
    sys.exit("\n".join(wrong) or None)


if __name__ == "__main__":
    main()
