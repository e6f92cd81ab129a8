"""Measures kernels by the detailed time model, through mali-run. What was measured is kept in a file, since it takes a while."""
import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts/pictures"))
import gpus
from profiles import Kernel, Point, best


class Trouble(Exception):
    """An error, as one message."""


SAMPLE = 512  # work-groups of a job in a trace


def counts_of(cores):
    """The numbers of cores that are profiled: up to eight, of which the last is all."""
    step = max(1, cores // 6)
    return sorted({n for n in (1, 3 * step // 2, *range(step, cores + 1, step), cores) if n <= cores})


class Measure:
    """Kernels are named by their traces NAME.trace in a folder, made from NAME.GPU.snap.elf where they are missing."""

    def __init__(self, mali_run, folder, gpu, settings=(), sample=512):
        self.mali_run, self.folder, self.gpu, self.sample = mali_run, pathlib.Path(folder), gpu, sample
        self.settings = [s for setting in settings for s in ("-timing-set", setting)] + ["-timing-sample", str(sample)]
        self.numbers = gpus.read(gpu)
        self.numbers.update({key: float(value) for key, value in (s.split("=", 1) for s in settings)})
        self.cores = int(self.numbers["cores"])
        self.counts = counts_of(self.cores)
        self.file = self.folder / f"measured.{gpu}.json"
        self.known = json.loads(self.file.read_text()) if self.file.exists() else {}
        self.runs, self.gated = 0, None

    def run(self, *arguments):
        done = subprocess.run([str(a) for a in (self.mali_run, *arguments)], capture_output=True, text=True, check=False)
        if done.returncode:
            raise Trouble(done.stderr.strip() or f"{self.mali_run} ended with status {done.returncode}")
        return done.stdout

    def path(self, name):
        return self.folder / f"{name}.trace"

    def trace(self, snapshot):
        """Makes the trace of a snapshot, and a list of its shaders, if there is none. Returns the kernel's name."""
        name = re.sub(r"(\.[^.]*)?\.snap\.elf$", "", snapshot.name)
        if not self.path(name).exists() or not self.shaders(name).exists():
            self.run(snapshot, "-gpu", self.gpu, "-trace-timing", self.path(name), "-timing-sample", SAMPLE, "-report", self.folder / "report")
            found = json.loads((self.folder / "report/report.json").read_text())["kernels"]
            self.shaders(name).write_text("\n".join(kernel["hash"] for kernel in found) + "\n")
        return name

    def shaders(self, name):
        return self.folder / f"{name}.shaders"

    def model(self, *arguments):
        """Returns what mali-run writes as JSON, from the file of what is known if it has it."""
        key = " ".join([a.name if isinstance(a, pathlib.Path) else re.sub(r"[^ ,]*/", "", str(a)) for a in arguments] + self.settings)
        if key not in self.known:
            out = self.folder / "out.json"
            text = self.run(*arguments, "-timing", "detailed", "-timing-json", out, *self.settings, "-gpu", self.gpu)
            self.known[key] = [{k: v for k, v in job.items() if k != "bundles_of_code"} for job in json.loads(out.read_text())]
            for job, energy in zip(self.known[key], re.findall(r"mV: [\d.]+ W, ([\d.]+) uJ", text)):
                job["uj"] = float(energy)
            self.runs += 1
        return self.known[key]

    def keep(self):
        self.file.write_text(json.dumps(self.known, indent=0, sort_keys=True))

    def point(self, name, cores):
        jobs = self.model("-timing-from", self.path(name), "-timing-set", f"cores={cores}", "-power")
        total = sum(j["cycles"] for j in jobs)
        gated = (self.cores - cores) * self.gated_watts(name) * total / self.numbers["clock_mhz"]
        instructions = sum(j["instructions"] * j["groups_for_one"] for j in jobs)
        active = tuple(sum(j["active_cycles"][i] for j in jobs) for i in range(cores))
        return Point(cores, instructions / total, active, total, sum(j["uj"] for j in jobs) + gated), instructions, jobs

    def share(self, jobs, names, limit):
        """Bytes per cycle, by what the limit allows: how much of a bandwidth jobs use."""
        lines = sum(j[n] * j["groups_for_one"] for j in jobs for n in names)
        most = self.numbers.get(limit)
        return lines * self.numbers["line_bytes"] / sum(j["cycles"] for j in jobs) / most if most else 0.0

    def kernel(self, name):
        """Profiles a kernel on the numbers of cores."""
        measured = [self.point(name, n) for n in self.counts]
        ideal = best([p for p, _, _ in measured])
        instructions, jobs = next(m[1:] for m in measured if m[0] is ideal)
        return Kernel(name, instructions, tuple(p for p, _, _ in measured),
                      self.share(jobs, ("dram_reads", "dram_writes"), "dram_bandwidth"),
                      self.share(jobs, ("l2_reads", "l2_writes"), "l2_bandwidth"),
                      sum(j["requests"] * j["groups_for_one"] for j in jobs) / instructions,
                      tuple(self.shaders(name).read_text().split()))

    def gated_watts(self, name):
        """What a core without work takes, in W; asked with any trace."""
        if self.gated is None:
            text = self.run("-timing-from", self.path(name), "-gpu", self.gpu, "-timing", "detailed", "-power-set", "help")
            self.gated = sum(int(re.search(rf"^{n} +(\d+) uW", text, re.M)[1]) for n in ("core_gated", "core_leakage")) / 1e6
        return self.gated

    def slowdowns(self, a, cores_a, b, cores_b):
        """How much slower two kernels are side by side than each alone on as many cores."""
        swapped = (b, cores_b) < (a, cores_a)
        lanes = [(b, cores_b), (a, cores_a)] if swapped else [(a, cores_a), (b, cores_b)]
        arguments = [x for name, n in lanes for x in ("-timing-beside", f"{n},{self.path(name)}")]
        both = [lane["cycles"] / self.point(name, n)[0].total for lane, (name, n) in zip(self.model(*arguments), lanes)]
        return tuple(reversed(both)) if swapped else tuple(both)
