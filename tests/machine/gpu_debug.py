#!/usr/bin/env python3
"""The shaders of a board's GPU under GDB, beside its CPUs: by packets, and by GDB itself.

    gpu_debug.py GUEST EXPECT ADDRESS GDB SIMULATOR OPTION…

The guest (gpu_job.S) runs a job that adds two arrays four times; ADDRESS is the GPU's, of an element of the sum. EXPECT has
the right sums.
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


def main():
    guest, expect, address, gdb, *command = sys.argv[1:]
    address = int(address, 0)
    names, right = reverse.symbols(guest), gpu_reverse.expected(expect, address)
    out = gpu_reverse.image_place(guest, address)
    for options in gpu_reverse.RUNS.values():
        with tempfile.TemporaryDirectory() as folder:
            work = pathlib.Path(folder)
            check_packets([*command, *options], work, names, address, right, out)
            check_gdb([*command, *options], work, address, gdb)


if __name__ == "__main__":
    main()
