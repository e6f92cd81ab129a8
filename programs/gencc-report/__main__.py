"""gencc-report: pages of what ran on a GPU, comparisons, and limits for CI."""
import argparse
import pathlib
import sys

if __name__ == "__main__" and not __package__:
    sys.dont_write_bytecode = True
import checking
import comparison
import page
import reading
import source_lines
from trouble import Trouble
from version import VERSION
from views import flow

USAGE = """\
gencc-report DIR [--kernels N]
gencc-report diff A B [C...] -o OUT
gencc-report check BASELINE.json DIR|SNAPSHOT... [--limit MEASURE=N[%%]] [--update]
gencc-report lines DIR"""
ABOUT = """\
gencc-report: makes a page of what ran on a GPU, compares two runs, and checks limits.

DIR is a folder that -report of mali-run or of a board wrote: report.json in it is read, and index.html, with
cfg-KERNEL.svg and cfg-KERNEL.dot, is written beside it. The page is one file and loads nothing from elsewhere."""


def make_page(arguments):
    parser = argparse.ArgumentParser(prog="gencc-report", usage=USAGE, description=ABOUT, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     epilog="gencc-report diff --help, check --help and lines --help have the others. The status is 0; of check 1 beyond a limit; 2 with an error.")
    parser.add_argument("folder", metavar="DIR", type=pathlib.Path)
    parser.add_argument("--kernels", metavar="N", type=int, default=30, help="kernels with all views, those with most cycles first (default 30)")
    parser.add_argument("--version", action="version", version=f"gencc-report {VERSION}")
    o = parser.parse_args(arguments)
    if o.kernels < 0:
        parser.error("--kernels takes a count")
    report = reading.report(o.folder)
    out = reading.report_path(o.folder).parent
    text = page.render(report, reading.timeline(out / "timeline.json"), o.kernels, reading.pictures(out, report))
    (out / "index.html").write_text(text, encoding="utf-8")
    for kernel in report["kernels"][:o.kernels]:
        for ending, content in (("svg", flow.file(kernel, report)), ("dot", flow.dot(kernel, report))):
            if content:
                (out / f"cfg-{kernel['id']}.{ending}").write_text(content, encoding="utf-8")
    return 0


def main(arguments):
    commands = {"diff": comparison.main, "check": checking.main, "lines": source_lines.main}
    try:
        command = commands.get(arguments[0]) if arguments else None
        return command(arguments[1:]) if command else make_page(arguments)
    except Trouble as trouble:
        print(f"gencc-report: {trouble}", file=sys.stderr)
    except OSError as e:
        print(f"gencc-report: {e.filename or ''}: {e.strerror}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
