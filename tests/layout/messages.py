#!/usr/bin/env python3
"""Runs gencc on the descriptions of layouts and GPUs that are given, each wrong in one way:

    messages.py GENCC FILE…

A test is one file. Its head has the messages, all of them and in this order,

    // expect: FILE:LINE:COLUMN: error: TEXT

and then follow the files of a description, each begun by a line `// file NAME`. main.ac is the file
of layouts (that of the defaults below when it is not given); if there are files gpu*.ac, GPUs are
checked, else layouts. Every error must show its line and a caret below the column it names.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

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


def read_test(path):
    head, files, name = [], {}, None
    for line in path.read_text().splitlines(keepends=True):
        if line.startswith("// file "):
            name = line.split()[2]
            files[name] = ""
        elif name is None:
            head.append(line.rstrip("\n"))
        else:
            files[name] += line
    return head, files


def carets(text):
    """What is wrong with the lines below each message."""
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
    head, files = read_test(path)
    expected = [line[len("// expect: "):] for line in head if line.startswith("// expect: ")]
    gpus = sorted(name for name in files if name.startswith("gpu"))
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {"main.ac": DEFAULT, **files}.items():
            (pathlib.Path(folder) / name).write_text(text)
        command = ["variants", "--layouts", "main.ac", *gpus] if gpus else ["layouts", "main.ac"]
        done = subprocess.run([gencc, *command, "--check"], cwd=folder, capture_output=True,
                              text=True, timeout=60)
    got = [line for line in done.stderr.splitlines() if MESSAGE.match(line)]
    wrong = [] if got == expected else [f"- {e}" for e in expected] + [f"+ {g}" for g in got]
    if done.returncode != (1 if expected else 0):
        wrong.append(f"exit status {done.returncode}: {done.stderr[-2000:]}")
    return wrong + carets(done.stderr)


def main(gencc, paths):
    failed = 0
    for path in map(pathlib.Path, paths):
        wrong = check(gencc, path)
        if wrong:
            failed += 1
            print(f"{path.name}: failed")
            print("\n".join("    " + line for line in wrong))
    print(f"{len(paths)} tests, {failed} failed")
    return 1 if failed or not paths else 0


if __name__ == "__main__":
    sys.exit(main(str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2:]))
