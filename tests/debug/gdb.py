#!/usr/bin/env python3
"""Real sessions of GDB with the shader debugger: mali-run -gdb.

    gdb.py MALI_RUN GDB
"""
import re
import subprocess
import sys
import unittest

from kernels import HERE, Kernels

GDB = None


def signed(text):
    value = int(text, 16)
    return value - (value >> 31 << 32)


class Sessions(Kernels):
    def gdb(self, words, *commands):
        """Runs commands, and returns the lines between their marks."""
        marked = [part for n, line in enumerate(commands) for part in ("-ex", f"echo \\n<{n}>\\n", "-ex", line)]
        target = " ".join([self.MALI_RUN, *words, "-gdb", "stdio"])
        done = subprocess.run([GDB, "-q", "-nx", "-batch", "-ex", "set pagination off", "-ex", "set confirm off", "-ex", "set remotetimeout 100",
                               "-ex", f"target remote | {target}", *marked],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=110, check=False)
        parts = re.split(r"^<\d+>$", done.stdout, flags=re.M)
        self.assertEqual(len(parts), len(commands) + 1, done.stdout)
        for bad in "warning: Architecture rejected", "Remote failure", "malformed", "Truncated", "not supported by this target":
            self.assertNotIn(bad, done.stdout)
        return parts

    def test_warps_are_threads(self):
        out = self.gdb([self.kernel("right_reverse", "g72")], "info threads", "thread 3", "info threads", "p $lanes", "p $clause", "p/x $live")
        self.assertEqual(len(re.findall(r"group \(0,0,0\) warp \d+", out[1])), 16, out[1])
        self.assertIn("lanes 0xf", out[1])
        self.assertRegex(out[3], r"\* 3 .*warp 2,")
        self.assertRegex(out[4], r"\$1 = 15")
        self.assertRegex(out[5], r"\$2 = 0")
        self.assertRegex(out[6], r"\$3 = 0xf")

    def test_breakpoints_and_registers(self):
        path = self.kernel("right_reverse", "g72")
        out = self.gdb([path], "monitor break kernel if get_global_id(0) == 177", "continue", "p $lane",
                       "monitor print get_global_id(0)", "p/x $r60.u32", "p $pc", "stepi", "p $clause", "info registers r60")
        self.assertIn("breakpoint", out[1])
        self.assertIn("breakpoint", out[2])
        self.assertRegex(out[3], r"= 1\b")
        self.assertIn("177", out[4])
        self.assertRegex(out[5], r"\{0xb0, 0xb1, 0xb2, 0xb3\}")
        self.assertRegex(out[8], r"= [1-9]")
        self.assertIn("u32", out[9])

    def test_a_breakpoint_at_an_address(self):
        path = self.kernel("right_reverse", "g72")
        place = re.findall(r"0x([0-9a-f]+) \((\d+)\)", self.debug(path, "disassemble")[1])[1]
        out = self.gdb([path], f"break *0x{place[0]}", "continue", "p/x $pc", "delete 1", "stepi", "p/x $pc", "continue")
        self.assertIn("Breakpoint 1", out[2])
        self.assertIn(f"0x{place[0]}", out[3])
        self.assertNotIn(f"0x{place[0]}", out[6])
        self.assertIn("exited normally", out[7])

    def test_a_watchpoint_and_memory(self):
        kernel = ["-kernel", str(HERE / "nan_bifrost.s"), "-gpu", "g72", "-arg", "zero:64", "-global", "4",
                  "-arg", "f32:1.5", "-arg", "f32:2"]
        address = self.debug(kernel, "print u0.u64")[1].split()[0]
        out = self.gdb(kernel, f"set $at = {address}", "monitor step tuple", "stepi", "set $r4.f32[1] = 3.5",
                       "rwatch *(int*)$at", "delete", f"monitor watch {address} + 4", "continue",
                       "x/4xw $at", "set *(int*)$at = 77", "x/1dw $at")
        self.assertIn("tuple", out[2])
        self.assertIn("watchpoint", out[8])
        self.assertRegex(out[9], "0x40600000\\s+0x00000000\\s+0x00000000")
        self.assertRegex(out[11], r":\s+77\b")

    def test_gdbs_own_watchpoint_stops(self):
        """At the store of the address that the kernel's first store has, with the values before and behind it."""
        path = self.kernel("right_reverse", "g72")
        stored = self.debug(path, "watch 0xa000000,0x1000000", "continue")[2]
        at, value = re.search(r"writes 4 bytes at (0x[0-9a-f]+), (0x[0-9a-f]+)", stored).groups()
        out = self.gdb([path], f"watch *(int *){at}", f"p/x *(int *){at}", "continue", f"p/x *(int *){at}", "info threads",
                       "delete", "continue")
        before = re.search(r"= (0x[0-9a-f]+)", out[2])[1]
        self.assertNotEqual(before, value)
        self.assertRegex(out[3], rf"(?s)Hardware watchpoint 1.*Old value = {signed(before)}\nNew value = {signed(value)}\n")
        self.assertIn(f"= {value}\n", out[4])
        self.assertIn("exited normally", out[7])

    def test_a_fault_is_a_signal(self):
        out = self.gdb([self.kernel("right_reverse", "g72")], "set $u0.u32[0][1] = 0x7777", "set $u1.u32[0][1] = 0x7777",
                       "set $u2.u32[0][1] = 0x7777", "continue")
        self.assertIn("SIGSEGV", out[4], out[4])
        self.assertIn("fault: the lane", out[4])

    def test_races_are_known(self):
        out = self.gdb([self.kernel("reverse_no_barrier", "g72"), "-check"], "monitor break race", "continue", "x/2i $pc")
        self.assertIn("race in local memory", out[2])

    def test_an_endless_kernel_is_interrupted(self):
        """By the protocol's bytes, as GDB sends no Ctrl-C in a batch."""
        words = ["-kernel", str(HERE / "endless_bifrost.s"), "-gpu", "g72", "-gdb", "stdio"]
        server = subprocess.Popen([self.MALI_RUN, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            for sent, wanted in (b"QStartNoAckMode", b"OK"), (b"?", b"T02thread:1;"), (b"vCont;c", b""), (b"\3", b"T02thread:1;"):
                server.stdin.write(b"$%s#%02x" % (sent, sum(sent) & 255) if sent != b"\3" else sent)
                server.stdin.flush()
                answer = b""
                while wanted and not re.search(rb"\$[^#]*#..$", answer):
                    answer += server.stdout.read(1)
                self.assertIn(wanted, answer)
        finally:
            server.kill()
            server.communicate()

    def test_scalar_threads(self):
        out = self.gdb([self.kernel("right_reverse", "t860")], "info threads", "stepi", "p $r0", "p $bundle")
        self.assertEqual(len(re.findall(r"warp \d+", out[1])), 64)
        self.assertIn("f32", out[3])


if __name__ == "__main__":
    Kernels.MALI_RUN, GDB = sys.argv.pop(1), sys.argv.pop(1)
    unittest.main()
