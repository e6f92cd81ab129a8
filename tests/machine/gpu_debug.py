#!/usr/bin/env python3
"""The shaders of a board's GPU under GDB, beside its CPUs: by packets, and by GDB itself.

    gpu_debug.py GUEST EXPECT ADDRESS GDB SCRIPT SIMULATOR OPTION…

The guest (gpu_job.S) runs a job that adds two arrays four times; ADDRESS is the GPU's, of an element of the sum. EXPECT has
the right sums. SCRIPT makes the GPU a second inferior of GDB.
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import gpu_reverse
import reverse
from gpu_reverse import check

ITEM, SHADER_PC = 5, 32
IDLE = "p2.7fffffff"


class Shaders(reverse.Machine):
    """A client of the GPU's port of a machine."""

    def __init__(self, machine, work):
        self.errors = machine.errors
        self.port = int(re.search(r"TCP port (\d+), for shaders", (work / "errors").read_text())[1])

    def stop(self):
        """The stop, behind what is printed for it."""
        answer, text = self.receive(), ""
        while answer.startswith("O"):
            text += bytes.fromhex(answer[1:]).decode()
            answer = self.receive()
        return answer, text

    def pc(self):
        return int.from_bytes(bytes.fromhex(self.ask(f"p{SHADER_PC:x}")), "little")


def check_packets(command, work, names, address, right, out):
    m = reverse.Machine([*command, "-gpu-gdb", "tcp::0"], work)
    m.connect()
    g = Shaders(m, work)
    g.connect()
    check("the idle GPU", (g.ask("?"), g.ask("qfThreadInfo"), g.ask(f"m{address:x},4")), ("T05thread:1;", "m1", "E01"))
    if "waits for a job" not in g.monitor("info warps") or "breakpoint" not in g.monitor(f"break kernel if get_global_id(0) == {ITEM}"):
        sys.exit("gpu_debug: the monitor of an idle GPU")
    for line in ["break r0", "watch r0", "delete r0", "print r0", "x 0", "info lanes", "continue", "lane 1", "disassemble"]:
        check(line, g.monitor(line), "the GPU waits for a job\n")
    if "breakpoint" not in g.monitor("br fault") or "break" not in g.monitor("help") or g.monitor("del all"):
        sys.exit("gpu_debug: the monitor of an idle GPU takes no short commands")
    g.monitor(f"break kernel if get_global_id(0) == {ITEM}")
    g.monitor("break fault")
    m.expect(f"Z0,{names['done']:x},4", "OK")
    m.send("vCont;c")
    time.sleep(0.3)
    check("the machine that is held", g.monitor("info breakpoints").count("met 0 times"), 2)
    g.send("vCont;c")
    answer, text = g.stop()
    if not answer.startswith("T05thread:") or "thread:1;" in answer:
        sys.exit(f"gpu_debug: no stop in a shader: {answer}, {text}")
    threads, first = g.ask("qfThreadInfo"), g.pc()
    if re.search(r"thread:(\w+)", answer)[1] not in threads[1:].split(","):
        sys.exit(f"gpu_debug: {answer} is none of {threads}")
    check("the work-item", str(ITEM) in g.monitor("print get_global_id(0)").split(), True)
    g.send("vCont;s")
    check("a step", (g.stop()[0][:3], g.pc() != first), ("T05", True))
    if len(g.ask(f"m{address:x},4")) != 8:
        sys.exit("gpu_debug: a buffer cannot be read")
    g.monitor("delete all")
    g.send("vCont;c")
    if "T05" not in m.receive() or m.pc() != names["done"]:
        sys.exit("gpu_debug: the guest does not come to its end")
    check("the sum", m.read(out, 4), right)
    m.send("vCont;c")
    g.socket.sendall(b"\x03")
    check("a stop of an idle GPU", g.stop()[0], "T02thread:1;")
    check("detached", g.ask("D"), "OK")
    m.end()


def check_gdb(command, work, address, gdb):
    """GDB as it is: a breakpoint on a kernel, threads, registers by name, a step."""
    m = reverse.Machine([*command, "-gpu-gdb", "tcp::0"], work)
    m.connect()
    g = Shaders(m, work)
    lines = ["set confirm off", "set remotetimeout 100", "set pagination off", f"target remote 127.0.0.1:{g.port}", f"shell touch {work / 'there'}", "info threads",
             "monitor break kernel", "continue", "info threads", "p/x $live", "p $r0", "x/i $pc", "stepi", "monitor delete all", "detach"]
    words = [gdb, "-nx", "-q", "-batch"]
    for line in lines:
        words += ["-ex", line]
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as child:
        while child.poll() is None and not (work / "there").exists():
            time.sleep(0.05)
        m.send("vCont;c")  # the CPUs run when both clients let them
        text, at = child.communicate(timeout=200)[0], 0
    for part in ["the GPU waits for a job", "group (0,0,0)", "= 0x", "u32 = {"]:
        at = text.find(part, at)
        if at < 0:
            sys.exit(f"gpu_debug: {part!r} is missing in GDB's\n{text}")
    m.end()


