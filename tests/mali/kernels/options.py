"""A sum of vectors with all that mali-run can report of it, faults, and what mali-run says of options that are no good."""
import os
import shutil
import subprocess

from check import floats, source

MOST_CODE = 1 << 24  # bytes of a kernel


def vecadd_bifrost(c):
    a, b = [0.5 * i for i in range(96)], [100.0 - i for i in range(96)]
    want = floats([x + 0.25 * y for x, y in zip(a, b)])
    common = ["-global", "96", "-arg", "buffer=" + c.file("a", floats(a)), "-arg", "buffer=" + c.file("b", floats(b)),
              "-arg", "f32:0.25", "-arg", "zero:384", "-dump", "3=" + c.path("sum")]
    code = c.assembled("vecadd_bifrost.s")
    for gpu, local in ("g72", "32"), ("g52", "48"), ("g71", "1"), ("g31", "96"):
        c.good(f"vecadd on {gpu}", code, "-gpu", gpu, "-local", local, *common)
        c.expect(f"sums on {gpu}, groups of {local}", c.content("sum") == want)
    out = c.good("reports", source("vecadd_bifrost.s"), "-gpu", "g72", *common, "-disasm", "-dump-jobs", "-trace",
                 c.path("trace"), "-stats", c.path("stats"), "-dump", "0=" + c.path("same"))
    c.expect("-disasm and -dump-jobs", "*FMA.f32 r4:t0, r5, u2.w0, r4" in out and
             "push uniform u2.w0 0x3e800000" in out)
    c.expect("a buffer of a file is what it was", c.content("same") == floats(a))
    c.expect("-trace has each clause of 24 warps", c.content("trace").decode().count("group ") == 3 * 24)
    shaders = c.content("stats/gpu_shaders.txt").decode()
    c.expect("-stats", "8 inst, 8 tuples, 3 clauses" in shaders and "    global_writes            96" in shaders)
    return code, common


def faults(c, kernel, common):
    c.bad("a buffer that is too small", "at 0x40001000, in a read, at 0x1000000 (clause_0 of", kernel,
          "-gpu", "g52", "-global", "2048", "-local", "64", *common[2:], status=1)
    raw = c.file("raw.bin", bytes.fromhex("ff" * 32))
    status, _, err = c.run(raw, "-gpu", "g52")
    c.expect("code that is none", status == 1 and err.startswith("gpu: Mali-G52 MP6 cannot execute a bundle") and
             f"failed: exception 0x51, at 0x1000000 (clause_0 of {raw})\n" in err)
    status, _, err = c.run(c.file("bad.s", b"start:\nds(0) eos\n{\n    *NONSENSE t0\n    +NOP t1\n}\n"),
                           "-gpu", "g52")
    c.expect("text that is no good", status == 2 and "bad.s:4:" in err and
             err.endswith("bad.s cannot be assembled\n"))


def too_much_assembled(c):
    """More code than a kernel may have is refused when an assembler makes it, too."""
    folder = c.path("tools")
    os.mkdir(folder)
    program = shutil.copy(c.program, folder)
    assembler = c.file("tools/gencc", b"#!/bin/sh\nhead -c %d /dev/zero\n" % (MOST_CODE + 16))
    os.chmod(assembler, 0o755)
    done = subprocess.run([program, "-kernel", c.file("large.s", b""), "-gpu", "g52"],
                          capture_output=True, text=True, check=False)
    c.expect("too much code, assembled", done.returncode == 2 and "large.s: too much code" in done.stderr)


def wrong_options(c, kernel):
    buffer = ["-arg", "zero:64"]
    for what, text, arguments in (
            ("an unknown form", "-arg is buffer=FILE, zero:SIZE, u32:N, u64:N or f32:X, not 'i8:3'", ["-arg", "i8:3"]),
            ("a number with letters", "-arg u32:1x: not a number of 32 bits", ["-arg", "u32:1x"]),
            ("a number that is too large", "not a number of 32 bits", ["-arg", "u32:0x100000000"]),
            ("one that is too small", "not a number of 32 bits", ["-arg", "u32:-2147483649"]),
            ("no float", "-arg f32:one: not a number", ["-arg", "f32:one"]),
            ("a file that is not there", "there is no such file", ["-arg", "buffer=/no/such"]),
            ("an empty file", "the file is empty", ["-arg", "buffer=" + c.file("empty", b"")]),
            ("a buffer of nothing", "a buffer has 1 byte to 4 GB", ["-arg", "zero:0"]),
            ("a buffer that is too large", "a buffer has 1 byte to 4 GB", ["-arg", "zero:5G"]),
            ("too many arguments", "32 arguments at most", 33 * ["-arg", "u32:1"]),
            ("a dump of what is not there", "-dump 1: there are 1 arguments", buffer + ["-dump", "1=x"]),
            ("a dump of a number", "this argument is no buffer", ["-arg", "u32:1", "-dump", "0=x"]),
            ("a dump of nothing", "-dump is N=FILE", ["-dump", "x"]),
            ("a dump to nowhere", "cannot write /no/such",
             ["-arg", "zero:4096"] * 4 + ["-dump", "0=/no/such/file"]),
            ("an odd size", "-global 10,1,1 is not a multiple of -local 4,1,1", ["-global", "10", "-local", "4"]),
            ("a size of 0", "of at least 1 each", ["-global", "4,0"]),
            ("four sizes", "three numbers at most", ["-global", "1,1,1,1"]),
            ("letters", "of at least 1 each", ["-local", "many"]),
            ("too large a group", "has 384 threads at most", ["-global", "1024"]),
            ("too many groups", "do not fit", ["-global", "65536,65536,2", "-local", "1"]),
            ("a snapshot too", "both a snapshot", ["some.elf"]),
            ("too much local memory", "-local-memory", ["-local-memory", "2000000"])):
        c.bad(what, text, kernel, "-gpu", "g52", *arguments)
    c.bad("no GPU", "-kernel needs -gpu NAME", kernel)
    c.bad("no such GPU", "there is no GPU named 'voodoo'", kernel, "-gpu", "voodoo")
    c.bad("no such file", "No such file", "/no/such.bin", "-gpu", "g52")
    c.bad("no code", "there is no code in it", c.path("empty"), "-gpu", "g52")
    c.bad("half a word", "24 bytes are no whole words of 16", c.file("half.bin", bytes(24)), "-gpu", "g52")
    c.bad("too much code", "large.bin: too much code", c.file("large.bin", bytes(MOST_CODE + 16)), "-gpu", "g52")
    too_much_assembled(c)
    done = subprocess.run([c.program, "x.elf", "-arg", "u32:1"], capture_output=True, text=True, check=False)
    c.expect("arguments without a kernel", done.returncode == 2 and "are for -kernel" in done.stderr)


def vecadd(c):
    code, common = vecadd_bifrost(c)
    faults(c, code, common)
    wrong_options(c, code)
