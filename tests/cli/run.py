#!/usr/bin/env python3
"""Checks how programs answer their command lines:

    run.py NAME=PROGRAM…

`--help` of each program, and of each command of gencc, prints a page that names the program and
ends with status 0; so does that of each script, and `-version` of each program. LISTS has options
that list known names, and a word of each list. For a bad option, a missing value or a missing file
there is no standard output, one line on standard error that says what is wrong, and status 2. CASES
has the tried command lines, by program."""
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ARCH = str(ROOT / "descriptions/tutorial/rv64.ac")
README = str(ROOT / "README.md")
COMMANDS = ["check", "build", "dump", "explain", "disasm", "asm"]
SHADERS = str(ROOT / "descriptions/mali/bifrost/bifrost.ac")
LAYOUTS = str(ROOT / "descriptions/mali/layouts/mali.ac")
CONSTANTS = str(ROOT / "descriptions/arm/board.genc")
SNAPSHOT = str(ROOT / "tests/mali/snapshots/cases/sgemm.G72.snap.elf")
GPU = str(ROOT / "descriptions/mali/variants/g71.ac")

FORMATS = ["smt-lib", "decodetree", "sleigh"]

# Arguments, and a word of the expected line. {} is an empty folder.
CASES = {
    "gencc": [
        (["nonsense"], "nonsense"),
        *[([c, "--nonsense"], "--nonsense") for c in COMMANDS],
        *[([c, "--isa"], "--isa needs a value") for c in COMMANDS],
        *[([c, "--arch", ARCH, "--isa", "nonsense", *rest], "no ISA 'nonsense'")
          for c, rest in [("check", []), ("build", ["-o", "{}/c"]), ("dump", ["--stage", "ir"]),
                          ("explain", ["1"]), ("disasm", [ARCH]), ("asm", [ARCH])]],
        *[([c, "--arch", "{}/none.ac", *rest], "none.ac")
          for c, rest in [("check", []), ("build", ["-o", "{}/c"]), ("dump", ["--stage", "ast"]),
                          ("explain", ["1"]), ("disasm", [ARCH]), ("asm", [ARCH])]],
        (["check"], "architecture file"),
        (["check", "{}"], "regular file"),
        (["check", ARCH, ARCH], ARCH),
        (["build", ARCH], "-o DIR"),
        (["build", ARCH, "-o", "{}/none/c"], "none/c"),
        (["build", ARCH, "-o", "{}/c", "--parts", "0"], "from 1 to 64"),
        (["build", ARCH, "-o", "{}/c", "--parts", "4x"], "4x"),
        (["dump", ARCH], "--stage"),
        (["dump", "--stage", "nonsense", ARCH], "--stage"),
        (["dump", "--stage", "ir", "--only", "nonsense", ARCH], "nonsense"),
        (["explain", "--arch", ARCH], "instruction word"),
        (["explain", "--arch", ARCH, "nonsense"], "no number"),
        (["explain", "--arch", ARCH, "1", "2"], "2"),
        (["explain", "--arch", ARCH, "0x100000000"], "32 bits"),
        (["explain", "--arch", ARCH, "0x10000000000000000"], "no number"),
        (["explain", "--isa", "nonsense", "1"], "--arch FILE"),
        (["explain", "--arch", ARCH, "--context"], "--context needs a value"),
        (["explain", "--arch", ARCH, "--context", "256", "1"], "from 0 to 255"),
        (["explain", "--arch", ARCH, "--context", "8", "0x02a28313"], "no decode contexts"),
        (["disasm", "--arch", ARCH], "expected a file"),
        (["disasm", "--arch", ARCH, "{}/none"], "none"),
        (["disasm", "--arch", ARCH, "{}"], "{}"),
        (["disasm", "--arch", ARCH, "--address", "here", ARCH], "here"),
        (["disasm", "--arch", SHADERS, "--isa", "bifrost", "{}/none"], "none"),
        (["explain", "--arch", SHADERS, "--isa", "bifrost", "1"], "ISA of a unit"),
        (["asm", "--arch", SHADERS, "--isa", "bifrost", "{}"], "cannot read '{}'"),
        (["asm", "--arch", ARCH, "{}/none"], "none"),
        (["asm", "--arch", ARCH, "--address", "", ARCH], "--address"),
        (["doc", "--nonsense"], "--nonsense"),
        (["doc", ARCH], "-o DIR is missing"),
        (["doc", ARCH, "-o"], "-o needs a value"),
        (["doc", "-o", "{}/site"], "expected files"),
        (["doc", "-o", "{}/none/site", ARCH], "none"),
        (["doc", "-o", "{}/site", "{}/none.ac"], "none.ac"),
        (["doc", "-o", "{}/site", ARCH, ARCH], "is called rv64 too"),
        (["doc", "-o", "{}/site", GPU], "AC_LAYOUTS"),
        (["doc", "-o", "{}/site", "{}/none.dtb"], "none.dtb"),
        (["fmt", "--nonsense"], "--nonsense"),
        (["fmt"], "expected files"),
        (["fmt", "{}/none.ac"], "none.ac"),
        (["lsp", "nonsense"], "nonsense"),
        (["diff", "--nonsense"], "--nonsense"),
        (["diff", ARCH], "of architectures, layouts or GPUs"),
        (["diff", ARCH, ARCH, "{}/third.ac"], "third.ac"),
        (["diff", ARCH, "{}/none.ac"], "none.ac"),
        (["export"], "which format of which description"),
        (["export", "--nonsense"], "--nonsense"),
        (["export", "nonsense", ARCH], "'nonsense' is no format; there are smt-lib"),
        *[c for f in FORMATS for c in [
            (["export", f], "which format of which description"),
            (["export", f, "-o"], "-o needs a value"),
            (["export", f, "--isa", "nonsense", ARCH], "no ISA 'nonsense'"),
            (["export", f, ARCH, "nonsense"], "no instruction 'nonsense'"),
            (["export", f, "-o", "{}/none/c", ARCH], "none/c"),
            (["export", f, "{}/none.ac"], "none.ac"),
            (["export", f, "--isa", "bifrost", SHADERS], "are bundles"),
            (["export", f, "--isa", "bifrost_fma", SHADERS], "an ISA of lanes")]],
        (["export", "decodetree", "--width", "16", ARCH], "has words of 32 bits"),
        (["export", "decodetree", "--width", "x", ARCH], "x"),
        (["constants", "--nonsense"], "--nonsense"),
        (["constants", "-o", "{}/c.h"], "FILE.genc is missing"),
        (["constants", CONSTANTS], "-o FILE.h is missing"),
        (["constants", CONSTANTS, "-o"], "-o needs a value"),
        (["constants", CONSTANTS, CONSTANTS, "-o", "{}/c.h"], "board.genc"),
        (["constants", "{}/none.genc", "-o", "{}/c.h"], "none.genc"),
        (["constants", CONSTANTS, "-o", "{}/none/none/c.h"], "none/none/c.h"),
        (["prelude", "nonsense"], "nonsense"),
        (["layouts", "--nonsense"], "--nonsense"),
        (["layouts", LAYOUTS], "-o DIR"),
        (["layouts", LAYOUTS, "-o"], "-o needs a value"),
        (["layouts", "--check"], "one file"),
        (["layouts", "--check", LAYOUTS, LAYOUTS], "one file"),
        (["layouts", "--check", "{}/none.ac"], "none.ac"),
        (["layouts", LAYOUTS, "-o", "{}/none/c"], "none/c"),
        (["variants", "--nonsense"], "--nonsense"),
        (["variants", "--check", GPU], "--layouts FILE"),
        (["variants", "--check", "--layouts", "{}/none.ac", GPU], "none.ac"),
        (["variants", "--check", "--layouts", LAYOUTS, "{}/none.ac"], "none.ac"),
        (["variants", "--layouts", LAYOUTS, GPU], "-o DIR"),
    ],
    "bare": [
        ([], "FILE.ac"),
        (["--nonsense"], "--nonsense"),
        ([ARCH], "-o PROGRAM is missing"),
        ([ARCH, "-o"], "-o needs a value"),
        ([ARCH, "--isa"], "--isa needs a value"),
        ([ARCH, ARCH, "-o", "{}/run"], "one description"),
        (["{}/none.ac", "-o", "{}/run"], "none.ac"),
        ([ARCH, "-o", "{}"], "a folder"),
        ([ARCH, "-o", "{}/run", "--build", "{}"], "holds no build"),
        ([ARCH, "-o", "{}/run", "--external", "{}/none.c"], "none.c"),
    ],
    "juno": [
        ([], "-kernel"),
        (["--nonsense"], "--nonsense"),
        (["nonsense"], "nonsense"),
        (["-kernel"], "-kernel"),
        (["-kernel", "{}/none"], "none"),
        (["-m", "7Q"], "7Q"),
        (["-smp", "99"], "99"),
        (["-d", "nonsense"], "nonsense"),
        (["-M", "nonsense"], "this program is the juno"),
        (["-drive", "file={}/none,format=vmdk"], "qemu-img convert"),
        (["-kernel", README, "-drive", f"file={README},snapshot=on,format=qcow2"], "no qcow2 image"),
        (["-serial", "stdio", "-serial", "mon:stdio"], "the terminal can be one port's, or the monitor's"),
        (["-device", "virtio-blk-pci,drive=a"], "this board has no PCI; it has virtio-blk-device"),
        (["-device", "e1000"], "virtio-net-device"),
    ],
    "mali-run": [
        ([], "no snapshot"),
        (["--nonsense"], "--nonsense"),
        (["-gpu", "nonsense", "{}/none"], "none"),
        (["{}/none"], "none: No such file or directory"),
        (["{}"], "{}: not a regular file"),
        ([README], "README.md: not an ELF file"),
        ([SNAPSHOT, "-gpu", "nonsense"], "'nonsense' (-gpu help lists them)"),
    ],
    "mali-fuzz": [
        (["-fuzz", "bifrost_fma", "-gpu", "nonsense"], "'nonsense' (-gpu help lists them)"),
    ],
    "mali-tune": [
        ([], "a table"),
        (["--nonsense"], "--nonsense"),
        (["{}/none.csv", "-gpu", "g71"], "none.csv"),
        (["{}/none.csv", "-gpu", "g71", "-free", "l1_bytes=2:1"], "no range"),
        (["{}/a.csv", "{}/b.csv"], "more than one table"),
    ],
    "gencc-dap": [(["nonsense"], "nonsense"), (["--nonsense"], "--nonsense")],
    "mali-dse": [
        ([], "a space"),
        (["--nonsense"], "--nonsense"),
        (["{}/none", "-out", "{}"], "none"),
        (["{}/none"], "-out"),
    ],
    "aarch64-user": [
        ([], "no program"),
        (["--nonsense"], "--nonsense"),
        (["{}/none"], "none"),
    ],
    # These two have one machine name, and differ in byte order alone.
    "mips-user": [([README], "README.md is not a 32-bit, big-endian ELF program for mips")],
    "mipsel-user": [([README], "README.md is not a 32-bit, little-endian ELF program for mips")],
}
PAGES = {"gencc": [["--help"], ["-h"], ["help"], *[[c, "--help"] for c in [*COMMANDS, "doc", "diff", "fmt", "lsp", "prelude", "constants", "layouts", "variants"]]],
         "mali-fuzz": []}  # its page is mali-run's


