/*
 * The assembler's instructions with a VEX or EVEX prefix. Encodings: Intel 64 manual, volume 2, 2.3
 * (VEX), 2.7 (EVEX) and the pages of the instructions.
 */
#include "runtime/jit/quick/x64/assemble_insn.h"

enum { MAP_0F = 1 };

/* One instruction's operands. */
struct operands {
    x64_vop op;
    unsigned reg, vvvv;
    struct x64_mem rm;
};

/* VEX prefix. R, X, B and vvvv are stored inverted. */
static void put_vex(struct insn *i, const struct operands *o)
{
    unsigned high = high_bits(o->reg, o->rm);
    unsigned pp = o->op >> 8 & 3, map = o->op >> 10 & 3, w = o->op >> 12 & 1;
    unsigned last = (~o->vvvv & 15) << 3 | pp;
    if (map == MAP_0F && w == 0 && (high & 3) == 0) {
        put_byte(i, 0xc5);
        put_byte(i, (~high & 4) << 5 | last);
    } else {
        put_byte(i, 0xc4);
        put_byte(i, (~high & 7) << 5 | map);
        put_byte(i, w << 7 | last);
    }
}

/* EVEX prefix, for vectors of 128 bits. The fifth bit of ModRM.rm's register is X. */
static void put_evex(struct insn *i, const struct operands *o)
{
    unsigned high = high_bits(o->reg, o->rm);
    unsigned pp = o->op >> 8 & 3, map = o->op >> 10 & 3, w = (o->op >> 12 | o->op >> 13) & 1;

    if (o->rm.index == IN_REGISTER)
        high |= (o->rm.base >> 4 & 1) << 1;
    put_byte(i, 0x62);
    put_byte(i, (~high & 7) << 5 | (~o->reg >> 4 & 1) << 4 | map);
    put_byte(i, w << 7 | (~o->vvvv & 15) << 3 | 4 | pp);
    put_byte(i, (o->op & X64_ELSE_ZERO ? 0x80u : 0u) | (~o->vvvv >> 4 & 1) << 3 |
                    (o->op & X64_BY_MASK ? X64_K1 : 0u));
}

static void emit_operands(struct q_buffer *x, const struct operands *o, bool evex,
                          const uint8_t *imm)
{
    struct insn i = {.n = 0};

    if (evex)
        put_evex(&i, o);
    else
        put_vex(&i, o);
    put_byte(&i, o->op & 0xff);
    x64_put_modrm_scaled(&i, o->reg, o->rm, evex ? 4 - (o->op >> 16 & 7) : 0);
    if (imm)
        put_byte(&i, *imm);
    x64_commit(x, &i);
}

/* Sets the lanes of a vector register to ones where K1 has a one, else to zeros. Class: 0 to 3 for
 * lanes of 8 to 64 bits. */
static void emit_mask_lanes(struct q_buffer *x, unsigned class, unsigned dst)
{
    x64_vop op = X64_VOP(2, 2, class & 1, class < 2 ? 0x28 : 0x38) | X64_EVEX;

    emit_operands(x, &(struct operands){.op = op, .reg = dst, .rm = in_register(X64_K1)}, true,
                  NULL);
}

/* 0 to 3 for comparisons of lanes of 8 to 64 bits. */
static unsigned compared_class(x64_vop op)
{
    switch (op & 0xff) {
    case 0x3e: /* VPCMPUB, VPCMPB, VPCMPUW and VPCMPW */
    case 0x3f:
        return op >> 12 & 1;
    case 0x1e: /* VPCMPUD and so on */
    case 0x1f:
        return 2 + (op >> 12 & 1);
    case 0x74: /* VPCMPEQB, VPCMPGTB, and so on */
    case 0x64:
        return 0;
    case 0x75:
    case 0x65:
        return 1;
    case 0x76:
    case 0x66:
        return 2;
    default: /* VPCMPEQQ, VPCMPGTQ and VCMPPS */
        return op & X64_EVEX_W ? 3 : 2;
    }
}

