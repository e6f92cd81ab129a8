"""Tables 4.4 to 4.8 of seed 002: what Arm Compute Library executes for layer 16 of ResNet-50 by the number of its output channels
(pruning/layer.cpp), by its GEMM and by direct convolution."""
import json
import re
import shutil
from collections import namedtuple

import charts
import cross
import runs

IMAGE = "rootfs-arm64-armcompute.ext4"
PACKAGES = "libarm-compute-dev"
HEADERS = "arm_compute", "support", "utils", "half", "CL"  # that layer.cpp includes, or one of them
GEMM, DIRECT = (92, 93, 96, 97), (90, 91, 92, 93)
Launch = namedtuple("Launch", "kernel threads group arithmetic memory")
# Of tables 4.4 to 4.7: arithmetic and memory instructions of gemm_mm, a pair a job, and of what scales with the channels. The thesis
# calls that im2col3x3_nhwc, and the constant one reshape_to_columns: their names stand the wrong way round there.
GEMM_MM = {92: [(706713280, 36267840), (106006992, 5440176)], 93: [(848055936, 43521408)], 96: [(848055936, 43521408)],
           97: [(848055936, 43521408), (35335664, 1813392)]}
RESHAPE = {92: (1365198, 212152), 93: (1379034, 214458), 96: (1420542, 221376), 97: (1434378, 223682)}
CONSTANT = (44183104, 3615808)
# Table 4.8: the work-group, and instructions relative to 90 channels.
DIRECT_TABLE = {90: ("2x1x8", 1.0), 91: ("1x1x8", 1.011), 92: ("4x1x1", 1.023), 93: ("1x1x8", 1.034)}
COMMANDS = """modprobe panfrost
export RUSTICL_ENABLE=panfrost OCL_ICD_VENDORS=/etc/OpenCL/vendors/rusticl.icd MESA_SHADER_CACHE_DISABLE=true HOME=/tmp
export LD_LIBRARY_PATH=/mnt/programs/claims CLAIMS_LAUNCHES=1
{{
/mnt/work/layer gemm {gemm}
/mnt/work/layer direct {direct}
}} >/mnt/work/said 2>&1
sync
"""


def launches(text, jobs):
    """By (method, channels), the launches between the lines of layer.cpp, each with its job's counters; Trouble if a result is
    wrong, or if the driver made more or fewer jobs than there were launches."""
    bad = re.findall(r"^end (\S+ \d+): (\d+) wrong: FAILED$", text, re.M)
    if bad:
        raise runs.Trouble("\n".join(f"{what}: {wrong} values are wrong" for what, wrong in bad))
    found, now, at = {}, None, 0
    for line in text.splitlines():
        words = line.split()
        if words[:1] == ["begin"]:
            now = (words[1], int(words[2]))
            found[now] = []
        elif words[:1] == ["end"]:
            now = None
        elif words[:1] == ["launch"]:
            if at == len(jobs):
                raise runs.Trouble(f"more launches than {len(jobs)} jobs")
            if now:
                found[now].append(Launch(words[1], words[2], words[3], jobs[at]["arithmetic"], jobs[at]["load_store"]))
            at += 1
    if at != len(jobs):
        raise runs.Trouble(f"{at} launches, and {len(jobs)} jobs")
    missing = [f"{method} {n}" for method, all_n in (("gemm", GEMM), ("direct", DIRECT)) for n in all_n
               if f"end {method} {n}:" not in text]
    if missing:
        raise runs.Trouble(f"{missing[0]} did not end: {text[-1000:]}")
    return found


def boot(o, work):
    from capture import Guest
    files = o.files
    if not (files / IMAGE).exists():
        raise runs.Trouble(f"{files / IMAGE} is missing: scripts/fetch-guest --packages {PACKAGES} --name armcompute --size 3G")
    guest = Guest(o.build, files, runs.GPU)
    guest.image = IMAGE
    layer = o.keep / "layer"
    cross.compile_with_image(runs.HERE / "pruning/layer.cpp", layer, files / IMAGE, HEADERS, "libarm_compute")
    shutil.copy(layer, work / "layer")
    status, host, text = guest.boot(runs.HERE, COMMANDS.format(gemm=" ".join(map(str, GEMM)), direct=" ".join(map(str, DIRECT))),
                                    work, "-gpu-threads", 2, "-stats", work / "stats")
    if status:
        raise runs.Trouble(f"the guest: {host[-2000:]}{text[-2000:]}")
    return launches(text, json.loads((work / "stats/gpu_jobs.json").read_text())["jobs"])


def of_kernel(found, n, name):
    """Arithmetic and memory instructions of a kernel's launches, by the beginning of its name."""
    jobs = [launch for launch in found["gemm", n] if launch.kernel.startswith(name)]
    return sum(j.arithmetic for j in jobs), sum(j.memory for j in jobs), len(jobs)


