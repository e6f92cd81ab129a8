"""What the comparison needs to know of each ISA: binutils' programs and options, the files with its
encodings, how a word is stored, and where the texts differ."""
import glob
import os
import re

import arm
from rows import Texts


class Isa:
    """An ISA whose words have 32 bits."""
    COMMENT = r"\s*//.*"
    NAMELESS = None   # our text of a system register that is not described
    PROLOGUE = ""
    PADDING = b""
    FILES = ("*.ac",)
    # Rows of rows.py.
    DIFFERENCES = []

    @classmethod
    def files(cls, folder):
        return sorted(name for pattern in cls.FILES for name in glob.glob(os.path.join(folder, pattern)))

    @classmethod
    def registers(cls, folder):
        """Returns the numbers of each system register that the description has in `folder`."""
        pattern = r"^sysreg \w+ \(([^)]*)\)"
        texts = (open(name).read() for name in sorted(glob.glob(os.path.join(folder, "*.genc"))))
        return [[int(number, 0) for number in numbers.split(",")]
                for text in texts for numbers in re.findall(pattern, text, re.MULTILINE)]

    @staticmethod
    def read_register(numbers):
        """Returns the word that reads a system register; None: its name is no part of a text."""
        return None

    @staticmethod
    def bytes_of(word):
        return word.to_bytes(4, "little")

    @staticmethod
    def stream(word):
        """Returns the word, and the words that must follow it."""
        return [word]

    @staticmethod
    def random_word(rng):
        return rng.getrandbits(32)

    @staticmethod
    def spelled(text):
        """Returns the text without differences that have no meaning."""
        return text


class A64(Isa):
    OBJDUMP, OBJDUMP_OPTIONS = "aarch64-linux-gnu-objdump", ["-m", "aarch64"]
    AS, AS_OPTIONS = "aarch64-linux-gnu-as", ["-march=armv8-a+crc+crypto+lse+rdma+dotprod+rcpc+compnum+pan+fp16"]
    OBJCOPY = "aarch64-linux-gnu-objcopy"
    NAMELESS = r"m(sr|rs x\w+,) s[23]_\d_c\d+_c\d+_\d"
    DIFFERENCES = [
        Texts(r"m(sr s0_\d_c\d+_c\d+_\d, x(\d+|zr)|rs x(\d+|zr), s0_\d_c\d+_c\d+_\d)$", r"undefined$",
         "op0 = 0 holds hints, barriers and PSTATE fields; what is not one of them is unallocated", 0xd5000000),
        Texts(r"msr s0_0_c4_c\d+_5, xzr$", r"msr spsel, #0x[2-9a-f]$",
         "MSR SPSel uses bit 0 of its immediate; binutils knows it with 0 and 1 only", 0xd50042bf),
        Texts(r"msr s0_0_c4_c\d+_4, xzr$", r"msr pan, #0x[2-9a-f]$",
         "MSR PAN uses bit 0 of its immediate; binutils knows it with 0 and 1 only", 0xd500429f),
        Texts(r"sha512", r"undefined$",
         "SHA-512 came with Armv8.2; GNU as takes it for a part of +sha2", 0xce608000),
        Texts(r"(tlbi (rpal?os|paall(os)?)|dc ci(gd)?papa)\b", r"sys #6, ",
         "the Realm Management Extension came with Armv9.2; GNU as takes its operations at any level", 0xd50e84e0),
        Texts(r"undefined$", r"ldar[bh]? ",
         "Rs and Rt2 should be 31: UNPREDICTABLE, and ignored as in the other ordered accesses", 0x08c0fc00),
        Texts(r"undefined$", r"ldpsw (x\d+|xzr), \1,",
         "equal destinations are UNPREDICTABLE: LDPSW is executed as LDP is", 0x69400020),
        Texts(r"undefined$", r"ldpsw (?:(x\d+), x\w+|x\w+, (x\d+)), \[(\1|\2)(\]|, #-?\d+\]!)",
         "a base among the destinations is UNPREDICTABLE: LDPSW is executed as LDP is", 0x68c00821),
    ]

    @staticmethod
    def read_register(numbers):
        op0, op1, crn, crm, op2 = numbers
        return 0xd5200000 | op0 << 19 | op1 << 16 | crn << 12 | crm << 8 | op2 << 5


