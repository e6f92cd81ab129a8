/*
 * An assembler for x86-64: one function per instruction form, no symbols. Names and operand order
 * are those of the Intel 64 manual (volume 2): destination first.
 *
 * Registers are numbers, 0 to 15 of general registers (enum x64_gpr) or of vector registers, as the
 * function says. With X64_AVX512 there are vector registers 16 to 31. Sizes are in bits: 32 and 64,
 * and 8 and 16 where noted.
 */
#ifndef RUNTIME_JIT_QUICK_X64_ASSEMBLE_H
#define RUNTIME_JIT_QUICK_X64_ASSEMBLE_H

#include "runtime/jit/quick/buffer.h"

/* q_buffer.features: AVX-512 with F, VL, BW, DQ, CD, VBMI, VBMI2 and BITALG, and GFNI, VAES and
 * VPCLMULQDQ. */
enum { X64_AVX512 = 1 };

enum x64_gpr {
    RAX,
    RCX,
    RDX,
    RBX,
    RSP,
    RBP,
    RSI,
    RDI,
    R8,
    R9,
    R10,
    R11,
    R12,
    R13,
    R14,
    R15,
    X64_NO_INDEX = 0xff,
};

/* base + index * (1 << scale) + disp; any base, an index other than RSP. Or of x64_pooled(). */
struct x64_mem {
    uint8_t base, index, scale;
    int32_t disp;
};
static inline struct x64_mem x64_at(unsigned base, int32_t disp)
{
    return (struct x64_mem){(uint8_t)base, X64_NO_INDEX, 0, disp};
}
static inline struct x64_mem x64_at_index(unsigned base, unsigned index, unsigned scale,
                                          int32_t disp)
{
    return (struct x64_mem){(uint8_t)base, (uint8_t)index, (uint8_t)scale, disp};
}

/* Condition codes, as in Jcc, SETcc and CMOVcc; ^ 1 inverts. */
enum x64_cc {
    CC_O,
    CC_NO,
    CC_B,
    CC_AE,
    CC_E,
    CC_NE,
    CC_BE,
    CC_A,
    CC_S,
    CC_NS,
    CC_P,
    CC_NP,
    CC_L,
    CC_GE,
    CC_LE,
    CC_G,
};

/* ---- moves ----------------------------------------------------------------------------------- */

/* 32 or 64 bits; 32 bits clear the upper half. */
void x64_mov_rr(struct q_buffer *x, unsigned bits, unsigned dst, unsigned src);
/* Sets all 64 bits of dst, by the shortest form; preserves the flags. */
void x64_mov_ri(struct q_buffer *x, unsigned dst, uint64_t value);
/* The same in a form that x64_set_pointer() can change. */
void x64_mov_pointer(struct q_buffer *x, unsigned dst, const void *to);
void x64_set_pointer(uint8_t *at, const void *to, ptrdiff_t write);
/* 8 to 64 bits from memory, zero-extended to 64. */
void x64_load(struct q_buffer *x, unsigned bits, unsigned dst, struct x64_mem m);
/* 8 to 32 bits, sign-extended to `to` (32: bits 63:32 become zero; 64). */
void x64_load_signed(struct q_buffer *x, unsigned to, unsigned bits, unsigned dst,
                     struct x64_mem m);
void x64_store(struct q_buffer *x, unsigned bits, struct x64_mem m, unsigned src); /* 8 to 64 */
/* 8 to 64 bits; of 64, imm is sign-extended. */
void x64_store_i(struct q_buffer *x, unsigned bits, struct x64_mem m, int32_t imm);
/* from: 8, 16; 32 (a mov). Zero-extends to 64. */
void x64_movzx(struct q_buffer *x, unsigned from, unsigned dst, unsigned src);
/* from: 8, 16, 32 (to 64 only). */
void x64_movsx(struct q_buffer *x, unsigned to, unsigned from, unsigned dst, unsigned src);
void x64_lea(struct q_buffer *x, unsigned bits, unsigned dst, struct x64_mem m);
void x64_push(struct q_buffer *x, unsigned r);
void x64_pop(struct q_buffer *x, unsigned r);

/* ---- integers -------------------------------------------------------------------------------- */