class Both(reverse.Machine):
    """A session with both, of a client that names processes."""

    def connect(self):
        super().connect()
        check("processes", "multiprocess+" in self.ask("qSupported:swbreak+;multiprocess+"), True)

    stop = Shaders.stop

    def go(self, actions):
        self.send(f"vCont;{actions}")
        return self.stop()

    def threads(self):
        """The lists of processes."""
        found = [self.ask("qfThreadInfo")]
        while found[-1] != "l":
            found.append(self.ask("qsThreadInfo"))
        return found[:-1]

    def pc_of(self, thread):
        self.expect(f"Hg{thread}", "OK")
        return self.pc()

    def monitor_of(self, thread, line):
        self.expect(f"Hg{thread}", "OK")
        return self.monitor(line)


def check_session(command, work, names, address, right, out):
    m = Both(command, work)
    m.connect()
    check("other processes", (m.ask("vAttach;3"), m.ask("Hgp2.1"), m.ask("vAttach;1"), m.ask("D;2"), m.ask("vCont;c:p2.-1")), ("E01",) * 5)
    check("before", m.threads(), ["mp1.1"])
    check("attached", m.ask("vAttach;2"), f"T05thread:{IDLE};")
    check("its registers", (m.pc(), m.pc_of("p1.1") != 0), (0, True))
    check("both", (m.threads(), m.ask(f"T{IDLE}"), m.ask("Tp2.1")), (["mp1.1", f"m{IDLE}"], "OK", "OK"))
    m.expect("Hgp2.0", "OK")
    check("descriptions", "org.gencc.shader" in m.ask("qXfer:features:read:target.xml:0,3000"), True)
    m.expect("Hgp1.1", "OK")
    check("descriptions", "org.gencc.shader" in m.ask("qXfer:features:read:target.xml:0,3000"), False)
    answer, text = m.go("c:p2.-1")
    check("the GPU alone", (answer, "no job until the CPUs go on" in text), (f"T05thread:{IDLE};", True))
    m.expect("Hgp1.1", "OK")
    m.expect(f"Z0,{names['done']:x},4", "OK")
    check("the GPU's breakpoints", "breakpoint" in m.monitor_of("p2.0", f"break kernel if get_global_id(0) == {ITEM}"), True)
    answer, text = m.go("c")
    thread = re.fullmatch(r"T05thread:(p2\.[0-9a-f]{1,3});", answer)
    if not thread or "breakpoint" not in text:
        sys.exit(f"gpu_debug: no stop in a shader: {answer} {text}")
    thread = thread[1]
    check("selected", str(ITEM) in m.monitor("print get_global_id(0)").split(), True)
    check("threads", (m.threads()[0], thread in m.threads()[1][1:].split(",")), ("mp1.1", True))
    first, cpu = m.pc_of(thread), m.pc_of("p1.1")
    check("the CPU waits in its loop", names["stored"] < cpu < names["done"], True)
    check("memory is each one's own", (len(m.read(out, 4)), m.ask(f"m{address:x},4")), (8, "E01"))
    check("the CPUs alone", [what in got for what, got in zip(("T00thread:p1.1;", "continue inferior 2"), m.go("c:p1.-1"))], [True] * 2)
    answer, _ = m.go(f"s:{thread};c:p2.-1")
    check("a step", (answer, m.pc_of(thread) != first, m.pc_of("p1.1")), (f"T05thread:{thread};", True, cpu))
    m.monitor_of(thread, "delete all")
    answer, text = m.go("c:p2.-1")
    check("the job's end", (answer, "no job until the CPUs go on" in text, m.pc_of("p1.1")), (f"T05thread:{IDLE};", True, cpu))
    check("the end", (m.go("c")[0], m.pc(), m.read(out, 4)), ("T05thread:p1.1;", names["done"], right))
    check("detached", (m.ask("D;2"), m.threads()), ("OK", ["mp1.1"]))
    m.expect(f"z0,{names['done']:x},4", "OK")
    m.send("vCont;c")
    m.socket.sendall(b"\x03")
    check("Ctrl-C", m.stop()[0], "T02thread:p1.1;")
    m.end()


def end_of_run(command, work, names, attached):
    """Virtual time at the end, of a run that stops in each job's first shader, or not."""
    m, stops = Both(command, work), 0
    m.connect()
    m.expect(f"Z0,{names['done']:x},4", "OK")
    if attached:
        m.expect("vAttach;2", "T05")
        m.monitor("break kernel if get_global_id(0) == 0")
    while "p2." in m.go("c")[0]:
        stops += 1
    time_at_end = m.monitor("info time")
    check("the end", m.pc(), names["done"])
    m.socket.close()
    m.end()
    return time_at_end, stops