class A32(Isa):
    OBJDUMP, OBJDUMP_OPTIONS = "arm-linux-gnueabihf-objdump", ["-m", "arm", "-M", "reg-names-std"]
    AS, AS_OPTIONS = "arm-linux-gnueabihf-as", ["-march=armv7ve", "-mfpu=neon-vfpv4"]
    OBJCOPY = "arm-linux-gnueabihf-objcopy"
    COMMENT = r"\s*(@|//|;).*"
    PROLOGUE = ".syntax unified; .arm"
    FILES = ("aarch32/a32*.ac", "armv7a/a32*.ac")
    DIFFERENCES = arm.A32

    @staticmethod
    def spelled(text):
        text = re.sub(r"\br13\b", "sp", text)
        return re.sub(r"\br14\b", "lr", text.replace(",#", ", #").replace("ROR", "ror"))


class T32(A32):
    """Words have one or two halves, the high one first."""
    OBJDUMP_OPTIONS = ["-m", "arm", "-M", "reg-names-std,force-thumb"]
    PROLOGUE = ".syntax unified; .thumb"
    PADDING = bytes((0x00, 0xbf)) * 4
    FILES = ("aarch32/t32*.ac", "armv7a/t32*.ac")
    NOP = 0xbf00
    DIFFERENCES = arm.T32

    @staticmethod
    def bytes_of(word):
        high = word >> 16
        if high >> 11 < 29:
            return (word & 0xffff).to_bytes(2, "little")
        return high.to_bytes(2, "little") + (word & 0xffff).to_bytes(2, "little")

    @staticmethod
    def random_word(rng):
        """One word in eight has 16 bits."""
        if rng.getrandbits(3):
            return rng.randrange(29, 32) << 27 | rng.getrandbits(27)
        return rng.randrange(29 << 11)

    @classmethod
    def stream(cls, word):
        """Words whose length contradicts their first half are left out. NOPs follow an IT, so that
        no other word is in its block."""
        if word >> 16 == 0 and word >> 11 >= 29 or 0 < word >> 16 < 29 << 11:
            return []
        if word >> 8 == 0xbf and word & 15:
            return [word] + [cls.NOP] * 4
        return [word]


class Rv64(Isa):
    OBJDUMP, OBJDUMP_OPTIONS = "riscv64-linux-gnu-objdump", ["-m", "riscv:rv64"]
    AS, AS_OPTIONS = "riscv64-linux-gnu-as", ["-march=rv64gc"]
    OBJCOPY = "riscv64-linux-gnu-objcopy"
    COMMENT = r"\s*(#|//).*"
    PADDING = bytes((0x01, 0x00)) * 2
    DIFFERENCES = [
        Texts(r"undefined$", r"fence", "fields that are reserved are ignored, as the manual says", 0x2f2d908f),
        Texts(r"undefined$", r"fcvt\.d\.(wu?|s) ", "what is always exact has a rounding mode all the same", 0xd2011ed3),
        Texts(r"(add sp,sp,0|c\.addi16sp)", r"undefined$", "C.ADDI16SP of 0 is reserved", 0x6101),
        Texts(r"(hret|uret|sfence\.vm$)", r"undefined$", "of drafts of the manual, or of extensions", 0x20200073),
    ]

    @staticmethod
    def read_register(numbers):
        return numbers[0] << 20 | 0x2573  # csrr a0

    @staticmethod
    def bytes_of(word):
        return word.to_bytes(4 if word & 3 == 3 else 2, "little")

    @staticmethod
    def random_word(rng):
        """One word in eight has 16 bits, none more than 32."""
        if rng.getrandbits(3):
            return rng.getrandbits(27) << 5 | rng.randrange(7) << 2 | 3
        return rng.getrandbits(14) << 2 | rng.randrange(3)

    @staticmethod
    def stream(word):
        if word & 3 != 3 and word >> 16:
            return []
        return [word] if word & 0x1f != 0x1f else []   # longer formats


ISAS = {"a64": A64, "a32": A32, "t32": T32, "rv64": Rv64}
