"""HTML as strings: every text from a report goes through escape() or attribute values made here."""
import re

# Characters that neither HTML nor XML can carry, and halves of surrogate pairs, which UTF-8 cannot.
UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def clean(text):
    """The text without characters that a page cannot carry."""
    return UNFIT.sub("\ufffd", text)


def escape(value):
    text = clean(str(value))
    for plain, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&#39;")):
        text = text.replace(plain, entity)
    return text


def tag(name, inside="", **attributes):
    """An element; `inside` is HTML. A trailing underscore of an attribute's name goes, others become hyphens."""
    words = "".join(f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"' for key, value in attributes.items()
                    if value is not None)
    return f"<{name}{words}>{inside}</{name}>"


def link(target, words):
    return tag("a", escape(words), href=f"#{target}")


def paragraph(words, class_=None):
    return tag("p", escape(words), class_=class_)


def absent(why):
    """Stands where a view has no data."""
    return tag("p", escape(f"No data: {why}"), class_="absent")


def scroll(inside, label):
    """A box that scrolls sideways by itself, by keyboard as well."""
    return tag("div", inside, class_="scroll", tabindex="0", role="region", aria_label=label)


def cell(value, kind="td", sort=None, class_=None, style=None):
    """`value` is HTML if it is a pair ("html", text)."""
    inside = value[1] if isinstance(value, tuple) else escape(value)
    return tag(kind, inside, data_sort=sort, class_=class_, style=style, scope="row" if kind == "th" else None)


def table(caption, heads, rows, sortable=False, class_=None):
    """Heads are (words, "n" of numbers or "" of text); a row is a list of cells made by cell()."""
    top = "".join(tag("th", escape(words), scope="col", class_="n" if kind == "n" else None) for words, kind in heads)
    body = "".join(f"<tr>{''.join(row)}</tr>\n" for row in rows)
    classes = " ".join(filter(None, [class_, "sortable" if sortable else None])) or None
    inside = tag("caption", escape(caption)) + f"<thead><tr>{top}</tr></thead>\n<tbody>{body}</tbody>"
    return scroll(tag("table", inside, class_=classes), caption)


def figure(caption, inside):
    return tag("figure", (tag("figcaption", escape(caption)) if caption else "") + inside)


def facts(pairs):
    """A list of names and values."""
    return tag("dl", "".join(tag("div", tag("dt", escape(name)) + tag("dd", value[1] if isinstance(value, tuple) else escape(value)))
                             for name, value in pairs), class_="facts")


def fold(summary, inside, opened=False, id_=None, class_=None):
    words = summary[1] if isinstance(summary, tuple) else escape(summary)
    names = "".join(f' {name}="{escape(value)}"' for name, value in (("id", id_), ("class", class_)) if value)
    return f"<details{names}{' open' if opened else ''}><summary>{words}</summary>{inside}</details>"
