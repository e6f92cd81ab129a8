#!/usr/bin/env python3
"""Keeps docs/describe/genc.md in step with the compiler:

    genc_page.py GENCC | --update

The grammar on the page is generated from gencc/front/genc.y (--update writes it). The tables of
intrinsics and of built-in functions name exactly those of gencc/ir/intrinsics.inc and
gencc/lower/builtin.c, and mark those without C; the table of the prelude names its constants; every
keyword of the scanner is on the page; all examples together are a description that gencc accepts.
The word after a fence tells where an example belongs: `arch`, `settings` (in ARCH_CTOR), `isa`,
`ctor` (in ISA_CTOR), `genc`, `body` (in a function), `isa2` and `genc2` (a second ISA), `layout`
(in AC_LAYOUTS), `gpu`."""
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs/describe/genc.md"
BEGIN, END = "<!-- grammar: made by tests/docs/genc_page.py --update -->\n", "<!-- end of grammar -->\n"

# Terminals whose text is not fixed.
TERMINALS = {"ID": "NAME", "TYPE_NAME": "TYPE-NAME", "INT": "NUMBER", "FLOAT": "FLOAT-NUMBER",
             "STRING": "STRING"}
# inserted by the parser before each kind of text
SILENT = {"START_ARCH", "START_GENC", "START_EXPR", "START_LAYOUT", "START_ABI"}


def read(path):
    return (ROOT / path).read_text()


# ---- the grammar --------------------------------------------------------------------------------


def grammar_source():
    """Returns genc.y with the rules that the build inserts."""
    return re.sub(r"/\* (\w+\.y) stands here \*/", lambda m: read("gencc/front/" + m[1]),
                  read("gencc/front/genc.y"))


def scanner_words():
    """Returns the words of each token of genc.l."""
    out = {}
    for word, token in re.findall(r'\{"(\w+)", TOK_(\w+)\}', read("gencc/front/genc.l")):
        out.setdefault(token, []).append(word)
    return out


def token_texts(head):
    """Returns how each token is written on the page."""
    words, out = scanner_words(), {}
    for line in head.splitlines():
        if not line.startswith("%token"):
            continue
        for name, alias in re.findall(r'(\w+) "((?:[^"\\]|\\.)*)"', line):
            if name in TERMINALS:
                out[name] = TERMINALS[name]
            elif re.fullmatch(r"'[^',]+'", alias) or name not in words:
                out[name] = '"' + alias.strip("'") + '"'
            else:
                out[name] = "(" + " | ".join(f'"{w}"' for w in words[name]) + ")"
    return out


def tokens_of(text):
    """Returns the words, characters and punctuation of the rules, without actions and comments.
    Headings in comments are ("heading", text)."""
    at = 0
    scan = re.compile(r"/\* ---- (?P<heading>.*?) -+ \*/|/\*.*?\*/|(?P<char>'(?:[^'\\]|\\.)')|"
                      r"(?P<word>%?\w+)|(?P<mark>[:|;])|(?P<open>\{)|\s+", re.S)
    while at < len(text):
        match = scan.match(text, at)
        at = match.end()
        if match["open"]:
            action, at = at, end_of_action(text, at)
            if "diag_error(" in text[action:at]:  # an alternative that exists only to be refused
                yield "word", "error"
        elif match["heading"]:
            yield "heading", match["heading"]
        elif match["char"] or match["word"] or match["mark"]:
            yield match.lastgroup, match.group()


def end_of_action(text, at):
    depth = 1
    scan = re.compile(r"""/\*.*?\*/|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)'|[{}]|.""", re.S)
    while depth:
        piece = scan.match(text, at)
        depth += {"{": 1, "}": -1}.get(piece.group(), 0)
        at = piece.end()
    return at