enum x64_alu { X64_ADD, X64_OR, X64_ADC, X64_SBB, X64_AND, X64_SUB, X64_XOR, X64_CMP };
/* dst = dst op operand; 8 to 64 bits. CMP changes the flags only. */
void x64_alu_rr(struct q_buffer *x, enum x64_alu op, unsigned bits, unsigned dst, unsigned src);
void x64_alu_ri(struct q_buffer *x, enum x64_alu op, unsigned bits, unsigned dst, int32_t imm);
void x64_alu_rm(struct q_buffer *x, enum x64_alu op, unsigned bits, unsigned dst, struct x64_mem m);
void x64_alu_mi(struct q_buffer *x, enum x64_alu op, unsigned bits, struct x64_mem m, int32_t imm);
void x64_test_rr(struct q_buffer *x, unsigned bits, unsigned a, unsigned b);
void x64_test_ri(struct q_buffer *x, unsigned bits, unsigned a, int32_t imm);
/* CF = the bit of a; 32 or 64 bits. */
void x64_bt_ri(struct q_buffer *x, unsigned bits, unsigned a, unsigned bit);

/* Group 3 (F7), by its ModRM.reg. NEG and NOT change r; the others use RDX:RAX. */
enum x64_group3 { X64_NOT = 2, X64_NEG = 3, X64_MUL = 4, X64_IMUL = 5, X64_DIV = 6, X64_IDIV = 7 };
/* 32 or 64 bits. */
void x64_group3(struct q_buffer *x, enum x64_group3 op, unsigned bits, unsigned r);
void x64_cqo(struct q_buffer *x, unsigned bits); /* CDQ for 32 */
/* BMI1: dst = a & ~b. */
void x64_andn(struct q_buffer *x, unsigned bits, unsigned dst, unsigned a, unsigned b);
void x64_imul_rr(struct q_buffer *x, unsigned bits, unsigned dst, unsigned src);
void x64_imul_rri(struct q_buffer *x, unsigned bits, unsigned dst, unsigned src, int32_t imm);

/* Group 2 (C1), by its ModRM.reg. */
enum x64_shift { X64_ROL = 0, X64_ROR = 1, X64_SHL = 4, X64_SHR = 5, X64_SAR = 7 };
/* r shifted by an immediate; 32 or 64 bits. */
void x64_shift_ri(struct q_buffer *x, enum x64_shift op, unsigned bits, unsigned r, unsigned count);
/* BMI2: dst = src shifted by count modulo bits; preserves the flags. SHL, SHR, SAR only. */
void x64_shift_rrr(struct q_buffer *x, enum x64_shift op, unsigned bits, unsigned dst, unsigned src,
                   unsigned count);
void x64_rorx(struct q_buffer *x, unsigned bits, unsigned dst, unsigned src,
              unsigned count); /* BMI2 */
void x64_bswap(struct q_buffer *x, unsigned bits, unsigned r);
enum x64_count { X64_POPCNT = 0xb8, X64_TZCNT = 0xbc, X64_LZCNT = 0xbd };
/* dst = the number of ones, trailing zeros or leading zeros of src. */
void x64_count_rr(struct q_buffer *x, enum x64_count op, unsigned bits, unsigned dst, unsigned src);

void x64_setcc(struct q_buffer *x, enum x64_cc cc, unsigned dst); /* low 8 bits of dst only */
void x64_setcc_m(struct q_buffer *x, enum x64_cc cc, struct x64_mem m);
void x64_cmov(struct q_buffer *x, enum x64_cc cc, unsigned bits, unsigned dst, unsigned src);

/* ---- control --------------------------------------------------------------------------------- */

/* Each returns the address of its 32-bit distance, for x64_patch(); NULL when the buffer is
 * full. */
uint8_t *x64_jmp(struct q_buffer *x);
uint8_t *x64_jcc(struct q_buffer *x, enum x64_cc cc);
uint8_t *x64_call(struct q_buffer *x);
/* Makes the jump or call with that distance lead to `target`, which is within 2 GB; nothing for
 * NULL. The distance is written `write` bytes further on. */
void x64_patch(uint8_t *distance, const void *target, ptrdiff_t write);
/* Makes a jump in the buffer lead to the next instruction. */
void x64_bind(struct q_buffer *x, uint8_t *distance);
/* Jumps and calls to a known target within 2 GB of the buffer. */
void x64_jmp_to(struct q_buffer *x, const void *target);
void x64_jcc_to(struct q_buffer *x, enum x64_cc cc, const void *target);
void x64_jmp_r(struct q_buffer *x, unsigned r);
void x64_jmp_m(struct q_buffer *x, struct x64_mem m);
void x64_call_r(struct q_buffer *x, unsigned r);
void x64_ret(struct q_buffer *x);
void x64_ud2(struct q_buffer *x);
/* Sets MXCSR. */
void x64_ldmxcsr(struct q_buffer *x, struct x64_mem m);
/* `bytes` bytes of no operation. */
void x64_nop(struct q_buffer *x, unsigned bytes);

