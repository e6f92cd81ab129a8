"""Figure 4.11 of seed 002: KinectFusion (kfusion/) in three configurations of SLAMBench's application for Android, relative to the first;
and the first's beside SLAMBench's own defaults, whose images have twice the sides."""
import json
import re
from collections import namedtuple

import charts
import runs

CONFIGURATIONS = "standard", "fast3", "express", "default"
STILL = 4  # frames at first, in which the camera does not move
Run = namedtuple("Run", "launches iterations counters cycles")
# What the thesis says of each: instructions of every kind at most, local accesses, how much faster it is measured.
PUBLISHED = {"fast3": (0.08, 0.29, 3.35), "express": (0.02, 0.19, 7.72)}
METRICS = [("instructions", "lane_instructions"), ("arithmetic", "arithmetic"), ("loads, stores", "load_store"), ("control", "control"),
           ("empty slots", "empty_slots"), ("registers", "registers"), ("main memory", "main"), ("local memory", "local"),
           ("pages, summed", "pages_touched")]
COMMANDS = """modprobe panfrost
export RUSTICL_ENABLE=panfrost MESA_SHADER_CACHE_DISABLE=true
{programs} >/mnt/work/said 2>&1
sync
"""


def read(text, jobs, log):
    """By configuration, the jobs of the frames in which the camera moves: their counters, and the time that they took by the model
    (cycles). The still frames before fill the volume, in every configuration alike; a long run has few of them."""
    lines = re.findall(r"^(\w+): \d+ frames, (\d+) launches, (\d+) iterations, (\d+) wrong: (ok|FAILED)$", text, re.M)
    begins = dict((name, (int(launches), int(iterations))) for name, launches, iterations in
                  re.findall(r"^(\w+): begin after (\d+) launches, (\d+) iterations$", text, re.M))
    bad = [f"{name}: {wrong} wrong" for name, _, _, wrong, verdict in lines if verdict != "ok"]
    if bad or not lines or len(begins) != len(lines):
        raise runs.Trouble("\n".join(bad) or f"it did not run: {text[-1000:]}")
    if sum(int(line[1]) for line in lines) != len(jobs):
        raise runs.Trouble(f"{sum(int(line[1]) for line in lines)} launches, and {len(jobs)} jobs")
    cycles = [int(n) for n in re.findall(r"^gpu: slot \d: compute job .* after (\d+) cycles$", log, re.M)]
    out, at = {}, 0
    for name, launches, iterations, _, _ in lines:
        first, end = at + begins[name][0], at + int(launches)
        counters = runs.with_sums({key: sum(job[key] for job in jobs[first:end]) for key in jobs[0] if isinstance(jobs[0][key], int)})
        out[name] = Run(end - first, int(iterations) - begins[name][1], counters, sum(cycles[first:end]))
        at = end
    return out


def boot(o, work):
    from capture import Guest
    programs = "".join(f"/mnt/programs/kfusion /mnt/sources/kfusion {name} {o.frames} {o.shrink} || exit\n" for name in CONFIGURATIONS)
    status, host, text = Guest(o.build, o.files, runs.GPU).boot(
        runs.HERE, COMMANDS.format(programs="{\n" + programs + "}"), work, "-gpu-threads", 2, "-stats", work / "stats",
        "-gpu-timing", "detailed", "-d", "gpu", "-D", work / "log")
    if status:
        raise runs.Trouble(f"the guest: {host[-2000:]}{text[-2000:]}")
    jobs = json.loads((work / "stats/gpu_jobs.json").read_text())["jobs"]
    return read(text, jobs, (work / "log").read_text(errors="replace"))


def of_base(found, base):
    """What is published of fast3 and express, relative to a configuration."""
    first = found[base]
    for name, (instructions, local, speed) in PUBLISHED.items():
        c = found[name].counters
        shares = {what: c[key] / first.counters[key] for what, key in METRICS[:4]}
        most = max(shares, key=shares.get)
        yield (f"{name}: instructions of each kind are at most {100 * instructions:.0f} % of {base}",
               f"at most {100 * shares[most]:.1f} % ({most})", shares[most] <= instructions)
        share = c["local"] / first.counters["local"]
        yield f"{name}: local accesses are {100 * local:.0f} % of {base}", f"{100 * share:.0f} %", abs(share - local) < 0.2 * local
        if found[name].cycles:
            ratio = first.cycles / found[name].cycles
            yield (f"{name} is {speed} times as fast as {base}", f"{ratio:.2f} times, the GPU's jobs alone (detailed)",
                   abs(ratio / speed - 1) < 0.25)


def published(found):
    """Which base is the thesis's is not said there: SLAMBench calls one of its application's configurations standard."""
    ratio = found["fast3"].counters["local"] / found["express"].counters["local"]
    return [*of_base(found, "standard"), ("fast3 has 1.5 times the local accesses of express", f"{ratio:.2f}", abs(ratio - 1.53) < 0.1),
            *of_base(found, "default")]


def show(o, work):
    folder = work / "kfusion"
    folder.mkdir()
    found = boot(o, folder)
    first = found["standard"]
    print(f"Figure 4.11: KinectFusion, {o.frames - STILL} frames, on a {runs.GPU}; all results are right. Relative to standard:\n")
    rows = [[what, *(f"{found[name].counters[key] / max(first.counters[key], 1):.3f}" for name in CONFIGURATIONS),
             f"{first.counters[key]:,}"] for what, key in METRICS]
    rows += [["jobs", *(f"{found[name].launches / first.launches:.3f}" for name in CONFIGURATIONS), first.launches],
             ["iterations", *(f"{found[name].iterations / first.iterations:.3f}" for name in CONFIGURATIONS), first.iterations],
             ["time, detailed", *(f"{found[name].cycles / max(first.cycles, 1):.3f}" for name in CONFIGURATIONS), f"{first.cycles:,}"]]
    print(runs.table(["", *CONFIGURATIONS, "standard is"], rows))
    print()
    print(runs.claims(published(found)))
    if o.svg:
        groups = [(what, [found[name].counters[key] / first.counters[key] for name in CONFIGURATIONS]) for what, key in METRICS]
        groups.append(("time, detailed", [found[name].cycles / first.cycles for name in CONFIGURATIONS]))
        (o.svg / "figure_4_11.svg").write_text(charts.beside(
            f"Figure 4.11: KinectFusion, {o.frames - STILL} frames, Mesa 25.0.7 on a Mali-G71 MP8", "relative to standard", groups,
            list(CONFIGURATIONS), 1.05))
