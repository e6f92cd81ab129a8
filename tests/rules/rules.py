#!/usr/bin/env python3
"""The rules of the house that text can show.

One source of truth: what two instruction sets, GPUs or boards disagree on is in a description or a
device tree, so runtime/ names none of it. Comments there may: they cite manuals. What is looked for:

  opcodes       an instruction of a description by its name, outside comments and strings
  bit patterns  a mask or a shift of a variable that is called an instruction, and constants that
                are A64 exception, system or branch words (top byte d4 to d6), which is what a
                simulator is most likely to have written by hand
  GPU models    a model's name; the families' compatible strings are not models
  hosts         outside of a host's folder, the quick tier names no register or instruction of a
                processor, nor a function of an assembler
  Arm           its words for exceptions, interrupts, firmware and registers: nowhere in runtime/cpu, not
                even in comments, and in runtime/machine only in files of rows (firmware_*, boot_*); nor in
                common/prelude, which every description has
  architectures their names and their boards' anywhere else in gencc/ and runtime/, comments apart: only
                devices and the files of rows (boot protocols, firmware, cryptography) have them
  user mode     no architecture's name in runtime/user, not even in comments
  GPU families  the words of one family's shaders, nowhere in runtime/ and gencc/; families' names in comments only
  addresses     the unit addresses of platforms/*.dts and of the device trees of the Juno, except
                those so round that they are sizes and masks as well

No test may vanish: a program that is looked for is there or nothing is configured, its package is in
the list of scripts/packages-run.txt or packages-test.txt, and no test is skipped.

Every file of a device says in its head what bounds the work that a guest makes it do. A public helper
of a description has somebody who calls it.

Then what is true of every file: no address of a package registry or path of a developer's machine,
no marks of unfinished work, no source above 1,000 lines, no function of more than 6 parameters, one
way to write sizeof, types that may alias before they are aligned, text only; documents link to what
exists.
Each check is also shown something bad, to see that it still sees.
"""
import re
import subprocess
import unittest
from collections import Counter
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MAX_LINES = 1000
MAX_COLUMNS = 100  # as .clang-format has it
SOURCES = {".c", ".h", ".inc", ".def", ".y", ".l", ".S", ".py", ".ac", ".genc", ".dts", ".sh", ""}

PICTURE_BYTES = 40_000
# Memory of a GPU before and after a job, which is not text.
SNAPSHOTS = ("tests/mali/snapshots/cases/", "tests/mali/snapshots/gfx/", "tests/mali/snapshots/scenes/",
             "tests/mali/snapshots/checked/",
             "tests/fuzz/corpus/shader/",
             "tests/fuzz/corpus/snapshot/")

# Names of instructions that are also words of C, of Linux or of this project.
ORDINARY = {"add", "and", "sub", "sys", "cls", "not", "brk", "crc32", "ret", "doorbell", "jump",
            "barrier", "discard", "blend", "nop", "mul", "div"}
# Juno: peripherals of linux/arch/arm64/boot/dts/arm/juno*.dts, as Debian's trees have them.
JUNO = """
20010000 20020000 20030000 20040000 20070000 20100000 20110000 20120000 20130000 20140000 20150000
20160000 22010000 22020000 22040000 220c0000 22110000 22120000 22140000 23010000 23020000 23040000
230c0000 23110000 23120000 23140000 23210000 23220000 23240000 23310000 23320000 23340000 2a430000
2a490000 2a4a0000 2a810000 2a820000 2a830000 2b1f0000 2b400000 2b500000 2b600000 2c010000 2c02f000
2c04f000 2c06f000 2c1c0000 2d000000 2e000000 7fb00000 7fb10000 7fb20000 7fb30000 7ff00000 7ff50000
7ff60000 7ff70000 7ff80000 7ffa0000 7ffb0000 7ffc0000 7ffd0000 1c010000 1c050000 1c060000 1c070000
1c090000 1c0f0000 1c110000 1c120000 1c170000 1c1d0000
""".split()

