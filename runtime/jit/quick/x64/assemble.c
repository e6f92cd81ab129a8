/*
 * The assembler's moves, integers and control. Encodings: Intel 64 manual, volume 2, chapter 2
 * (formats) and the pages of the instructions.
 */
#include "runtime/jit/quick/x64/assemble_insn.h"

/* An opcode: its last byte, and what comes before it. */
enum {
    OP_0F = 0x100,        /* in the map 0F */
    OP_66 = 0x200,        /* mandatory or operand size prefix */
    OP_F3 = 0x400,        /* mandatory prefix */
    OP_W = 0x800,         /* 64 bits */
    OP_BYTE_REG = 0x1000, /* ModRM.reg is a byte register: 4 to 7 are SPL to DIL, which need REX */
    OP_BYTE_RM = 0x2000,  /* so is ModRM.rm, if it is a register */
};

/* Appends prefixes and opcode; `reg` and `rm` are the operands of the ModRM byte to follow. */
static void put_opcode(struct insn *i, unsigned op, unsigned reg, struct x64_mem rm)
{
    unsigned rex = high_bits(reg, rm) | (op & OP_W ? 8 : 0);
    bool byte_rex = (op & OP_BYTE_REG && reg >= RSP) ||
                    (op & OP_BYTE_RM && rm.index == IN_REGISTER && rm.base >= RSP);
    if (op & OP_66)
        put_byte(i, 0x66);
    if (op & OP_F3)
        put_byte(i, 0xf3);
    if (rex != 0 || byte_rex)
        put_byte(i, 0x40 | rex);
    if (op & OP_0F)
        put_byte(i, 0x0f);
    put_byte(i, op & 0xff);
}

static void emit_imm(struct q_buffer *x, unsigned op, unsigned reg, struct x64_mem rm, int32_t imm,
                     unsigned imm_bytes)
{
    struct insn i = {.n = 0};
    put_opcode(&i, op, reg, rm);
    x64_put_modrm(&i, reg, rm);
    put_value(&i, (uint32_t)imm, imm_bytes);
    x64_commit(x, &i);
}

static void emit_op(struct q_buffer *x, unsigned op, unsigned reg, struct x64_mem rm)
{
    emit_imm(x, op, reg, rm, 0, 0);
}

/* An opcode whose low three bits are a register. */
static void emit_short(struct q_buffer *x, unsigned op, unsigned r, uint64_t imm,
                       unsigned imm_bytes)
{
    struct insn i = {.n = 0};
    put_opcode(&i, op | (r & 7), 0, in_register(r));
    put_value(&i, imm, imm_bytes);
    x64_commit(x, &i);
}

/* An opcode for 16 to 64 bits with the prefixes of its operand size. */
static inline unsigned opcode_wide(unsigned op, unsigned bits)
{
    return op | (bits == 64 ? OP_W : 0u) | (bits == 16 ? OP_66 : 0u);
}

/* An opcode whose lowest bit is 0 for bytes and 1 otherwise, with its prefixes; ModRM.reg extends
 * it. */
static inline unsigned opcode_sized(unsigned op, unsigned bits)
{
    return bits == 8 ? op | OP_BYTE_RM : opcode_wide(op | 1, bits);
}

/* opcode_sized(), when ModRM.reg is a register of that size. */
static inline unsigned opcode_sized_reg(unsigned op, unsigned bits)
{
    return opcode_sized(op, bits) | (bits == 8 ? OP_BYTE_REG : 0u);
}

static inline unsigned imm_bytes(unsigned bits)
{
    return bits >= 32 ? 4 : bits / 8;
}

/* ---- moves ----------------------------------------------------------------------------------- */

void x64_mov_rr(struct q_buffer *x, unsigned bits, unsigned dst, unsigned src)
{
    emit_op(x, opcode_wide(0x89, bits), src, in_register(dst));
}

void x64_mov_ri(struct q_buffer *x, unsigned dst, uint64_t value)
{
    if (value <= UINT32_MAX)
        emit_short(x, 0xb8, dst, value, 4);
    else if ((int64_t)value == (int32_t)value)
        emit_imm(x, 0xc7 | OP_W, 0, in_register(dst), (int32_t)value, 4);
    else
        emit_short(x, 0xb8 | OP_W, dst, value, 8);
}

