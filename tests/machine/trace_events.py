"""Whether a text is a timeline as Perfetto imports it: Chrome's trace-event format, in JSON.

Checked is what the format asks of each phase ("Trace Event Format", Google, 2016), and what a reader of the picture
takes for granted: slices of a thread nest, the events are in order of time, arrows begin once, end once, and lie in
slices.
"""
import json
from collections import defaultdict
from fractions import Fraction

METADATA = {"process_name": "name", "thread_name": "name", "process_sort_index": "sort_index",
            "thread_sort_index": "sort_index"}


def read(text):
    """The events, with times as exact numbers of nanoseconds; the whole as a dictionary."""
    whole = json.loads(text, parse_float=Fraction, parse_int=int)
    return whole, whole["traceEvents"]


def ns(value):
    """A time of the format is in microseconds; here all are whole nanoseconds."""
    exact = Fraction(value) * 1000
    assert exact.denominator == 1 and exact >= 0, value
    return int(exact)


def check_metadata(event):
    if event["name"] == "trace_end":
        return
    value = event["args"][METADATA[event["name"]]]
    assert isinstance(value, str if METADATA[event["name"]] == "name" else int), event


def check_fields(event):
    for field, kind in (("name", str), ("pid", int), ("tid", int), ("ph", str)):
        assert isinstance(event[field], kind), event
    ns(event["ts"])
    if event["ph"] == "X":
        ns(event["dur"])
        assert isinstance(event.get("args", {}), dict), event
    elif event["ph"] == "i":
        assert event["s"] in ("g", "p", "t"), event
    elif event["ph"] == "C":
        assert event["args"] and all(isinstance(v, int) for v in event["args"].values()), event
    elif event["ph"] in "stf":
        assert isinstance(event["id"], int) and event["cat"], event
        assert event["bp"] == "e", event
    else:
        raise AssertionError(f"a phase that is not written: {event}")


def check_nesting(slices):
    """Slices of a thread, in order: each is inside of the one around it, or behind it."""
    around = []
    for begin, end, event in slices:
        while around and around[-1] <= begin:
            around.pop()
        assert not around or end <= around[-1], f"slices overlap: {event}"
        if end > begin:
            around.append(end)


def check_flows(flows, slices):
    for parts in flows.values():
        kinds = [event["ph"] for event in parts]
        assert kinds[0] == "s" and kinds[-1] == "f" and set(kinds[1:-1]) <= {"t"}, parts
        for event in parts:
            at = ns(event["ts"])
            assert any(begin <= at < end or begin == at == end
                       for begin, end, _ in slices[event["pid"], event["tid"]]), f"in no slice: {event}"


def check(text):
    """Raises AssertionError; returns the events."""
    whole, events = read(text)
    named, slices, flows, last = set(), defaultdict(list), defaultdict(list), -1
    for event in events:
        if event["ph"] == "M":
            check_metadata(event)
            named.add((event["name"], event["pid"], event.get("tid")))
            continue
        check_fields(event)
        at = ns(event["ts"])
        assert at >= last, f"not in order: {event}"
        last = at
        for what in ("process_name", "thread_name"):
            assert (what, event["pid"], event["tid"]) in named, f"no {what}: {event}"
        if event["ph"] == "X":
            slices[event["pid"], event["tid"]].append((at, at + ns(event["dur"]), event))
        elif event["ph"] in "stf":
            flows[event["id"]].append(event)
    for thread in slices.values():
        check_nesting(thread)
    if "stopped" not in whole["otherData"]:
        check_flows(flows, slices)
    return events
