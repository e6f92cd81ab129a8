"""Pictures as SVG: axes, lines and words. Parts are strings; picture() makes a file of them."""
import math


def escape(words):
    return str(words).replace("&", "&amp;").replace("<", "&lt;")


def text(x, y, words, anchor="middle", size=11, more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" {more}>{escape(words)}</text>'


def line(x1, y1, x2, y2, colour="#999", width=1):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" stroke-width="{width}"/>'


def rect(x, y, width, height, fill, more=""):
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{fill}" {more}/>'


def picture(width, height, parts):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif">\n'
            f'<rect width="100%" height="100%" fill="white"/>\n' + "\n".join(parts) + "\n</svg>\n")


def inline(width, height, parts, title, about=""):
    """A picture for a page: transparent, in the page's colour of text, with a name and a description for who cannot see it."""
    head = "".join(f"<{name}>{escape(words)}</{name}>" for name, words in (("title", title), ("desc", about)) if words)
    return (f'<svg width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}" role="img" fill="currentColor" '
            f'font-family="sans-serif">{head}' + "\n".join(parts) + "</svg>")


def ticks(low, high):
    """Returns about five round numbers between them."""
    step = 10 ** math.floor(math.log10((high - low) or 1))
    step = next(s for s in (step / 5, step / 2, step, 2 * step, 5 * step) if (high - low) / s <= 6)
    return [k * step for k in range(math.ceil(low / step), math.floor(high / step + 1e-9) + 1)]


class Frame:
    """Axes at (left, top), and how numbers become places."""
    GRID, AXIS = "#ddd", "#333"

    def __init__(self, left, top, width, height, xs, ys):
        self.left, self.top, self.width, self.height = left, top, width, height
        self.xs, self.ys = xs, ys

    def x(self, v):
        return self.left + (v - self.xs[0]) / (self.xs[1] - self.xs[0]) * self.width

    def y(self, v):
        return self.top + self.height - (v - self.ys[0]) / (self.ys[1] - self.ys[0]) * self.height

    def draw(self, title, below, beside):
        parts = [line(self.left, self.y(t), self.left + self.width, self.y(t), self.GRID) + text(self.left - 4, self.y(t) + 4, f"{t:g}", "end", 10)
                 for t in ticks(*self.ys)]
        parts += [line(self.left, self.top, self.left, self.top + self.height, self.AXIS),
                  line(self.left, self.top + self.height, self.left + self.width, self.top + self.height, self.AXIS),
                  text(self.left + self.width / 2, self.top - 8, title, size=12), text(self.left + self.width / 2, self.top + self.height + 32, below)]
        if beside:
            x, y = self.left - 34, self.top + self.height / 2
            parts.append(text(x, y, beside, more=f'transform="rotate(-90 {x:.1f} {y:.1f})"'))
        return parts


def below(frame, words):
    """Labels the horizontal axis, for frames whose draw() has no room for it."""
    return text(frame.left + frame.width / 2, frame.top + frame.height + 32, words)


def dot(x, y, colour, radius=3, more=""):
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{colour}" {more}/>'


def decades(low, high):
    """Returns the powers of ten between them; if these are few, their multiples by two and five,
    too."""
    powers = [10 ** k for k in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]
    all_of = [p * m for p in powers for m in (1, 2, 5)] if len(powers) <= 3 else powers
    return [v for v in all_of if low * 0.999 <= v <= high * 1.001]


class LogFrame(Frame):
    """A frame with two logarithmic axes."""

    def x(self, v):
        return self.left + (math.log10(v) - math.log10(self.xs[0])) / (math.log10(self.xs[1]) - math.log10(self.xs[0])) * self.width

    def y(self, v):
        low, high = map(math.log10, self.ys)
        return self.top + self.height - (math.log10(v) - low) / (high - low) * self.height

    def draw(self, title, under, beside):
        right, bottom, middle = self.left + self.width, self.top + self.height, self.top + self.height / 2
        parts = [line(self.left, self.y(t), right, self.y(t), self.GRID) + text(self.left - 4, self.y(t) + 4, f"{t:g}", "end", 10)
                 for t in decades(*self.ys)]
        parts += [line(self.x(t), self.top, self.x(t), bottom, self.GRID) + text(self.x(t), bottom + 14, f"{t:g}", size=10)
                  for t in decades(*self.xs)]
        return parts + [line(self.left, self.top, self.left, bottom, self.AXIS), line(self.left, bottom, right, bottom, self.AXIS),
                        text(self.left + self.width / 2, self.top - 10, title, size=12), below(self, under),
                        text(self.left - 48, middle, beside, more=f'transform="rotate(-90 {self.left - 48:.1f} {middle:.1f})"')]
