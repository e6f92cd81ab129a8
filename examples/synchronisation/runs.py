"""Builds the programs of this folder, runs them on eight cores in a mesh, and reads what they print."""
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
# Name, macros: the order of the dissertation's text.
METHODS = {
    "single lock": ("LOCK", 1),
    "delegation": ("DELEGATION", 1),
    "clustered": ("CLUSTERED", 1),
    "DSM-sync h=1": ("DSM_SYNC", 1),
    "DSM-sync h=10": ("DSM_SYNC", 10),
    "message passing": ("MESSAGE", 1),
}
STRUCTURES = ("queue", "stack", "deque", "heap")
# Fewest cores: one client, and a server where there is one.
FEWEST = {name: 1 if method in ("LOCK", "DSM_SYNC") else 2 for name, (method, _) in METHODS.items()}
# For any number of clients from 1 to 8; cycles of work between two requests.
PAIRS, THINK = 840, 240


class Machine:
    def __init__(self, build, folder):
        self.simulator, self.folder = pathlib.Path(build) / "bin/virt-riscv64", pathlib.Path(folder)
        self.tree = self.folder / "mesh8.dtb"
        subprocess.run(["dtc", "-q", "-O", "dtb", "-o", self.tree, HERE / "mesh8.dts"], check=True)

    def compiled(self, source, macros):
        elf = self.folder / f"{source}-{'-'.join(str(v) for v in macros.values())}.elf"
        if not elf.exists():
            subprocess.run(["riscv64-linux-gnu-gcc", "-march=rv64ima", "-mabi=lp64", "-mcmodel=medany", "-O2", "-Wall",
                            "-Wextra", "-Werror", "-ffreestanding", "-nostdlib", "-static", "-Wl,--build-id=none",
                            "-Wl,-Ttext=0x80200000", *(f"-D{k}={v}" for k, v in macros.items()), HERE / "start.S",
                            HERE / f"{source}.c", "-o", elf], check=True)
        return elf

    def lines(self, elf, cores):
        done = subprocess.run([self.simulator, "-nographic", "-limit", "10", "-m", "256M", "-cpu-timing", "-smp",
                               str(cores), "-dtb", self.tree, "-kernel", elf], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=300, check=False)
        if done.returncode:
            raise SystemExit(f"{elf.name} on {cores} cores ended with {done.returncode}\n{done.stdout}{done.stderr}")
        return [line.split() for line in done.stdout.replace("\r", "").splitlines() if line]

    def sync(self, method, structure, cores, pairs=PAIRS, think=THINK, history=False):
        """Returns the sums that the program prints, and the rows of its history in order of execution."""
        name, h = METHODS[method]
        macros = {"METHOD": name, "STRUCTURE": structure.upper(), "H": h, "PAIRS": pairs, "THINK": think}
        if history:
            macros["HISTORY"] = 1
        lines = self.lines(self.compiled("sync", macros), cores)
        sums = {line[0]: int(line[1]) for line in lines if len(line) == 2}
        return sums, [tuple(map(int, line[1:])) for line in lines if line[0] == "request"]

    def terms(self):
        return {line[0]: int(line[1]) for line in self.lines(self.compiled("terms", {}), 8)}