/* ---- vectors: AVX, AVX2 and AVX-512, 128 bits ------------------------------------------------ */

/*
 * A VEX opcode: mandatory prefix (0: none, 1: 66, 2: F3, 3: F2), map (1: 0F, 2: 0F38, 3: 0F3A), W,
 * opcode byte. select_vector.h names the opcodes in use.
 *
 * An instruction with a register from 16 on has an EVEX prefix. The other bits say how its EVEX
 * form differs.
 */
typedef uint32_t x64_vop;
#define X64_VOP(pp, map, w, opcode) \
    ((x64_vop)(opcode) | (x64_vop)(pp) << 8 | (x64_vop)(map) << 10 | (x64_vop)(w) << 12)
enum {
    X64_EVEX_W = 1 << 13, /* W is 1 */
    X64_EVEX = 1 << 14,   /* it has no VEX form */
    /* A comparison: it writes a mask, and a second instruction makes lanes of that. */
    X64_COMPARES = 1 << 15,
    X64_BY_MASK = 1 << 19,   /* it selects lanes by the mask in X64_K1 */
    X64_ELSE_ZERO = 1 << 20, /* with X64_BY_MASK: the other lanes become zero */
};
/* The mask register that instructions use. No value stays in it. */
enum { X64_K1 = 1 };
/* It reads fewer than 16 bytes of a memory operand: 1, 2, 4 or 8. */
#define X64_PART(bytes) \
    ((x64_vop)((bytes) == 8 ? 1 : (bytes) == 4 ? 2 : (bytes) == 2 ? 3 : 4) << 16)

/* Operands dst, a (VEX.vvvv) and b (ModRM.rm). For instructions with two operands `a` is
 * X64_NO_VVVV. Operands are general registers where the instruction has them. */
enum { X64_NO_VVVV = 0 };
/* The operand for a constant of the pool, at a multiple of 16; false: the buffer has no pool. */
bool x64_pooled(struct q_buffer *x, uint64_t low, uint64_t high, struct x64_mem *m);
/* Writes the constants, and their distances into the instructions that read them. */
void x64_emit_pool(struct q_buffer *x);
/* By the kinds of operands: register, memory, immediate. */
void x64_v_rrr(struct q_buffer *x, x64_vop op, unsigned dst, unsigned a, unsigned b);
void x64_v_rrm(struct q_buffer *x, x64_vop op, unsigned dst, unsigned a, struct x64_mem m);
void x64_v_rrri(struct q_buffer *x, x64_vop op, unsigned dst, unsigned a, unsigned b, uint8_t imm);
void x64_v_rrmi(struct q_buffer *x, x64_vop op, unsigned dst, unsigned a, struct x64_mem m,
                uint8_t imm);

/* dst = the bytes of b where those of the mask have bit 7, else those of a. With registers from 16
 * on it changes mask register 1. */
void x64_vblend(struct q_buffer *x, unsigned dst, unsigned a, unsigned b, unsigned mask);
/* dst = the lanes of 16 bits of b whose bit in `words` is 1, else those of a. With registers from
 * 16 on it changes mask register 1 and RAX. */
void x64_vblend_words(struct q_buffer *x, unsigned dst, unsigned a, unsigned b, uint8_t words);

/* Moves of vector registers: 128 bits without alignment, or 32 or 64 bits with zeros above. */
void x64_vload(struct q_buffer *x, unsigned bits, unsigned dst, struct x64_mem m);
void x64_vstore(struct q_buffer *x, unsigned bits, struct x64_mem m, unsigned src);
void x64_vmov(struct q_buffer *x, unsigned dst, unsigned src);
/* The low 64 bits, with zeros above. */
void x64_vmov_low(struct q_buffer *x, unsigned dst, unsigned src);
/* Instructions without a VEX form, by their opcodes (map 0F38): dst = op(dst, src). The first also
 * reads XMM0. */
enum x64_sha { X64_SHA256RNDS2 = 0xcb, X64_SHA256MSG1 = 0xcc, X64_SHA256MSG2 = 0xcd };
void x64_sha(struct q_buffer *x, enum x64_sha op, unsigned dst, unsigned src);
/* 32 or 64 bits from a general register, with zeros above; and back, zero-extended. */
void x64_vmov_from_gpr(struct q_buffer *x, unsigned bits, unsigned dst, unsigned gpr);
void x64_vmov_to_gpr(struct q_buffer *x, unsigned bits, unsigned gpr, unsigned src);

#endif
