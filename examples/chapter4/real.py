"""Programs of table 4.2 from their suites' own sources, as `scripts/fetch-suite SUITE MIRROR --build` leaves them, beside those that are
rewritten (suite/): what both execute. Data are made here, since the suites' are not in their repositories."""
import array
import json
import math
import random
import re
import shutil
from collections import namedtuple

import runs
import suite

# A program: of which suite, its folder there, its command (cwd is a copy of the folder), a function that makes its data in a folder for a
# scale, and one that compares what it left there and said with the CPU's; None: it prints no result.
Program = namedtuple("Program", "name suite folder command data check")
Ran = namedtuple("Ran", "name of jobs counters checked")
SIZES = {"thesis": {"BackPropagation": 65536, "NearestNeighbor": 42764, "Stencil": (128, 128, 32, 100)},
         "small": {"BackPropagation": 4096, "NearestNeighbor": 1000, "Stencil": (32, 32, 8, 3)}}
PLACE, NEAREST = (30, 90), 5  # table 4.2: latitude, longitude, records
COUNTED = "LD_PRELOAD=/mnt/programs/claims/libOpenCL.so CLAIMS_LAUNCHES=1"  # prints launches, and makes queues that measure no time
COMMANDS = """modprobe panfrost
export RUSTICL_ENABLE=panfrost OCL_ICD_VENDORS=/etc/OpenCL/vendors/rusticl.icd MESA_SHADER_CACHE_DISABLE=true HOME=/tmp
/mnt/programs/suite /mnt/sources/suite {scale} {names} >/mnt/work/said 2>&1
{programs}sync
"""


def numbers(count, seed):
    made = random.Random(seed)
    return [made.uniform(-1, 1) for _ in range(count)]


# ---- what each program reads and leaves ----

def nothing(_folder, _size):
    """The program makes its own data."""


def records(size):
    """Records as Rodinia's: 49 bytes, with a latitude at 28 and a longitude at 33, of 5 bytes each."""
    made = random.Random(7)
    return [(f"{made.uniform(7, 70):5.1f}", f"{made.uniform(0, 180):5.1f}") for _ in range(size)]


def nearest_data(folder, size):
    (folder / "db").write_text("".join(f"{'record':28}{latitude}{longitude}{'':10}\n" for latitude, longitude in records(size)))
    (folder / "list").write_text("db\n")


def nearest_check(_folder, size, said):
    got = [float(v) for v in re.findall(r"Distance=([\d.]+)", said)]
    want = sorted(math.dist(PLACE, (float(a), float(b))) for a, b in records(size))[:NEAREST]
    return len(got) == NEAREST and all(abs(g - w) < 1e-3 for g, w in zip(got, want))


def stencil_data(folder, size):
    x, y, z, _ = size
    (folder / "in").write_bytes(array.array("f", numbers(x * y * z, 3)).tobytes())


def stencil_step(a, size):
    """One iteration on all inner points, row by row."""
    x, y, z, _ = size
    out = array.array("f", a)
    for k in range(1, z - 1):
        for j in range(1, y - 1):
            at = (k * y + j) * x
            rows = [a[at + d:at + d + x] for d in (x * y, -x * y, x, -x)]
            own = a[at:at + x]
            out[at + 1:at + x - 1] = array.array("f", [(p + q + r + s + e + w) / 36 - c / 6 for p, q, r, s, e, w, c in zip(
                *(row[1:-1] for row in rows), own[2:], own[:-2], own[1:-1])])
    return out


def stencil_check(folder, size, _said):
    """The file begins with the number of points. An iteration takes differences to a third at most, so more than 20 change nothing that is
    compared."""
    x, y, z, iterations = size
    a = array.array("f", numbers(x * y * z, 3))
    for _ in range(min(iterations, 20)):
        a = stencil_step(a, size)
    data = (folder / "out").read_bytes()
    got = array.array("f", data[4:])
    return len(got) == len(a) and all(abs(g - w) < 1e-6 for g, w in zip(got, a))


PROGRAMS = [
    Program("BackPropagation", "rodinia", "opencl/backprop", "./backprop.out -n {size} -p 0 -d 0", nothing, None),
    Program("NearestNeighbor", "rodinia", "opencl/nn", f"./nn.out list -f . -r {NEAREST} -lat {PLACE[0]} -lng {PLACE[1]} -p 0 -d 0",
            nearest_data, nearest_check),
    Program("Stencil", "parboil", "benchmarks/stencil", "./stencil -i in -o out -- {size}", stencil_data, stencil_check)]


