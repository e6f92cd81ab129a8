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
import struct
import subprocess
import sys
import types
import zlib

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


def png(width, height):
    """A grey picture."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress((b"\0" + b"\x60" * width) * height)) + chunk(b"IEND", b""))


def drawn():
    """vecadd with two frames: an empty one, and one with a frame shader, a draw of the kernel and one without a shader."""
    draws = [{"shader": "0xa003000", "fragments": 16, "killed": 4, "quads": 4},
             {"draw": 0, "address": "0xa00c380", "shader": raw("vecadd")["kernels"][0]["shader"], "vertices": 6, "primitives": 2, "culled": 1, "tiles": 3,
              "quads": 12, "occluded": 5, "fragments": 32, "helpers": 7, "killed": 0, "input_bytes": 2048},
             {"draw": 1, "address": "0xa00c400", "shader": "0x0", "fragments": 0}]
    return changed("vecadd", (("frames",), [{"descriptor": "0xa00c000", "width": 8, "height": 4, "targets": 1, "written_bytes": 0, "fragments": 0, "draw_count": 0, "draws": []},
                                            {"descriptor": "0xa00d000", "width": 8, "height": 4, "targets": 2, "written_bytes": 3072, "fragments": 48, "draw_count": 5, "draws": draws,
                                             "overdraw": "overdraw-1.png"}]), (("frame_count",), 70))


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
