"""The expected results of Piglit's tests, and the differences of a run.

The list has a line `result name` per test. The lines under a heading `[options]` are all the tests
that piglit_cl.py runs with these options: such a run must have exactly these. With other options,
tests that the list does not name have to pass or to skip."""

GOOD = ("pass", "skip", "warn")


def read(text):
    """Returns {options: {name: result}}."""
    sections, section = {}, None
    for line in text.splitlines():
        line = line.split("#")[0].strip()
        if line.startswith("["):
            section = sections.setdefault(line.strip("[]"), {})
        elif line:
            result, name = line.split()
            section[name] = result
    return sections


def problems(results, options, text):
    """Returns a line for each difference between {name: result} and the list."""
    sections = read(text)
    known = {name: result for section in sections.values() for name, result in section.items()}
    found = []
    for name, result in results.items():
        wanted = known.get(name)
        if options in sections and name not in sections[options]:
            found.append(f"{name}: {result}, and not in the list")
        elif wanted and result != wanted:
            found.append(f"{name}: {result}, the list says {wanted}")
        elif not wanted and result not in GOOD:
            found.append(f"{name}: {result}")
    found += [f"{name}: did not run" for name in sections.get(options, {}) if name not in results]
    return found
