"""Figures 4.8 to 4.10 and table 4.3 of seed 002: twenty programs (suite/), what their jobs execute, and what the GPU's driver does
for them."""
import json
import re
from collections import namedtuple

import charts
import runs

# Of a program: its jobs' counters together, and what table 4.3 has.
Program = namedtuple("Program", "name jobs counters reads writes interrupts")
SUMMED = "pages_touched"
# Table 4.3: pages, register reads and writes, interrupts, jobs.
TABLE_4_3 = {"BFS": (66209, 308098, 51723, 8022, 1003), "BinomialOption": (31, 136, 70, 4, 1),
             "SobelFilter": (4609, 136, 70, 4, 1), "Stencil": (99603, 14795, 1982, 105, 100)}
FIRST = "vecadd"  # runs before all: what the driver does when it is loaded is counted for it
COMMANDS = f"""modprobe panfrost
export RUSTICL_ENABLE=panfrost MESA_SHADER_CACHE_DISABLE=true
/mnt/programs/{FIRST} >/mnt/work/first 2>&1
/mnt/programs/suite /mnt/sources/suite {{size}} {{names}} >/mnt/work/said 2>&1
sync
"""
MIX = ["arithmetic", "local memory", "main memory", "control", "other", "empty slots"]
ACCESSES = [("registers read", "register_reads"), ("registers written", "register_writes"), ("temporaries", "temporaries"),
            ("constants", "constant_reads"), ("uniforms", "uniform_reads"), ("local memory", "local"), ("main memory", "main")]
SIZES = [f"bundles_of_{n}_stage{'s' if n > 1 else ''}" for n in range(1, 9)]


def programs_run(text):
    """Name and launches of each line of what suite.c prints; Trouble if a result is wrong or the run did not end."""
    found = re.findall(r"^(\S+): size \d+, (\d+) launches, (\d+) wrong: (ok|FAILED)$", text, re.M)
    bad = [f"{name}: {wrong} values are wrong" for name, _, wrong, verdict in found if verdict != "ok"]
    if bad or not found:
        raise runs.Trouble("\n".join(bad) or f"the suite did not run: {text[-1000:]}")
    return [(name, int(launches)) for name, launches, _, _ in found]


def driver_accesses(log, counts):
    """Of programs with so many jobs each, one after the other: register reads, writes, interrupts. A program's last access is the one
    that enables interrupts again after its last job."""
    found, jobs = [[0, 0, 0]], 0
    for line in log:
        access = re.match(r"gpu: +\d+ (read |write) (\S+) = (0x\w+)", line)
        if re.match(r"gpu: slot \d: compute job .* ends with ", line):
            jobs += 1
        if not access:
            continue
        kind, register, value = access[1].strip(), access[2], int(access[3], 16)
        found[-1][kind == "write"] += 1
        found[-1][2] += register.endswith("_IRQ_STATUS") and value != 0
        if jobs == counts[len(found) - 1] and (kind, register) == ("write", "JOB_IRQ_MASK") and value:
            found.append([0, 0, 0])
            jobs = 0
            if len(found) > len(counts):
                break
    return found[:len(counts)]


def sums(jobs):
    return runs.with_sums({key: sum(job[key] for job in jobs) for key in jobs[0] if isinstance(jobs[0][key], int)})


def read(work):
    """What a boot left: the programs."""
    ran = programs_run((work / "said").read_text(errors="replace"))
    jobs = json.loads((work / "stats/gpu_jobs.json").read_text())["jobs"]
    counts = [1, *(launches for _, launches in ran)]
    if len(jobs) != sum(counts):
        raise runs.Trouble(f"{sum(counts)} launches, and {len(jobs)} jobs")
    with open(work / "log", errors="replace") as log:
        accesses = driver_accesses(log, counts)[1:]
    out, at = [], 1
    for (name, count), (reads, writes, interrupts) in zip(ran, accesses):
        out.append(Program(name, count, sums(jobs[at:at + count]), reads, writes, interrupts))
        at += count
    return out


def boot(o, work):
    from capture import Guest
    commands = COMMANDS.format(size=o.scale, names=" ".join(o.only or []))
    status, host, text = Guest(o.build, o.files, runs.GPU).boot(
        runs.HERE, commands, work, "-gpu-threads", 2, "-stats", work / "stats", "-d", "gpu,gpu_reg", "-D", work / "log")
    if status:
        raise runs.Trouble(f"the guest: {host[-2000:]}{text[-2000:]}")


def mix(c):
    """Shares of all places for instructions. Loads and stores are split as their accesses are."""
    slots, accesses = c["lane_instructions"] + c["empty_slots"], max(c["local"] + c["main"], 1)
    local = c["load_store"] * c["local"] / accesses
    rest = c["lane_instructions"] - c["arithmetic"] - c["load_store"] - c["control"]
    return [v / slots for v in (c["arithmetic"], local, c["load_store"] - local, c["control"], rest, c["empty_slots"])]