void x64_mov_pointer(struct q_buffer *x, unsigned dst, const void *to)
{
    emit_short(x, 0xb8 | OP_W, dst, (uintptr_t)to, sizeof(to));
}

void x64_set_pointer(uint8_t *at, const void *to, ptrdiff_t write)
{
    enum { OPCODE_BYTES = 2 }; /* REX and the opcode with the register */

    memcpy(at + write + OPCODE_BYTES, &to, sizeof(to));
}

void x64_load(struct q_buffer *x, unsigned bits, unsigned dst, struct x64_mem m)
{
    if (bits >= 32)
        emit_op(x, opcode_wide(0x8b, bits), dst, m);
    else
        emit_op(x, OP_0F | (bits == 8 ? 0xb6u : 0xb7u), dst, m);
}

/* MOVSX and MOVSXD. */
static void emit_movsx(struct q_buffer *x, unsigned to, unsigned from, unsigned dst,
                       struct x64_mem rm)
{
    unsigned op = from == 8    ? OP_0F | OP_BYTE_RM | 0xbeu
                  : from == 16 ? OP_0F | 0xbfu
                  : to == 64   ? 0x63u
                               : 0x8bu;
    emit_op(x, opcode_wide(op, to), dst, rm);
}

void x64_load_signed(struct q_buffer *x, unsigned to, unsigned bits, unsigned dst, struct x64_mem m)
{
    emit_movsx(x, to, bits, dst, m);
}

void x64_store(struct q_buffer *x, unsigned bits, struct x64_mem m, unsigned src)
{
    emit_op(x, opcode_sized_reg(0x88, bits), src, m);
}

void x64_store_i(struct q_buffer *x, unsigned bits, struct x64_mem m, int32_t imm)
{
    emit_imm(x, opcode_sized(0xc6, bits), 0, m, imm, imm_bytes(bits));
}

void x64_movzx(struct q_buffer *x, unsigned from, unsigned dst, unsigned src)
{
    if (from == 32)
        x64_mov_rr(x, 32, dst, src);
    else
        emit_op(x, OP_0F | (from == 8 ? OP_BYTE_RM | 0xb6u : 0xb7u), dst, in_register(src));
}

void x64_movsx(struct q_buffer *x, unsigned to, unsigned from, unsigned dst, unsigned src)
{
    emit_movsx(x, to, from, dst, in_register(src));
}

void x64_lea(struct q_buffer *x, unsigned bits, unsigned dst, struct x64_mem m)
{
    emit_op(x, opcode_wide(0x8d, bits), dst, m);
}

void x64_push(struct q_buffer *x, unsigned r)
{
    emit_short(x, 0x50, r, 0, 0);
}

void x64_pop(struct q_buffer *x, unsigned r)
{
    emit_short(x, 0x58, r, 0, 0);
}

/* ---- integers -------------------------------------------------------------------------------- */

void x64_alu_rr(struct q_buffer *x, enum x64_alu op, unsigned bits, unsigned dst, unsigned src)
{
    emit_op(x, opcode_sized_reg(op << 3, bits), src, in_register(dst));
}

/* An immediate as an instruction of that size uses it. */
static inline int32_t truncate_imm(int32_t imm, unsigned bits)
{
    return bits == 8 ? (int8_t)imm : bits == 16 ? (int16_t)imm : imm;
}

/* Encodes an immediate as a byte if sign extension gives its value. */
static void emit_alu_imm(struct q_buffer *x, enum x64_alu op, unsigned bits, struct x64_mem rm,
                         int32_t imm)
{
    if (bits == 8)
        emit_imm(x, opcode_sized(0x80, 8), op, rm, imm, 1);
    else if (fits_8(truncate_imm(imm, bits)))
        emit_imm(x, opcode_wide(0x83, bits), op, rm, imm, 1);
    else
        emit_imm(x, opcode_wide(0x81, bits), op, rm, imm, imm_bytes(bits));
}

/* RAX and an immediate of the full size: forms without ModRM. */
static void emit_rax_imm(struct q_buffer *x, unsigned op, unsigned bits, int32_t imm)
{
    emit_short(x, opcode_sized(op, bits), RAX, (uint32_t)imm, imm_bytes(bits));
}

