#!/usr/bin/env python3
"""Going back to the bundle of a shader that wrote to memory: by watchpoints, by the monitor, by GDB itself.

    gpu_reverse.py GUEST EXPECT ADDRESS GDB SIMULATOR OPTION…

The guest (gpu_job.S) runs a job that adds two arrays four times; ADDRESS is the GPU's, of an element of the sum to which
the CPU writes the round's number before. EXPECT has the right sums.
"""
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

import reverse

ROUNDS = 4
RUNS = {"interpreted": ["-accel", "interp"], "translated": ["-jit-quick-threshold", "1", "-gpu-threads", "3"]}


def expected(path, address):
    """The right word at an address, as the bytes of a packet."""
    file = pathlib.Path(path).read_bytes()
    start, count = struct.unpack_from("<Q", file, 32)[0], struct.unpack_from("<H", file, 56)[0]
    for n in range(count):
        kind, _, offset, va, _, held, _, _ = struct.unpack_from("<IIQQQQQQ", file, start + 56 * n)
        if kind == 1 and va <= address < va + held:
            return file[offset + address - va:][:4].hex()
    sys.exit(f"gpu_reverse: nothing is expected at {address:#x}")


def back(m, packet="bc"):
    """What the stop says, and what was printed before."""
    answer, text = m.ask(packet), ""
    while answer.startswith("O"):
        text += bytes.fromhex(answer[1:]).decode()
        answer = m.receive()
    return answer, text


def check(what, got, wanted):
    if got != wanted:
        sys.exit(f"gpu_reverse: {what}: {got}, not {wanted}")


def number(n):
    return struct.pack("<I", n).hex()


def run_to(m, place):
    m.expect(f"Z0,{place:x},4", "OK")
    m.expect("vCont;c", "T05")
    check("the end", m.pc(), place)
    m.expect(f"z0,{place:x},4", "OK")


def check_watchpoint(m, names, out, item, right):
    """Each round's two writes, from the last: the shader's and the CPU's."""
    run_to(m, names["done"])
    check("the sum", m.read(out, 4), right)
    m.expect(f"Z2,{out:x},4", "OK")
    for turn in range(ROUNDS, 0, -1):
        answer, text = back(m)
        if f"watch:{out:x};" not in answer or f"work-item ({item},0,0)" not in text:
            sys.exit(f"gpu_reverse: round {turn}: {answer} {text}")
        check("behind the store", m.read(out, 4), right)
        m.expect("bs", "T05")
        check("before the store", m.read(out, 4), number(turn))
        m.expect("bs", "T05")
        check("before that", m.read(out, 4), number(turn))
        answer, text = back(m)
        check("the CPU's note", text, "")
        m.expect(f"z2,{out:x},4", "OK")
        m.expect("bs", "T05")
        check("the CPU's store", (m.pc(), m.read(out, 4)), (names["stored"], right if turn > 1 else m.first))
        m.expect(f"Z2,{out:x},4", "OK")
    m.expect("bc", "replaylog:begin")
    m.expect(f"z2,{out:x},4", "OK")


def check_going_on(m, names, out, right):
    """From a place in a shader a step goes behind its part of the job, and the run ends as before."""
    run_to(m, names["done"])
    m.expect(f"Z2,{out:x},4", "OK")
    back(m)
    m.expect(f"z2,{out:x},4", "OK")
    m.expect("M84000000,1:00", "E01")
    m.expect("bs", "T05")
    m.expect("vCont;s:1", "T05")
    check("behind the part", m.read(out, 4), right)
    m.expect(f"Z2,{out:x},4", "OK")
    back(m)
    m.expect(f"z2,{out:x},4", "OK")
    run_to(m, names["done"])
    check("the sum again", m.read(out, 4), right)


