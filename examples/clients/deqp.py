#!/usr/bin/env python3
"""Runs cases of dEQP (Khronos' VK-GL-CTS) on a simulated GPU, and counts their results.

    DEQP=/mnt/deqp CASES=/mnt/deqp/gles2.txt sh /mnt/clients/run deqp          # in a guest
    examples/clients/deqp.py --runner "build/bin/aarch64-user -gpu g52 -L cache/root -E EGL_PLATFORM=surfaceless" DEQP gles2.txt

DEQP is a folder with deqp-gles2, deqp-gles3 or deqp-gles31 anywhere below it, each beside its data. CASES are lists of
names, such as the mustpass lists of VK-GL-CTS, or patterns like 'dEQP-GLES2.functional.clipping.*'. Cases run in chunks, a
process per chunk. A case that crashes, or takes longer than --timeout, has the result Crash or Timeout, and the rest of
its chunk runs in a new process. Every 100 results a line says how many there are. With --limit the run ends by the
clock: cases that have not ended then have no result, and a later run with the same --results FILE goes on with them.

The status is 0 if every case that ran has the expected result, 1 if one has another, 2 if dEQP cannot be run. Without --expected a
case is expected to pass or not to be supported. A file of expected results has a line NAME,RESULT per case that fails,
as Mesa's lists of failures; the comment lines above it are its reason.
"""
import argparse
import collections
import concurrent.futures
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

GOOD = ("Pass", "NotSupported", "QualityWarning", "CompatibilityWarning", "Waiver")
# As Mesa's own runs have them. With --deqp-surface-type=fbo, cases that need the default framebuffer fail.
OPTIONS = ["--deqp-surface-type=pbuffer", "--deqp-gl-config-name=rgba8888d24s8ms0", "--deqp-surface-width=256",
           "--deqp-surface-height=256", "--deqp-log-images=disable", "--deqp-log-shader-sources=disable",
           "--deqp-log-flush=enable"]
# Marks in a log: a case begins, its result, its end, and its end by the watchdog or by dEQP's own handler of crashes.
MARK = re.compile(r'#beginTestCaseResult (?P<begin>\S+)|<Result StatusCode="(?P<code>\w+)">(?P<text>[^<\n]*)|'
                  r"#(?P<end>endTestCaseResult)|#terminateTestCaseResult (?P<terminated>\w+)")
POLL = 0.05  # seconds between two looks at a log
PROGRESS = 100


class DeqpError(Exception):
    """dEQP cannot be run; the text says why."""


def read_log(text):
    """The results in the text of a .qpa log as {name: (code, detail)}, and the name of a case that has not ended or None."""
    results, name, result = {}, None, ("InternalError", "no result in the log")
    for mark in MARK.finditer(text):
        if mark["begin"]:
            name, result = mark["begin"], ("InternalError", "no result in the log")
        elif mark["code"]:
            result = mark["code"], mark["text"]
        elif name:
            results[name] = (mark["terminated"], "") if mark["terminated"] else result
            name = None
    return results, name


def read_expected(path):
    """A file of expected results as {name: (result, reason)}."""
    expected, reason, fresh = {}, [], True
    for number, line in enumerate(path.read_text().splitlines(), 1):
        line = line.strip()
        if line.startswith("#"):
            reason = [] if fresh else reason
            reason.append(line.lstrip("# "))
            fresh = False
        elif line:
            name, comma, result = line.partition(",")
            if not comma or not result:
                raise DeqpError(f"{path}:{number}: expected NAME,RESULT")
            expected[name] = result, " ".join(reason)
            fresh = True
        else:
            reason, fresh = [], True
    return expected


def module_of(name):
    """The program that has a case: deqp-gles2 of dEQP-GLES2.info.vendor."""
    return name.split(".")[0].lower()