void x64_alu_ri(struct q_buffer *x, enum x64_alu op, unsigned bits, unsigned dst, int32_t imm)
{
    if (dst == RAX && (bits == 8 || !fits_8(truncate_imm(imm, bits))))
        emit_rax_imm(x, op << 3 | 4, bits, imm);
    else
        emit_alu_imm(x, op, bits, in_register(dst), imm);
}

void x64_alu_rm(struct q_buffer *x, enum x64_alu op, unsigned bits, unsigned dst, struct x64_mem m)
{
    emit_op(x, opcode_sized_reg(op << 3 | 2, bits), dst, m);
}

void x64_alu_mi(struct q_buffer *x, enum x64_alu op, unsigned bits, struct x64_mem m, int32_t imm)
{
    emit_alu_imm(x, op, bits, m, imm);
}

void x64_test_rr(struct q_buffer *x, unsigned bits, unsigned a, unsigned b)
{
    emit_op(x, opcode_sized_reg(0x84, bits), b, in_register(a));
}

void x64_test_ri(struct q_buffer *x, unsigned bits, unsigned a, int32_t imm)
{
    /* A mask of seven bits needs the low byte only, and SF is 0 at every size. */
    if (imm >= 0 && imm < 0x80)
        bits = 8;
    if (a == RAX)
        emit_rax_imm(x, 0xa8, bits, imm);
    else
        emit_imm(x, opcode_sized(0xf6, bits), 0, in_register(a), imm, imm_bytes(bits));
}

void x64_bt_ri(struct q_buffer *x, unsigned bits, unsigned a, unsigned bit)
{
    emit_imm(x, opcode_wide(OP_0F | 0xba, bits), 4, in_register(a), (int32_t)bit, 1);
}

void x64_group3(struct q_buffer *x, enum x64_group3 op, unsigned bits, unsigned r)
{
    emit_op(x, opcode_sized(0xf6, bits), op, in_register(r));
}

void x64_cqo(struct q_buffer *x, unsigned bits)
{
    struct insn i = {.n = 0};
    put_opcode(&i, opcode_wide(0x99, bits), 0, in_register(0));
    x64_commit(x, &i);
}

void x64_imul_rr(struct q_buffer *x, unsigned bits, unsigned dst, unsigned src)
{
    emit_op(x, opcode_wide(OP_0F | 0xaf, bits), dst, in_register(src));
}

void x64_imul_rri(struct q_buffer *x, unsigned bits, unsigned dst, unsigned src, int32_t imm)
{
    if (fits_8(truncate_imm(imm, bits)))
        emit_imm(x, opcode_wide(0x6b, bits), dst, in_register(src), imm, 1);
    else
        emit_imm(x, opcode_wide(0x69, bits), dst, in_register(src), imm, imm_bytes(bits));
}

void x64_shift_ri(struct q_buffer *x, enum x64_shift op, unsigned bits, unsigned r, unsigned count)
{
    if (count == 1)
        emit_op(x, opcode_sized(0xd0, bits), op, in_register(r));
    else
        emit_imm(x, opcode_sized(0xc0, bits), op, in_register(r), (int32_t)count, 1);
}

void x64_shift_rrr(struct q_buffer *x, enum x64_shift op, unsigned bits, unsigned dst, unsigned src,
                   unsigned count)
{
    unsigned pp = op == X64_SHL ? 1 : op == X64_SAR ? 2 : 3;
    x64_v_rrr(x, X64_VOP(pp, 2, bits == 64, 0xf7), dst, count, src);
}

void x64_rorx(struct q_buffer *x, unsigned bits, unsigned dst, unsigned src, unsigned count)
{
    x64_v_rrri(x, X64_VOP(3, 3, bits == 64, 0xf0), dst, X64_NO_VVVV, src, (uint8_t)count);
}

void x64_andn(struct q_buffer *x, unsigned bits, unsigned dst, unsigned a, unsigned b)
{
    x64_v_rrr(x, X64_VOP(0, 2, bits == 64, 0xf2), dst, b, a);
}

void x64_bswap(struct q_buffer *x, unsigned bits, unsigned r)
{
    emit_short(x, opcode_wide(OP_0F | 0xc8, bits), r, 0, 0);
}

