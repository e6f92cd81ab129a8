#!/usr/bin/env python3
"""The shader debugger by text commands: breakpoints of all kinds, steps, registers and memory.

    run.py MALI_RUN
"""
import pathlib
import re
import sys
import tempfile
import unittest

from kernels import HERE, Kernels

CASES = HERE.parent / "mali/snapshots/cases"
RACES = ["reverse_no_barrier", "scan_in_place", "stencil_in_place", "atomics_then_read", "write_neighbour"]
UNWRITTEN = ["local_unwritten", "half_written", "halo_unwritten"]
RIGHT = ["right_reverse", "right_reduce", "right_local_histogram", "right_tile"]


def registers(text):
    """{name: [word of lane 0, …]} of `info registers`."""
    return {words[0]: words[1:] for words in map(str.split, text.splitlines())
            if len(words) > 1 and re.fullmatch(r"r\d+", words[0])}


class Stops(Kernels):
    def test_a_work_item(self):
        for gpu in "g72", "t860":
            out = self.debug(self.kernel("right_reverse", gpu), "break kernel if get_global_id(0) == 177", "continue",
                             "print get_global_id(0)", "print get_local_id(0) + 1000 * get_group_id(0)", "info breakpoints")
            self.assertIn("work-item (177,0,0)", out[2])
            self.assertEqual(out[3].split()[0], "177")
            self.assertEqual(out[4].split()[0], str(177 % 64 + 1000 * (177 // 64)))
            self.assertIn("met 1 times", out[5])

    def test_a_kernel_by_its_name(self):
        path = self.kernel("right_reverse", "g72")
        self.assertIn("breakpoint 1", self.debug(path, "break kernel right_reverse.g72", "continue")[2])
        self.assertIn("has ended", self.debug(path, "break kernel another", "continue")[2])

    def test_a_bundle_and_its_address(self):
        path = self.kernel("right_reverse", "g72")
        code = self.debug(path, "disassemble")[1]
        address, index = re.findall(r"0x([0-9a-f]+) \((\d+)\)", code)[1]
        for place in f"clause {index}", f"0x{address}":
            self.assertIn(f"at 0x{address} (clause {index})", self.debug(path, f"break {place}", "continue")[2])

    def test_races(self):
        for name in RACES:
            for gpu in "g72", "t860":
                out = self.debug(self.kernel(name, gpu), "break race", "continue", "disassemble here", words=["-check"])
                self.assertRegex(out[2], r"^race (in|of)", name)
                self.assertRegex(out[2], "work-items? .*it, ", name)

    def test_reads_of_what_nobody_wrote(self):
        for name in UNWRITTEN:
            out = self.debug(self.kernel(name, "g72"), "break uninitialised", "continue", words=["-check"])
            self.assertIn("nobody wrote it", out[2], name)

    def test_right_kernels_do_not_stop(self):
        for name in RIGHT:
            out = self.debug(self.kernel(name, "g72"), "break race", "break uninitialised", "break nan", "break fault",
                             "continue", words=["-check"])
            self.assertIn("the run has ended, status 0", out[5], name)

    def test_divergence(self):
        out = self.debug(self.kernel("barrier_of_odd", "g72"), "break divergence", "continue", "step", "info lanes")
        self.assertIn("divergence: the lane goes to", out[2])
        self.assertIn(", waits", out[4])
        self.assertEqual(len(set(re.findall("at (0x[0-9a-f]+)", out[4]))), 2)
        self.assertIn("has ended", self.debug(self.kernel("right_reverse", "g72"), "break divergence", "continue")[2])

    def test_a_fault(self):
        out = self.run_program(self.kernel("right_reverse", "g72"), "-debug", status=1,
                               text="break fault\nset u0.w1 = 0x7777\nset u1.w1 = 0x7777\nset u2.w1 = 0x7777\ncontinue\nquit\n")
        self.assertRegex(out, "fault: the lane (reads|writes) 0x7777")

    def test_a_nan(self):
        kernel = ["-kernel", str(HERE / "nan_bifrost.s"), "-gpu", "g72", "-arg", "zero:64", "-global", "4"]
        made = self.debug([*kernel, "-arg", "f32:inf", "-arg", "f32:-inf"], "break nan", "continue", "print r5.f32")
        self.assertIn("a NaN is made, in r5", made[2])
        self.assertIn("nan", made[3])
        for first in "inf", "nan":  # a NaN that is only passed on is not made
            out = self.debug([*kernel, "-arg", f"f32:{first}", "-arg", "f32:1"], "break nan", "continue")
            self.assertIn("has ended", out[2])


class Memory(Kernels):
    def test_a_watchpoint(self):
        """The store is seen before it takes effect, with its value."""
        kernel = ["-kernel", str(HERE / "nan_bifrost.s"), "-gpu", "g72", "-arg", "zero:64", "-global", "4",
                  "-arg", "f32:1.5", "-arg", "f32:2"]
        out = self.debug(kernel, "watch u0.u64 + 8", "continue", "print lane", "x u0.u64+8 1", "step", "x u0.u64 4")
        self.assertRegex(out[2], "watchpoint 1: the lane writes 4 bytes at 0x[0-9a-f]+, 0x40600000")
        self.assertEqual(out[3].split()[0], "2")
        self.assertEqual(out[4].split()[1:], ["00000000"])
        self.assertIn("has ended", out[5])
        out = self.debug(kernel, "watch -r u0.u64", "continue")
        self.assertIn("has ended", out[2])

    def test_changed_registers(self):
        with tempfile.TemporaryDirectory() as folder:
            dump = pathlib.Path(folder) / "out"
            kernel = ["-kernel", str(HERE / "nan_bifrost.s"), "-gpu", "g72", "-arg", "zero:64", "-global", "4",
                      "-arg", "f32:1.5", "-arg", "f32:2", "-dump", f"0={dump}"]
            self.debug(kernel, "step tuple", "lane 1", "set r4 = 3.5", "quit")
            self.assertEqual(dump.read_bytes()[:16], bytes.fromhex("00006040 0000b040 00006040 00006040"))

    def test_a_changed_uniform(self):
        with tempfile.TemporaryDirectory() as folder:
            dump = pathlib.Path(folder) / "out"
            kernel = ["-kernel", str(HERE / "nan_bifrost.s"), "-gpu", "g72", "-arg", "zero:64", "-global", "4",
                      "-arg", "f32:1.5", "-arg", "f32:2", "-dump", f"0={dump}"]
            self.debug(kernel, "set u2 = 4.0", "quit")
            self.assertEqual(dump.read_bytes()[:4], bytes.fromhex("0000b040"))


class Steps(Kernels):
    def test_by_tuples(self):
        out = self.debug(self.kernel("right_reverse", "g72"), "step tuple", "step tuple", "step clause")
        self.assertIn("tuple 1)", out[1])
        self.assertIn("tuple 2)", out[2])
        self.assertNotIn("tuple", out[3].splitlines()[-1] if out[3].splitlines() else "")

    def test_by_warps_and_to_their_end(self):
        out = self.debug(self.kernel("right_reverse", "g72"), "step warp", "finish", "info warps")
        self.assertIn("warp 4,", out[1])
        self.assertRegex(out[2], r"group \(\d,0,0\)")
        self.assertLess(len(re.findall("group", out[3])), 17)

    def test_registers_are_those_of_a_run_without_a_debugger(self):
        for name, gpu in ("right_reverse", "g72"), ("right_scan_two_barriers", "g72"), ("right_reverse", "t860"):
            path = self.kernel(name, gpu)
            with tempfile.NamedTemporaryFile("r") as trace:
                self.run_program(path, "-trace", trace.name)
                self.compare(path, trace.read(), name)

    def compare(self, path, trace, name):
        """Steps the first warp through its bundles, and compares what each has changed."""
        bundles = [part for part in re.split(r"^(?=group )", trace, flags=re.M) if part.startswith("group 0 warp 0 ")]
        out = self.debug(path, *["info registers", "step"] * (len(bundles) - 1))
        seen, known = 0, {}
        for n, bundle in enumerate(bundles[:-1]):
            known.update({words[0]: words[1:] for words in map(str.split, bundle.splitlines()[1:])})
            now = registers(out[2 * n + 3] if 2 * n + 3 < len(out) else "")
            wide = next((len(words[0].split(":")) for words in now.values()), 1)
            for register, values in known.items():
                number = int(register[1:])
                mine = now.get(f"r{number // wide}")
                if mine:
                    self.assertEqual([word.split(":")[number % wide] for word in mine], values[:len(mine)],
                                     f"{name} {register} behind {bundle.splitlines()[0]}")
                    seen += 1
        self.assertGreater(seen, 5, name)

    def test_results_are_those_of_a_run_without_a_debugger(self):
        wrong = {line.split()[0] for line in (CASES.parent / "wrong.txt").read_text().splitlines() if line.strip() and line[0] != "#"}
        for gpu in "G72", "T860":
            for path in [path for path in sorted(CASES.glob(f"*.{gpu}.snap.elf")) if path.name.split(".")[0] not in wrong][::8]:
                expect = str(path).replace(".snap.", ".expect.")
                self.run_program(str(path), "-debug", "-expect", expect, "-max-cycles", "200000000",
                                 text="step\nstep stage\nstep warp\nfinish\nstep item\nbreak divergence\nquit\n")


class Words(Kernels):
    def test_expressions(self):
        path = self.kernel("right_reverse", "g72")
        wanted = {"1 + 2 * 3": "7", "(1 + 2) * 3": "9", "1 << 4 | 1": "17", "-7 / 2": "-3", "7 % 4": "3", "1 / 0": "0",
                  "~0": "-1", "!5": "0", "2 < 3 && 3 <= 3": "1", "1.5 * 2 == 3": "1", "0x10": "16", "get_local_size(0)": "64",
                  "get_num_groups(0)": "4", "get_global_size(0)": "256", "lane + warp": "0", "10 - 2 - 3": "5"}
        out = self.debug(path, *[f"print {text}" for text in wanted])
        for (text, value), answer in zip(wanted.items(), out[1:]):
            self.assertEqual(answer.split()[0], value, text)

    def test_mistakes_are_answered(self):
        path = self.kernel("right_reverse", "g72")
        wrong = {"print 1 +": "missing", "print nothing": "not known", "print r99": "not known", "print u32(1)": "no memory",
                 "print r0.q": "no part", "print " + "(" * 200: "too deep", "print 1 2": "behind", "jump": "no command",
                 "break clause": "", "break kernel if 1 +": "missing", "lane 9": "no such lane", "warp 999": "no such warp",
                 "watch 1,0": "no memory", "set r0": "takes", "set q = 1": "cannot", "step far": "step takes",
                 "info all": "info takes", "delete 7": "no breakpoint", "x 1": "no memory", "x": ""}
        out = self.debug(path, *wrong)
        self.assertEqual(len(out), len(wrong) + 2)
        for (text, part), answer in zip(wrong.items(), out[1:]):
            self.assertIn(part, answer, text)


if __name__ == "__main__":
    Kernels.MALI_RUN = sys.argv.pop(1)
    unittest.main()
