"""A guest on our board and under QEMU: how both are started, driven and timed.

The console is driven by scripts/drive-console, which types a line when the prompt shows, so both
sides do the same. QEMU's machine is the same one, or, since it has no Juno, its own (virt); kernel,
initial RAM disk, root file system and what is typed are the same.
"""
import importlib.machinery
import importlib.util
import os
import re
import shlex
import sys
import time
from typing import NamedTuple

import pairs

PROMPT = re.compile(rb"(guest:|root@debian:)[^ ]*# ")
TICK = os.sysconf("SC_CLK_TCK")


class Board(NamedTuple):
    """A machine: its files of scripts/fetch-guest, and the QEMU machine that it is compared
    with."""
    kernel: str
    architecture: str
    console: str
    cpus: int
    tree: list  # options of our simulator
    qemu: str
    machine: list  # options of QEMU


BOARDS = {
    "juno": Board("vmlinuz-arm64", "arm64", "ttyAMA0", 1, ["-dtb", "dtb/juno-r2.dtb"],
                  "qemu-system-aarch64", ["-M", "virt", "-cpu", "cortex-a57"]),
    "vexpress": Board("vmlinuz-armmp", "armhf", "ttyAMA0", 2,
                      ["-dtb", "dtb/vexpress-v2p-ca15-tc1.dtb"], "qemu-system-arm",
                      ["-M", "vexpress-a15", "-dtb", "dtb/vexpress-v2p-ca15-tc1.dtb"]),
    "virt-riscv64": Board("vmlinuz-riscv64", "riscv64", "ttyS0", 1, [], "qemu-system-riscv64",
                          ["-M", "virt"]),
}


def _drive_console():
    path = os.path.join(pairs.ROOT, "scripts/drive-console")
    loader = importlib.machinery.SourceFileLoader("drive_console", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("drive_console", loader))
    loader.exec_module(module)
    return module


drive_console = _drive_console()


def add_options(parser):
    pairs.add_options(parser)
    parser.add_argument("--board", choices=BOARDS, default="juno", help="(default juno)")
    parser.add_argument("--simulator", help="ours (default build/bin/BOARD)")
    parser.add_argument("--qemu", help="(default: QEMU's simulator of that architecture)")
    parser.add_argument("--guest", default=os.path.join(pairs.ROOT, "cache/guest"),
                        help="the folder of scripts/fetch-guest")
    parser.add_argument("--timeout", type=float, default=1800,
                        help="longest wait for an answer, in seconds (default 1800)")
    parser.add_argument("--log", metavar="FILE", help="what the guests print goes there")


def parse(parser):
    """Parses the options, and adds those that follow from the board."""
    o = parser.parse_args()
    o.simulator = o.simulator or os.path.join(pairs.ROOT, "build/bin", o.board)
    o.qemu = o.qemu or BOARDS[o.board].qemu
    return o


def commands(o, append, memory, disk=None, programs=None):
    """Returns the command lines of ours and of QEMU: to busybox's shell, or with `disk` to the
    userland of rootfs-ARCH`disk`.ext4, which finds the folder `programs` as /mnt/programs."""
    board = BOARDS[o.board]

    def in_guest(words):
        return [os.path.join(o.guest, word) if word.startswith("dtb/") else word for word in words]

    initrd = f"initramfs-{board.architecture}{'' if disk is None else '-disk'}.cpio.gz"
    common = ["-nographic", "-no-reboot", "-smp", str(board.cpus), "-m", memory,
              "-kernel", os.path.join(o.guest, board.kernel),
              "-initrd", os.path.join(o.guest, initrd),
              "-append", f"console={board.console} {append}"]
    ours = [o.simulator, *in_guest(board.tree), "-accel", o.accel, *shlex.split(o.ours), *common]
    # Ours has no network either. QEMU's default card needs a ROM from a package that is only
    # recommended.
    theirs = [o.qemu, *in_guest(board.machine), "-nic", "none", *common]
    if disk is not None:
        image = os.path.join(o.guest, f"rootfs-{board.architecture}{disk}.ext4")
        drive = f"file={image},format=raw,snapshot=on"
        ours += ["-drive", drive]
        theirs += ["-drive", drive + ",if=none,id=disk", "-device", "virtio-blk-device,drive=disk"]
    if programs:
        share = f"local,path={programs},{{}}=programs,readonly=on"
        ours += ["-virtfs", share.format("mount_tag")]
        theirs += ["-fsdev", share.format("security_model=none,id"), "-device",
                   "virtio-9p-device,fsdev=programs,mount_tag=programs"]
    return ours, theirs


class Guest:
    """A simulator with a guest, and the seconds that it has taken so far."""

    def __init__(self, command, o, log):
        self.timeout = o.timeout
        self.start = time.monotonic()
        with open(os.devnull, "wb") as errors:
            self.console = drive_console.Console(command, [log] if log else [], errors)

    def times(self):
        """Wall and CPU seconds since the start, all threads of the process."""
        with open(f"/proc/{self.console.child.pid}/stat", encoding="utf-8") as file:
            fields = file.read().rpartition(")")[2].split()
        return pairs.Times(time.monotonic() - self.start, (int(fields[11]) + int(fields[12])) / TICK)

    def wait_for(self, pattern):
        """Waits for the pattern, and returns the console's output up to it."""
        if not self.console.wait_for(pattern, time.monotonic() + self.timeout):
            sys.exit("the guest ended too early")
        return drive_console.ESCAPES.sub(b"", self.console.unread).decode(errors="replace")

    def finish(self):
        """Waits for the end of the process, and returns all its times."""
        deadline = time.monotonic() + self.timeout
        while self.console.read(deadline):
            pass
        _, status, usage = os.wait4(self.console.child.pid, 0)
        wall = time.monotonic() - self.start
        self.console.child.returncode = os.waitstatus_to_exitcode(status)
        if status:
            sys.exit(f"the simulator's status is {self.console.child.returncode}")
        return pairs.Times(wall, usage.ru_utime + usage.ru_stime)

    def stop(self):
        if self.console.child.returncode is None:
            self.console.stop()
