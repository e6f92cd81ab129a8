"""OpenCL kernels in Debian's guest on the Juno. Mesa compiles them and the driver submits them to
the GPU; each launch leaves a memory snapshot of the submission. scripts/gpu-capture and other
scripts share this code."""
import hashlib
import json
import pathlib
import re
import struct
import subprocess
import tempfile

from snapshot import Snapshot

# Waits for the prompt, then types all commands; the simulator ends with the guest's power-off.
SCRIPT = 'expect :~# \nsend sh /mnt/work/run.sh; poweroff\\n\n'
COMMANDS = """modprobe panfrost
{set} RUSTICL_ENABLE=panfrost /mnt/programs/launches /mnt/sources /mnt/work/list {out} >/mnt/work/said 2>&1
echo status $? >>/mnt/work/said
sync
"""


class Trouble(Exception):
    """An error, as one message."""


def tool(*words):
    """Runs a program; returns what it printed."""
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=7200, check=False)
    if done.returncode:
        raise Trouble(f"{pathlib.Path(words[0]).name}: {done.stderr.strip()[-2000:]}")
    return done.stdout


class Guest:
    """A build, files of scripts/fetch-guest, and a GPU of -gpu; None: the board's own."""

    def __init__(self, build, files, gpu=None, set_variables=""):
        self.build, self.files, self.gpu = pathlib.Path(build), pathlib.Path(files), gpu
        self.image = "rootfs-arm64-gpu.ext4"
        self.set_variables = set_variables  # in the guest, as a shell has them before a command

    def command(self, sources, work, options):
        files = self.files
        return [self.build / "bin/juno", "-nographic", "-m", "2G", "-kernel", files / "vmlinuz-arm64",
                "-dtb", files / "dtb/juno-r2.dtb", "-initrd", files / "initramfs-arm64-disk.cpio.gz",
                *(["-gpu", self.gpu] if self.gpu else []),
                "-append", "console=ttyAMA0 root=/dev/vda rw",
                "-drive", f"file={files / self.image},format=raw,snapshot=on",
                "-virtfs", f"local,path={work},mount_tag=work",
                "-virtfs", f"local,path={self.build / 'guest/arm64'},mount_tag=programs,readonly=on",
                "-virtfs", f"local,path={sources},mount_tag=sources,readonly=on",
                "-script", work / "script", "-limit", "7200", *options]

    def boot(self, sources, commands, work, *options):
        """One boot that runs shell commands, which have the folder `sources` as /mnt/sources, and `work` as /mnt/work.
        Returns the simulator's status, what it said, and what the commands left in work/said."""
        work = pathlib.Path(work)
        (work / "run.sh").write_text(commands)
        (work / "script").write_text(SCRIPT)
        done = subprocess.run([str(word) for word in self.command(sources, work, options)], stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=7200, check=False)
        text = (work / "said").read_text(errors="replace") if (work / "said").exists() else ""
        return done.returncode, done.stderr.decode(errors="replace"), text

    def run(self, sources, lines, work, results=False):
        """Runs all lines of a list, in the format of examples/gpu/launches.c, in one boot. Returns
        the launches' snapshots, in order, and the output of Mesa and the program. With `results`,
        buffer k of NAME is left in work/results/NAME.k."""
        work = pathlib.Path(work)
        (work / "list").write_text("".join(line + "\n" for line in lines))
        for folder in "snapshots", "results":
            (work / folder).mkdir()
        commands = COMMANDS.format(set=self.set_variables, out="-out /mnt/work/results" if results else "")
        status, host, text = self.boot(sources, commands, work, "-gpu-snapshot", work / "snapshots")
        ran = re.findall(r"^(\S+): done$", text, re.M)
        snapshots = sorted((work / "snapshots").iterdir())
        if status or len(ran) != len(lines) or len(snapshots) != len(lines):
            raise Trouble(f"{host[-2000:]}{text[-2000:]}"
                          f"{len(lines)} launches, {len(ran)} ended, {len(snapshots)} snapshots")
        return snapshots, text


def launches(text):
    """Returns the lines of a list that are launches, by name."""
    lines = [line.strip() for line in text.splitlines()]
    return {line.split()[0]: line for line in lines if line and not line.startswith("#")}


def buffers(line):
    """Returns, per buffer with a content: its argument's number, its first bytes, and the text of
    the argument."""
    words = line.split(" -- ")[0].split()[5:]
    for number, word in enumerate(words):
        kind, _, rest = word.partition("~")[0].partition(":")
        if kind in ("words", "floats", "halves", "below"):
            count, seed, *limit = (int(n, 0) for n in rest.split(":"))
            yield number, content(kind, min(count, 64), seed, *limit), word


def content(kind, count, seed, *limits):
    """The same words as read_words() of launches.c."""
    x, out = (seed * 2654435761 + 1) & 0xffffffff, b""
    for i in range(count):
        x = (x * 1664525 + 1013904223) & 0xffffffff
        word = x ^ x >> 16
        if kind == "floats":
            out += struct.pack("<f", (x >> 8) / 2**24)
        elif kind == "halves":
            out += struct.pack("<HH", (word & 0x3fff) % 0x3c00, (word >> 16 & 0x3fff) % 0x3c00)
        else:
            out += struct.pack("<I", word % limits[i % len(limits)] if limits else word)
    return out


class Kept:
    """A folder of snapshots NAME.GPU.snap.elf; NAME.GPU.json records the sources of each, and the
    addresses of its buffers."""

    def __init__(self, folder, gpu):
        self.folder, self.gpu = pathlib.Path(folder), gpu or "own"

    def path(self, name, kind="snap.elf"):
        return self.folder / f"{name}.{self.gpu}.{kind}"

    def note(self, name):
        path = self.path(name, "json")
        return json.loads(path.read_text()) if path.exists() else {}

    def made_of(self, sources, line):
        source = (pathlib.Path(sources) / line.split()[1]).read_bytes()
        return hashlib.sha256(source + re.sub(r"~\S*", "", line).encode()).hexdigest()

    def fresh(self, sources, name, line):
        return self.path(name).exists() and self.note(name).get("made_of") == self.made_of(sources, line)

    def add(self, sources, name, line, snapshot):
        memory = Snapshot(pathlib.Path(snapshot).read_bytes())
        places = {number: memory.find(begin) for number, begin, _ in buffers(line)}
        memory.describe("args", [{"index": number, "va": places[number], "size": 4 * int(word.split(":")[1], 0)}
                                 for number, _, word in buffers(line) if places[number]])
        self.folder.mkdir(parents=True, exist_ok=True)
        self.path(name).write_bytes(memory.bytes())
        pathlib.Path(snapshot).unlink()
        self.path(name, "json").write_text(json.dumps({"made_of": self.made_of(sources, line), "buffers": places}))


def capture(guest, sources, lines, kept):
    """Makes those snapshots of a list's lines (by name) that are missing or whose sources have
    changed; returns their names."""
    wanted = {name: line for name, line in lines.items() if not kept.fresh(sources, name, line)}
    if wanted:
        with tempfile.TemporaryDirectory(prefix="gencc-capture-") as folder:
            snapshots, _ = guest.run(sources, list(wanted.values()), folder)
            for (name, line), snapshot in zip(wanted.items(), snapshots):
                kept.add(sources, name, line, snapshot)
    return list(wanted)
