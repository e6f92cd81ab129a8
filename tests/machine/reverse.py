#!/usr/bin/env python3
"""Going back in a run, packet by packet and by GDB itself: the way back is the way there.

    reverse.py ISA GUEST GDB SIMULATOR OPTION…

The guest has timer interrupts, and serial input, which comes at random times of the host: back.S with two harts, or
back_arm.S or back_mips.S.
"""
import atexit
import os
import pathlib
import random
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections import namedtuple

# GDB's name; number of the program counter; CPUs; bytes of a register; the register that is 0 in CPU 0; where three steps
# from `leaf` end; steps back from there to `leaf`; where reverse-finish stops, from `called`. GDB steps over delay slots of
# MIPS, but not backwards.
Isa = namedtuple("Isa", "architecture pc harts word zero third back call")
ISAS = {"rv64": Isa("riscv:rv64", 32, 2, 8, "s0", 4, 3, 0), "a32": Isa("arm", 15, 1, 4, "r11", 4, 3, 0),
        "t32": Isa("arm", 15, 1, 4, "r11", 2, 3, 0), "mips": Isa("mips:isa32", 34, 1, 4, "s0", 4, 4, 4)}
TIERS = {"interpreted": ["-accel", "interp"], "translated": ["-jit-quick-threshold", "1"]}
CELLS, PC = 64, 32
isa = ISAS["rv64"]


def symbols(guest):
    lines = subprocess.run(["readelf", "-sW", guest], capture_output=True, text=True, check=True).stdout.splitlines()
    return {words[7]: int(words[1], 16) & ~(words[3] == "FUNC") for words in map(str.split, lines)
            if len(words) == 8 and words[1][0].isdigit() and len(words[1]) in (8, 16)}


class Machine:
    def __init__(self, command, work):
        self.errors = open(work / "errors", "w+b")
        self.output = open(work / "output", "w+b")
        self.process = subprocess.Popen([*map(str, command), "-S", "-gdb", "tcp::0"], stdin=subprocess.PIPE,
                                        stdout=self.output, stderr=self.errors)
        atexit.register(self.process.kill)
        self.port = 0
        while not self.port:
            time.sleep(0.02)
            found = re.search(rb"TCP port (\d+)", (work / "errors").read_bytes())
            self.port = int(found[1]) if found else 0
            if self.process.poll() is not None:
                sys.exit(f"reverse: it ended: {(work / 'errors').read_text()}")

    def connect(self):
        self.socket = socket.create_connection(("127.0.0.1", self.port), timeout=240)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.waiting = b""
        self.ask("QStartNoAckMode")
        self.socket.sendall(b"+")

    def send(self, text):
        self.socket.sendall(b"$" + text.encode() + b"#%02x" % (sum(text.encode()) & 255))

    def receive(self):
        while True:
            found = re.search(rb"\$([^#]*)#..", self.waiting)
            if found:
                self.waiting = self.waiting[found.end():]
                return found[1].decode()
            more = self.socket.recv(65536)
            if not more:
                sys.exit("reverse: the simulator closed the connection")
            self.waiting += more

    def send_both(self, first, second):
        """Two packets at once, as if the client answered in no time; returns both answers."""
        self.socket.sendall(b"".join(b"$" + text.encode() + b"#%02x" % (sum(text.encode()) & 255) for text in (first, second)))
        return self.receive(), self.receive()

    def ask(self, text):
        self.send(text)
        return self.receive()

    def expect(self, text, answer):
        got = self.ask(text)
        if answer not in got:
            self.errors.seek(0)
            sys.exit(f"reverse: {text} was answered by {got}, not {answer}: {self.errors.read().decode()[-300:]}")
        return got

    def monitor(self, line):
        answer, text = self.ask("qRcmd," + line.encode().hex()), ""
        while answer.startswith("O") and answer != "OK":
            text += bytes.fromhex(answer[1:]).decode()
            answer = self.receive()
        return text

    def run_for(self, seconds):
        self.send("vCont;c")
        time.sleep(seconds)
        self.socket.sendall(b"\x03")
        return self.receive()

    def pc(self):
        return int.from_bytes(bytes.fromhex(self.ask(f"p{PC:x}")), "little")

    def read(self, address, count):
        return self.ask(f"m{address:x},{count:x}")

    def end(self):
        self.process.kill()
        self.process.wait()


def state(m, names):
    """All registers of all harts, and what they share."""
    return [m.ask(f"Hg{hart}") and m.ask("g") for hart in range(1, isa.harts + 1)] + [
        m.read(names["cells"], 8 * CELLS), m.read(names["count"], 16)]


def select(m, hart):
    m.expect(f"Hc{hart:x}", "OK")
    m.expect(f"Hg{hart:x}", "OK")


