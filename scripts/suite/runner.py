"""Runs the cases of a suite, several at a time, each with limits of time, memory and output."""
import concurrent.futures
import os
import re
import resource
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from suite.model import Ended, MODES, Result

OUTPUT_LIMIT = 4 << 20      # bytes of output; the rest is dropped
GRACE = 0.2                 # seconds between checks of a process that prints nothing


def set_limits(pid, case):
    """Limits memory and output. The simulators reserve far more addresses than they use, so
    RLIMIT_AS would stop them."""
    for what, most in ((resource.RLIMIT_DATA, case.megabytes << 20), (resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, 1 << 30)):
        try:
            resource.prlimit(pid, what, (most, most))
        except ProcessLookupError:
            pass        # the process has ended


def read_until_end(process, case, deadline, stop):
    """Returns the output, and whether the process must be ended because `until` matched."""
    output, found = bytearray(), False
    pattern = re.compile(case.until.encode()) if case.until else None
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while time.monotonic() < deadline and not stop.is_set():
            if not selector.select(GRACE):
                if process.poll() is not None:
                    break       # a child that is still running holds the pipe
                continue
            data = os.read(process.stdout.fileno(), 1 << 16)
            if not data:
                break
            output += data[:max(0, OUTPUT_LIMIT - len(output))]
            if pattern and pattern.search(output):
                found = True
                break
    return output.decode(errors="replace"), found


def wait(process, deadline, stop):
    """Returns the status of a process that no longer prints; None: it must be ended."""
    while True:
        try:
            return process.wait(GRACE)
        except subprocess.TimeoutExpired:
            if time.monotonic() >= deadline or stop.is_set():
                return None


def end_group(process):
    """Ends all processes of the case's session, some of which may outlive the first."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def run_command(command, case, folder, stop=threading.Event()):
    """Runs a process to its end, to its time limit, or until the event `stop`."""
    start = time.monotonic()
    deadline = start + case.seconds
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               cwd=folder, start_new_session=True)
    status = None
    try:
        set_limits(process.pid, case)
        output, found = read_until_end(process, case, deadline, stop)
        if found:
            status = 0
        else:
            status = wait(process, deadline, stop)
    finally:
        end_group(process)
        process.wait()
        process.stdout.close()
    return Ended(status, output, time.monotonic() - start)


def run_case(case, mode, work, stop):
    """Returns the results of a case in a mode, or by the referee."""
    command = case.referee if mode == "qemu" else [case.command[0], *MODES[mode], *case.command[1:]]
    folder = tempfile.mkdtemp(dir=work)
    try:
        ended = run_command([str(word) for word in command], case, folder, stop)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return [Result(f"{case.name}: {check.name}" if check.name else case.name, mode, check.status, check.detail,
                   round(ended.seconds, 3)) for check in number(case.judge(ended))]


def number(checks):
    """Numbers checks of the same name: a suite may print the same line twice."""
    seen = {}
    for check in checks:
        seen[check.name] = seen.get(check.name, 0) + 1
        if seen[check.name] > 1:
            check.name = f"{check.name} #{seen[check.name]}"
    return checks


class Progress:
    """Shows progress in one line of a terminal, and nothing elsewhere."""

    def __init__(self, title, total):
        self.title, self.total, self.done, self.failed = title, total, 0, 0

    def add(self, results):
        self.done += 1
        self.failed += sum(r.status not in ("pass", "skip") for r in results)
        if sys.stderr.isatty():
            end = "\n" if self.done == self.total else ""
            print(f"\r{self.title}: {self.done} of {self.total} runs, {self.failed} failures", end=end, file=sys.stderr, flush=True)


def run_all(title, cases, modes, jobs, work):
    """Returns the results of all cases in all modes, in the order of the cases. `work` is a folder
    for their files."""
    runs = [(case, mode) for case in cases for mode in modes if mode != "qemu" or case.referee]
    progress = Progress(title, len(runs))
    results, stop = [], threading.Event()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        try:
            for found in pool.map(lambda run: run_case(*run, work, stop), runs):
                progress.add(found)
                results += found
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise
    return results
