#!/usr/bin/env python3
"""The juno program from the outside: tiny guests of a few instructions, and every kind of mistake.

No guest software is needed: the board is mini.dts, the kernels are raw words below.
"""
import argparse
import json
import pathlib
import re
import socket
import struct
import subprocess
import sys
import tempfile
import unittest

ARGS = None

# A64 words, as binutils encodes them.
SYSTEM_OFF = [0x52b08000, 0x72800100, 0xd4000003]    # mov w0, #0x84000008; smc #0
SYSTEM_RESET = [0x52b08000, 0x72800120, 0xd4000003]  # mov w0, #0x84000009; smc #0
LOOP = [0x14000000]                                  # b .
WAIT = [0xd503207f, 0x17ffffff]                      # wfi; b .-4


def say(text):
    """Prints on the PL011 at x1: mov w2, #c; str w2, [x1] for each character."""
    words = [0xd2a00001 | 0x7ff8 << 5]  # movz x1, #0x7ff8, lsl #16
    for char in text:
        words += [0x52800002 | ord(char) << 5, 0xb9000022]
    return words


class Cli(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="gencc-cli-")
        self.work = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def kernel(self, *parts):
        path = self.work / "kernel"
        words = [word for part in parts for word in part]
        path.write_bytes(struct.pack(f"<{len(words)}I", *words))
        return path

    def run_juno(self, *options, stdin=None):
        done = subprocess.run([ARGS.juno, *[str(o) for o in options]], input=stdin or b"",
                              capture_output=True, timeout=60, check=False)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def boot(self, kernel, *options, dtb=None):
        return self.run_juno("-kernel", kernel, "-dtb", dtb or ARGS.dtb, "-m", "64M", *options)

    def check_error(self, expected, *options):
        status, out, err = self.run_juno(*options)
        self.assertEqual(status, 2, err)
        self.assertEqual(out, "")
        lines = err.strip().splitlines()
        self.assertEqual(len(lines), 1, err)
        self.assertIn(expected, lines[0])
        self.assertTrue(lines[0].startswith("juno: "), err)

    # ---- running ----

    def test_power_off(self):
        status, out, err = self.boot(self.kernel(say("hello\n"), SYSTEM_OFF))
        self.assertEqual((status, out), (0, "hello\n"))
        for word in ("Mini board, 64 MB", "1 x arm,cortex-a53", "raw binary", "PSCI 1.0 by SMC",
                     "serial@7ff80000 on stdio", "device tree"):
            self.assertIn(word, err)

    def test_cpu(self):
        # mrs x5, id_aa64isar0_el1; ubfx x5, x5, #20, #4; add w5, w5, #0x30; str w5, [x1]: Atomic
        lse = [0xd5380605, 0xd3545ca5, 0x1100c0a5, 0xb9000025]
        # mrs x5, midr_el1; ubfx x5, x5, #4, #4; add w5, w5, #0x30; str w5, [x1]: a digit of the
        # part number
        part = [0xd5380005, 0xd3441ca5, 0x1100c0a5, 0xb9000025]
        kernel = self.kernel(say(""), lse, part, SYSTEM_OFF)
        for options, expected in (((), "03"), (("-cpu", "lse=on"), "23"), (("-cpu", "max"), "21"),
                                  (("-cpu", "max,lse=off"), "01"), (("-cpu", "cortex-a72"), "08"),
                                  (("-cpu", "cortex-a57,lse=on"), "27")):
            status, out, _ = self.boot(kernel, *options)
            self.assertEqual((status, out), (0, expected), options)
        self.assertIn("lse: atomic", self.run_juno("-cpu", "help")[1])
        self.check_error("cortex-a72, cortex-a57, cortex-a53, max", "-m", "64M", "-cpu", "pentium",
                         "-kernel", kernel, "-dtb", ARGS.dtb)
        self.check_error("no feature 'lze' (crc32, ", "-m", "64M", "-cpu", "max,lze=on",
                         "-kernel", kernel, "-dtb", ARGS.dtb)

    def test_monitors_without_a_node(self):
        """ID_AA64DFR0_EL1 promises performance monitors, for which mini.dts has no node: the CPU's
        own ones count."""
        # mov x3, #1; mov x4, #1 << 31; msr pmcr_el0, x3; msr pmcntenset_el0, x4; nop; nop
        count = [0xd2800023, 0xd2b00004, 0xd51b9c03, 0xd51b9c24, 0xd503201f, 0xd503201f]
        # mrs x5, pmccntr_el0; cmp x5, #0; cset w5, ne; add w5, w5, #'0'; str w5, [x1]
        show = [0xd53b9d05, 0xf10000bf, 0x1a9f07e5, 0x1100c0a5, 0xb9000025]
        # mrs x5, pmcr_el0; ubfx x5, x5, #16, #8; add w5, w5, #'0'; str w5, [x1]
        show_code = [0xd53b9c05, 0xd3505ca5, 0x1100c0a5, 0xb9000025]
        kernel = self.kernel(say(""), count, show, show_code, SYSTEM_OFF)
        for cpu, expected in [("cortex-a53", "13"), ("cortex-a57", "11"), ("cortex-a72", "12"), ("max", "10")]:
            with self.subTest(cpu=cpu):
                status, out, _ = self.boot(kernel, "-cpu", cpu)
                self.assertEqual((status, out), (0, expected))
        with self.subTest("where a node is, its monitors are the CPU's"):
            tree = self.tree_with("cpus {", 'pmu { compatible = "arm,cortex-a57-pmu"; interrupts = <0 18 4>; };\n\tcpus {')
            status, out, _ = self.boot(kernel, dtb=tree)
            self.assertEqual((status, out), (0, "11"))

    def tree_with(self, old, new):
        """Returns the board's tree with `old` replaced by `new`."""
        text = subprocess.run(["dtc", "-q", "-I", "dtb", "-O", "dts", ARGS.dtb], check=True,
                              capture_output=True).stdout.decode()
        self.assertIn(old, text)
        tree = self.work / "tree.dtb"
        subprocess.run(["dtc", "-q", "-I", "dts", "-O", "dtb", "-o", tree], check=True,
                       input=text.replace(old, new).encode())
        return tree

    def test_timer_without_a_node(self):
        """mini.dts has no node of the generic timer: the counter runs, and CNTFRQ is as the board's
        firmware sets it."""
        # mov x7, #1000; subs x7, x7, #1; b.ne .-4
        wait = [0xd2807d07, 0xf10004e7, 0x54ffffe1]
        # mrs x5, cntfrq_el0; mov x6, #50000000; cmp x5, x6; cset w5, eq; add w5, w5, #'0'; str w5, [x1]
        frequency = [0xd53be005, 0x529e1006, 0x72a05f46, 0xeb0600bf, 0x1a9f17e5, 0x1100c0a5, 0xb9000025]
        # mrs x5, cntvct_el0; cmp x5, #0; cset w5, ne; add w5, w5, #'0'; str w5, [x1]
        counts = [0xd53be045, 0xf10000bf, 0x1a9f07e5, 0x1100c0a5, 0xb9000025]
        kernel = self.kernel(say(""), wait, frequency, counts, SYSTEM_OFF)
        for cpu in ("cortex-a53", "cortex-a57", "cortex-a72", "max"):
            with self.subTest(cpu=cpu):
                status, out, _ = self.boot(kernel, "-cpu", cpu)
                self.assertEqual((status, out), (0, "11"))
        with self.subTest("the CPU's clock is not the timer's"):
            tree = self.tree_with("cpu@0 {", "cpu@0 {\n\t\tclock-frequency = <1100000000>;")
            status, out, _ = self.boot(kernel, dtb=tree)
            self.assertEqual((status, out), (0, "11"))
        with self.subTest("a node says it itself"):
            tree = self.tree_with("cpus {", 'timer { compatible = "arm,armv8-timer"; clock-frequency = <100000000>; };'
                                            "\n\tcpus {")
            status, out, _ = self.boot(kernel, dtb=tree)
            self.assertEqual((status, out), (0, "01"))

    def test_misaligned_pc(self):
        # adr x3, .-4 (the kernel's start); msr vbar_el1, x3; adr x4, .+2; br x4
        code = [*say(""), 0x10ffffe3, 0xd518c003, 0x50000004, 0xd61f0080]
        # At 0x200, synchronous exceptions of this level: prints ESR_EL1's class, 0x22, as a
        # character. mrs x5, esr_el1; lsr x5, x5, #26; add w5, w5, #0x20; str w5, [x1]
        handler = [0xd5385205, 0xd35afca5, 0x110080a5, 0xb9000025]
        kernel = self.kernel(code, [0] * (0x80 - len(code)), handler, SYSTEM_OFF)
        status, out, _ = self.boot(kernel, "-limit", "1")
        self.assertEqual((status, out), (0, "B"))

    def test_firmware_is_bound_by_compatible(self):
        text = subprocess.run(["dtc", "-q", "-I", "dtb", "-O", "dts", ARGS.dtb], check=True,
                              capture_output=True).stdout.decode()
        for old, new, expected in (("smc", "hvc", "PSCI 1.0 by HVC"),
                                   ("arm,psci-0.2", "arm,psci", "PSCI 1.0 by SMC"),
                                   ("arm,psci-0.2", "vendor,other", "no firmware")):
            tree = self.work / "tree.dtb"
            subprocess.run(["dtc", "-q", "-I", "dts", "-O", "dtb", "-o", tree], check=True,
                           input=text.replace(f'"{old}"', f'"{new}"').encode())
            # If no firmware serves the call, nothing handles the exception either.
            status, _, err = self.boot(self.kernel(SYSTEM_OFF), "-limit", "1",
                                       "-icount", "ps=1000000", dtb=tree)
            self.assertIn(f"; armv8a, {expected}\n", err)
            self.assertEqual(status, 0 if "SMC" in expected else 124)

    def test_reset(self):
        kernel = self.kernel(say("again\n"), SYSTEM_RESET)
        status, out, _ = self.boot(kernel, "-no-reboot")
        self.assertEqual((status, out), (0, "again\n"))
        script = self.work / "script"
        script.write_text("expect again\nexpect again\nexpect again\nquit\n")
        status, out, _ = self.boot(kernel, "-script", script)
        self.assertEqual(status, 0)
        self.assertGreaterEqual(out.count("again"), 3)

    def test_shared_interrupt(self):
        """Two timers on one input of the GIC, which is high until both are served."""
        def store(address, value):  # movz w1, movk w1; movz w2; str w2, [x1]
            return [0x52800001 | (address & 0xffff) << 5, 0x72a00001 | address >> 16 << 5,
                    0x52800002 | value << 5, 0xb9000022]
        level = [0x5281a083, 0x72a58023, 0xb9400062, 0x53092442, 0x1100c042]  # bit 9 of GICD_SPISR0
        show = [0xd2a00001 | 0x7ff8 << 5, 0xb9000022]
        one, two = 0x1c110000, 0x1c120000
        guest = [word for timer in (one, two) for word in store(timer, 1) + store(timer + 8, 0xa3)]
        guest += [0x52a00044, 0x71000484, 0x54ffffe1]  # w4 = 0x20000; subs w4, w4, #1; b.ne .-4
        for cleared in ((), (two,), (one,)):
            for timer in cleared:
                guest += store(timer + 12, 1)
            guest += level + show
        status, out, err = self.boot(self.kernel(guest, SYSTEM_OFF))
        self.assertEqual((status, out), (0, "110"), err)

    def test_limit(self):
        for guest in (LOOP, WAIT):
            status, _, err = self.boot(self.kernel(guest), "-limit", "1", "-icount", "ps=100000")
            self.assertEqual(status, 124)
            self.assertIn("limit", err)

    def test_serial_file(self):
        out = self.work / "out"
        status, text, _ = self.boot(self.kernel(say("x"), SYSTEM_OFF), "-serial", f"file:{out}")
        self.assertEqual((status, text, out.read_text()), (0, "", "x"))

    def test_stats_and_log(self):
        status, _, _ = self.boot(self.kernel(SYSTEM_OFF), "-stats", self.work / "st", "-d",
                                 "firmware", "-D", self.work / "log")
        self.assertEqual(status, 0)
        stats = json.loads((self.work / "st" / "stats.json").read_text())
        self.assertIn("cpu0", stats)
        self.assertGreater(stats["machine"]["turns"], 0)
        self.assertIn("SYSTEM_OFF", (self.work / "log").read_text())

    def test_report(self):
        """Of a machine whose GPU ran nothing."""
        folder = self.work / "r"
        status, out, err = self.boot(self.kernel(SYSTEM_OFF), "-gpu", "g52", "-report", folder, "-gpu-threads", "2",
                                     "-virtfs", f"local,path={self.work}/.,mount_tag=a", "-append", "root=/dev/vda x")
        self.assertEqual(status, 0, err)
        self.assertIn(f"report: {folder}/", out)
        report = json.loads((folder / "report.json").read_text())
        self.assertEqual((report["run"]["program"], report["gpu"]["name"], report["kernels"], report["job_count"]), ("juno", "g52", [], 0))
        self.assertEqual(report["run"]["arguments"], ["-kernel", "kernel", "-dtb", "mini.dtb", "-m", "64M", "-gpu", "g52",
                                                       "-virtfs", "local,path=.,mount_tag=a", "-append", "root=/dev/vda x"])
        self.assertIn("virtual_ns", report["run"])
        status, _, err = self.boot(self.kernel(SYSTEM_OFF), "-gpu", "none", "-report", folder)
        self.assertEqual(status, 2)
        self.assertIn("-report: the machine has no GPU", err)
        self.check_error("-report-source is for -report", "-report-source", "x.cl")

    def test_dump_tree(self):
        tree = self.work / "tree.dtb"
        status, _, _ = self.boot(self.kernel(LOOP), "-dump-dtb", tree, "-append", "some words",
                                 "-smp", "1")
        self.assertEqual(status, 0)
        text = subprocess.run(["dtc", "-q", "-I", "dtb", "-O", "dts", tree], check=True,
                              capture_output=True).stdout.decode()
        self.assertIn('bootargs = "some words"', text)
        self.assertIn('status = "fail"', text)
        self.assertEqual(text.count("virtio,mmio"), 1)  # only the entropy source
        self.assertNotIn("gencc {", text)

    def test_devices_in_tree(self):
        """Each -device takes a slot; the default entropy source gives its slot up for one."""
        disks = [self.work / f"disk{i}" for i in range(8)]
        for disk in disks:
            disk.write_bytes(bytes(512))
        kernel, tree = self.kernel(SYSTEM_OFF), self.work / "tree.dtb"
        options = ["-drive", disks[0], "-drive", f"if=none,id=b,file={disks[1]}",
                   "-device", "virtio-rng-device", "-device", "virtio-blk-device,drive=b"]
        status, _, err = self.boot(kernel, *options)
        self.assertEqual(status, 0, err)
        self.assertRegex(err, rf"disks +vda = {disks[0]}\njuno: +vdb = {disks[1]}\n")
        every = [word for disk in disks for word in ("-drive", disk)]
        for given, slots in ((options, 3), (every, 8), (every[2:], 8)):
            status, _, err = self.boot(kernel, "-dump-dtb", tree, *given)
            self.assertEqual(status, 0, err)
            self.assertEqual(tree.read_bytes().count(b"virtio,mmio"), slots)
        self.check_error("8 virtio slots, 9 are", "-kernel", kernel, "-dtb", ARGS.dtb, "-m", "64M", *every,
                         "-device", "virtio-rng-device")

    def dump_tree(self, *options):
        tree = self.work / "tree.dtb"
        status, _, err = self.boot(self.kernel(LOOP), "-dump-dtb", tree, *options)
        self.assertEqual(status, 0, err)
        return subprocess.run(["dtc", "-q", "-I", "dtb", "-O", "dts", tree], check=True,
                              capture_output=True).stdout.decode()

    def test_gpu_in_tree(self):
        """The node's compatible becomes the GPU's and nothing else changes; with "none" the node is
        disabled. Without the option it stays: the GPU is the one that it names."""
        with_gpu = self.dump_tree("-gpu", "g72").splitlines()
        board = subprocess.run(["dtc", "-q", "-I", "dtb", "-O", "dts", ARGS.dtb], check=True,
                               capture_output=True).stdout.decode().splitlines()
        def node(lines):
            first = next(n for n, line in enumerate(lines) if "gpu@2d000000" in line)
            return lines[first:lines.index("\t};", first)]
        expected = ['\t\tcompatible = "arm,mali-bifrost";' if "compatible" in line else line
                    for line in node(board)]
        self.assertEqual(sorted(node(with_gpu)), sorted(expected))
        self.assertEqual(node(self.dump_tree().splitlines()), node(board))
        self.assertIn('\t\tstatus = "disabled";', node(self.dump_tree("-gpu", "none").splitlines()))

    def test_gpu_answers(self):
        """A guest reads GPU_ID and prints its highest byte."""
        guest = [0xd2a00003 | 0x2d00 << 5, 0xb9400064, 0x53187c82, 0xb9000022]
        for options, product in ((["-gpu", "g72"], "b"), (["-gpu", "G52"], "r"), (["-gpu", "g31"], "p"),
                                 (["-gpu", "t604"], "i"), ([], "\x06")):
            status, out, err = self.boot(self.kernel(say(""), guest, SYSTEM_OFF), *options,
                                         "-stats", self.work / "st")
            self.assertEqual((status, out), (0, product), err)
            stats = json.loads((self.work / "st" / "stats.json").read_text())
            self.assertEqual(stats["gpu"]["register_reads"], 1)

    def test_gpu_power(self):
        """The energy is in the statistics if it is metered; the tree has no points that nobody can set."""
        for options, metered in (((), False), (("-gpu-power", "on"), True)):
            status, _, err = self.boot(self.kernel(SYSTEM_OFF), "-gpu", "t624", "-stats", self.work / "st", *options)
            self.assertEqual(status, 0, err)
            gpu = json.loads((self.work / "st" / "stats.json").read_text())["gpu"]
            self.assertEqual(("power" in gpu, "time" in gpu), (metered, metered))
        self.assertTrue({"energy_uj", "instructions_uj", "leakage_uj", "core3_uj"} <= set(gpu["power"]), gpu["power"])
        self.assertNotIn("core4_uj", gpu["power"])
        self.check_error("-gpu-clock guest: no firmware of the board sets the GPU's clock", "-kernel", self.kernel(LOOP), "-dtb",
                         ARGS.dtb, "-m", "64M", "-gpu-clock", "guest")

    def test_gpu_options(self):
        status, out, _ = self.run_juno("-gpu", "help")
        self.assertEqual(status, 0)
        for name in ("g31", "g51", "g52", "g71", "g72", "g76", "t624", "t860", "none"):
            self.assertRegex(out, f"(?m)^{name} ")
        self.check_error("-gpu knows no 'g99'", "-gpu", "g99")
        self.check_error("-gpu-threads", "-gpu-threads", "0")
        self.check_error("-gpu-snapshot-limit", "-gpu-snapshot-limit", "much")
        self.check_error("/none/folder: ", "-kernel", self.kernel(LOOP), "-dtb", ARGS.dtb, "-m",
                         "64M", "-gpu", "g72", "-gpu-snapshot", "/none/folder")

    def test_help(self):
        for option in ("--help", "-h", "-help"):
            status, out, _ = self.run_juno(option)
            self.assertEqual(status, 0)
            self.assertIn("-kernel FILE", out)
            for text in ("on 127.0.0.1 unless a host is given", "tcp is 127.0.0.1",
                         "127.0.0.1 unless an address is given"):
                self.assertIn(text, out)
        status, out, _ = self.run_juno("--version")
        self.assertEqual(status, 0)
        self.assertIn("juno", out)
        status, out, _ = self.run_juno("-d", "help")
        self.assertEqual(status, 0)
        self.assertIn("guest_errors", out)

    # ---- sockets ----

    def listening(self, *options):
        """Returns a machine that waits for a debugger at a free port, and that port."""
        juno = subprocess.Popen([ARGS.juno, "-kernel", self.kernel(LOOP), "-dtb", ARGS.dtb, "-m", "64M",
                                 "-S", *options], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.addCleanup(juno.stderr.close)
        self.addCleanup(juno.wait)
        self.addCleanup(juno.kill)
        for line in juno.stderr:
            if found := re.search(rb"gdb +TCP port (\d+)", line):
                return int(found[1])
        return self.fail("no port is announced")

    def test_monitor(self):
        """GDB's `monitor`: information about the machine, and commands to it."""
        port = self.listening("-gdb", "tcp::0", "-gpu", "g72", "-append", "x", "-d", "int", "-D",
                              self.work / "log")
        commands = ["help", "", "info cpus", "info registers", "info sysregs", "info mem", "info devices",
                    "info gpu", "info stats machine", "info time", "translate 0x80000000", "xp 0x80000000 4",
                    "xp 0x80000000 5000", "xp 0x1", "log firmware,mmu", "log nonsense", "log none", "info",
                    "info nonsense", "nonsense", "quit now", f"stats {self.work / 'st'}",
                    f"screendump {self.work / 'x.png'}"]
        lines = ["set confirm off", "set remotetimeout 100", f"target remote 127.0.0.1:{port}",
                 *[f"monitor {c}" for c in commands], "set var $pc = 0x80000100", "monitor reset",
                 "maintenance flush register-cache", "p/x $pc", "monitor quit"]
        done = subprocess.run([ARGS.gdb, "-nx", "-q", "-batch", *[w for line in lines for w in ("-ex", line)]],
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
        out = done.stdout.decode() + done.stderr.decode()
        for text in ("screendump FILE.png: write a picture", "    sysregs: its system registers",
                     "* CPU#0 arm,cortex-a53: runs, PC 0x80000000, 0 instructions",
                     "X30                  0x0000000000000000", "PC                   0x0000000080000000",
                     "SCTLR_EL1", "RAM    ", "pl011                /serial@7ff80000: arm,pl011",
                     "Mali-G72 MP12 (arm,mali-bifrost, shader ISA bifrost), ", "gpu/register_reads",
                     "machine/turns", "0.000000000 s of virtual time", "0x80000000",
                     "000080000000: 00 00 00 14", "xp takes a number from 1 to 4096", "not all of this is memory",
                     "unknown log channel 'nonsense'", "no such info as 'nonsense'",
                     "no command 'nonsense'", "'quit' takes nothing", "x.png: the screen is off",
                     "the machine is reset", "/cpus/cpu@0: arm,cortex-a53-pmu"):
            self.assertIn(text, out)
        self.assertIn("$1 = 0x80000000\n", out)
        self.assertNotRegex(out, "(?m)^W0 ")  # W0 is part of X0
        self.assertIn("virtual_ns", (self.work / "st" / "stats.json").read_text())

    def test_a_reset_comes_before_the_next_packet(self):
        """Packets that arrive together: a request after a reset is answered after the reset."""
        def packet(text):
            return b"$%s#%02x" % (text, sum(text) % 256)

        port = self.listening("-gdb", "tcp::0")
        with socket.create_connection(("127.0.0.1", port)) as gdb:
            gdb.settimeout(60)
            gdb.sendall(packet(b"P20=" + (0x80000100).to_bytes(8, "little").hex().encode())
                        + packet(b"p20") + packet(b"qRcmd," + b"reset".hex().encode())
                        + packet(b"p20") + packet(b"qC"))
            answers = b""
            while b"QC" not in answers:
                answers += gdb.recv(4096)
        places = [int.from_bytes(bytes.fromhex(found.decode()), "little")
                  for found in re.findall(rb"\$([0-9a-f]{16})#", answers)]
        self.assertEqual(places, [0x80000100, 0x80000000], answers)

    def reachable(self, port):
        """Returns the addresses of this host at which a client can connect to the port."""
        addresses = []
        for address in ("127.0.0.1", "127.0.0.2"):
            with socket.socket() as client:
                if not client.connect_ex((address, port)):
                    addresses.append(address)
        return addresses

    def test_listens_on_one_address(self):
        """The port is reachable from outside only if that was requested."""
        for given, expected in (("", ["127.0.0.1"]), ("0.0.0.0", ["127.0.0.1", "127.0.0.2"])):
            with socket.socket() as one, socket.socket() as two:
                for taken in (one, two):  # ports that are free now
                    taken.bind(("127.0.0.1", 0))
                serial, forwarded = one.getsockname()[1], two.getsockname()[1]
            gdb = self.listening("-gdb", f"tcp:{given}:0", "-serial", f"tcp:{given}:{serial},server",
                                 "-nic", f"user,hostfwd=tcp:{given}:{forwarded}-:22")
            for name, port in (("serial", serial), ("hostfwd", forwarded), ("gdb", gdb)):
                self.assertEqual(self.reachable(port), expected, f"{name} {given}")

    # ---- mistakes ----

    def test_missing(self):
        kernel = self.kernel(LOOP)
        self.check_error("-kernel FILE is needed")
        self.check_error("-dtb FILE is needed", "-kernel", kernel)
        self.check_error("/none: ", "-kernel", "/none", "-dtb", ARGS.dtb)
        self.check_error("/none: ", "-kernel", kernel, "-dtb", "/none")
        self.check_error("/none: ", "-kernel", kernel, "-dtb", ARGS.dtb, "-initrd", "/none")
        self.check_error("/none: ", "-kernel", kernel, "-dtb", ARGS.dtb, "-drive", "file=/none")
        self.check_error("/none/", "-kernel", kernel, "-dtb", ARGS.dtb, "-D", "/none/log", "-d", "int")
        self.check_error("/none", "-kernel", kernel, "-dtb", ARGS.dtb, "-m", "64M", "-script", "/none")

    def test_bad_files(self):
        kernel = self.kernel(LOOP)
        self.check_error("not a sound device tree", "-kernel", kernel, "-dtb", kernel)
        empty = self.work / "empty"
        empty.write_bytes(b"")
        self.check_error("empty", "-kernel", empty, "-dtb", ARGS.dtb)
        self.check_error("not a sound device tree", "-kernel", kernel, "-dtb", empty)
        self.check_error("sectors", "-kernel", kernel, "-dtb", ARGS.dtb, "-drive", kernel)
        big = self.work / "big"
        with open(big, "wb") as file:
            file.truncate(100 << 20)
        self.check_error("no room", "-kernel", kernel, "-dtb", ARGS.dtb, "-m", "64M", "-initrd", big)
        self.check_error("memory", "-kernel", big, "-dtb", ARGS.dtb, "-m", "64M")

    def test_bad_machines(self):
        kernel = self.kernel(LOOP)
        self.check_error("-smp: the board has 2 CPUs", "-kernel", kernel, "-dtb", ARGS.dtb, "-m",
                         "64M", "-smp", "3")
        self.check_error("at most 128 MB", "-kernel", kernel, "-dtb", ARGS.dtb, "-m", "256M")
        drives = []
        for i in range(9):
            disk = self.work / f"disk{i}"
            disk.write_bytes(bytes(512))
            drives += ["-drive", disk]
        self.check_error("8 virtio slots", "-kernel", kernel, "-dtb", ARGS.dtb, "-m", "64M", *drives)
        self.check_error("-drive: the board has no 'sd'", "-kernel", kernel, "-dtb", ARGS.dtb,
                         "-m", "64M", "-drive", f"if=sd,file={drives[1]}")
        self.check_error("-nic: the board has no 'lan9118'", "-kernel", kernel, "-dtb", ARGS.dtb,
                         "-m", "64M", "-nic", "user,model=lan9118")
        self.check_error("unknown option", "-x")
        self.check_error("no_such", "-kernel", kernel, "-dtb", ARGS.dtb, "-d", "no_such")

    def test_other_board(self):
        status, _, err = self.boot(self.kernel(SYSTEM_OFF), dtb=ARGS.other)
        self.assertEqual(status, 2)
        self.assertIn("warning", err)
        self.assertIn("no CPU of kind 'test,cpu'", err)


def main():
    global ARGS
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--juno", required=True)
    parser.add_argument("--dtb", required=True, help="mini.dtb")
    parser.add_argument("--gdb", required=True)
    parser.add_argument("--other", required=True, help="tree.dtb, another board")
    ARGS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
