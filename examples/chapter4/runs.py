"""What the parts of scripts/chapter4 share: a GPU, the counters of a snapshot, tables and claims."""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "examples/gpu"))
from capture import Trouble, tool  # noqa: E402,F401  (the parts use both from here)

GPU = "g71mp8"  # the HiKey 960's, which the thesis simulates and measures
MODELS = "reassemble", "detailed"


def with_sums(counters):
    """Adds what the thesis counts as one: registers, memory of a work-group, and main memory, where a thread's own lies."""
    c = dict(counters)
    c["registers"] = c["register_reads"] + c["register_writes"]
    c["local"] = c["local_reads"] + c["local_writes"]
    c["spilled"] = c["thread_memory_reads"] + c["thread_memory_writes"]
    c["main"] = c["global_reads"] + c["global_writes"] + c["spilled"]
    c["temporaries"] = c["temporary_reads"] + c["temporary_writes"]
    return c


def measure(mali_run, snapshot, work):
    """The counters of a snapshot's jobs, the registers that their code names, and the cycles that each model predicts."""
    out = pathlib.Path(work)
    tool(mali_run, snapshot, "-gpu", GPU, "-threads", 2, "-stats", out)
    shaders = json.loads((out / "gpu_shaders.json").read_text())
    found = with_sums(shaders["total"])
    found["work_registers"] = max(s["code"]["registers"] for s in shaders["shaders"])
    for model in MODELS:
        tool(mali_run, snapshot, "-gpu", GPU, "-threads", 2, "-timing", model, "-timing-json", out / "timing.json")
        found[model] = sum(job["cycles"] for job in json.loads((out / "timing.json").read_text()))
    return found


def table(head, rows):
    """Columns with at least two spaces between them: the first to the left, the others to the right."""
    rows = [[str(cell) for cell in row] for row in [head, *rows]]
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "\n".join("  ".join([row[0].ljust(widths[0])] + [cell.rjust(w) for cell, w in zip(row[1:], widths[1:])]).rstrip()
                     for row in rows)


def claims(rows):
    """What is published, what is found, and whether the one holds for the other."""
    return "\n".join(f"{'as published' if holds else 'NOT as published':16}  {published}: {found}"
                     for published, found, holds in rows)
