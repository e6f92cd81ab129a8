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

OUTPUT_LIMIT = 4 << 20      # bytes of output; what comes later is dropped
GRACE = 0.2                 # seconds between looks at a process that prints nothing


def set_limits(pid, case):
    """The simulators reserve far more addresses than they use, so RLIMIT_AS would refuse them."""
    for what, most in ((resource.RLIMIT_DATA, case.megabytes << 20), (resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, 1 << 30)):
        try:
            resource.prlimit(pid, what, (most, most))
        except ProcessLookupError:
            pass        # it has ended


def read_until_end(process, case, deadline, stop):
    """The output, and whether the process has to be ended by us because of `until`."""
    output, found = bytearray(), False
    pattern = re.compile(case.until.encode()) if case.until else None
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while time.monotonic() < deadline and not stop.is_set():
            if not selector.select(GRACE):
                if process.poll() is not None:
                    break       # a child that it left behind holds the pipe
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
    """The status of a process that prints nothing any more, None: it has to be ended."""
    while True:
        try:
            return process.wait(GRACE)
        except subprocess.TimeoutExpired:
            if time.monotonic() >= deadline or stop.is_set():
                return None


def end_group(process):
    """Ends all processes of the case's session, of which some may outlive the first."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def run_command(command, case, folder, stop=threading.Event()):
    """Runs to the end, or to its limit of time, or until the event `stop`."""
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
    """The results of a case in a mode, or by the referee."""
    command = case.referee if mode == "qemu" else [case.command[0], *MODES[mode], *case.command[1:]]
    folder = tempfile.mkdtemp(dir=work)
    try:
        ended = run_command([str(word) for word in command], case, folder, stop)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return [Result(f"{case.name}: {check.name}" if check.name else case.name, mode, check.status, check.detail,
                   round(ended.seconds, 3)) for check in number(case.judge(ended))]


def number(checks):
    """Checks of one name are told apart by a number: a suite may print the same line twice."""
    seen = {}
    for check in checks:
        seen[check.name] = seen.get(check.name, 0) + 1
        if seen[check.name] > 1:
            check.name = f"{check.name} #{seen[check.name]}"
    return checks


class Progress:
    """One line on a terminal, nothing elsewhere."""

    def __init__(self, title, total):
        self.title, self.total, self.done, self.failed = title, total, 0, 0

    def add(self, results):
        self.done += 1
        self.failed += sum(r.status not in ("pass", "skip") for r in results)
        if sys.stderr.isatty():
            end = "\n" if self.done == self.total else ""
            print(f"\r{self.title}: {self.done} of {self.total} runs, {self.failed} failures", end=end, file=sys.stderr, flush=True)


def run_all(title, cases, modes, jobs, work):
    """Results of all cases in all modes, in the order of the cases. `work` is a folder for what they write."""
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
