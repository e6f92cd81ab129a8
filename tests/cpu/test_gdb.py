#!/usr/bin/env python3
"""The GDB server, driven by a real GDB, then packet by packet, then with damaged packets.

usage: test_gdb.py SERVER GDB"""
import atexit
import random
import socket
import subprocess
import sys

RAM = 0x80000000
DATA = RAM + 0x100000


class Server:
    def __init__(self, path, mode):
        self.process = subprocess.Popen([path, mode], stdout=subprocess.PIPE, text=True)
        # a server that is left running would keep the test runner's pipe open
        atexit.register(self.process.kill)
        self.port = int(self.process.stdout.readline())

    def finish(self):
        """Waits for the server's end. Returns the virtual time that it reached."""
        out, _ = self.process.communicate(timeout=20)
        assert self.process.returncode == 0, self.process.returncode
        return int(out)


def run_gdb(server, gdb, commands):
    lines = ["set confirm off", "set remotetimeout 100", "set pagination off", "set architecture aarch64",
             f"target remote 127.0.0.1:{server.port}"] + commands
    args = [gdb, "-nx", "-q", "-batch"]
    for line in lines:
        args += ["-ex", line]
    done = subprocess.run(args, capture_output=True, text=True, timeout=60)
    return done.stdout + done.stderr


def expect(text, *parts):
    at = 0
    for part in parts:
        found = text.find(part, at)
        assert found >= 0, f"{part!r} is missing after\n{text[:at]}\n---- in\n{text[at:]}"
        at = found + len(part)


def with_real_gdb(path, gdb):
    server = Server(path, "stop")
    text = run_gdb(server, gdb, [
        "info threads",
        "p/x $pc", "p $x1", "stepi", "p $x1", "p/x $pc",
        f"break *{RAM + 0x1000:#x}", "continue", "p $x1", "continue", "p $x1", "p $x2",
        "p/x $cpsr", "set var $x2 = 1000", "stepi", "p $x2", "p/x $sp",
        "delete", f"watch *(long *){DATA + 0x20:#x}", "continue", "continue",
        f"x/gd {DATA + 0x20:#x}", "delete",
        "p $vbar", f"set var $vbar = {RAM + 7:#x}", "p/x $vbar", "p $count",
        f"x/2xw {RAM:#x}", f"set var *(int *){DATA:#x} = 77", f"x/dw {DATA:#x}", "x/xw 0x70000000",
        "thread 2", "p/x $pc", "stepi", "p/x $pc", f"rwatch *(long *){DATA + 0x28:#x}", "continue",
        "p/x $pc", "kill"])
    expect(text, "CPU#0", "CPU#1",
           "= 0x80000000", "$2 = 0", "$3 = 1", "= 0x80000004",
           "Breakpoint 1, ", "$5 = 1", "Breakpoint 1, ", "$6 = 2", "$7 = 1",
           "= 0x90000080", "$9 = 1002", "= 0x",
           "Hardware watchpoint 2", "Old value = 1", "New value = 1002", "New value = 1005",
           ":\t1005", "$12 = 0x80000004", "$13 = 1",
           "0x02110001\t0x07030000", ":\t77",
           "Switching to thread 2", "= 0x80002000", "= 0x80002004", "Hardware read watchpoint",
           "Value = 0", "= 0x80002008")
    expect(text, "Cannot access memory at address 0x70000000")
    server.finish()


# ---- packets ----------------------------------------------------------------------------------


class Client:
    def __init__(self, server):
        self.socket = socket.create_connection(("127.0.0.1", server.port), timeout=20)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.pending = b""

    def byte(self):
        if not self.pending:
            self.pending = self.socket.recv(4096)
            assert self.pending, "the server hung up"
        byte, self.pending = self.pending[:1], self.pending[1:]
        return byte

    def send(self, body):
        data = body if isinstance(body, bytes) else body.encode()
        self.socket.sendall(b"$%s#%02x" % (data, sum(data) & 255))

    def receive(self):
        while self.byte() != b"$":
            pass
        body = b""
        while (byte := self.byte()) != b"#":
            body += byte
        total = int(self.byte() + self.byte(), 16)
        assert sum(body) & 255 == total
        self.socket.sendall(b"+")
        return body.decode()

    def ask(self, body):
        self.send(body)
        return self.receive()


