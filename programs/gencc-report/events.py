"""Rows of a timeline: from the events of a Chrome trace, or from a report's jobs. Times are nanoseconds."""
import dataclasses

from facts import title
from markup import clean


@dataclasses.dataclass
class Track:
    """A row: what lasts (begin, end, name), what happens (time, name), and the values of a counter (time, value)."""
    name: str
    spans: list = dataclasses.field(default_factory=list)
    instants: list = dataclasses.field(default_factory=list)
    points: list = dataclasses.field(default_factory=list)

    def times(self):
        return [t for begin, end, _ in self.spans for t in (begin, end)] + [row[0] for row in self.instants + self.points]


def value_of(event):
    """A counter's value: the first number of its arguments."""
    numbers = [v for v in event.get("args", {}).values() if isinstance(v, (int, float)) and not isinstance(v, bool) and 0 <= v < 1e18]
    return numbers[0] if numbers else 0


def names_of(events):
    """{(process, thread or None): name} of the events that name them."""
    out = {}
    for event in events:
        if event["ph"] == "M" and event.get("name") in ("process_name", "thread_name"):
            thread = None if event["name"] == "process_name" else event.get("tid", 0)
            out[(event.get("pid", 0), thread)] = clean(str(event.get("args", {}).get("name", "")))[:200]
    return out


def add(track, open_, event, start):
    """One event of a row; `open_` are the begun spans that have no end yet."""
    name = clean(event.get("name", ""))
    if event["ph"] == "X":
        track.spans.append((start, start + event.get("dur", 0) * 1000, name))
    elif event["ph"] == "B":
        open_.append((start, name))
    elif event["ph"] == "E" and open_:
        begin, name = open_.pop()
        track.spans.append((begin, max(start, begin), name))
    elif event["ph"] in ("i", "I"):
        track.instants.append((start, name))
    elif event["ph"] == "C":
        track.points.append((start, value_of(event)))


def of_trace(events):
    """Tracks in the order of their numbers, and flows: lists of (time, number of the track)."""
    names, tracks, open_, flows = names_of(events), {}, {}, {}
    for event in events:
        key = (event.get("pid", 0), event.get("tid", 0), clean(event.get("name", "")) if event["ph"] == "C" else "")
        start = event.get("ts", 0) * 1000
        if event["ph"] in ("s", "t", "f"):
            flows.setdefault(str(event.get("id", ""))[:40], []).append((start, key))
        elif event["ph"] in ("X", "B", "E", "i", "I", "C"):
            process, thread = names.get((key[0], None), ""), names.get(key[:2], f"{key[1]:g}")
            whole = thread if process in ("", thread) else f"{process}: {thread}"
            track = tracks.setdefault(key, Track(f"{whole} {key[2]}" if key[2] and key[2] != thread else whole))
            add(track, open_.setdefault(key, []), event, start)
    kept = [key for key in sorted(tracks) if tracks[key].times()]
    for key in kept:
        tracks[key].spans.sort(key=lambda span: (span[0], -span[1]))
        tracks[key].instants.sort()
        tracks[key].points.sort()
    numbers = {key: n for n, key in enumerate(kept)}
    arrows = [[(t, numbers[key]) for t, key in sorted(points) if key in numbers] for points in flows.values()]
    return [tracks[key] for key in kept], [points for points in arrows if len(points) > 1]


def window(tracks):
    """From when until when the GPU worked, with a tenth of it before and after; of all time where no track is a GPU's."""
    busy = [(begin, end) for track in tracks if track.name.startswith("GPU") for begin, end, _ in track.spans]
    times = [t for track in tracks for t in track.times()]
    first, last = min(times), max(times)
    if not busy:
        return first, last
    start, end = min(begin for begin, _ in busy), max(end for _, end in busy)
    margin = (end - start) / 10
    return max(start - margin, first), min(end + margin, last)


def cut(track, start, end):
    """What of a track lies between two times."""
    spans = [(max(begin, start), min(stop, end), name) for begin, stop, name in track.spans if stop >= start and begin <= end]
    before = [point for point in track.points if point[0] < start][-1:]
    points = [(start, value) for _, value in before] + [point for point in track.points if start <= point[0] <= end]
    return Track(track.name, spans, [row for row in track.instants if start <= row[0] <= end], points)


def clocked(job):
    return "begin_ns" in job and "end_ns" in job and job["end_ns"] >= job["begin_ns"]


def spans_of_jobs(report):
    """(job, begin, end). Without a guest nothing is between jobs, so that they stand end to end."""
    jobs, clock = report.get("jobs", []), report["gpu"].get("clock_mhz")
    if any(map(clocked, jobs)):
        return [(job, job["begin_ns"], job["end_ns"]) for job in jobs if clocked(job)]
    out, now = [], 0
    for job in jobs if clock else []:
        if "model_cycles" in job:
            out.append((job, now, now + job["model_cycles"] * 1000 / clock))
            now = out[-1][2]
    return out


def of_jobs(report):
    """A row per kernel."""
    names = {kernel["id"]: title(kernel) for kernel in report["kernels"]}
    found = {}
    for job, begin, end in spans_of_jobs(report):
        name = names.get(job.get("kernel"), job.get("kernel", "jobs"))
        found.setdefault(name, Track(name)).spans.append((begin, end, name))
    return list(found.values())


def end_to_end(report):
    return not any(map(clocked, report.get("jobs", [])))