def rules_of(text):
    """Returns the grammar as [("heading", text) or (rule, [alternative…])…], an alternative being a
    list of symbols. Alternatives for errors are left out."""
    out, tokens, skip = [], list(tokens_of(text)), False
    for i, (kind, value) in enumerate(tokens):
        if kind == "heading":
            out.append((kind, value))
        elif skip:
            skip = False
        elif value == "%prec":
            skip = True
        elif kind == "word" and i + 1 < len(tokens) and tokens[i + 1] == ("mark", ":"):
            out.append((value, [[]]))
        elif kind == "mark" and value == "|":
            out[-1][1].append([])
        elif kind != "mark" and value != "%empty":
            out[-1][1][-1].append(value)
    return [(name, body if name == "heading" else [a for a in body if "error" not in a])
            for name, body in out]


def joined(alternatives, texts):
    """Returns the alternatives as text, and whether they need brackets within a sequence."""
    shown = [" ".join(f'"{s[1:-1]}"' if s[0] == "'" else texts.get(s, s) for s in a)
             for a in alternatives]
    return " | ".join(dict.fromkeys(s for s in shown if s)), len(set(shown)) > 1


def right_side(name, alternatives, texts):
    """Returns a rule in EBNF; left recursion becomes repetition."""
    alternatives = [[s for s in a if s not in SILENT] for a in alternatives]
    first = [a for a in alternatives if a[:1] != [name]]
    tails = [a[1:] for a in alternatives if a[:1] == [name]]
    text, several = joined([a for a in first if a], texts)
    optional = [] in first
    if not tails:
        return f"[ {text} ]" if optional else text
    if text and (several or optional):
        text = f"[ {text} ]" if optional else f"( {text} )"
    return f"{text} {{ {joined(tails, texts)[0]} }}".strip()


def wrapped(name, text):
    """Returns the rule's lines: one if it fits, else one per alternative outside of brackets."""
    if len(f"{name} = {text} .") <= 96:
        return [f"{name} = {text} ."]
    parts = re.split(r" \| (?![^({]*[)}](?!\"))", text)
    if all(" " not in part for part in parts):
        return fill(f"{name} = {text} .", "    ")
    lines = [line for i, part in enumerate(parts)
             for line in fill(f"    {'| ' if i else '  '}{part}", "        ")]
    return [f"{name} =", *lines, "    ."]


def fill(text, indent):
    return textwrap.wrap(text, 96, subsequent_indent=indent, break_long_words=False,
                         break_on_hyphens=False)


def grammar():
    head, rules = grammar_source().split("\n%%\n")[:2]
    texts, out = token_texts(head), ["```ebnf"]
    for name, body in rules_of(rules):
        if name == "heading":
            out += ["", f"(* {body} *)"]
        else:
            out += wrapped(name, right_side(name, body, texts))
    return "\n".join(out + ["```", ""])


# ---- the page -----------------------------------------------------------------------------------


def expanded(name):
    """Expands name_{8,16} to [name_8, name_16]."""
    match = re.match(r"(.*?)\{([^}]*)\}(.*)$", name)
    if not match:
        return [name]
    return [n for part in match[2].split(",") for n in expanded(match[1] + part.strip() + match[3])]


def table_names(page, heading):
    """Returns the functions that the first columns of the tables below a heading name."""
    section = page.split(f"\n{heading}\n", 1)[1]
    section = re.split(r"\n#+ ", section)[0]
    names = []
    for line in section.splitlines():
        if not line.startswith("| `"):
            continue
        for code in re.findall(r"`([^`]+)`", line.split(" | ")[0]):
            names += expanded(code.split("(")[0].split(" ")[-1])
    return names


def examples(page):
    """Returns the examples as one description: {file name: text}."""
    parts = {kind: "" for kind in ("arch", "settings", "isa", "ctor", "genc", "isa2", "genc2", "layout",
                                   "gpu")}
    for number, (kind, text) in enumerate(re.findall(r"^```c (\w+)\n(.*?)^```$", page, re.M | re.S)):
        if kind == "body":
            kind, text = "genc", f"public helper void example_{number}()\n{{\n{text}}}\n"
        parts[kind] += text
    return {
        "arch.ac": f'AC_ARCH(toy) {{\n{parts["arch"]}ARCH_CTOR(toy) {{\nac_isa("isa.ac");\n'
                   f'ac_isa("second.ac");\n'
                   f'{parts["settings"]}}};\n}};\n',
        "isa.ac": f'AC_ISA(toy) {{\nac_fetchsize 32;\n{parts["isa"]}ISA_CTOR(toy) {{\n'
                  f'ac_execute("isa.genc");\n{parts["ctor"]}}};\n}};\n',
        "isa.genc": parts["genc"],
        "second.ac": f'AC_ISA(second) {{\n{parts["isa2"]}ISA_CTOR(second) {{\n'
                     'ac_execute("second.genc");\n};\n};\n',
        "second.genc": parts["genc2"],
        "layouts.ac": f'AC_LAYOUTS(toy) {{\n{parts["layout"]}}}\n',
        "gpu.ac": parts["gpu"],
    }