def check_steps(m, names, draw):
    """n steps there and n back give the same states, in the other order."""
    hart, n = draw.randint(1, isa.harts), draw.randint(5, 60)
    select(m, hart)
    m.expect(f"vCont;s:{hart};c", "T05")
    way = []
    for _ in range(n):
        way.append(state(m, names))
        select(m, hart)
        m.expect(f"vCont;s:{hart};c", f"thread:{hart}")
    for step in range(n):
        select(m, hart)
        m.expect("bs", f"thread:{hart}")
        if state(m, names) != way[n - 1 - step]:
            sys.exit(f"reverse: hart {hart}, {step + 1} of {n} steps back: another state")
    for step in range(n):
        if state(m, names) != way[step]:
            sys.exit(f"reverse: hart {hart}, {step} steps there again: another state")
        select(m, hart)
        if "replaylog:end" in m.ask(f"vCont;s:{hart};c") and step != n - 1:
            sys.exit(f"reverse: the past ended after {step + 1} of {n} steps")


def stop_of(m, names, answer):
    """What GDB would see of a stop: its reason and the state."""
    where = re.search(r"thread:(\w+)", answer)[1]
    m.expect(f"Hg{where}", "OK")
    return re.sub("T05", "", answer), m.pc(), state(m, names)


def check_breakpoints(m, names, draw):
    """The last stops before a place are those that a forward run had, the last first."""
    place = draw.choice(["trap", "leaf", "loop"])
    count = draw.randint(3, 12)
    m.expect(f"Z0,{names[place]:x},4", "OK")
    way = []
    for _ in range(count):
        way.append(stop_of(m, names, m.expect("vCont;c", "T05")))
    for step in range(count - 1):
        if stop_of(m, names, m.expect("bc", "T05")) != way[count - 2 - step]:
            sys.exit(f"reverse: {place}: stop {step + 1} of {count} back is another")
    m.expect(f"z0,{names[place]:x},4", "OK")


def check_watchpoint(m, names, draw):
    """Back to the writes of a cell: each is the last one before, and the value before it is that of a forward run."""
    cell = names["cells"] + 8 * draw.randrange(CELLS)
    m.expect(f"Z2,{cell:x},8", "OK")
    writes = []
    for _ in range(draw.randint(3, 10)):
        answer = m.expect("vCont;c", f"watch:{cell:x}")
        hart = re.search(r"thread:(\w+)", answer)[1]
        m.expect(f"Hg{hart}", "OK")
        writes.append((hart, m.pc(), m.read(cell, 8)))
    m.expect("vCont;c", f"watch:{cell:x}")
    for hart, pc, before in reversed(writes):
        answer = m.expect("bc", f"watch:{cell:x}")
        if re.search(r"thread:(\w+)", answer)[1] != hart:
            sys.exit(f"reverse: a write of hart {hart} was found at {answer}")
        select(m, int(hart, 16))
        m.expect(f"z2,{cell:x},8", "OK")
        m.expect("bs", "T05")
        if (m.pc(), m.read(cell, 8)) != (pc, before):
            sys.exit(f"reverse: the write at {pc:#x} over {before} was found at {m.pc():#x} over {m.read(cell, 8)}")
        m.expect(f"Z2,{cell:x},8", "OK")
    m.expect(f"z2,{cell:x},8", "OK")


def go_to_head(m):
    while "replaylog:end" not in m.ask("vCont;c"):
        pass


def check_ends(m, names):
    """The begin, the end, and what a debugger may not change."""
    m.expect("bc", "replaylog:begin")
    m.expect("bs", "replaylog:begin")
    first = state(m, names)
    m.expect(f"M{names['cells']:x},1:00", "E01")
    m.expect(f"P5={bytes(isa.word).hex()}", "E01")
    go_to_head(m)
    head = state(m, names)
    text = m.monitor("info history")
    if "states in memory" not in text or "instructions" not in text:
        sys.exit(f"reverse: info history: {text}")
    m.monitor("goto 0.0001")
    if state(m, names) in (first, head):
        sys.exit("reverse: goto went nowhere")
    go_to_head(m)
    if state(m, names) != head:
        sys.exit("reverse: another state at the end of the past")
    m.expect(f"M{names['cells']:x},1:55", "OK")
    m.expect("bs", "replaylog:begin")