class Modules:
    """The programs below a folder, how they are started, and how many seconds they may run, all together."""

    def __init__(self, folder, runner, scratch, limit):
        self.folder, self.runner, self.scratch, self.found = folder, runner, scratch, {}
        self.last = time.monotonic() + limit

    def late(self):
        """Whether the seconds are over."""
        return time.monotonic() >= self.last

    def program(self, module):
        """The path of a module's program."""
        if module not in self.found:
            self.found[module] = next((p for p in sorted(self.folder.rglob(module)) if p.is_file()), None)
        if not self.found[module]:
            raise DeqpError(f"{self.folder} has no program {module}")
        return self.found[module]

    def start(self, module, arguments, output):
        """Starts a module in its folder, where its data are; it must be waited for."""
        program = self.program(module)
        return subprocess.Popen([*self.runner, str(program), *arguments], cwd=program.parent, stdin=subprocess.DEVNULL,
                                stdout=output, stderr=subprocess.STDOUT, start_new_session=True,
                                env={"EGL_PLATFORM": "surfaceless", **os.environ})

    def names(self, pattern):
        """The names of the cases that a pattern stands for; dEQP lists them, in a context of OpenGL ES that it makes."""
        out = self.scratch / "names"
        out.unlink(missing_ok=True)
        with open(self.scratch / "names.out", "wb") as output:
            self.start(module_of(pattern), [f"--deqp-case={pattern}", "--deqp-runmode=txt-caselist",
                                            f"--deqp-caselist-export-file={out}",
                                            f"--deqp-log-filename={self.scratch / 'names.qpa'}", *OPTIONS], output).wait()
        text = out.read_text() if out.exists() else ""
        names = re.findall(r"^TEST: (\S+)", text, re.M)
        if not names:
            raise DeqpError(f"no case is called {pattern}: {last_line(self.scratch / 'names.out')}")
        return names


def last_line(path):
    """The last line of a program's output, for messages."""
    lines = path.read_text(errors="replace").split("\n") if path.exists() else []
    return next((line.strip() for line in reversed(lines) if line.strip()), "it printed nothing")


def end(process):
    """Ends a process and the processes that it started."""
    try:
        os.killpg(process.pid, 9)
    except ProcessLookupError:
        pass
    process.wait()


def follow(process, log, timeout, late):
    """Waits for a process. True: it was ended, since its log had no new case for `timeout` seconds, or late() says so."""
    size, since = 0, time.monotonic()
    while process.poll() is None:
        if late():
            end(process)
            return True
        now = log.stat().st_size if log.exists() else 0
        if now != size:
            size, since = now, time.monotonic()
        elif time.monotonic() - since > timeout:
            end(process)
            return True
        time.sleep(POLL)
    return False


def run_chunk(modules, names, number, timeout, done):
    """Runs the cases `names` of one module; calls done(name, (code, detail)) for each."""
    log, output, cases = (modules.scratch / f"{number}.{kind}" for kind in ("qpa", "out", "txt"))
    while names and not modules.late():
        log.unlink(missing_ok=True)
        cases.write_text("\n".join(names) + "\n")
        with open(output, "wb") as file:
            process = modules.start(module_of(names[0]), [f"--deqp-caselist-file={cases}", f"--deqp-log-filename={log}",
                                                          *OPTIONS], file)
            hung = follow(process, log, timeout, modules.late)
        results, open_case = read_log(log.read_text(errors="replace") if log.exists() else "")
        if open_case and not modules.late():
            results[open_case] = ("Timeout", f"no progress for {timeout:g} s") if hung else \
                ("Crash", f"status {process.returncode}: {last_line(output)}")
        results = {name: results[name] for name in names if name in results}
        if not results and not modules.late():
            # Not one case began: the program does not start, or does not have the rest of the list.
            why = f"no progress for {timeout:g} s" if hung else f"status {process.returncode}: {last_line(output)}"
            results = {name: ("Missing", why) for name in names}
        for name, result in results.items():
            done(name, result)
        names = [name for name in names if name not in results]


class Results:
    """Results as they come: counted, kept in a file when one is given, so that a run can go on where it was ended."""

    def __init__(self, path, total):
        self.path, self.total, self.of, self.lock = path, total, {}, threading.Lock()

    def add(self, name, result):
        """One more result. The file has a line NAME,RESULT per case."""
        with self.lock:
            self.of[name] = result
            if self.path:
                with open(self.path, "a") as file:
                    file.write(f"{name},{result[0]}\n")
            if len(self.of) % PROGRESS == 0:
                print(f"deqp: {len(self.of)} of {self.total}: {self.counts()}", flush=True)

    def counts(self):
        """How many cases have each result, as text."""
        counts = collections.Counter(code for code, _ in self.of.values())
        return ", ".join(f"{count} {code}" for code, count in counts.most_common())


def judge(results, expected):
    """Prints failures and what differs from the expected results; the number of cases that differ."""
    differ = 0
    for name, (code, detail) in sorted(results.items()):
        want, reason = expected.get(name, (None, ""))
        if code in GOOD and want in (None, *GOOD):
            continue
        if code == want:
            print(f"deqp: {name}: {code}, as expected: {reason or 'no reason given'}")
            continue
        differ += 1
        print(f"deqp: {name}: {code}{f' ({detail})' if detail else ''}, expected {want or 'Pass'}")
    return differ


