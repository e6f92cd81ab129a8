#!/usr/bin/env python3
"""Boots Debian with a GPU on a simulated board, and lets its driver and Mesa use it.

    gpu_guest.py --juno BIN --guest cache/guest --programs build/guest/arm64 TEST [GPU]
    gpu_guest.py --vexpress BIN --guest cache/guest --programs build/guest/armhf TEST [GPU]

GPU is a name of -gpu, or `own`: the one that the board's device tree names. The guest runs a shell script out
of a folder of the host, and leaves its results there.
"""
import argparse
import itertools
import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, namedtuple

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "boot"))
import elements_wrong
from expected import problems
from printed import expect, fail, refuse

# Files of scripts/fetch-guest for a board, and where the userland's disk is attached.
Board = namedtuple("Board", "architecture kernel dtb memory disk drive")
BOARDS = {
    "juno": Board("arm64", "vmlinuz-arm64", "juno-r2.dtb", "2G", "/dev/vda", ""),
    "vexpress": Board("armhf", "vmlinuz-armmp", "vexpress-v2p-ca15-tc1.dtb", "1G", "/dev/mmcblk0",
                      "if=sd,"),
}

# Linux's message for a board whose tree names no regulator for the GPU; a real Juno's log has it as
# well.
REGULATOR = r".*no regulator \(mali\) found\n"

# Userlands, and the options that make them.
IMAGES = {"gpu": "", "test": "--packages clblast-tests --name test"}

# Any of these in the kernel's log is a failure, unless a test expects it.
TROUBLE = r"WARNING|BUG:|Oops|Kernel panic|rcu: INFO|panfrost.*(error|fault|timeout|failed|Unhandled)"


# Mesa's names of GPUs that differ from their own.
MESA_NAMES = {"own": "Mali-T620", "t624": "Mali-T620", "t624mp16": "Mali-T620", "t604": "Mali-T600", "g52mp2": "Mali-G52"}


# Mesa has OpenGL ES 3.1, which compute shaders need, from T760 on.
NO_GLES31 = ("own", "t604", "t620", "t624", "t624mp16", "t720")

# Wrong elements of examples/gpu/elements.c per kernel, by Mesa's faults.
ELEMENTS_WRONG = {"midgard": elements_wrong.midgard, "g52": elements_wrong.bifrost}
ELEMENTS = ("char16", "uchar4", "uchar", "short8", "short2", "uint4", "ulong2", "half4 in memory", "atomics")


# Printed to the kernel's log before a program on which the GPU faults.
COMPRESSED = "here compressed ones begin"

# Printed by the guest, also to the kernel's log, before kernels that fail on purpose; and what the driver says of each.
FAILING = "here failing kernels begin"
FAULTS = {"wild": r"panfrost 2d000000\.gpu: Unhandled Page fault in AS\d+ at VA 0x",
          "endless": r"panfrost 2d000000\.gpu: gpu sched timeout"}

# Wrong results of examples/gpu's images: writes to 1D arrays, which bench/results/mesa.md traces to
# Mesa's compiler.
IMAGES_WRONG = {"midgard": [f"write {form} 1d array" for form in (
    "rgba unorm8", "rgba half", "rg unorm16", "rgba sint16", "rgba uint32")]}

# Wrong on this GPU for one shape only: T720 finds coordinates and results in other registers than
# T860.
IMAGES_SHAPE = {"t720": "array"}


# Piglit's expected results where they differ from expected.txt.
EXPECTED = {"midgard": "expected_midgard.txt"}


def of_gpu(table, gpu):
    """Returns the table's entry for a GPU or, since Mesa compiles alike for them, for all Midgard
    GPUs; None if there is neither."""
    return table.get(gpu, None if gpu.startswith("g") else table.get("midgard"))


def mesa_name(gpu):
    return MESA_NAMES.get(gpu, "Mali-" + gpu.upper())


