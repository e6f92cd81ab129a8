"""The numbers of a kernel by which runs are compared."""
from facts import account, bytes_by_level, cycles, timing


def cause(name):
    return lambda kernel, report: next((value for words, value, _ in account(timing(kernel)) if words == name), None)


def counter(*names):
    def of(kernel, report):
        found = [kernel["counters"][name] for name in names if name in kernel.get("counters", {})]
        return sum(found) if found else None
    return of


def code(*names):
    def of(kernel, report):
        found = [kernel["code"][name] for name in names if name in kernel.get("code", {})]
        return sum(found) if found else None
    return of


def moved(level):
    return lambda kernel, report: bytes_by_level(kernel, report).get(level)


# Name, words, how to find it; all are better when smaller.
MEASURES = [("cycles", "cycles", lambda kernel, report: cycles(kernel)),
            ("instructions", "lane instructions", counter("lane_instructions")),
            ("arithmetic", "arithmetic", counter("arithmetic")), ("load_store", "load/store", counter("load_store")),
            ("control", "control", counter("control")), ("empty_slots", "empty slots", counter("empty_slots")),
            ("global", "global memory accesses", counter("global_reads", "global_writes")),
            ("local", "local memory accesses", counter("local_reads", "local_writes")),
            ("thread_memory", "thread memory accesses", counter("thread_memory_reads", "thread_memory_writes")),
            ("divergent", "divergent branches", counter("divergent_branches")),
            ("registers", "work registers", code("registers")), ("spills", "spills and fills", code("spills", "fills")),
            ("bundles", "bundles of code", code("bundles")), ("l2_bytes", "bytes between L1 and L2", moved("L2")),
            ("energy", "energy, µJ", lambda kernel, report: timing(kernel).get("energy_uj")),
            ("dram_bytes", "bytes between L2 and DRAM", moved("DRAM"))]


def of(kernel, report):
    """{name: value} of what is known."""
    found = {name: get(kernel, report) for name, _, get in MEASURES}
    return {name: value for name, value in found.items() if value is not None}


def of_total(report):
    """All kernels together; of registers the most of a kernel."""
    out = {}
    for kernel in report["kernels"]:
        for name, value in of(kernel, report).items():
            out[name] = max(out.get(name, 0), value) if name == "registers" else out.get(name, 0) + value
    return out