def check_others(command, work, names):
    """Clients that know no processes; what excludes them; clients that go away, or only from the GPU, in the
    midst of a job."""
    m = Both(command, work)
    reverse.Machine.connect(m)
    check("one process", ("multiprocess" in m.ask("qSupported:swbreak+"), m.ask("vAttach;2"), m.ask("?")[3:]), (False, "", "thread:1;"))
    m.end()
    m = Both([*command, "-reverse", "on"], work)
    m.connect()
    m.send("vAttach;2")
    check("with -reverse", [what in got for what, got in zip(("E01", "-reverse looks"), m.stop())], [True] * 2)
    m.end()
    m = Both(command, work)
    m.connect()
    m.expect("vAttach;2", "T05")
    m.monitor("break kernel")
    check("a stop", "p2." in m.go("c")[0], True)
    places = m.pc_of("p1.1"), m.ask("D;2"), m.threads(), m.pc()
    time.sleep(0.2)
    check("the CPU is held behind the job's event", (places, m.pc()), ((m.pc(), "OK", ["mp1.1"], m.pc()), places[0]))
    m.expect(f"Z0,{names['done']:x},4", "OK")
    m.expect("vAttach;2", "T05")
    m.monitor("break kernel")
    check("another stop", "p2." in m.go("c")[0], True)
    m.socket.close()
    m.connect()
    check("a new client", (m.ask("?"), m.threads(), names["stored"] < m.pc()), ("T02thread:p1.1;", ["mp1.1"], True))
    m.end()


def check_names(command, work, names):
    """Kernels by the hash of their code, and by a name that -gpu-names gives."""
    m = Both(command, work)
    m.connect()
    m.expect("vAttach;2", "T05")
    m.monitor("break kernel 0123456789abcdef")
    m.expect("Hgp1.1", "OK")
    m.expect(f"Z0,{names['done']:x},4", "OK")
    check("no such kernel", m.go("c")[0], "T05thread:p1.1;")
    m.end()
    m = Both(command, work)
    m.connect()
    m.expect("vAttach;2", "T05")
    m.monitor("break kernel")
    check("any kernel", "p2." in m.go("c")[0], True)
    code = re.search(r"^([0-9a-f]{16}), group", m.monitor("info stop"), re.M)[1]
    m.end()
    (work / "names").write_text(f"{code} adds\n")
    for name in code, "adds":
        m = Both([*command, "-gpu-names", work / "names"], work)
        m.connect()
        m.expect("vAttach;2", "T05")
        m.monitor(f"break kernel {name}")
        check("the kernel", ("p2." in m.go("c")[0], "\nadds, group" in m.monitor("info stop")), (True, True))
        m.end()


def check_both_by_gdb(command, work, names, gdb, script):
    m = reverse.Machine(command, work)
    lines = ["set confirm off", "set remotetimeout 100", "set pagination off", f"target extended-remote 127.0.0.1:{m.port}", f"source {script}",
             "info inferiors", "monitor break kernel", "inferior 1", "continue", "info threads", "p/x $live", "stepi", "p $clause", "thread 1.1", "p $x6",
             f"break *{names['done']:#x}", "inferior 2", "monitor delete all", "continue", "p/x $pc", "detach inferiors 2", "info inferiors"]
    words = [gdb, "-nx", "-q", "-batch"]
    for line in lines:
        words += ["-ex", line]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=200, check=False)
    at = 0
    for part in [r"\* 2 +process 2", r"breakpoint \d", r"Switching to Thread 2\.", r"1\.1 .*CPU#0", r"\* 2\.\d+ .*group \(0,0,0\) warp 0", r"= 0xf\n",
                 r"= [1-9]", r"Switching to thread 1\.1", r"= 1\n", r"Thread 1\.1 hit Breakpoint 1", rf"= {names['done']:#x}\n", r"2 +<null>"]:
        found = re.compile(part).search(done.stdout, at)
        if not found:
            sys.exit(f"gpu_debug: {part} is missing in GDB's\n{done.stdout}")
        at = found.end()
    m.end()


def main():
    guest, expect, address, gdb, script, *command = sys.argv[1:]
    address = int(address, 0)
    names, right = reverse.symbols(guest), gpu_reverse.expected(expect, address)
    out = gpu_reverse.image_place(guest, address)
    for options in gpu_reverse.RUNS.values():
        with tempfile.TemporaryDirectory() as folder:
            work = pathlib.Path(folder)
            check_packets([*command, *options], work, names, address, right, out)
            check_gdb([*command, *options], work, address, gdb)
            check_session([*command, *options], work, names, address, right, out)
            check_others([*command, *options], work, names)
            check_names([*command, *options], work, names)
            check_both_by_gdb([*command, *options], work, names, gdb, script)
            ends = [end_of_run([*command, *options], work, names, attached) for attached in (False, True)]
            check("virtual time", ends[1], (ends[0][0], gpu_reverse.ROUNDS))


if __name__ == "__main__":
    main()
