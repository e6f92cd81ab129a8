"""What tests of gencc-report share: its modules, the cases, and pages taken apart."""
import argparse
import contextlib
import copy
import html.parser
import importlib.util
import io
import json
import pathlib
import re
import subprocess
import sys
import types

ROOT = pathlib.Path(__file__).resolve().parents[2]
CASES = pathlib.Path(__file__).parent / "cases"
sys.path[:0] = [str(ROOT / "programs/gencc-report"), str(ROOT / "scripts/pictures")]
PARSER = argparse.ArgumentParser()
PARSER.add_argument("--program", required=True)
PARSER.add_argument("--chromium")
PARSER.add_argument("--driver")
ARGS, REST = PARSER.parse_known_args()
VOID = {"meta", "link", "input", "br", "img"}
# Attributes by which a page loads or sends something.
LOADS = {"src", "href", "srcset", "action", "data", "poster", "xlink:href", "background", "formaction"}


def raw(name):
    return json.loads((CASES / f"{name}.json").read_text())


def changed(name, *changes):
    """The case with values put at paths: ("kernels", 0, "name"), value."""
    report = copy.deepcopy(raw(name))
    for path, value in changes:
        at = report
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = value
    return report


def loaded():
    """The program's own main module, under another name than this one's."""
    sys.modules["version"] = types.SimpleNamespace(VERSION="0")
    spec = importlib.util.spec_from_file_location("gencc_report", ROOT / "programs/gencc-report/__main__.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def judged(arguments, found, out, err, wanted):
    if found != wanted:
        raise AssertionError(f"{arguments}: status {found}: {out}{err}")
    return err if wanted == 2 else out


def program(*arguments, status=0):
    """What the program prints, as a process; with status 2, its errors."""
    done = subprocess.run([sys.executable, "-B", ARGS.program, *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False)
    return judged(arguments, done.returncode, done.stdout, done.stderr, status)


def main(*arguments, status=0):
    """The same within this process, which saves a start."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            found = loaded().main([str(a) for a in arguments])
        except SystemExit as e:
            found = e.code
    return judged(arguments, found, out.getvalue(), err.getvalue(), status)


class Page(html.parser.HTMLParser):
    """Elements must be closed in order; kept are identities, links, loads and the text that is shown, of each data-view too."""
    SILENT = {"style", "script", "title", "desc"}

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.links, self.loads, self.text, self.tags, self.views = [], [], [], [], [], [], {}
        self.feed(text)
        self.close()
        if self.open:
            raise AssertionError(f"not closed: {self.open}")

    def handle_starttag(self, tag, attrs):
        self.handle_startendtag(tag, attrs)
        if tag not in VOID:
            self.open.append((tag, dict(attrs).get("data-view")))

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        for name, value in attrs:
            if name == "id":
                self.ids.append(value)
            if name == "href" and value.startswith("#"):
                self.links.append(value[1:])
            elif name in LOADS:
                self.loads.append((tag, name, value))
            for found in re.findall(r"url\(([^)]*)\)", value or ""):
                self.links.append(found[1:]) if found.startswith("#") else self.loads.append((tag, name, found))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop()[0] != tag:
            raise AssertionError(f"</{tag}> at {self.getpos()} closes something else")

    def handle_data(self, data):
        if {tag for tag, _ in self.open} & self.SILENT:
            return
        self.text.append(data)
        for _, view in self.open:
            if view:
                self.views[view] = self.views.get(view, "") + " " + data