MACHINE_LISTS = [(["-gpu", "help"], "Mali-G72 MP12"), (["-device", "help"], "virtio-9p-device,fsdev=ID"),
                 (["-d", "help"], "guest_errors")]
LISTS = {
    "juno": [(["-M", "help"], "Juno"), *MACHINE_LISTS],
    "vexpress": [(["-machine", "help"], "Versatile Express"), *MACHINE_LISTS],
    "vexpress-ca53": [(["-machine", "help"], "two Cortex-A53"), *MACHINE_LISTS],
    "virt-riscv64": [(["-machine", "help"], "RISC-V"), *MACHINE_LISTS],
    "malta": [(["-machine", "help"], "MIPS Malta"), *MACHINE_LISTS],
    "malta-be": [(["-machine", "help"], "MIPS Malta"), *MACHINE_LISTS],
    "mali-run": [(["-gpu", "help"], "Mali-G72 MP12")],
    "mali-fuzz": [(["-gpu", "help"], "Mali-G72 MP12")],
    "mali-tune": [(["-gpu", "help"], "Mali-G72 MP12")],
}


def run(program, arguments):
    return subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=60)


def check_page(program, arguments):
    done = run(program, arguments)
    named = pathlib.Path(program).name in "".join(done.stdout.splitlines()[:4])
    good = done.returncode == 0 and named and not done.stderr
    return [] if good else [f"status {done.returncode}", done.stdout[:200], done.stderr[:500]]


