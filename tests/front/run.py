#!/usr/bin/env python3
"""Runs the tests of this folder whose files are given:

    run.py FRONT_TOOL FILE…

A test is one file. Its head says what to expect; then follow the files of a description, each
begun by a line `// file NAME`. Files that are not given are those of defaults/. The head holds:

    // expect: FILE:LINE:COLUMN: error: TEXT    the messages, all of them and in this order
    // out: TEXT                                lines of the printed model, in this order
    // decode: ISA WIDTH WORD: NAMES            what the decision tree makes of a word
"""
import pathlib
import re
import subprocess
import sys
import tempfile

DEFAULTS = pathlib.Path(__file__).parent / "defaults"
MESSAGE = re.compile(r"^[^ ]+:\d+:\d+: (error|warning|note): |^gencc: ")


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


def write_files(folder, files):
    """Writes the files of a test, and the defaults that it does not replace, to a folder."""
    for default in DEFAULTS.iterdir():
        (folder / default.name).write_text(default.read_text())
    for name, text in files.items():
        (folder / name).write_text(text)


def directives(head, word):
    prefix = f"// {word}: "
    return [line[len(prefix):] for line in head if line.startswith(prefix)]


def run_tool(tool, folder, *arguments):
    return subprocess.run([tool, *arguments], cwd=folder, capture_output=True, text=True,
                          timeout=60)


def check_messages(done, expected, message=MESSAGE, after_errors=1):
    """Returns what is wrong with a process's messages (lines that match `message`) and its exit
    status."""
    got = [line for line in done.stderr.splitlines() if message.match(line)]
    status = after_errors if any(": error: " in line for line in expected) else 0
    wrong = [] if got == expected else [f"- {e}" for e in expected] + [f"+ {g}" for g in got]
    if done.returncode != status:
        wrong.append(f"exit status {done.returncode}, expected {status}: {done.stderr[-2000:]}")
    return wrong


def check(tool, folder, head):
    """Returns what is wrong, as a list of lines."""
    done = run_tool(tool, folder, "model", "arch.ac")
    expected = directives(head, "expect")
    wrong = check_messages(done, expected)
    lines = iter(line.strip() for line in done.stdout.splitlines())
    for want in directives(head, "out"):
        if not any(line == want for line in lines):
            wrong.append(f"the model lacks the line (in this order): {want}")
            break
    for directive in directives(head, "decode"):
        question, answer = directive.split(": ")
        isa, width, word = question.split()
        out = run_tool(tool, folder, "decode", "arch.ac", isa, width, word).stdout.strip()
        if out != f"{word}: {answer}":
            wrong.append(f"decoded {out}, expected {answer}")
    if not expected and not directives(head, "out") and not directives(head, "decode"):
        wrong.append("the test expects nothing")
    return wrong


def in_folder(path, work):
    """Calls work(folder, head, files) with the files of a test written into a folder."""
    head, files = read_test(path)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_files(folder, files)
        return work(folder, head, files)


def run_all(paths, check):
    """Prints what check(path) finds wrong with each test; returns how many failed."""
    failed = 0
    for path in map(pathlib.Path, paths):
        wrong = check(path)
        if wrong:
            failed += 1
            print(f"{path.name}: failed")
            print("\n".join("    " + line for line in wrong))
    print(f"{len(paths)} tests, {failed} failed")
    return failed


def main(tool, paths):
    return run_all(paths, lambda path: in_folder(
        path, lambda folder, head, files: check(tool, folder, head)))


if __name__ == "__main__":
    sys.exit(1 if main(str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2:]) else 0)
