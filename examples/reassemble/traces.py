"""The traces of scripts/reassemble. Debian's guest on the Juno with a G71 runs the launches of
suite.py, which its Mesa compiles. Each snapshot, executed again, leaves a trace, NAME.4.trace, of
which warps of other widths are formed."""
import hashlib
import pathlib
import shutil
import sys
import tempfile

import suite

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "examples/gpu"))
from capture import Guest, Trouble, tool  # noqa: E402  (it lies in another folder)

GPU = "g71mp8"  # the HiKey 960's GPU, which the thesis measured
WIDTHS = {4: GPU}
# GPUs of gpus.ac, whose own traces show that warps formed anew are theirs.
WIDER = {8: "g71wide", 12: "g71warp12", 16: "g71warp16", 32: "g71warp32"}
BOARD, BOARD_WIDTHS = "t624", {1: "t624"}  # the Juno's own GPU, for energy


def path_of(folder, launch, width=4):
    return folder / f"{launch.name}.{width}.trace"


def snapshot_of(folder, launch):
    return folder / f"{launch.name}.snap.elf"


def made_of(launch):
    return hashlib.sha256((suite.line_of(launch) + (HERE / launch.file).read_text()).encode()).hexdigest()


def stale(launches, folder):
    """Launches whose snapshot is missing or has other sources."""
    def old(launch):
        note = folder / f"{launch.name}.from"
        return not (note.exists() and note.read_text() == made_of(launch) and snapshot_of(folder, launch).exists())
    return [launch for launch in launches if old(launch)]


def missing(launches, folder, widths=(4,)):
    late = stale(launches, folder)
    return late + [launch for launch in launches if launch not in late and
                   not all(path_of(folder, launch, width).exists() for width in widths)]


def check(launch, results):
    """Compares every checked buffer with what the kernel left in the guest."""
    wanted = launch.wanted(*(a.values() if isinstance(a, suite.Buffer) else a for a in launch.arguments))
    for number in wanted:
        wrong = suite.differs(launch, number, (results / f"{launch.name}.{number}").read_bytes())
        if wrong:
            raise Trouble(f"{launch.name}: buffer {number}: {wrong}")


def run_guest(launches, build, files, folder, gpu):
    """Runs all launches in one boot; compares results, keeps snapshots."""
    with tempfile.TemporaryDirectory(prefix="gencc-reassemble-") as work:
        try:
            lines = [suite.line_of(launch) for launch in launches]
            snapshots, _ = Guest(build, files, gpu).run(HERE, lines, work, results=True)
        except Trouble as trouble:
            raise Trouble(f"the guest: {trouble}") from trouble
        for launch, snapshot in zip(launches, snapshots):
            check(launch, pathlib.Path(work) / "results")
            shutil.move(snapshot, snapshot_of(folder, launch))
            (folder / f"{launch.name}.from").write_text(made_of(launch))


def capture(launches, build, files, mali_run, folder, gpu=GPU, widths=None):
    """Makes the missing and outdated snapshots, and all traces; returns the number of new
    snapshots."""
    late = stale(launches, folder)
    folder.mkdir(parents=True, exist_ok=True)
    if late:
        run_guest(late, build, files, folder, gpu)
    for launch in launches:
        for width, name in (widths or WIDTHS).items():
            tool(mali_run, snapshot_of(folder, launch), "-gpu", name, "-threads", 2, "-trace-timing",
                 path_of(folder, launch, width), "-timing-sample", 10 ** 9)
    return len(late)
