"""View 7: when jobs ran, and what CPUs and the GPU did then."""
import bars
import units
from facts import title
from markup import absent, escape, figure, paragraph, tag
from svg import line, rect, text, ticks

NAME, TITLE = "timeline", "Timeline"
ABOUT = ("What ran when, in the guest's virtual time; look for gaps between jobs, which are the driver's, and for rows that are "
         "busy while others wait.")
WIDE, LEFT, ROW = 940, 170, 22
MOST_ROWS, MOST_MARKS = 48, 6000
STYLES = ["blue", "orange", "green", "sky", "purple", "yellow", "red"]


def clocked(job):
    return "begin_ns" in job and "end_ns" in job and job["end_ns"] >= job["begin_ns"]


def spans_of_jobs(report):
    """(job, begin, end) in nanoseconds. Without a guest nothing is between jobs, so that they stand end to end."""
    jobs, clock = report.get("jobs", []), report["gpu"].get("clock_mhz")
    if any(map(clocked, jobs)):
        return [(job, job["begin_ns"], job["end_ns"]) for job in jobs if clocked(job)]
    out, now = [], 0
    for job in jobs if clock else []:
        if "model_cycles" in job:
            out.append((job, now, now + job["model_cycles"] * 1000 / clock))
            now = out[-1][2]
    return out


def tracks_of_jobs(report):
    """A row per kernel, of the jobs' times."""
    names = {kernel["id"]: title(kernel) for kernel in report["kernels"]}
    found = {}
    for job, begin, end in spans_of_jobs(report):
        name = names.get(job.get("kernel"), job.get("kernel", "jobs"))
        found.setdefault(name, []).append((begin, end, name))
    return [(name, spans, []) for name, spans in found.items()]


def tracks_of_events(events):
    """A row per process and thread of a Chrome trace; times of the file are microseconds."""
    spans, instants, names, open_ = {}, {}, {}, {}
    for event in events:
        key = (event.get("pid", 0), event.get("tid", 0))
        start, name = event.get("ts", 0) * 1000, event.get("name", "")
        if event["ph"] == "M":
            if event.get("name") in ("process_name", "thread_name"):
                names[(key[0], None) if event["name"] == "process_name" else key] = str(event.get("args", {}).get("name", ""))[:200]
        elif event["ph"] == "X":
            spans.setdefault(key, []).append((start, start + event.get("dur", 0) * 1000, name))
        elif event["ph"] == "B":
            open_.setdefault(key, []).append((start, name))
        elif event["ph"] == "E" and open_.get(key):
            begin, name = open_[key].pop()
            spans.setdefault(key, []).append((begin, max(start, begin), name))
        elif event["ph"] in "iI":
            instants.setdefault(key, []).append((start, name))
    out = []
    for key in sorted(spans.keys() | instants.keys()):
        process, thread = names.get((key[0], None), ""), names.get(key, f"{key[1]:g}")
        name = f"{process}: {thread}" if process and process != thread else thread
        out.append((name, sorted(spans.get(key, [])), sorted(instants.get(key, []))))
    return out


def visible(spans, start, scale):
    """Spans as (x, width, words); what is closer than half a pixel is one mark."""
    out = []
    for begin, end, words in spans:
        x, width = LEFT + (begin - start) * scale, max((end - begin) * scale, 0.75)
        if out and x - (out[-1][0] + out[-1][1]) < 0.5 and out[-1][1] < 3 and width < 3:
            out[-1] = (out[-1][0], x + width - out[-1][0], "several", "")
        else:
            out.append((x, width, words, f"{words}, {units.time(end - begin)} from {units.time(begin)}"))
    return out


def styles_of(tracks):
    """A style for each name, in order of appearance."""
    names = dict.fromkeys(words for _, spans, _ in tracks for _, _, words in spans)
    return {name: STYLES[n % len(STYLES)] for n, name in enumerate(names)}


def draw_track(y, name, marks, instants, style):
    parts = [text(LEFT - 8, y + 15, name if len(name) <= 26 else name[:25] + "…", "end", 11),
             line(LEFT, y + ROW, WIDE - 8, y + ROW, "var(--line)")]
    for x, width, words, about in marks:
        fill = style.get(words, "grey")
        parts.append(f'<rect x="{x:.2f}" y="{y + 3}" width="{width:.2f}" height="{ROW - 6}" fill="var(--{fill})"><title>{escape(about or words)}</title></rect>')
        most = int(width / 6.4)
        if most >= 3:
            shown = words if len(words) <= most else words[:most - 1] + "…"
            parts.append(text(x + width / 2, y + 15, shown, size=10, more=f'fill="var(--{"on-blue" if fill == "blue" else "on-bright"})"'))
    for x, words in instants:
        parts.append(f'<path d="M{x:.1f},{y + 2} l4,{ROW / 2 - 2} l-4,{ROW / 2 - 2} l-4,{-ROW / 2 + 2} z" fill="var(--hot)" stroke="var(--page)"><title>{escape(words)}</title></path>')
    return parts


def draw(tracks):
    tracks, left_out = tracks[:MOST_ROWS], len(tracks) - MOST_ROWS
    times = [t for _, spans, instants in tracks for t in [s[0] for s in spans] + [s[1] for s in spans] + [i[0] for i in instants]]
    start, end = min(times), max(times)
    scale = (WIDE - LEFT - 12) / ((end - start) or 1)
    style, parts, y, marks = styles_of(tracks), [], 4, 0
    high = 4 + ROW * len(tracks)
    for t in ticks(0, end - start) if end > start else [0]:
        x = LEFT + t * scale
        parts += [line(x, 4, x, high, "var(--line)"), text(x, high + 16, units.time(t) if t else "0", size=10)]
    for name, spans, instants in tracks:
        seen = visible(spans, start, scale)[:max(MOST_MARKS - marks, 0)]
        marks += len(seen)
        parts += draw_track(y, name, seen, [(LEFT + (t - start) * scale, words) for t, words in instants[:500]], style)
        y += ROW
    about = "; ".join(f"{name}: {units.plural(len(spans), 'span')}" for name, spans, _ in tracks)
    picture = bars.picture(WIDE, high + 26, parts, "Timeline", about)
    return figure(None, picture) + (paragraph(f"{units.plural(left_out, 'row')} more are in timeline.json.", "note") if left_out > 0 else "")


def render(report, events):
    tracks = tracks_of_events(events) if events else tracks_of_jobs(report)
    tracks = [track for track in tracks if track[1] or track[2]]
    if not tracks:
        return absent("jobs have no times: run with a model of time (-gpu-timing detailed on boards, -timing detailed of mali-run)")
    out = draw(tracks)
    if events:
        return out + tag("p", '<a href="timeline.json">timeline.json</a> opens in Perfetto and in chrome://tracing.', class_="note")
    end_to_end = "" if any(map(clocked, report["jobs"])) else "Without a guest, jobs stand end to end in the model's time. "
    return out + paragraph(f"{end_to_end}{units.count(len(report.get('jobs', [])))} of {units.count(report.get('job_count', len(report.get('jobs', []))))} jobs are in the report.", "note")
