/*
 * Vector code of the quick tier: opcodes by their names in the Intel 64 manual (volume 2), and
 * declarations for the files that select them.
 */
#ifndef RUNTIME_JIT_QUICK_X64_SELECT_VECTOR_H
#define RUNTIME_JIT_QUICK_X64_SELECT_VECTOR_H

#include "runtime/jit/quick/x64/host.h"

/* ---- opcodes --------------------------------------------------------------------------------- */

/* By mandatory prefix (none, 66, F3, F2) and map (0F, 0F38, 0F3A). */
#define OP_NP(code)       X64_VOP(0, 1, 0, code)
#define OP_66(code)       X64_VOP(1, 1, 0, code)
#define OP_F3(code)       X64_VOP(2, 1, 0, code)
#define OP_F2(code)       X64_VOP(3, 1, 0, code)
#define OP_66_38(code)    X64_VOP(1, 2, 0, code)
#define OP_66_38_W1(code) X64_VOP(1, 2, 1, code)
#define OP_66_3A(code)    X64_VOP(1, 3, 0, code)
#define OP_66_3A_W1(code) X64_VOP(1, 3, 1, code)

#define VPADDB      OP_66(0xfc)
#define VPADDW      OP_66(0xfd)
#define VPADDD      OP_66(0xfe)
#define VPADDQ      (OP_66(0xd4) | X64_EVEX_W)
#define VPSUBB      OP_66(0xf8)
#define VPSUBW      OP_66(0xf9)
#define VPSUBD      OP_66(0xfa)
#define VPSUBQ      (OP_66(0xfb) | X64_EVEX_W)
#define VPMULLW     OP_66(0xd5)
#define VPMULHW     OP_66(0xe5)
#define VPMULHUW    OP_66(0xe4)
#define VPMULHRSW   OP_66_38(0x0b)
#define VPAVGB      OP_66(0xe0)
#define VPAVGW      OP_66(0xe3)
#define VPMULLD     OP_66_38(0x40)
#define VPMULUDQ    (OP_66(0xf4) | X64_EVEX_W)
#define VPMULDQ     (OP_66_38(0x28) | X64_EVEX_W)
#define VPAND       OP_66(0xdb)
#define VPANDN      OP_66(0xdf)
#define VPOR        OP_66(0xeb)
#define VPXOR       OP_66(0xef)
#define VPABSB      OP_66_38(0x1c)
#define VPABSW      OP_66_38(0x1d)
#define VPABSD      OP_66_38(0x1e)
#define VPCMPEQB    (OP_66(0x74) | X64_COMPARES)
#define VPCMPEQW    (OP_66(0x75) | X64_COMPARES)
#define VPCMPEQD    (OP_66(0x76) | X64_COMPARES)
#define VPCMPEQQ    (OP_66_38(0x29) | X64_COMPARES | X64_EVEX_W)
#define VPCMPGTB    (OP_66(0x64) | X64_COMPARES)
#define VPCMPGTW    (OP_66(0x65) | X64_COMPARES)
#define VPCMPGTD    (OP_66(0x66) | X64_COMPARES)
#define VPCMPGTQ    (OP_66_38(0x37) | X64_COMPARES | X64_EVEX_W)
#define VPMINUB     OP_66(0xda)
#define VPMINUW     OP_66_38(0x3a)
#define VPMINUD     OP_66_38(0x3b)
#define VPMAXUB     OP_66(0xde)
#define VPMAXUW     OP_66_38(0x3e)
#define VPMAXUD     OP_66_38(0x3f)
#define VPMINSB     OP_66_38(0x38)
#define VPMINSW     OP_66(0xea)
#define VPMINSD     OP_66_38(0x39)
#define VPMAXSB     OP_66_38(0x3c)
#define VPMAXSW     OP_66(0xee)
#define VPMAXSD     OP_66_38(0x3d)
#define VPSHUFB     OP_66_38(0x00)
#define VPADDUSB    OP_66(0xdc)
#define VPADDUSW    OP_66(0xdd)
#define VPADDSB     OP_66(0xec)
#define VPADDSW     OP_66(0xed)
#define VPSUBUSB    OP_66(0xd8)
#define VPSUBUSW    OP_66(0xd9)
#define VPSUBSB     OP_66(0xe8)
#define VPSUBSW     OP_66(0xe9)
#define VPSHUFD     OP_66(0x70)
#define VPCLMULQDQ  OP_66_3A(0x44)
#define VPTEST      OP_66_38(0x17) /* registers 0 to 15 only */
#define VROUNDPS    OP_66_3A(0x08)
#define VROUNDPD    (OP_66_3A(0x09) | X64_EVEX_W)
#define VROUNDSS    OP_66_3A(0x0a)
#define VROUNDSD    (OP_66_3A(0x0b) | X64_EVEX_W)
#define VSHUFPS     OP_NP(0xc6)
#define VPSHUFLW    OP_F2(0x70)
#define VPSHUFHW    OP_F3(0x70)
#define VPALIGNR    OP_66_3A(0x0f)
#define VPACKSSWB   OP_66(0x63)
#define VPACKSSDW   OP_66(0x6b)
#define VPACKUSWB   OP_66(0x67)
#define VPACKUSDW   OP_66_38(0x2b)
#define VPUNPCKLBW  OP_66(0x60)
#define VPUNPCKLWD  OP_66(0x61)
#define VPUNPCKLDQ  OP_66(0x62)
#define VPUNPCKLQDQ (OP_66(0x6c) | X64_EVEX_W)
#define VPUNPCKHBW  OP_66(0x68)
#define VPUNPCKHWD  OP_66(0x69)
#define VPUNPCKHDQ  OP_66(0x6a)
#define VPUNPCKHQDQ (OP_66(0x6d) | X64_EVEX_W)
#define VPMOVSXBW   OP_66_38(0x20) /* then BD, BQ, WD, WQ, DQ, without X64_PART() */
#define VPMOVZXBW   OP_66_38(0x30) /* then the same pairs */
/* With EVEX only. VPTERNLOGD computes each bit from those of dst, a and b, by a table: bit 4 dst +
 * 2 a + b of the immediate. */
