"""A simulated machine with guest software, whose console a script drives at virtual times.

The output of a boot is one fixed text. Without the guest software a test fails, with the command to
run."""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
from collections import namedtuple

from printed import expect, fail, refuse

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "machine"))
import trace_events  # noqa: E402 pylint: disable=wrong-import-position

# Files of scripts/fetch-guest for a machine: kernel, architecture, device tree (None: the machine's
# own), console.
Board = namedtuple("Board", "kernel architecture dtb console")
BOARDS = {
    "juno": Board("vmlinuz-arm64", "arm64", "juno-r2.dtb", "ttyAMA0"),
    "vexpress": Board("vmlinuz-armmp", "armhf", "vexpress-v2p-ca15-tc1.dtb", "ttyAMA0"),
    "vexpress-ca53": Board("vmlinuz-arm64", "arm64", "vexpress-v2f-1xv7-ca53x2.dtb", "ttyAMA0"),
    "virt-riscv64": Board("vmlinuz-riscv64", "riscv64", None, "ttyS0"),
    "malta": Board("vmlinuz-4kc-malta", "mipsel", None, "ttyS0"),
}

TROUBLE = (r"Oops", r"Kernel panic", r"BUG:", r"WARNING: CPU", r"Unable to handle",
           r"rcu: INFO", r"segfault", r"Internal error", r"soft lockup")


class Bench:
    """The simulator, the guest software, and a folder for the files of a run."""

    def __init__(self, args, work):
        self.simulator, self.board = args.simulator, BOARDS[args.board]
        self.guest, self.work = pathlib.Path(args.guest), pathlib.Path(work)

    def need(self, *names):
        for name in names:
            if not (self.guest / name).exists():
                print(f"boot: {self.guest / name} is missing: run scripts/fetch-guest")
                sys.exit(1)

    def command(self, script, *options, disk=False, kernel=None, dtb=None, programs=None,
                initrd=None):
        """Returns the command line of a boot whose console `script` drives: to busybox's shell, or
        to the userland on a disk. `programs` names another architecture whose programs the CPUs
        run, too."""
        board = self.board
        dtb = dtb or board.dtb
        name = f"initramfs-{programs or board.architecture}{'-disk' if disk else ''}.cpio.gz"
        append = f"console={board.console} " + ("root=/dev/vda rw" if disk else "rdinit=/init")
        self.need(board.kernel, name, *(["dtb/" + dtb] if dtb else []))
        words = [self.simulator, "-kernel", kernel or self.guest / board.kernel,
                 *(["-dtb", self.guest / "dtb" / dtb] if dtb else []),
                 "-initrd", initrd or self.guest / name,
                 "-append", append, "-script", HERE / script, "-limit", "600", *options]
        return [str(word) for word in words]

    def boot(self, script, *options, status=0, timeout=1500, **files):
        """Runs the simulator to its end. Returns what the guest printed, and the messages."""
        command = self.command(script, *options, **files)
        done = subprocess.run(command, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=timeout)
        text = done.stdout.decode(errors="replace")
        messages = done.stderr.decode(errors="replace")
        if done.returncode != status:
            print(text[-4000:], messages, sep="\n")
            fail(f"status {done.returncode} instead of {status}")
        return text, messages

    def initrd_with(self, source, *compiler):
        """Returns the initial RAM disk with the program compiled from `source` appended; both stay
        in `work`."""
        name = f"initramfs-{self.board.architecture}.cpio.gz"
        program, initrd = self.work / pathlib.Path(source).stem, self.work / "initrd"
        self.need(name)
        subprocess.run([*compiler, "-static", "-O2", "-o", program, HERE / source], check=True)
        packed = subprocess.run(["cpio", "-o", "-H", "newc", "--quiet"], input=program.name.encode(),
                                cwd=self.work, stdout=subprocess.PIPE, check=True).stdout
        first = (self.guest / name).read_bytes()
        initrd.write_bytes(first + bytes(-len(first) % 4) + packed)
        return initrd

    def perf(self, compiler):
        """Performance monitors count the instructions and cycles of a loop exactly."""
        text, _ = self.boot("perf.script", initrd=self.initrd_with("perf_count.c", compiler))
        expect(text, r"^instructions of a million rounds: 2000000\r?$",
               r"^cycles of a million rounds: 2000000\r?$")

    def rootfs(self):
        """Returns the disk with the userland."""
        name = f"rootfs-{self.board.architecture}.ext4"
        self.need(name)
        return self.guest / name

    def compare(self, one, other, message):
        """Fails if two texts differ, and shows where."""
        if one == other:
            return
        (self.work / "a").write_text(one)
        (self.work / "b").write_text(other)
        subprocess.run(["diff", self.work / "a", self.work / "b"], check=False)
        fail(message)

    def check_tasks(self, timeline):
        """The timeline is as Perfetto takes it, and CPUs run what the script makes them run."""
        slices = [e for e in trace_events.check(timeline.read_text()) if e["ph"] == "X" and e["pid"] == 1]
        names = {e["name"] for e in slices}
        expect("\n".join(sorted(names)), r"^init$", r"^kthreadd$", r"^sh(a256sum)?$|^busybox$")
        refuse("\n".join(sorted(names)), r"^swapper", r"^task$")

    def boot_with_gdb(self, gdb, commands, *options, script="gdb.script", initrd=None):
        """Boots under a debugger that runs `commands`. Returns what the debugger printed."""
        command = self.command(script, "-smp", "2", "-no-kaslr", "-clock", "virtual",
                               "-gdb", "tcp:127.0.0.1:0", "-S", *options, initrd=initrd)
        with subprocess.Popen(command, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as simulator:
            try:
                port = next(found.group(1) for line in simulator.stderr
                            if (found := re.search(r"TCP port (\d+)", line.decode())))
                commands.write_text(commands.read_text().replace("PORT", port))
                done = subprocess.run([gdb, "-nx", "-batch", "-x", commands], timeout=600,
                                      stdin=subprocess.DEVNULL, capture_output=True, check=False)
                status = simulator.wait(timeout=60)
            finally:
                simulator.kill()
        text = done.stdout.decode(errors="replace")
        if status:
            print(text, done.stderr.decode(errors="replace"), sep="\n")
            fail(f"under the debugger the simulator ended with status {status}")
        return text

    def compare_translated(self, *runs):
        """Translated, the guest prints byte for byte what it prints interpreted, which runs with the same options share.
        Each run has the counter of jit/ that must not be zero, a name, and its script and options."""
        interpreted = {}
        for counter, name, script, *options in runs:
            machine = (script, *options[:options.index("-accel")])
            if machine not in interpreted:
                interpreted[machine], _ = self.boot(*machine, "-accel", "interp")
            stats = self.work / "stats"
            text, _ = self.boot(script, *options, "-stats", stats)
            self.compare(interpreted[machine], text, f"{name}: translated, the guest prints something else")
            counts = (stats / "stats.txt").read_text()
            expect(counts, rf"jit/{counter} +[1-9]", r"jit/failed +0$")


def run(board, tests, summary):
    """The program of a board's tests: runs the test that the command line names."""
    names = {name[5:]: fn for name, fn in tests.items() if name.startswith("test_")}
    parser = argparse.ArgumentParser(description=summary)
    parser.add_argument("--simulator", required=True)
    parser.add_argument("--guest", required=True, help="the folder of the guest software")
    parser.add_argument("test", choices=sorted(names))
    args = parser.parse_args()
    args.board = board
    with tempfile.TemporaryDirectory(prefix="gencc-boot-") as work:
        names[args.test](Bench(args, work))
    print(f"boot: {args.test} passed")