def little(value, size=8):
    return value.to_bytes(size, "little").hex()


def packet_by_packet(path):
    server = Server(path, "stop")
    c = Client(server)
    expect(c.ask("qSupported:xmlRegisters=i386"), "PacketSize=4000", "qXfer:features:read+")
    assert c.ask("?") == "T02thread:1;"
    c.socket.sendall(b"$g#00")  # a wrong checksum
    assert c.byte() in b"+-"
    assert c.ask("qAttached") == "1"
    xml = ""
    while True:
        part = c.ask(f"qXfer:features:read:target.xml:{len(xml):x},200")
        xml += part[1:]
        if part[0] == "l":
            break
    expect(xml, 'name="org.gnu.gdb.aarch64.core"', 'name="x0"', 'name="gencc.sysregs"',
           'name="vbar" bitsize="64" regnum="68"', "</target>")
    assert c.ask("qXfer:features:read:other.xml:0,10") == "E00"
    registers = c.ask("g")
    assert len(registers) == 2 * (33 * 8 + 4 + 32 * 16 + 8), len(registers)
    assert registers[32 * 16:33 * 16] == little(RAM)
    assert c.ask("p20") == little(RAM)
    assert c.ask("p44") == little(RAM + 0x8000)
    assert c.ask("pfff") == "E01"
    assert c.ask("P2=" + little(5)) == "OK"
    assert c.ask("P2=12") == "E01"
    assert c.ask("p2") == little(5)
    assert c.ask("G" + registers) == "OK"
    assert c.ask("p2") == little(0)
    assert c.ask(f"M{DATA:x},4:01020304") == "OK"
    assert c.ask(f"m{DATA:x},4") == "01020304"
    assert c.ask(f"m{RAM + 0x400000 - 2:x},8") == "0000"  # only as far as memory reaches
    assert c.ask("m70000000,4") == "E01"
    assert c.ask("M70000000,1:00") == "E01"
    assert c.ask("m1") == "E01"
    assert c.ask("qfThreadInfo") == "m1,2" and c.ask("qsThreadInfo") == "l"
    assert c.ask("T2") == "OK" and c.ask("T3") == "E01"
    assert c.ask("Hg2") == "OK" and c.ask("p20") == little(RAM + 0x2000)
    assert c.ask("Hg3") == "E01" and c.ask("Hg0") == "OK"
    assert c.ask("vCont?") == "vCont;c;C;s;S"
    assert c.ask("vCont;x") == "E01" and c.ask("vMustReplyEmpty") == ""
    # One CPU steps, the other stands still; then it runs while the first one steps.
    assert c.ask("vCont;s:1") == "T05thread:1;"
    assert c.ask("Hg2") == "OK" and c.ask("p1") == little(0)
    assert c.ask("vCont;s:2;c") == "T05thread:2;"
    assert c.ask("p1") == little(1)
    assert c.ask(f"Z0,{RAM + 8:x},4") == "OK"
    assert c.ask("c") == "T05thread:1;"
    assert c.ask(f"z0,{RAM + 8:x},4") == "OK" and c.ask(f"z0,{RAM + 8:x},4") == "E01"
    assert c.ask(f"Z4,{DATA + 0x24:x},2") == "OK"
    assert c.ask("vCont;c:1") == f"T05thread:1;awatch:{DATA + 0x24:x};"
    assert c.ask(f"z4,{DATA + 0x24:x},2") == "OK"
    assert c.ask("Z9,0,0") == "" and c.ask("Z0,zz") == "E01" and c.ask("Z2,0,0") == "E01"
    # Monitor commands: the answer in hexadecimal, in packets that GDB has room for.
    assert c.ask("Hg2") == "OK" and c.ask("qRcmd,6869") == "O" + b"1hi\n".hex() and c.receive() == "OK"
    assert c.ask("qRcmd,686") == "E01" and c.ask("qRcmd,68zz") == "E01"
    parts = [c.ask("qRcmd," + b"much".hex())]
    while parts[-1] != "OK":
        assert len(parts[-1]) < 0x4000, len(parts[-1])
        parts.append(c.receive())
    assert len(parts) > 2 and b"".join(bytes.fromhex(p[1:]) for p in parts[:-1]) == b"1much\n" * 20000
    assert c.ask("QStartNoAckMode") == "OK"
    # Running, interrupted, running on after the connection is closed, stopped by a new connection.
    c.send("vCont;c")
    c.socket.sendall(b"\x03")
    expect(c.receive(), "T02thread:")
    c.send("c")
    c.socket.close()
    c = Client(server)
    expect(c.ask("?"), "T02thread:")
    assert c.ask("D") == "OK"
    c.socket.close()
    c = Client(server)
    c.send("k")
    assert server.finish() > 10000


