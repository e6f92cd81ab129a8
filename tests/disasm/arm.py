"""Words of A32 and T32 that binutils prints and that are undefined here, group by group. Sections
are those of DDI 0406C; U is short for UNPREDICTABLE."""
from rows import Texts, Undefined as Row

MRS = "B9.3.9: U: MRS of a register that no mode has; Hyp and Monitor mode are not there"
MSR = "B9.3.10: U: MSR of a register that no mode has; Hyp and Monitor mode are not there"
NO_COPROCESSOR = "coprocessors 10, 11, 14 and 15 are there, and 14 and 15 have no loads and stores: UNDEFINED"


def written(f):
    """Whether a load or store writes its base register."""
    return f.p == 0 or f.w == 1


def in_list(f):
    """Whether the base is in the list of registers."""
    return f.l >> f.n & 1


def vfp_row(f):
    """Returns the number of registers that VLDM transfers, and the first."""
    return (f.i >> 1, f.d << 4 | f.v) if f.s else (f.i, f.v << 1 | f.d)


def runs_over(f):
    """A8.8.332, A8.8.412: no register, more than 16 of 64 bits, or registers beyond the last."""
    count, first = vfp_row(f)
    return count == 0 or first + count > 32 or f.s and count > 16


def not_banked(f):
    """B9.2.3: whether r, K and L name no register of another mode; Hyp and Monitor mode have none
    here."""
    general, status = (*range(7), *range(8, 15), *range(16, 24)), (14, 16, 18, 20, 22)
    return f.get("n") == 15 or f.get("d") == 15 or (f.K << 4 | f.L) not in (status if f.r else general)


# ---- What A32 and T32 encode alike but for the first four bits, `c` ---------------------------------
def is_cond(f):
    """In A32 c is a condition, or 1111 for the second space; T32 has 1110 and 1111 for these."""
    return f.c != 15


def absent(f):
    return not is_cond(f) or f.x not in (10, 11)


SHARED = [
    Row("cccc 110p uNwl nnnn dddd xxxx iiii iiii", lambda f: absent(f) and (f.p or f.u or f.w),
        "A5.6, A6.3.18: LDC, STC. " + NO_COPROCESSOR, 0xed000000),
    Row("cccc 1100 010o tttt uuuu xxxx .... ....", lambda f: not is_cond(f) or f.x not in (10, 11, 14, 15),
        "A5.6, A6.3.18: MCRR, MRRC. " + NO_COPROCESSOR, 0xec400000),
    Row("cccc 1100 010o tttt uuuu 101. bbbb ....", lambda f: f.b & 13 != 1,
        "A7.9: transfers of 64 bits that are not VMOV are UNDEFINED", 0xec400a00),
    Row("cccc 1100 010o tttt uuuu 101s 00m1 vvvv",
        lambda f: 15 in (f.t, f.u) or f.o and f.t == f.u or not f.s and f.v == 15 and f.m,
        "A8.8.344, A8.8.345: U: R15, one register twice, S32", 0xec500b1f),
    Row("cccc 1110 oooo .... tttt 1011 .bb1 0000", lambda f: f.t == 15,
        "A8.8.341, A8.8.342: U: VMOV between R15 and a scalar", 0xee00fb10),
    Row("cccc 1110 000o .... tttt 1010 .001 0000", lambda f: f.t == 15,
        "A8.8.343: U: VMOV between R15 and S<n>", 0xee1bfa10),
    Row("cccc 1110 111l rrrr tttt 1010 0001 0000",
        lambda f: f.r not in ((0, 1, 6, 7, 8) if f.l else (0, 1, 8)) or f.t == 15 and not (f.l and f.r == 1),
        "B9.3.21, B9.3.22: U: VMRS and VMSR of what is no register, or R15", 0xeee90a10),
    Row("cccc 110p udwl nnnn vvvv 101s iiii iiii",
        lambda f: is_cond(f) and (f.p != f.u and (f.w or f.u)) and runs_over(f),
        "A8.8.332, A8.8.412: U: registers that are not there, or more than 16 of 64 bits", 0xecb02b29),
]

VERSION_8 = [
    Row("1111 1110 .... .... .... 101. .... ....", lambda f: True,
        "A7.5: UNDEFINED. VSEL, VMAXNM, VMINNM, VRINT and VCVTA to VCVTM came with Armv8", 0xfe89fa44),
]

