"""The OpenCL half of scripts/t624: runs the kernels in Debian's guest on the Juno, whose Mesa compiles them and whose
driver gives them to the GPU of the board's own device tree. Each leaves a snapshot of what was submitted."""
import re
import subprocess

HERE = __file__.rsplit("/", 1)[0]
FEW = 2  # passes of a first run of each kernel: some leave after many what they leave after any number
# The prompt, then everything; the script's run ends with the machine.
SCRIPT = 'expect :~# \nsend sh /mnt/work/run.sh; poweroff\\n\n'
COMMANDS = """modprobe panfrost
RUSTICL_ENABLE=panfrost MIDGARD_MESA_DEBUG=shaderdb /mnt/programs/kernels /mnt/t624 /mnt/work/list >/mnt/work/out 2>&1
echo status $? >>/mnt/work/out
sync
"""


class Guest:
    """One boot, which runs a list of kernels."""

    def __init__(self, build, files, folder):
        self.build, self.files, self.folder = build, files, folder
        self.compiled = set()  # of each shader: instructions, words, registers, loops, as Mesa counts

    def command(self):
        work, files = self.folder, self.files
        return [self.build / "bin/juno", "-nographic", "-m", "2G", "-kernel", files / "vmlinuz-arm64",
                "-dtb", files / "dtb/juno-r2.dtb", "-initrd", files / "initramfs-arm64-disk.cpio.gz",
                "-append", "console=ttyAMA0 root=/dev/vda rw",
                "-drive", f"file={files / 'rootfs-arm64-gpu.ext4'},format=raw,snapshot=on",
                "-virtfs", f"local,path={work},mount_tag=work",
                "-virtfs", f"local,path={self.build / 'guest/arm64'},mount_tag=programs,readonly=on",
                "-virtfs", f"local,path={HERE},mount_tag=t624,readonly=on",
                "-gpu-snapshot", work / "snapshots", "-script", work / "script", "-limit", "7200"]

    def run(self, kernels):
        """kernels: (rows.Cl, passes). Of each whether it left what it has to, and the snapshot of its run of all passes;
        or None, and what went wrong."""
        lines = []
        for cl, passes in kernels:
            for n in FEW, passes:
                words = ",".join(f"{w:x}" for w in cl.model(n))
                lines.append(f"{cl.file} {cl.kernel} {cl.threads} {n} {words} {cl.options}\n")
        (self.folder / "list").write_text("".join(lines))
        (self.folder / "run.sh").write_text(COMMANDS)
        (self.folder / "script").write_text(SCRIPT)
        (self.folder / "snapshots").mkdir()
        done = subprocess.run([str(word) for word in self.command()], stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=3600, check=False)
        out = self.folder / "out"
        text = out.read_text(errors="replace") if out.exists() else ""
        said = re.findall(r"^(\w+): (right|word .*)$", text, re.M)
        snapshots = sorted((self.folder / "snapshots").iterdir())
        if done.returncode or len(said) != len(lines) or len(snapshots) != len(lines):
            return None, f"{done.stderr.decode(errors='replace')[-2000:]}{text[-2000:]}" \
                         f"{len(lines)} kernels, {len(said)} ended, {len(snapshots)} snapshots"
        self.compiled = set(re.findall(r"SHADER-DB: .*shader: (\d+) inst, (\d+) bundles, .* "
                                       r"(\d+) registers, .* (\d+) loops", text))
        return [(said[2 * k][1] == said[2 * k + 1][1] == "right", snapshots[2 * k + 1])
                for k in range(len(kernels))], None
