"""Whether a history of requests is linear: the order in which they were executed is one that a single core could have
made, and no request was executed before another that had ended when it began."""
INSERT, EXTRACT = 1, 2
NEVER = float("inf")


def take(held, structure, core):
    """What a structure gives, which it then has no more. Cores with an even number use the head of a deque."""
    if structure == "heap":
        place = held.index(max(held))
    else:
        place = 0 if structure == "queue" or structure == "deque" and core % 2 == 0 else -1
    return held.pop(place)


def replay(history, structure):
    """Yields what the structure would have given otherwise. Rows: core, kind, value, start, end."""
    held = []
    for n, (core, kind, value, _, _) in enumerate(history):
        if kind == INSERT:
            held.insert(0 if structure == "deque" and core % 2 == 0 else len(held), value)
            continue
        expected = take(held, structure, core) if held else 0
        if value != expected:
            yield f"request {n}, of core {core}: {value:#x} was extracted, not {expected:#x}"


def overtaken(history, ends=lambda row: row[4]):
    """Yields the places of requests that had ended when one that was executed before them began."""
    latest = -1
    for n, row in enumerate(history):
        if ends(row) < latest:
            yield n
        latest = max(latest, row[3])


def order_of_cores(history):
    """Yields the places of requests that were executed before an earlier one of the same core."""
    last = {}
    for n, (core, _, _, start, _) in enumerate(history):
        if start < last.get(core, 0):
            yield n
        last[core] = start


def faults(history, structure, asynchronous=False):
    """An asynchronous insertion goes on until it is executed, whenever its call has ended."""
    yield from replay(history, structure)
    for n in overtaken(history, lambda row: NEVER if asynchronous and row[1] == INSERT else row[4]):
        yield f"request {n} had ended when one that was executed before it began: {history[n]}"
    for n in order_of_cores(history):
        yield f"request {n} was executed before an earlier one of its core: {history[n]}"
    values = [row[2] for row in history if row[1] == INSERT]
    if len(set(values)) != len(values):
        yield "values are not distinct"
