#!/usr/bin/env python3
"""Runs gencc on the given descriptions of layouts and GPUs, each wrong in one way:

    messages.py GENCC FILE…

A test is one file. Its head has all messages, in their order,

    // expect: FILE:LINE:COLUMN: error: TEXT

and then follow the files of a description, each after a line `// file NAME`. main.ac is the file of
layouts (by default the one below). If there are files gpu*.ac, GPUs are checked, else layouts.
Every error must show its line, and a caret below its column."""
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "front"))
import run as front

MESSAGE = re.compile(r"^[^ ]+:\d+:\d+: (error|warning|note): |^gencc: (?!\d+ error)")
DEFAULT = """AC_LAYOUTS(toy) {
    ac_versions 4..7;
    registers control {
        ID : ro @ 0;
        FEATURES [2] : ro @ 8;
        COMMAND : wo @ 0x10;
    }
}
"""


def carets(text):
    """Returns what is wrong with the lines below each message."""
    wrong, lines = [], text.splitlines()
    for i, line in enumerate(lines):
        match = re.match(r"^[^ ]+:(\d+):(\d+): (error|note): ", line)
        if not match:
            continue
        shown = re.match(r"^ *(\d+) \| ", lines[i + 1]) if i + 2 < len(lines) else None
        caret = re.match(r"^      \| ( *)\^~*$", lines[i + 2]) if shown else None
        if not caret or shown[1] != match[1] or len(caret[1]) + 1 != int(match[2]):
            wrong.append(f"no line with a caret below: {line}")
    return wrong


def check(gencc, path):
    head, files = front.read_test(path)
    gpus = sorted(name for name in files if name.startswith("gpu"))
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {"main.ac": DEFAULT, **files}.items():
            (pathlib.Path(folder) / name).write_text(text)
        archs = [word for name in sorted(files) if name.startswith("arch") for word in ("--arch", name)]
        command = ["variants", "--layouts", "main.ac", *archs, *gpus] if gpus else ["layouts", "main.ac"]
        done = front.run_tool(gencc, folder, *command, "--check")
    return front.check_messages(done, front.directives(head, "expect"), MESSAGE) + carets(done.stderr)


def main(gencc, paths):
    failed = front.run_all(paths, lambda path: check(gencc, path))
    return 1 if failed or not paths else 0


if __name__ == "__main__":
    sys.exit(main(str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2:]))
