"""Checks of what a guest printed, for scripts that boot one. A failure ends the script."""
import pathlib
import re
import sys


def fail(message):
    print(f"{pathlib.Path(sys.argv[0]).stem}: {message}")
    sys.exit(1)


def expect(text, *patterns):
    """Each pattern must match, one after the other."""
    at = 0
    for pattern in patterns:
        found = re.compile(pattern, re.MULTILINE).search(text, at)
        if not found:
            print(text[-6000:])
            fail(f"{pattern!r} was not printed")
        at = found.end()


def refuse(text, *patterns):
    """No pattern may match."""
    for pattern in patterns:
        if found := re.search(pattern, text):
            print(text[max(0, found.start() - 1500):found.end() + 1500])
            fail(f"{pattern!r} was printed")