def check_output(m, work, names, base, draw):
    """What was typed is printed once, whatever is repeated; and the recording of it is a run without GDB."""
    typed = b""
    for _ in range(4):
        part = bytes(draw.choices(b"abcdefgh", k=draw.randint(1, 9)))
        m.process.stdin.write(part)
        m.process.stdin.flush()
        typed += part
        for _ in range(100):  # a busy host may read it later, and nothing is read in the past
            m.run_for(0.15)
            if (work / "output").read_bytes() == typed:
                break
        m.expect(f"Z0,{names['trap']:x},4", "OK")
        for _ in range(3):
            m.expect("bc", "T05")
        m.expect(f"z0,{names['trap']:x},4", "OK")
        go_to_head(m)
    printed = (work / "output").read_bytes()
    if printed != typed:
        sys.exit(f"reverse: typed {typed!r}, printed {printed!r}")


def check_quick_client(m, work, names):
    """The machine does not run over the end of its past when the packet that resumes it is there at once."""
    before = len((work / "output").read_bytes())
    m.process.stdin.write(b"k")
    m.process.stdin.flush()
    m.expect(f"Z0,{names['echo']:x},4", "OK")
    m.expect("vCont;c", "T05")
    for _ in range(3):
        answers = m.send_both("bs", "vCont;c")
        if "replaylog:end" not in answers[1] or m.pc() != names["echo"]:
            sys.exit(f"reverse: a quick client goes over the end of the past: {answers}, {m.pc():#x}")
    answers = m.send_both("bs", "D")
    if answers[1] != "OK":
        sys.exit(f"reverse: a client detaches in the past: {answers}")
    m.socket.close()
    m.connect()
    printed = b""
    for _ in range(100):  # a busy host may give the machine no turn in a tenth of a second
        ran_on = bool(printed)
        m.run_for(0.1)
        printed = (work / "output").read_bytes()[before:]
        if ran_on:
            break
    if printed != b"k":
        sys.exit(f"reverse: typed k, printed {printed!r} after the client had detached in the past")


def with_gdb(m, names, guest, gdb):
    """GDB itself: steps back, the last write by a reverse watchpoint, reverse-finish, and both ends."""
    leaf, store, count = f"*{names['leaf']:#x}", names["stored"], names["count"]
    commands = ["set confirm off", "set remotetimeout 100", "set pagination off", f"set architecture {isa.architecture}", f"file {guest}",
                f"target remote 127.0.0.1:{m.port}", f"break {leaf} if ${isa.zero} == 0", "continue", "continue", "continue",
                "continue", "stepi", "stepi", "stepi", "p/x $pc", *["reverse-stepi"] * isa.back,
                "p/x $pc", f"print *(long *){count:#x}", "delete", f"watch *(long *){count:#x}", "reverse-continue",
                "p/x $pc", "reverse-continue", f"print *(long *){count:#x}", "delete", f"tbreak {leaf}", "continue",
                "stepi", "reverse-finish", "p/x $pc", "reverse-continue", f"print *(long *){count:#x}"]
    args = [gdb, "-nx", "-q", "-batch"]
    for line in commands:
        args += ["-ex", line]
    done = subprocess.run(args, capture_output=True, text=True, timeout=120, check=False)
    text, at = done.stdout + done.stderr, 0
    for part in [f"= {names['leaf'] + isa.third:#x}\n", f"= {names['leaf']:#x}\n", "= 3\n", "Old value = 3\nNew value = 2\n",
                 f"= {store:#x}\n", "Old value = 2\nNew value = 1\n", "= 1\n", f"= {names['called'] + isa.call:#x}\n", "No more reverse-execution history.", "= 0\n"]:
        at = text.find(part, at)
        if at < 0:
            sys.exit(f"reverse: {part!r} is missing in GDB's\n{text}")


def main():
    name, guest, gdb, *command = sys.argv[1:]
    global isa, PC
    isa, names = ISAS[name], symbols(guest)
    PC = isa.pc
    seed = int(os.environ.get("GENCC_SEED") or time.time())
    print(f"seed {seed}")
    for tier, options in TIERS.items():
        draw = random.Random(seed)
        with tempfile.TemporaryDirectory() as folder:
            work = pathlib.Path(folder)
            m = Machine([*command, *options, "-reverse", "every=4,keep=20"], work)
            m.connect()
            if "ReverseStep+;ReverseContinue+" not in m.ask("qSupported:"):
                sys.exit("reverse: it is not announced")
            m.run_for(0.2)
            for _ in range(2):
                check_steps(m, names, draw)
                m.run_for(draw.uniform(0.01, 0.1))
                check_breakpoints(m, names, draw)
                go_to_head(m)
                check_watchpoint(m, names, draw)
                go_to_head(m)
            check_output(m, work, names, command, draw)
            check_quick_client(m, work, names)
            check_ends(m, names)
            m.end()
            m = Machine([*command, *options, "-reverse", "on"], work)
            with_gdb(m, names, guest, gdb)
            m.end()


if __name__ == "__main__":
    main()
