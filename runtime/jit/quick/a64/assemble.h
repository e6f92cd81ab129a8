/*
 * Encoders of the AArch64 host's instructions. Opcodes are named as the instructions in the Arm
 * ARM, with the fields of operands zero; those with a 32-bit and a 64-bit form are the 32-bit one.
 */
#ifndef RUNTIME_JIT_QUICK_A64_ASSEMBLE_H
#define RUNTIME_JIT_QUICK_A64_ASSEMBLE_H

#include "runtime/jit/quick/buffer.h"

/* Number 31 is the zero register; as the base of an address, and in A64_ADD_I and A64_SUB_I, the
 * stack pointer. */
enum { A64_ZERO = 31, A64_STACK = 31, A64_LINK = 30, A64_REGISTERS = 32 };

/* Conditions by their encodings; the lowest bit inverts. */
enum a64_cc {
    A64_EQ,
    A64_NE,
    A64_HS,
    A64_LO,
    A64_MI,
    A64_PL,
    A64_VS,
    A64_VC,
    A64_HI,
    A64_LS,
    A64_GE,
    A64_LT,
    A64_GT,
    A64_LE,
};

/* Any instruction. */
void a64_word(struct q_buffer *x, uint32_t word);

/* ---- integers -------------------------------------------------------------------------------- */

/* Three registers. */
#define A64_ADD   0x0b000000u
#define A64_SUB   0x4b000000u
#define A64_SUBS  0x6b000000u
#define A64_AND   0x0a000000u
#define A64_ORR   0x2a000000u
#define A64_EOR   0x4a000000u
#define A64_ANDS  0x6a000000u
#define A64_BIC   0x0a200000u
#define A64_ORN   0x2a200000u
#define A64_UDIV  0x1ac00800u
#define A64_SDIV  0x1ac00c00u
#define A64_LSLV  0x1ac02000u
#define A64_LSRV  0x1ac02400u
#define A64_ASRV  0x1ac02800u
#define A64_RORV  0x1ac02c00u
#define A64_UMULH 0x9bc07c00u
#define A64_SMULH 0x9b407c00u
/* Two registers. */
#define A64_RBIT  0x5ac00000u
#define A64_REV16 0x5ac00400u
#define A64_REV32 0x5ac00800u
#define A64_REV64 0xdac00c00u
#define A64_CLZ   0x5ac01000u
/* By a condition. */
#define A64_CSEL  0x1a800000u
#define A64_CSINC 0x1a800400u
#define A64_CSNEG 0x5a800400u
/* With 12 bits of an immediate. */
#define A64_ADD_I  0x11000000u
#define A64_SUB_I  0x51000000u
#define A64_ADDS_I 0x31000000u
#define A64_SUBS_I 0x71000000u
/* With a pattern of bits. */
#define A64_AND_I  0x12000000u
#define A64_ORR_I  0x32000000u
#define A64_EOR_I  0x52000000u
#define A64_ANDS_I 0x72000000u
/* Bit fields. */
#define A64_SBFM 0x13000000u
#define A64_UBFM 0x53000000u
#define A64_EXTR 0x13800000u
/* Products: d = c + a * b, d = c - a * b. */
#define A64_MADD 0x1b000000u
#define A64_MSUB 0x1b008000u

/* d = n op m, of 32 bits with zeros above, or 64. */
void a64_rrr(struct q_buffer *x, uint32_t op, unsigned bits, unsigned d, unsigned n, unsigned m);
/* The same with m shifted left, for ADD to BIC: `op` has the amount, by a64_shifted(). */
static inline uint32_t a64_shifted(uint32_t op, unsigned amount)
{
    return op | amount << 10;
}
/* Products: `op` has the third operand, by a64_third(). */
static inline uint32_t a64_third(uint32_t op, unsigned c)
{
    return op | c << 10;
}
/* Selects and float selects: `op` has the condition. */
static inline uint32_t a64_if(uint32_t op, enum a64_cc cc)
{
    return op | (uint32_t)cc << 12;
}
/* d = op n, of 32 bits with zeros above, or 64; REV32 and REV64 have one of the two. */
void a64_rr(struct q_buffer *x, uint32_t op, unsigned bits, unsigned d, unsigned n);
/* d = n, of 64 bits or of 32 with zeros above. */
void a64_mov(struct q_buffer *x, unsigned bits, unsigned d, unsigned n);
void a64_mov_i(struct q_buffer *x, unsigned d, uint64_t value);
/* The same for a pointer, in a form that a64_set_pointer() can change. */
void a64_mov_pointer(struct q_buffer *x, unsigned d, const void *to);
void a64_set_pointer(uint8_t *at, const void *to, ptrdiff_t write);
/* d = n + value; `scratch` is another register than n and may change. Preserves the flags. */
void a64_add_i(struct q_buffer *x, unsigned d, unsigned n, int64_t value, unsigned scratch);
/* With an immediate of 12 bits, or such a one shifted left by 12. */
void a64_arith_i(struct q_buffer *x, uint32_t op, unsigned bits, unsigned d, unsigned n,
                 uint32_t imm);
