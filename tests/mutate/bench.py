"""Builds and judges mutants: one object is compiled, the test programs are linked with it in place
of the file's own object, and run. The commands are those of the build folder."""
import json
import os
import re
import resource
import shlex
import signal
import subprocess
import tempfile
import time
from pathlib import Path

MEMORY = 4 << 30     # memory limit of a mutant, in bytes
OUTPUT = 256 << 20   # largest file that a mutant may write
LEAST_SECONDS = 2.0  # a mutant may take ten times as long as the tests, and at least this long
FACTOR = 10


class BenchError(Exception):
    """The tests cannot judge: they do not build, or fail without a mutant."""


def limits():
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (OUTPUT, OUTPUT))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def passes(command, environment, folder, seconds):
    """Whether a test ends with status 0 in time. Processes that it left running are ended."""
    environment = dict(os.environ, TMPDIR=str(folder), **environment)
    with subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          start_new_session=True, preexec_fn=limits) as child:
        try:
            return child.wait(seconds) == 0
        except subprocess.TimeoutExpired:
            return False
        finally:
            try:
                os.killpg(child.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


def quiet(command, folder):
    """Whether a compiler or linker succeeds."""
    return subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, env=dict(os.environ, CCACHE_DISABLE="1"),
                          check=False).returncode == 0


TEST = re.compile(r'^add_test\(\[=*\[(.*?)\]=*\]((?: "(?:\\.|[^"\\])*")+)\)', re.M)
ENVIRONMENT = re.compile(r'^set_tests_properties\(\[=*\[(.*?)\]=*\] PROPERTIES .*?\bENVIRONMENT "([^"]*)"', re.M)
ARGUMENT = re.compile(r'"((?:\\.|[^"\\])*)"')


def read_tests(text):
    """Returns {name: command} of a CTestTestfile.cmake, since ctest lists no command for a program
    that is not built yet."""
    return {name: [re.sub(r"\\(.)", r"\1", word) for word in ARGUMENT.findall(words)]
            for name, words in TEST.findall(text)}


def read_environments(text):
    """Returns {name: {variable: value}} of a CTestTestfile.cmake, for tests that have an environment."""
    return {name: dict(word.split("=", 1) for word in words.split(";"))
            for name, words in ENVIRONMENT.findall(text)}


def read_compiled(text):
    """Returns [(source, object, command)] of a compile_commands.json."""
    found = []
    for entry in json.loads(text):
        words = shlex.split(entry["command"])
        found.append((entry["file"], words[words.index("-o") + 1], words))
    return found


class Program:
    """A test program, as the build links it."""

    def __init__(self, build, name):
        self.build, self.name = build, name
        last = subprocess.run(["ninja", "-C", build, "-t", "commands", name], text=True, check=True,
                              stdout=subprocess.PIPE).stdout.splitlines()[-1]
        words = shlex.split(last)
        self.words = [w for w in words if w not in (":", "&&")]

    def uses(self, compiled):
        """Whether the program contains the object: by itself, or in a library of its target."""
        target = next(p for p in Path(compiled).parts if p.endswith(".dir")).removesuffix(".dir")
        return compiled in self.words or any(Path(w).name == f"lib{target}.a" for w in self.words)

    def link(self, compiled, mutant, output):
        """Links the mutant's object before the libraries, so that it takes precedence over their
        member of the same names."""
        words = list(self.words)
        words[words.index("-o") + 1] = str(output)
        if compiled in words:
            words[words.index(compiled)] = str(mutant)
        else:
            first = next(i for i, w in enumerate(words) if w.endswith(".a"))
            words.insert(first, str(mutant))
        return quiet(words, self.build)


