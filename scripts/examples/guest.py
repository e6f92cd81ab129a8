"""A simulated machine with -reverse, and GDB at it, for the examples of this folder."""
import re
import subprocess
import sys
import time


class Guest:
    """Runs a command in a folder; the machine ends with the block."""

    def __init__(self, command, work, every):
        self.out, self.err = work / "out", work / "err"
        with self.out.open("wb") as out, self.err.open("wb") as err:
            self.process = subprocess.Popen([*map(str, command), "-gdb", "tcp::0", "-reverse", f"every={every}"],
                                            stdin=subprocess.DEVNULL, stdout=out, stderr=err)

    def __enter__(self):
        self.port = self.wait_for(r"TCP port (\d+)", 300)[1]
        return self

    def __exit__(self, *ignored):
        self.process.kill()
        self.process.wait()

    def printed(self):
        return self.err.read_text(errors="replace") + self.out.read_text(errors="replace")

    def wait_for(self, pattern, seconds):
        """The match of what the simulator or the guest prints."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = re.search(pattern, self.printed())
            if found:
                return found
            if self.process.poll() is not None:
                break
            time.sleep(0.5)
        self.process.kill()
        sys.exit(f"{pattern!r} was not printed:\n{self.printed()[-3000:]}")

    def gdb(self, lines):
        """What GDB prints for these commands, each behind its prompt."""
        words = ["gdb-multiarch", "-nx", "-q", "-batch"]
        for line in ("set pagination off", "set confirm off", "set architecture aarch64", "set remotetimeout 1000",
                     f"target remote 127.0.0.1:{self.port}"):
            words += ["-ex", line]
        for line in lines:
            words += ["-ex", f"echo \\n(gdb) {line}\\n", "-ex", line]
        text = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=7200, check=False).stdout
        return re.sub(r"(?s)^.*?\n(?=\n\(gdb\))|\n\(gdb\) kill.*", "", text)