def chunks_of(names, size):
    """The names in lists of at most `size`, each of one module's."""
    modules = collections.defaultdict(list)
    for name in names:
        modules[module_of(name)].append(name)
    return [of[at:at + size] for of in modules.values() for at in range(0, len(of), size)]


def all_names(modules, cases, seed):
    """The names in the files, and of the patterns, `cases`, each once, in their order; with a seed, each file's shuffled."""
    names = []
    for case in cases:
        if not Path(case).is_file() and not case.startswith("dEQP-"):
            raise DeqpError(f"{case} is neither a file nor a pattern of cases")
        of_case = Path(case).read_text().split() if Path(case).is_file() else modules.names(case)
        if seed is not None:
            random.Random(seed).shuffle(of_case)
        names += of_case
    unknown = [name for name in names if not re.fullmatch(r"dEQP-GLES\d+(\.[^\s.]+)+", name)]
    if unknown:
        raise DeqpError(f"'{unknown[0]}' is no name of a case of OpenGL ES")
    return list(dict.fromkeys(names))


def kept_results(path):
    """The results of an earlier run, in its file."""
    if not path or not path.exists():
        return {}
    rows = [line.split(",") for line in path.read_text().splitlines()]
    if any(len(row) != 2 for row in rows):
        raise DeqpError(f"{path} is no file of results")
    return {name: (code, "") for name, code in rows}


def run(options, scratch):
    """All of it; the status."""
    runner = shlex.split(options.runner)
    if runner and os.sep in runner[0]:
        runner[0] = str(Path(runner[0]).resolve())
    modules = Modules(Path(options.folder).resolve(), runner, scratch, options.limit)
    expected = read_expected(options.expected) if options.expected else {}
    names = all_names(modules, options.cases, options.shuffle)[options.first::options.every]
    results = Results(options.results, len(names))
    kept = kept_results(options.results)
    results.of = {name: kept[name] for name in names if name in kept}
    chunks = chunks_of([name for name in names if name not in results.of], options.chunk)
    for chunk in chunks:
        modules.program(module_of(chunk[0]))  # an error now, and not after the other modules' hours
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        running = [pool.submit(run_chunk, modules, chunk, number, options.timeout, results.add)
                   for number, chunk in enumerate(chunks)]
        for future in running:
            future.result()
    differ = judge(results.of, expected)
    print(f"deqp: {len(results.of)} cases: {results.counts()}; {differ} unexpected")
    if len(results.of) < len(names):
        print(f"deqp: the limit is over: {len(names) - len(results.of)} cases have no result")
    if results.of and all(code == "Missing" for code, _ in results.of.values()):
        raise DeqpError("no case ran: " + next(iter(results.of.values()))[1])
    return 1 if differ else 0


def positive(text):
    """A number of at least 1, of the command line."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is less than 1")
    return number


def main():
    """Reads the command line; in a guest the environment stands for it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", default=os.environ.get("DEQP", "/mnt/deqp"), metavar="DEQP")
    parser.add_argument("cases", nargs="*", metavar="CASES", help="default: $CASES, else the cases of clipping of OpenGL ES 2")
    parser.add_argument("--runner", default="", help="the command that runs a program on the GPU, without a guest")
    parser.add_argument("--expected", type=Path, metavar="FILE", default=os.environ.get("EXPECTED"))
    parser.add_argument("--results", type=Path, metavar="FILE", help="results, to read and to go on from")
    parser.add_argument("--every", type=positive, default=1, metavar="N", help="only every Nth case")
    parser.add_argument("--first", type=int, default=0, metavar="K", help="of these the first is number K, from 0")
    parser.add_argument("--shuffle", type=int, metavar="SEED", help="in a random order, the same one for a seed")
    parser.add_argument("--limit", type=float, default=float("inf"), metavar="S", help="seconds for the whole run")
    parser.add_argument("--chunk", type=positive, default=100, metavar="N", help="cases per process")
    parser.add_argument("--jobs", type=positive, default=1, metavar="N", help="processes at a time")
    parser.add_argument("--timeout", type=float, default=600, metavar="S", help="seconds for a case")
    options = parser.parse_args()
    options.cases = options.cases or shlex.split(os.environ.get("CASES", "")) or ["dEQP-GLES2.functional.clipping.*"]
    options.expected = Path(options.expected) if options.expected else None
    try:
        with tempfile.TemporaryDirectory() as scratch:
            return run(options, Path(scratch))
    except (DeqpError, OSError) as error:
        print(f"deqp: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
