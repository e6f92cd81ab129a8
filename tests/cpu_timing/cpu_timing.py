#!/usr/bin/env python3
"""The times of -cpu-timing for loops whose cycles are calculated here from the CPUs' properties in
platforms/timing-*.dtsi; the same in the interpreter and translated. Times are of the additional
rounds of a longer run. A run from a snapshot counts as the whole one: caches and streams are in it.

    cpu_timing.py BIN DTBS
"""
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "machine"))
from snapshot_runs import Simulator, difference  # noqa: E402

FEW, MANY = 20000, 60000
# CPU: its clock in Hz; cycles of an addition, a load and a branch; cycles of the L2 cache; ns of
# memory and of a prefetched line; share of a latency for which a load waits.
CPUS = {
    "cortex-a72": (1.2e9, 1 / 3, 2 / 3, 2 / 3, 18, 120, 10, .6),
    "cortex-a57": (1.1e9, 1 / 3, 2 / 3, 2 / 3, 20, 120, 10, .6),
    "cortex-a53": (950e6, .5, 1.75, .75, 15, 120, 16, 1.),
}
KB = 1024


def rows(cpu):
    """Returns name, definitions and ns per round."""
    hz, add, load, branch, l2, memory, ahead, share = CPUS[cpu]
    cycle = 1e9 / hz
    chase = (load + add + branch) * cycle
    yield "additions", {"KIND": 1, "BYTES": 0, "STRIDE": 0}, (4 * add + branch) * cycle
    yield "a chain in L1", {"KIND": 2, "BYTES": 8 * KB, "STRIDE": 128}, chase
    yield "a chain in L2", {"KIND": 2, "BYTES": 256 * KB, "STRIDE": 128}, chase + l2 * cycle * share
    yield "a chain in memory", {"KIND": 2, "BYTES": 8192 * KB, "STRIDE": 192}, chase + memory * share
    yield "a stream", {"KIND": 3, "BYTES": 0, "STRIDE": 0}, (load + 2 * add + branch) * cycle + ahead * share / 8


def assembled(folder, definitions):
    elf = folder / "loops.elf"
    subprocess.run(["aarch64-linux-gnu-gcc", "-nostdlib", "-static", "-Wl,--build-id=none", "-Wl,-Ttext=0x80200000",
                    *(f"-D{k}={v}" for k, v in definitions.items()), HERE / "loops.S", "-o", elf], check=True)
    return elf


def simulate(folder, juno, dtb, cpu, definitions, rounds, *options):
    """Returns the CPU's busy time in ns, of the whole program."""
    elf, stats = assembled(folder, {**definitions, "ROUNDS": rounds}), folder / "stats"
    done = subprocess.run([juno, "-nographic", "-limit", "1", "-cpu-timing", "-cpu", cpu, "-semihosting", "-dtb", dtb,
                           "-stats", stats, "-kernel", elf, *options],
                          capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL)
    if done.returncode:
        sys.exit(f"juno ended with {done.returncode}\n{done.stderr}")
    return json.loads((stats / "stats.json").read_text())["cpu0.timing"]["busy_ps"] / 1000


def refusals(folder, bins, dtbs):
    """Messages about missing and about contradictory numbers."""
    elf = assembled(folder, {"KIND": 1, "BYTES": 0, "STRIDE": 0, "ROUNDS": 1})
    for program, words, message in [
            ("juno", ["-dtb", dtbs / "juno-r2.dtb", "-cpu", "max"], "has no numbers for max"),
            ("juno", ["-dtb", dtbs / "juno-r2.dtb", "-icount", "ps=1000"], "-cpu-timing and -icount")]:
        done = subprocess.run([bins / program, "-cpu-timing", "-kernel", elf, *words], capture_output=True,
                              text=True, check=False, timeout=60, stdin=subprocess.DEVNULL)
        if done.returncode != 2 or message not in done.stderr:
            yield f"{program} {words}: status {done.returncode}: {done.stderr}"


def continued(folder, juno, dtb):
    """Runs from snapshots whose counters, busy time and hits of caches among them, are not those of the whole run."""
    for title, definitions, _ in list(rows("cortex-a72"))[2:]:
        work = folder / title.replace(" ", "-")
        work.mkdir()
        command = [juno, "-nographic", "-limit", "1", "-cpu-timing", "-cpu", "cortex-a72", "-semihosting", "-dtb", dtb,
                   "-kernel", assembled(folder, {**definitions, "ROUNDS": 3 * MANY}), "-snapshot-dir", work / "shots"]
        simulator = Simulator(command, work)
        whole = simulator.run("-snapshot-every", "0.0002")
        names = sorted(file.stem for file in (work / "shots").glob("*.gvm"))
        if len(names) < 2:
            yield f"{title}: {len(names)} snapshots"
        for name in names[1:: max(1, len(names) // 3)]:
            wrong = difference(whole, simulator.run("-loadvm", name))
            if wrong:
                yield f"{title} from {name}: {wrong}"


def main(bins, dtbs):
    bins, dtbs = pathlib.Path(bins).resolve(), pathlib.Path(dtbs).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        wrong = [*refusals(folder, bins, dtbs), *continued(folder, bins / "juno", dtbs / "juno-r2.dtb")]
        for cpu in CPUS:
            for title, definitions, expected in rows(cpu):
                arguments = (folder, bins / "juno", dtbs / "juno-r2.dtb", cpu, definitions)
                few, many = (simulate(*arguments, n) for n in (FEW, MANY))
                interpreted = simulate(*arguments, MANY, "-accel", "interp")
                took = (many - few) / (MANY - FEW)
                print(f"{cpu:11} {title:18} {took:8.3f} ns a round, {expected:8.3f} on paper")
                if abs(took - expected) > .002 * expected:  # since a tick is a whole number of ps
                    wrong.append(f"{cpu}, {title}: {took} ns, not {expected}")
                if interpreted != many:
                    wrong.append(f"{cpu}, {title}: {interpreted} ns interpreted, {many} translated")
    print("\n".join(wrong) or "as on paper")
    return 1 if wrong else 0


sys.exit(main(*sys.argv[1:]))
