/*
 * The assembler's instructions with a VEX prefix. Encodings: Intel 64 manual, volume 2, 2.3 (VEX)
 * and the pages of the instructions.
 */
#include "runtime/jit/quick/x64/assemble_insn.h"

enum { MAP_0F = 1 };

/* VEX prefix, opcode and ModRM. R, X, B and vvvv are stored inverted. */
static void put_vex(struct insn *i, x64_vop op, unsigned reg, unsigned vvvv, struct x64_mem rm)
{
    unsigned high = high_bits(reg, rm);
    unsigned pp = op >> 8 & 3, map = op >> 10 & 3, w = op >> 12 & 1;
    unsigned last = (~vvvv & 15) << 3 | pp;
    if (map == MAP_0F && w == 0 && (high & 3) == 0) {
        put_byte(i, 0xc5);
        put_byte(i, (~high & 4) << 5 | last);
    } else {
        put_byte(i, 0xc4);
        put_byte(i, (~high & 7) << 5 | map);
        put_byte(i, w << 7 | last);
    }
    put_byte(i, op & 0xff);
    x64_put_modrm(i, reg, rm);
}

static void emit_vex(struct q_buffer *x, x64_vop op, unsigned reg, unsigned vvvv, struct x64_mem rm)
{
    struct insn i = {.n = 0};
    put_vex(&i, op, reg, vvvv, rm);
    x64_commit(x, &i);
}

static void emit_vex_imm(struct q_buffer *x, x64_vop op, unsigned reg, unsigned vvvv,
                         struct x64_mem rm, uint8_t imm)
{
    struct insn i = {.n = 0};
    put_vex(&i, op, reg, vvvv, rm);
    put_byte(&i, imm);
    x64_commit(x, &i);
}

void x64_v_rrr(struct q_buffer *x, x64_vop op, unsigned dst, unsigned a, unsigned b)
{
    emit_vex(x, op, dst, a, in_register(b));
}

void x64_v_rrm(struct q_buffer *x, x64_vop op, unsigned dst, unsigned a, struct x64_mem m)
{
    emit_vex(x, op, dst, a, m);
}

void x64_v_rrri(struct q_buffer *x, x64_vop op, unsigned dst, unsigned a, unsigned b, uint8_t imm)
{
    emit_vex_imm(x, op, dst, a, in_register(b), imm);
}

void x64_v_rrmi(struct q_buffer *x, x64_vop op, unsigned dst, unsigned a, struct x64_mem m,
                uint8_t imm)
{
    emit_vex_imm(x, op, dst, a, m, imm);
}

#define VMOVD_FROM(w) X64_VOP(1, 1, w, 0x6e) /* VMOVD, with W VMOVQ: xmm, r/m */
#define VMOVD_TO(w)   X64_VOP(1, 1, w, 0x7e) /* r/m, xmm */
#define VMOVQ_LOAD    X64_VOP(2, 1, 0, 0x7e) /* xmm, m64; needs no W */
#define VMOVQ_STORE   X64_VOP(1, 1, 0, 0xd6) /* m64, xmm */
#define VMOVDQU_LOAD  X64_VOP(2, 1, 0, 0x6f)
#define VMOVDQU_STORE X64_VOP(2, 1, 0, 0x7f)
#define VMOVDQA_LOAD  X64_VOP(1, 1, 0, 0x6f)
#define VMOVDQA_STORE X64_VOP(1, 1, 0, 0x7f)

void x64_vload(struct q_buffer *x, unsigned bits, unsigned dst, struct x64_mem m)
{
    x64_vop op = bits == 128 ? VMOVDQU_LOAD : bits == 64 ? VMOVQ_LOAD : VMOVD_FROM(0);
    x64_v_rrm(x, op, dst, X64_NO_VVVV, m);
}

void x64_vstore(struct q_buffer *x, unsigned bits, struct x64_mem m, unsigned src)
{
    x64_vop op = bits == 128 ? VMOVDQU_STORE : bits == 64 ? VMOVQ_STORE : VMOVD_TO(0);
    x64_v_rrm(x, op, src, X64_NO_VVVV, m);
}

void x64_vmov(struct q_buffer *x, unsigned dst, unsigned src)
{
    /* A high register costs a byte in ModRM.rm, none in ModRM.reg. */
    if (src >= 8 && dst < 8)
        x64_v_rrr(x, VMOVDQA_STORE, src, X64_NO_VVVV, dst);
    else
        x64_v_rrr(x, VMOVDQA_LOAD, dst, X64_NO_VVVV, src);
}

void x64_vmov_low(struct q_buffer *x, unsigned dst, unsigned src)
{
    x64_v_rrr(x, VMOVQ_LOAD, dst, X64_NO_VVVV, src);
}

void x64_sha(struct q_buffer *x, enum x64_sha op, unsigned dst, unsigned src)
{
    struct insn i = {.n = 0};
    struct x64_mem rm = in_register(src);

    if (high_bits(dst, rm))
        put_byte(&i, 0x40 | high_bits(dst, rm));
    put_byte(&i, 0x0f);
    put_byte(&i, 0x38);
    put_byte(&i, op);
    x64_put_modrm(&i, dst, rm);
    x64_commit(x, &i);
}

void x64_vmov_from_gpr(struct q_buffer *x, unsigned bits, unsigned dst, unsigned gpr)
{
    x64_v_rrr(x, VMOVD_FROM(bits == 64), dst, X64_NO_VVVV, gpr);
}

void x64_vmov_to_gpr(struct q_buffer *x, unsigned bits, unsigned gpr, unsigned src)
{
    x64_v_rrr(x, VMOVD_TO(bits == 64), src, X64_NO_VVVV, gpr);
}