def check_examples(page, gencc):
    with tempfile.TemporaryDirectory() as name:
        for file, text in examples(page).items():
            (pathlib.Path(name) / file).write_text(text)
        done = [subprocess.run([gencc, *command], cwd=name, capture_output=True, text=True, timeout=60)
                for command in (["check", "-Werror", "-Wno-unused-variable", "-Wno-unused-value",
                                 "-Wno-asm-missing", "arch.ac"],
                                ["variants", "--check", "--layouts", "layouts.ac", "gpu.ac"])]
    return [f"example: {line}" for one in done for line in one.stderr.splitlines()]


def compare(what, shown, real):
    wrong = [f"{what}: '{n}' is not on the page" for n in sorted(set(real) - set(shown))]
    wrong += [f"{what}: the page names '{n}', which there is not"
              for n in sorted(set(shown) - set(real))]
    return wrong + [f"{what}: '{n}' stands twice on the page"
                    for n in sorted({n for n in shown if shown.count(n) > 1})]


def check(page):
    wrong = []
    if grammar() not in page:
        wrong.append("the grammar is not that of genc.y: run tests/docs/genc_page.py --update")
    rows = re.findall(r'^IR_INTRINSIC\(([A-Z]\w+),\s*"(\w+)",\s*"[^"]*",\s*([^)]*)\)',
                      read("gencc/ir/intrinsics.inc"), re.M)
    intrinsics = [name for _, name, flags in rows if "IR_FN_MADE" not in flags]
    wrong += compare("intrinsic", table_names(page, "### Intrinsics") +
                     table_names(page, "### Intrinsics of lanes"), intrinsics)
    table = read("gencc/lower/builtin.c").split("builtins[] = {", 1)[1].split("};", 1)[0]
    builtins = re.findall(r'\{"(\w+)",', table)
    wrong += compare("built-in function", table_names(page, "### Built-in functions"), builtins)
    emitted = set(re.findall(r'\[IR_I_(\w+)\] =', read("gencc/emit/intrinsics.c")))
    emitted |= set(re.findall(r'ir_is_intrinsic\(\w+, IR_I_(\w+)\)', read("gencc/emit/lane_handlers.c")))
    without = [name for number, name, _ in rows if number not in emitted and not name.startswith("asm_")]
    wrong += [f"intrinsic '{name}' has no C" for name in without]
    prelude = re.findall(r"^PRELUDE(?!_GROUP)\w*\((\w+), ",
                         read("common/prelude/cpu.inc") + read("common/prelude/lane.inc"), re.M)
    wrong += compare("constant of the prelude", table_names(page, "### The prelude (*added*)"), prelude)
    warnings = re.findall(r'^WARNING\(\w+, "([\w-]+)"', read("gencc/front/warnings.inc"), re.M)
    wrong += compare("warning", table_names(page, "### Warnings (*added*)"), warnings)
    words = {w for ws in scanner_words().values() for w in ws}
    prose = page.replace(grammar(), "")
    wrong += [f"keyword '{w}' is explained nowhere" for w in sorted(words)
              if not re.search(rf"\b{w}\b", prose)]
    return wrong


def main(arguments):
    page = PAGE.read_text()
    if "--update" in arguments:
        before, rest = page.split(BEGIN)
        PAGE.write_text(before + BEGIN + grammar() + END + rest.split(END)[1])
        return 0
    wrong = check(page) + check_examples(page, arguments[0])
    print("\n".join(wrong) or "docs/describe/genc.md is in step")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
