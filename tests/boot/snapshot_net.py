#!/usr/bin/env python3
"""A guest that is loaded in the midst of a transfer sees that its connection is reset, and connects again.

    snapshot_net.py SIMULATOR OPTION…

The guest is a shell of busybox with a driver of virtio's network cards. It waits for a server of the host that has sent only
a part of a file when the machine is saved.
"""
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from replay_net import wait_for  # noqa: E402

RESETS = rb"Tcp: \d+ \d+ \d+ -?\d+ \d+ \d+ \d+ 1 "  # RFC 4022: the eighth is tcpEstabResets
HEAD = b"HTTP/1.0 200 OK\r\nContent-Length: 100000\r\n\r\n"


class Server:
    """Sends the beginning of a file to its first client, and notes when that is gone; sends the others all of it."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.begun, self.gone = threading.Event(), threading.Event()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        first, _ = self.listener.accept()
        first.recv(4096)
        first.sendall(HEAD + b"x" * 1000)
        self.begun.set()
        try:
            while first.recv(4096):
                pass
        except OSError:
            pass
        self.gone.set()
        while True:
            client, _ = self.listener.accept()
            client.recv(4096)
            client.sendall(HEAD + b"y" * 100000)
            client.close()


def start(command, output, *options):
    with open(output, "wb") as out:
        return subprocess.Popen([*command, *options], stdin=subprocess.PIPE, stdout=out, stderr=subprocess.STDOUT)


def say(process, text):
    process.stdin.write(text)
    process.stdin.flush()


def main():
    command = [*sys.argv[1:], "-nic", "user"]
    server = Server()
    with tempfile.TemporaryDirectory(prefix="gencc-snapshot-net-") as folder:
        work = pathlib.Path(folder)
        shots = ["-snapshot-dir", str(work)]
        process = start(command, work / "first", *shots, "-monitor", f"unix:{work}/monitor,server=on,wait=off")
        wait_for(work / "first", b"# ")
        say(process, b"for m in failover net_failover virtio_mmio virtio_net; do insmod /lib/modules/*/$m.ko; done 2>/dev/null\n"
            b"ip addr add 10.0.2.15/24 dev eth0; ip link set eth0 up\n"
            b"wget -q -O - 10.0.2.2:%d/a | wc -c; echo ended $((40 + 2))\n" % server.port)
        if not server.begun.wait(300):
            sys.exit(f"snapshot_net: no client: {(work / 'first').read_bytes()[-1000:]!r}")
        with socket.socket(socket.AF_UNIX) as monitor:
            monitor.connect(f"{work}/monitor")
            monitor.sendall(b"savevm midst\nquit\n")
            process.wait(timeout=120)
        if not server.gone.wait(60):
            sys.exit("snapshot_net: the server's connection stays open")
        if b"ended 42" in (work / "first").read_bytes():
            sys.exit("snapshot_net: the transfer had ended before the snapshot")
        process = start(command, work / "second", *shots, "-loadvm", "midst")
        wait_for(work / "second", b"ended 42", 120)
        say(process, b"grep Tcp: /proc/net/snmp; wget -q -O - 10.0.2.2:%d/b | md5sum; poweroff -f\n" % server.port)
        process.wait(timeout=120)
        text = (work / "second").read_bytes()
    if not re.search(RESETS, text) or b"f0a7af634b47967c6cf3a0aaaaa50d17" not in text:
        sys.exit(f"snapshot_net: {text[-1500:]!r}")
    print("snapshot_net: the connection was reset, and the guest connected again")


main()
