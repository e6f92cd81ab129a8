"""View 7: when jobs ran, and what CPUs and the GPU did then."""
import bars
import colours
import events as rows
import units
from markup import absent, escape, figure, paragraph, tag
from svg import line, text, ticks

NAME, TITLE = "timeline", "Timeline"
ABOUT = ("What ran when, in the guest's virtual time; look for gaps between jobs, which are the driver's, and for rows that are "
         "busy while others wait.")
WIDE, LEFT, ROW = 1080, 190, 22
MOST_ROWS, MOST_MARKS, MOST_INSTANTS, MOST_FLOWS, MOST_NAMES = 64, 6000, 500, 300, 14
STYLES = ["blue", "orange", "green", "sky", "purple", "yellow", "red"]


class Scale:
    """From nanoseconds to places."""

    def __init__(self, start, end):
        self.start, self.unit = start, (WIDE - LEFT - 12) / ((end - start) or 1)

    def x(self, t):
        return LEFT + (t - self.start) * self.unit


def visible(spans, scale):
    """Spans as (x, width, depth, name, words); what is closer than half a pixel is one mark."""
    out, open_ = [], []
    for begin, end, name in spans:
        while open_ and open_[-1] <= begin:
            open_.pop()
        depth = len(open_)
        open_.append(end)
        x, width = scale.x(begin), max(scale.x(end) - scale.x(begin), 0.75)
        if out and out[-1][2] == depth and x - (out[-1][0] + out[-1][1]) < 0.5 and out[-1][1] < 3 and width < 3:
            out[-1] = (out[-1][0], x + width - out[-1][0], depth, out[-1][3] if out[-1][3] == name else "several", "several")
        else:
            out.append((x, width, depth, name, f"{name}, {units.time(end - begin)} from {units.time(begin)}"))
    return out


def styles_of(tracks):
    """A style for each name, those that last longest first."""
    lasting = {}
    for track in tracks:
        for begin, end, name in track.spans:
            lasting[name] = lasting.get(name, 0) + end - begin
    return {name: STYLES[n % len(STYLES)] for n, name in enumerate(sorted(lasting, key=lambda name: -lasting[name]))}


def draw_spans(y, marks, style):
    parts = []
    for x, width, depth, name, about in marks:
        fill, inset = style.get(name, "grey"), 3 + 2 * min(depth, 3)
        parts.append(f'<rect x="{x:.2f}" y="{y + inset}" width="{width:.2f}" height="{ROW - 2 * inset}" fill="var(--{fill})" stroke="var(--page)" '
                     f'stroke-width="0.5"><title>{escape(about)}</title></rect>')
        over = colours.pattern(fill)
        if over and width >= 3:
            parts.append(f'<rect x="{x:.2f}" y="{y + inset}" width="{width:.2f}" height="{ROW - 2 * inset}" fill="{over}" pointer-events="none"/>')
        most = int(width / 6.4)
        if most >= 3 and depth == 0:
            shown = name if len(name) <= most else name[:most - 1] + "…"
            parts.append(text(x + width / 2, y + 15, shown, size=10, more=f'fill="{colours.ink(fill)}" stroke="var(--{fill})" stroke-width="3" paint-order="stroke"'))
    return parts


def draw_counter(y, points, scale):
    """Steps from one value to the next, of at most a point per pixel; the most is the row's height."""
    most, last, path = max(v for _, v in points) or 1, None, []
    for t, v in points:
        x, high = scale.x(t), y + ROW - 2 - (ROW - 6) * v / most
        if last is None or x - last >= 1:
            path.append(f"{'M' if last is None else 'H'}{x:.1f}{',' if last is None else ' V'}{high:.1f}")
            last = x
    return [f'<path d="{" ".join(path)} H{WIDE - 8}" fill="none" stroke="var(--blue)" stroke-width="1.25"><title>at most {units.count(most)}</title></path>']