void x64_count_rr(struct q_buffer *x, enum x64_count op, unsigned bits, unsigned dst, unsigned src)
{
    emit_op(x, opcode_wide(OP_F3 | OP_0F | op, bits), dst, in_register(src));
}

void x64_setcc(struct q_buffer *x, enum x64_cc cc, unsigned dst)
{
    emit_op(x, OP_0F | OP_BYTE_RM | 0x90 | cc, 0, in_register(dst));
}

void x64_setcc_m(struct q_buffer *x, enum x64_cc cc, struct x64_mem m)
{
    emit_op(x, OP_0F | 0x90 | cc, 0, m);
}

void x64_cmov(struct q_buffer *x, enum x64_cc cc, unsigned bits, unsigned dst, unsigned src)
{
    emit_op(x, opcode_wide(OP_0F | 0x40 | cc, bits), dst, in_register(src));
}

/* ---- control --------------------------------------------------------------------------------- */

/* An opcode with a distance of 32 bits; returns the address of the distance. */
static uint8_t *emit_branch(struct q_buffer *x, unsigned op)
{
    struct insn i = {.n = 0};
    put_opcode(&i, op, 0, in_register(0));
    put_value(&i, 0, 4);
    uint8_t *end = x64_commit(x, &i);
    return end ? end - 4 : NULL;
}

uint8_t *x64_jmp(struct q_buffer *x)
{
    return emit_branch(x, 0xe9);
}

uint8_t *x64_jcc(struct q_buffer *x, enum x64_cc cc)
{
    return emit_branch(x, OP_0F | 0x80 | cc);
}

uint8_t *x64_call(struct q_buffer *x)
{
    return emit_branch(x, 0xe8);
}

void x64_patch(uint8_t *distance, const void *target, ptrdiff_t write)
{
    if (!distance)
        return;
    int32_t value = (int32_t)((uintptr_t)target - (uintptr_t)(distance + 4));
    memcpy(distance + write, &value, 4);
}

void x64_bind(struct q_buffer *x, uint8_t *distance)
{
    x64_patch(distance, x->at, x->write);
}

void x64_jmp_to(struct q_buffer *x, const void *target)
{
    x64_patch(x64_jmp(x), target, x->write);
}

void x64_jcc_to(struct q_buffer *x, enum x64_cc cc, const void *target)
{
    x64_patch(x64_jcc(x, cc), target, x->write);
}

void x64_jmp_r(struct q_buffer *x, unsigned r)
{
    emit_op(x, 0xff, 4, in_register(r));
}

void x64_jmp_m(struct q_buffer *x, struct x64_mem m)
{
    emit_op(x, 0xff, 4, m);
}

void x64_call_r(struct q_buffer *x, unsigned r)
{
    emit_op(x, 0xff, 2, in_register(r));
}

void x64_ret(struct q_buffer *x)
{
    struct insn i = {.bytes = {0xc3}, .n = 1};
    x64_commit(x, &i);
}

void x64_ldmxcsr(struct q_buffer *x, struct x64_mem m)
{
    emit_op(x, OP_0F | 0xae, 2, m);
}

void x64_ud2(struct q_buffer *x)
{
    struct insn i = {.bytes = {0x0f, 0x0b}, .n = 2};
    x64_commit(x, &i);
}

void x64_nop(struct q_buffer *x, unsigned bytes)
{
    /* The forms that the manual recommends, at the page of NOP. */
    static const struct insn forms[] = {
        {.bytes = {0x90}, .n = 1},
        {.bytes = {0x66, 0x90}, .n = 2},
        {.bytes = {0x0f, 0x1f, 0x00}, .n = 3},
        {.bytes = {0x0f, 0x1f, 0x40, 0x00}, .n = 4},
        {.bytes = {0x0f, 0x1f, 0x44, 0x00, 0x00}, .n = 5},
        {.bytes = {0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00}, .n = 6},
        {.bytes = {0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00}, .n = 7},
        {.bytes = {0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00}, .n = 8},
        {.bytes = {0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00}, .n = 9},
    };
    while (bytes > 0 && !x->full) {
        unsigned n = bytes < 9 ? bytes : 9;
        x64_commit(x, &forms[n - 1]);
        bytes -= n;
    }
}
