"""scripts/demo with stand-ins for its steps: its output while they run, and when one fails."""
import fcntl
import os
import pty
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"

# `--list` names missing packages until they are installed.
SETUP = """
case " $* " in
*" --list "*) [ -f installed ] || echo cmake; exit 0 ;;
*" --for "*) echo fetcher >>order; exit 0 ;;
esac
echo '0 upgraded, 2 newly installed, 0 to remove and 0 not upgraded.'
echo 'Unpacking cmake (3.25) ...'
sleep $SLOW
echo all >>order
touch installed
"""
FETCH = "echo guest >>order; echo 'fetch-guest: kernel-arm64: making vmlinuz-arm64'; sleep $SLOW\n"
CMAKE = """
echo "cmake $*" >>order
case $1 in
--preset) mkdir -p build; touch build/build.ninja ;;
*) printf '[1/2] Building a\\n[2/2] Building b\\n'; sleep $SLOW ;;
esac
"""
DRIVE = "echo \"driven $*\"\nexit 7\n"
# A simulator that shows a prompt and serves its monitor, which may save.
JUNO = """
case "$*" in
*-loadvm*) echo "driven $*"; read -r line; echo "root@debian:/# "; while [ "$line" != poweroff ]; do read -r line; done; exit 7 ;;
esac
exec python3 - "$@" <<'END'
import os, pathlib, socket, sys
path = sys.argv[sys.argv.index("-monitor") + 1].split(":")[1].split(",")[0]
with socket.socket(socket.AF_UNIX) as server:
    server.bind(path)
    server.listen()
    print("root@debian:/# ", end="", flush=True)
    peer = server.accept()[0]
    said = b""
    while b"quit" not in said:
        said += peer.recv(100)
if b"savevm shell" in said and "NO_SNAPSHOT" not in os.environ:
    pathlib.Path("build/demo/shell.gvm").touch()
with open("order", "a") as order:
    print("saved", file=order)
END
"""