def without_a_target(path):
    server = Server(path, "plain")
    c = Client(server)
    expect(c.ask("qXfer:features:read:target.xml:0,2000"), "gencc.registers", 'name="x0" bitsize="64"',
           'name="pc"', 'type="code_ptr"', 'name="mask" bitsize="8"', "gencc.sysregs", 'name="count"')
    assert len(c.ask("g")) == 2 * (17 * 8 + 1)
    c.send("k")
    server.finish()


def addresses(path):
    for address in ["tcp", "tcp:", "tcp::", "tcp:localhost:", "udp::1", "tcp::99999999",
                    "tcp::12x", "tcp:" + "x" * 300 + ":1", "tcp:192.0.2.1:1"]:
        done = subprocess.run([path, "stop", address], capture_output=True, text=True, timeout=30)
        assert done.returncode == 2 and len(done.stderr.splitlines()) == 1, (address, done)
    server = Server(path, "run")
    taken = subprocess.run([path, "stop", f"tcp:127.0.0.1:{server.port}"], capture_output=True,
                           text=True, timeout=30)
    assert taken.returncode == 2 and "in use" in taken.stderr, taken
    c = Client(server)
    c.send("vKill;1")
    server.finish()


def rubbish(path, seed):
    """Damaged packets of all kinds: the server survives and still answers."""
    rng = random.Random(seed)
    server = Server(path, "stop")
    c = Client(server)
    starts = ["g", "G", "p", "P", "m", "M", "Z", "z", "vCont", "H", "T", "q", "Q", "?", "X",
              "qXfer:features:read:", "qThreadExtraInfo,"]
    for _ in range(3000):
        body = rng.choice(starts).encode()
        for _ in range(rng.randrange(24)):
            body += bytes([rng.choice(b"0123456789abcdef,:;=-csz\x7f\xff")])
        if body.startswith(b"vCont;") or body.startswith((b"Q", b"vKill")):
            continue
        c.send(body)
        c.receive()
    c.socket.sendall(b"$" + b"0" * 100000 + b"#00" + b"$$$###")
    c.socket.sendall(bytes(rng.randrange(4, 256) for _ in range(5000)))
    c.socket.sendall(b"#00")
    c.socket.close()
    c = Client(server)
    expect(c.ask("qSupported"), "PacketSize")
    c.send("k")
    server.finish()


def main():
    path, gdb = sys.argv[1:3]
    addresses(path)
    packet_by_packet(path)
    without_a_target(path)
    seed = random.randrange(1 << 32)
    print("seed", seed)
    rubbish(path, seed)
    with_real_gdb(path, gdb)


if __name__ == "__main__":
    main()