def theirs(n):
    return tuple(sum(column) for column in zip(*GEMM_MM[n]))


def gemm_rows(found):
    for n in GEMM:
        arithmetic, memory, jobs = of_kernel(found, n, "gemm_mm")
        yield [n, f"{arithmetic:,}", f"{memory:,}", jobs, "", f"{theirs(n)[0]:,}", f"{theirs(n)[1]:,}", len(GEMM_MM[n])]


def direct_rows(found):
    base = sum(j.arithmetic + j.memory for j in found["direct", 90])
    for n in DIRECT:
        jobs = found["direct", n]
        yield [n, f"{sum(j.arithmetic + j.memory for j in jobs) / base:.3f}", jobs[-1].group, "", f"{DIRECT_TABLE[n][1]:.3f}",
               DIRECT_TABLE[n][0]]


def published(found):
    mm = {n: of_kernel(found, n, "gemm_mm") for n in GEMM}
    reshape = {n: of_kernel(found, n, "reshape_to_columns") for n in GEMM}
    im2col = {of_kernel(found, n, "im2col3x3_nhwc")[:2] for n in GEMM}
    base = sum(j.arithmetic + j.memory for j in found["direct", 90])
    direct = {n: sum(j.arithmetic + j.memory for j in found["direct", n]) / base for n in DIRECT}
    far = max(abs(mm[n][1] / theirs(n)[1] - 1) for n in GEMM)
    far_reshape = max(abs(reshape[n][1] / RESHAPE[n][1] - 1) for n in GEMM)
    return [
        ("gemm_mm: 93 channels execute 4.35 % more than 92", f"{100 * (mm[93][0] / mm[92][0] - 1):.2f} %",
         abs(mm[93][0] / mm[92][0] - 1.0435) < 0.0005),
        ("gemm_mm: 96 channels execute what 93 do", f"{mm[96][0] / mm[93][0]:.4f}", abs(mm[96][0] / mm[93][0] - 1) < 0.0005),
        ("gemm_mm: 97 channels execute 4.17 % more than 96", f"{100 * (mm[97][0] / mm[96][0] - 1):.2f} %",
         abs(mm[97][0] / mm[96][0] - 1.0417) < 0.0005),
        ("gemm_mm: as many memory instructions", f"within {100 * far:.2f} %", far < 0.01),
        ("the reshape of weights: as many memory instructions", f"within {100 * far_reshape:.2f} %", far_reshape < 0.01),
        ("im2col: the same for all", f"{len(im2col)} different", len(im2col) == 1),
        ("gemm_mm is split in two jobs for 92 and 97 channels", f"{mm[92][2]} and {mm[97][2]} jobs", mm[92][2] == mm[97][2] == 2),
        ("direct: 1.0, 1.011, 1.023, 1.034", ", ".join(f"{direct[n]:.3f}" for n in DIRECT),
         all(abs(direct[n] - DIRECT_TABLE[n][1]) < 0.0015 for n in DIRECT)),
        ("direct: work-groups change with the channels", ", ".join(found["direct", n][-1].group for n in DIRECT),
         len({found["direct", n][-1].group for n in DIRECT}) > 1)]


def show(o, work):
    folder = work / "pruning"
    folder.mkdir()
    found = boot(o, folder)
    print(f"Tables 4.4 to 4.7: layer 16 of ResNet-50 by Arm Compute Library's GEMM on a {runs.GPU}; all results are right\n")
    print(runs.table(["gemm_mm, channels", "arithmetic", "memory", "jobs", "", "thesis: arithmetic", "memory", "jobs"], gemm_rows(found)))
    print()
    print(runs.table(["kernels of 92 channels", "threads", "group", "arithmetic", "memory"],
                     [[j.kernel, j.threads, j.group, f"{j.arithmetic:,}", f"{j.memory:,}"] for j in found["gemm", 92]]))
    print("\nTable 4.8: direct convolution, instructions relative to 90 channels, and the work-group that the library asks for\n")
    print(runs.table(["channels", "instructions", "group", "", "thesis: instructions", "group"], direct_rows(found)))
    print()
    print(runs.claims(published(found)))
    if o.svg:
        groups = [(f"{n}", [of_kernel(found, n, "gemm_mm")[0] / of_kernel(found, 92, "gemm_mm")[0], theirs(n)[0] / theirs(92)[0],
                            of_kernel(found, n, "gemm_mm")[1] / of_kernel(found, 92, "gemm_mm")[1], theirs(n)[1] / theirs(92)[1]])
                  for n in GEMM]
        (o.svg / "tables_4_4_to_4_7.svg").write_text(charts.beside(
            "Tables 4.4 to 4.7: gemm_mm by output channels", "relative to 92", groups,
            ["arithmetic", "arithmetic, thesis", "memory", "memory, thesis"], 1.2))