class Bench:
    def __init__(self, args, work):
        self.args, self.work = args, pathlib.Path(work)
        self.simulator = args.juno or args.vexpress
        self.board = BOARDS["juno" if args.juno else "vexpress"]
        self.guest = pathlib.Path(args.guest)
        self.image, self.kernel = "gpu", ""

    def command(self, gpu, options):
        board, guest = self.board, self.guest
        kernel, image = guest / (board.kernel + self.kernel), guest / f"rootfs-{board.architecture}-{self.image}.ext4"
        for path in (kernel, image):
            if not path.exists():
                fail(f"{path} is missing: run scripts/fetch-guest {IMAGES[self.image]}")
        words = [self.simulator, "-nographic", "-m", board.memory, *([] if gpu == "own" else ["-gpu", gpu]),
                 "-kernel", kernel, "-dtb", guest / "dtb" / board.dtb,
                 "-initrd", guest / f"initramfs-{board.architecture}-disk{self.kernel}.cpio.gz",
                 "-append", f"console=ttyAMA0 root={board.disk} rw",
                 "-drive", f"{board.drive}file={image},format=raw,snapshot=on",
                 "-virtfs", f"local,path={self.work},mount_tag=work",
                 "-virtfs", f"local,path={self.args.programs},mount_tag=programs,readonly=on",
                 "-script", HERE / "run.script", "-limit", "3600", *options]
        return [str(word) for word in words]

    def run(self, gpu, lines, *options, timeout=1700):
        """Runs shell lines in the guest. Returns what they printed, and the kernel's log."""
        script = ["cd /mnt/programs", f"export RUSTICL_ENABLE={self.args.rusticl}", "{", *lines,
                  "} >/mnt/work/out 2>&1", "dmesg >/mnt/work/dmesg", "sync"]
        (self.work / "run.sh").write_text("\n".join(script) + "\n")
        done = subprocess.run(self.command(gpu, options), stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=timeout, check=False)
        out, log, self.host = self.read("out"), self.read("dmesg"), done.stderr.decode()
        if done.returncode:
            print(done.stdout.decode(errors="replace")[-3000:], done.stderr.decode()[-3000:], out)
            fail(f"the simulator ended with status {done.returncode}")
        return out, log

    def read(self, name):
        path = self.work / name
        return path.read_text(errors="replace") if path.exists() else ""


def opencl_lines(gpu):
    return ["clinfo -l", "export BIFROST_MESA_DEBUG=shaderdb MIDGARD_MESA_DEBUG=shaderdb", "./vecadd", "./matmul", "./elements" if of_gpu(ELEMENTS_WRONG, gpu) else "", "./gles_compute"]


def judge_opencl(gpu, out, log):
    gles, elements = gpu not in NO_GLES31, of_gpu(ELEMENTS_WRONG, gpu)
    expect(log, r"panfrost 2d000000\.gpu: mali-\w+ id 0x\w+", r"Initialized panfrost")
    refuse(re.sub(REGULATOR, "", log), TROUBLE)
    if gpu == "own":
        expect(log, r"clock rate = 600000000")
    expect(out, f"Device #0: {mesa_name(gpu)} ", r"vecadd: 4096 elements, 0 wrong.*ok",
           r"matmul: .*: ok")
    if gles:
        expect(out, f"renderer: {mesa_name(gpu)} ", r"gles_compute: 1024 elements, 0 wrong: ok")
    else:
        expect(out, r"eglCreateContext failed \(0x3009\)")
    if elements:
        wrong = elements()
        for name in ELEMENTS:
            expect(out, f"(?m)^{name}: {wrong.get(name, 0)} wrong$")


def test_opencl(bench, gpu):
    """The driver binds; OpenCL and GLES programs print right results."""
    cores, stats, report = bench.args.cores, bench.work / "stats", bench.work / "report"
    out, log = bench.run(gpu, ["modprobe panfrost", *opencl_lines(gpu)], "-report", report,
                         *(["-gpu-cores", hex(cores), "-stats", stats] if cores else []))
    judge_opencl(gpu, out, log)
    found = json.loads((report / "report.json").read_text())
    judge_shader_db(found, out)
    if cores:
        judge_cores(json.loads((stats / "stats.json").read_text())["gpu"]["cores"], cores)
        judge_sources(found)
        judge_system(found["system"])


