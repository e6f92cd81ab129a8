#!/usr/bin/env python3
"""Follows pages of the manual and compares what is printed with what they show:

    run.py BUILD PAGE… FOLDER [--update]

The pages' fenced blocks are read in order. The words after the fence say what a block is:

    c FILE                  the content of a file, in any language
    c FILE above "LINE"     lines to insert above that line
    c FILE below            lines to add at the end
    console                 commands after `$ `, each with what it prints; `fails`: the last one
                            ends with an error

Everything happens in FOLDER, initially empty, in a temporary copy of the repository made of links.
With --update the pages get what the commands print."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FENCE = re.compile(r'^```(\w+)(?: ([\w./-]+))?(?: (above|below))?(?: "(.*)")?$')


def blocks_of(page):
    """Returns the fenced blocks as (line number, match of the fence, lines)."""
    out, at = [], None
    for number, line in enumerate(page, 1):
        if at is None and line.startswith("```"):
            match = FENCE.match(line)
            if not match:
                sys.exit(f"line {number}: this fence is not understood: {line}")
            at = (number, match, [])
        elif at is not None and line == "```":
            out.append(at)
            at = None
        elif at is not None:
            at[2].append(line)
    return out


def insert(path, how, anchor, lines, number):
    old = path.read_text().splitlines() if how else []
    if how == "above":
        if old.count(anchor) != 1:
            sys.exit(f"line {number}: {path.name} has {old.count(anchor)} lines {anchor!r}")
        at = old.index(anchor)
        new = old[:at] + lines + [""] + old[at:]
    else:
        new = old + ([""] if how else []) + lines
    path.write_text("\n".join(new) + "\n")


def commands_of(lines):
    """Returns a console block as [(command, [line…])…]."""
    out = []
    for line in lines:
        if line.startswith("$ "):
            out.append((line[2:], []))
        else:
            out[-1][1].append(line)
    return out


def run_console(folder, environment, fails, number, lines):
    """Runs a block's commands. Returns the block as it should be, and what is wrong."""
    shown, wrong = [], []
    commands = commands_of(lines)
    for command, expected in commands:
        done = subprocess.run(["sh", "-c", command], cwd=folder, env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
        got = done.stdout.splitlines()
        shown += [f"$ {command}"] + got
        if got != expected:
            wrong += [f"line {number}: {command}"]
            wrong += [f"    - {line}" for line in expected] + [f"    + {line}" for line in got]
        may_fail = fails and command == commands[-1][0]
        if (done.returncode != 0) != may_fail:
            wrong.append(f"line {number}: {command}: exit status {done.returncode}")
    return shown, wrong


def make_house(folder, build, name):
    for entry in ROOT.iterdir():
        if not entry.name.startswith((".", "build", "my-")):
            (folder / entry.name).symlink_to(entry)
    (folder / "build").symlink_to(build)
    (folder / name).mkdir()
    return folder / name


def follow(page, folder, environment):
    """Follows the page. Returns it with what was printed, and what is wrong."""
    wrong, new, taken = [], [], 0
    for number, match, lines in blocks_of(page):
        language, file, how, anchor = match.groups()
        new += page[taken:number]
        taken = number + len(lines)
        if language == "console":
            lines, more = run_console(folder, environment, file == "fails", number, lines)
            wrong += more
        else:
            insert(folder / file, how, anchor, lines, number)
        new += lines
    return new + page[taken:], wrong


def follow_all(paths, build, place):
    """Follows the pages one after the other in one folder. Returns them, and what is wrong."""
    wrong, pages = [], []
    environment = dict(os.environ, PATH=f"{build / 'bin'}:{os.environ['PATH']}", LC_ALL="C.UTF-8")
    with tempfile.TemporaryDirectory() as name:
        folder = make_house(pathlib.Path(name), build, place)
        for path in paths:
            page, more = follow(path.read_text().splitlines(), folder, environment)
            pages.append(page)
            wrong += [f"{path.name}: {line}" for line in more]
    return pages, wrong


def main(arguments):
    update = "--update" in arguments
    build, *pages, place = [a for a in arguments if a != "--update"]
    paths = [ROOT / page for page in pages]
    news, wrong = follow_all(paths, pathlib.Path(build).resolve(), place)
    if update:
        for path, new in zip(paths, news):
            path.write_text("\n".join(new) + "\n")
        return 0
    print("\n".join(wrong) or f"{sum(len(blocks_of(page)) for page in news)} blocks as printed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