def of_instructions(c):
    """The same, of instructions alone."""
    shares = mix(c)
    return [v / (1 - shares[-1]) for v in shares[:-1]]


def accesses(c):
    values = [c[key] for _, key in ACCESSES]
    return [v / sum(values) for v in values]


def clauses(c):
    values = [c[key] for key in SIZES]
    return [v / sum(values) for v in values]


def mean(rows):
    return [sum(column) / len(rows) for column in zip(*rows)]


def show_table(title, programs, names, shares):
    rows = [(p.name, shares(p.counters)) for p in programs]
    print(f"\n{title}\n")
    print(runs.table(["%", *names], [[name, *(f"{100 * v:.1f}" for v in values)] for name, values in
                                     [*rows, ("mean", mean([v for _, v in rows]))]]))
    return rows


def published(programs):
    """The thesis's sentences about programs that ran."""
    by_name = {p.name: p for p in programs}
    mixes = {p.name: mix(p.counters) for p in programs}
    means, of_executed = mean(list(mixes.values())), mean([of_instructions(p.counters) for p in programs])
    empty = means[-1]
    main = {p.name: accesses(p.counters)[-1] for p in programs}
    rows = [(f"{share} % are {name}, on average", f"{100 * means[k]:.0f} % of all words, {100 * of_executed[k]:.0f} % without empty slots",
             abs(100 * means[k] - share) <= share / 5)
            for name, k, share in (("arithmetic", 0, 50), ("local memory", 1, 10), ("control flow", 3, 10))]
    rows += [(f"{name} has {kind} empty slots", f"{100 * mixes[name][-1]:.0f} % of all, mean {100 * empty:.0f} %",
              (mixes[name][-1] > empty) == (kind == "many"))
             for name, kind in (("SobelFilter", "few"), ("Reduction", "many"), ("ScanLargeArrays", "many")) if name in mixes]
    if "SobelFilter" in mixes:
        rows.append(("SobelFilter has almost no control flow", f"{100 * mixes['SobelFilter'][3]:.1f} %", mixes["SobelFilter"][3] < 0.03))
    over = [name for name, share in main.items() if share >= 0.1]
    rows.append(("main memory is below 10 % of accesses, but for one program", f"{len(over)} above: {', '.join(over) or 'none'}",
                 len(over) <= 1))
    more = [p.name for p in programs if p.counters["register_reads"] <= p.counters["register_writes"]]
    rows.append(("more registers are read than written", f"not by {', '.join(more) or 'none'}", not more))
    for name in ("BinomialOption", "FloydWarshall"):
        if name in by_name:
            short = sum(clauses(by_name[name].counters)[:2])
            rows.append((f"most clauses of {name} are of size 1 or 2", f"{100 * short:.0f} %", short > 0.5))
    return rows


def show_system(programs):
    print("\nTable 4.3: pages, summed over jobs, and the driver's register accesses and interrupts (theirs: Arm's; ours: panfrost)\n")
    head = ["", "pages", "reads", "writes", "interrupts", "jobs", "", "thesis: pages", "reads", "writes", "interrupts", "jobs"]
    print(runs.table(head, [[p.name, f"{p.counters[SUMMED]:,}", f"{p.reads:,}", f"{p.writes:,}", p.interrupts, p.jobs, "",
                             *(f"{v:,}" for v in TABLE_4_3.get(p.name, ()))] for p in programs]))


def show(o, work):
    folder = work / "suite"
    folder.mkdir()
    boot(o, folder)
    programs = read(folder)
    print(f"The suite of table 4.2 ({o.scale}) on a {runs.GPU}: {len(programs)} programs, all results are right")
    mixes = show_table("Figure 4.8: what words of clauses are", programs, MIX, mix)
    data = show_table("Figure 4.9: where operands and data come from and go to", programs, [name for name, _ in ACCESSES], accesses)
    sizes = show_table("Figure 4.10: sizes of executed clauses", programs, [str(n) for n in range(1, 9)], clauses)
    show_system(programs)
    print()
    print(runs.claims(published(programs)))
    if o.svg:
        where = f"of {len(programs)} programs, Mesa 25.0.7 on a Mali-G71 MP8"
        for number, title, rows, names in (("8", f"Figure 4.8: instructions {where}", mixes, MIX),
                                           ("9", f"Figure 4.9: data accesses {where}", data, [name for name, _ in ACCESSES]),
                                           ("10", f"Figure 4.10: clause sizes {where}", sizes, [str(n) for n in range(1, 9)])):
            (o.svg / f"figure_4_{number}.svg").write_text(charts.upon(title, "share", rows, names))