def judge_shader_db(report, out):
    """What the report says of the kernels' code is the line that Mesa itself printed of it."""
    own = re.findall("MESA_SHADER_KERNEL.*", out)
    ours = [kernel["code"]["shader_db"] for kernel in report["kernels"]]
    if len([line for line in own if line in ours]) < len(("vecadd", "matmul")):
        fail(f"Mesa printed {own}, and the report has {ours}")


def judge_sources(report):
    """The kernels of vecadd and matmul have the names and the sources that the guest's memory has."""
    sources = {kernel["name"]: kernel.get("source", {}).get("text", "") for kernel in report["kernels"] if "name" in kernel}
    for name in "vecadd", "matmul":
        text = re.search(r"source\[\] =((?:\s*\".*\")+);", (HERE.parent.parent / f"examples/gpu/{name}.c").read_text())[1]
        if sources.get(name) != "".join(json.loads(line) for line in text.split("\n") if line.strip()):
            fail(f"the report has not {name} with its source, but {sources}")


def judge_system(system):
    """The CPUs' time has each part of a run, functions of a library have their names, and modules of the kernel theirs."""
    parts, where = system["phases"], {symbol["where"] for symbol in system["symbols"]}
    if set(parts) != {"program", "compiler", "driver", "kernel", "gpu"} or not all(parts.values()):
        fail(f"the run has these parts: {parts}")
    tasks = [task for task in system["tasks"] if "phases" in task]
    for of, whole in (([parts[name] for name in parts if name != "gpu"], sum(cpu["instructions"] for cpu in system["cpu"])),
                      ([sum(task["phases"].values()) for task in tasks], sum(task["instructions"] for task in tasks))):
        if abs(sum(of) / whole - 1) > 0.001:  # an instruction takes 1 ns; each sample is rounded
            fail(f"the parts {of} are not {whole} in sum")
    task = next(task for task in tasks if task["name"] == "vecadd")
    if not task["phases"]["driver"] > task["phases"]["compiler"] > 0:
        fail(f"vecadd has these parts: {task['phases']}")
    if not {("malloc", "user: vecadd: libc.so.6"), ("__libc_malloc", "user: vecadd: libc.so.6")} & {(s["symbol"], s["where"]) for s in system["symbols"]}:
        fail(f"vecadd has no malloc: {system['symbols'][:20]}")
    if "kernel: ext4" not in where:
        fail(f"the file system's module is not in {where}")


def judge_cores(counts, cores):
    """Of the cores, those in the mask have had jobs, and no others."""
    used = [counts[name]["clocked_cycles"] > 0 for name in sorted(counts, key=lambda n: (len(n), n)) if re.fullmatch(r"core\d+", name)]
    if used != [bool(cores >> n & 1) for n in range(len(used))]:
        fail(f"with cores {cores:#x}, these had jobs: {used}")


def images_lines(gpu):
    large = ["PAN_MESA_DEBUG=noafbc ./gles_images large", f"echo {COMPRESSED} >/dev/kmsg", "./gles_images large"]
    return [f"./images {IMAGES_SHAPE.get(gpu, '')}", "./gles_images" if gpu not in NO_GLES31 else "",
            *(large if gpu.startswith("g") else [])]


def judge_images(bench, gpu, out, log):
    gles = gpu not in NO_GLES31
    compresses = gpu.startswith("g")
    refuse(re.sub(REGULATOR, "", log.split(COMPRESSED)[0]), TROUBLE)
    wrong = [] if gpu in IMAGES_SHAPE else of_gpu(IMAGES_WRONG, gpu) or []
    for name in wrong:
        expect(out, rf"(?m)^{name} *: [1-9]\d* wrong")
    expect(out, f"device: {mesa_name(gpu)} ", rf"^images: \d{{2,3}} cases, {len(wrong)} failed: ")
    if gles:
        expect(out, r"^gles_images: \d\d cases, 0 failed, GL error 0: ok")
    if compresses:
        # Without compression, and with.
        expect(out, r"(?s)^gles_images large: 1 cases, 0 failed, GL error 0: ok"
                    r".*^gles_images large: 1 cases, 0 failed, GL error 0: ok")
        refuse(bench.host, "cannot execute")


def test_images(bench, gpu):
    """Reads through all kinds of samplers, and writes, give the results of OpenCL's specification.
    """
    judge_images(bench, gpu, *bench.run(gpu, ["modprobe panfrost", *images_lines(gpu)]))


