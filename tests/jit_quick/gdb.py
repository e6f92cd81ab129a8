#!/usr/bin/env python3
"""A debugger looks at a loop after it was translated: breakpoints set then, single steps through
blocks of one instruction, watchpoints. It sees the same with every tier."""
import argparse
import os
import re
import subprocess
import sys
import tempfile

SHOW = r'printf "{}: pc %lx x0 %ld x1 %016lx x2 %ld\n", $pc, $x0, $x1, $x2'


def commands(port):
    text = ["set pagination off", "set confirm off", "set remotetimeout 100", f"target remote 127.0.0.1:{port}",
            "tbreak *warm", "continue", SHOW.format("warm"), "break *inside"]
    text += ["continue", SHOW.format("inside")] * 3
    text += ["delete"] + ["stepi", SHOW.format("step")] * 25
    # Without breakpoints translations stay, and stepping translates blocks of one instruction.
    text += ["stepi 120", SHOW.format("steps")] * 2
    for kind, name in ("watch", "rare"), ("rwatch", "read"), ("watch", "each"):
        place = "&variable" if name != "each" else "(char *)&variable + 8"
        text += ["tbreak *warm", f"{kind} *(long *)({place})"]
        text += ["continue", SHOW.format(name)] * 2 + ["delete"]
    text += ["tbreak *warm", "continue", SHOW.format("warm again"), "stepi", "stepi", "stepi",
             SHOW.format("hot again"), "continue"]
    return "\n".join(text) + "\n"


def session(o, folder, kernel, options):
    """Returns what the debugger's commands printed, and the simulator's status."""
    command = [o.juno, "-kernel", kernel, "-dtb", o.dtb, "-m", "128M", "-clock", "virtual", "-limit", "1",
               "-gdb", "tcp:127.0.0.1:0", "-S", *options]
    script = os.path.join(folder, "commands")
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE) as juno:
        try:
            port = next(found.group(1) for line in juno.stderr
                        if (found := re.search(r"TCP port (\d+)", line.decode())))
            with open(script, "w", encoding="utf-8") as file:
                file.write(commands(port))
            done = subprocess.run([o.gdb, "-nx", "-batch", "-x", script, kernel], timeout=60,
                                  stdin=subprocess.DEVNULL, capture_output=True, check=False)
            status = juno.wait(timeout=20)
        finally:
            juno.kill()
    return re.findall(r"^.*: pc .*$", done.stdout.decode(), re.MULTILINE), status


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("juno", "dtb", "gdb", "gcc"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("source")
    parser.add_argument("tiers", nargs="*")
    o = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        kernel = os.path.join(folder, "kernel")
        subprocess.run([o.gcc, "-nostdlib", "-static", "-Wl,-Ttext-segment=0x80080000", o.source, "-o",
                        kernel], check=True)
        want, status = session(o, folder, kernel, ["-accel", "interp"])
        print("\n".join(want))
        rounds = [int(n) for n in re.findall(r"x0 (\d+)", "\n".join(want))]
        good = not status and len(want) == 39 and rounds[:4] == [3000, 3001, 3002, 3003]
        print(f"interpreter: status {status}, {'good' if good else 'wrong'}")
        for tier in o.tiers:
            options = ["-accel", "jit", "-jit-tier", tier, "-jit-quick-threshold", "4",
                       "-jit-threshold", "50", "-jit-sync"]
            seen, status = session(o, folder, kernel, options)
            wrong = [f"{a}\n  but interpreted\n{b}" for a, b in zip(seen, want) if a != b]
            print("\n".join(wrong))
            print(f"{tier}: status {status}, {len(seen)} lines, {len(wrong)} wrong")
            good &= not wrong and not status and len(seen) == len(want)
    return 0 if good else 1


sys.exit(main())
