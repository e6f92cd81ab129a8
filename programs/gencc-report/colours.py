"""Colours that differ for everybody: Okabe and Ito's, each with a pattern of its own, so that none is told by colour alone."""
from svg import Frame, LogFrame

# Fill on light paper, fill on a dark page, text upon it, pattern over it.
STYLES = {
    "blue": ("#0072b2", "#3d9bd8", "on-blue", ""),
    "orange": ("#e69f00", "#e69f00", "on-bright", "stripes"),
    "sky": ("#56b4e9", "#8fd0f5", "on-bright", "dots"),
    "green": ("#009e73", "#2bb58c", "on-bright", "back"),
    "yellow": ("#f0e442", "#f0e442", "on-bright", "rows"),
    "red": ("#d55e00", "#f07a22", "on-bright", "cross"),
    "purple": ("#cc79a7", "#dd97bd", "on-bright", "columns"),
    "grey": ("#b8bcc2", "#6c737d", "on-grey", ""),
    "pale": ("#e6e8eb", "#3a4049", "on-pale", "stripes"),
}
ORDER = ["blue", "orange", "sky", "green", "yellow", "red", "purple", "grey", "pale"]
LIGHT = {"page": "#ffffff", "ink": "#1b1f24", "soft": "#4f5761", "line": "#d5d9de", "axis": "#4f5761", "panel": "#f5f6f8", "link": "#0a4fb0",
         "on-blue": "#ffffff", "on-bright": "#000000", "on-grey": "#000000", "on-pale": "#1b1f24", "hot": "#d55e00", "row": "#eef1f5"}
DARK = {"page": "#14181d", "ink": "#e8eaed", "soft": "#b3bac3", "line": "#3a424c", "axis": "#9aa3ad", "panel": "#1c2229", "link": "#8ab8ff",
        "on-blue": "#000000", "on-bright": "#000000", "on-grey": "#ffffff", "on-pale": "#e8eaed", "hot": "#f07a22", "row": "#232a33"}
PATTERNS = {
    "stripes": '<path d="M-2,2 L2,-2 M0,8 L8,0 M6,10 L10,6"/>',
    "back": '<path d="M-2,6 L2,10 M0,0 L8,8 M6,-2 L10,2"/>',
    "cross": '<path d="M0,0 L8,8 M8,0 L0,8"/>',
    "rows": '<path d="M0,4 L8,4"/>',
    "columns": '<path d="M4,0 L4,8"/>',
    "dots": '<circle cx="2" cy="2" r="0.8"/><circle cx="6" cy="6" r="0.8"/>',
}


class PageFrame(Frame):
    """Axes in the page's colours."""
    GRID, AXIS = "var(--line)", "var(--axis)"


class PageLogFrame(LogFrame):
    """The same, both axes logarithmic."""
    GRID, AXIS = "var(--line)", "var(--axis)"


def fill(style):
    return f"var(--{style})"


def ink(style):
    return f"var(--{STYLES[style][2]})"


def pattern(style):
    """The fill to lay over, or nothing."""
    name = STYLES[style][3]
    return f"url(#p-{name})" if name else None


def variables(dark):
    rows = dict(DARK if dark else LIGHT) | {name: row[1 if dark else 0] for name, row in STYLES.items()}
    return "".join(f"--{name}:{value};" for name, value in rows.items())


def css():
    """Light unless the reader asked for dark; paper is always light."""
    return (f":root{{color-scheme:light;{variables(False)}}}\n"
            f"@media screen and (prefers-color-scheme:dark){{:root{{color-scheme:dark;{variables(True)}}}}}\n")


def definitions():
    """The patterns, once per page."""
    rows = "".join(f'<pattern id="p-{name}" width="8" height="8" patternUnits="userSpaceOnUse"><g stroke="#000" stroke-opacity="0.45" '
                   f'stroke-width="1" fill="#000" fill-opacity="0.45">{marks}</g></pattern>' for name, marks in PATTERNS.items())
    return f'<svg width="0" height="0" class="definitions" aria-hidden="true"><defs>{rows}</defs></svg>'