class Demo(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = Path(scratch.name)
        (self.root / "scripts").mkdir()
        shutil.copy(SCRIPTS / "demo", self.root / "scripts/demo")
        for name, text in (("setup", SETUP), ("fetch-guest", FETCH), ("drive-console", DRIVE)):
            self.program(f"scripts/{name}", text)
        self.program("bin/cmake", CMAKE)
        self.program("bin/sudo", "exit 0\n")

    def program(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o755)

    def command(self, *arguments, slow="0", **options):
        """Returns the demo's command, with steps that take `slow` seconds each."""
        environment = dict(os.environ, PATH=f"{self.root}/bin:{os.environ['PATH']}", TERM="dumb", SLOW=slow)
        return dict(args=[str(self.root / "scripts/demo"), *arguments], env=environment, stdin=subprocess.DEVNULL, **options)

    def run_demo(self, *arguments):
        return subprocess.run(**self.command(*arguments, capture_output=True, text=True, timeout=60))

    def order(self):
        return (self.root / "order").read_text().splitlines()

    def test_a_line_a_step(self):
        done = self.run_demo()
        self.assertEqual((done.stderr, done.returncode), ("", 7), "the status is the simulator's")
        lines = [line for line in done.stdout.splitlines() if line.startswith("demo: 0:")]
        for step in ("packages", "guest software", "build"):
            said = [line[len("demo: 0:00 "):] for line in lines]
            self.assertEqual(said.count(f"{step}: begins"), 1, lines)
            self.assertEqual(sum(line.startswith(f"{step}: done in 0:") for line in said), 1, lines)
        self.assertIn("driven --prompt", done.stdout)

    def test_the_guest_is_fetched_while_packages_are_installed(self):
        self.run_demo()
        order = self.order()
        self.assertLess(order.index("fetcher"), order.index("guest"))
        self.assertLess(order.index("all"), order.index("cmake --build build --target demo"))
        self.assertIn("cmake --preset demo", order)

    def test_a_build_that_is_configured_stays_so(self):
        (self.root / "build").mkdir()
        (self.root / "build/build.ninja").touch()
        (self.root / "installed").touch()
        self.assertEqual(self.run_demo().returncode, 7)
        self.assertEqual(sorted(self.order()), ["cmake --build build --target demo", "guest"])

    def test_one_line_on_a_terminal(self):
        main, side = pty.openpty()
        fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 200, 0, 0))
        with subprocess.Popen(**self.command(slow="1.5", stdout=side, stderr=subprocess.PIPE)) as child:
            os.close(side)
            said = b""
            end = time.monotonic() + 60
            while select.select([main], [], [], max(0, end - time.monotonic()))[0]:
                try:
                    said += os.read(main, 4096)
                except OSError:  # the other side has closed
                    break
        os.close(main)
        self.assertEqual(child.returncode, 7)
        progress = said.split(b"demo: build/bin/juno")[0].decode()
        for part in ("packages: 25 %, unpacking cmake", "guest software: kernel-arm64: making vmlinuz", "build: 2 of 2"):
            self.assertRegex(progress, rf"\r\x1b\[Kdemo: 0:0\d  \|.*{part}")
        self.assertNotIn("begins", progress)

    def test_a_step_that_fails(self):
        self.program("bin/cmake", "echo 'cc: no such file'; exit 3\n")
        self.program("scripts/fetch-guest", "trap 'echo ended >>order; exit 1' INT; sleep 30 & wait\n")
        start = time.monotonic()
        done = self.run_demo()
        self.assertEqual(done.returncode, 3)
        self.assertIn("demo: build: failed with status 3. The last lines of build/demo/build.log:\n"
                      "    cc: no such file\n", done.stderr)
        self.assertNotIn("driven", done.stdout)
        self.assertLess(time.monotonic() - start, 25, "what else runs is ended, not waited for")
        self.assertIn("ended", self.order())

    def test_packages_that_fail(self):
        self.program("scripts/setup", 'case " $* " in *" --list "*) echo cmake; exit 0 ;; esac\n'
                                      "echo 'setup: needs root or sudo'; exit 2\n")
        done = self.run_demo()
        self.assertEqual(done.returncode, 2)
        self.assertIn("failed with status 2. The last lines of build/demo/packages.log:\n"
                      "    setup: needs root or sudo\n", done.stderr)
        self.assertFalse((self.root / "order").exists(), "nothing else was begun")

    def resume(self, *options):
        """Runs the demo from its snapshot; returns what else it did for that."""
        before = len(self.order()) if (self.root / "order").exists() else 0
        done = self.run_demo("--resume", *options)
        self.assertEqual((done.stderr, done.returncode), ("", 7), "the status is the simulator's")
        self.assertRegex(done.stdout, r"driven .*-loadvm shell\n")
        return (self.order() if (self.root / "order").exists() else [])[before:]

    def test_a_snapshot_is_made_once(self):
        self.program("build/bin/juno", JUNO)
        (self.root / "cache/guest").mkdir(parents=True)
        kernel = self.root / "cache/guest/vmlinuz-arm64"
        kernel.touch()
        order = self.resume()
        self.assertEqual(order[-1], "saved")
        self.assertIn("cmake --build build --target demo", order)
        self.assertEqual(self.resume(), [], "nothing has changed")
        self.program("build/bin/juno", JUNO + "# another")
        self.assertEqual(self.resume()[-1:], ["saved"], "the simulator is another")
        kernel.unlink()
        kernel.write_text("another")
        self.assertEqual(self.resume()[-1:], ["saved"], "the kernel is another")
        self.assertEqual(self.resume("-gpu", "g52")[-1:], ["saved"], "the options are others")
        self.assertEqual(self.resume("-gpu", "g52"), [])

    def test_a_snapshot_that_cannot_be_made(self):
        self.program("build/bin/juno", JUNO)
        os.environ["NO_SNAPSHOT"] = "1"
        self.addCleanup(os.environ.pop, "NO_SNAPSHOT")
        done = self.run_demo("--resume")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.order()[-1], "saved", "it was asked to")
        self.assertIn("demo: no snapshot was made. The last lines of build/demo/shell.log:", done.stderr)
        self.assertNotIn("driven", done.stdout)


if __name__ == "__main__":
    unittest.main()