/* The EVEX form of a comparison writes a mask. */
static void emit_comparison(struct q_buffer *x, struct operands o, const uint8_t *imm)
{
    unsigned dst = o.reg;

    o.reg = X64_K1;
    emit_operands(x, &o, true, imm);
    emit_mask_lanes(x, compared_class(o.op), dst);
}

static void emit(struct q_buffer *x, struct operands o, const uint8_t *imm)
{
    bool high = o.reg > 15 || o.vvvv > 15 || (o.rm.index == IN_REGISTER && o.rm.base > 15);

    if (o.op & X64_COMPARES && (high || o.op & X64_EVEX))
        emit_comparison(x, o, imm);
    else
        emit_operands(x, &o, high || o.op & X64_EVEX, imm);
}

void x64_v_rrr(struct q_buffer *x, x64_vop op, unsigned dst, unsigned a, unsigned b)
{
    emit(x, (struct operands){op, dst, a, in_register(b)}, NULL);
}

void x64_v_rrm(struct q_buffer *x, x64_vop op, unsigned dst, unsigned a, struct x64_mem m)
{
    emit(x, (struct operands){op, dst, a, m}, NULL);
}

void x64_v_rrri(struct q_buffer *x, x64_vop op, unsigned dst, unsigned a, unsigned b, uint8_t imm)
{
    emit(x, (struct operands){op, dst, a, in_register(b)}, &imm);
}

void x64_v_rrmi(struct q_buffer *x, x64_vop op, unsigned dst, unsigned a, struct x64_mem m,
                uint8_t imm)
{
    emit(x, (struct operands){op, dst, a, m}, &imm);
}

#define VMOVD_FROM(w) \
    (X64_VOP(1, 1, w, 0x6e) | X64_PART((w) ? 8 : 4)) /* VMOVD, with W VMOVQ: xmm, r/m */
#define VMOVD_TO(w) (X64_VOP(1, 1, w, 0x7e) | X64_PART((w) ? 8 : 4)) /* r/m, xmm */
/* xmm, m64; VEX needs no W */
#define VMOVQ_LOAD    (X64_VOP(2, 1, 0, 0x7e) | X64_EVEX_W | X64_PART(8))
#define VMOVQ_STORE   (X64_VOP(1, 1, 0, 0xd6) | X64_EVEX_W | X64_PART(8)) /* m64, xmm */
#define VMOVDQU_LOAD  X64_VOP(2, 1, 0, 0x6f)
#define VMOVDQU_STORE X64_VOP(2, 1, 0, 0x7f)
#define VMOVDQA_LOAD  X64_VOP(1, 1, 0, 0x6f)
#define VMOVDQA_STORE X64_VOP(1, 1, 0, 0x7f)

/* Whether the EVEX form of a move of 128 bits is shorter, since its displacement is a byte that
 * counts vectors. */
static bool is_near(const struct q_buffer *x, struct x64_mem m)
{
    return x->features & X64_AVX512 && !fits_8(m.disp) && m.disp % 16 == 0 && fits_8(m.disp / 16);
}

void x64_vload(struct q_buffer *x, unsigned bits, unsigned dst, struct x64_mem m)
{
    x64_vop op = bits == 128 ? VMOVDQU_LOAD : bits == 64 ? VMOVQ_LOAD : VMOVD_FROM(0);
    if (bits == 128 && is_near(x, m))
        op |= X64_EVEX;
    x64_v_rrm(x, op, dst, X64_NO_VVVV, m);
}

void x64_vstore(struct q_buffer *x, unsigned bits, struct x64_mem m, unsigned src)
{
    x64_vop op = bits == 128 ? VMOVDQU_STORE : bits == 64 ? VMOVQ_STORE : VMOVD_TO(0);
    if (bits == 128 && is_near(x, m))
        op |= X64_EVEX;
    x64_v_rrm(x, op, src, X64_NO_VVVV, m);
}

void x64_vmov(struct q_buffer *x, unsigned dst, unsigned src)
{
    /* A high register costs a byte in ModRM.rm, none in ModRM.reg. */
    if (src >= 8 && src < 16 && dst < 8)
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
