"""Pictures of what policies come to: bars by queue, spans of relative delay, IPC by number of cores."""
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts/pictures"))
import svg

COLOURS = ["#4c72b0", "#dd8452", "#55a868", "#c44e52", "#8172b3", "#937860"]
WIDTH, HEIGHT, LEFT, TOP = 760, 300, 60, 30


def legend(names, x, y):
    parts = []
    for i, name in enumerate(names):
        parts += [svg.rect(x, y + 16 * i, 10, 10, COLOURS[i % len(COLOURS)]), svg.text(x + 16, y + 16 * i + 9, name, "start")]
    return parts


def frame_of(queues, high, low=0.0):
    return svg.Frame(LEFT, TOP, WIDTH - LEFT - 190, HEIGHT - TOP - 50, (0, len(queues)), (low, high))


def bars(title, beside, queues, policies, value):
    """One bar per policy in each queue: value(queue, policy)."""
    values = {(q, p): value(q, p) for q in queues for p in policies}
    frame = frame_of(queues, 1.08 * max(values.values()))
    parts = frame.draw(title, "queue", beside)
    wide = 0.8 / len(policies)
    for i, q in enumerate(queues):
        parts.append(svg.text(frame.x(i + 0.5), frame.top + frame.height + 14, q))
        for k, p in enumerate(policies):
            left, top = frame.x(i + 0.1 + k * wide), frame.y(values[q, p])
            parts.append(svg.rect(left, top, frame.x(i + 0.1 + (k + 0.9) * wide) - left, frame.top + frame.height - top,
                                  COLOURS[k % len(COLOURS)]))
    return svg.picture(WIDTH, HEIGHT, parts + legend(policies, WIDTH - 180, TOP))


def spans(title, beside, queues, policies, values):
    """From mean - deviation to mean + deviation of values(queue, policy), with the mean as a line."""
    found = {(q, p): values(q, p) for q in queues for p in policies}
    ends = [statistics.fmean(v) + s * statistics.pstdev(v) for v in found.values() for s in (-1, 1)]
    room = 0.1 * (max(ends) - min(ends) or 1)
    frame = frame_of(queues, max(ends) + room, min(ends) - room)
    parts = frame.draw(title, "queue", beside)
    wide = 0.8 / len(policies)
    for i, q in enumerate(queues):
        parts.append(svg.text(frame.x(i + 0.5), frame.top + frame.height + 14, q))
        for k, p in enumerate(policies):
            mean, deviation = statistics.fmean(found[q, p]), statistics.pstdev(found[q, p])
            left, right = frame.x(i + 0.1 + k * wide), frame.x(i + 0.1 + (k + 0.9) * wide)
            top, bottom = frame.y(mean + deviation), frame.y(mean - deviation)
            parts += [svg.rect(left, top, right - left, max(1, bottom - top), COLOURS[k % len(COLOURS)], 'fill-opacity="0.5"'),
                      svg.line(left, frame.y(mean), right, frame.y(mean), COLOURS[k % len(COLOURS)], 2)]
    return svg.picture(WIDTH, HEIGHT, parts + legend(policies, WIDTH - 180, TOP))


def curves(title, beside, names, points):
    """A line per name through points(name), pairs of a number of cores and a value."""
    found = {n: points(n) for n in names}
    most = max(y for line in found.values() for _, y in line)
    frame = svg.Frame(LEFT, TOP, WIDTH - LEFT - 190, HEIGHT - TOP - 50, (0, max(x for line in found.values() for x, _ in line)),
                      (0, 1.05 * most))
    parts = frame.draw(title, "cores", beside)
    parts += [svg.text(frame.x(t), frame.top + frame.height + 14, f"{t:g}", size=10) for t in svg.ticks(*frame.xs)]
    for i, n in enumerate(names):
        for (x1, y1), (x2, y2) in zip(found[n], found[n][1:]):
            parts.append(svg.line(frame.x(x1), frame.y(y1), frame.x(x2), frame.y(y2), COLOURS[i % len(COLOURS)], 2))
    return svg.picture(WIDTH, HEIGHT, parts + legend(names, WIDTH - 180, TOP))
