"""Warps of any width from one trace (5.3.5.3 of seed 002): times predicted from traces of warps of four beside times from traces
of GPUs that have wider warps, of the same snapshots."""
import pathlib
import re

import suite
import traces

MODELS = ["reassemble", "detailed"]
FEW = 6  # a default takes every n-th launch of table 5.8


def predicted(mali_run, path, gpu, model):
    text = traces.tool(mali_run, "-timing-from", path, "-timing", model, "-gpu", gpu)
    return text, sum(float(cycles) for cycles in re.findall(r"^  cycles +(\S+)", text, re.M))


def compare(mali_run, folder, launch, work):
    """Yields width, model, whether all that is printed is equal, and the error of the cycles."""
    for width, gpu in traces.WIDER.items():
        own = pathlib.Path(work) / "own.trace"
        traces.tool(mali_run, traces.snapshot_of(folder, launch), "-gpu", gpu, "-threads", 2, "-trace-timing", own,
                    "-timing-sample", 10 ** 9)
        for model in MODELS:
            (text, ours), (wanted, cycles) = (predicted(mali_run, path, gpu, model)
                                              for path in (traces.path_of(folder, launch), own))
            yield width, model, text == wanted, ours / cycles - 1


def show(mali_run, folder, work, full):
    launches = (suite.KERNELS + suite.VARIANTS)[:: 1 if full else FEW]
    rows = [(launch, *row) for launch in launches for row in compare(mali_run, folder, launch, work)]
    print(f"{'warps of':>8} {'model':12} {'launches':>8} {'equal to the last count':>24} {'largest error':>14}")
    for width in traces.WIDER:
        for model in MODELS:
            here = [row for row in rows if row[1:3] == (width, model)]
            print(f"{width:8} {model:12} {len(here):8} {sum(row[3] for row in here):24} {100 * max(abs(row[4]) for row in here):12.2f} %")
    for launch, width, model, same, error in rows:
        if not same:
            print(f"  {launch.name}, warps of {width}, {model}: {100 * error:+.2f} %")
