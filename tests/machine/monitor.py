#!/usr/bin/env python3
"""-monitor from the outside: each kind of peer, each command, and peers that mean ill.

No guest software is needed: the board is mini.dts, the kernels are raw words below.
"""
import argparse
import os
import pathlib
import pty
import re
import select
import socket
import struct
import subprocess
import sys
import tempfile
import unittest

ARGS = None

# A64, as binutils encodes it.
LOOP = [0x91000400, 0x17ffffff]  # add x0, x0, #1; b .-4
WAIT = [0xd503207f, 0x17ffffff]  # wfi; b .-4
# The PL011, enabled, prints what it gets: movz x1, #0x7ff8, lsl #16; mov w3, #0x301; str w3, [x1, #48];
# ldr w2, [x1, #24]; tbnz w2, #4, .-4; ldr w2, [x1]; str w2, [x1]; b .-16
ECHO = [0xd2afff01, 0x52806023, 0xb9003023, 0xb9401822, 0x3727ffe2, 0xb9400022, 0xb9000022, 0x17fffffc]
PROMPT = b"(gencc) "


class Monitor(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="gencc-monitor-")
        self.addCleanup(self.folder.cleanup)
        self.work = pathlib.Path(self.folder.name)

    def command(self, guest, *options):
        kernel = self.work / "kernel"
        kernel.write_bytes(struct.pack(f"<{len(guest)}I", *guest))
        return [ARGS.juno, "-kernel", kernel, "-dtb", ARGS.dtb, "-m", "64M", *[str(o) for o in options]]

    def start(self, guest, *options, **how):
        how = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **how}
        juno = subprocess.Popen(self.command(guest, *options), **how)

        def end():
            juno.kill()
            juno.wait()
            for file in (juno.stdin, juno.stdout, juno.stderr):
                if file:
                    file.close()
        self.addCleanup(end)
        return juno

    def on_socket(self, guest, *options):
        """A machine with a monitor at a socket in a file, and a connection to it."""
        path = self.work / "socket"
        juno = self.start(guest, "-monitor", f"unix:{path},server=on,wait=off", *options)
        while not re.search(rb"device tree ", line := juno.stderr.readline()):
            self.assertTrue(line, "it ended")
        peer = socket.socket(socket.AF_UNIX)
        self.addCleanup(peer.close)
        peer.settimeout(30)
        peer.connect(str(path))
        self.assertIn(b"'help' lists the commands", self.until_prompt(peer))
        return juno, peer

    def until_prompt(self, peer):
        text = b""
        while not text.endswith(PROMPT):
            more = peer.recv(65536)
            self.assertTrue(more, text)
            text += more
        return text

    def ask(self, peer, line):
        peer.sendall(line.encode() + b"\n")
        return self.until_prompt(peer)[:-len(PROMPT)].decode()

    def test_commands(self):
        _, peer = self.on_socket(LOOP, "-S", "-gpu", "g72", "-drive", f"file={self.disk()},format=raw,snapshot=on",
                                 "-nic", "user,restrict=on", "-device", "virtio-gpu")
        for line, expected in (
                ("help", r"info WHAT: tells of:\n    version: .*(?s:.)*system_reset\|reset: "),
                ("?", r"quit\|q: end the simulation"), ("help log", r"^log CHANNEL.*as -d\n$"), ("help gpu", r"^gpu WHAT: .*\n    info: (?s:.)*jobs \[COUNT\]"),
                ("help nonsense", r"^no command 'nonsense'"), ("info version", r"^juno \(gencc\) \d"),
                ("info status", "^VM status: paused$"), ("info registers", r"^PC +0x0000000080000000$"),
                ("info registers -a", r"^CPU#0$"), ("info mtree", r"^0000800.*RAM"), ("info qtree", "^pl011 +/serial"),
                ("info cpus", r"^\* CPU#0 arm,cortex-a53: runs, PC 0x80000000, 0 instructions$"),
                ("info block", r"^drive0: .*/disk \(virtio, snapshot\)$"),
                ("info network", "^net0: user, model=virtio, restrict=on$"), ("info chardev", "^serial0: stdio$"),
                ("info display", "^virtio@6f0[0-9]0000: off$"),
                ("info jobs", "^no job has ended yet$"), ("gpu jobs 5", "^no job has ended yet$"), ("gpu jobs none", "jobs takes a number"),
                ("gpu info", "^Mali-G72 MP12 "), ("gpu stats", r"^gpu/"), ("gpu", r"^gpu WHAT: "), ("gpu nonsense", "^no GPU command 'nonsense'"),
                ("info nonsense", "^no such info as 'nonsense'"), ("stop now", "'stop' takes nothing"),
                ("print 0x10+0x20", "^ 0x0000000000000030$"), ("p/d $pc-1", "^ 2147483647$"), ("print /c 0x41", "^ 'A'$"), ("print /2x 1", "one number"),
                ("print", r"'print' needs \[/FORMAT\]"), ("info gpu", r"^Mali-G72 MP12 .*MHz\ncores ready: 0x0 of 0xfff\nslot 0: idle\n"), ("info stats machine", r"^machine/turns +\d+$"),
                ("x/2i $pc", r"^0x0000000080000000:  add\s+x0, x0, #0x1\n0x0000000080000004:  b\s+0x80000000$"),
                ("x/1i 0x1", "no memory at 0x1"),
                ("xp /2xw 0x80000000", "^0000000080000000: 0x91000400 0x17ffffff$"),
                ("xp /1dw $pc+4", "^0000000080000004: 402653183$"), ("xp /2xg 0x80000000", "17ffffff91000400 0x"),
                ("xp /2c 0x80000001", r"^0000000080000001: '\\x04' '\\x00'$"), ("xp /1uh 0x80000000", ": 1024$"),
                ("xp /1db 0x80000003", ": -111$"), ("xp /1ob 0x80000003", ": 0221$"),
                ("xp 0x80000000 4", "^000080000000: 00 04 00 91$"), ("xp /4i 0x80000000", "has not"),
                ("xp /9999xg 0x80000000", "1 to 4096 bytes"), ("xp /z 0", "a format is"), ("x /4xw", "missing"),
                ("x /1x $nothing", "no register 'nothing'"), ("xp /1x 1+2+", "takes a number"),
                ("gva2gpa $pc-0+4", "^0x80000004$"), ("cpu 1", "from 0 to 0"), ("cpu 0", "^$"),
                ("nonsense", r"no command 'nonsense' \('help' lists them\)"), ("info", r"^info WHAT: tells of:\n    version: "),
                ("screendump x.png", "the screen is off"), ("log firmware", "^$"), ("", "^$")):
            with self.subTest(line):
                self.assertRegex(self.ask(peer, line), f"(?m){expected}")

    def test_memory_into_files(self):
        _, peer = self.on_socket(LOOP, "-S")
        code = struct.pack(f"<{len(LOOP)}I", *LOOP)
        for command in "memsave", "pmemsave":
            path = self.work / command
            self.assertEqual(self.ask(peer, f"{command} $pc 9000 {path}"), "")
            self.assertEqual(path.read_bytes(), code + bytes(9000 - len(code)))
            self.assertEqual(self.ask(peer, f"{command} 0x80000004 4 {path}"), "")
            self.assertEqual(path.read_bytes(), code[4:])
            for wrong, expected in ((f"0x10 4 {path}", "not all of this is memory"), ("0x80000000 4", "needs ADDRESS SIZE FILE"),
                                    (f"0x80000000 0 {path}", f"{command} takes a number"), ("0x80000000 4 /no/such", "/no/such: No such file")):
                with self.subTest(wrong):
                    self.assertIn(expected, self.ask(peer, f"{command} {wrong}"))

    def disk(self):
        path = self.work / "disk"
        path.write_bytes(bytes(512))
        return path

    def test_stop_and_go(self):
        def counted(peer):
            return int(re.search(r"(\d+) instructions", self.ask(peer, "info cpus"))[1])

        juno, peer = self.on_socket(LOOP, "-clock", "virtual")
        before = counted(peer)
        while counted(peer) == before:
            pass
        self.assertEqual(self.ask(peer, "stop"), "")
        self.assertEqual(self.ask(peer, "info status"), "VM status: paused\n")
        stands = counted(peer)
        self.assertGreater(stands, 0)
        self.assertEqual(counted(peer), stands)
        self.ask(peer, "c")
        while counted(peer) == stands:
            pass
        self.ask(peer, "s")
        start = r"X0 +0x0000000080200000\n"  # where the device tree is
        self.assertNotRegex(self.ask(peer, "info registers"), start)
        self.ask(peer, "system_reset")
        self.assertRegex(self.ask(peer, "info registers"), start)
        peer.sendall(b"quit\n")
        self.assertEqual(juno.wait(30), 0)
        self.assertFalse((self.work / "socket").exists())

    def test_waits_for_nothing(self):
        """All CPUs wait, for ever: what comes is answered all the same, also much at once."""
        _, peer = self.on_socket(WAIT, "-clock", "virtual")
        peer.sendall(1000 * b"info status\n")
        text = b""
        while text.count(PROMPT) < 1000:
            text += peer.recv(65536)
        self.assertEqual(text.count(b"VM status: running"), 1000)

    def test_one_peer_after_another(self):
        _, peer = self.on_socket(LOOP)
        peer.sendall(b"info status\nqui")
        peer.shutdown(socket.SHUT_WR)  # as a program that pipes commands does
        self.assertIn("VM status: running", self.until_prompt(peer).decode())
        self.assertEqual(peer.recv(10), b"")
        with socket.socket(socket.AF_UNIX) as second:
            second.settimeout(30)
            second.connect(str(self.work / "socket"))
            self.until_prompt(second)
            self.assertIn("no command 't'", self.ask(second, "t"))  # not "quit"

    def test_a_peer_that_does_not_read(self):
        """It asks for much, again and again: the machine runs on, and keeps no more than it must."""
        path = self.work / "script"
        path.write_text("wait 2000\nquit\n")
        juno, peer = self.on_socket(LOOP, "-script", path, "-clock", "virtual")
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        peer.settimeout(0.3)
        with self.assertRaises((TimeoutError, BrokenPipeError, ConnectionResetError)):
            while True:
                peer.sendall(100 * b"info sysregs\n")
        self.assertEqual(juno.wait(60), 0)

    def test_bad_lines(self):
        _, peer = self.on_socket(LOOP)
        self.assertIn("a line has at most 1023 characters", self.ask(peer, 5000 * "x"))
        self.assertEqual(self.ask(peer, "xx\x7f\x08info nonsense\x15info status\x1b[A\x1b[3~\r"), "VM status: running\n")
        peer.sendall(b"\x00\xff\xfe\x01%s%n\n")
        self.assertIn(b"no command", self.until_prompt(peer))

    def test_tcp(self):
        juno = self.start(LOOP, "-monitor", "tcp:127.0.0.1:0,server,nowait")
        for line in juno.stderr:
            if found := re.search(rb"monitor +TCP port (\d+)", line):
                break
        with socket.create_connection(("127.0.0.1", int(found[1]))) as peer:
            self.until_prompt(peer)
            self.assertEqual(self.ask(peer, "info status"), "VM status: running\n")

    def test_connects_and_waits(self):
        """Without server=on the simulator is the client; with wait=on nothing runs before there is one."""
        path = str(self.work / "there")
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(path)
            server.listen()
            server.settimeout(30)
            self.start(LOOP, "-monitor", f"unix:{path}")
            peer, _ = server.accept()
            with peer:
                self.until_prompt(peer)
                self.assertEqual(self.ask(peer, "info status"), "VM status: running\n")
        juno = self.start(LOOP, "-monitor", "tcp:127.0.0.1:0,server=on,wait=on")
        port = int(re.search(rb"TCP port (\d+)", juno.stderr.readline())[1])
        self.assertFalse(select.select([juno.stderr], [], [], 0.3)[0])
        with socket.create_connection(("127.0.0.1", port)) as peer:
            self.until_prompt(peer)
            self.assertIn(b"board", juno.stderr.readline())

    def test_stdio(self):
        """Lines of a pipe; the serial port is then nowhere."""
        done = subprocess.run(self.command(LOOP, "-monitor", "stdio"), input=b"info status\ninfo chardev\nquit\n",
                              capture_output=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"VM status: running\n(gencc) serial0: null\n", done.stdout)

    def test_script(self):
        """At virtual times: two runs print the same."""
        script = self.work / "script"
        script.write_text("wait 1\nsend info registers\\n\nexpect PC\nsend info time\\n\nexpect virtual time\nquit\n")
        runs = [subprocess.run(self.command(LOOP, "-monitor", f"script:{script}"), stdin=subprocess.DEVNULL,
                               capture_output=True, timeout=60, check=False) for _ in range(2)]
        self.assertEqual((runs[0].returncode, runs[0].stdout), (0, runs[1].stdout))
        self.assertRegex(runs[0].stdout, rb"X0 +0x0*[1-9a-f]")

    def on_terminal(self, *options):
        master, slave = pty.openpty()
        juno = self.start(ECHO, *options, stdin=slave, stdout=slave, stderr=slave)
        os.close(slave)
        self.addCleanup(os.close, master)
        return juno, master

    def expect(self, master, pattern):
        text = b""
        while not re.search(pattern, text):
            self.assertTrue(select.select([master], [], [], 30)[0], (pattern, text))
            text += os.read(master, 65536)
        return text

    def test_terminal(self):
        """Ctrl-A c, to the monitor and back."""
        juno, master = self.on_terminal()
        self.expect(master, rb"command line .*\n")
        os.write(master, b"one")
        self.expect(master, rb"one")
        os.write(master, b"\x01cinfo status\rnonsenx\x7fse\r")
        self.expect(master, rb"\(gencc\) info status\r\nVM status: running\r\n(?s:.)*no command 'nonsense'")
        os.write(master, b"\x01ctwo")
        self.expect(master, rb"keys again(?s:.)*two")
        os.write(master, b"\x01cquit\r")
        self.expect(master, rb"quit")
        self.assertEqual(juno.wait(30), 0)

    def test_terminal_without(self):
        juno, master = self.on_terminal("-monitor", "none")
        self.expect(master, rb"command line .*\n")
        os.write(master, b"\x01c")
        self.expect(master, rb"no monitor is available")
        os.write(master, b"\x01x")
        self.assertEqual(juno.wait(30), 0)

    def test_wrong(self):
        (self.work / "file").write_bytes(b"")
        for text, *options in (
                ("-monitor takes stdio", "-monitor", "file:x"), ("twice", "-monitor", "none", "-monitor", "none"),
                ("-monitor stdio: the terminal", "-serial", "stdio", "-monitor", "stdio"),
                ("-serial stdio: the terminal", "-monitor", "stdio", "-serial", "mon:stdio"),
                ("knows server=on|off and wait=on|off, not 'fast'", "-monitor", "tcp::1,fast"),
                ("'perhaps'", "-monitor", "tcp::1,server=perhaps"), ("a GDB address", "-monitor", "tcp:nowhere"),
                ("cannot connect", "-monitor", f"unix:{self.work}/nothing"),
                ("1 to 107 characters", "-monitor", f"unix:{200 * 'x'},server=on"),
                ("cannot listen", "-monitor", f"unix:{self.work}/file,server=on"),
                ("-S needs a debugger", "-S", "-monitor", "none"), ("unknown serial", "-monitor", "nonsense")):
            with self.subTest(text):
                done = subprocess.run(self.command(LOOP, *options), stdin=subprocess.DEVNULL, capture_output=True,
                                      timeout=60, check=False)
                self.assertEqual(done.returncode, 2)
                self.assertIn(text, done.stderr.decode())

    def test_a_socket_that_is_left_over(self):
        path = self.work / "socket"
        with socket.socket(socket.AF_UNIX) as old:
            old.bind(str(path))
        _, peer = self.on_socket(LOOP)
        self.assertEqual(self.ask(peer, "info status"), "VM status: running\n")
        done = subprocess.run(self.command(LOOP, "-monitor", f"unix:{path},server=on"), stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 2)  # somebody listens there
        self.assertIn(b"Address already in use", done.stderr)


def main():
    global ARGS
    parser = argparse.ArgumentParser()
    parser.add_argument("--juno", required=True)
    parser.add_argument("--dtb", required=True)
    ARGS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