def draw_track(y, track, marks, style, scale):
    parts = [text(LEFT - 8, y + 15, track.name if len(track.name) <= 29 else track.name[:28] + "…", "end", 11),
             line(LEFT, y + ROW, WIDE - 8, y + ROW, "var(--line)")] + draw_spans(y, marks, style)
    if track.points:
        parts += draw_counter(y, track.points, scale)
    for t, words in track.instants[:MOST_INSTANTS]:
        parts.append(f'<path d="M{scale.x(t):.1f},{y + 2} l4,{ROW / 2 - 2} l-4,{ROW / 2 - 2} l-4,{-ROW / 2 + 2} z" fill="var(--hot)" stroke="var(--page)">'
                     f"<title>{escape(words)}</title></path>")
    return parts


def draw_flows(flows, count, scale):
    """Curves from row to row, such as from a submission to its interrupt."""
    parts = []
    for points in [[p for p in points if p[1] < count] for points in flows[:MOST_FLOWS]]:
        for (t1, row1), (t2, row2) in zip(points, points[1:]):
            x1, y1, x2, y2 = scale.x(t1), 4 + ROW * (row1 + 0.5), scale.x(t2), 4 + ROW * (row2 + 0.5)
            parts.append(f'<path d="M{x1:.1f},{y1} C{x1 + 14:.1f},{y1} {x2 - 14:.1f},{y2} {x2:.1f},{y2}" fill="none" stroke="var(--ink)" '
                         f'stroke-opacity="0.55" stroke-dasharray="3 2"/><circle cx="{x2:.1f}" cy="{y2}" r="2" fill="var(--ink)"/>')
    return parts


def draw(tracks, flows, file, start, end):
    tracks, left_out = tracks[:MOST_ROWS], len(tracks) - MOST_ROWS
    tracks = [rows.cut(track, start, end) for track in tracks]
    flows = [[point for point in points if start <= point[0] <= end] for points in flows]
    scale, style, parts, marks = Scale(start, end), styles_of(tracks), [], 0
    high = 4 + ROW * len(tracks)
    for t in ticks(0, end - start) if end > start else [0]:
        x = scale.x(start + t)
        parts += [line(x, 4, x, high, "var(--line)"), text(x, high + 16, units.time(t) if t else "0", "end" if x > WIDE - 30 else "middle", 10)]
    for n, track in enumerate(tracks):
        seen = visible(track.spans, scale)[:max(MOST_MARKS - marks, 0)]
        marks += len(seen)
        parts += draw_track(4 + ROW * n, track, seen, style, scale)
    parts += draw_flows(flows, len(tracks), scale)
    about = "; ".join(f"{track.name}: {units.plural(len(track.spans), 'span')}" for track in tracks)
    picture = bars.picture(WIDE, high + 26, parts, "Timeline", about)
    return figure(None, bars.key(list(style.items())[:MOST_NAMES]) + picture) + (paragraph(f"{units.plural(left_out, 'row')} more are in {file}.", "note") if left_out > 0 else "")


def render(report, events):
    """Of the events of timeline.json, where there are some; else of the report's jobs."""
    tracks, flows = rows.of_trace(events) if events else ([], [])
    file = "timeline.json" if tracks else "report.json"
    tracks = tracks or rows.of_jobs(report)
    if not tracks:
        return absent("jobs have no times: run with a model of time (-gpu-timing detailed on boards, -timing detailed of mali-run)")
    start, end = rows.window(tracks)
    out = draw(tracks, flows, file, start, end)
    if start > 0:
        out += paragraph(f"Time 0 of the picture is {units.time(start)} after the start; it ends {units.time(end)} after it.", "note")
    if file == "timeline.json":
        arrows = "Dashed curves lead from a submission to what follows from it. " if flows else ""
        return out + tag("p", f'{arrows}<a href="timeline.json">timeline.json</a> opens in Perfetto and in chrome://tracing.', class_="note")
    words = "Without a guest, jobs stand end to end in the model's time. " if rows.end_to_end(report) else ""
    jobs = len(report.get("jobs", []))
    return out + paragraph(f"{words}{units.count(jobs)} of {units.plural(report.get('job_count', jobs), 'job')} are in the report.", "note")