#define VPTERNLOGD (OP_66_3A(0x25) | X64_EVEX)
enum { TERNARY_NOT_B = 0x55 };
/* Comparisons by a predicate, without and with sign; a look-up in the 32 bytes, or 16 words, of two
 * registers, by the numbers in dst. */
#define VPCMPUB  (OP_66_3A(0x3e) | X64_EVEX | X64_COMPARES)
#define VPCMPUW  (OP_66_3A_W1(0x3e) | X64_EVEX | X64_COMPARES)
#define VPCMPUD  (OP_66_3A(0x1e) | X64_EVEX | X64_COMPARES)
#define VPCMPUQ  (OP_66_3A_W1(0x1e) | X64_EVEX | X64_COMPARES)
#define VPCMPB   (OP_66_3A(0x3f) | X64_EVEX | X64_COMPARES)
#define VPCMPW   (OP_66_3A_W1(0x3f) | X64_EVEX | X64_COMPARES)
#define VPCMPD   (OP_66_3A(0x1f) | X64_EVEX | X64_COMPARES)
#define VPCMPQ   (OP_66_3A_W1(0x1f) | X64_EVEX | X64_COMPARES)
#define VPERMI2B (OP_66_38(0x75) | X64_EVEX)
#define VPERMI2W (OP_66_38_W1(0x75) | X64_EVEX)
enum { PREDICATE_LT = 1, PREDICATE_LE = 2, PREDICATE_GE = 5, PREDICATE_GT = 6 };
#define VPABSQ     (OP_66_38_W1(0x1f) | X64_EVEX)
#define VPMULLQ    (OP_66_38_W1(0x40) | X64_EVEX)
#define VPSLLVW    (OP_66_38_W1(0x12) | X64_EVEX)
#define VPSRLVW    (OP_66_38_W1(0x10) | X64_EVEX)
#define VPSRAVW    (OP_66_38_W1(0x11) | X64_EVEX)
#define VPSRAVQ    (OP_66_38_W1(0x46) | X64_EVEX)
#define VPSRAQ     (OP_66(0xe2) | X64_EVEX | X64_EVEX_W)
#define GROUP_SRAQ (OP_66(0x72) | X64_EVEX | X64_EVEX_W) /* with IMM_SRA */
#define VPMOVWB \
    (X64_VOP(2, 2, 0, 0x30) | X64_EVEX) /* then DB, QB, DW, QW, QD: from ModRM.reg to rm */