# ---- runs ----

def prepare(o, work):
    """Copies of those programs that were built, with their data; Trouble if there are none."""
    found = [p for p in PROGRAMS if (o.suites / f"{p.suite}.arm64" / p.folder).exists() and (not o.only or p.name in o.only)]
    if not found:
        raise runs.Trouble(f"{o.suites} has none of {', '.join(p.name for p in PROGRAMS)}: scripts/fetch-suite rodinia MIRROR --build, parboil likewise")
    for p in found:
        shutil.copytree(o.suites / f"{p.suite}.arm64" / p.folder, work / p.name)
        p.data(work / p.name, SIZES[o.scale][p.name])
    return found


def command_of(p, scale):
    size = SIZES[scale][p.name]
    text = p.command.format(size=" ".join(map(str, size)) if isinstance(size, tuple) else size)
    return f"cd /mnt/work/{p.name}; {COUNTED} {text} >../{p.name}.said 2>&1; echo status $? >>../{p.name}.said\n"


def result_of(p, scale, work):
    """Launches of a program, and whether its result was compared."""
    said = (work / f"{p.name}.said").read_text(errors="replace")
    launches = len(re.findall(r"^launch ", said, re.M))
    if "\nstatus 0\n" not in said or not launches:
        raise runs.Trouble(f"{p.suite}'s {p.name} did not run: {said[-1000:]}")
    if p.check and not p.check(work / p.name, SIZES[scale][p.name], said):
        raise runs.Trouble(f"{p.suite}'s {p.name}: its result is wrong: {said[-1000:]}")
    return launches, p.check is not None


def boot(o, work):
    from capture import Guest
    found = prepare(o, work)
    commands = COMMANDS.format(scale=o.scale, names=" ".join(p.name for p in found), programs="".join(command_of(p, o.scale) for p in found))
    status, host, text = Guest(o.build, o.files, runs.GPU).boot(runs.HERE, commands, work, "-gpu-threads", 2, "-stats", work / "stats")
    if status:
        raise runs.Trouble(f"the guest: {host[-2000:]}{text[-2000:]}")
    return split(suite.programs_run(text), [(p, *result_of(p, o.scale, work)) for p in found],
                 json.loads((work / "stats/gpu_jobs.json").read_text())["jobs"])


def split(ours, theirs, jobs):
    """The jobs of each program, which ran one after the other: first ours, of which all results were compared."""
    wanted = [(name, "rewritten", launches, True) for name, launches in ours]
    wanted += [(p.name, p.suite, launches, checked) for p, launches, checked in theirs]
    if sum(launches for _, _, launches, _ in wanted) != len(jobs):
        raise runs.Trouble(f"{sum(launches for _, _, launches, _ in wanted)} launches, and {len(jobs)} jobs")
    out, at = [], 0
    for name, of, launches, checked in wanted:
        out.append(Ran(name, of, launches, suite.sums(jobs[at:at + launches]), checked))
        at += launches
    return sorted(out, key=lambda ran: ran.name)


def published(found):
    """Of what the thesis says of these programs, what their own sources show."""
    rows = []
    for ran in found:
        if ran.of != "rewritten" and ran.name == "BackPropagation":
            share = suite.accesses(ran.counters)[-1]
            rows.append(("main memory is above 10 % of accesses of backprop", f"{100 * share:.1f} %", share > 0.1))
        if ran.of != "rewritten" and ran.name == "Stencil":
            rows.append(("Stencil has 100 jobs", f"{ran.jobs}", ran.jobs == 100))
            pages = ran.counters[suite.SUMMED]
            rows.append(("Stencil touches 99,603 pages", f"{pages:,}", abs(pages / 99603 - 1) < 0.01))
    return rows


def show(o, work):
    folder = work / "real"
    folder.mkdir()
    if o.scale not in SIZES:
        raise runs.Trouble(f"--scale is one of {', '.join(SIZES)} for real")
    found = boot(o, folder)
    print(f"Programs of table 4.2 ({o.scale}) from their own sources, and rewritten, on a {runs.GPU}; all results that are printed are right\n")
    head = ["%", "from", *suite.MIX, "jobs", "instructions", "result"]
    print(runs.table(head, [[ran.name, ran.of, *(f"{100 * v:.1f}" for v in suite.mix(ran.counters)), ran.jobs,
                             f"{ran.counters['lane_instructions']:,}", "right" if ran.checked else "not printed"] for ran in found]))
    print()
    print(runs.claims(published(found)))