# ---- A32 --------------------------------------------------------------------------------------------
A32_DATA = [
    Row("cccc 000o ooos nnnn dddd rrrr 0..1 mmmm",
        lambda f: is_cond(f) and (f.s or f.o >> 2 != 2) and
        (15 in (f.m, f.r) or f.n == 15 and f.o not in (13, 15) or f.d == 15 and f.o >> 2 != 2),
        "A5.2.2: U: R15 in data processing with a register's shift by a register", 0x0000001f),
    Row("cccc 0111 1.1w wwww dddd llll l101 nnnn",
        lambda f: is_cond(f) and (15 in (f.d, f.n) or f.l + f.w > 31),
        "A8.8.164, A8.8.246: U: R15 in SBFX and UBFX, or a field that leaves the register", 0x07a0005f),
    Row("cccc 0000 0100 hhhh llll mmmm 1001 nnnn",
        lambda f: is_cond(f) and (f.h == f.l or 15 in (f.h, f.l, f.m, f.n)),
        "A8.8.255: U: UMAAL with both results in one register, or R15", 0x00400090),
]
A32_MISC = [
    Row("cccc 0001 0100 iiii iiii iiii 0111 iiii", lambda f: f.c < 14,
        "B9.3.4: U: HVC with a condition", 0x21400070),
    Row("cccc 0001 0000 iiii iiii iiii 0111 iiii", is_cond, "A5.2.12: UNDEFINED: HLT came with Armv8", 0xe1000070),
    Row("cccc 0001 0r10 kkkk .... ..0. 0000 nnnn", lambda f: is_cond(f) and (f.n == 15 or f.k == 0),
        "A8.8.112, B9.3.12: U: MSR of R15", 0x012cf00f),
    Row("cccc 0001 0r00 LLLL dddd ..1K 0000 ....", lambda f: is_cond(f) and not_banked(f), MRS, 0x014e1300),
    Row("cccc 0001 0r10 LLLL .... ..1K 0000 nnnn", lambda f: is_cond(f) and not_banked(f), MSR, 0x016ef300),
    Row("1111 01.1 u001 1111 .... .... .... ....", lambda f: True, "A8.8.126, A8.8.128: U: PLDW from R15", 0xf59ff000),
]
A32_ACCESS = [
    Row("cccc 010p ubwl nnnn tttt .... .... ....",
        lambda f: is_cond(f) and (written(f) and f.n in (15, f.t) or f.t == 15 and (f.b or not f.p and f.w and f.l)),
        "A8.8.62 to A8.8.218: U: a written base that is R15 or the data, R15 as a byte", 0x04100000),
    Row("cccc 011p ubwl nnnn tttt .... ...0 mmmm",
        lambda f: is_cond(f) and (f.m == 15 or written(f) and f.n in (15, f.t) or
                                  f.t == 15 and (f.b or not f.p and f.w and f.l)),
        "A8.8.66 to A8.8.219: the same with an index, and R15 as the index", 0x06100000),
    Row("cccc 000p uiwl nnnn tttt .... 1oo1 mmmm",
        lambda f: is_cond(f) and (f.l and f.o or f.o == 1) and
        (f.t == 15 or written(f) and f.n in (15, f.t) or not f.i and f.m == 15),
        "A8.8.79 to A8.8.220: the same of halfwords and signed bytes", 0x005000b0),
    Row("cccc 000p uiw0 nnnn tttt .... 11o1 mmmm",
        lambda f: is_cond(f) and (f.t & 1 or f.t == 14 or not f.p and f.w or
                                  written(f) and f.n in (15, f.t, f.t + 1) or
                                  not f.i and (f.m == 15 or not f.o and f.m in (f.t, f.t + 1))),
        "A8.8.72 to A8.8.211: the same of LDRD and STRD; an odd register, LR, and an index that is loaded", 0x004000d0),
]
A32_LISTS = [
    Row("cccc 100. .0w1 nnnn llll llll llll llll",
        lambda f: is_cond(f) and (f.n == 15 or f.l == 0 or f.w and in_list(f)),
        "A8.8.58 to A8.8.61: U: a written base that is loaded", 0x09b93642),
    Row("cccc 100. .1w0 nnnn llll llll llll llll", lambda f: is_cond(f) and (f.n == 15 or f.l == 0 or f.w),
        "B9.3.17: U: STM of the user's registers from R15, or with a written base", 0x08600090),
    Row("cccc 100. .1w1 nnnn 0lll llll llll llll", lambda f: is_cond(f) and (f.n == 15 or f.l == 0 or f.w),
        "B9.3.6: U: LDM of the user's registers from R15, or with a written base", 0x08700090),
    Row("cccc 100. .1w1 nnnn 1lll llll llll llll", lambda f: is_cond(f) and (f.n == 15 or f.w and in_list(f)),
        "B9.3.5: U: LDM that returns from an exception, with a written base that is loaded", 0x08f98642),
    Row("cccc 110p udwl nnnn .... 101. .... ....", lambda f: is_cond(f) and f.p != f.u and f.w and f.n == 15,
        "A8.8.332, A8.8.412: U: VLDM and VSTM with R15 as a written base", 0xecbf0a04),
]
A32_TEXTS = [
    Texts(r"\w+ (\w+, )?\[pc\]", r".*\[pc, #-?0\]", "an offset of 0 from R15 is written", 0xf5dff000),
    Texts(r"bkpt", r"bkpt", "the immediate of BKPT is written without leading zeros", 0xe1200070),
]
A32 = SHARED + VERSION_8 + A32_DATA + A32_MISC + A32_ACCESS + A32_LISTS + A32_TEXTS