#define VGF2P8AFFINEQB (OP_66_3A_W1(0xce) | X64_EVEX) /* bytes of a by the matrix b, each 64 bits */
#define VPBROADCASTB   (OP_66_38(0x78) | X64_PART(1))
#define VPBROADCASTW   (OP_66_38(0x79) | X64_PART(2))
#define VPBROADCASTD   (OP_66_38(0x58) | X64_PART(4))
#define VPBROADCASTQ   (OP_66_38(0x59) | X64_EVEX_W | X64_PART(8))
#define VPINSRB        (OP_66_3A(0x20) | X64_PART(1))
#define VPINSRW        (OP_66(0xc4) | X64_PART(2))
#define VPINSRD        (OP_66_3A(0x22) | X64_PART(4))
#define VPINSRQ        (OP_66_3A_W1(0x22) | X64_PART(8))
#define VINSERTPS \
    (OP_66_3A(0x21) | X64_PART(4)) /* Of VINSERTPS: lane 0 from lane 0, the others zero. */
enum { INSERT_LOWEST = 0x0e };
/* Extracts, whose general register is ModRM.rm. */
#define VPEXTRB OP_66_3A(0x14)
#define VPEXTRW OP_66_3A(0x15)
#define VPEXTRD OP_66_3A(0x16)
#define VPEXTRQ OP_66_3A_W1(0x16)
#define VMOVQ_X \
    (OP_F3(0x7e) | X64_EVEX_W | X64_PART(8)) /* between vector registers: bits 127:64 become zero */
#define VMOVSD                  \
    (OP_F2(0x10) | X64_EVEX_W | \
     X64_PART(8)) /* bits 63:0 of the last operand, the rest of the one before */

/* Shifts by a register's low 64 bits. */
#define VPSRLW  OP_66(0xd1)
#define VPSRLD  OP_66(0xd2)
#define VPSRLQ  (OP_66(0xd3) | X64_EVEX_W)
#define VPSRAW  OP_66(0xe1)
#define VPSRAD  OP_66(0xe2)
#define VPSLLW  OP_66(0xf1)
#define VPSLLD  OP_66(0xf2)
#define VPSLLQ  (OP_66(0xf3) | X64_EVEX_W) /* Shifts lane by lane. */
#define VPSLLVD OP_66_38(0x47)
#define VPSLLVQ OP_66_38_W1(0x47)
#define VPSRLVD OP_66_38(0x45)
#define VPSRLVQ OP_66_38_W1(0x45)
#define VPSRAVD OP_66_38(0x46)
/* Shifts by an immediate: opcodes by lane, with the operation in ModRM.reg. */
#define GROUP_W OP_66(0x71)
#define GROUP_D OP_66(0x72)
#define GROUP_Q (OP_66(0x73) | X64_EVEX_W)
enum { IMM_SRL = 2, IMM_SRLDQ = 3, IMM_SRA = 4, IMM_SLL = 6, IMM_SLLDQ = 7 };

/* Floats: the forms PS. float_op() derives PD, SS and SD. */
#define VADDPS  OP_NP(0x58)
#define VMULPS  OP_NP(0x59)
#define VMINPS  OP_NP(0x5d)
#define VMAXPS  OP_NP(0x5f)
#define VSUBPS  OP_NP(0x5c)
#define VDIVPS  OP_NP(0x5e)
#define VSQRTPS OP_NP(0x51)
#define VCMPPS  (OP_NP(0xc2) | X64_COMPARES)
enum { CMP_EQ_OQ = 0, CMP_LT_OS = 1, CMP_LE_OS = 2, CMP_NEQ_UQ = 4, CMP_ORD_Q = 7 };
#define VCOMISS     (OP_NP(0x2f) | X64_PART(4))
#define VCOMISD     (OP_66(0x2f) | X64_EVEX_W | X64_PART(8))
#define VMOVDDUP    (OP_F2(0x12) | X64_EVEX_W | X64_PART(8))
#define VUCOMISS    (OP_NP(0x2e) | X64_PART(4))
#define VUCOMISD    (OP_66(0x2e) | X64_EVEX_W | X64_PART(8))
#define VUNPCKLPS   OP_NP(0x14)
#define VFMADD213   OP_66_38(0xa8) /* PS; W: PD; opcode + 1: SS, SD */
#define VFMADD231   OP_66_38(0xb8)
#define FMA_NEGATED 4           /* or-ed: VFNMADD213, VFNMADD231 */
#define FMA_MINUS   2           /* or-ed: VFMSUB213 and others, which subtract c */
#define VCVTSI2SS   OP_F3(0x2a) /* W: from 64 bits */
#define VCVTSI2SD   OP_F2(0x2a)
#define VCVTTSS2SI  OP_F3(0x2c)
#define VCVTTSD2SI  OP_F2(0x2c)
#define VCVTSS2SD   (OP_F3(0x5a) | X64_PART(4))
#define VCVTSD2SS   (OP_F2(0x5a) | X64_EVEX_W | X64_PART(8))
#define VCVTDQ2PS   OP_NP(0x5b)
#define VCVTTPS2DQ  OP_F3(0x5b)
#define VCVTPS2PD   (OP_NP(0x5a) | X64_PART(8))
#define VCVTPD2PS   (OP_66(0x5a) | X64_EVEX_W) /* The opcode with VEX.W set. */
static inline x64_vop vop_w(x64_vop op)
{
    return op | X64_VOP(0, 0, 1, 0);
}