def check_monitor(m, address, out, right):
    """`gpu watch` names memory by the GPU's address; the stop is before the store."""
    check("gpu watch", m.monitor(f"gpu watch 0 {address:#x}"), f"4 bytes at physical {out:#x}\n")
    answer, text = back(m)
    if not answer.startswith("T05") or f" at {address:#x}\n" not in text:
        sys.exit(f"gpu_reverse: gpu watch: {answer} {text}")
    check("before the store", m.read(out, 4), number(ROUNDS))
    text = m.monitor("gpu writer 0")
    if not re.search(r"(?s)kernel [0-9a-f]{16}, clause \d+ at.*=> .*STORE", text):
        sys.exit(f"gpu_reverse: gpu writer: {text}")
    m.monitor("gpu watch none")


def check_rows(m, out, count):
    """In one job, from the last element of a range to the first; those behind are not written yet."""
    m.expect(f"Z2,{out:x},{4 * count:x}", "OK")
    items = []
    while True:
        answer, text = back(m)
        found = re.search(r"work-item \((\d+),0,0\)", text)
        if not found or "replaylog" in answer:
            break
        items.append(int(found[1]))
        m.expect("bs", "T05")
    m.expect(f"z2,{out:x},{4 * count:x}", "OK")
    if len(items) < 2 or items != sorted(items, reverse=True):
        sys.exit(f"gpu_reverse: work-items {items}")


def with_gdb(m, names, out, gdb, guest, right):
    value = struct.unpack("<i", bytes.fromhex(right))[0]
    commands = ["set confirm off", "set remotetimeout 100", "set pagination off", "set architecture aarch64", f"file {guest}",
                f"target remote 127.0.0.1:{m.port}", f"tbreak *{names['done']:#x}", "continue", f"watch *(int *){out:#x}",
                "reverse-continue", "monitor gpu writer 0", "reverse-continue", "reverse-continue", "delete",
                f"tbreak *{names['done']:#x}", "continue", "p/x $pc"]
    done = subprocess.run([gdb, "-nx", "-q", "-batch", *(word for line in commands for word in ("-ex", line))],
                          capture_output=True, text=True, timeout=200, check=False)
    at = 0
    for part in [f"Old value = {value}\nNew value = {ROUNDS}\n", f"Old value = {ROUNDS}\nNew value = {value}\n",
                 f"Old value = {value}\nNew value = {ROUNDS - 1}\n", f"= {names['done']:#x}\n"]:
        at = done.stdout.find(part, at)
        if at < 0:
            sys.exit(f"gpu_reverse: {part!r} is missing in GDB's\n{done.stdout}{done.stderr}")
    printed = done.stdout + done.stderr # GDB prints what it did not ask for elsewhere
    if printed.count("The GPU writes: job ") != 3 or printed.count("=> ") != 1:
        sys.exit(f"gpu_reverse: GDB shows not who writes:\n{printed}")


def main():
    guest, expect, address, gdb, *command = sys.argv[1:]
    address = int(address, 0)
    names, right = reverse.symbols(guest), expected(expect, address)
    item = address % 4096 // 4
    for tier, options in RUNS.items():
        print(tier)
        with tempfile.TemporaryDirectory() as folder:
            work = pathlib.Path(folder)
            m = reverse.Machine([*command, *options, "-reverse", "every=1"], work)
            m.connect()
            out = image_place(guest, address)
            m.first = m.read(out, 4)
            check_watchpoint(m, names, out, item, right)
            check_going_on(m, names, out, right)
            check_monitor(m, address, out, right)
            run_to(m, names["done"])
            check_rows(m, out, 40)
            m.end()
            m = reverse.Machine([*command, *options, "-reverse", "on"], work)
            with_gdb(m, names, out, gdb, guest, right)
            m.end()


def image_place(guest, address):
    """Where gpu_image.py put a page: segments follow one another behind the first table, each with its tables."""
    import gpu_image
    file = pathlib.Path(guest).read_bytes()
    start = struct.unpack_from("<Q", file, 32)[0]
    _, _, offset, base, _, held, _, _ = struct.unpack_from("<IIQQQQQQ", file, start + 56)
    table = gpu_image.BASE
    for level in range(4):
        entry = struct.unpack_from("<Q", file, offset + table - base + 8 * (address >> (39 - 9 * level) & 511))[0]
        table = entry & 0xfffffffff000
    return table + address % 4096


if __name__ == "__main__":
    main()