/* Whether the instruction has this immediate. */
bool a64_is_arith(uint64_t imm);
/* With an immediate that consists of equal runs of ones. False: it does not, nothing is emitted. */
bool a64_logic_i(struct q_buffer *x, uint32_t op, unsigned bits, unsigned d, unsigned n,
                 uint64_t imm);
/* Bits from..from + width - 1 of n, extended; by A64_UBFM or A64_SBFM. */
void a64_field(struct q_buffer *x, uint32_t op, unsigned bits, unsigned d, unsigned n,
               unsigned range);
#define A64_RANGE(from, width) ((from) | (width) << 8)
/* Shift to the left and rotation to the right by 0 to bits - 1. */
void a64_lsl_i(struct q_buffer *x, unsigned bits, unsigned d, unsigned n, unsigned amount);
void a64_ror_i(struct q_buffer *x, unsigned bits, unsigned d, unsigned n, unsigned amount);
/* d = whether the condition holds. */
void a64_cset(struct q_buffer *x, unsigned d, enum a64_cc cc);

/* ---- memory ---------------------------------------------------------------------------------- */

struct a64_mem {
    uint8_t base;  /* 31: the stack pointer */
    uint8_t index; /* added to the base, if offset is A64_BY_INDEX */
    int32_t offset;
};
enum { A64_BY_INDEX = INT32_MIN, A64_ADDRESS = 17 };

static inline struct a64_mem a64_at(unsigned base, int32_t offset)
{
    return (struct a64_mem){.base = (uint8_t)base, .offset = offset};
}
static inline struct a64_mem a64_at_index(unsigned base, unsigned index)
{
    return (struct a64_mem){(uint8_t)base, (uint8_t)index, A64_BY_INDEX};
}

/* Loads 8 to 64 bits, zero-extended, and stores the low bits. X17 holds addresses that do not
 * fit. */
void a64_load(struct q_buffer *x, unsigned bits, unsigned d, struct a64_mem m);
void a64_store(struct q_buffer *x, unsigned bits, struct a64_mem m, unsigned s);
/* The same for 8 to 128 bits of vector registers. */
void a64_vload(struct q_buffer *x, unsigned bits, unsigned d, struct a64_mem m);
void a64_vstore(struct q_buffer *x, unsigned bits, struct a64_mem m, unsigned s);
/* Whether an access of `bits` bits has this offset in the instruction. */
bool a64_is_offset(unsigned bits, int64_t offset);

/* ---- control --------------------------------------------------------------------------------- */

/* Jumps, for a64_patch(); NULL when the buffer is full. Those with a condition reach 1 MB, others
 * 128 MB. */
uint8_t *a64_b(struct q_buffer *x);
uint8_t *a64_bl(struct q_buffer *x);
uint8_t *a64_b_if(struct q_buffer *x, enum a64_cc cc);
/* Taken if the register is 0. */
uint8_t *a64_cbz(struct q_buffer *x, unsigned bits, unsigned r);
/* Makes a jump lead to `to`; nothing for NULL. It is written `write` bytes further on. */
void a64_patch(uint8_t *jump, const void *to, ptrdiff_t write);
/* Makes a jump in the buffer lead to the next instruction. */
void a64_bind(struct q_buffer *x, uint8_t *jump);
void a64_br(struct q_buffer *x, unsigned r);
void a64_blr(struct q_buffer *x, unsigned r);
void a64_ret(struct q_buffer *x);

/* ---- vectors --------------------------------------------------------------------------------- */

/* Three vectors of 128 bits; of integers with the class of the lanes (0 to 3: 8 to 64 bits), of
 * floats with 0 or 1. */
