"""Bars that are as wide as their place: a whole in parts, rows of values, and histograms."""
import colours
import units
from markup import escape, figure, tag
from svg import inline, rect, text


def piece(x, width, style, words, high):
    """A segment from x % on, with its share on it where there is room."""
    place = f'x="{x:.3f}%" y="0" width="{width:.3f}%" height="100%"'
    out = f'<rect {place} fill="{colours.fill(style)}" stroke="var(--page)" stroke-width="0.75"><title>{escape(words)}</title></rect>'
    if colours.pattern(style):
        out += f'<rect {place} fill="{colours.pattern(style)}" pointer-events="none"/>'
    if width >= 13 and high >= 16:
        out += (f'<text x="{x + width / 2:.2f}%" y="{high / 2 + 4}" text-anchor="middle" font-size="11" font-weight="600" '
                f'fill="{colours.ink(style)}" stroke="{colours.fill(style)}" stroke-width="3" paint-order="stroke">{width:.0f} %</text>')
    return out


def stack(parts, title, whole=None, high=22, unit=""):
    """Parts of a whole: (name, value, style). The whole is their sum unless a larger one is said."""
    total = whole or sum(value for _, value, _ in parts)
    out, x = [], 0
    for name, value, style in parts:
        width = 100 * value / total if total else 0
        if width > 0:
            out.append(piece(x, width, style, f"{name}: {units.count(value)}{unit}, {units.percent(value, total)}", high))
            x += width
    if x < 99.99:
        out.insert(0, f'<rect x="0" y="0" width="100%" height="100%" fill="var(--row)"/>')
    words = "; ".join(f"{name} {units.percent(value, total)}" for name, value, _ in parts if value)
    return (f'<svg class="stack" width="100%" height="{high}" role="img" font-family="sans-serif"><title>{escape(title)}</title>'
            f"<desc>{escape(words or 'empty')}</desc>{''.join(out)}</svg>")


def swatch(style):
    inside = f'<rect width="14" height="14" fill="{colours.fill(style)}" stroke="var(--axis)"/>'
    if colours.pattern(style):
        inside += f'<rect width="14" height="14" fill="{colours.pattern(style)}"/>'
    return f'<svg width="14" height="14" aria-hidden="true" class="swatch">{inside}</svg>'


def legend(parts, unit="", whole=None):
    """What the segments are, with their numbers: the picture's table."""
    total = whole or sum(value for _, value, _ in parts)
    rows = "".join(tag("li", swatch(style) + tag("span", escape(name), class_="name") +
                       tag("span", escape(units.count(value) + unit), class_="value") +
                       tag("span", escape(units.percent(value, total)), class_="share"))
                   for name, value, style in parts)
    return tag("ul", rows, class_="legend")


def key(styles):
    """What the segments are, without numbers."""
    return tag("ul", "".join(tag("li", swatch(style) + tag("span", escape(name), class_="name")) for name, style in styles), class_="key")


def rows(caption, values, style="blue", unit="", show=units.count):
    """A bar per row, with name and value: (name, value) or (name, value, style)."""
    most, total = max((row[1] for row in values), default=0) or 1, sum(row[1] for row in values)
    out = []
    for name, value, *own in values:
        bar = stack([(name, value, own[0] if own else style)], f"{name}: {show(value)}{unit}", whole=most, high=12)
        out.append(tag("li", tag("span", escape(name), class_="name") + bar + tag("span", escape(show(value) + unit), class_="value") +
                       tag("span", escape(units.percent(value, total)), class_="share")))
    return figure(caption, tag("ul", "".join(out), class_="rows"))


def histogram(values, title, about, under, width=320, high=150):
    """Upright bars: (words below, value); the value stands on its bar."""
    most = max((value for _, value in values), default=0) or 1
    slot, parts, base = (width - 8) / max(len(values), 1), [], high - 34
    for n, (words, value) in enumerate(values):
        tall, x = (base - 20) * value / most, 4 + n * slot
        wide = min(slot * 0.76, 48)
        left = x + (slot - wide) / 2
        parts.append(rect(left, base - tall, wide, max(tall, 0.5), "var(--blue)"))
        if value:
            parts.append(text(x + slot / 2, base - tall - 4, units.short(value) if slot > 26 else units.percent(value, sum(v for _, v in values))[:-2], size=10))
        parts.append(text(x + slot / 2, base + 14, words, size=10))
    parts.append(f'<line x1="4" y1="{base}" x2="{width - 4}" y2="{base}" stroke="var(--axis)"/>')
    parts.append(text(width / 2, high - 5, under, size=11))
    return picture(width, high, parts, title, about)


def picture(width, high, parts, title, about=""):
    """A picture in a box of its own that scrolls when it is wider than the page."""
    return tag("div", inline(width, high, parts, title, about), class_="scroll picture", tabindex="0", role="region", aria_label=title)
