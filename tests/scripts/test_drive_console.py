"""scripts/drive-console types at prompts, and returns the program's status."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

DRIVE = Path(__file__).resolve().parents[2] / "scripts/drive-console"

# A console that answers each line, and ends with the status that `exit` names.
CONSOLE = r"""
printf 'booting\n'
while printf 'guest:~# \033[6n' && read -r word rest; do
    case $word in
    exit) exit "$rest" ;;
    kill) kill -9 $$ ;;
    hang) exec sleep 60 ;;
    *) echo "<$word>" ;;
    esac
done
"""


class DriveConsole(unittest.TestCase):
    def drive(self, *lines, timeout="20", prompt="guest:[^ ]*# $", extra=()):
        sends = [word for line in lines for word in ("--send", line)]
        return subprocess.run([sys.executable, str(DRIVE), "--prompt", prompt, "--timeout", timeout,
                               *sends, *extra, "--", "sh", "-c", CONSOLE],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)

    def test_answers_and_status(self):
        done = self.drive("one", "two", "exit 7")
        self.assertEqual(done.returncode, 7)
        self.assertLess(done.stdout.index("<one>"), done.stdout.index("<two>"))

    def test_success(self):
        self.assertEqual(self.drive("exit 0").returncode, 0)

    def test_signal(self):
        self.assertEqual(self.drive("kill").returncode, 128 + 9)

    def test_early_end(self):
        done = self.drive("exit 0", "never typed")
        self.assertEqual(done.returncode, 125)
        self.assertIn("never typed", done.stderr)

    def test_no_prompt(self):
        done = self.drive("one", timeout="0.5", prompt="login: ")
        self.assertEqual(done.returncode, 124)

    def test_no_end(self):
        self.assertEqual(self.drive("hang", timeout="0.5").returncode, 124)

    def test_script_and_log(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "script").write_text("one\nexit 3\n")
            log = Path(folder) / "log"
            done = self.drive(extra=["--script", str(Path(folder) / "script"), "--log", str(log)])
            self.assertEqual(done.returncode, 3)
            self.assertEqual(log.read_text(), done.stdout)


if __name__ == "__main__":
    unittest.main()