#define A64_VADD  0x4e208400u
#define A64_VSUB  0x6e208400u
#define A64_VMUL  0x4e209c00u
#define A64_CMEQ  0x6e208c00u
#define A64_CMGT  0x4e203400u
#define A64_CMGE  0x4e203c00u
#define A64_CMHI  0x6e203400u
#define A64_CMHS  0x6e203c00u
#define A64_SMAX  0x4e206400u
#define A64_SMIN  0x4e206c00u
#define A64_UMAX  0x6e206400u
#define A64_UMIN  0x6e206c00u
#define A64_SABD  0x4e207400u
#define A64_UABD  0x6e207400u
#define A64_SSHL  0x4e204400u
#define A64_USHL  0x6e204400u
#define A64_ZIP1  0x4e003800u
#define A64_UZP1  0x4e001800u
#define A64_128   0x40000000u /* vectors of 128 bits, not 64: set in all that follow */
#define A64_FADD  0x4e20d400u
#define A64_FSUB  0x4ea0d400u
#define A64_FMUL  0x6e20dc00u
#define A64_FDIV  0x6e20fc00u
#define A64_FMIN  0x4ea0f400u
#define A64_FMAX  0x4e20f400u
#define A64_FMLA  0x4e20cc00u
#define A64_FMLS  0x4ea0cc00u
#define A64_FCMEQ 0x4e20e400u
#define A64_FCMGE 0x6e20e400u
#define A64_FCMGT 0x6ea0e400u
/* Without lanes: class 0. BSL selects by d, BIF replaces d's bits where m has none. */
#define A64_VAND 0x4e201c00u
#define A64_VBIC 0x4e601c00u
#define A64_VORR 0x4ea01c00u
#define A64_VEOR 0x6e201c00u
#define A64_BSL  0x6e601c00u
/* The bytes of n from number k on, then those of m. Class 0. */
#define A64_EXT(k) (0x6e000000u | (uint32_t)(k) << 11)
/* Bytes of n by the numbers in m; 0 for numbers from 16 on. Class 0. */
#define A64_TBL 0x4e000000u
/* Steps of SHA-256 with d as a further operand, which not all hosts have. Class 0. */
#define A64_SHA256H   0x5e004000u
#define A64_SHA256H2  0x5e005000u
#define A64_SHA256SU1 0x5e006000u
#define A64_PMULL     0x0ee0e000u /* of the low lanes of 64 bits */
void a64_vvv(struct q_buffer *x, uint32_t op, unsigned class, unsigned d, unsigned n, unsigned m);

/* Two vectors. Narrowing and widening ones have the class of the narrow lanes. */
#define A64_VABS    0x4e20b800u
#define A64_VNEG    0x6e20b800u
#define A64_VNOT    0x6e205800u
#define A64_CMEQ_0  0x4e209800u
#define A64_XTN     0x0e212800u
#define A64_SQXTN   0x0e214800u
#define A64_SQXTUN  0x2e212800u
#define A64_VFNEG   0x6ea0f800u
#define A64_VFABS   0x4ea0f800u
#define A64_VFSQRT  0x6ea1f800u
#define A64_VFRINTN 0x4e218800u
#define A64_VFRINTP 0x4ea18800u
#define A64_VFRINTM 0x4e219800u
#define A64_VFRINTZ 0x4ea19800u
#define A64_VSCVTF  0x4e21d800u
#define A64_VUCVTF  0x6e21d800u
#define A64_VFCVTZS 0x4ea1b800u
#define A64_VFCVTZU 0x6ea1b800u
#define A64_FCVTL   0x0e617800u /* class 0 */
#define A64_FCVTN   0x0e616800u /* class 0 */
#define A64_CNT     0x0e205800u /* class 0; of 8 bytes */
#define A64_ADDV    0x0e31b800u /* class 0; of 8 bytes */
/* Steps of AES and SHA-256, as above; all but AESMC and AESIMC with d as a further operand. */
#define A64_AESE      0x4e284800u
#define A64_AESD      0x4e285800u
#define A64_AESMC     0x4e286800u
#define A64_AESIMC    0x4e287800u
#define A64_SHA256SU0 0x5e282800u
void a64_vv(struct q_buffer *x, uint32_t op, unsigned class, unsigned d, unsigned n);