# ---- T32 --------------------------------------------------------------------------------------------
T32_DATA = [
    Row("1111 1011 1ooo nnnn llll hhhh .... mmmm", lambda f: f.h == f.l and f.o in (0, 2, 4, 5, 6),
        "A6.3.17: U: both halves of a result in one register", 0xfbc00000),
]
T32_ACCESS = [
    Row("1110 100p u1w1 nnnn tttt dddd iiii iiii",
        lambda f: (f.p or f.w) and (f.t == f.d or f.w and f.n in (15, f.t, f.d) or 15 in (f.t, f.d)),
        "A8.8.72: U: LDRD to one register twice, to a written base, or to R15", 0xe9500001),
    Row("1110 100p u1w0 nnnn tttt dddd iiii iiii",
        lambda f: (f.p or f.w) and (f.w and f.n in (f.t, f.d) or 15 in (f.n, f.t, f.d)),
        "A8.8.210: U: STRD of a written base, or R15", 0xe8600001),
    Row("1110 1000 0100 nnnn tttt dddd iiii iiii", lambda f: f.d in (f.n, f.t) or 15 in (f.n, f.t, f.d),
        "A8.8.212: U: STREX with its status in the base or the data, or R15", 0xe8400000),
    Row("1111 100. .ss1 nnnn 1111 1..1 .... ....", lambda f: f.s < 2,
        "A6.3.8, A6.3.9: U: hints (PLD, PLI) with write-back", 0xf81af96c),
    Row("cccc 110p udwl nnnn .... 101. .... ....", lambda f: is_cond(f) and f.p != f.u and f.n == 15,
        "A8.8.332, A8.8.412: U: VLDM and VSTM with R15 as the base", 0xecbf0a04),
]
T32_MISC = [
    Row("1011 1010 10.. ....", lambda f: True, "A6.2.5: UNDEFINED: HLT came with Armv8", 0xba80),
    Row("1111 0111 1000 1111 1000 0000 0000 00kk", lambda f: f.k, "A6.3.4: UNDEFINED: DCPS came with Armv8",
        0xf78f8002),
    Row("1111 0011 111r LLLL 10.0 dddd ..1K ....", not_banked, MRS, 0xf3ef8430),
    Row("1111 0011 100r nnnn 10.0 LLLL ..1K ....", not_banked, MSR, 0xf3868f30),
]
T32_TEXTS = [
    Texts(r"nopal", r"nop", "binutils gives a hint after an IT's AL a condition", 0xbf00),
    Texts(r"vscclrm", r"(vldmia|fldmiax) pc", "it came with Armv8.1-M; VLDM from R15 is U, and executed as in A32",
          0xec9f7b08),
    Texts(r"[\w.]+ (\w+, )?\[\w+\]!?$", r".*\[\w+, #-0\]!?$", "an offset of -0 is written", 0xf81f0000),
    Texts(r".*\], #0$", r".*\], #-0$", "an offset of -0 is written", 0xf8101900),
    Texts(r"(ldr|str).*\]!?$", r"(ldr|str).*, #0\]!$", "write-back of an offset of 0 is written", 0xe9fedb00),
    Texts(r"ldr\w*t ", r"ldr.*\[pc", "with R15 as the base these bits are the literal's", 0xf81f0e00),
    Texts(r"bkpt", r"bkpt", "the immediate of BKPT is written without leading zeros", 0xbe55),
]
T32 = SHARED + VERSION_8 + T32_DATA + T32_ACCESS + T32_MISC + T32_TEXTS