# The 9P server is not a device: virtio_9p.c and ninep.h state the bounds of a message's work.
NINEP = "runtime/dev/ninep"

MARK_WORDS = ["TO" "DO", "FIX" "ME", "X" "XX", "HA" "CK"]
MARKS = re.compile(r"\b(" + "|".join(MARK_WORDS) + r")\b")
GPU_MODEL = re.compile(r"\b(mali[-_ ]?[gt]\d\d+|mali[-_ ]?t[678]xx|[gt]\d{2,3}_(gpu|mp\d+)|"
                       r"(g31|g51|g52|g57|g68|g71|g72|g76|g77|g78)|t(60|62|65|67|72|76|82|83|86|88)\d)\b",
                       re.IGNORECASE)
INSTRUCTION_BITS = re.compile(r"\b(insn|instr|instruction|opcode|encoding)(_?word)?\)?\s*(&|>>)\s*"
                              r"(0x[0-9a-f]+|\d)", re.IGNORECASE)
A64_WORD = re.compile(r"\b0xd[456][0-9a-f]{6}(u|ul|ull)?\b", re.IGNORECASE)
ADDRESS = re.compile(r"0x0*([0-9a-f]{7,})\b", re.IGNORECASE)
# The hosts of test data end in .example; the others are names of formats and of licences.
HOST = re.compile(r"\bhttps?://(?![\w:@.-]*\.(example|invalid)\b|localhost\b|127\.|\[?::1|www\.w3\.org/2000/svg\b)[\w$<{(%]|"
                  r"\b(deb|ftp|security|snapshot|archive|packages|ports)[.](debian|ubuntu)[.](org|com)"
                  r"|\b(pypi|pythonhosted|crates|npmjs|rubygems|docker)[.](org|io|com)\b")
MACHINE_PATH = re.compile(r"(?<![\w.}])/(work|root|home)/[\w.]|[.]library/")

# A function with more than MAX_PARAMETERS parameters takes a structure, except those whose signature is given
# elsewhere: functions that generated code calls with a description's arguments, and functions of other libraries.
MAX_PARAMETERS = 6
GIVEN_SIGNATURE = re.compile(r"(arm|plain|host)_sha\w+|sha1_rounds|gpu_pixel_(load|store)|clEnqueueNDRangeKernel|"
                             r"__(real|wrap)_\w+")
# gcc 14 for AArch64 has an internal error where a value of a type with these attributes, in this order, is an
# argument: may_alias makes a type of its own then, whose natural alignment counts as given by the user.
ALIGNED_FIRST = re.compile(r"\baligned\s*\([^()]*\)\s*,\s*may_alias\b")
SIZEOF = re.compile(r"\bsizeof\s+[*&\w]")
PREPROCESSOR = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.M)
FUNCTION_HEAD = re.compile(r"^(?!typedef\b)[A-Za-z_][\w \t*]*?[\s*](\w+)\s*"
                           r"\(((?:[^;{}()]|\([^()]*\))*)\)[^;{}=]*[{;]", re.M)

# A test that is left out looks like one that passes.
VANISHING = re.compile(r"\bfind_program\s*\(|\bif\s*\((NOT )?TARGET\b|"
                       r"\bSKIP_" r"(RETURN_CODE|REGULAR_EXPRESSION)\b|"
                       r"\bskip" r"(Test|If|Unless)\b|\bunittest\.skip|^[ \t]*skip\(\);", re.M)
REQUIRED = re.compile(r"\brequire_program\(\w+ ([\w.+-]+) ")
# The code of one host of the quick tier.
HOST_FOLDER = re.compile(r"runtime/jit/quick/\w+/")