/* By an immediate: left for SHL and the widening ones (by 0 to bits - 1), right for the others (by
 * 1 to bits). `lane` are the bits of the lanes, the narrow ones. */
#define A64_VSHL  0x4f005400u
#define A64_SSHR  0x4f000400u
#define A64_USHR  0x6f000400u
#define A64_SSHLL 0x0f00a400u
#define A64_USHLL 0x2f00a400u
void a64_vshl_i(struct q_buffer *x, uint32_t op, unsigned lane, unsigned d, unsigned n,
                unsigned amount);
void a64_vshr_i(struct q_buffer *x, uint32_t op, unsigned lane, unsigned d, unsigned n,
                unsigned amount);

/* Lanes of a class: all from a general register, or from a lane; one from either; and back, with
 * zeros above. */
void a64_dup(struct q_buffer *x, unsigned class, unsigned d, unsigned general);
void a64_dup_lane(struct q_buffer *x, unsigned class, unsigned d, unsigned n, unsigned lane);
void a64_insert(struct q_buffer *x, unsigned class, unsigned d, unsigned lane, unsigned general);
/* d[lane] = n[0] */
void a64_insert_low(struct q_buffer *x, unsigned class, unsigned d, unsigned lane, unsigned n);
void a64_extract(struct q_buffer *x, unsigned class, unsigned d, unsigned n, unsigned lane);
/* d = the bytes of n from `from` on, then those of m. */
void a64_ext(struct q_buffer *x, unsigned d, unsigned n, unsigned m, unsigned from);
/* 32 or 64 bits between the kinds of registers, with zeros above; and between vector registers. */
void a64_fmov_from(struct q_buffer *x, unsigned bits, unsigned d, unsigned general);
void a64_fmov_to(struct q_buffer *x, unsigned bits, unsigned d, unsigned v);
void a64_fmov(struct q_buffer *x, unsigned bits, unsigned d, unsigned v);
void a64_vmov(struct q_buffer *x, unsigned d, unsigned n);
/* All bits 0, or 1. */
void a64_vfill(struct q_buffer *x, unsigned d, bool ones);

/* ---- scalar floats --------------------------------------------------------------------------- */

/* Operations, by the bits of the floats. FMADD is c + n * m, FMSUB c - n * m (a64_third()). */
#define A64_FADD_S   0x1e202800u
#define A64_FSUB_S   0x1e203800u
#define A64_FMUL_S   0x1e200800u
#define A64_FDIV_S   0x1e201800u
#define A64_FMIN_S   0x1e205800u
#define A64_FMAX_S   0x1e204800u
#define A64_FMADD    0x1f000000u
#define A64_FMSUB    0x1f008000u
#define A64_FCSEL    0x1e200c00u
#define A64_FCMP     0x1e202000u /* d is 0 */
#define A64_FCMPE    0x1e202010u /* invalid for each NaN; d is 0 */
#define A64_FNEG_S   0x1e214000u
#define A64_FABS_S   0x1e20c000u
#define A64_FSQRT_S  0x1e21c000u
#define A64_FRINTN_S 0x1e244000u
#define A64_FRINTP_S 0x1e24c000u
#define A64_FRINTM_S 0x1e254000u
#define A64_FRINTZ_S 0x1e25c000u
#define A64_FCVT_D_S 0x1e22c000u /* from 32 bits */
#define A64_FCVT_S_D 0x1e224000u /* from 64 bits */
/* System registers, as instructions have them. */
#define A64_FPCR 0x1b4400u
#define A64_FPSR 0x1b4420u

void a64_get_system(struct q_buffer *x, uint32_t system, unsigned d);
void a64_set_system(struct q_buffer *x, uint32_t system, unsigned s);
void a64_fff(struct q_buffer *x, uint32_t op, unsigned bits, unsigned d, unsigned n, unsigned m);
void a64_ff(struct q_buffer *x, uint32_t op, unsigned bits, unsigned d, unsigned n);
/* Between floats and integers of 32 or 64 bits in general registers. */
#define A64_FCVTZS 0x1e380000u
#define A64_FCVTZU 0x1e390000u
#define A64_SCVTF  0x1e220000u
#define A64_UCVTF  0x1e230000u
void a64_convert(struct q_buffer *x, uint32_t op, unsigned bits, unsigned float_bits, unsigned d,
                 unsigned n);

#endif