/* ---- types ----------------------------------------------------------------------------------- */

/* 0 to 3 for lanes of 8, 16, 32 and 64 bits. */
static inline unsigned x64_lane_class(jit_type t)
{
    return (unsigned)__builtin_ctz(q_lane_bits(t) | 64u) - 3;
}

/* ---- operands -------------------------------------------------------------------------------- */

/* An operand in a vector register, or in memory if it is only there. */
struct x64_operand {
    bool in_memory;
    unsigned reg;
    struct x64_mem m;
};
/* The operand of a node; bits: number that the instruction reads of a memory operand. */
struct x64_operand x64_operand_of(struct quick *q, uint32_t node, unsigned bits);
/* An operand that is a constant: of the pool, or loaded into `scratch` by x64_load_pattern(). */
struct x64_operand x64_constant(struct q_buffer *x, uint64_t low, uint64_t high, unsigned scratch);
/* The instruction with an operand of either kind, without and with an immediate. */
void x64_v(struct quick *q, x64_vop op, unsigned dst, unsigned a, const struct x64_operand *b);
void x64_vi(struct quick *q, x64_vop op, unsigned dst, unsigned a, const struct x64_operand *b,
            uint8_t imm);

/* dst = lanes of src, of at least 16 bits, shifted by an immediate below 256. */
void x64_shift_imm(struct q_buffer *x, unsigned which, jit_type t, unsigned dst, unsigned src,
                   uint8_t n);
/* Loads any constant into a vector register; changes RAX, preserves the flags. */
void x64_load_pattern(struct q_buffer *x, unsigned dst, uint64_t low, uint64_t high);
/* Whether the code may use AVX-512. */
static inline bool x64_has_avx512(const struct quick *q)
{
    return q->out.features & X64_AVX512;
}
/* Whether the node is the constant zero. */
bool x64_is_zero(const struct quick *q, uint32_t node);

static inline void x64_zero(struct q_buffer *x, unsigned dst)
{
    x64_v_rrr(x, VPXOR, dst, dst, dst);
}

static inline void x64_ones(struct q_buffer *x, unsigned dst)
{
    if (dst < 16)
        x64_v_rrr(x, VPCMPEQD, dst, dst, dst);
    else
        x64_v_rrri(x, VPTERNLOGD, dst, dst, dst, 0xff);
}

/* ---- subjects -------------------------------------------------------------------------------- */

/* select_float.c: arithmetic and comparisons of floats, scalar conversions to and from them. */
bool x64_can_float(const struct q_node *n);
void x64_select_float(struct quick *q);
bool x64_can_convert_scalar(const struct q_node *n);
void x64_convert_scalar(struct quick *q);

/* select_shift.c: shifts of lanes and of 128 bits. */
bool x64_can_shift(const struct quick *q, const struct q_node *n);
void x64_select_shift(struct quick *q);

/* select_lanes.c: moves between lanes, registers and widths. */
bool x64_can_lanes(const struct quick *q, const struct q_node *n);
void x64_select_lanes(struct quick *q);
/* d: the lowest `to` bytes of each `from` bytes of a, one behind the other, and zeros behind
 * them. */
void x64_gather_low_bytes(struct quick *q, unsigned d, unsigned a, unsigned from, unsigned to);

/* select_crypto.c: Q_CRYPTO. */
void x64_select_crypto(struct quick *q);

/* select_float.c: the register with a vector of 64 bits in both halves, so that the upper one
 * raises no exception of its own; `scratch` for such vectors in traces that trap, else r. */
unsigned x64_whole(struct quick *q, jit_type t, unsigned r, unsigned scratch);

#endif
