#!/usr/bin/env python3
"""A session with a server of the host is recorded and repeated to the byte, and goes on after a way back.

    replay_net.py SIMULATOR OPTION…

The guest is a shell of busybox with a driver of virtio's network cards. It fetches files of random bytes from a server on the
host's loopback, which is closed before the replay.
"""
import hashlib
import http.server
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "machine"))
import reverse  # noqa: E402

FILES = 4


def serve(folder):
    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, directory=folder, **kwargs)

        def log_message(self, *args):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def wait_for(path, text, seconds=300):
    end = time.time() + seconds
    while text not in path.read_bytes():
        if time.time() > end:
            sys.exit(f"replay_net: no {text!r} in {path.read_bytes()[-2000:]!r}")
        time.sleep(0.2)


def type_session(process, output, port, each=None):
    """Types the commands, each after the prompt; returns nothing when the guest has ended."""
    lines = ["for m in failover net_failover virtio_mmio virtio_net; do insmod /lib/modules/*/$m.ko; done 2>/dev/null",
             "ip addr add 10.0.2.15/24 dev eth0; ip link set eth0 up"]
    lines += [f"wget -q -O - 10.0.2.2:{port}/{n} | md5sum" for n in range(FILES)]
    for n, line in enumerate(lines):
        process.stdin.write(f"{line}; echo said $(({n} + 100))\n".encode())
        process.stdin.flush()
        if each:
            each(n)
        wait_for(output, b"said %d" % (n + 100))
    process.stdin.write(b"poweroff -f\n")
    process.stdin.flush()


def check_sums(text, sums):
    for n, total in enumerate(sums):
        if total.encode() not in text:
            sys.exit(f"replay_net: file {n} came otherwise: {text[-3000:]!r}")


def check_replay(command, work, port, sums, server):
    output, record = work / "recorded", work / "session.rr"
    with open(output, "wb") as out:
        process = subprocess.Popen([*command, "-record", record], stdin=subprocess.PIPE, stdout=out, stderr=subprocess.DEVNULL)
        wait_for(output, b"# ")
        type_session(process, output, port)
        status = process.wait(timeout=120)
    recorded = output.read_bytes()
    check_sums(recorded, sums)
    server.shutdown()
    server.server_close()
    done = subprocess.run([*command, "-replay", record], stdin=subprocess.DEVNULL, capture_output=True, timeout=600, check=False)
    if done.returncode != status or done.stdout != recorded:
        sys.exit(f"replay_net: the replay ended with {done.returncode}, not {status}: {done.stderr.decode()[-500:]}")
    print(f"{len(recorded)} bytes printed, {record.stat().st_size} recorded, and repeated without the server")


def check_way_back(command, work, port, sums):
    """GDB goes back and returns while files are fetched."""
    m = reverse.Machine([*command, "-reverse", "every=50"], work)
    m.connect()
    m.send("vCont;c")
    output = work / "output"
    wait_for(output, b"# ")

    def go_back(n):
        if n < 2:
            return
        time.sleep(0.3)
        m.socket.sendall(b"\x03")
        m.receive()
        for _ in range(3):
            m.expect("bs", "T05")
        now = float(m.monitor("info time").split()[0])
        m.monitor(f"goto {max(0.1, now - 0.05)}")
        reverse.go_to_head(m)
        m.send("vCont;c")

    type_session(m.process, output, port, go_back)
    m.process.wait(timeout=120)
    check_sums(output.read_bytes(), sums)
    if output.read_bytes().count(b"said 10") < FILES:
        sys.exit("replay_net: not all was printed")
    print("went back and returned while files were fetched")


def main():
    command = [*sys.argv[1:], "-nic", "user"]
    draw = random.Random(os.environ.get("GENCC_SEED"))
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        (work / "www").mkdir()
        sums = []
        for n in range(FILES):
            data = draw.randbytes(draw.randint(1, 300000))
            (work / "www" / str(n)).write_bytes(data)
            sums.append(hashlib.md5(data).hexdigest())
        server = serve(work / "www")
        check_way_back(command, work, server.server_port, sums)
        check_replay(command, work, server.server_port, sums, server)


if __name__ == "__main__":
    main()
