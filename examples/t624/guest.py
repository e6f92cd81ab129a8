"""The OpenCL half of scripts/t624: runs the kernels in Debian's guest on the Juno. Mesa compiles
them, and the driver submits them to the GPU of the board's own device tree. Each leaves a snapshot
of the submission."""
import pathlib
import re
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "gpu"))
import capture

FEW = 2  # passes of the first run, since some results no longer change after many


class Guest:
    """One boot, which runs a list of kernels."""

    def __init__(self, build, files, folder):
        self.guest = capture.Guest(build, files, set_variables="MIDGARD_MESA_DEBUG=shaderdb")
        self.folder = folder
        self.compiled = set()  # per shader: instructions, words, registers, loops, as Mesa counts

    def right(self, launch, wanted):
        """Returns whether the launch's buffer holds these words."""
        words = (self.folder / "results" / f"{launch}.0").read_bytes()
        return words == struct.pack(f"<{len(wanted)}I", *wanted)

    def run(self, kernels):
        """kernels: (rows.Cl, passes). Returns for each whether its result is right, and the
        snapshot of its run of all passes; or None, and an error."""
        runs = [(cl, n) for cl, passes in kernels for n in (FEW, passes)]
        wanted = [[word & 0xffffffff for word in cl.model(n)] for cl, n in runs]
        lines = [f"{k} {cl.file} {cl.kernel} {cl.threads} 1 zero:{4 * len(wanted[k])} u32:{n}" +
                 (f" -- {cl.options}" if cl.options else "") for k, (cl, n) in enumerate(runs)]
        try:
            snapshots, text = self.guest.run(HERE, lines, self.folder, results=True)
        except capture.Trouble as trouble:
            return None, str(trouble)
        right = [self.right(k, words) for k, words in enumerate(wanted)]
        self.compiled = set(re.findall(r"SHADER-DB: .*shader: (\d+) inst, (\d+) bundles, .* "
                                       r"(\d+) registers, .* (\d+) loops", text))
        return [(right[2 * k] and right[2 * k + 1], snapshots[2 * k + 1]) for k in range(len(kernels))], None
