"""What Piglit's tests are expected to give, and how a run differs from that.

The list has a line `result name` for each test. Those under a heading `[options]` are all the tests
that piglit_cl.py runs with these options: a run with them has to have each, and no other. For other
options, what the list does not name has to pass or to skip.
"""

GOOD = ("pass", "skip", "warn")


def read(text):
    """{options: {name: result}}"""
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
    """A line for each difference of {name: result} from what the list says."""
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