# Registers of x86-64 and of AArch64, the names of their assemblers here, and how C reads a
# processor's features or a signal's registers.
HOST_NAME = re.compile(r"\b(r[abcd]x|r[sd]i|r[sb]p|r(8|9|1[0-5])|[xyz]mm\d*|[xwvq](1\d|2\d|3[01])|x86\w*|"
                       r"avx\w*|neon|(x64|a64)(?!/)\w*|cc_[a-z]+|reg_[re][a-z]{2}|u?gregs|"
                       r"__builtin_cpu_\w+|mcontext_t|uc_mcontext)\b", re.IGNORECASE)

# Words of Arm's architecture, of its firmware and its boards; and its fault status codes as
# numbers.
ARM_WORD = re.compile(r"(?<![A-Za-z0-9])(?i:arm(v\d\w*|32|64)?|aarch(32|64)|a64|cortex|juno|psci|smc(cc)?|"
                      r"hvc|svc|fiq|serror|el[0-3]|esr|daif|nzcv|midr|mpidr|wf[ei]|sevl?|eret|gic(v\d)?|dfsc|"
                      r"ifsc)(?![A-Za-z0-9])|(?<![A-Za-z0-9])FAR(?![A-Za-z0-9])|"
                      r"FAULT_\w+\s*=\s*0x(10|21|100)\b")
ARM_ROWS = ("runtime/machine/firmware_", "runtime/machine/firmware.inc", "runtime/machine/boot_",
            "runtime/machine/CMakeLists.txt")

# Names of architectures, of their parts and of their boards, and the files in which they belong.
ARCHITECTURE = re.compile(r"(?<![A-Za-z0-9])((?i:armv\d\w*|arm(32|64|hf)|aarch(32|64)|thumb\d?|risc_?v\w*|"
                          r"rv(32|64)\w*|cortex|juno|vexpress|versatile|harts?|sbi|psci)|(?<!_)ARM(?=_[A-Z]))"
                          r"(?![A-Za-z0-9])")
ROWS = ("runtime/dev/", "runtime/machine/boot_", "runtime/machine/firmware",
        "runtime/fp/arm_", "runtime/base/log_channels.inc")

# What the shaders of one family of GPUs are made of; the general words are bundle, stage and block. And the
# families' names, which comments may cite.
SHADER_WORD = re.compile(r"(?<![A-Za-z0-9])(clauses?|tuples?|fau|register[ _]blocks?)(?![A-Za-z0-9])", re.IGNORECASE)
GPU_FAMILY = re.compile(r"(?<![A-Za-z0-9])(utgard|midgard|bifrost|valhall)", re.IGNORECASE)

# Names of architectures in user mode, whose ABIs are descriptions: nowhere, comments included.
USER_ARCHITECTURE = re.compile(r"(?<![A-Za-z])(arm(el|hf)?|arm(32|64|v\d\w*)|aarch(32|64)|thumb|a(32|64)|t32|risc-?v\w*|"
                               r"rv(32|64)\w*|mips\w*|cortex\S*)(?![A-Za-z])", re.IGNORECASE)

COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
PUBLIC_HELPER = re.compile(r"^public helper [^(\n]*?(\w+)(?:<[^>(]*>)?\(", re.M)
# Several bare numbers in a line: a table, such as that of a CRC.
TABLE_ROW = re.compile(r"^\s*0x[0-9a-fA-F]+,\s*(0x[0-9a-fA-F]+,?\s*)+(}.*)?$")


def files():
    """Returns every file of the tree that git tracks or would add; without git, all but build
    outputs."""
    git = subprocess.run(["git", "-C", ROOT, "ls-files", "-zco", "--exclude-standard"],
                         capture_output=True, text=True, check=False)
    if git.returncode == 0:
        found = [ROOT / name for name in git.stdout.split("\0") if name]
    else:
        found = [f for f in ROOT.rglob("*") if not re.match(r"(build|cache|\.git\b)",
                                                            str(f.relative_to(ROOT)))]
    return sorted(f for f in found if f.is_file() and not f.is_symlink())


def name_of(path):
    return str(path.relative_to(ROOT))