def fault_lines(faults):
    """Each kernel that fails and one that works, as separate programs and in one, and at the end a program after all resets.

    Mesa checks a job's status only on request: with `sync` it aborts the program."""
    return [f"echo {FAILING} | tee /dev/kmsg",
            *(f"PAN_MESA_DEBUG=sync ./faults {what}; echo {what} status $?; ./faults {what}" for what in faults), "./vecadd"]


def judge_faults(faults, out, log):
    """A wild pointer is a page fault to the driver, an endless kernel is stopped by its time-out; the next kernels work."""
    results = ((rf"^{what} status 134$", r"^next kernel: OpenCL status 0, 0 wrong: ok") for what in faults)
    expect(out, *itertools.chain(*results), r"vecadd: 4096 elements, 0 wrong.*ok")
    expect(log, *(FAULTS[what] for what in faults))


def test_programs(bench, gpu):
    """The tests `opencl` and `images`, and then the kernels of --faults, in one guest."""
    faults = bench.args.faults.split()
    out, log = bench.run(gpu, ["modprobe panfrost", *opencl_lines(gpu), *images_lines(gpu), *fault_lines(faults)])
    out, _, faulty_out = out.partition(FAILING)
    log, _, faulty_log = log.partition(FAILING)
    judge_opencl(gpu, out, log.split(COMPRESSED)[0])
    judge_images(bench, gpu, out, log)
    judge_faults(faults, faulty_out, faulty_log)


def jobs_of(bench):
    return json.loads((bench.work / "stats/gpu_jobs.json").read_text())["jobs"]


def run_time(bench, gpu, words=""):
    """Runs the program `time` with a time model, and the GPU's counters read around it.

    Returns what it printed, the kernel's log, and the least and the largest of the model's times of
    its kernels, in ns."""
    stats = bench.work / "stats"
    out, log = bench.run(gpu, ["modprobe panfrost unstable_ioctls=1", f"./counters ./time {bench.args.rounds} {words}"],
                         "-gpu-timing", bench.args.model, "-stats", stats)
    refuse(re.sub(REGULATOR, "", log), TROUBLE)
    jobs = jobs_of(bench)
    mhz = int(re.search(r"(\d+) MHz", subprocess.run([bench.simulator, "-gpu", "help"], capture_output=True, text=True,
                                                    check=True).stdout.split(f"\n{gpu} ")[1])[1])
    model = sorted(job["cycles"] * 1000 / mhz for job in jobs)
    return out, log, model[0], model[-1]


def numbers(out, pattern):
    """Returns the numbers in a line that must exist."""
    expect(out, pattern)
    return [int(group) for group in re.search(pattern, out).groups()]


def judge_counters(bench, out):
    """What the guest reads of panfrost's counters is what the simulator counted: work-groups, jobs, reads from memory.
    """
    jobs = jobs_of(bench)
    counted = dict(re.findall(r"(?m)^((?:jobs|memory|shader) \w+) (\d+)$", out))
    gpu = json.loads((bench.work / "stats/stats.json").read_text())["gpu"]
    model, stamps = gpu["time"], gpu["jobs_write_value"]
    wanted = {"jobs JS1_JOBS": len(jobs) + stamps, "shader COMPUTE_TASKS": sum(job["work_groups"] for job in jobs)}
    if bench.args.model == "detailed":
        wanted["memory L2_EXT_READ_BEATS"] = model["dram_read_bytes"] // 16
    for name, count in wanted.items():
        if int(counted.get(name, 0)) != count:
            fail(f"{name} is {counted.get(name)}, and the simulator counted {count}: {counted}")
    if not int(counted["jobs GPU_ACTIVE"]) >= sum(job["cycles"] for job in jobs):
        fail(f"the GPU was active for less time than its jobs took: {counted}")


def judge_program_time(bench, gpu, out, model_ns):
    """The program measures the model's time around a long kernel, plus the driver's own time, which it measures around an
    empty kernel."""
    empty, loop = numbers(out, r"time: empty (\d+) ns, loop (\d+) ns, 0 wrong")
    print(f"{gpu} {bench.args.model}: empty {empty} ns, loop {loop} ns; the model's loop {model_ns:.0f} ns: "
          f"{100 * (loop - empty) / model_ns - 100:+.2f} %")
    if not abs(loop - empty - model_ns) < empty or not model_ns > 4 * empty:
        fail("that is more than the driver's share")


