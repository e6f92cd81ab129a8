#!/usr/bin/env python3
"""Going back in a kernel's start: steps back give the states of the steps there, and the last write of the stack is found.

    reverse_linux.py PC SP SIMULATOR OPTION…

PC and SP are GDB's numbers of these registers. The machine is stopped at random times of the host.
"""
import os
import pathlib
import random
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "machine"))
import reverse  # noqa: E402

STEPS, ROUNDS = 12, 3


def registers(m, cpus):
    return [m.ask(f"Hg{cpu}") and m.ask("g") for cpu in range(1, cpus + 1)]


def step(m, cpu):
    reverse.select(m, cpu)
    return m.expect(f"vCont;s:{cpu};c", "T05")


def check_steps(m, cpus, cpu):
    way = []
    step(m, cpu)
    for _ in range(STEPS):
        way.append(registers(m, cpus))
        step(m, cpu)
    for number, there in enumerate(reversed(way)):
        reverse.select(m, cpu)
        m.expect("bs", f"thread:{cpu}")
        if registers(m, cpus) != there:
            sys.exit(f"reverse_linux: {number + 1} steps of CPU {cpu} back: another state")


def check_write(m, sp):
    """A cell of the stack that the running CPU wrote last: it has another value before the instruction that is found."""
    where = (int.from_bytes(bytes.fromhex(m.ask(f"p{sp:x}")), "little") & ~7) - 16
    now = m.read(where, 8)
    m.expect(f"Z2,{where:x},8", "OK")
    answer = m.expect("bc", "thread:")
    m.expect(f"z2,{where:x},8", "OK")
    if "replaylog" in answer:
        return "never written"
    cpu = int(re.search(r"thread:(\w+)", answer)[1], 16)
    reverse.select(m, cpu)
    if m.read(where, 8) != now:
        sys.exit(f"reverse_linux: {where:#x} has {now} now and {m.read(where, 8)} after its last write")
    return f"written by CPU {cpu} before {m.pc():#x}"


def main():
    pc, sp, *command = sys.argv[1:]
    reverse.PC = int(pc)
    seed = int(os.environ.get("GENCC_SEED") or random.randrange(1000))
    draw = random.Random(seed)
    print(f"seed {seed}")
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        m = reverse.Machine([*command, "-reverse", "every=20,keep=8"], work)
        m.connect()
        m.socket.settimeout(300)
        cpus = m.ask("qfThreadInfo").count(",") + 1
        for _ in range(ROUNDS):
            m.run_for(draw.uniform(2, 6))
            check_steps(m, cpus, 1)
            print(check_write(m, int(sp)), m.monitor("info time").strip(), flush=True)
            reverse.go_to_head(m)
        m.end()


if __name__ == "__main__":
    main()