@lru_cache(maxsize=None) # several rules look at the same files
def bare(text, keep_strings=False):
    """Returns C without comments, and without strings unless they are kept; line numbers stay the
    same."""
    def blank(match):
        if keep_strings and match.group()[0] != "/":
            return match.group()
        return " " + "\n" * match.group().count("\n")

    return COMMENT_OR_STRING.sub(blank, text)


def lines_with(pattern, text, words=("",)):
    """Returns the lines that match the pattern, each with its number. Whatever matches contains one of the words: looking
    for them first, and then in the whole, takes a fraction of the time."""
    if not any(word in text for word in words) or not pattern.search(text):
        return []
    return [f"{n}: {line.strip()}" for n, line in enumerate(text.splitlines(), 1)
            if pattern.search(line)]


def instruction_names():
    pattern = re.compile(r"^\s*ac_instr\s*(?:<[^>]*>)?\s*([A-Za-z_]\w*)", re.M)
    names = set()
    for path in (ROOT / "descriptions").rglob("*.ac"):
        names |= {name.lower() for name in pattern.findall(path.read_text())}
    return {name for name in names - ORDINARY if len(name) > 2}


def opcodes(_path, text, names):
    if not names & {word.lower() for word in set(re.findall(r"[A-Za-z_]\w*", bare(text)))}:
        return []
    return [f"{n}: {line.strip()}" for n, line in enumerate(bare(text).splitlines(), 1)
            if any(word.lower() in names for word in re.findall(r"[A-Za-z_]\w*", line))]


def bit_patterns(path, text):
    code = "\n".join("" if TABLE_ROW.match(line) else line for line in bare(text).splitlines())
    return lines_with(INSTRUCTION_BITS, code) + ([] if HOST_FOLDER.match(path) else lines_with(A64_WORD, code))


def host_names(path, text):
    return [] if HOST_FOLDER.match(path) else lines_with(HOST_NAME, text)


def gpu_models(_path, text):
    return lines_with(GPU_MODEL, bare(text, keep_strings=True))


def unit_addresses():
    found = set(JUNO)
    for path in (ROOT / "platforms").rglob("*.dts"):
        found |= set(re.findall(r"@([0-9a-f]{7,})\b", path.read_text()))
    return {address for address in found if len(address.rstrip("0")) > 1}


def board_addresses(_path, text, known):
    return [f"{n}: {line.strip()}" for n, line in enumerate(bare(text).splitlines(), 1)
            if any(m.lower() in known for m in ADDRESS.findall(line))]


def gpu_numbers():
    """Returns product ids of the GPU variants, and offsets of registers and of fields in
    descriptors."""
    mali = ROOT / "descriptions/mali"
    found = set()
    for path in (mali / "variants").glob("*.ac"):
        found |= set(re.findall(r"product\s+(0x[0-9a-f]+)", path.read_text(), re.IGNORECASE))
    for path in (mali / "layouts").glob("*.ac"):
        found |= set(re.findall(r"@\s*(0x[0-9a-f]{2,})", path.read_text(), re.IGNORECASE))
    return {int(number, 16) for number in found} - {0x20, 0x40, 0x80}


def gpu_constants(_path, text, known):
    return [f"{n}: {line.strip()}" for n, line in enumerate(bare(text).splitlines(), 1)
            if any(int(number, 16) in known
                   for number in re.findall(r"\b(0x[0-9a-fA-F]+)[uUlL]*\b", line))]


def intrinsic_names():
    return set(re.findall(r'^IR_INTRINSIC\((?!NAME)\w+,\s*"(\w+)"',
                          (ROOT / "gencc/ir/intrinsics.inc").read_text(), re.M))


def intrinsic_strings(_path, text, names):
    """Returns uses of an intrinsic by its name as a string, and comparisons of a callee's name with
    a string."""
    code = bare(text, keep_strings=True)
    return [f"{n}: {line.strip()}" for n, line in enumerate(code.splitlines(), 1)
            if names & set(re.findall(r'"(\w+)"', line))
            or re.search(r'\bstrn?(cmp|str)\([^;]*\bfn->name[^;]*"', line)]


