#!/usr/bin/env python3
"""Going back in a program of a guest, by GDB: to the writes of a variable, over system calls and interrupts, and on again.

    reverse_program.py ARCHITECTURE PROGRAM GDB SIMULATOR OPTION…

PROGRAM (program.c) becomes the guest's /init; ARCHITECTURE is GDB's name.
"""
import gzip
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "machine"))
import reverse  # noqa: E402

FIRST = 40


def archive(files):
    """An initramfs (cpio, newc)."""
    out = b""
    for number, (name, mode, content) in enumerate([*files, ("TRAILER!!!", 0, b"")]):
        fields = [number + 1 if mode else 0, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0]
        out += b"070701" + b"".join(b"%08x" % field for field in fields) + name.encode() + b"\0"
        out += bytes(-len(out) % 4) + content + bytes(-len(content) % 4)
    return gzip.compress(out)


def ask_gdb(gdb, architecture, program, port):
    lines = ["set confirm off", "set pagination off", f"set architecture {architecture}", f"file {program}",
             "set remotetimeout 300", f"target remote 127.0.0.1:{port}", "break bump", f"ignore 1 {FIRST}", "continue",
             "print mirror", "delete", "watch count", "reverse-continue", "reverse-continue", "delete", "print mirror",
             "break bump", "reverse-continue", "print count", "delete", "stepi", "reverse-finish", "info symbol $pc",
             "continue", "break bump", "ignore 4 5", "continue", "print mirror", "kill"]
    words = [gdb, "-nx", "-q", "-batch"]
    for line in lines:
        words += ["-ex", line]
    return subprocess.run(words, capture_output=True, text=True, timeout=1500, check=False)


def main():
    architecture, program, gdb, *command = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        init = pathlib.Path(program).read_bytes()
        (work / "initrd").write_bytes(archive([("dev", 0o40755, b""), ("init", 0o100755, init)]))
        m = reverse.Machine([*command, "-initrd", work / "initrd", "-reverse", "every=100"], work)
        done = ask_gdb(gdb, architecture, program, m.port)
        m.end()
        at = 0
        for part in [f"= {3 * FIRST}\n", f"Old value = {FIRST}\nNew value = {FIRST - 1}\n",
                     f"Old value = {FIRST - 1}\nNew value = {FIRST - 2}\n", f"= {3 * (FIRST - 2)}\n",
                     f"= {FIRST - 2}\n", "_start", f"= {3 * (FIRST + 6)}\n"]:
            at = done.stdout.find(part, at)
            if at < 0:
                sys.exit(f"reverse_program: {part!r} is missing in GDB's\n{done.stdout}{done.stderr}"
                         f"{(work / 'output').read_text(errors='replace')[-1500:]}")


if __name__ == "__main__":
    main()