def test_time(bench, gpu):
    """With a time model, a program measures the model's time by its own clock. A tool in the guest reads the GPU's counters."""
    out, _, least, most = run_time(bench, gpu)
    judge_program_time(bench, gpu, out, most - least)
    judge_counters(bench, out)


POWER_LINES = r"""
points=/sys/class/devfreq/2d000000.gpu
sensors() {
    for label in /sys/class/hwmon/hwmon*/*_label; do
        echo "$1 $(cat "$label") $(cat "${label%_label}_input")"
    done | grep gpu
}
modprobe panfrost
echo "points $(cat $points/available_frequencies)"
echo "cooling $(cat /sys/class/thermal/cooling_device*/type)"
for hz in 600000000 450000000; do
    echo 450000000 >$points/min_freq
    echo $hz >$points/max_freq
    echo $hz >$points/min_freq
    echo "clock $(cat $points/cur_freq)"
    sensors $hz-before
    ./time ROUNDS
    sensors $hz-after
done
"""


def sensor(out, when, name):
    return numbers(out, rf"(?m)^{when} {name} (\d+)$")[0]


def test_power(bench, gpu):
    """As `time`, at two clocks: the driver sees the GPU's operating points and sets them; a kernel takes its time there, and
    Linux's sensors show power and energy."""
    stats = bench.work / "stats"
    out, log = bench.run(gpu, [POWER_LINES.replace("ROUNDS", str(bench.args.rounds))], "-gpu-clock", "guest",
                         "-gpu-power", "on", "-stats", stats)
    refuse(re.sub(REGULATOR, "", log), TROUBLE)
    expect(out, r"(?m)^points 450000000 600000000 *$", r"devfreq-2d000000\.gpu", r"(?m)^clock 600000000$", r"(?m)^clock 450000000$")
    times = [[int(n) for n in pair] for pair in re.findall(r"time: empty (\d+) ns, loop (\d+) ns, 0 wrong", out)]
    loops = [loop - empty for empty, loop in times]
    cycles = [job["cycles"] for job in json.loads((stats / "gpu_jobs.json").read_text())["jobs"]]
    model_ns = (max(cycles) - min(cycles)) * 1000 / 600
    volts = [sensor(out, f"{hz}-after", "vgpu") for hz in (600000000, 450000000)]
    energy = [sensor(out, f"{hz}-after", "egpu") - sensor(out, f"{hz}-before", "egpu") for hz in (600000000, 450000000)]
    whole = json.loads((stats / "stats.json").read_text())["gpu"]["power"]
    print(f"{gpu}: loop {loops[0]} ns at 600 MHz, {loops[1]} ns at 450 MHz: {loops[1] / loops[0]:.4f}; {energy} uJ; {whole}")
    if not abs(loops[1] / loops[0] - 600 / 450) < 0.05 or volts != [900, 820]:
        fail(f"the clock has not the effect that it should have: {loops}, {volts} mV")
    if not abs(loops[0] - model_ns) < times[0][0] or not model_ns > 4 * times[0][0]:
        fail(f"the model's loop takes {model_ns:.0f} ns, and {times[0][0]} ns are the driver's share")
    if not 0 < energy[1] < energy[0] or whole["energy_uj"] < sum(energy):
        fail(f"energies do not fit: {energy} uJ of {whole}")


def test_profile(bench, gpu):
    """As `time`; and with a panfrost that has time stamps, a long kernel's event ends after its start by the model's time.

    The two stamps are jobs of their own; beside the kernel there are 15 to 70 us of driver between
    them."""
    bench.kernel = "-backports"
    out, log, least, model_ns = run_time(bench, gpu, "profile")
    expect(log, r"Initialized panfrost 1\.([3-9]|\d\d)")
    _, loop = numbers(out, r"time: events: empty (\d+) ns, loop (\d+) ns, 0 out of order")
    print(f"{gpu} {bench.args.model}: the loop's event {loop} ns; the model's loop {model_ns:.0f} ns: "
          f"{100 * loop / model_ns - 100:+.2f} %")
    judge_program_time(bench, gpu, out, model_ns - least)
    judge_counters(bench, out)
    if not model_ns <= loop < 1.02 * model_ns:
        fail("that is not the model's time and a driver's share")


