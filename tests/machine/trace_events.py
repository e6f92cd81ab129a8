"""Whether a text is a timeline as Perfetto imports it: Chrome's trace-event format, in JSON.

Checked is what the format asks of each phase ("Trace Event Format", Google, 2016), and what a reader of the picture
takes for granted: slices of a thread nest, the events are in order of time, arrows begin once, end once, and are attached to
the slice in which they lie, as Perfetto's importer does it.
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
    assert event["pid"] > 0 and event["tid"] > 0, f"thread 0 is the idle task of all processes: {event}"
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


class Stack:
    """Slices of a thread as Perfetto's importer has them open, in the order of the file (slice_tracker.cc): ends are open, and of two
    instants at one time the second lies in the first."""

    def __init__(self):
        self.open = []

    def push(self, begin, end, event):
        while self.open and (self.open[-1][1] < begin or
                             self.open[-1][1] == begin and not self.open[-1][0] == begin == end):
            self.open.pop()
        assert not self.open or end <= self.open[-1][1], f"slices overlap: {event}"
        self.open.append((begin, end, event))

    def bind(self, at, event):
        """What a flow event is attached to: the slice that is open last, whatever its time is (flow_tracker.cc)."""
        assert self.open, f"in no slice: {event}"
        begin, end, _ = self.open[-1]
        assert begin <= at < end or begin == at == end, f"not in the slice that is open: {event}"


def check_flows(flows):
    for parts in flows.values():
        kinds = [event["ph"] for event in parts]
        assert kinds[0] == "s" and kinds[-1] == "f" and set(kinds[1:-1]) <= {"t"}, parts


def check(text):
    """Raises AssertionError; returns the events."""
    whole, events = read(text)
    named, threads, flows, last = set(), defaultdict(Stack), defaultdict(list), -1
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
        thread = threads[event["pid"], event["tid"]]
        if event["ph"] in "Xi":  # an instant is a slice without length
            thread.push(at, at + (ns(event["dur"]) if event["ph"] == "X" else 0), event)
        elif event["ph"] in "stf":
            flows[event["id"]].append(event)
            if "stopped" not in whole["otherData"]:
                thread.bind(at, event)
    if "stopped" not in whole["otherData"]:
        check_flows(flows)
    return events
