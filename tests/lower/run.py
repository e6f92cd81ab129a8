#!/usr/bin/env python3
"""Runs the tests of this folder whose files are given:

    run.py messages GENCC FILE…            the messages of gencc
    run.py values GENCC LOWER_VALUES FILE… the results of behaviours
    run.py complete SOURCES FILE…          that every message of the sources has a test

A test is one file in the form of tests/front/run.py, with its defaults. The head of a test of
messages holds lines `// expect: FILE:LINE:COLUMN: error: TEXT`, all of them in this order. It may
have options of gencc in a line `// options: …`, and the status after errors, if not 1, in `//
status: …`. In a test of values, comment lines before an exported helper give its results:

    // half(9) = 4

The helper is then run by the evaluator on IR as lowered and as optimised, and as compiled C."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "front"))
import run as front

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CASE = re.compile(r"^// (\w+)\(([^)]*)\) = (\S+)$")
MESSAGE = re.compile(rf"(?!gencc: \d+ errors?, \d+ warnings?$)(?:{front.MESSAGE.pattern})")


# ---- messages -----------------------------------------------------------------------------------


def check_messages(gencc, folder, head):
    options = " ".join(front.directives(head, "options")).split()
    done = front.run_tool(gencc, folder, "check", *options, "arch.ac")
    expected = front.directives(head, "expect")
    status = int("".join(front.directives(head, "status")) or 1)
    wrong = front.check_messages(done, expected, MESSAGE, status)
    if not expected:
        wrong.append("the test expects nothing")
    return wrong


# ---- values -------------------------------------------------------------------------------------


def cases_of(files):
    """Returns the lines `// name(1, 2) = 3` as (name, [1, 2], 3)."""
    out = []
    for text in files.values():
        for line in text.splitlines():
            match = CASE.match(line.strip())
            if match:
                name, arguments, value = match.groups()
                out.append((name, [int(a, 0) for a in arguments.split(",") if a.strip()],
                            int(value, 0)))
    return out


def evaluated(tool, folder, level, cases):
    question = "".join(f"{name} {' '.join(hex(a % 2**128) for a in arguments)}\n"
                       for name, arguments, _ in cases)
    done = subprocess.run([tool, "arch.ac", level], cwd=folder, input=question,
                          capture_output=True, text=True, timeout=60)
    if done.returncode:
        sys.exit(f"{tool}: {done.stderr}")
    return [int(line, 16) for line in done.stdout.splitlines()]


def c_number(value):
    value %= 2**128
    return f"((unsigned __int128)0x{value >> 64:x}u << 64 | 0x{value % 2**64:x}u)"


def compiled(gencc, folder, cases):
    """Returns the results of the generated C."""
    front_run = subprocess.run([gencc, "build", "arch.ac", "-o", "made", "--parts", "1"],
                               cwd=folder, capture_output=True, text=True, timeout=60)
    if front_run.returncode:
        sys.exit(f"gencc build: {front_run.stderr}")
    header = next(h for h in (folder / "made").glob("*_internal.h") if f"_{cases[0][0]}(CPU_ARGS" in h.read_text())
    prototypes, prefix = header.read_text(), header.name.removesuffix("_internal.h")
    lines = [f'#include "{header.name}"', "#include <stdio.h>", "#include <string.h>", "#include <stdlib.h>",
             "_Noreturn void cpu_undefined(struct cpu *cpu, const struct insn *i) { abort(); }",
             "static _Alignas(64) uint8_t room[sizeof(struct cpu) + 65536];",
             "static void put(unsigned __int128 v) { printf(\"%llx%016llx\\n\", "
             "(unsigned long long)(v >> 64), (unsigned long long)v); }",
             "int main(void)", "{", "    struct cpu *cpu = (void *)room;"]
    for name, arguments, _ in cases:
        given = "".join(f", {c_number(a)}" for a in arguments)
        match = re.search(rf"^(.*\S)\s({prefix}_(?:f_)?{name})\(CPU_ARGS", prototypes, re.MULTILINE)
        if not match:
            sys.exit(f"the generated C has no function for {name}")
        kind, function = match.groups()
        size = f"sizeof({kind}) * 8"
        mask = f"(~(unsigned __int128)0 >> (128 - {size}))"
        lines.append("    memset(room, 0, sizeof room);")
        lines.append(f"    put((unsigned __int128){function}(cpu, NULL{given}) & {mask});")
    lines += ["}", ""]
    (folder / "main.c").write_text("\n".join(lines))
    command = [os.environ.get("CC", "cc"), "-std=gnu11", "-D_GNU_SOURCE", "-O2", "-fwrapv",
               "-fno-strict-aliasing", "-w", "-I", str(ROOT), "-I", "made", "-o", "run",
               "main.c", f"made/{prefix}_helpers.c", "-lm"]
    subprocess.run(command, cwd=folder, check=True, timeout=120)
    done = subprocess.run(["./run"], cwd=folder, capture_output=True, text=True, timeout=60,
                          check=True)
    return [int(line, 16) for line in done.stdout.splitlines()]


def check_values(gencc, tool, folder, files):
    cases = cases_of(files)
    runs = {level: evaluated(tool, folder, level, cases) for level in ("lowered", "optimised")}
    runs["compiled"] = compiled(gencc, folder, cases)
    wrong = [] if cases else ["the test expects nothing"]
    for how, got in runs.items():
        for (name, arguments, value), result in zip(cases, got, strict=True):
            if result != value:
                shown = ", ".join(map(hex, arguments))
                wrong.append(f"{name}({shown}) is {result:#x} as {how}, expected {value:#x}")
    return wrong


# ---- completeness -------------------------------------------------------------------------------

STRING = r'"((?:\\.|[^"\\])*)"'
CALL = re.compile(rf"(?:diag_error|diag_unknown|diag_warning|diag_judge|error_at)\([^;{{]*?({STRING}(?:\s*{STRING})*)")


def messages_of(path):
    """Returns the formats of the messages in a source file, as regular expressions."""
    text = path.read_text()
    for match in CALL.finditer(text):
        shown = "".join(re.findall(STRING, match.group(1)))
        if shown in ("%s", "an intrinsic the compiler relies on is missing"):
            continue
        pattern = re.escape(shown).replace("%%", "%")
        yield shown, re.compile(re.sub(r"%(?:s|d|u|llu|llx)", ".*", pattern))


def complete(sources, paths):
    tested = "\n".join(line for path in paths for line in front.read_test(path)[0])
    missing = [f"{source.name}: {shown}" for source in sources
               for shown, pattern in messages_of(source)
               if not any(pattern.search(line) for line in tested.splitlines())]
    print("\n".join(f"no test for {m}" for m in missing))
    return len(missing)


def main(what, *arguments):
    paths = [pathlib.Path(a).resolve() for a in arguments]
    if what == "messages":
        return front.run_all(paths[1:], lambda path: front.in_folder(
            path, lambda folder, head, files: check_messages(str(paths[0]), folder, head)))
    if what == "values":
        return front.run_all(paths[2:], lambda path: front.in_folder(
            path, lambda folder, head, files:
            check_values(str(paths[0]), str(paths[1]), folder, files)))
    return complete([p for p in paths if p.suffix == ".c"],
                    [p for p in paths if p.suffix == ".ac"])


if __name__ == "__main__":
    sys.exit(1 if main(*sys.argv[1:]) else 0)
