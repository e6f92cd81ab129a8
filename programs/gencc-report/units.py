"""Numbers as people read them."""


def count(n):
    """1,234,567; fractions keep what says something."""
    if isinstance(n, float) and n != int(n):
        return f"{n:,.0f}" if abs(n) >= 1000 else f"{n:,.1f}" if abs(n) >= 100 else f"{n:,.2f}" if abs(n) >= 0.1 else f"{n:.3g}"
    return f"{int(n):,}"


def short(n):
    """At most four characters of digits, for marks in pictures: 8.2k, 134k, 1.2M."""
    for limit, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(n) >= limit:
            scaled = n / (limit if letter != "k" else 1e3)
            return f"{scaled:.1f}{letter}" if scaled < 100 else f"{scaled:,.0f}{letter}"
    return count(n)


def size(n):
    """Bytes in binary units."""
    for limit, unit in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if n >= limit:
            return f"{n / limit:,.1f} {unit}"
    return f"{count(n)} B"


def percent(part, whole=1):
    share = 100 * part / whole if whole else 0
    if share >= 9.95 or share == 0:
        return f"{share:.0f} %"
    return f"{share:.1f} %" if share >= 0.05 else "< 0.1 %"


def time(ns):
    for limit, unit in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")):
        if ns >= limit:
            return f"{float(f'{ns / limit:.3f}'):,.6g} {unit}"
    return f"{count(ns)} ns"


def energy(microjoules):
    for limit, unit in ((1e6, "J"), (1e3, "mJ")):
        if microjoules >= limit:
            return f"{microjoules / limit:,.4g} {unit}"
    return f"{microjoules:,.4g} µJ"


def rate(per_second, unit):
    """Of instructions or bytes: G/s and so on."""
    for limit, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if per_second >= limit:
            return f"{per_second / limit:,.2f} {letter}{' ' if len(unit) > 1 else ''}{unit}/s"
    return f"{count(per_second)} {unit}/s"


def plural(n, word):
    return f"{count(n)} {word}" if n == 1 else f"{count(n)} {word}{'es' if word.endswith(('s', 'sh', 'ch')) else 's'}"


def words_of(name):
    """A counter's name as words."""
    return name.replace("_", " ")
