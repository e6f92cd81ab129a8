#!/usr/bin/env python3
"""The Versatile Express's own devices under Debian's drivers: SD card, Ethernet and keyboard."""
import functools
import hashlib
import http.server
import random
import sys
import threading

from bench import HERE, TROUBLE, run
from printed import expect, refuse

sys.path.insert(0, str(HERE.parent / "display"))
from display import Vnc, free_number  # noqa: E402

GATEWAY = "10.0.2.2"  # the host's address in the guest

# Commands typed into the userland on the card, after the server's address and the file's checksum
# were inserted. A key makes an event of type 1, code 30 (KEY_A), value 1.
SESSION = """
expect root@debian:~#
send mount | grep ' / '\\n
expect root@debian:~#
send sync; echo 3 >/proc/sys/vm/drop_caches; sha256sum </usr/bin/python3\\n
expect root@debian:~#
send python3 -c 'import urllib.request as u; open("/got", "wb").write(u.urlopen("http:SERVER/data").read())'\\n
expect root@debian:~#
send sha256sum </got\\n
expect root@debian:~#
send modprobe -a ambakmi evdev; sleep 2; cat /proc/bus/input/devices | grep Name\\n
expect root@debian:~#
send head -c 48 /dev/input/event0 | od -A n -t u2 | head -n 3\\n
expect root@debian:~#
send poweroff\\n
"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def serve(folder):
    """Serves the folder by HTTP. Returns the server's address for the guest."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0),
                                             functools.partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"//{GATEWAY}:{server.server_port}"


def press_keys(number, over):
    """Presses the key A now and then until the simulator has ended."""
    view = None
    while not over.wait(1):
        try:
            view = view or Vnc(number)
            view.key(ord("a"))
        except OSError:
            view = None


def test_userland(bench):
    """Debian's userland on the SD card, with a network through the board's Ethernet and a key by
    VNC."""
    data = random.Random(1).randbytes(1000000)
    (bench.work / "data").write_bytes(data)
    script = bench.work / "session"
    script.write_text(SESSION.strip().replace("SERVER", serve(bench.work)) + "\n")
    number, over = free_number(), threading.Event()
    keys = threading.Thread(target=press_keys, args=(number, over))
    keys.start()
    try:
        text, _ = bench.boot(
            script, "-smp", "2", "-drive", f"if=sd,file={bench.rootfs()},format=raw,snapshot=on",
            "-nic", "user,model=lan9118", "-display", f"vnc=:{number}", "-clock", "virtual",
            "-append", f"console={bench.board.console} root=/dev/mmcblk0 rw", disk=True)
    finally:
        over.set()
        keys.join()
    expect(text, r"mmc0: new SDHC card", r"/dev/mmcblk0 on / type ext4", r"[0-9a-f]{64}  -",
           rf"{hashlib.sha256(data).hexdigest()}  -", r"AT Raw Set 2 keyboard",
           r"\b1\s+30\s+1\b", r"reboot: Power down")
    refuse(text, *TROUBLE)


run("vexpress", globals(), __doc__)