def user_architectures(path, text):
    return lines_with(USER_ARCHITECTURE, text)


def arm_words(path, text):
    """In runtime/machine comments may cite Linux's manuals, and such words belong in files of rows.
    """
    if path.startswith(ARM_ROWS):
        return []
    if path.startswith("runtime/machine/"):
        text = bare(text, keep_strings=True)
    return lines_with(ARM_WORD, text)


def shader_words(path, text):
    if path.endswith("CMakeLists.txt"):
        return []
    return lines_with(SHADER_WORD, text) + lines_with(GPU_FAMILY, bare(text, keep_strings=True))


def architectures(path, text):
    if path.startswith(ROWS) or HOST_FOLDER.match(path) or path.endswith("CMakeLists.txt"):
        return []
    # The host compiler's own macros are exempt.
    return [line for line in lines_with(ARCHITECTURE, bare(text, keep_strings=True))
            if "__ARM_FEATURE" not in line and "__aarch64__" not in line]


def hosts(_path, text):
    return lines_with(HOST, text, ("http", ".org", ".com", ".io"))


def machine_paths(_path, text):
    return lines_with(MACHINE_PATH, text, ("/wo" "rk/", "/ro" "ot/", "/ho" "me/", ".lib" "rary/"))


def vanishing(path, text):
    return [] if path == "cmake/RequireProgram.cmake" else lines_with(VANISHING, text, ("find_program", "TARGET", "SKIP_", "skip"))


def packages_unlisted(_path, text, listed):
    return [name for name in REQUIRED.findall(text) if name not in listed]


def marks(_path, text):
    return lines_with(MARKS, text, MARK_WORDS)


def too_long(path, text):
    count = text.count("\n")
    is_source = Path(path).suffix in SOURCES or Path(path).name == "CMakeLists.txt"
    return [f"{count} lines"] if is_source and count > MAX_LINES else []


def wide_comments(path, text):
    """Returns lines of comments that are wider than code may be: clang-format breaks none."""
    lines = [line for line in text.split("\n") if len(line) > MAX_COLUMNS and re.search(r"/\*|\*/|//|^ *\* ", line)]
    return lines if path.endswith((".c", ".h", ".genc")) else []


def parameters(path, text):
    """Returns the functions with too many parameters."""
    if not path.endswith((".c", ".h")):
        return []
    code = PREPROCESSOR.sub(lambda m: "\n" * m.group().count("\n"), bare(text))
    return [f"{name} has {count} parameters" for name, listed in FUNCTION_HEAD.findall(code)
            if (count := 1 + re.sub(r"\([^()]*\)", "", listed).count(",")) > MAX_PARAMETERS
            and not GIVEN_SIGNATURE.fullmatch(name)]


def sizeof_without_parentheses(path, text):
    return lines_with(SIZEOF, bare(text)) if path.endswith((".c", ".h", ".inc", ".l", ".y")) else []


def aligned_first(_path, text):
    return lines_with(ALIGNED_FIRST, bare(text))


def no_bounds(path, text):
    head = re.match(r"/\*.*?\*/", text, re.S)
    said = head and re.search(r"^ \* Bounds {6}\S", head.group(), re.M)
    return [] if said or path.startswith(NINEP) else ["its head has no line Bounds"]


def uncalled(_path, text, said):
    """Returns public helpers without a caller, of which gencc does not warn: another description
    might call them."""
    return [name for name in PUBLIC_HELPER.findall(text) if said[name] < 2]


def broken_links(path, text):
    folder = (ROOT / path).parent
    targets = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text)
    return [target for target in targets
            if not re.match(r"[a-z]+:", target) and not (folder / target).exists()]


def names_of(rows):
    """Returns the packages in the rows of a list."""
    return [row.split()[0] for row in rows]


