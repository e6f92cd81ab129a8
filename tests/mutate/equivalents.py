"""Reads equivalent.txt: mutants that no test can kill, each with the reason.

    runtime/dev/x.c
    - the line
    + the line as the mutant has it
      why it makes no difference
"""


def read_equivalents(text):
    """Returns {path: {(before, after): reason}}."""
    found, path, before, after, reason = {}, None, [], [], []

    def keep():
        if before or after:
            found.setdefault(path, {})[("\n".join(before), "\n".join(after))] = " ".join(reason)
        before.clear(), after.clear(), reason.clear()

    for line in text.splitlines():
        if line.startswith("- "):
            if after:
                keep()
            before.append(line[2:])
        elif line.startswith("+ "):
            after.append(line[2:])
        elif line.startswith("  "):
            reason.append(line.strip())
        elif line and not line.startswith("#"):
            keep()
            path = line
    keep()
    return found