class Judge:
    """The tests of one file."""

    def __init__(self, bench, path, programs, commands):
        self.path, self.programs = path, programs
        self.commands = commands  # pairs of a command and its environment
        self.scratch, self.build = bench.scratch, bench.folder
        self.compile = {}
        for program in programs:
            found = next(((compiled, words) for source, compiled, words in bench.compiled
                          if source == str(bench.root / path) and program.uses(compiled)), None)
            if not found:
                raise BenchError(f"{path} is not in {program.name}")
            self.compile[found[0]] = found[1]
        self.folder_of_source = (bench.root / path).parent
        self.seconds, self.same = None, None

    def prepare(self, text):
        """Judges the unchanged file the same way: the tests must pass, and their time is taken."""
        started = time.monotonic()
        outcome = self.outcome(text)
        if outcome != "survived":
            raise BenchError(f"{self.path}: the tests fail without a change ({outcome})")
        self.seconds = max(LEAST_SECONDS, FACTOR * (time.monotonic() - started))

    def compiled(self, text, folder):
        """Returns the objects of a text, by the names of those that they replace; None if it does
        not compile."""
        source = folder / Path(self.path).name
        source.write_text(text)
        objects = {}
        for number, (output, words) in enumerate(self.compile.items()):
            objects[output] = folder / f"{number}.o"
            words = words[:words.index("-o")] + ["-w", "-g0", "-iquote", str(self.folder_of_source),
                                                 "-o", str(objects[output]), "-c", source.name]
            if not quiet(words, folder):
                return None
        return objects

    def tests_pass(self, objects, folder):
        programs = {}
        for program in self.programs:
            output = folder / Path(program.name).name
            used = next(name for name in objects if program.uses(name))
            if not program.link(used, objects[used], output):
                return None
            programs[str(self.build / program.name)] = str(output)
        return all(passes([programs.get(w, w) for w in command], environment, folder, self.seconds)
                   for command, environment in self.commands)

    def outcome(self, text):
        """Returns killed, survived, same (as the unchanged code) or broken (no program)."""
        with tempfile.TemporaryDirectory(dir=self.scratch) as name:
            folder = Path(name)
            objects = self.compiled(text, folder)
            if objects is None:
                return "broken"
            code = [o.read_bytes() for o in objects.values()]
            if self.same is None:
                self.same = code
            elif code == self.same:
                return "same"
            passed = self.tests_pass(objects, folder)
            return {None: "broken", True: "survived", False: "killed"}[passed]


class Bench:
    """A build folder of the tree, with its tests and commands."""

    def __init__(self, root, folder, scratch):
        self.root, self.folder, self.scratch = root, folder.resolve(), scratch
        self.run("cmake", "-S", root, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
                 "-DCMAKE_C_FLAGS_DEBUG=-O1", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON")
        self.compiled = read_compiled((self.folder / "compile_commands.json").read_text())
        self.commands, self.environments = {}, {}
        for file in self.folder.rglob("CTestTestfile.cmake"):
            self.commands.update(read_tests(file.read_text()))
            self.environments.update(read_environments(file.read_text()))
        targets = self.run("ninja", "-C", folder, "-t", "targets", "all").splitlines()
        self.executables = {line.split(":")[0] for line in targets if "EXECUTABLE_LINKER" in line}

    def run(self, *command):
        done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              check=False)
        if done.returncode:
            raise BenchError(f"{command[0]} failed:\n{done.stdout}")
        return done.stdout

    def programs_of(self, test):
        """Returns the programs of the build that a test's command names."""
        if test not in self.commands:
            raise BenchError(f"CTest has no test {test}")
        names = [os.path.relpath(w, self.folder) for w in self.commands[test] if os.path.isabs(w)]
        found = [name for name in names if name in self.executables]
        if not found:
            raise BenchError(f"{test} runs no program of the build")
        return found

    def build(self, tests):
        self.run("ninja", "-C", self.folder, *{p for t in tests for p in self.programs_of(t)})

    def judge(self, path, tests):
        programs = sorted({p for t in tests for p in self.programs_of(t)})
        judge = Judge(self, path, [Program(self.folder, p) for p in programs],
                      [(self.commands[t], self.environments.get(t, {})) for t in tests])
        judge.prepare((self.root / path).read_text())
        return judge