class Tree(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.texts, cls.binaries = {}, []
        for path in files():
            data = path.read_bytes()
            if b"\0" in data:
                cls.binaries.append(name_of(path))
            else: # inputs that a fuzzer found need not be UTF-8
                cls.texts[name_of(path)] = data.decode(errors="replace")

    def check(self, rule, *more, under="", ending="", bad=(), good=()):
        """Checks that a rule finds nothing in the tree, finds each bad text, and accepts each good
        one."""
        for text in bad:
            self.assertTrue(rule("sample.c", text, *more), f"not seen: {text}")
        for text in good:
            self.assertFalse(rule("sample.c", text, *more), f"taken for bad: {text}")
        looked_at = [p for p in self.texts if p.startswith(under) and p.endswith(ending)]
        self.assertTrue(looked_at)
        found = [f"{path}: {what}" for path in looked_at
                 for what in rule(path, self.texts[path], *more)]
        self.assertFalse(found, "\n" + "\n".join(found))

    def test_runtime_names_no_opcode(self):
        names = instruction_names()
        self.assertGreater(len(names), 300)
        self.check(opcodes, names, under="runtime/", bad=["case ERET: leave(cpu);", "ldxr = 1;"],
                   good=["/* an ERET */ x();", 'log("eret");', "int secret;"])

    def test_runtime_has_no_instruction_bits(self):
        self.check(bit_patterns, under="runtime/",
                   bad=["if ((insn & 0x7c00) == 3)", "opcode >> 26", "x = 0xd503201fu;"],
                   good=["/* insn & 0xff */", "    0xd66041e4, 0xa2677172,", "word & 0xff"])

    def test_only_a_hosts_folder_names_its_registers(self):
        self.check(host_names, under="runtime/jit/quick/",
                   bad=["x64_mov_rr(&q->out, 64, to, RAX);", "/* in XMM14 */", "regs[REG_RIP] = pc;",
                        '__builtin_cpu_supports("bmi2")', "enum x64_cc cc = CC_NE;", "a64_add(x17)"],
                   good=["/* one folder a host (x64/) */", "q_target.move(q, dst, src);", "q_use_x(q)"])

    def test_runtime_names_no_gpu_model(self):
        self.check(gpu_models, under="runtime/", bad=['"arm,mali-t624"', "if (gpu == G71)", "t720"],
                   good=['"arm,mali-bifrost"', "/* as on a Mali-T624 */", "t62", "string71"])

    def test_runtime_has_no_number_of_a_gpu(self):
        known = gpu_numbers()
        self.assertGreater(len(known), 50)
        self.check(gpu_constants, known, under="runtime/gpu/",
                   bad=["case 0x6221:", "write(gpu, 0x1800, v);", "if (offset == 0x2400u)"],
                   good=["/* 0x6221 */", "x & 0xffff", "mask >> 8"])

    def test_runtime_has_no_board_address(self):
        known = unit_addresses()
        self.assertIn("6f000000", known)
        self.check(board_addresses, known, under="runtime/",
                   bad=["at(0x7ff80000)", "UINT64_C(0x2C010000)", "0x006f010000"],
                   good=["at(0x80000000)", "/* 0x7ff80000 */", "0x7ff80001"])

    def test_intrinsics_are_compared_by_number(self):
        names = intrinsic_names()
        self.assertGreater(len(names), 100)
        self.check(intrinsic_strings, names, under="gencc/", ending=".c",
                   bad=['if (!strcmp(name, "read_pc"))', 'strncmp(v->fn->name, "asm_", 4)',
                        '{"mem_read_8", f},'],
                   good=['/* "read_pc" */', "case IR_I_READ_PC:", "!strcmp(v->fn->name, name)"])

    def test_no_test_vanishes(self):
        for under in ("tests/", "bench/", "examples/", "cmake/"):
            self.check(vanishing, under=under,
                       bad=["find_program" "(X x)", "if(NOT TAR" "GET juno)", "PROPERTIES SKIP_" "RETURN_CODE 77",
                            "self.skip" "Test(x)", "@unittest" ".skip", "    skip" "();"],
                       good=["require_program(X package x)", "if(GENCC_JIT)", "skipped();"])

    def test_programs_come_from_listed_packages(self):
        listed = {name for rows in self.package_rows() for name in names_of(rows)}
        self.check(packages_unlisted, listed, ending="CMakeLists.txt",
                   bad=["require_program(X no-such-package x)"], good=["require_program(X cmake cmake)"])

    def test_runtime_cpu_knows_no_arm(self):
        bad = ["enum { CPU_LINE_FIQ = 2 };", "/* in WFI */", "/* off until PSCI says so */", "bool smc;",
               "set(FAR_EL1)", "CPU_FAULT_ALIGNMENT = 0x21,"]
        good = ["how far one is", "armed = true;", "0x21", "cpu_flush_asid(cpu)", "warm"]
        self.check(arm_words, under="runtime/cpu/", bad=bad, good=good)
        self.check(arm_words, under="runtime/machine/", bad=bad, good=good)

    def test_neutral_rooms_name_no_architecture(self):
        bad = ['if (!strcmp(isa->name, "armv7a"))', "bool is_thumb = cpu->mode; int thumb;", "riscv_start(cpu);",
               "case ARM_INPUT_IRQ:", "sbi_call(cpu);", '"juno"']
        good = ["int arm_cost = MAX_ARMS;", "/* as Arm and RISC-V have it */", "heart = charts + sbis;",
                "#elif defined(__aarch64__)"]
        for room in "common/", "gencc/", "runtime/":
            self.check(architectures, under=room, bad=bad, good=good)

    def test_user_mode_names_no_architecture(self):
        bad = ["/* 32-bit Arm has it */", "static bool is_mips;", "riscv_value(cpu);", '"aarch64-user"']
        good = ["alarm_set(p, 0);", "p->alarm[0].armed = heart;"]
        self.check(user_architectures, under="runtime/user/", bad=bad, good=good)

    def test_neutral_rooms_know_no_family_of_gpus(self):
        bad = ["/* the clause's header */", "unsigned tuples;", "FAU_UNIFORM = 0x80,", "of the register block",
               'if (!strcmp(isa->name, "bifrost"))', "midgard_tag(w);"]
        good = ["/* as Bifrost and Midgard have it */", "struct gpu_bundle b;", "default: stage++;"]
        for room in "common/", "gencc/", "runtime/":
            self.check(shader_words, under=room, bad=bad, good=good)

    def test_devices_say_what_bounds_them(self):
        self.check(no_bounds, under="runtime/dev/", ending=".c",
                   bad=["int x;", "/* A device. */", "/*\n * Bounds\n */", "/* A */\n * Bounds      x"],
                   good=["/*\n * A device.\n *\n * Bounds      one event\n */"])

    def test_public_helpers_are_called(self):
        said = Counter(word for path, text in self.texts.items() if path.startswith("descriptions/")
                       for word in re.findall(r"\w+", bare(text)))
        self.check(uncalled, said, under="descriptions/", ending=".genc",
                   bad=["public helper uint8 ring_is_never_asked()", "public helper T[N] no_such<typename T>(T a)"],
                   good=["helper uint8 ring_is_never_asked()", "public helper T fp_denormal<typename T>(T a)"])

    def test_the_prelude_is_of_no_architecture(self):
        self.check(arm_words, under="common/prelude/", bad=["PRELUDE(ARM_INPUT_IRQ, 0, x)", '"of EL1"'],
                   good=['PRELUDE(CPU_PORT_TIMER, 0, "the timer of each CPU")'])

    def test_no_host_of_a_registry(self):
        self.check(hosts, bad=["http" "://mirror.test/x", "deb" ".debian.org", "pypi" ".org"],
                   good=["http" "://mirror.example/x", "debian.sources", "xmlns=\"http" "://www.w3.org/2000/svg\""])

    def test_no_path_of_a_machine(self):
        self.check(machine_paths, bad=["/wo" "rk/main", "cd /ho" "me/me", "see .lib" "rary/"],
                   good=["a/work/b", "~/x", "/tmp/gencc-XXXXXX"])

    def test_nothing_is_marked_unfinished(self):
        self.check(marks, bad=["// TO" "DO later", "X" "XX"], good=["nameXXXXXX", "hacker"])

    def test_no_source_is_too_long(self):
        self.check(too_long, bad=["\n" * (MAX_LINES + 1)], good=["\n" * MAX_LINES])

    def test_no_comment_is_too_wide(self):
        fits = "/* " + "x" * (MAX_COLUMNS - 6)
        self.check(wide_comments, bad=[f"{fits}y */", f" * {'x' * MAX_COLUMNS}", f"int x; // {'x' * MAX_COLUMNS}"],
                   good=[f"{fits} */", f"    {{{'1, ' * MAX_COLUMNS}}},"])

    def test_no_function_has_too_many_parameters(self):
        self.check(parameters, bad=["int f(int a, int b, int c, int d, int e, int f, int g);",
                                    "static void\nf(int a, int b, int c,\n  int d, int e, int f, int g)\n{\n}\n",
                                    "int f(void (*g)(int, int), int b, int c, int d, int e, int f, int g);"],
                   good=["int f(int a, int b, int c, int d, int e, int f);", "#define F(a, b, c, d, e, f, g) h(a)",
                         "void f(void)\n{\n    g(1, 2, 3, 4, 5, 6, 7);\n}\n", "typedef int f(int, int, int, int, int, int, int);",
                         "int f(int (*g)(int, int, int), int (*h)(int, int, int), int b, int c);",
                         "void plain_sha256h(int a, int b, int c, int d, int e, int f, int g);"])

    def test_operands_of_sizeof_stand_in_parentheses(self):
        self.check(sizeof_without_parentheses, bad=["n = sizeof x;", "n = sizeof *p->x;"],
                   good=["n = sizeof(x) / sizeof(*x);", "n = sizeof(struct s);", 'puts("sizeof x"); /* sizeof x */'])

    def test_a_type_may_alias_before_it_is_aligned(self):
        self.check(aligned_first, bad=["__attribute__((aligned(1), may_alias))", "aligned(4 * n), may_alias"],
                   good=["__attribute__((may_alias, aligned(1)))", "aligned(8)", "/* aligned(1), may_alias */"])

    def test_documents_link_to_what_exists(self):
        self.check(broken_links, ending=".md", bad=["[a](nowhere.md)", "[a](no/where.md#part)"],
                   good=["[a](README.md)", "[a](#part)", "[a](mailto:a@b.example)"])

    def test_files_are_text(self):
        """But snapshots, and pictures of what only a picture shows, which are small."""
        pictures = [name for name in self.binaries if re.fullmatch(r"docs/pictures/\w+\.png", name)]
        self.assertEqual([name for name in self.binaries if name not in pictures and not name.startswith(SNAPSHOTS)], [])
        self.assertEqual([name for name in pictures if (ROOT / name).stat().st_size > PICTURE_BYTES], [])

    def package_rows(self):
        return [self.texts[f"scripts/packages-{name}.txt"].splitlines() for name in ("run", "test")]

    def test_packages_are_sorted_and_explained(self):
        for rows in self.package_rows():
            self.assertEqual(names_of(rows), sorted(set(names_of(rows))))
            for row in rows:
                self.assertRegex(row, r"^[a-z0-9][a-z0-9.+-]+ +# \S")

    def test_no_package_is_in_both_lists(self):
        run, test = map(names_of, self.package_rows())
        self.assertEqual(set(run) & set(test), set())
        self.assertGreater(len(test), len(run))


if __name__ == "__main__":
    unittest.main()
