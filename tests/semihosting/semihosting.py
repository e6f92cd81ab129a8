#!/usr/bin/env python3
"""Runs one program (program.c) on our boards and on QEMU's with -semihosting, and compares its
output and status; without the option its calls must fail. Another (copy.c) goes on from snapshots
with its files at their places.

    semihosting.py BIN DTBS
"""
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
COMPILE = ["-O1", "-ffreestanding", "-nostdlib", "-static", "-fno-pie", "-no-pie", "-Wl,--build-id=none",
           "-Wl,-z,norelro"]
ARM = ["-march=armv7-a", "-mfpu=vfpv3", "-mno-unaligned-access"]
VIRT64 = ["qemu-system-aarch64", "-M", "virt", "-cpu", "cortex-a57"]
A15 = ["qemu-system-arm", "-M", "vexpress-a15"]
# Name, compiler, its options, our board, its address; QEMU's board, its address.
BOARDS = [
    ("A64", "aarch64-linux-gnu-gcc", ["-mstrict-align"], ["juno", "juno-r2.dtb"], 0x80200000, VIRT64, 0x40200000),
    ("A32", "arm-linux-gnueabihf-gcc", [*ARM, "-marm"], ["vexpress", "vexpress-v2p-ca15-tc1.dtb"], 0x80200000, A15,
     0x80200000),
    ("T32", "arm-linux-gnueabihf-gcc", [*ARM, "-mthumb"], ["vexpress", "vexpress-v2p-ca15-tc1.dtb"], 0x80200000, A15,
     0x80200000),
    ("RV64", "riscv64-linux-gnu-gcc", ["-mcmodel=medany"], ["virt-riscv64"], 0x80200000,
     ["qemu-system-riscv64", "-M", "virt", "-bios", "none"], 0x80000000),
]


def built(folder, compiler, options, address, program="program.c"):
    out = folder / f"{address:x}.elf"
    subprocess.run([compiler, *COMPILE, *options, f"-Wl,-Ttext={address:#x}", HERE / "start.S", HERE / program,
                    "-o", out], check=True)
    return out


def run(folder, command):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=30, check=False,
                          stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


def check(folder, bins, dtbs, row):
    name, compiler, options, (board, *dtb), address, qemu, other = row
    ours = [bins / board, "-nographic", "-limit", "1", "-icount", "ps=1000000",
            *(["-dtb", dtbs / dtb[0]] if dtb else []), "-kernel", built(folder, compiler, options, address)]
    theirs = [*qemu, "-nic", "none", "-display", "none", "-serial", "null", "-monitor", "none",
              "-chardev", "file,id=console,path=said",
              "-semihosting-config", "enable=on,target=native,chardev=console",
              "-kernel", built(folder, compiler, options, other)]
    status, text, errors = run(folder, theirs)
    # output through a handle is not in the file
    want = (status, text + (folder / "said").read_text())
    status, text, errors = run(folder, [*ours, "-semihosting"])
    wrong = []
    if want[0] != 7 or (status, text) != want:
        wrong.append(f"{name}: status {status}\n{text}{errors}QEMU: status {want[0]}\n{want[1]}")
    status, text, errors = run(folder, ours)
    if status != 124 or text:
        wrong.append(f"{name} without -semihosting: status {status}\n{text}{errors}")
    return wrong


def check_snapshots(folder, bins):
    """A file that is written goes on where it was, and nothing before that place is touched."""
    _, compiler, options, (board,), address, _, _ = BOARDS[3]
    ours = [bins / board, "-nographic", "-semihosting", "-limit", "1", "-kernel",
            built(folder, compiler, options, address, "copy.c"), "-snapshot-dir", folder / "shots"]
    text = "".join(chr(65 + n * n % 26) for n in range(3000))
    (folder / "in").write_text(text)
    whole = run(folder, [*ours, "-snapshot-every", "0.001"])
    names = sorted(file.stem for file in (folder / "shots").glob("*.gvm"))
    if whole[:2] != (7, text) or (folder / "out").read_text() != text or len(names) < 3:
        return [f"copy.c: {whole}, {len(names)} snapshots"]
    wrong = []
    for name in names[:: len(names) // 3]:
        (folder / "out").write_text("." * len(text))
        status, rest, errors = run(folder, [*ours, "-loadvm", name])
        out = (folder / "out").read_text()
        place = len(text) - len(rest)
        if status != 7 or not text.endswith(rest) or out.lstrip(".") != text[len(text) - len(out.lstrip(".")):] or \
                abs(out.count(".") - place) > 1:
            wrong.append(f"copy.c from {name}: status {status}, console {rest!r}, file {out!r}\n{errors}")
    return wrong


def main(bins, dtbs):
    with tempfile.TemporaryDirectory() as name:
        wrong = []
        for row in BOARDS:
            folder = pathlib.Path(name) / row[0]
            folder.mkdir()
            wrong += check(folder, pathlib.Path(bins).resolve(), pathlib.Path(dtbs).resolve(), row)
        folder = pathlib.Path(name) / "snapshots"
        folder.mkdir()
        wrong += check_snapshots(folder, pathlib.Path(bins).resolve())
    print("\n".join(wrong) or f"{len(BOARDS)} instruction sets: as QEMU; and from snapshots")
    return 1 if wrong else 0


sys.exit(main(*sys.argv[1:]))