def check_list(program, arguments, word):
    done = run(program, arguments)
    good = done.returncode == 0 and word in done.stdout and not done.stderr
    return [] if good else [f"status {done.returncode}, expected a list with '{word}'",
                            done.stdout[:200], done.stderr[:500]]


def check_refusal(program, arguments, word):
    with tempfile.TemporaryDirectory() as folder:
        done = run(program, [a.replace("{}", folder) for a in arguments])
        word = word.replace("{}", folder)
    lines = done.stderr.splitlines()
    good = done.returncode == 2 and not done.stdout and len(lines) == 1 and word in lines[0]
    return [] if good else [f"status {done.returncode}, expected 2 and a line with '{word}'",
                            done.stdout[:200], done.stderr[:500]]


def main(programs):
    failed = count = 0
    for given in programs:
        name, program = given.split("=", 1)
        checks = [(a, check_page(program, a)) for a in PAGES.get(name, [["--help"]])]
        if not program.startswith(str(ROOT / "scripts")):
            checks += [(a, check_page(program, a)) for a in (["-version"], ["--version"])]
        checks += [(a, check_list(program, a, word)) for a, word in LISTS.get(name, [])]
        checks += [(a, check_refusal(program, a, word)) for a, word in CASES.get(name, [])]
        for arguments, wrong in checks:
            count += 1
            if wrong:
                failed += 1
                print(f"{name} {' '.join(arguments)}: failed")
                print("\n".join(f"    {line}" for line in wrong if line))
    print(f"{count} command lines, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