def test_clients(bench, gpu):
    """Runs a program of Debian by its script in examples/clients: CLBlast's own tests."""
    bench.image = "test"
    clients = HERE.parent.parent / "examples/clients"
    out, log = bench.run(gpu, ["ROUTINES='xaxpy xdot' sh /mnt/clients/run clblast"],
                         "-virtfs", f"local,path={clients},mount_tag=clients,readonly=on")
    refuse(re.sub(REGULATOR, "", log), TROUBLE)
    expect(out, r"^clblast: xaxpy: [1-9]\d* passed, 0 failed",
           r"^clblast: xdot: [1-9]\d* passed, 0 failed", r"^PASS clblast")


def test_piglit(bench, gpu):
    """A slice of Piglit's OpenCL tests: each gives the result in expected.txt, or in Midgard's
    list."""
    piglit = bench.guest / "piglit-arm64"
    if not piglit.exists():
        fail(f"{piglit} is missing: run scripts/fetch-guest")
    shutil.copy(HERE / "piglit_cl.py", bench.work)
    words = [shlex.quote(word) for word in bench.args.piglit.split()]
    bench.run(gpu, ["modprobe panfrost",
                    f"python3 /mnt/work/piglit_cl.py /mnt/piglit /mnt/work/results {' '.join(words)}"],
              "-virtfs", f"local,path={piglit},mount_tag=piglit,readonly=on", timeout=20000)
    results = [json.loads(line) for line in bench.read("results").splitlines()]
    expected = HERE / (of_gpu(EXPECTED, gpu) or "expected.txt")
    bad = problems({r["name"]: r["result"] for r in results}, bench.args.piglit, expected.read_text())
    counts = Counter(r["result"] for r in results)
    print("piglit:", ", ".join(f"{n} {what}" for what, n in sorted(counts.items())))
    for r in results:
        if r.get("text") and any(line.startswith(r["name"] + ":") for line in bad):
            print(f"{r['result']}: {r['name']}\n{r['text']}")
    print(*bad, sep="\n")
    if bench.args.results:
        shutil.copy(bench.work / "results", bench.args.results)
    if bad or not results:
        fail(f"{len(bad)} tests differ from {expected}")


def main():
    tests = {name.removeprefix("test_"): function for name, function in globals().items()
             if name.startswith("test_")}
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    board = parser.add_mutually_exclusive_group(required=True)
    board.add_argument("--juno", help="the simulator of the Juno")
    board.add_argument("--vexpress", help="the simulator of the Versatile Express")
    parser.add_argument("--guest", required=True)
    parser.add_argument("--programs", required=True)
    parser.add_argument("--model", default="detailed", help="the time model of the tests `time` and `profile`")
    parser.add_argument("--rounds", type=int, default=20000, help="of the long kernel of these tests")
    parser.add_argument("--cores", type=lambda text: int(text, 0), help="in the test `opencl`, jobs may use these shader cores, as bits")
    parser.add_argument("--faults", default="wild endless", help="in the test `programs`, the kernels that fail: wild, endless")
    parser.add_argument("--piglit", default="--every 7", help="options of piglit_cl.py")
    parser.add_argument("--rusticl", default="panfrost",
                        help="Mesa's driver of OpenCL; llvmpipe computes on the CPU, for comparison")
    parser.add_argument("--results", help="keep Piglit's results in this file")
    parser.add_argument("--keep", type=pathlib.Path, help="copy the guest's output and kernel log into this folder")
    parser.add_argument("test", choices=tests)
    parser.add_argument("gpu", nargs="?", default="g72")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="gpu-guest-") as work:
        try:
            tests[args.test](Bench(args, work), args.gpu)
        finally:
            for name in ("out", "dmesg") if args.keep else ():
                shutil.copy(pathlib.Path(work, name), args.keep)
    print(f"gpu_guest: {args.test} {args.gpu} passed")


if __name__ == "__main__":
    main()
